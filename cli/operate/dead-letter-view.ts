/** One dead letter for somebody who has to find out why nobody could process it. The reason is never cut. */
import { rowOf, shown, textOf, type Row } from './row.ts';
import { formatSheet, onOneLine, type Fact } from './table.ts';
import { bodyLines } from './task-view.ts';
import { instantWithAge } from './time.ts';

export function formatDeadLetter(letter: Row, nowMs: number, width: number | null): string {
  const given = (name: string): readonly string[] => {
    const text = shown(letter, name);
    return text === '' ? [] : [text];
  };
  const headers = Object.entries(rowOf(letter, 'headers') ?? {});
  const startEvent = textOf(letter, 'startEventId');
  const facts: readonly Fact[] = [
    ['dead letter', [shown(letter, 'id')]],
    ['kind', [shown(letter, 'kind')]],
    ['module', [`${shown(letter, 'tenant')}/${shown(letter, 'module')}`]],
    ['channel', given('channel')],
    ['key', given('messageKey')],
    ['signal', given('signalName')],
    ['start', startEvent === null ? [] : [`${startEvent} of process ${shown(letter, 'processId')}`]],
    ['deployment', given('deploymentId')],
    ['refused', [`${shown(letter, 'attempts')} times`]],
    ['kept', [instantWithAge(textOf(letter, 'createdAt'), nowMs)]],
    ['last refused', [instantWithAge(textOf(letter, 'updatedAt'), nowMs)]],
    ['headers', headers.map(([name, value]) => `${name}: ${String(value)}`)],
    ['content', given('contentType')],
    ['body', textOf(letter, 'kind') === 'timer' ? [] : bodyLines(letter)],
  ];
  const reason = `${shown(letter, 'code')}\n  ${onOneLine(shown(letter, 'message'))}`;
  return `${formatSheet(facts, width)}\n\nREFUSED: ${reason}`;
}
