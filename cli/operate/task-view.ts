/** One external task for somebody who has to find out why its workers gave it up. The last error is never cut. */
import { toPlainJson } from '../../definitions/plain-json.ts';
import { taskState } from './columns.ts';
import { rowOf, shown, textOf, type Row } from './row.ts';
import { cut, formatSheet, onOneLine, type Fact } from './table.ts';
import { instantWithAge } from './time.ts';

/** Enough to tell one kind of bytes from another; the whole of it is for programs. */
const MAX_BASE64 = 60;

/** A task with its request and the last error in full. */
export function formatTask(task: Row, nowMs: number, width: number | null): string {
  const instant = (name: string): readonly string[] => {
    const text = instantWithAge(textOf(task, name), nowMs);
    return text === '' ? [] : [text];
  };
  const owner = textOf(task, 'lockOwner');
  const headers = Object.entries(rowOf(task, 'headers') ?? {});
  const facts: readonly Fact[] = [
    ['task', [shown(task, 'id')]],
    ['state', [taskState(task, nowMs)]],
    ['channel', [shown(task, 'channel')]],
    ['instance', [shown(task, 'instanceId')]],
    ['element', [`${shown(task, 'elementId')} of process ${shown(task, 'processId')}`]],
    ['package', [`${shown(task, 'tenant')}/${shown(task, 'module')}/${shown(task, 'version')}`]],
    ['deployment', [shown(task, 'deploymentId')]],
    ['key', [shown(task, 'idempotencyKey')]],
    ['parked', instant('createdAt')],
    ['attempts', [shown(task, 'attempts')]],
    ['retries left', [shown(task, 'retries')]],
    ['priority', [shown(task, 'priority')]],
    ['worker', owner === null ? [] : [`${owner}, since ${shown(task, 'lockedAt')}`]],
    ['lock expires', instant('lockExpiresAt')],
    ['fetchable', taskState(task, nowMs) === 'waiting' ? instant('visibleAt') : []],
    ['deadline', instant('deadline')],
    ['terminal', instant('failedAt')],
    ['headers', headers.map(([name, value]) => `${name}: ${String(value)}`)],
    ['content', [shown(task, 'contentType')]],
    ['body', bodyLines(task)],
  ];
  const sheet = formatSheet(facts, width);
  const error = textOf(task, 'lastError');
  if (error === null) return sheet;
  const details = (textOf(task, 'lastErrorDetails') ?? '').split(/\r?\n/).map(onOneLine);
  return `${sheet}\n\nLAST ERROR: ${onOneLine(error)}\n${details.map((line) => `  ${line}`.trimEnd()).join('\n')}`.trimEnd();
}

/** Of a `body` that is JSON or text, or a `bodyBase64`. */
export function bodyLines(task: Row): readonly string[] {
  const { body } = task;
  if (body === undefined) return [`${cut(shown(task, 'bodyBase64'), MAX_BASE64)} (base64)`];
  return typeof body === 'string' ? body.split(/\r?\n/) : [toPlainJson(body)];
}
