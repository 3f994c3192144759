/** How long a fetch takes that finds work: 16 workers, 5 tasks a fetch. */
import { withClient, type MeasuredEngine, type OwnDatabase } from '../engine-process.ts';
import { median, percentile, spread } from './figures.ts';
import { runClaims } from './load-process.ts';
import type { GrowthOptions } from './options.ts';
import { MEASURED } from './packages.ts';

/** Milliseconds. */
export interface Claims {
  readonly p50: number;
  readonly p99: number;
}

/** Parked before a measurement where there is no backlog. */
const PARKED_ORDERS = 1_000;

/** Of the measured channel orders are parked before and completed afterwards; a backlog stays as it was. */
export async function measureClaims(
  database: OwnDatabase,
  engine: MeasuredEngine,
  { claimBlocks, claimFetches }: GrowthOptions,
  channel: string,
): Promise<Claims> {
  const latencies: number[] = [];
  for (let block = 0; block < claimBlocks; block += 1) {
    const { latenciesMs, taskIds } = await runClaims(engine.url, {
      channel,
      workers: 16,
      maxTasks: 5,
      fetches: claimFetches,
      park: channel === MEASURED.pull ? { path: MEASURED.path, orders: PARKED_ORDERS } : null,
    });
    latencies.push(...latenciesMs);
    await unlock(database, taskIds);
  }
  return { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
}

/** As RELEASE_LOCKS does it. */
async function unlock(database: OwnDatabase, taskIds: readonly string[]): Promise<void> {
  if (taskIds.length === 0) return;
  await withClient(database.url, (client) =>
    client.query(
      `UPDATE external_task
       SET lock_owner = NULL, lock_token_hash = NULL, locked_at = NULL, lost_locks = 0, visible_at = created_at
       WHERE id = ANY ($1::uuid[])`,
      [taskIds],
    ),
  );
}

/** Medians of the rounds. */
export function claimsText(claims: readonly Claims[]): string {
  const [p50, p99] = [claims.map((each) => each.p50), claims.map((each) => each.p99)];
  return `p50 ${median(p50).toFixed(1)} ms, p99 ${spread(p99, 1)} ms`;
}
