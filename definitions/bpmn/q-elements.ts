/**
 * The q: vocabulary as a table: every element, where it stands, its attributes and their types.
 *
 * Q1 What is not in this table does not exist, and a file that uses it is refused.
 * Q2 What is in it and is not executed is refused with its own code, never ignored.
 */

export type QAttributeKind =
  /** Any text that is not blank. */
  | 'text'
  /** The name of a process variable. */
  | 'variable'
  /** The name of a channel. */
  | 'channel'
  | 'header-name'
  | 'media-type'
  | 'boolean'
  /** FEEL; compiled where it is read. */
  | 'expression'
  /** ISO-8601, longer than nothing. */
  | 'duration'
  | 'positive-integer'
  /** A decimal number of at least 1. */
  | 'coefficient'
  | 'on-conflict'
  | 'ack';

export interface QAttributeRow {
  readonly kind: QAttributeKind;
  readonly isRequired: boolean;
  readonly isExecuted: boolean;
}

export interface QElementRow {
  readonly isExecuted: boolean;
  /** BPMN elements whose extensionElements it may stand in; null: any. */
  readonly owners: readonly string[] | null;
  /** q elements it may stand in. */
  readonly parents: readonly string[];
  readonly isRepeatable: boolean;
  /** Null: not examined. */
  readonly attributes: Readonly<Record<string, QAttributeRow>> | null;
  /** Pairs that exclude each other. */
  readonly exclusive: readonly (readonly [string, string])[];
}

function required(kind: QAttributeKind): QAttributeRow {
  return { kind, isRequired: true, isExecuted: true };
}

function optional(kind: QAttributeKind): QAttributeRow {
  return { kind, isRequired: false, isExecuted: true };
}

function later(kind: QAttributeKind): QAttributeRow {
  return { kind, isRequired: false, isExecuted: false };
}

const ROW: QElementRow = {
  isExecuted: true,
  owners: [],
  parents: [],
  isRepeatable: false,
  attributes: {},
  exclusive: [],
};

/** Of a later issue, with contents of its own. */
const UNREAD: QElementRow = { ...ROW, isExecuted: false, owners: null, isRepeatable: true, attributes: null };

const WAITS = [
  'startEvent',
  'intermediateCatchEvent',
  'boundaryEvent',
  'receiveTask',
  'userTask',
  'serviceTask',
];
const TASKS = ['serviceTask', 'sendTask', 'receiveTask', 'userTask', 'scriptTask', 'task', 'manualTask'];

export const qElements: Readonly<Record<string, QElementRow>> = {
  source: {
    ...ROW,
    owners: WAITS,
    attributes: {
      channel: required('channel'),
      name: optional('variable'),
      messageTypeValue: optional('text'),
      messageTypePattern: optional('text'),
      dedupKey: optional('expression'),
      ack: optional('ack'),
      dataClass: optional('text'),
    },
    exclusive: [['messageTypeValue', 'messageTypePattern']],
  },
  alias: {
    ...ROW,
    owners: WAITS,
    isRepeatable: true,
    attributes: {
      name: required('text'),
      expression: required('expression'),
      unique: optional('boolean'),
      onConflict: optional('on-conflict'),
      multi: optional('boolean'),
    },
  },
  send: {
    ...ROW,
    owners: ['intermediateThrowEvent', 'sendTask', 'endEvent'],
    attributes: {
      channel: optional('channel'),
      destination: optional('expression'),
      contentType: optional('media-type'),
      body: optional('expression'),
    },
    exclusive: [['channel', 'destination']],
  },
  reply: {
    ...ROW,
    owners: [...TASKS, 'endEvent', 'intermediateThrowEvent'],
    attributes: {
      contentType: optional('media-type'),
      body: optional('expression'),
      continue: optional('boolean'),
    },
  },
  header: {
    ...ROW,
    owners: ['serviceTask'],
    parents: ['send', 'reply'],
    isRepeatable: true,
    attributes: { name: required('header-name'), value: required('expression') },
  },
  param: {
    ...ROW,
    owners: ['serviceTask'],
    isRepeatable: true,
    attributes: { name: required('text'), expression: required('expression') },
  },
  output: {
    ...ROW,
    owners: ['serviceTask', 'scriptTask'],
    attributes: { variable: required('variable') },
  },
  timeout: { ...ROW, owners: ['serviceTask'], attributes: { duration: required('duration') } },
  variables: { ...ROW, owners: ['process'] },
  variable: {
    ...ROW,
    parents: ['variables'],
    isRepeatable: true,
    attributes: {
      name: required('variable'),
      type: optional('text'),
      schema: later('text'),
      source: later('text'),
      transient: optional('boolean'),
      sensitive: optional('boolean'),
    },
  },
  retry: {
    ...ROW,
    isExecuted: false,
    owners: ['serviceTask'],
    attributes: {
      maxAttempts: required('positive-integer'),
      initialDelay: optional('duration'),
      backoffCoefficient: optional('coefficient'),
      maxDelay: optional('duration'),
      nonRetryableCodes: optional('text'),
    },
  },
  store: {
    ...ROW,
    isExecuted: false,
    owners: ['dataStoreReference'],
    attributes: {
      key: required('expression'),
      forUpdate: optional('boolean'),
      field: optional('text'),
      expect: optional('text'),
    },
  },
  dispatch: {
    ...ROW,
    isExecuted: false,
    owners: ['callActivity'],
    attributes: { default: optional('text'), onNoMatch: optional('text') },
  },
  case: {
    ...ROW,
    isExecuted: false,
    parents: ['dispatch'],
    isRepeatable: true,
    attributes: { when: required('expression'), calledElement: required('text') },
  },
  validators: UNREAD,
  redactors: UNREAD,
  onValidation: UNREAD,
  process: UNREAD,
  audit: UNREAD,
  coverage: UNREAD,
};

export function qElementRow(localName: string): QElementRow | null {
  return Object.hasOwn(qElements, localName) ? (qElements[localName] ?? null) : null;
}
