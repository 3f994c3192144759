/**
 * The JSON documents of all routes, as JSON Schema. Tests hold every answer against these: an answer that
 * grows a field without its description fails.
 */
import { DEAD_LETTER_KINDS } from '../engine/store/dead-letters.ts';
import { DELIVERY_STATES } from '../engine/store/operate-deliveries.ts';
import { DEPLOYMENT_STATES } from '../engine/store/operate-deployments.ts';
import { INCIDENT_KINDS } from '../engine/store/operate-incidents.ts';
import { INSTANCE_STATUSES } from '../engine/store/operate-instances.ts';
import { TASK_STATES } from '../engine/store/operate-tasks.ts';
import type { Schema } from './query-parameters.ts';
import { schemaRef } from './route.ts';
import {
  anyJson,
  count,
  flag,
  instant,
  listOf,
  name,
  object,
  oneOf,
  orNull,
  stringMap,
  text,
  uuid,
} from './schema-parts.ts';
import { workerSchemas } from './worker-schemas.ts';

function page(field: string, item: string): Schema {
  return object({ [field]: listOf(schemaRef(item)), nextCursor: orNull(text) });
}

const reason = { type: 'string', minLength: 1, maxLength: 500, description: 'Why, for the history.' };

const place = object({ 'file?': text, 'line?': count, 'column?': count, 'elementId?': text });

const service: Readonly<Record<string, Schema>> = {
  Problem: object(
    {
      type: { const: 'about:blank' },
      title: text,
      status: { type: 'integer', minimum: 400, maximum: 599 },
      code: text,
      detail: text,
      attributes: { type: 'object' },
    },
    'What every route answers when it does not do what was asked. `code` is stable.',
  ),
  Live: object({ status: { const: 'live' } }),
  Ready: object({ status: { const: 'ready' }, database: oneOf(['postgresql', 'embedded']) }),
};

const deploymentFields: Readonly<Record<string, Schema>> = {
  id: text,
  tenant: text,
  module: text,
  version: text,
  state: oneOf(DEPLOYMENT_STATES),
  deployedAt: instant,
  drainedAt: {
    ...orNull(instant),
    description: 'Since when it starts no more instances; null: it is active.',
  },
  retiredAt: orNull(instant),
};

const deployments: Readonly<Record<string, Schema>> = {
  Deployment: object(deploymentFields),
  DeploymentPage: page('deployments', 'Deployment'),
  DeploymentDetail: object({
    ...deploymentFields,
    load: object({ liveInstances: count, callingInstances: count, openTasks: count, outboxRows: count }),
    startTimers: {
      ...listOf(
        object({
          processId: text,
          elementId: text,
          dueAt: instant,
          remaining: { ...orNull(count), description: 'How often it starts one more after `dueAt`.' },
          intervalMs: {
            ...orNull({ type: 'number' }),
            description: 'Null: never again. With a null `remaining`: without end.',
          },
        }),
      ),
      description: 'What it will start by itself, the soonest first; empty unless it is active.',
    },
    channels: orNull(listOf(schemaRef('Channel'))),
    processes: orNull(listOf(schemaRef('Process'))),
  }),
  Channel: object({
    name: text,
    transport: text,
    direction: oneOf(['inbound', 'outbound', 'both']),
    bind: text,
    ackMode: oneOf(['on-persist', 'on-complete']),
    codec: orNull(text),
    isBroadcast: flag,
    payloadCapBytes: orNull(count),
  }),
  Process: object({
    id: text,
    name: orNull(text),
    startChannels: listOf(text),
    startsById: { ...flag, description: 'POST /sutra/processes/{processId}/start can start it.' },
  }),
  DeployRequest: object({
    'folderName?': text,
    files: listOf({
      anyOf: [
        object({ path: text, text }),
        object({ path: text, base64: { type: 'string', contentEncoding: 'base64' } }),
      ],
    }),
  }),
  DeployAnswer: object({
    deploymentId: text,
    tenant: text,
    module: text,
    version: text,
    isNew: flag,
    warnings: listOf(object({ code: text, severity: oneOf(['error', 'warning']), message: text, place })),
  }),
};

const instanceFields: Readonly<Record<string, Schema>> = {
  id: uuid,
  deploymentId: text,
  tenant: text,
  module: text,
  processId: text,
  status: oneOf(INSTANCE_STATUSES),
  turn: count,
  createdAt: instant,
  updatedAt: instant,
  endedAt: orNull(instant),
  failure: orNull(object({ code: text, message: orNull(text), elementId: orNull(text) })),
};

const aliasValues = listOf(object({ name: text, value: text }));
const partId: Schema = {
  ...orNull(count),
  description: 'The part of the instance that holds it: one instance of a parallel multi-instance activity.',
};
const waitPreview = object({
  kind: oneOf(['timer', 'message', 'call', 'user-task', 'signal', 'condition', 'ad-hoc']),
  elementId: text,
  tokenId: orNull(count),
});

const waitFields: Readonly<Record<string, Schema>> = {
  id: count,
  tokenId: orNull(count),
  scopeId: { ...orNull(count), description: 'Of the start event of an event sub-process: where it waits.' },
  elementId: text,
  partId,
};

const instances: Readonly<Record<string, Schema>> = {
  Instance: object(instanceFields),
  InstancePage: page('instances', 'Instance'),
  InstanceDetail: object({
    ...instanceFields,
    variables: orNull({ type: 'object', description: 'Of the process itself; null when they are withheld.' }),
    hiddenVariables: { ...listOf(text), description: 'Declared sensitive by the model: named, never shown.' },
    areVariablesWithheld: { ...flag, description: 'The model cannot be read here, so none is shown.' },
    tokens: listOf(
      object({
        id: count,
        scopeId: count,
        elementId: text,
        state: oneOf(['waiting', 'joining', 'failed']),
        partId,
        loop: {
          ...orNull(object({ total: orNull(count), started: count, active: count, completed: count })),
          description: 'Of an activity that loops: how far it has come.',
        },
      }),
    ),
    scopes: listOf(
      object({
        id: count,
        parentId: orNull(count),
        elementId: text,
        kind: {
          ...orNull(oneOf(['frame', 'called', 'handler', 'restored'])),
          description: 'Null: the inside of a sub-process. `frame`: one run of the activity.',
        },
        index: { ...orNull(count), description: 'Of a run: which one, from 0.' },
        called: {
          ...orNull(object({ deploymentId: text, processId: text })),
          description: 'The process that a call activity runs there.',
        },
        partId,
        variables: orNull({ type: 'object' }),
        hiddenVariables: listOf(text),
      }),
    ),
    parts: object(
      { open: count, listed: count, next: orNull(count) },
      'How many instances of parallel multi-instance activities are open, and how many of them are shown here; ' +
        'the others come with `partsAfter` set to `next`.',
    ),
    waits: listOf(schemaRef('Wait')),
    aliases: listOf(object({ name: text, value: text, isUnique: flag })),
    openTasks: listOf(schemaRef('Task')),
    deliveries: listOf(schemaRef('OpenDelivery')),
  }),
  Wait: {
    anyOf: [
      object({
        ...waitFields,
        kind: { const: 'timer' },
        dueAt: instant,
        purpose: oneOf(['event', 'call-timeout', 'call-retry']),
        cycle: {
          ...orNull(object({ remaining: orNull(count), intervalMs: { type: 'number' } })),
          description: 'How often it fires again after `dueAt` (null: without end), and how long after.',
        },
      }),
      object({ ...waitFields, kind: { const: 'message' }, channel: text, aliases: aliasValues }),
      object({
        ...waitFields,
        kind: { const: 'call' },
        channel: text,
        requestChannel: text,
        idempotencyKey: text,
        attempt: count,
        aliases: aliasValues,
      }),
      object({ ...waitFields, kind: { const: 'signal' }, name: text }),
      object({ ...waitFields, kind: oneOf(['user-task', 'condition', 'ad-hoc']) }),
    ],
  },
  OpenDelivery: object({
    id: uuid,
    channel: text,
    transport: text,
    elementId: text,
    idempotencyKey: text,
    state: oneOf(DELIVERY_STATES),
    attempts: count,
    visibleAt: instant,
    lastError: orNull(text),
    createdAt: instant,
  }),
  History: object({
    instanceId: uuid,
    entries: listOf(
      object({
        at: instant,
        turn: orNull(count),
        event: text,
        elementId: orNull(text),
        detail: { type: 'object' },
      }),
    ),
    nextCursor: orNull(text),
  }),
  CancelRequest: object({ 'reason?': reason }),
  RetryRequest: object({ 'reason?': reason }),
  CompleteUserTaskRequest: object({ 'variables?': { type: 'object' } }),
  LaunchActivityRequest: object({ 'variables?': { type: 'object' } }),
  SetVariablesRequest: object({
    variables: { type: 'object' },
    'tokenId?': { ...count, description: 'Whose scope is written to; absent: that of the process itself.' },
    'reason?': reason,
  }),
  CommandAnswer: object({ instanceId: uuid, status: oneOf(INSTANCE_STATUSES) }),
  MoveRequest: object({
    moves: {
      ...listOf(
        object({
          from: name,
          'tokenId?': { ...count, description: 'Which token, when several are at `from`.' },
          to: { ...name, description: 'A flow node of the same process or sub-process.' },
        }),
      ),
      minItems: 1,
      maxItems: 100,
    },
    'variables?': { type: 'object', description: 'Written first, as seen from the process itself.' },
    'dryRun?': { ...flag, description: 'Nothing is written; the answer has a `preview`.' },
    'reason?': reason,
  }),
  MoveAnswer: object({
    instanceId: uuid,
    status: { ...oneOf(INSTANCE_STATUSES), description: 'Of a dry run: what it would be.' },
    isDryRun: flag,
    'preview?': schemaRef('TurnPreview'),
  }),
  MigrateRequest: object({
    deploymentId: {
      ...text,
      description: 'Of the same tenant and module as the instance, active or draining.',
    },
    'elements?': {
      ...{ type: 'object', additionalProperties: name, maxProperties: 1000 },
      description: 'Ids of flow nodes and sequence flows to those of the new model; others keep their ids.',
    },
    'reason?': reason,
    'dryRun?': { ...flag, description: 'Nothing is written; the answer has a `preview`.' },
  }),
  MigrateAnswer: object({
    instanceId: uuid,
    deploymentId: text,
    status: { ...oneOf(INSTANCE_STATUSES), description: 'Of a dry run: what it would be.' },
    isDryRun: flag,
    'preview?': schemaRef('TurnPreview'),
  }),
  TurnPreview: object(
    {
      failure: orNull(object({ code: text, message: text, elementId: text })),
      tokens: listOf(object({ id: count, elementId: text, state: oneOf(['waiting', 'joining', 'failed']) })),
      waits: listOf(waitPreview),
      newWaits: { ...listOf(waitPreview), description: 'Those of `waits` that are not there now.' },
      endedWaits: {
        ...listOf(waitPreview),
        description:
          'What is waited for now and would not be any more: tasks, deliveries and timers go with it.',
      },
      sends: listOf(object({ elementId: text, channel: text })),
      signals: listOf(object({ elementId: text, name: text })),
      stores: { ...listOf(text), description: 'Data stores with records that would be written.' },
      deadJoins: { ...listOf(text), description: 'Parallel joins that would wait for ever.' },
    },
    'What the instance would be after the move or the migration, and what it would have done.',
  ),
};

const startFields: Readonly<Record<string, Schema>> = {
  tenant: text,
  module: text,
  deploymentId: text,
  processId: text,
  startEventId: text,
};

const starts: Readonly<Record<string, Schema>> = {
  StartProcessRequest: object({
    'variables?': { type: 'object' },
    'businessKey?': { ...name, description: 'Becomes the variable `businessKey`.' },
  }),
  StartAnswer: object({ instanceId: uuid, duplicate: flag }),
  SignalPayload: { description: 'Any JSON value: the payload of the signal.' },
  SignalAnswer: object({
    instances: { ...count, description: 'How many instances waited for it.' },
    starts: { ...count, description: 'How many start events it starts an instance at.' },
    duplicate: flag,
  }),
  ConditionsRequest: object({ variables: { type: 'object' } }),
  ConditionsAnswer: object({
    started: listOf(object({ ...startFields, instanceId: uuid })),
    failed: {
      ...listOf(object({ ...startFields, message: text })),
      description: 'Conditions that have no answer over these variables.',
    },
    duplicate: { ...flag, description: 'The idempotency key was used before: nothing was started now.' },
  }),
};

const taskFields: Readonly<Record<string, Schema>> = {
  id: uuid,
  deploymentId: text,
  tenant: text,
  module: text,
  version: text,
  processId: text,
  channel: text,
  instanceId: uuid,
  elementId: text,
  idempotencyKey: text,
  attempts: count,
  lockOwner: orNull(text),
  lockedAt: orNull(instant),
  lockExpiresAt: orNull(instant),
  visibleAt: instant,
  retries: count,
  isHeld: flag,
  priority: { type: 'integer' },
  deadline: orNull(instant),
  state: oneOf(TASK_STATES),
  lastError: orNull(text),
  progress: { description: 'What the worker of the latest lock said last: any JSON value.' },
  progressAt: orNull(instant),
  failedAt: orNull(instant),
  createdAt: instant,
};

const tasks: Readonly<Record<string, Schema>> = {
  Task: object(taskFields),
  TaskPage: page('tasks', 'Task'),
  TaskDetail: object({
    ...taskFields,
    headers: stringMap,
    contentType: text,
    'body?': { description: 'A JSON value or a text; absent when bodyBase64 is there.' },
    'bodyBase64?': text,
    lastErrorDetails: orNull(text),
  }),
  RearmRequest: object({ 'retries?': { type: 'integer', minimum: 1 } }),
};

const deliveries: Readonly<Record<string, Schema>> = {
  Delivery: object({
    id: uuid,
    deploymentId: text,
    tenant: text,
    module: text,
    version: text,
    channel: text,
    transport: text,
    processId: text,
    instanceId: uuid,
    elementId: text,
    idempotencyKey: text,
    expectsAnswer: flag,
    state: oneOf(DELIVERY_STATES),
    attempts: count,
    visibleAt: { ...instant, description: 'When an open one is tried (again).' },
    deadline: { ...orNull(instant), description: 'From then on it is not tried any more.' },
    lastError: orNull(text),
    createdAt: instant,
  }),
  DeliveryPage: page('deliveries', 'Delivery'),
  RequeueDeliveryAnswer: object({
    deliveryId: uuid,
    channel: text,
    transport: text,
    instanceId: uuid,
    status: { const: 'OPEN' },
  }),
  DiscardDeliveryAnswer: object({
    deliveryId: uuid,
    channel: text,
    transport: text,
    instanceId: uuid,
    status: { const: 'DISCARDED' },
  }),
};

const deadLetterFields = {
  id: uuid,
  kind: oneOf(DEAD_LETTER_KINDS),
  tenant: text,
  module: text,
  channel: { ...orNull(text), description: 'Of a message.' },
  messageKey: { ...orNull(text), description: 'By what repetitions of the message are known.' },
  signalName: { ...orNull(text), description: 'Of a signal.' },
  deploymentId: { ...orNull(text), description: 'Whose start event a signal or a timer was for.' },
  processId: orNull(text),
  startEventId: orNull(text),
  contentType: orNull(text),
  bodyBytes: count,
  code: { ...text, description: 'Why it was refused the last time.' },
  message: text,
  attempts: { ...count, description: 'How often it was refused.' },
  createdAt: instant,
  updatedAt: {
    ...instant,
    description: 'When it was refused the last time; its retention counts from then.',
  },
};

const deadLetters: Readonly<Record<string, Schema>> = {
  DeadLetter: object(deadLetterFields),
  DeadLetterPage: page('deadLetters', 'DeadLetter'),
  DeadLetterDetail: object({
    ...deadLetterFields,
    headers: { type: 'object', additionalProperties: text },
    'body?': { description: 'A JSON value, or text; of a signal its payload.' },
    'bodyBase64?': { ...text, description: 'What is neither.' },
  }),
  ReplayDeadLetterRequest: object({
    'body?': { description: 'The corrected payload, sent as JSON.' },
    'bodyBase64?': { ...text, description: 'The corrected body, as bytes. Not both.' },
    'contentType?': {
      ...text,
      description: 'Default: application/json with `body`, else that of the letter.',
    },
  }),
  ReplayDeadLetterAnswer: object({
    deadLetterId: uuid,
    instanceId: uuid,
    duplicate: { ...flag, description: 'The message had been taken before: nothing was done.' },
    status: { const: 'REPLAYED' },
  }),
  DiscardDeadLetterAnswer: object({ deadLetterId: uuid, status: { const: 'DISCARDED' } }),
};

const incidents: Readonly<Record<string, Schema>> = {
  Incident: object({
    id: uuid,
    kind: oneOf(INCIDENT_KINDS),
    tenant: text,
    module: text,
    processId: {
      ...orNull(text),
      description: 'Of a failed instance its own; of a task or a delivery the one that sent it.',
    },
    instanceId: { ...orNull(uuid), description: 'Null: of a dead letter.' },
    elementId: orNull(text),
    subjectId: { ...orNull(uuid), description: 'The task, the delivery or the dead letter.' },
    code: text,
    message: text,
    createdAt: instant,
  }),
  IncidentPage: page('incidents', 'Incident'),
  IncidentGroup: object({
    kind: oneOf(INCIDENT_KINDS),
    code: text,
    processId: orNull(text),
    elementId: orNull(text),
    count,
  }),
  IncidentSummary: object({
    groups: listOf(schemaRef('IncidentGroup')),
    incidentCount: { ...count, description: 'Of all that the filters find.' },
    isCut: { ...flag, description: 'There are more groups than these.' },
  }),
};

const recordName: Readonly<Record<string, Schema>> = { tenant: text, store: text, key: text };

const dataStores: Readonly<Record<string, Schema>> = {
  RecordSummary: object({ ...recordName, sizeBytes: count, createdAt: instant, updatedAt: instant }),
  RecordPage: page('records', 'RecordSummary'),
  DataRecord: object({ ...recordName, value: anyJson, createdAt: instant, updatedAt: instant }),
  PutRecordRequest: object({ value: anyJson }),
  RemovedRecord: object(recordName),
};

export const openApiSchemas: Readonly<Record<string, Schema>> = {
  ...service,
  ...deployments,
  ...instances,
  ...starts,
  ...tasks,
  ...workerSchemas,
  ...deliveries,
  ...deadLetters,
  ...incidents,
  ...dataStores,
};
