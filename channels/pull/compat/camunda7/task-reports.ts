/**
 * What workers and operators say of one external task: the calls of the pull surface with Camunda's fields around them.
 *
 * R1 Verdicts are those of the pull surface; task-problems.ts words them.
 * R2 A failure says what Camunda's says: without `retries` there are none left, without `retryTimeout` the task can be
 *    fetched at once. What it cannot carry here, variables, is refused when there are some.
 */
import { EngineError } from '../../../../config/engine-error.ts';
import { formatDuration } from '../../../../config/iso8601.ts';
import { mergeContext } from '../../../../definitions/value.ts';
import { readTaskHolder } from '../../../../engine/store/compat-jobs.ts';
import type { PullCode } from '../../codes.ts';
import type { CompatPorts } from '../ports.ts';
import type { SurfaceAnswer, SurfaceRequest } from '../surface.ts';
import { CamundaFields, noContent, readJson } from './camunda-request.ts';
import type { PathParams } from './camunda-route.ts';
import { readTask } from './task-queries.ts';
import { optionalInteger, readFields, requiredInteger, requiredText, taskIdOf } from './task-request.ts';
import { readVariables } from './variables.ts';

type Handler = (ports: CompatPorts, request: SurfaceRequest, params: PathParams) => Promise<SurfaceAnswer>;

const MAX_INTEGER = 2 ** 31 - 1;

/** The result is the variables, and nothing but them: an empty one is `{}`, not the request again. */
export const complete: Handler = async (ports, request, params) => {
  const fields = await readFields(request, ['workerId', 'variables', 'localVariables']);
  const workerId = requiredText(fields, 'workerId');
  const variables = readVariables(fields.raw('variables'), 'variables');
  const local = readVariables(fields.raw('localVariables'), 'localVariables');
  await ports.pull.complete(taskIdOf(params), { workerId, result: mergeContext(variables, local) });
  return noContent;
};

export const fail: Handler = async (ports, request, params) => {
  const { settings, pull } = ports;
  const fields = await readFields(request, [
    ...['workerId', 'errorMessage', 'errorDetails', 'retries', 'retryTimeout'],
    ...['variables', 'localVariables'],
  ]);
  for (const name of ['variables', 'localVariables']) {
    if (Object.keys(readVariables(fields.raw(name), name)).length === 0) continue;
    throw fields.refuse(
      name,
      'cannot be set by a failure here: complete the task with them, or put them into errorDetails',
    );
  }
  const { maxRetries, maxRetryTimeoutMs } = settings.externalTask;
  const retries = { min: 0, max: maxRetries, maxKey: 'sutra.external-task.max-retries' };
  const timeout = { min: 0, max: maxRetryTimeoutMs, maxKey: 'sutra.external-task.max-retry-timeout' };
  const errorDetails = anyText(fields, 'errorDetails');
  await pull.fail(taskIdOf(params), {
    workerId: requiredText(fields, 'workerId'),
    errorMessage: anyText(fields, 'errorMessage') ?? '',
    ...(errorDetails === null ? {} : { errorDetails }),
    retries: optionalInteger(fields, 'retries', retries) ?? 0,
    retryTimeout: formatDuration(optionalInteger(fields, 'retryTimeout', timeout) ?? 0),
  });
  return noContent;
};

export const bpmnError: Handler = async (ports, request, params) => {
  const fields = await readFields(request, ['workerId', 'errorCode', 'errorMessage', 'variables']);
  const errorMessage = anyText(fields, 'errorMessage');
  await ports.pull.bpmnError(taskIdOf(params), {
    workerId: requiredText(fields, 'workerId'),
    errorCode: requiredText(fields, 'errorCode'),
    ...(errorMessage === null || errorMessage === '' ? {} : { errorMessage }),
    variables: readVariables(fields.raw('variables'), 'variables'),
  });
  return noContent;
};

export const lock: Handler = async (ports, request, params) => {
  const fields = await readFields(request, ['workerId', 'lockDuration']);
  const workerId = requiredText(fields, 'workerId');
  await ports.pull.lock(taskIdOf(params), {
    workerId,
    lockDuration: lockDuration(ports, fields, 'lockDuration'),
  });
  return noContent;
};

export const extendLock: Handler = async (ports, request, params) => {
  const fields = await readFields(request, ['workerId', 'newDuration']);
  const workerId = requiredText(fields, 'workerId');
  await ports.pull.extendLock(taskIdOf(params), {
    workerId,
    lockDuration: lockDuration(ports, fields, 'newDuration'),
  });
  return noContent;
};

/** Says no worker: whoever holds the task loses it. Clients send nothing, or the text `null`. */
export const unlock: Handler = async (ports, request, params) => {
  const body = await readJson(request);
  if (body !== null) new CamundaFields(body, []);
  const id = taskIdOf(params);
  const { workerId } = await readTaskHolder(ports.database, id);
  // One that nobody holds is as it should be.
  if (workerId === null) await readTask(ports, id);
  else await ports.pull.unlock(id, { workerId }).catch(ignoreLostLock);
  return noContent;
};

/** The lock has ended since it was looked at. */
function ignoreLostLock(error: unknown): void {
  const code: PullCode = 'SUTRA.EXTERNAL_TASK.LOCK_LOST';
  if (!(error instanceof EngineError) || error.code !== code) throw error;
}

export const setRetries: Handler = async (ports, request, params) => {
  const fields = await readFields(request, ['retries']);
  await adjustRetries(ports, request, [taskIdOf(params)], retriesOf(ports, fields));
  return noContent;
};

/** One after the other: those before one that cannot be changed are changed. */
export const setRetriesOfMany: Handler = async (ports, request) => {
  const fields = await readFields(request, [
    ...['retries', 'externalTaskIds', 'processInstanceIds'],
    ...['externalTaskQuery', 'processInstanceQuery', 'historicProcessInstanceQuery'],
  ]);
  for (const name of [
    'processInstanceIds',
    'externalTaskQuery',
    'processInstanceQuery',
    'historicProcessInstanceQuery',
  ]) {
    if (fields.has(name))
      throw fields.refuse(name, 'is not supported here: name the tasks in externalTaskIds');
  }
  const ids = fields.texts('externalTaskIds') ?? [];
  const { maxTasks } = ports.settings.externalTask;
  if (ids.length === 0 || ids.length > maxTasks) {
    throw fields.refuse('externalTaskIds', `must be an array of 1 to ${String(maxTasks)} ids`);
  }
  await adjustRetries(
    ports,
    request,
    ids.map((id) => taskIdOf({ id })),
    retriesOf(ports, fields),
  );
  return noContent;
};

export const setPriority: Handler = async (ports, request, params) => {
  const fields = await readFields(request, ['priority']);
  const rule = { min: -MAX_INTEGER - 1, max: MAX_INTEGER, maxKey: null };
  await ports.pull.adjust(taskIdOf(params), { priority: requiredInteger(fields, 'priority', rule) });
  return noContent;
};

async function adjustRetries(
  ports: CompatPorts,
  request: SurfaceRequest,
  ids: readonly string[],
  retries: number,
): Promise<void> {
  for (const id of ids) {
    // To bring back what had given up is an operator's decision, over our own surface too.
    if ((await readTaskHolder(ports.database, id)).isTerminal) request.checkAdmin();
    await ports.pull.adjust(id, { retries });
  }
}

function retriesOf({ settings }: CompatPorts, fields: CamundaFields): number {
  const { maxRetries } = settings.externalTask;
  return requiredInteger(fields, 'retries', {
    min: 0,
    max: maxRetries,
    maxKey: 'sutra.external-task.max-retries',
  });
}

function lockDuration({ settings }: CompatPorts, fields: CamundaFields, name: string): string {
  const { maxLockDurationMs } = settings.externalTask;
  const rule = { min: 1, max: maxLockDurationMs, maxKey: 'sutra.external-task.max-lock-duration' };
  return formatDuration(requiredInteger(fields, name, rule));
}

/** A text of any kind: what is too long or cannot be stored is for the pull surface to cut. */
function anyText(fields: CamundaFields, name: string): string | null {
  const value = fields.raw(name);
  if (value === null || typeof value === 'string') return value;
  throw fields.refuse(name, 'must be a string');
}
