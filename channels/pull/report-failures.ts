/**
 * Failures of tasks on their way into the database.
 *
 * R1 Each is kept, or refused with the verdict on its own task; one that is refused fails no other.
 * R2 Many cost one statement, and one more when some are refused. Only a task that a turn has locked at that very
 *    moment is then asked for by itself.
 */
import { EngineError } from '../../config/engine-error.ts';
import type { Database } from '../../engine/store/database.ts';
import { explainRefusals } from '../../engine/store/external-tasks.ts';
import {
  reportFailure,
  reportFailures,
  type TaskFailed,
  type TaskFailure,
} from '../../engine/store/external-tasks-failure.ts';
import { taskRefusal, type TaskVerdict } from '../../engine/store/external-tasks-verdict.ts';
import { underLock } from './under-lock.ts';

type Outcome = PromiseSettledResult<TaskFailed>;

/** @throws EngineError with a verdict of protocol §3. */
export function failOne(database: Database, failure: TaskFailure): Promise<TaskFailed> {
  return underLock(database, failure, () => reportFailure(database, failure));
}

/** Each task once. Answers in the order of `failures`. */
export async function failMany(
  database: Database,
  failures: readonly TaskFailure[],
): Promise<readonly Outcome[]> {
  let failed: ReadonlyMap<string, TaskFailed>;
  try {
    failed = await reportFailures(database, failures);
  } catch (error) {
    // As the driver threw it: the statement was refused, perhaps for one failure among them. It changed nothing.
    return error instanceof EngineError ? failures.map(() => rejected(error)) : failEach(database, failures);
  }
  const left = await failLeft(
    database,
    failures.filter(({ taskId }) => !failed.has(taskId)),
  );
  return failures.map(({ taskId }) => {
    const value = failed.get(taskId);
    if (value !== undefined) return { status: 'fulfilled', value };
    return left.get(taskId) ?? rejected(taskRefusal('NOT_FOUND', taskId));
  });
}

/** What becomes of those that the one statement left alone, by task. */
async function failLeft(
  database: Database,
  left: readonly TaskFailure[],
): Promise<ReadonlyMap<string, Outcome>> {
  const outcomes = new Map<string, Outcome>();
  if (left.length === 0) return outcomes;
  let verdicts: ReadonlyMap<string, TaskVerdict>;
  try {
    verdicts = await explainRefusals(database, left);
  } catch (error) {
    for (const { taskId } of left) outcomes.set(taskId, rejected(error));
    return outcomes;
  }
  for (const failure of left) {
    const { taskId } = failure;
    const verdict = verdicts.get(taskId) ?? 'NOT_FOUND';
    if (verdict !== 'HOLDS_LOCK') outcomes.set(taskId, rejected(taskRefusal(verdict, taskId)));
    else for (const outcome of await failEach(database, [failure])) outcomes.set(taskId, outcome);
  }
  return outcomes;
}

/** One after the other: side by side they would only take connections from each other. */
async function failEach(database: Database, failures: readonly TaskFailure[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const failure of failures) {
    outcomes.push(...(await Promise.allSettled([failOne(database, failure)])));
  }
  return outcomes;
}

function rejected(reason: unknown): PromiseRejectedResult {
  return { status: 'rejected', reason };
}
