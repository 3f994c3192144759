/**
 * The history of an instance, a line an entry: when, where, what, and why.
 *
 * L1 An event that is not known here is shown as it is, with its facts: nothing of a history is left out.
 */
import { isRow, shown, textOf, type Row } from './row.ts';
import { toPlainJson } from '../../definitions/plain-json.ts';
import { formatTable, onOneLine, type Column } from './table.ts';

type Describe = (detail: Row) => string;

const words: Readonly<Record<string, Describe>> = {
  commandReceived: (detail) => {
    const reason = textOf(detail, 'reason');
    return `an operator said ${shown(detail, 'command')}${reason === null ? '' : `: ${reason}`}`;
  },
  started: (detail) => `instance of ${shown(detail, 'processId')} started`,
  messageReceived: (detail) => {
    const type = textOf(detail, 'messageType');
    return (
      `message${type === null ? '' : ` ${type}`} received on channel ${shown(detail, 'channel')}` +
      byKey(detail)
    );
  },
  timerFired: (detail) => timers[shown(detail, 'purpose')] ?? 'timer fired',
  entered: (detail) => `entered${run(detail)}`,
  completed: (detail) => `completed${run(detail)}`,
  interrupted: () => 'interrupted',
  flowTaken: (detail) => `took the flow ${shown(detail, 'flowId')}`,
  sent: (detail) => `sent on channel ${shown(detail, 'channel')}, key ${shown(detail, 'idempotencyKey')}`,
  attemptFailed: (detail) =>
    `attempt ${shown(detail, 'attempt')} failed: ${shown(detail, 'code')}${nextAt(detail)}`,
  attemptStarted: (detail) => `attempt ${shown(detail, 'attempt')} started`,
  errorThrown: (detail) => `BPMN error ${shown(detail, 'code')} thrown${said(detail)}`,
  escalationThrown: (detail) => `escalation ${shown(detail, 'code')} thrown`,
  signalThrown: (detail) => `signal ${shown(detail, 'signal')} thrown`,
  signalReceived: (detail) => `signal ${shown(detail, 'signal')} received`,
  conditionMet: () => 'condition met',
  compensationThrown: (detail) => `compensation thrown ${of(detail, 'activityId')}`.trimEnd(),
  variablesSet: (detail) => `variables written from outside: ${shown(detail, 'names')}`,
  failed: (detail) => `FAILED: ${shown(detail, 'code')}`,
  retried: () => 'run again by an operator',
  moved: (detail) => `moved to ${shown(detail, 'to')} by an operator`,
  migrated: (detail) => `migrated from deployment ${shown(detail, 'from')} to ${shown(detail, 'to')}`,
  elementMigrated: (detail) => `is ${shown(detail, 'to')} from then on`,
  cancelled: (detail) => `cancelled: ${shown(detail, 'reason')}`,
  ended: (detail) => `instance ${shown(detail, 'status')}`,
  taskParked: (detail) =>
    `parked as task ${shown(detail, 'taskId')} on channel ${shown(detail, 'channel')}${before(detail)}`,
  taskLocked: (detail) => `locked ${byWorker(detail)}${until(detail)}${before(detail)}`,
  taskCompleted: (detail) => `completed ${byWorker(detail)}${before(detail)}`,
  taskBpmnError: (detail) =>
    `ended ${byWorker(detail)} in the BPMN error ${shown(detail, 'code')}${before(detail)}`,
  taskFailed: (detail) => `failed for good${attempts(detail)}${because(detail)}`,
  deliveryPoisoned: (detail) => `delivery ${shown(detail, 'deliveryId')} given up${because(detail)}`,
  incidentResolved: (detail) =>
    'taskId' in detail
      ? `task ${shown(detail, 'taskId')} re-armed, discarded or withdrawn`
      : `delivery ${shown(detail, 'deliveryId')} requeued, discarded or withdrawn`,
};

const timers: Readonly<Record<string, string>> = {
  event: 'timer fired',
  'call-timeout': 'no answer in time',
  'call-retry': 'time for the next attempt',
};

function byKey(detail: Row): string {
  if (detail['isDedupKeyWithheld'] === true) return ', key withheld';
  const key = textOf(detail, 'key') ?? textOf(detail, 'dedupKey');
  return key === null ? '' : `, key ${key}`;
}

/** What a worker or a peer said. */
function because(detail: Row): string {
  const error = textOf(detail, 'lastError') ?? textOf(detail, 'code');
  return error === null ? '' : `: ${onOneLine(error)}`;
}

/** What the worker said of a BPMN error. */
function said(detail: Row): string {
  const message = textOf(detail, 'message');
  return message === null ? '' : `: ${onOneLine(message)}`;
}

/** What the last attempt before that said. */
function before(detail: Row): string {
  const error = textOf(detail, 'lastError');
  return error === null ? '' : `, after a failure: ${onOneLine(error)}`;
}

function attempts(detail: Row): string {
  return shown(detail, 'attempts') === '' ? '' : `, ${byWorker(detail)}`;
}

/** Of an activity that loops: which run of it. */
function run(detail: Row): string {
  const loopCounter = shown(detail, 'loopCounter');
  return loopCounter === '' ? '' : `, run ${loopCounter}`;
}

function nextAt(detail: Row): string {
  const dueAtMs = detail['dueAtMs'];
  if (typeof dueAtMs !== 'number') return '';
  const at = new Date(dueAtMs);
  return Number.isNaN(at.getTime()) ? '' : `; the next one at ${at.toISOString()}`;
}

function of(detail: Row, name: string): string {
  const value = shown(detail, name);
  return value === '' ? '' : `for ${value}`;
}

function until(detail: Row): string {
  const expiresAt = textOf(detail, 'lockExpiresAt');
  return expiresAt === null ? '' : ` until ${expiresAt}`;
}

function byWorker(detail: Row): string {
  const worker = textOf(detail, 'workerId');
  return `${worker === null ? '' : `by worker ${worker}, `}attempt ${shown(detail, 'attempts')}`;
}

/** What `q:audit` has kept. */
function payloadOf(detail: Row): string {
  return 'payload' in detail ? `  ${toPlainJson(detail['payload'])}` : '';
}

/** The line's own words. */
export function describeEntry(entry: Row): string {
  const event = shown(entry, 'event');
  const detail = entry['detail'];
  const facts = isRow(detail) ? detail : {};
  const describe = Object.hasOwn(words, event) ? words[event] : undefined;
  if (describe !== undefined) return describe(facts) + payloadOf(facts);
  return Object.keys(facts).length === 0 ? event : `${event} ${JSON.stringify(facts)}`;
}

const columns: readonly Column<Row>[] = [
  { title: 'AT', value: (entry) => shown(entry, 'at'), isWhole: true },
  { title: 'TURN', value: (entry) => shown(entry, 'turn'), isWhole: true },
  { title: 'ELEMENT', value: (entry) => shown(entry, 'elementId') },
  { title: 'WHAT', value: describeEntry },
];

export function formatTimeline(entries: readonly Row[], width: number | null): string {
  return formatTable(entries, columns, width);
}
