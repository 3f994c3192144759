/**
 * One instance for somebody who has to find out what is wrong with it: what it is, where it stands, what it waits for,
 * why it failed, and what can be done.
 *
 * V1 The message of a failure is never cut: it is what the reader came for.
 * V2 Variables that the engine does not show are named as hidden; nobody takes them for missing.
 */
import { toPlainJson } from '../../definitions/plain-json.ts';
import { taskState } from './columns.ts';
import { rowOf, rowsOf, shown, textOf, type Row } from './row.ts';
import { formatSheet, onOneLine, type Fact } from './table.ts';
import { ageOf, instantWithAge } from './time.ts';

export function formatInstance(instance: Row, nowMs: number, width: number | null): string {
  const facts = [...headFacts(instance, nowMs), ...stateFacts(instance, nowMs)];
  const sheet = formatSheet(facts, width);
  const failure = rowOf(instance, 'failure');
  if (failure === null) return sheet;
  const element = textOf(failure, 'elementId');
  const place = element === null ? '' : ` at ${element}`;
  return `${sheet}\n\nFAILED${place}: ${shown(failure, 'code')}\n  ${onOneLine(textOf(failure, 'message') ?? '')}`.trimEnd();
}

function headFacts(instance: Row, nowMs: number): readonly Fact[] {
  const instant = (name: string): readonly string[] => {
    const text = instantWithAge(textOf(instance, name), nowMs);
    return text === '' ? [] : [text];
  };
  return [
    ['instance', [shown(instance, 'id')]],
    ['status', [shown(instance, 'status')]],
    [
      'process',
      [`${shown(instance, 'processId')} of ${shown(instance, 'tenant')}/${shown(instance, 'module')}`],
    ],
    ['deployment', [shown(instance, 'deploymentId')]],
    ['started', instant('createdAt')],
    ['changed', instant('updatedAt')],
    ['ended', instant('endedAt')],
    [
      'aliases',
      rowsOf(instance, 'aliases').map((alias) => `${shown(alias, 'name')}=${shown(alias, 'value')}`),
    ],
  ];
}

function stateFacts(instance: Row, nowMs: number): readonly Fact[] {
  return [
    ['variables', variableLines(instance)],
    ['hidden', hiddenNames(instance)],
    ['scopes', rowsOf(instance, 'scopes').flatMap(scopeLines)],
    ['tokens', rowsOf(instance, 'tokens').map(tokenLine)],
    ['parts', partsLines(rowOf(instance, 'parts'))],
    ['waits for', rowsOf(instance, 'waits').map((wait) => waitLine(wait, nowMs))],
    ['tasks', rowsOf(instance, 'openTasks').flatMap((task) => taskLines(task, nowMs))],
    ['deliveries', rowsOf(instance, 'deliveries').flatMap(deliveryLines)],
  ];
}

function variableLines(holder: Row): readonly string[] {
  if (holder['areVariablesWithheld'] === true) return ['withheld: the engine cannot read the deployment'];
  const variables = rowOf(holder, 'variables') ?? {};
  return Object.entries(variables).map(([name, value]) => `${name} = ${toPlainJson(value)}`);
}

function hiddenNames(holder: Row): readonly string[] {
  const names = holder['hiddenVariables'];
  return Array.isArray(names) && names.length > 0 ? [names.map(String).join(', ')] : [];
}

/** A scope inside the process, with what it holds. */
function scopeLines(scope: Row): readonly string[] {
  const index = shown(scope, 'index');
  const called = rowOf(scope, 'called');
  const name =
    `${shown(scope, 'id')} ${shown(scope, 'elementId')}${index === '' ? '' : `, run ${String(Number(index) + 1)}`}` +
    (called === null ? '' : `, process ${shown(called, 'processId')} of ${shown(called, 'deploymentId')}`);
  const hidden = hiddenNames(scope).map((names) => `hidden: ${names}`);
  return [name, ...[...variableLines(scope), ...hidden].map((line) => `  ${line}`)];
}

function tokenLine(token: Row): string {
  const loop = rowOf(token, 'loop');
  const progress =
    loop === null
      ? ''
      : `, ${shown(loop, 'completed')} of ${shown(loop, 'total') || '?'} runs completed, ${shown(loop, 'active')} active`;
  return `${shown(token, 'id')} ${shown(token, 'state')} at ${shown(token, 'elementId')}${progress}`;
}

function partsLines(parts: Row | null): readonly string[] {
  if (parts === null || parts['next'] === null || parts['next'] === undefined) return [];
  return [`${shown(parts, 'open')} are open; only ${shown(parts, 'listed')} of them are shown here`];
}

function waitLine(wait: Row, nowMs: number): string {
  return `${waitWords(wait, nowMs)}, at ${shown(wait, 'elementId')}`;
}

function waitWords(wait: Row, nowMs: number): string {
  const kind = shown(wait, 'kind');
  switch (kind) {
    case 'timer': {
      const purposes: Readonly<Record<string, string>> = {
        event: 'timer',
        'call-timeout': 'timeout of the call',
        'call-retry': 'next attempt of the call',
      };
      const age = ageOf(textOf(wait, 'dueAt'), nowMs);
      const when = age.startsWith('in ') ? age : `due for ${age}`;
      return `${purposes[shown(wait, 'purpose')] ?? 'timer'} ${shown(wait, 'dueAt')} (${when})`;
    }
    case 'message':
      return `message on channel ${shown(wait, 'channel')}${aliasWords(wait)}`;
    case 'call':
      return `answer on channel ${shown(wait, 'channel')}, attempt ${shown(wait, 'attempt')}${aliasWords(wait)}`;
    case 'signal':
      return `signal ${shown(wait, 'name')}`;
    default:
      return `${kind}, token ${shown(wait, 'tokenId')}`;
  }
}

function aliasWords(wait: Row): string {
  const aliases = rowsOf(wait, 'aliases').map((alias) => `${shown(alias, 'name')}=${shown(alias, 'value')}`);
  return aliases.length === 0 ? '' : `, by ${aliases.join(' and ')}`;
}

function taskLines(task: Row, nowMs: number): readonly string[] {
  const state = taskState(task, nowMs);
  const owner = textOf(task, 'lockOwner');
  const by = owner === null ? '' : ` by ${owner} until ${shown(task, 'lockExpiresAt')}`;
  const until = state === 'waiting' ? ` until ${shown(task, 'visibleAt')}` : '';
  return [
    `${shown(task, 'id')} ${state}${by}${until}`,
    `  on channel ${shown(task, 'channel')}, attempts ${shown(task, 'attempts')}, retries left ${shown(task, 'retries')}`,
    ...lastError(task),
  ];
}

function deliveryLines(delivery: Row): readonly string[] {
  return [
    `${shown(delivery, 'id')} ${shown(delivery, 'state')}`,
    `  on channel ${shown(delivery, 'channel')}, attempts ${shown(delivery, 'attempts')}`,
    ...lastError(delivery),
  ];
}

function lastError(row: Row): readonly string[] {
  const error = textOf(row, 'lastError');
  return error === null ? [] : [`  last error: ${error}`];
}

/** What an operator may do about it now, as commands. */
export function instanceAdvice(instance: Row): readonly string[] {
  const id = shown(instance, 'id');
  const tasks = rowsOf(instance, 'openTasks').filter((task) => textOf(task, 'state') === 'failed');
  const deliveries = rowsOf(instance, 'deliveries').filter((each) => textOf(each, 'state') === 'poisoned');
  return [
    ...(textOf(instance, 'status') === 'failed' ? [`sutra retry ${id}`] : []),
    ...tasks.slice(0, 3).map((task) => `sutra retry-task ${shown(task, 'id')}`),
    ...deliveries.slice(0, 3).map((delivery) => `sutra requeue-delivery ${shown(delivery, 'id')}`),
  ];
}
