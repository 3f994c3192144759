/** External tasks: the workers' calls, and what operators see of the same rows. */
import { EngineError } from '../../config/engine-error.ts';
import type { Log } from '../../engine/observe.ts';
import { listExternalTasks, readExternalTask, TASK_STATES } from '../../engine/store/operate-tasks.ts';
import { jsonAnswer, type Answer } from '../exchange.ts';
import type { JudgedTask, ServerDeps } from '../operations.ts';
import { problemOf } from '../problem.ts';
import { isUuid, pagingParameters } from '../query-parameters.ts';
import { defineRoute, jsonDoc, schemaRef, type Route } from '../route.ts';
import { taskSummaryView, taskView } from '../task-view.ts';

type TaskDeps = Pick<ServerDeps, 'database' | 'pull' | 'log'>;

export function externalTaskRoutes(deps: TaskDeps): readonly Route[] {
  return [
    ...workerRoutes(deps),
    bpmnErrorRoute(deps),
    ...lockRoutes(deps),
    ...manyTaskRoutes(deps),
    ...operatorRoutes(deps),
  ];
}

const VERDICTS = [
  'SUTRA.EXTERNAL_TASK.REQUEST_INVALID',
  'SUTRA.EXTERNAL_TASK.NOT_FOUND',
  'SUTRA.EXTERNAL_TASK.LOCK_LOST',
  'SUTRA.EXTERNAL_TASK.LOCK_HELD',
  'SUTRA.EXTERNAL_TASK.TERMINAL',
  'SUTRA.EXTERNAL_TASK.WITHDRAWN',
] as const;

/** Of what ends a task in a turn of its instance. */
const OUTCOME_CODES = [
  ...VERDICTS,
  'SUTRA.EXTERNAL_TASK.COMPLETION_CONFLICT',
  'SUTRA.EXTERNAL_TASK.COMPLETION_REJECTED',
  'SUTRA.INTAKE.INSTANCE_BUSY',
  'SUTRA.INTAKE.CAPACITY',
  'SUTRA.INTAKE.STOPPING',
  'SUTRA.INTAKE.TURN_FAILED',
] as const;

function jsonBody(schema: string): {
  isRequired: boolean;
  content: Record<string, Readonly<Record<string, unknown>>>;
} {
  return { isRequired: true, content: { 'application/json': schemaRef(schema) } };
}

function workerRoutes({ pull }: TaskDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/sutra/external-tasks/fetch-and-lock',
      isHot: true,
      operationId: 'fetchAndLock',
      tag: 'external tasks',
      summary: 'Locks tasks of the channels for a worker; waits, bounded, until there are some.',
      body: jsonBody('FetchAndLockRequest'),
      answers: { 200: jsonDoc('The locked tasks; none when the wait elapsed.', schemaRef('FetchedTasks')) },
      codes: ['SUTRA.EXTERNAL_TASK.REQUEST_INVALID', 'SUTRA.EXTERNAL_TASK.CAPACITY'],
      handle: async (request) => {
        const body = await request.readJson();
        const { answer, undelivered } = await pull.fetchAndLock(body, request.disconnected);
        return {
          status: 200,
          body: { kind: 'bytes', contentType: 'application/json', bytes: answer },
          undelivered,
        };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/sutra/external-tasks/{id}/complete',
      isHot: true,
      operationId: 'completeTask',
      tag: 'external tasks',
      summary: "Feeds the worker's result to the instance and removes the task, in one commit.",
      body: jsonBody('CompleteRequest'),
      answers: { 200: jsonDoc('Accepted, or accepted before.', schemaRef('CompleteAnswer')) },
      codes: OUTCOME_CODES,
      handle: async (request) =>
        jsonAnswer(200, await pull.complete(request.params['id'] ?? '', await request.readJson())),
    }),
    defineRoute({
      method: 'POST',
      path: '/sutra/external-tasks/{id}/failure',
      isHot: true,
      operationId: 'failTask',
      tag: 'external tasks',
      summary: 'Releases the lock and spends one of the retries, or sets the budget.',
      body: jsonBody('FailureRequest'),
      answers: { 200: jsonDoc('Recorded.', schemaRef('FailureAnswer')) },
      codes: VERDICTS,
      handle: async (request) =>
        jsonAnswer(200, await pull.fail(request.params['id'] ?? '', await request.readJson())),
    }),
  ];
}

function bpmnErrorRoute({ pull }: TaskDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/sutra/external-tasks/{id}/bpmn-error',
    isHot: true,
    operationId: 'raiseBpmnError',
    tag: 'external tasks',
    summary: 'Throws a BPMN error at the call that waits for the task and removes the task, in one commit.',
    body: jsonBody('BpmnErrorRequest'),
    answers: {
      200: jsonDoc(
        'Accepted, or accepted before; also where nothing catches it.',
        schemaRef('BpmnErrorAnswer'),
      ),
    },
    codes: OUTCOME_CODES,
    handle: async (request) =>
      jsonAnswer(200, await pull.bpmnError(request.params['id'] ?? '', await request.readJson())),
  });
}

/** What the holder of a lock does with it. Every worker's heartbeat is one of these. */
function lockRoutes({ pull }: TaskDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/sutra/external-tasks/{id}/extend-lock',
      isHot: true,
      operationId: 'extendLock',
      tag: 'external tasks',
      summary: 'Lets the lock last for the given duration from now, at most until the deadline of the task.',
      body: jsonBody('ExtendLockRequest'),
      answers: { 200: jsonDoc('Extended.', schemaRef('LockAnswer')) },
      codes: VERDICTS,
      handle: async (request) =>
        jsonAnswer(200, await pull.extendLock(request.params['id'] ?? '', await request.readJson())),
    }),
    defineRoute({
      method: 'POST',
      path: '/sutra/external-tasks/{id}/unlock',
      isHot: true,
      operationId: 'unlockTask',
      tag: 'external tasks',
      summary: 'Gives the task back to its place in the queue; no retry is spent.',
      body: jsonBody('UnlockRequest'),
      answers: { 200: jsonDoc('Fetchable again.', schemaRef('UnlockAnswer')) },
      codes: VERDICTS,
      handle: async (request) =>
        jsonAnswer(200, await pull.unlock(request.params['id'] ?? '', await request.readJson())),
    }),
    defineRoute({
      method: 'POST',
      path: '/sutra/external-tasks/{id}/progress',
      isHot: true,
      operationId: 'noteProgress',
      tag: 'external tasks',
      summary: 'Keeps a small note of how far the work is, for operators; the lock stays as it was.',
      body: jsonBody('ProgressRequest'),
      answers: { 200: jsonDoc('Noted.', schemaRef('LockAnswer')) },
      codes: VERDICTS,
      handle: async (request) =>
        jsonAnswer(200, await pull.progress(request.params['id'] ?? '', await request.readJson())),
    }),
  ];
}

/** A task's own verdict is in the answer, so that only the request as a whole has a status of its own. */
function manyTaskRoutes({ pull, log }: TaskDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/sutra/external-tasks/complete',
      isHot: true,
      operationId: 'completeTasks',
      tag: 'external tasks',
      summary: 'Completes many tasks at once, each with the verdict of a single call, in the same order.',
      body: jsonBody('CompleteTasksRequest'),
      answers: { 200: jsonDoc('A verdict for each task.', schemaRef('CompleteTasksAnswer')) },
      codes: ['SUTRA.EXTERNAL_TASK.REQUEST_INVALID'],
      handle: async (request) => judgedAnswer(await pull.completeMany(await request.readJson()), log),
    }),
    defineRoute({
      method: 'POST',
      path: '/sutra/external-tasks/failure',
      isHot: true,
      operationId: 'failTasks',
      tag: 'external tasks',
      summary: 'Reports the failure of many tasks at once, each with the verdict of a single call.',
      body: jsonBody('FailTasksRequest'),
      answers: { 200: jsonDoc('A verdict for each task.', schemaRef('FailTasksAnswer')) },
      codes: ['SUTRA.EXTERNAL_TASK.REQUEST_INVALID'],
      handle: async (request) => judgedAnswer(await pull.failMany(await request.readJson()), log),
    }),
  ];
}

/** Each task's answer or problem. The longest of the waits that problems ask for becomes the header of the whole. */
function judgedAnswer(judged: readonly JudgedTask[], log: Log): Answer {
  let retryAfterSeconds = 0;
  const tasks = judged.map(({ taskId, verdict }) => {
    if (verdict.status === 'fulfilled') return verdict.value;
    const { problem, headers } = problemOf(verdict.reason, log);
    retryAfterSeconds = Math.max(retryAfterSeconds, Number(headers['retry-after'] ?? 0));
    return { taskId, error: problem };
  });
  const headers = retryAfterSeconds === 0 ? {} : { 'retry-after': String(retryAfterSeconds) };
  return jsonAnswer(200, { tasks }, headers);
}

/** Before the tasks themselves, whose ids are matched by any word. */
function operatorRoutes({ database, pull }: TaskDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/sutra/external-tasks/topics',
      operationId: 'listTopics',
      tag: 'external tasks',
      summary: 'How many tasks each channel has, and how many fetches wait for them. Counts end at 10,000.',
      answers: { 200: jsonDoc('The channels, by name.', schemaRef('Topics')) },
      codes: [],
      handle: async () => jsonAnswer(200, await pull.topics()),
    }),
    ...taskRoutes(database),
  ];
}

function taskRoutes(database: TaskDeps['database']): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/sutra/external-tasks',
      operationId: 'listExternalTasks',
      tag: 'external tasks',
      summary: 'Parked tasks, oldest first, without their bodies.',
      query: {
        channel: { kind: 'text', description: 'Only on this channel.' },
        state: {
          kind: 'choice',
          values: TASK_STATES,
          description: 'Only in this state; `failed` is terminal.',
        },
        instanceId: { kind: 'uuid', description: 'Only of this instance.' },
        deploymentId: { kind: 'text', description: 'Only of this deployment.' },
        processId: { kind: 'text', description: 'Only of this process.' },
        elementId: { kind: 'text', description: 'Only of this element.' },
        locked: { kind: 'flag', description: 'Only with, or only without, an unexpired lock.' },
        ...pagingParameters,
      },
      answers: { 200: jsonDoc('A page of tasks.', schemaRef('TaskPage')) },
      codes: ['SUTRA.OPERATE.CURSOR_INVALID'],
      handle: async (_request, { limit, cursor, ...filter }) => {
        const page = await listExternalTasks(database, filter, { limit, cursor });
        return jsonAnswer(200, { tasks: page.rows.map(taskSummaryView), nextCursor: page.nextCursor });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/sutra/external-tasks/{id}',
      operationId: 'getExternalTask',
      tag: 'external tasks',
      summary: 'One task with its headers and body; never its lock token.',
      answers: { 200: jsonDoc('The task.', schemaRef('TaskDetail')) },
      codes: ['SUTRA.EXTERNAL_TASK.NOT_FOUND', 'SUTRA.OPERATE.ID_INVALID'],
      handle: async ({ params }) => {
        const id = params['id'] ?? '';
        if (!isUuid(id)) {
          const shown = JSON.stringify(id.slice(0, 100));
          throw new EngineError('SUTRA.OPERATE.ID_INVALID', `${shown} is not a task id, which is a UUID`);
        }
        const task = await readExternalTask(database, id);
        if (task !== null) return jsonAnswer(200, taskView(task));
        throw new EngineError('SUTRA.EXTERNAL_TASK.NOT_FOUND', `there is no task ${id}`, {
          attributes: { taskId: id },
        });
      },
    }),
  ];
}
