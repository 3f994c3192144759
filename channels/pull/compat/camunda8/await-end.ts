/**
 * Waits for the end of a process instance by looking at its row: whichever replica ends it, the row says so.
 *
 * W1 Bounded by the time that the caller gives, and over when the client hangs up.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { EngineError } from '../../../../config/engine-error.ts';
import { readInstanceStanding } from '../../../../engine/store/compat-jobs.ts';
import type { CompatCode } from '../codes.ts';
import type { CompatPorts } from '../ports.ts';
import { keyOf } from './keys.ts';

/** Guesses: a process of tasks that others do ends within tens of milliseconds, or much later. */
const FIRST_LOOK_MS = 20;
const LAST_LOOK_MS = 500;

/** Resolves when it has completed. @throws SUTRA.COMPAT.COMPLETION_TIMEOUT, SUTRA.COMPAT.NOT_COMPLETED */
export async function awaitEnd(
  { database }: Pick<CompatPorts, 'database'>,
  instanceId: string,
  waitMs: number,
  disconnected: AbortSignal,
): Promise<void> {
  const endsAt = performance.now() + waitMs;
  for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(pauseMs * 1.5, LAST_LOOK_MS)) {
    const standing = await readInstanceStanding(database, instanceId);
    // What has ended is deleted at once where nothing is kept: it has ended one way or the other.
    if (standing === null || standing.status === 'completed') return;
    if (standing.status !== 'running') throw notCompleted(instanceId, standing.status, standing.failureCode);
    const leftMs = endsAt - performance.now();
    if (leftMs <= 0) throw timedOut(instanceId, waitMs);
    await delay(Math.min(pauseMs, leftMs), undefined, { signal: disconnected, ref: false });
  }
}

function notCompleted(instanceId: string, status: string, failureCode: string | null): EngineError {
  const code: CompatCode = 'SUTRA.COMPAT.NOT_COMPLETED';
  const why = failureCode === null ? status : `${status} with ${failureCode}`;
  return new EngineError(
    code,
    `Process instance ${keyOf(instanceId)} will not complete by itself: it is ${why}.`,
    {
      attributes: { instanceId },
    },
  );
}

function timedOut(instanceId: string, waitMs: number): EngineError {
  const code: CompatCode = 'SUTRA.COMPAT.COMPLETION_TIMEOUT';
  return new EngineError(
    code,
    `Process instance ${keyOf(instanceId)} was started and did not complete within ${waitMs} ms; it goes on.`,
    { attributes: { instanceId } },
  );
}
