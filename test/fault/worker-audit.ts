/**
 * After the faults: every order has one instance, which has ended once, with what one run of the handler said; every run
 * has one outcome; who was told that his result was taken finds it there; and nothing is left.
 */
import assert from 'node:assert/strict';
import { decodeSnapshot } from '../../engine/core/snapshot-codec.ts';
import type { Database } from '../../engine/store/database.ts';
import { pause } from '../support/fault-load.ts';
import type { Run, WorkerLedger } from './worker-ledger.ts';
import type { OrderKind } from './worker-package.ts';

interface Ended {
  readonly id: string;
  readonly status: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Entries of its journal. */
  readonly completedCount: number;
  readonly endedCount: number;
}

/** Waits until every instance of the process has ended, as long as the number of open ones still falls. */
export async function allOrdersEnded(
  database: Database,
  processId: string,
  patienceMs: number,
): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  let leastAt = performance.now();
  for (;;) {
    const open = await countOf(database, 'instance', processId, 'AND ended_at IS NULL');
    if (open === 0) return;
    if (open < least) {
      least = open;
      leastAt = performance.now();
    }
    if (performance.now() - leastAt > patienceMs) {
      const tasks = await countOf(database, 'external_task', processId);
      assert.fail(`${String(open)} instances of ${processId} do not end; they have ${String(tasks)} tasks`);
    }
    await pause(300);
  }
}

export async function auditOrders(
  database: Database,
  processId: string,
  ledger: WorkerLedger,
): Promise<void> {
  assert.deepEqual(ledger.oddities, []);
  const open = ledger.runs.filter(({ outcome }) => outcome === null);
  assert.deepEqual(open, [], 'every run of the handler has an outcome');
  const instances = await readInstances(database, processId);
  assert.equal(instances.size, ledger.orders.size, 'as many instances as orders');
  for (const [n, { kind, instanceIds }] of ledger.orders) {
    assert.equal(instanceIds.size, 1, `order ${String(n)} has one instance`);
    const [id = ''] = instanceIds;
    const ended = instances.get(id);
    assert.ok(ended !== undefined, `the instance of order ${String(n)} is there`);
    auditOrder(n, kind, ended, ledger.runsOf(n));
  }
  assert.equal(await countOf(database, 'external_task', processId), 0, 'no task is left');
  const incidents = `instance_id IN (SELECT id FROM instance WHERE process_id = $1) AND resolved_at IS NULL`;
  assert.equal(await countWhere(database, 'incident', incidents, processId), 0, 'no incident is open');
}

function auditOrder(n: number, kind: OrderKind, ended: Ended, runs: readonly Run[]): void {
  const told = `order ${String(n)} (${kind}), ${JSON.stringify(runs)}`;
  assert.equal(ended.status, 'completed', told);
  const accepted = runs.filter(({ outcome }) => outcome === 'accepted');
  const lost = runs.filter(({ outcome }) => outcome === 'lost');
  const failed = runs.filter(({ outcome }) => outcome === 'failed');
  assert.equal(ended.endedCount, 1, `it has ended once: ${told}`);
  if (kind === 'given-up') {
    assert.equal(ended.completedCount, 0, told);
    assert.ok(accepted.length === 0 && failed.length <= 1 && failed.length + lost.length > 0, told);
    return;
  }
  assert.equal(ended.completedCount, kind === 'refused' ? 0 : 1, told);
  const mark = kind === 'refused' ? ended.variables['mark'] : markOf(ended.variables['result'], n);
  const taken = runs.filter((run) => run.mark === mark);
  assert.equal(taken.length, 1, `it ended with what one run said, ${String(mark)}: ${told}`);
  assert.ok(taken[0]?.outcome === 'accepted' || taken[0]?.outcome === 'lost', told);
  assert.ok(accepted.length <= 1 && accepted.every((run) => run.mark === mark), told);
  // A handler that is not told that its lock was extended fails, as often as that happens.
  const failures = kind === 'extended' ? Number.POSITIVE_INFINITY : kind === 'retried' ? 1 : 0;
  assert.ok(failed.length <= failures, told);
}

function markOf(result: unknown, n: number): unknown {
  assert.ok(typeof result === 'object' && result !== null && 'n' in result && 'mark' in result);
  assert.equal(result.n, n);
  return result.mark;
}

async function readInstances(database: Database, processId: string): Promise<ReadonlyMap<string, Ended>> {
  const rows = await database.run<{
    id: string;
    status: string;
    snapshot: string;
    completed: number;
    ended: number;
  }>(
    {
      name: 'test_worker_audit',
      text: `
SELECT i.id, i.status, i.snapshot, j.completed, j.ended
  FROM instance AS i
 CROSS JOIN LATERAL (
   SELECT count(*) FILTER (WHERE e ->> 'event' = 'taskCompleted')::integer AS completed,
          count(*) FILTER (WHERE e ->> 'event' = 'ended')::integer AS ended
     FROM history AS h CROSS JOIN LATERAL jsonb_array_elements(h.entries) AS e
    WHERE h.instance_id = i.id
 ) AS j
 WHERE i.process_id = $1`,
    },
    [processId],
  );
  return new Map(
    rows.map(({ id, status, snapshot, completed, ended }) => {
      const variables = decodeSnapshot(snapshot).scopes[0]?.variables ?? {};
      return [id, { id, status, variables, completedCount: completed, endedCount: ended }];
    }),
  );
}

function countOf(database: Database, table: string, processId: string, more = ''): Promise<number> {
  return countWhere(database, table, `process_id = $1 ${more}`, processId);
}

async function countWhere(
  database: Database,
  table: string,
  where: string,
  processId: string,
): Promise<number> {
  const text = `SELECT count(*)::integer AS count FROM ${table} WHERE ${where}`;
  const [row] = await database.run<{ count: number }>({ name: '', text }, [processId]);
  return row?.count ?? -1;
}
