/** After the faults: does the database hold exactly what the clients were told? */
import assert from 'node:assert/strict';
import type { Database } from '../../engine/store/database.ts';
import { decodeSnapshot } from '../../engine/core/snapshot-codec.ts';
import { pause, type FaultLoad } from './fault-load.ts';

async function count(database: Database, what: string): Promise<number> {
  const name = `test_count_${what.replaceAll(/\W+/g, '_')}`.slice(0, 60);
  const rows = await database.run<{ count: number }>(
    { name, text: `SELECT count(*)::integer AS count FROM ${what}` },
    [],
  );
  return rows[0]?.count ?? -1;
}

/** Waits until every instance has ended, as long as the number of open ones still falls. */
export async function allEnded(database: Database, patienceMs: number): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  let leastAt = performance.now();
  for (;;) {
    const open = await count(database, 'instance WHERE ended_at IS NULL');
    if (open === 0) return;
    if (open < least) {
      least = open;
      leastAt = performance.now();
    }
    const tasks = await count(database, 'external_task');
    const outbox = await count(database, 'outbox');
    const timers = await count(database, 'timer');
    assert.ok(
      performance.now() - leastAt < patienceMs,
      `${String(open)} instances do not end: ${String(tasks)} tasks, ${String(outbox)} outbox rows, ${String(timers)} timers are left`,
    );
    await pause(200);
  }
}

/** Every order ended exactly once, every accepted result was applied exactly once, nothing is left behind. */
export async function audit(database: Database, load: FaultLoad): Promise<void> {
  for (const [n, ids] of load.instances) assert.equal(ids.size, 1, `order ${String(n)} has one instance`);
  const known = new Set([...load.instances.values()].flatMap((ids) => [...ids]));
  assert.equal(known.size, load.instances.size);
  assert.equal(await count(database, 'instance'), known.size, 'no instance that no sender was told of');
  assert.equal(await count(database, "instance WHERE status = 'completed'"), known.size);
  for (const table of ['external_task', 'outbox', 'timer', 'alias', 'incident']) {
    assert.equal(await count(database, table), 0, `no row is left in ${table}`);
  }
  const journals = await database.run<{
    instance_id: string;
    completed: number;
    ended: number;
    fired: number;
  }>(
    {
      name: 'test_audit_history',
      text: `
SELECT instance_id,
  count(*) FILTER (WHERE e ->> 'event' = 'taskCompleted')::integer AS completed,
  count(*) FILTER (WHERE e ->> 'event' = 'timerFired')::integer AS fired,
  count(*) FILTER (WHERE e ->> 'event' = 'ended')::integer AS ended
FROM history CROSS JOIN LATERAL jsonb_array_elements(entries) AS e
GROUP BY instance_id`,
    },
    [],
  );
  assert.equal(journals.length, known.size);
  for (const journal of journals) {
    assert.deepEqual(
      { completed: journal.completed, fired: journal.fired, ended: journal.ended },
      { completed: 2, fired: 1, ended: 1 },
      `the journal of ${journal.instance_id}`,
    );
  }
  await auditResults(database, load);
}

async function auditResults(database: Database, load: FaultLoad): Promise<void> {
  const rows = await database.run<{ id: string; snapshot: string }>(
    { name: 'test_audit_snapshots', text: 'SELECT id, snapshot FROM instance' },
    [],
  );
  const variables = new Map(
    rows.map((row) => [row.id, decodeSnapshot(row.snapshot).scopes[0]?.variables ?? {}]),
  );
  const told = new Set<string>();
  for (const { instanceId, channel, result } of load.accepted) {
    const key = `${instanceId}/${channel}`;
    assert.ok(!told.has(key), `${key} was accepted once`);
    told.add(key);
    const variable = channel === 'first' ? 'firstResult' : 'secondResult';
    assert.equal(
      variables.get(instanceId)?.[variable],
      result,
      `the accepted result of ${key} is the instance's`,
    );
  }
}
