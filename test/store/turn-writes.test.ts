/** The one statement that nearly every turn writes: whole, or not at all. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Database } from '../../engine/store/database.ts';
import { findReceipts, taskExists, type Receipt } from '../../engine/store/external-tasks-settle.ts';
import { findInboxRows, type InboxRow } from '../../engine/store/turn-inbox.ts';
import { instancesExist, readInstanceStates } from '../../engine/store/turn-instances.ts';
import { isWriteConflict, writeTurns, type InstanceWrite } from '../../engine/store/turn-writes.ts';
import { clearTasks, query, seedTasks } from '../channels/pull/parked-tasks.ts';
import { testDatabases } from '../support/database.ts';
import { noWrites } from '../support/turn-writes.ts';

const instance = (id: string, changes: Partial<InstanceWrite> = {}): InstanceWrite => ({
  id,
  deploymentId: 'dep-1',
  tenant: 'acme',
  module: 'scoring',
  processId: 'p',
  status: 'running',
  snapshot: '{}',
  turn: 1,
  readTurn: 0,
  failureCode: null,
  failureMessage: null,
  failureElement: null,
  reply: null,
  ...changes,
});

const inboxRow = (dedupKey: string, instanceId: string): InboxRow & { reply: null } => ({
  tenant: 'acme',
  module: 'scoring',
  channel: 'orders',
  dedupKey,
  instanceId,
  reply: null,
});

const receiptOf = (taskId: string, instanceId: string): Receipt => ({
  taskId,
  generation: 1,
  completionId: null,
  outcome: 'completed',
  lockOwner: 'w',
  bodyHash: null,
  channel: 'score',
  instanceId,
});

for (const target of testDatabases()) {
  describe(`what turns write on ${target.name}`, { timeout: 60_000 }, () => {
    let database: Database;
    before(async () => {
      database = await target.open();
    });
    after(() => database.close());
    afterEach(() => clearTasks(database));

    const turnOf = async (id: string): Promise<number | undefined> => {
      const [row] = await query<{ turn: number }>(database, `SELECT turn FROM instance WHERE id = $1::uuid`, [
        id,
      ]);
      return row?.turn;
    };
    const historyCount = async (id: string): Promise<number> => {
      const rows = await query(database, `SELECT turn FROM history WHERE instance_id = $1::uuid`, [id]);
      return rows.length;
    };

    test('everything of two instances is there after one statement', async () => {
      const [begun, ended] = [randomUUID(), randomUUID()];
      const [taskId = ''] = await seedTasks(database);
      await writeTurns(database, { ...noWrites, inserts: [instance(ended)] });
      const statementsBefore = database.statementCount();
      await writeTurns(database, {
        inserts: [instance(begun)],
        updates: [instance(ended, { status: 'completed', turn: 2, readTurn: 1 })],
        inbox: [inboxRow(begun, begun)],
        taskIds: [taskId],
        receipts: [receiptOf(taskId, ended)],
        history: [
          { instanceId: begun, turn: 1, entries: '[]' },
          { instanceId: ended, turn: 2, entries: '[]' },
        ],
      });
      assert.equal(database.statementCount() - statementsBefore, 1);
      assert.equal(await turnOf(begun), 1);
      assert.equal(await turnOf(ended), 2);
      assert.equal((await readInstanceStates(database, [ended]))[0]?.status, 'completed');
      const found = await findInboxRows(database, [inboxRow(begun, begun)], []);
      assert.deepEqual(
        found.rows.map(({ instanceId }) => instanceId),
        [begun],
      );
      assert.deepEqual(await taskExists(database, [taskId]), new Set());
      assert.equal((await findReceipts(database, [taskId])).length, 1);
      assert.deepEqual([await historyCount(begun), await historyCount(ended)], [1, 1]);
    });

    test('nothing to write is written without complaint', async () => {
      await writeTurns(database, noWrites);
    });

    const conflicts = {
      'an inbox key that is taken': async (id: string) => {
        await writeTurns(database, { ...noWrites, inbox: [inboxRow(`key ${id}`, randomUUID())] });
        return { inbox: [inboxRow(`key ${id}`, id)] };
      },
      'an instance that went on meanwhile': async (id: string) => {
        const other = randomUUID();
        await writeTurns(database, { ...noWrites, inserts: [instance(other, { turn: 7 })] });
        return {
          updates: [instance(id, { turn: 2, readTurn: 1 }), instance(other, { turn: 3, readTurn: 2 })],
        };
      },
      'a task that is not there': () => Promise.resolve({ taskIds: [randomUUID()] }),
    };
    for (const [name, prepare] of Object.entries(conflicts)) {
      test(`${name} is a conflict, and nothing of the statement stays`, async () => {
        const [id, begun] = [randomUUID(), randomUUID()];
        await writeTurns(database, { ...noWrites, inserts: [instance(id)] });
        const changes = await prepare(id);
        const history = [{ instanceId: id, turn: 2, entries: '[]' }];
        await assert.rejects(
          writeTurns(database, { ...noWrites, inserts: [instance(begun)], history, ...changes }),
          (error) => isWriteConflict(error),
        );
        assert.deepEqual(await instancesExist(database, [begun]), new Set());
        assert.equal(await turnOf(id), 1);
        assert.equal(await historyCount(id), 0);
      });
    }

    test('the key of a task is found by the task', async () => {
      const [taskId = ''] = await seedTasks(database);
      const [task] = await query<{ tenant: string; module: string; channel: string; key: string }>(
        database,
        `SELECT tenant, module, channel, idempotency_key AS key FROM external_task WHERE id = $1::uuid`,
        [taskId],
      );
      assert.ok(task);
      const row = { ...inboxRow(task.key, randomUUID()), tenant: task.tenant, module: task.module };
      await writeTurns(database, { ...noWrites, inbox: [{ ...row, channel: task.channel }] });
      const { rows } = await findInboxRows(database, [], [taskId, randomUUID()]);
      assert.deepEqual(
        rows.map(({ instanceId }) => instanceId),
        [row.instanceId],
      );
    });

    test('other failures are no conflicts', async () => {
      const id = randomUUID();
      const twice = { ...noWrites, inserts: [instance(id), instance(id)] };
      await assert.rejects(writeTurns(database, twice), (error) => !isWriteConflict(error));
      assert.equal(isWriteConflict(new Error('x')), false);
      assert.equal(isWriteConflict(null), false);
    });
  });
}
