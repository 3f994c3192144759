/**
 * What workers say of activated jobs: completed, failed, a BPMN error; and changes of jobs.
 *
 * P1 A report names no worker. With a `leaseToken` it is of the attempt that got it, and of no other. Without, it is
 *    taken as that of whoever holds the lock now: a worker whose lock ran out while another took the job over speaks
 *    for that other one then.
 * P2 Verdicts are those of the worker surface: a job that nobody holds takes no report.
 * P3 Repeating a completion after a lost answer answers as the first time, while its receipt is kept.
 */
import { formatDuration } from '../../../../config/iso8601.ts';
import { readTaskHolder } from '../../../../engine/store/compat-jobs.ts';
import type { CompatPorts } from '../ports.ts';
import type { SurfaceRequest } from '../surface.ts';
import { NAMELESS_WORKER } from './activate-jobs.ts';
import { noContent, type Camunda8Route, type PathParams } from './camunda8-route.ts';
import { idOf } from './keys.ts';
import { inTheirWords } from './native-words.ts';
import { invalidRequest, readBody, readOptionalBody, type RequestBody } from './request-body.ts';

/** One report a job and outcome: the job itself is what a repetition is recognised by. */
const COMPLETION_ID = 'camunda8';

/** The worker surface wants a text; there it is optional. */
const NO_MESSAGE = 'The worker gave no errorMessage.';

export function reportJobsRoutes(ports: CompatPorts): readonly Camunda8Route[] {
  return [
    {
      method: 'POST',
      path: 'jobs/{jobKey}/completion',
      handle: (request, params) => completeJob(ports, request, params),
    },
    {
      method: 'POST',
      path: 'jobs/{jobKey}/failure',
      handle: (request, params) => failJob(ports, request, params),
    },
    {
      method: 'POST',
      path: 'jobs/{jobKey}/error',
      handle: (request, params) => throwError(ports, request, params),
    },
    {
      method: 'PATCH',
      path: 'jobs/{jobKey}',
      handle: (request, params) => updateJob(ports, request, params),
    },
  ];
}

async function completeJob(
  ports: CompatPorts,
  request: SurfaceRequest,
  params: PathParams,
): Promise<typeof noContent> {
  const body = await readOptionalBody(request, ['variables', 'result', 'leaseToken']);
  if (body.has('result')) {
    throw body.refusal(
      'result',
      'is of user task listeners and ad-hoc sub-processes, which are no jobs here',
    );
  }
  const id = taskIdOf(params);
  const report = {
    ...(await attemptOf(ports, id, body)),
    completionId: COMPLETION_ID,
    // Always given: without a result the request's own variables would be written back over newer ones.
    result: body.variables(),
  };
  await inTheirWords(() => ports.pull.complete(id, report));
  return noContent;
}

async function failJob(
  ports: CompatPorts,
  request: SurfaceRequest,
  params: PathParams,
): Promise<typeof noContent> {
  const body = await readOptionalBody(request, [
    'retries',
    'errorMessage',
    'retryBackOff',
    'variables',
    'leaseToken',
  ]);
  body.refuseUnlessEmpty('variables', 'cannot be set by a failure here: send them with the completion');
  const id = taskIdOf(params);
  const report = {
    ...(await attemptOf(ports, id, body)),
    errorMessage: body.optionalLongText('errorMessage') ?? NO_MESSAGE,
    retries: notNegative(body, 'retries'),
    retryTimeout: formatDuration(notNegative(body, 'retryBackOff')),
  };
  await inTheirWords(() => ports.pull.fail(id, report));
  return noContent;
}

async function throwError(
  ports: CompatPorts,
  request: SurfaceRequest,
  params: PathParams,
): Promise<typeof noContent> {
  const body = await readBody(request, ['errorCode', 'errorMessage', 'variables', 'leaseToken']);
  const id = taskIdOf(params);
  const errorMessage = body.optionalLongText('errorMessage');
  const report = {
    errorCode: body.text('errorCode'),
    ...(errorMessage === null ? {} : { errorMessage }),
    ...(body.has('variables') ? { variables: body.variables() } : {}),
    ...(await attemptOf(ports, id, body)),
    completionId: COMPLETION_ID,
  };
  await inTheirWords(() => ports.pull.bpmnError(id, report));
  return noContent;
}

async function updateJob(
  ports: CompatPorts,
  request: SurfaceRequest,
  params: PathParams,
): Promise<typeof noContent> {
  const body = await readBody(request, ['changeset', 'operationReference', 'leaseToken']);
  body.optionalReference('operationReference');
  if (!body.has('changeset')) throw body.refusal('changeset', 'is required');
  const changeset = body.object('changeset', ['retries', 'timeout', 'priority']);
  const retries = changeset.optionalInteger('retries');
  const timeoutMs = changeset.optionalInteger('timeout');
  const priority = changeset.optionalInteger('priority');
  if (retries === null && timeoutMs === null && priority === null) {
    throw body.refusal('changeset', 'must have at least one of retries, timeout and priority');
  }
  for (const [name, value] of Object.entries({ retries, timeout: timeoutMs })) {
    if (value !== null && value < 1) throw changeset.refusal(name, `is ${value}, but must be greater than 0`);
  }
  const id = taskIdOf(params);
  const timeout = timeoutMs === null ? {} : { lockDuration: formatDuration(timeoutMs) };
  if (body.has('leaseToken')) {
    if (retries !== null || priority !== null) {
      throw body.refusal('leaseToken', 'is taken with a timeout alone: retries and priority are the job’s');
    }
    const attempt = await attemptOf(ports, id, body);
    await inTheirWords(() => ports.pull.extendLock(id, { ...attempt, ...timeout }));
    return noContent;
  }
  // To bring back what had given up is an operator's decision, over our own surface too. Of what gives up in this very
  // moment, the change is as if it had come before.
  if (retries !== null && (await readTaskHolder(ports.database, id)).isTerminal) request.checkAdmin();
  const change = {
    ...(retries === null ? {} : { retries }),
    ...(priority === null ? {} : { priority }),
    ...timeout,
  };
  await inTheirWords(() => ports.pull.adjust(id, change));
  return noContent;
}

/** In whose name the report is made. */
async function attemptOf(
  { database }: CompatPorts,
  taskId: string,
  body: RequestBody,
): Promise<{ readonly workerId: string; readonly lockToken?: string }> {
  const leaseToken = body.optionalText('leaseToken');
  const { workerId } = await readTaskHolder(database, taskId);
  return {
    workerId: workerId ?? NAMELESS_WORKER,
    ...(leaseToken === null ? {} : { lockToken: leaseToken }),
  };
}

function taskIdOf({ jobKey = '' }: PathParams): string {
  const id = idOf(jobKey);
  if (id !== null) return id;
  throw invalidRequest('jobKey', `jobKey ${jobKey.slice(0, 50)} is not a key: digits, as jobs come with.`);
}

function notNegative(body: RequestBody, field: string): number {
  const value = body.optionalInteger(field) ?? 0;
  if (value >= 0) return value;
  throw body.refusal(field, `is ${value}, but must not be negative`);
}
