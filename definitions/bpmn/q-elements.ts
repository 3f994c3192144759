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
  | 'on-no-match'
  | 'binding'
  | 'all-or-none'
  | 'ack';

export interface QAttributeRow {
  readonly kind: QAttributeKind;
  readonly isRequired: boolean;
  readonly isExecuted: boolean;
  /** The only BPMN elements on which it means something; null: wherever its element may stand. */
  readonly owners: readonly string[] | null;
}

export interface QElementRow {
  readonly isExecuted: boolean;
  /** BPMN elements whose extensionElements it may stand in; null: any. */
  readonly owners: readonly string[] | null;
  /** q elements it may stand in. */
  readonly parents: readonly string[];
  /** BPMN elements on which it may stand more than once. */
  readonly repeatableOn: readonly string[] | 'all';
  /** Null: not examined. */
  readonly attributes: Readonly<Record<string, QAttributeRow>> | null;
  /** Pairs that exclude each other. */
  readonly exclusive: readonly (readonly [string, string])[];
}

function required(kind: QAttributeKind): QAttributeRow {
  return { kind, isRequired: true, isExecuted: true, owners: null };
}

function optional(kind: QAttributeKind): QAttributeRow {
  return { kind, isRequired: false, isExecuted: true, owners: null };
}

function later(kind: QAttributeKind): QAttributeRow {
  return { kind, isRequired: false, isExecuted: false, owners: null };
}

const ROW: QElementRow = {
  isExecuted: true,
  owners: [],
  parents: [],
  repeatableOn: [],
  attributes: {},
  exclusive: [],
};

/** Of a later issue, with contents of its own. */
const UNREAD: QElementRow = {
  ...ROW,
  isExecuted: false,
  owners: null,
  repeatableOn: 'all',
  attributes: null,
};

/** Tasks that call: whatever decides is reached as whatever works. */
const CALLS = ['serviceTask', 'businessRuleTask'];
const CATCHES = ['startEvent', 'intermediateCatchEvent', 'boundaryEvent'];
const THROWS = ['intermediateThrowEvent', 'endEvent'];
/** An event with several definitions gives each its own: readers refuse what is on the wrong one. */
const MESSAGE = 'messageEventDefinition';
const SIGNAL = 'signalEventDefinition';
const WAITS = [...CATCHES, MESSAGE, 'receiveTask', 'userTask', ...CALLS];
const TASKS = [...CALLS, 'sendTask', 'receiveTask', 'userTask', 'scriptTask', 'task', 'manualTask'];

export const qElements: Readonly<Record<string, QElementRow>> = {
  source: {
    ...ROW,
    owners: WAITS,
    attributes: {
      channel: required('channel'),
      name: optional('variable'),
      merge: optional('boolean'),
      messageTypeValue: optional('text'),
      messageTypePattern: optional('text'),
      dedupKey: optional('expression'),
      ack: optional('ack'),
      dataClass: optional('text'),
    },
    exclusive: [
      ['messageTypeValue', 'messageTypePattern'],
      ['name', 'merge'],
    ],
  },
  alias: {
    ...ROW,
    owners: WAITS,
    repeatableOn: 'all',
    attributes: {
      name: required('text'),
      expression: required('expression'),
      message: optional('expression'),
      unique: optional('boolean'),
      onConflict: optional('on-conflict'),
      multi: optional('boolean'),
    },
  },
  send: {
    ...ROW,
    owners: [...THROWS, MESSAGE, 'sendTask'],
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
    owners: [...TASKS, 'callActivity', ...THROWS],
    attributes: {
      contentType: optional('media-type'),
      body: optional('expression'),
      continue: optional('boolean'),
    },
  },
  header: {
    ...ROW,
    owners: CALLS,
    parents: ['send', 'reply'],
    repeatableOn: 'all',
    attributes: { name: required('header-name'), value: required('expression') },
  },
  param: {
    ...ROW,
    owners: [...CALLS, 'callActivity'],
    repeatableOn: 'all',
    attributes: { name: required('text'), expression: required('expression') },
  },
  output: {
    ...ROW,
    owners: [...CALLS, 'scriptTask', 'callActivity', ...CATCHES, SIGNAL],
    repeatableOn: ['callActivity'],
    attributes: {
      variable: required('variable'),
      expression: { ...optional('expression'), owners: ['callActivity'] },
    },
  },
  signal: { ...ROW, owners: [...THROWS, SIGNAL], attributes: { body: required('expression') } },
  loop: {
    ...ROW,
    owners: ['multiInstanceLoopCharacteristics'],
    attributes: {
      collection: optional('expression'),
      item: optional('variable'),
      output: optional('variable'),
      outputItem: optional('variable'),
    },
  },
  call: {
    ...ROW,
    owners: ['callActivity'],
    attributes: {
      binding: optional('binding'),
      input: optional('all-or-none'),
      output: optional('all-or-none'),
    },
  },
  local: { ...ROW, owners: [...TASKS, 'callActivity'] },
  caught: {
    ...ROW,
    owners: ['errorEventDefinition', 'escalationEventDefinition'],
    attributes: {
      code: optional('variable'),
      message: { ...optional('variable'), owners: ['errorEventDefinition'] },
    },
  },
  throw: {
    ...ROW,
    owners: CALLS,
    repeatableOn: 'all',
    attributes: { code: required('text'), when: required('expression') },
  },
  timeout: { ...ROW, owners: CALLS, attributes: { duration: required('duration') } },
  variables: { ...ROW, owners: ['process'] },
  variable: {
    ...ROW,
    parents: ['variables'],
    repeatableOn: 'all',
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
    owners: CALLS,
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
    owners: ['dataStoreReference'],
    attributes: {
      key: required('expression'),
      forUpdate: optional('boolean'),
      field: optional('text'),
      expect: optional('expression'),
    },
  },
  dispatch: {
    ...ROW,
    owners: ['callActivity'],
    attributes: { default: optional('text'), onNoMatch: optional('on-no-match') },
    exclusive: [['default', 'onNoMatch']],
  },
  case: {
    ...ROW,
    parents: ['dispatch'],
    repeatableOn: 'all',
    attributes: { when: required('expression'), calledElement: required('text') },
  },
  audit: {
    ...ROW,
    owners: [
      'process',
      ...CATCHES,
      ...THROWS,
      ...TASKS,
      ...['callActivity', 'subProcess', 'transaction', 'adHocSubProcess'],
    ],
    attributes: { payload: required('boolean') },
  },
  validators: UNREAD,
  redactors: UNREAD,
  onValidation: UNREAD,
  process: UNREAD,
  coverage: UNREAD,
};

export function qElementRow(localName: string): QElementRow | null {
  return Object.hasOwn(qElements, localName) ? (qElements[localName] ?? null) : null;
}
