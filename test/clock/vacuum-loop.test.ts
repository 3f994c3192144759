import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { VacuumLoop, createVacuumLoop } from '../../engine/clock/vacuum-loop.ts';
import { silentLog } from '../../engine/observe.ts';
import type { Log } from '../../engine/observe.ts';
import type { Database, Statement } from '../../engine/store/database.ts';
import { openPgDatabase } from '../../engine/store/pg-database.ts';
import { readTablesUpkeep } from '../../engine/store/vacuum.ts';
import { testDatabases } from '../support/database.ts';

const COLUMNS = `id, deployment_id, tenant, module, version, channel, process_id, instance_id, element_id,
  idempotency_key, headers, content_type, body, expects_answer, retries, policy, priority`;

const VALUES = `gen_random_uuid(), 'dep', 'acme', 'scoring', '1', 'c', 'p', gen_random_uuid(), 'e', 'k', '{}',
  'application/json', '\\x7b7d', true, 3, '{}', 0`;

const ROWS = 'FROM generate_series(1, 3000)';

/** What a minute of orders leaves behind: rows that came and went, and rows that were changed. */
const CHURN: readonly string[] = [
  `INSERT INTO outbox (${COLUMNS}, transport) SELECT ${VALUES}, 'pull' ${ROWS}`,
  'DELETE FROM outbox',
  `INSERT INTO external_task (${COLUMNS}, task_type) SELECT ${VALUES}, 'c' ${ROWS}`,
  'DELETE FROM external_task',
  `INSERT INTO timer (instance_id, wait_id, element_id, due_at) SELECT gen_random_uuid(), 1, 'e', now() ${ROWS}`,
  'DELETE FROM timer',
  `INSERT INTO alias (tenant, module, name, value, instance_id, is_unique)
   SELECT 't', 'm', 'n', 'v', gen_random_uuid(), false ${ROWS}`,
  'DELETE FROM alias',
  `INSERT INTO instance (id, deployment_id, tenant, module, process_id, status, snapshot, turn)
   SELECT gen_random_uuid(), 'd', 't', 'm', 'p', 'running', '{}', 1 ${ROWS}`,
  'DELETE FROM instance',
];

const [embedded] = testDatabases();
assert.equal(embedded?.name, 'embedded');

describe('the vacuum of the embedded database', { timeout: 120_000 }, () => {
  let database: Database;
  let vacuum: VacuumLoop | null = null;
  const sql = <Row>(text: string): Promise<Row[]> => database.run<Row>({ name: '', text }, []);
  before(async () => {
    database = await embedded.open();
  });
  afterEach(async () => {
    await vacuum?.stop();
  });
  after(() => database.close());

  const start = async (intervalMs: number): Promise<VacuumLoop> => {
    vacuum = new VacuumLoop({ database, log: silentLog, intervalMs });
    await vacuum.start();
    return vacuum;
  };

  const bytesOfHotTables = async (): Promise<number> => {
    const [row] = await sql<{ bytes: number }>(
      `SELECT sum(pg_relation_size(name::regclass)) ::bigint AS bytes
       FROM unnest('{outbox,external_task,timer,alias,instance}'::text[]) AS t (name)`,
    );
    return row?.bytes ?? 0;
  };

  /** The counters that it goes by are told at the end of a statement, at most once a second unless asked to. */
  const flushCounters = async (): Promise<void> => {
    await sql('SELECT pg_stat_force_next_flush()');
    await sql('SELECT 1 AS "one"');
  };

  const becomes = async (isTrue: () => Promise<boolean>): Promise<void> => {
    while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20));
  };

  it('gives back what dead rows took, round after round', async () => {
    for (const text of CHURN) await sql(text);
    const piledUp = await bytesOfHotTables();
    assert.ok(piledUp > 1_000_000, `only ${String(piledUp)} bytes were left behind`);
    await start(20);
    for (let round = 0; round < 3; round += 1) {
      await becomes(async () => (await bytesOfHotTables()) < 100_000);
      for (const text of CHURN) await sql(text);
      assert.ok(
        (await bytesOfHotTables()) <= piledUp * 1.1,
        `round ${String(round)} added to what was there`,
      );
    }
  });

  it('leaves tables alone to which little was written (V1)', async () => {
    await start(20);
    await flushCounters();
    await becomes(async () => (await readTablesUpkeep(database)).length === 0);
    const count = (): Promise<{ count: number }[]> =>
      sql('SELECT sum(vacuum_count + analyze_count)::bigint AS count FROM pg_stat_user_tables');
    const [before] = await count();
    assert.ok((before?.count ?? 0) > 0);
    await sql(
      `INSERT INTO timer (instance_id, wait_id, element_id, due_at) VALUES (gen_random_uuid(), 1, 'e', now())`,
    );
    await flushCounters();
    const statementsBefore = database.statementCount();
    await becomes(() => Promise.resolve(database.statementCount() > statementsBefore + 10));
    assert.deepEqual(await count(), [before]);
  });

  it('runs no statement after it was stopped', async () => {
    const running = await start(1);
    await running.stop();
    await running.stop();
    const before = database.statementCount();
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(database.statementCount(), before);
  });
});

describe('the vacuum without a database', () => {
  it('says so, and goes on trying (V3)', async () => {
    const database = await openPgDatabase({ url: 'postgres://nobody@127.0.0.1:1/none', poolMax: 1 });
    const keepAlive = setInterval(() => {}, 1_000);
    let vacuum: VacuumLoop | null = null;
    try {
      const cause = await new Promise<unknown>((resolve, reject) => {
        const warn: Log['warn'] = (event, fields) => {
          if (event === 'vacuum.failed' && fields?.['failures'] === 2) resolve(fields['cause']);
        };
        vacuum = new VacuumLoop({ database, log: { ...silentLog, warn }, intervalMs: 1 });
        vacuum.start().catch(reject);
      });
      assert.equal(cause, 'SUTRA.PERSISTENCE_UNAVAILABLE');
    } finally {
      await (vacuum as VacuumLoop | null)?.stop();
      clearInterval(keepAlive);
      await database.close();
    }
  });
});

describe('the vacuum of a server', () => {
  const READ = 'read_queues_upkeep';

  /** Every look takes ten seconds and finds two tables; what a vacuum does, the test says. */
  const run = async (vacuumMs: number, isFailing: boolean, looks: number) => {
    let nowMs = 0;
    const names: string[] = [];
    const warnings: unknown[] = [];
    const keepAlive = setInterval(() => {}, 1_000);
    let vacuum: VacuumLoop | null = null;
    await new Promise<void>((resolve, reject) => {
      const database = {
        kind: 'postgresql',
        poolSize: 2,
        run: ({ name }: Statement): Promise<unknown[]> => {
          if (names.filter((one) => one === READ).length >= looks) {
            resolve();
            return Promise.resolve([]);
          }
          names.push(name);
          nowMs += name === READ ? 10_000 : vacuumMs;
          if (name === READ) return Promise.resolve([{ table: 'outbox' }, { table: 'timer' }]);
          return isFailing && name.endsWith('outbox')
            ? Promise.reject(new Error('cancelled'))
            : Promise.resolve([]);
        },
      } as unknown as Database;
      const warn: Log['warn'] = (event, fields) => warnings.push([event, fields?.['table']]);
      vacuum = new VacuumLoop({
        ...{ database, log: { ...silentLog, warn } },
        ...{ intervalMs: 1, now: () => nowMs },
      });
      vacuum.start().catch(reject);
    });
    await (vacuum as VacuumLoop | null)?.stop();
    clearInterval(keepAlive);
    return { names, warnings };
  };

  it('is at each look of a table that needs it again soon', async () => {
    const { names } = await run(500, false, 3);
    assert.deepEqual(
      names.filter((name) => name === 'vacuum_busy_timer').length,
      names.filter((name) => name === READ).length - 1,
    );
  });

  it('goes on with the next table when one was cancelled, and lets that one rest (V4)', async () => {
    const { names, warnings } = await run(30_000, true, 35);
    const first = names.indexOf('vacuum_busy_outbox');
    assert.equal(names[first + 1], 'vacuum_busy_timer');
    const second = names.indexOf('vacuum_busy_outbox', first + 1);
    // 300 s after 30 s, of which the other table's vacuum was 30 s and each look 10 s.
    assert.equal(names.slice(first, second).filter((name) => name === READ).length, 27);
    assert.deepEqual(warnings, [
      ['vacuum.failed', 'outbox'],
      ['vacuum.failed', 'outbox'],
    ]);
  });

  it('is not done over a pool of one connection', async () => {
    const url = 'postgres://nobody@127.0.0.1:1/none';
    for (const [poolMax, isDone] of [
      [1, false],
      [2, true],
    ] as const) {
      const database = await openPgDatabase({ url, poolMax });
      assert.equal(createVacuumLoop({ database, log: silentLog }) !== null, isDone);
      await database.close();
    }
  });
});
