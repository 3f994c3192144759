/**
 * One claim for a batch of fetches: one statement, and a few more only when other replicas or turns hold
 * the very rows that it picked. Those are passed over in the next round, so every round makes progress.
 */
import type { Meter } from '../../engine/observe.ts';
import type { Database } from '../../engine/store/database.ts';
import { fetchAndLock } from '../../engine/store/external-tasks-fetch.ts';
import { planClaim, shareOut } from './claim-plan.ts';
import type { LockedTask } from './claim-plan.ts';
import type { LiveChannels } from './live-channels.ts';
import type { WaitingFetch } from './waiting-fetches.ts';

/** A guess: two replicas that race seldom meet twice, and a third round is for a third replica. */
const MAX_ROUNDS = 3;

export interface ClaimOptions {
  readonly database: Database;
  readonly meter: Meter;
  readonly defaultLockDurationMs: number;
  readonly maxAttempts: number | null;
  readonly maxBodyBytes: number;
}

export interface ClaimOutcome {
  readonly taskCount: number;
  /** Channels that have more than was picked. */
  readonly leftover: ReadonlyMap<string, number>;
  /** Rows were held by others to the end: what is there could not be seen. */
  readonly isContended: boolean;
  /** When the first of the locks expires, or null without any. */
  readonly firstExpiryMs: number | null;
}

/** `hand` gets each fetch's tasks as soon as they are locked, also when a later round fails. */
export async function claimRounds<Fetch extends WaitingFetch>(
  fetches: readonly Fetch[],
  live: LiveChannels,
  options: ClaimOptions,
  hand: (fetch: Fetch, tasks: readonly LockedTask[]) => void,
): Promise<ClaimOutcome> {
  const { database, meter, ...limits } = options;
  const exceptIds: string[] = [];
  let unserved = fetches;
  let taskCount = 0;
  let firstExpiryMs: number | null = null;
  let leftover: ReadonlyMap<string, number> = new Map();
  let isContended = false;
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const plan = planClaim(unserved, live, { exceptIds, ...limits });
    if (plan === null) {
      break;
    }
    const result = await fetchAndLock(database, plan.request);
    meter.add('sutra_fetch_claims_total', 1);
    meter.add('sutra_fetch_tasks_total', result.tasks.length);
    const shared = shareOut(plan, result.tasks);
    for (const [fetch, tasks] of shared) {
      hand(fetch, tasks);
    }
    unserved = unserved.filter((fetch) => !shared.has(fetch));
    taskCount += result.tasks.length;
    for (const { lockMs } of result.tasks) {
      firstExpiryMs = Math.min(firstExpiryMs ?? lockMs, lockMs);
    }
    leftover = result.leftover;
    isContended = result.contendedIds.length > 0;
    if (!isContended || unserved.length === 0) {
      break;
    }
    exceptIds.push(...result.contendedIds);
  }
  return { taskCount, leftover, isContended, firstExpiryMs };
}
