/**
 * Requests that name many tasks: `{"workerId":…,"tasks":[…]}`. Each task is read by itself and has a verdict of its
 * own, in the order of the request.
 *
 * L1 What is wrong with one task is that task's verdict and fails no other; what is wrong with the list (no object,
 *    no tasks or too many, one task twice) refuses the request before anything is done.
 */
import { invalidRequest, MAX_ID_LENGTH, ownTaskId, readTaskId, RequestFields } from './request-fields.ts';

/** One task of a request, as far as it could be read. */
export interface ListedTask<Request> {
  /** Null: its id could not be read. */
  readonly taskId: string | null;
  readonly request: PromiseSettledResult<Request>;
}

export interface JudgedTask<Answer> {
  readonly taskId: string | null;
  readonly verdict: PromiseSettledResult<Answer>;
}

export interface ListRule<Request> {
  /** The setting `sutra.external-task.max-tasks`. */
  readonly maxTasks: number;
  /** What a task has beside its id. */
  readonly fields: readonly string[];
  readonly read: (taskId: string, workerId: string, fields: RequestFields) => Request;
}

/** @throws EngineError REQUEST_INVALID when the request as a whole cannot be taken. */
export function readTaskList<Request>(
  body: unknown,
  rule: ListRule<Request>,
): readonly ListedTask<Request>[] {
  const fields = new RequestFields(body, ['workerId', 'tasks']);
  const workerId = fields.trimmedText('workerId', MAX_ID_LENGTH);
  const entries = fields.list('tasks', rule.maxTasks, 'objects', 'sutra.external-task.max-tasks');
  const tasks = entries.map((entry) => readListed(entry, workerId, rule));
  refuseRepetition(tasks);
  return tasks;
}

function readListed<Request>(
  entry: unknown,
  workerId: string,
  { fields: known, read }: ListRule<Request>,
): ListedTask<Request> {
  const taskId = ownTaskId(entry);
  try {
    const fields = new RequestFields(entry, ['id', ...known], 'task');
    const request = read(readTaskId(fields.anyText('id')), workerId, fields);
    return { taskId, request: { status: 'fulfilled', value: request } };
  } catch (reason) {
    return { taskId, request: { status: 'rejected', reason } };
  }
}

function refuseRepetition(tasks: readonly ListedTask<unknown>[]): void {
  const seenAt = new Map<string, number>();
  for (const [index, { taskId }] of tasks.entries()) {
    if (taskId === null) continue;
    const before = seenAt.get(taskId);
    if (before !== undefined) {
      throw invalidRequest('tasks', `tasks[${before}] and tasks[${index}] both name task ${taskId}`, {
        taskId,
      });
    }
    seenAt.set(taskId, index);
  }
}

/**
 * Has `act` do what could be read, all of it at once, and puts the verdicts into the order of the request.
 * @param act answers in the order of what it gets
 */
export async function judgeTasks<Request, Done, Answer>(
  tasks: readonly ListedTask<Request>[],
  act: (requests: readonly Request[]) => Promise<readonly PromiseSettledResult<Done>[]>,
  answerOf: (done: Done, request: Request) => Answer,
): Promise<readonly JudgedTask<Answer>[]> {
  const requests = tasks.flatMap(({ request }) => (request.status === 'fulfilled' ? [request.value] : []));
  const outcomes = requests.length === 0 ? [] : await act(requests);
  const left = outcomes.values();
  return tasks.map(({ taskId, request }) => {
    if (request.status === 'rejected') return { taskId, verdict: request };
    const outcome = left.next().value;
    if (outcome === undefined) throw new Error('fewer outcomes than tasks');
    if (outcome.status === 'rejected') return { taskId, verdict: outcome };
    return { taskId, verdict: { status: 'fulfilled', value: answerOf(outcome.value, request.value) } };
  });
}
