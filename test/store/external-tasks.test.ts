import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Database } from '../../engine/store/database.ts';
import {
  discardTask,
  explainRefusal,
  parkTasks,
  rearmTask,
  releaseLocks,
} from '../../engine/store/external-tasks.ts';
import { reportFailure } from '../../engine/store/external-tasks-failure.ts';
import type { TaskFailure } from '../../engine/store/external-tasks-failure.ts';
import { fetchAndLock, nextVisibleAt } from '../../engine/store/external-tasks-fetch.ts';
import type { FetchRequest, FetchResult } from '../../engine/store/external-tasks-fetch.ts';
import { clearTasks, query, seedOutbox, seedTasks } from '../channels/pull/parked-tasks.ts';
import { testDatabases } from '../support/database.ts';

const hash = (fill: number): Buffer => Buffer.alloc(32, fill);

interface Wish {
  readonly channels: readonly string[];
  readonly count: number;
}

for (const target of testDatabases()) {
  describe(`external tasks on ${target.name}`, { timeout: 120_000 }, () => {
    let database: Database;
    before(async () => {
      database = await target.open();
    });
    after(() => database.close());
    afterEach(() => clearTasks(database));

    /** A claim of some groups over live deployments dep-1 and dep-2. */
    function claim(wishes: readonly Wish[], options: Partial<FetchRequest> = {}): Promise<FetchResult> {
      const channels = [...new Set(wishes.flatMap((wish) => wish.channels))];
      const groupsOf = (channel: string): number[] =>
        wishes.flatMap((wish, group) => (wish.channels.includes(channel) ? [group] : []));
      return fetchAndLock(database, {
        pairs: channels.flatMap((channel) =>
          ['dep-1', 'dep-2'].map((deploymentId) => ({
            channel,
            deploymentId,
            wanted: groupsOf(channel).reduce((sum, group) => sum + (wishes[group]?.count ?? 0), 0),
          })),
        ),
        shares: channels.flatMap((channel) =>
          groupsOf(channel).map((group, shareIndex, all) => ({
            channel,
            group,
            shareIndex,
            shareCount: all.length,
          })),
        ),
        slots: wishes.flatMap(({ count }, group) =>
          Array.from({ length: count }, (_, index) => ({
            group,
            position: index + 1,
            workerId: `w${group}`,
            tokenHash: hash(group * 16 + index),
            lockDurationMs: 60_000,
          })),
        ),
        exceptIds: [],
        maxBodyBytes: 1e6,
        defaultLockDurationMs: 1_000,
        maxAttempts: null,
        incidentIds: [],
        ...options,
      });
    }

    const fetchOne = (options: Partial<FetchRequest> = {}): Promise<FetchResult> =>
      claim([{ channels: ['score'], count: 1 }], options);

    function failure(taskId: string, changes: Partial<TaskFailure> = {}): TaskFailure {
      return {
        taskId,
        workerId: 'w0',
        tokenHash: null,
        retries: null,
        retryTimeoutMs: null,
        defaultRetryTimeoutMs: 10_000,
        errorMessage: 'downstream 500',
        errorDetails: null,
        incidentId: randomUUID(),
        ...changes,
      };
    }

    const row = async (id: string): Promise<Record<string, unknown> | undefined> =>
      (
        await query<Record<string, unknown>>(
          database,
          'SELECT state, retries, lock_owner, generation, last_error, visible_at > now() AS later FROM external_task WHERE id = $1::uuid',
          [id],
        )
      )[0];

    test('parking moves due rows of the pull transport, counts them, and leaves the others', async () => {
      const due = await seedOutbox(database, { count: 3, channel: 'score' });
      await seedOutbox(database, { channel: 'mail', visibleInMs: -1_000 });
      await seedOutbox(database, { channel: 'registered:add' });
      const later = await seedOutbox(database, { visibleInMs: 60_000 });
      const http = await seedOutbox(database, {}, 'http');
      assert.deepEqual(await parkTasks(database, 1), new Map([['mail', 1]]), 'the longest due goes first');
      assert.deepEqual(
        await parkTasks(database, 10),
        new Map([
          ['score', 3],
          ['registered:add', 1],
        ]),
      );
      assert.deepEqual(await parkTasks(database, 10), new Map());
      const left = await query<{ id: string }>(database, 'SELECT id FROM outbox');
      assert.deepEqual(left.map(({ id }) => id).sort(), [...later, ...http].sort());
      const parked = await query(
        database,
        `SELECT task_type, generation, state, visible_at <= now() AS due FROM external_task WHERE id = $1::uuid`,
        [due[0]],
      );
      assert.deepEqual(parked, [{ task_type: 'score', generation: 0, state: 'open', due: true }]);
    });

    test('parking drops the reserved headers in any spelling and keeps every other', async () => {
      await seedOutbox(database, {
        headers: {
          'sutra-park-deployment': 'x',
          'Sutra-Park-Instance': 'y',
          'sutra-park-other': 'z',
          a: 'b',
        },
      });
      await parkTasks(database, 1);
      const rows = await query<{ headers: unknown }>(database, 'SELECT headers FROM external_task');
      assert.deepEqual(rows, [{ headers: { 'sutra-park-other': 'z', a: 'b' } }]);
    });

    test('parking keeps headers that are nothing but reserved as an empty map', async () => {
      await seedOutbox(database, { headers: { 'sutra-park-instance': 'y' } });
      await parkTasks(database, 1);
      assert.deepEqual(await query(database, 'SELECT headers FROM external_task'), [{ headers: {} }]);
    });

    test('only what is open, free, due and before its deadline is fetched', async () => {
      await seedTasks(database, { isHeld: true });
      await seedTasks(database, { visibleInMs: 60_000 });
      await seedTasks(database, { deadlineInMs: -1 });
      await seedTasks(database, { deploymentId: 'dep-gone' });
      await seedTasks(database, { channel: 'other' });
      const [ahead] = await seedTasks(database, { deadlineInMs: 60_000 });
      const [plain] = await seedTasks(database);
      const { tasks, contendedIds, leftover } = await claim([{ channels: ['score'], count: 9 }]);
      assert.deepEqual(tasks.map(({ id }) => id).sort(), [ahead, plain].sort());
      assert.deepEqual(contendedIds, []);
      assert.equal(leftover.size, 0);
    });

    test('a lock has owner, token, generation and expiry by the database clock', async () => {
      const [id] = await seedTasks(database);
      const { tasks } = await fetchOne();
      const task = tasks[0];
      assert.equal(task?.id, id);
      assert.equal(task?.generation, 1);
      assert.equal(task?.lockMs, 60_000);
      assert.deepEqual(task?.body, Buffer.from('{"n":1}'));
      assert.deepEqual((await fetchOne()).tasks, []);
    });

    test('without a duration of its own a fetch takes the policy of the task, then the default', async () => {
      await seedTasks(database, { policy: { lockDurationMs: 5_000 } });
      await seedTasks(database, { policy: { lockDurationMs: null }, visibleInMs: -1_000 });
      const slots = [1, 2].map((position) => ({
        group: 0,
        position,
        workerId: 'w',
        tokenHash: hash(position),
        lockDurationMs: null,
      }));
      const { tasks } = await claim([{ channels: ['score'], count: 2 }], { slots });
      assert.deepEqual(tasks.map(({ lockMs }) => lockMs).sort(), [1_000, 5_000]);
    });

    test('positions follow priority, then the turn of the deployment, then age', async () => {
      const old = await seedTasks(database, { count: 3, visibleInMs: -9_000 });
      const other = await seedTasks(database, { count: 2, deploymentId: 'dep-2', visibleInMs: -1_000 });
      const high = await seedTasks(database, { priority: 7 });
      const { tasks, leftover } = await claim([{ channels: ['score'], count: 5 }]);
      const inOrder = [...tasks].sort((left, right) => left.position - right.position).map(({ id }) => id);
      assert.deepEqual(inOrder, [high[0], other[0], old[0], other[1], old[1]]);
      assert.deepEqual(leftover, new Map([['score', 1]]));
    });

    test('more priorities than the walk has levels are still served highest first', async () => {
      for (let priority = 0; priority < 40; priority += 1) await seedTasks(database, { priority });
      const taken: number[] = [];
      for (let round = 0; round < 8; round += 1) {
        const { tasks } = await claim([{ channels: ['score'], count: 5 }]);
        taken.push(
          ...[...tasks].sort((left, right) => left.position - right.position).map(({ priority }) => priority),
        );
      }
      assert.deepEqual(
        taken,
        Array.from({ length: 40 }, (_, index) => 39 - index),
      );
    });

    test('groups that share a channel get different tasks, each at most its count', async () => {
      await seedTasks(database, { count: 20, channel: 'a' });
      await seedTasks(database, { count: 20, channel: 'b' });
      const wishes = [
        { channels: ['a'], count: 3 },
        { channels: ['a', 'b'], count: 5 },
        { channels: ['b'], count: 2 },
      ];
      const { tasks, leftover } = await claim(wishes);
      assert.equal(tasks.length, 10);
      assert.equal(new Set(tasks.map(({ id }) => id)).size, 10);
      assert.equal(new Set(tasks.map(({ group, position }) => `${group}/${position}`)).size, 10);
      for (const { group, channel } of tasks) assert.ok(wishes[group]?.channels.includes(channel));
      assert.deepEqual([...leftover.keys()].sort(), ['a', 'b']);
    });

    test('no further task is picked once the bodies reach the bound, and the first always is', async () => {
      await seedTasks(database, { count: 4, body: JSON.stringify('x'.repeat(98)) });
      const { tasks, leftover } = await claim([{ channels: ['score'], count: 4 }], { maxBodyBytes: 150 });
      assert.equal(tasks.length, 2);
      assert.deepEqual(leftover, new Map([['score', 2]]));
      assert.equal((await fetchOne({ maxBodyBytes: 1 })).tasks.length, 1);
    });

    test('excepted tasks are passed over', async () => {
      const ids = await seedTasks(database, { count: 2 });
      const { tasks } = await claim([{ channels: ['score'], count: 2 }], { exceptIds: ids.slice(0, 1) });
      assert.deepEqual(
        tasks.map(({ id }) => id),
        ids.slice(1),
      );
    });

    test('the next visible time is zero for what can be fetched, and absent for what never will be', async () => {
      await seedTasks(database, { channel: 'now' });
      await seedTasks(database, { channel: 'now', visibleInMs: 50_000, priority: 9 });
      await seedTasks(database, { channel: 'later', visibleInMs: 60_000 });
      await seedTasks(database, { channel: 'later', visibleInMs: 30_000, priority: -4 });
      await seedTasks(database, { channel: 'never', isHeld: true });
      await seedTasks(database, { channel: 'never', visibleInMs: 60_000, deadlineInMs: 30_000 });
      const pairs = ['now', 'later', 'never', 'unknown'].map((channel) => ({
        channel,
        deploymentId: 'dep-1',
      }));
      const delays = await nextVisibleAt(database, pairs);
      assert.deepEqual([...delays.keys()].sort(), ['later', 'now']);
      assert.equal(delays.get('now'), 0);
      const later = delays.get('later') ?? 0;
      assert.ok(later > 20_000 && later <= 30_000, `${later}`);
    });

    test('the next visible time looks beyond the levels of the walk', async () => {
      for (let priority = 0; priority < 30; priority += 1) {
        await seedTasks(database, { priority, visibleInMs: 10_000 + priority * 1_000 });
      }
      const delay =
        (await nextVisibleAt(database, [{ channel: 'score', deploymentId: 'dep-1' }])).get('score') ?? 0;
      assert.ok(delay > 5_000 && delay <= 10_000, `${delay}`);
    });

    test('a release frees the lock of that token only, keeps the generation and the place', async () => {
      const [first, second] = await seedTasks(database, { count: 2 });
      await claim([{ channels: ['score'], count: 2 }]);
      assert.ok(first !== undefined && second !== undefined);
      const stale = [{ taskId: first, tokenHash: hash(99) }];
      assert.deepEqual(await releaseLocks(database, stale), new Map());
      const held = [
        { taskId: first, tokenHash: hash(0) },
        { taskId: second, tokenHash: hash(1) },
      ];
      assert.deepEqual(await releaseLocks(database, held), new Map([['score', 2]]));
      assert.deepEqual(await releaseLocks(database, held), new Map());
      const again = await claim([{ channels: ['score'], count: 2 }]);
      assert.deepEqual(
        again.tasks.map(({ generation }) => generation),
        [2, 2],
      );
    });

    test('a failure spends one retry and defers the next fetch', async () => {
      const [id = ''] = await seedTasks(database);
      await fetchOne();
      const failed = await reportFailure(database, failure(id));
      assert.deepEqual(
        { ...failed, instanceId: null },
        { taskId: id, channel: 'score', instanceId: null, retries: 2, isTerminal: false, delayMs: 10_000 },
      );
      assert.deepEqual(await row(id), {
        state: 'open',
        retries: 2,
        lock_owner: null,
        generation: 1,
        last_error: 'downstream 500',
        later: true,
      });
      assert.equal(await reportFailure(database, failure(id)), null, 'the lock is gone');
    });

    test('a failure takes its delay from the call, then from the policy of the task', async () => {
      const ids = await seedTasks(database, { count: 2, policy: { retryTimeoutMs: 7_000 } });
      await claim([{ channels: ['score'], count: 2 }]);
      assert.equal((await reportFailure(database, failure(ids[0] ?? '')))?.delayMs, 7_000);
      assert.equal((await reportFailure(database, failure(ids[1] ?? '', { retryTimeoutMs: 0 })))?.delayMs, 0);
    });

    for (const [title, budget, retries] of [
      ['the last retry', 1, null],
      ['a budget of zero', 0, null],
      ['an explicit zero', 3, 0],
    ] as const) {
      test(`${title} makes the task terminal, with an incident, until it is re-armed`, async () => {
        const [id = ''] = await seedTasks(database, { retries: budget });
        await fetchOne();
        const failed = await reportFailure(database, failure(id, { retries, retryTimeoutMs: 0 }));
        assert.equal(failed?.isTerminal, true);
        assert.deepEqual((await fetchOne()).tasks, []);
        const open = `SELECT kind, subject_id AS subject, code, message FROM incident WHERE resolved_at IS NULL`;
        assert.deepEqual(await query(database, open), [
          {
            kind: 'task-terminal',
            subject: id,
            code: 'SUTRA.EXTERNAL_TASK.TERMINAL',
            message: 'downstream 500',
          },
        ]);
        assert.equal(await explainRefusal(database, id, 'w0', null), 'TERMINAL');
        assert.equal((await rearmTask(database, id, 2))?.channel, 'score');
        assert.deepEqual(await query(database, open), []);
        assert.equal(await rearmTask(database, id, 2), null);
        const { tasks } = await fetchOne();
        assert.deepEqual(
          tasks.map((task) => [task.generation, task.retries]),
          [[2, 2]],
        );
      });
    }

    test('a discarded task leaves a withdrawal receipt and no incident', async () => {
      const [id = ''] = await seedTasks(database, { retries: 1 });
      await fetchOne();
      await reportFailure(database, failure(id));
      assert.equal((await discardTask(database, id))?.channel, 'score');
      assert.equal(await discardTask(database, id), null);
      assert.equal(await explainRefusal(database, id, 'w0', null), 'WITHDRAWN');
      assert.deepEqual(await query(database, 'SELECT id FROM incident WHERE resolved_at IS NULL'), []);
    });

    describe('why a call is refused', () => {
      const expire = `UPDATE external_task SET visible_at = now() - interval '1 millisecond'`;
      const unlock = `UPDATE external_task SET lock_owner = NULL, lock_token_hash = NULL`;
      const complete = `DELETE FROM external_task`;
      const table: readonly (readonly [string, string | null, string, Buffer | null, string])[] = [
        ['the current lock holds', null, 'w0', hash(0), 'HOLDS_LOCK'],
        ['without a token the worker id decides', null, 'w0', null, 'HOLDS_LOCK'],
        ['another token of mine is a later lock', null, 'w0', hash(5), 'LOCK_HELD'],
        ['another worker holds it', null, 'w9', null, 'LOCK_HELD'],
        ['my lock expired', expire, 'w0', hash(0), 'LOCK_LOST'],
        ['another lock expired', expire, 'w9', null, 'LOCK_LOST'],
        ['the lock was released', unlock, 'w0', hash(0), 'LOCK_LOST'],
        ['the task is gone', complete, 'w0', hash(0), 'NOT_FOUND'],
      ];
      for (const [title, change, workerId, tokenHash, verdict] of table) {
        test(`${title}: ${verdict}`, async () => {
          const [id = ''] = await seedTasks(database);
          await fetchOne();
          if (change !== null) await query(database, change);
          assert.equal(await explainRefusal(database, id, workerId, tokenHash), verdict);
          const failed = await reportFailure(database, failure(id, { workerId, tokenHash }));
          assert.equal(failed !== null, verdict === 'HOLDS_LOCK');
        });
      }

      test('a task that never was: NOT_FOUND', async () => {
        assert.equal(await explainRefusal(database, randomUUID(), 'w0', null), 'NOT_FOUND');
      });
    });
  });
}
