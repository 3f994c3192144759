/** What is done under a worker's lock, or refused with the verdict why not. */
import type { Database } from '../../engine/store/database.ts';
import { explainRefusal, type TaskClaimant } from '../../engine/store/external-tasks.ts';
import { taskRefusal } from '../../engine/store/external-tasks-verdict.ts';

/**
 * Twice, because between a failed attempt and the question why, the same worker may have locked the task
 * anew: without a token that lock is as good as the one it meant.
 * @param act one guarded statement; null: it changed nothing
 * @throws EngineError with a verdict of protocol §3.
 */
export async function underLock<Done>(
  database: Database,
  { taskId, workerId, tokenHash }: TaskClaimant,
  act: () => Promise<Done | null>,
): Promise<Done> {
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const done = await act();
    if (done !== null) return done;
    const verdict = await explainRefusal(database, taskId, workerId, tokenHash);
    if (verdict !== 'HOLDS_LOCK') throw taskRefusal(verdict, taskId);
  }
  throw taskRefusal('LOCK_LOST', taskId);
}
