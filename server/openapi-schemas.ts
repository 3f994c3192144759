/**
 * The JSON documents of all routes, as JSON Schema. Tests hold every answer against these: an answer that
 * grows a field without its description fails.
 */
import { DELIVERY_STATES } from '../engine/store/operate-deliveries.ts';
import { DEPLOYMENT_STATES } from '../engine/store/operate-deployments.ts';
import { INCIDENT_KINDS } from '../engine/store/operate-incidents.ts';
import { INSTANCE_STATUSES } from '../engine/store/operate-instances.ts';
import { TASK_STATES } from '../engine/store/operate-tasks.ts';
import type { Schema } from './query-parameters.ts';
import { schemaRef } from './route.ts';

const text: Schema = { type: 'string' };
const name: Schema = { type: 'string', minLength: 1, maxLength: 255 };
const count: Schema = { type: 'integer', minimum: 0 };
const flag: Schema = { type: 'boolean' };
const uuid: Schema = { type: 'string', format: 'uuid' };
const instant: Schema = { type: 'string', format: 'date-time' };
const duration: Schema = { type: 'string', format: 'duration', description: 'ISO-8601, weeks to seconds.' };
const anyJson: Schema = { description: 'Any JSON value.' };
const stringMap: Schema = { type: 'object', additionalProperties: text };

function oneOf(values: readonly string[]): Schema {
  return { type: 'string', enum: values };
}

function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

function orNull(schema: Schema): Schema {
  return { anyOf: [schema, { type: 'null' }] };
}

/** A closed object. Names that end in `?` are optional. */
function object(properties: Readonly<Record<string, Schema>>, description?: string): Schema {
  const entries = Object.entries(properties);
  return {
    type: 'object',
    ...(description === undefined ? {} : { description }),
    properties: Object.fromEntries(entries.map(([key, schema]) => [key.replace(/\?$/, ''), schema])),
    required: entries.map(([key]) => key).filter((key) => !key.endsWith('?')),
    additionalProperties: false,
  };
}

function page(field: string, item: string): Schema {
  return object({ [field]: listOf(schemaRef(item)), nextCursor: orNull(text) });
}

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
  CancelRequest: object({ 'reason?': { type: 'string', minLength: 1, maxLength: 500 } }),
  CompleteUserTaskRequest: object({ 'variables?': { type: 'object' } }),
  LaunchActivityRequest: object({ 'variables?': { type: 'object' } }),
  SetVariablesRequest: object({
    variables: { type: 'object' },
    'tokenId?': { ...count, description: 'Whose scope is written to; absent: that of the process itself.' },
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
  }),
  MoveAnswer: object({
    instanceId: uuid,
    status: { ...oneOf(INSTANCE_STATUSES), description: 'Of a dry run: what it would be.' },
    isDryRun: flag,
    'preview?': schemaRef('MovePreview'),
  }),
  MovePreview: object(
    {
      failure: orNull(object({ code: text, message: text, elementId: text })),
      tokens: listOf(object({ id: count, elementId: text, state: oneOf(['waiting', 'joining', 'failed']) })),
      waits: listOf(waitPreview),
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
    'What the instance would be after the move, and what it would have done.',
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

const worker: Readonly<Record<string, Schema>> = {
  FetchAndLockRequest: object({
    workerId: name,
    channels: { ...listOf(name), minItems: 1, maxItems: 100 },
    'lockDuration?': duration,
    'maxTasks?': { type: 'integer', minimum: 1 },
    'asyncResponseTimeout?': duration,
  }),
  FetchedTasks: object({ tasks: listOf(schemaRef('LockedTask')) }),
  LockedTask: object({
    id: uuid,
    channel: text,
    tenant: text,
    module: text,
    version: text,
    deploymentId: text,
    processId: text,
    elementId: text,
    instanceId: uuid,
    idempotencyKey: text,
    headers: stringMap,
    contentType: text,
    'body?': { description: 'A JSON value or a text; absent when bodyBase64 is there.' },
    'bodyBase64?': text,
    attempts: { type: 'integer', minimum: 1 },
    retries: count,
    priority: { type: 'integer' },
    lockToken: { ...text, description: 'The secret proof of this lock.' },
    lockExpiresAt: instant,
    createdAt: instant,
  }),
  CompleteRequest: object({
    workerId: name,
    'lockToken?': text,
    'result?': anyJson,
    'resultBase64?': text,
    'contentType?': text,
    'completionId?': name,
  }),
  CompleteAnswer: object({
    taskId: uuid,
    channel: text,
    instanceId: uuid,
    status: { const: 'COMPLETED' },
    outcome: oneOf(['ACCEPTED', 'DUPLICATE']),
  }),
  FailureRequest: object({
    workerId: name,
    'lockToken?': text,
    'errorMessage?': text,
    'errorDetails?': text,
    'retries?': count,
    'retryTimeout?': duration,
  }),
  FailureAnswer: object({
    taskId: uuid,
    channel: text,
    instanceId: uuid,
    retries: count,
    status: oneOf(['PENDING', 'TERMINAL']),
    'truncated?': flag,
  }),
  RearmAnswer: object({
    taskId: uuid,
    channel: text,
    instanceId: uuid,
    retries: count,
    status: { const: 'PENDING' },
  }),
  DiscardAnswer: object({ taskId: uuid, channel: text, instanceId: uuid, status: { const: 'DISCARDED' } }),
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

const incidents: Readonly<Record<string, Schema>> = {
  Incident: object({
    id: uuid,
    kind: oneOf(INCIDENT_KINDS),
    tenant: text,
    module: text,
    instanceId: uuid,
    elementId: orNull(text),
    subjectId: { ...orNull(uuid), description: 'The task or the delivery.' },
    code: text,
    message: text,
    createdAt: instant,
  }),
  IncidentPage: page('incidents', 'Incident'),
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
  ...worker,
  ...deliveries,
  ...incidents,
  ...dataStores,
};
