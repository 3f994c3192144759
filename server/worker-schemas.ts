/** The JSON documents of the calls that workers make, and of what operators do to tasks. */
import type { Schema } from './query-parameters.ts';
import { schemaRef } from './route.ts';
import {
  anyJson,
  count,
  duration,
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

const completionFields: Readonly<Record<string, Schema>> = {
  'lockToken?': text,
  'result?': anyJson,
  'resultBase64?': text,
  'contentType?': text,
  'completionId?': name,
};

const failureFields: Readonly<Record<string, Schema>> = {
  'lockToken?': text,
  errorMessage: text,
  'errorDetails?': text,
  'retries?': count,
  'retryTimeout?': duration,
};

const holderFields: Readonly<Record<string, Schema>> = { workerId: name, 'lockToken?': text };

const taskPlace: Readonly<Record<string, Schema>> = { taskId: uuid, channel: text, instanceId: uuid };

/** At most as many as `sutra.external-task.max-tasks` says, each once. */
function manyTasks(fields: Readonly<Record<string, Schema>>): Schema {
  return object({ workerId: name, tasks: { ...listOf(object({ id: uuid, ...fields })), minItems: 1 } });
}

/** In the order of the request. */
function verdicts(answer: string): Schema {
  return object({ tasks: listOf({ anyOf: [schemaRef(answer), schemaRef('RefusedTask')] }) });
}

export const workerSchemas: Readonly<Record<string, Schema>> = {
  FetchAndLockRequest: object({
    workerId: name,
    channels: { ...listOf({ anyOf: [name, schemaRef('ChannelEntry')] }), minItems: 1, maxItems: 100 },
    'lockDuration?': duration,
    'maxTasks?': { type: 'integer', minimum: 1 },
    'asyncResponseTimeout?': duration,
  }),
  ChannelEntry: object(
    { name, 'lockDuration?': duration, 'maxTasks?': { type: 'integer', minimum: 1 } },
    'Of this channel alone; what is left out is as for the whole request.',
  ),
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
    'deadline?': { ...instant, description: 'Absent: the call has none. No lock outlives it.' },
  }),
  CompleteRequest: object({ workerId: name, ...completionFields }),
  CompleteAnswer: object({
    taskId: uuid,
    channel: text,
    instanceId: uuid,
    status: { const: 'COMPLETED' },
    outcome: oneOf(['ACCEPTED', 'DUPLICATE']),
  }),
  BpmnErrorRequest: object({
    workerId: name,
    'lockToken?': text,
    errorCode: name,
    'errorMessage?': { ...text, maxLength: 4000 },
    'variables?': { type: 'object', description: 'Written before the error is thrown.' },
    'completionId?': name,
  }),
  BpmnErrorAnswer: object({
    taskId: uuid,
    channel: text,
    instanceId: uuid,
    status: { const: 'BPMN_ERROR' },
    outcome: oneOf(['ACCEPTED', 'DUPLICATE']),
  }),
  FailureRequest: object({ workerId: name, ...failureFields }),
  FailureAnswer: object({
    taskId: uuid,
    channel: text,
    instanceId: uuid,
    retries: count,
    status: oneOf(['PENDING', 'TERMINAL']),
    'truncated?': flag,
  }),
  ExtendLockRequest: object({ ...holderFields, lockDuration: duration }),
  UnlockRequest: object(holderFields),
  ProgressRequest: object({
    ...holderFields,
    progress: { description: 'Any JSON value, of at most 4,096 bytes.' },
  }),
  LockAnswer: object({ ...taskPlace, lockExpiresAt: instant }),
  UnlockAnswer: object({ ...taskPlace, status: { const: 'PENDING' } }),
  Topics: object({
    topics: listOf(
      object({
        channel: text,
        open: { ...count, description: 'Fetchable now. Of this and the next three, 10000 means: or more.' },
        locked: count,
        delayed: { ...count, description: 'Their retry time is ahead.' },
        terminal: count,
        oldestAgeSeconds: {
          ...orNull({ type: 'number', minimum: 0 }),
          description: 'For how long the longest waiting of the open ones has been fetchable.',
        },
        waitingFetches: { ...count, description: 'Of the replica that answers.' },
      }),
    ),
  }),
  CompleteTasksRequest: manyTasks(completionFields),
  CompleteTasksAnswer: verdicts('CompleteAnswer'),
  FailTasksRequest: manyTasks(failureFields),
  FailTasksAnswer: verdicts('FailureAnswer'),
  RefusedTask: object({
    taskId: { ...orNull(uuid), description: 'Null: the request does not name the task by a UUID.' },
    error: { ...schemaRef('Problem'), description: 'What the call for this task alone would have answered.' },
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
