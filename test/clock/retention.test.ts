import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Retention } from '../../engine/clock/retention.ts';
import { silentLog } from '../../engine/observe.ts';
import type { Log } from '../../engine/observe.ts';
import type { Database } from '../../engine/store/database.ts';
import { openPgDatabase } from '../../engine/store/pg-database.ts';
import {
  clearAll,
  countRows,
  insertInboxRow,
  insertInstance,
  insertMany,
  insertReceipt,
} from '../store/purge-rows.ts';
import { testDatabases } from '../support/database.ts';
import { TestEngine } from '../support/engine.ts';
import { simpleOrder } from '../support/packages.ts';

const HOUR_MS = 3_600_000;

const settings = (intervalMs: number) => ({
  inbox: { retentionMs: HOUR_MS },
  instance: { retentionMs: HOUR_MS, retentionSweepIntervalMs: intervalMs },
  history: { retentionMs: HOUR_MS, maxPayloadBytes: 0 },
  deadLetter: { maxCount: 10, retentionMs: HOUR_MS },
});

/** A log that hands the fields of one event to whoever waits for it. */
function listeningLog(event: string): { log: Log; next: () => Promise<Readonly<Record<string, unknown>>> } {
  const waiting: ((fields: Readonly<Record<string, unknown>>) => void)[] = [];
  const hear = (name: string, fields: Readonly<Record<string, unknown>> = {}): void => {
    if (name === event) waiting.shift()?.(fields);
  };
  return {
    log: { info: hear, warn: hear, error: hear },
    next: () => new Promise((resolve) => waiting.push(resolve)),
  };
}

/** The sweep's timer keeps no process alive, so a test that waits for it must. */
async function keepingAlive<Value>(work: Promise<Value>): Promise<Value> {
  const timer = setInterval(() => {}, 1_000);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

for (const target of testDatabases()) {
  describe(`the retention on ${target.name}`, () => {
    let database: Database;
    before(async () => {
      database = await target.open();
    });
    beforeEach(() => clearAll(database));
    after(() => database.close());

    it('deletes in one sweep all that is past its time, however many batches it takes', async () => {
      await insertMany(database, { inboxRows: 1_050, instances: 204, agedMs: 2 * HOUR_MS });
      await insertInstance(database, { status: 'completed', agedMs: 2 * HOUR_MS });
      await insertReceipt(database, 1, 2 * HOUR_MS);
      await database.knex.raw(
        `INSERT INTO dead_letter (id, kind, tenant, module, channel, headers, body, code, message, updated_at)
         VALUES (gen_random_uuid(), 'message', 't', 'm', 'c', '{}', '', 'C', 'm', now() - interval '2 hours')`,
      );
      await insertInstance(database, { status: 'running', agedMs: 2 * HOUR_MS });
      const retention = new Retention({ database, settings: settings(HOUR_MS), log: silentLog });
      assert.deepEqual(await retention.sweep(), {
        instances: 205,
        historyRows: 206,
        inboxRows: 1_050,
        receipts: 1,
        deadLetters: 1,
        incidents: 0,
      });
      assert.deepEqual(await retention.sweep(), {
        instances: 0,
        historyRows: 0,
        inboxRows: 0,
        receipts: 0,
        deadLetters: 0,
        incidents: 0,
      });
      assert.equal(await countRows(database, 'history'), 2);
    });

    it('is many small transactions, and turns go through meanwhile (T1)', async () => {
      const engine = await TestEngine.start({ database: await target.open() });
      try {
        await engine.deploy(simpleOrder());
        const { database: ofEngine } = engine.engine;
        await insertMany(ofEngine, { inboxRows: 0, instances: 5_000, agedMs: 2 * HOUR_MS });
        const retention = new Retention({ database: ofEngine, settings: settings(HOUR_MS), log: silentLog });
        let isOver = false;
        const left: number[] = [];
        const sweep = retention.sweep().finally(() => {
          isOver = true;
        });
        // One after the other: a turn that waited for the sweep would be the last one.
        while (!isOver) {
          const { status } = await engine.post('/channels/orders', {});
          assert.equal(status, 202);
          left.push(await countRows(ofEngine, 'instance'));
        }
        assert.equal((await sweep).instances, 5_000);
        const between = left.filter((count) => count > left.length && count < 5_000);
        assert.ok(
          between.length >= 5,
          `turns between the batches: ${String(between.length)}, seen ${left.join(' ')}`,
        );
      } finally {
        await engine.stop();
      }
    });

    it('sweeps again and again by itself, until it is stopped', async () => {
      const { log, next } = listeningLog('retention.swept');
      const retention = new Retention({ database, settings: settings(20), log });
      await insertInboxRow(database, 'first', 2 * HOUR_MS);
      const first = next();
      await retention.start();
      assert.equal((await keepingAlive(first))['inboxRows'], 1);
      const second = next();
      await insertInboxRow(database, 'second', 2 * HOUR_MS);
      assert.equal((await keepingAlive(second))['inboxRows'], 1);
      await retention.stop();
      await retention.stop();
      const before = database.statementCount();
      await new Promise((resolve) => setTimeout(resolve, 80));
      assert.equal(database.statementCount(), before);
    });

    it('ends a sweep under way within one batch when it is stopped (T2)', async () => {
      await insertMany(database, { inboxRows: 2_100, instances: 0, agedMs: 2 * HOUR_MS });
      const retention = new Retention({ database, settings: settings(HOUR_MS), log: silentLog });
      const sweep = retention.sweep();
      await retention.stop();
      const { inboxRows } = await sweep;
      assert.ok(inboxRows < 2_100, `${inboxRows} rows were deleted after the stop`);
    });
  });
}

describe('the retention without a database', () => {
  it('says so, and goes on trying (T3)', async () => {
    const database = await openPgDatabase({ url: 'postgres://nobody@127.0.0.1:1/none', poolMax: 1 });
    const { log, next } = listeningLog('retention.failed');
    const retention = new Retention({ database, settings: settings(1), log });
    const first = next();
    await retention.start();
    assert.deepEqual([(await keepingAlive(first))['cause'], 1], ['SUTRA.PERSISTENCE_UNAVAILABLE', 1]);
    const second = next();
    assert.equal((await keepingAlive(second))['failures'], 2);
    await retention.stop();
    await database.close();
  });

  it('can be stopped before it was started', async () => {
    const database = await openPgDatabase({ url: 'postgres://nobody@127.0.0.1:1/none', poolMax: 1 });
    await new Retention({ database, settings: settings(1), log: silentLog }).stop();
    await database.close();
  });
});
