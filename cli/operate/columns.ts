/** The columns of the lists that people see. Programs get what the routes give: `--json`. */
import { numberOf, rowOf, shown, textOf, type Row } from './row.ts';
import type { Column } from './table.ts';
import { ageOf } from './time.ts';

export type Columns = (nowMs: number) => readonly Column<Row>[];

const id: Column<Row> = { title: 'ID', value: (row) => shown(row, 'id'), isWhole: true };

function field(title: string, name: string): Column<Row> {
  return { title, value: (row) => shown(row, name) };
}

function age(title: string, name: string, nowMs: number): Column<Row> {
  return { title, value: (row) => ageOf(textOf(row, name), nowMs), isWhole: true };
}

export const instanceColumns: Columns = (nowMs) => [
  id,
  { ...field('STATUS', 'status'), isWhole: true },
  age('AGE', 'createdAt', nowMs),
  field('PROCESS', 'processId'),
  { title: 'CODE', value: (row) => failureField(row, 'code'), keepsEnd: true },
  { title: 'AT', value: (row) => failureField(row, 'elementId') },
  { title: 'MESSAGE', value: (row) => failureField(row, 'message') },
];

function failureField(row: Row, name: string): string {
  return shown(rowOf(row, 'failure') ?? {}, name);
}

export const taskColumns: Columns = (nowMs) => [
  id,
  { title: 'STATE', value: (row) => taskState(row, nowMs), isWhole: true },
  age('AGE', 'createdAt', nowMs),
  field('CHANNEL', 'channel'),
  field('ELEMENT', 'elementId'),
  { title: 'RETRIES', value: (row) => shown(row, 'retries'), isWhole: true },
  field('WORKER', 'lockOwner'),
  field('LAST ERROR', 'lastError'),
];

/** In one word: can a worker fetch it, and if not, why. */
export function taskState(task: Row, nowMs: number): string {
  if (textOf(task, 'state') === 'failed') return 'terminal';
  if (textOf(task, 'lockOwner') !== null) return 'locked';
  if (task['isHeld'] === true) return 'held';
  return Date.parse(textOf(task, 'visibleAt') ?? '') > nowMs ? 'waiting' : 'open';
}

export const incidentColumns: Columns = (nowMs) => [
  { title: 'KIND', value: (row) => shown(row, 'kind'), isWhole: true },
  {
    title: 'ID',
    value: (row) => textOf(row, 'subjectId') ?? shown(row, 'instanceId'),
    isWhole: true,
  },
  age('AGE', 'createdAt', nowMs),
  field('PROCESS', 'processId'),
  field('ELEMENT', 'elementId'),
  { ...field('CODE', 'code'), keepsEnd: true },
  field('MESSAGE', 'message'),
];

export const incidentGroupColumns: Columns = () => [
  { title: 'COUNT', value: (row) => String(numberOf(row, 'count') ?? ''), isWhole: true },
  { ...field('KIND', 'kind'), isWhole: true },
  field('PROCESS', 'processId'),
  field('ELEMENT', 'elementId'),
  { ...field('CODE', 'code'), keepsEnd: true },
];

export const deadLetterColumns: Columns = (nowMs) => [
  id,
  { ...field('KIND', 'kind'), isWhole: true },
  age('AGE', 'createdAt', nowMs),
  field('CHANNEL', 'channel'),
  field('SIGNAL', 'signalName'),
  field('PROCESS', 'processId'),
  field('ELEMENT', 'startEventId'),
  { title: 'TRIED', value: (row) => String(numberOf(row, 'attempts') ?? ''), isWhole: true },
  { ...field('CODE', 'code'), keepsEnd: true },
  field('MESSAGE', 'message'),
];

export const deliveryColumns: Columns = (nowMs) => [
  id,
  { ...field('STATE', 'state'), isWhole: true },
  age('AGE', 'createdAt', nowMs),
  field('CHANNEL', 'channel'),
  field('ELEMENT', 'elementId'),
  { title: 'TRIED', value: (row) => String(numberOf(row, 'attempts') ?? ''), isWhole: true },
  field('LAST ERROR', 'lastError'),
];
