/** A lock by the task's id, and an operator's changes: what the facades do with tasks, as operations. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, describe, test } from 'node:test';
import { hashToken } from '../../../channels/pull/claim-plan.ts';
import { pullCodes } from '../../../channels/pull/codes.ts';
import { FetchDesk } from '../../../channels/pull/fetch-desk.ts';
import { LockOperations } from '../../../channels/pull/lock-operations.ts';
import { EngineError } from '../../../config/engine-error.ts';
import { silentLog, silentMeter } from '../../../engine/observe.ts';
import type { Database } from '../../../engine/store/database.ts';
import { reportFailure } from '../../../engine/store/external-tasks-failure.ts';
import { testDatabases } from '../../support/database.ts';
import { testSettings } from '../../server/fixture.ts';
import { clearTasks, query, seedTasks, type Seed } from './parked-tasks.ts';

const { externalTask: settings } = testSettings;

interface Row {
  readonly state: string;
  readonly owner: string | null;
  readonly hash: Buffer | null;
  readonly generation: number;
  readonly retries: number;
  readonly priority: number;
  readonly lost: number;
  readonly left_ms: number;
  readonly progress: string | null;
  readonly failed: boolean;
}

function refusedAs(code: string, ...words: readonly string[]): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof EngineError, String(error));
    assert.equal(error.code, `SUTRA.EXTERNAL_TASK.${code}`, error.message);
    assert.ok(Object.hasOwn(pullCodes, error.code));
    for (const word of words) assert.ok(error.message.includes(word), `${word} is not in ${error.message}`);
    return true;
  };
}

for (const target of testDatabases()) {
  describe(`an operator's locks on ${target.name}`, { timeout: 120_000 }, () => {
    let database: Database;
    let desk: FetchDesk;
    let locks: LockOperations;
    before(async () => {
      database = await target.open();
      desk = new FetchDesk({
        database,
        defaultLockDurationMs: 30_000,
        maxAttempts: null,
        replicaId: 'here',
        meter: silentMeter,
        log: silentLog,
        // No look but those that something here asks for.
        tickMs: 60_000,
      });
      desk.bind([{ name: 'score', deploymentId: 'dep-1' }]);
      locks = new LockOperations({
        database,
        settings,
        desk,
        writeJson: JSON.stringify,
        meter: silentMeter,
        log: silentLog,
      });
    });
    after(async () => {
      await desk.stop();
      await database.close();
    });
    afterEach(() => clearTasks(database));

    const seedOne = async (seed: Seed = {}): Promise<string> => (await seedTasks(database, seed))[0] ?? '';
    const lock = (id: string, workerId = 'w', lockDuration = 'PT1M'): ReturnType<LockOperations['lock']> =>
      locks.lock(id, { workerId, lockDuration });
    const change = (assignment: string): Promise<unknown> =>
      query(database, `UPDATE external_task SET ${assignment}`);
    async function row(): Promise<Row> {
      const [found] = await query<Row>(
        database,
        `SELECT state, lock_owner AS owner, lock_token_hash AS hash, generation, retries, priority, lost_locks AS lost, progress,
           (EXTRACT(EPOCH FROM visible_at - now()) * 1000)::double precision AS left_ms, failed_at IS NOT NULL AS failed
         FROM external_task`,
      );
      assert.ok(found);
      return found;
    }
    const incidents = (): Promise<{ open: boolean; message: string }[]> =>
      query(database, 'SELECT resolved_at IS NULL AS open, message FROM incident ORDER BY id');

    describe('a lock by id', () => {
      test('is a new generation with a token of its own, and the proof of all later calls', async () => {
        const id = await seedOne();
        const { lockToken, lockExpiresAt, ...rest } = await lock(id.toUpperCase());
        assert.deepEqual(Object.keys(rest).sort(), ['channel', 'instanceId', 'taskId']);
        assert.deepEqual([rest.taskId, rest.channel], [id, 'score']);
        const now = await row();
        assert.deepEqual([now.owner, now.generation, now.lost], ['w', 1, 0]);
        assert.deepEqual(now.hash, hashToken(lockToken));
        assert.ok(now.left_ms > 30_000 && now.left_ms <= 60_000);
        assert.equal(lockExpiresAt, new Date(lockExpiresAt).toISOString());
        assert.equal((await locks.unlock(id, { workerId: 'w', lockToken })).status, 'PENDING');
      });

      test('of the same worker replaces its own, whose token is worth nothing then', async () => {
        const id = await seedOne();
        const older = await lock(id);
        await locks.progress(id, { workerId: 'w', progress: 1 });
        const newer = await lock(id);
        const now = await row();
        assert.deepEqual([now.generation, now.lost, now.progress], [2, 0, null]);
        const asOf = ({ lockToken }: { lockToken: string }): Promise<unknown> =>
          locks.extendLock(id, { workerId: 'w', lockToken, lockDuration: 'PT1M' });
        await assert.rejects(asOf(older), refusedAs('LOCK_HELD'));
        await asOf(newer);
      });

      test('does not wait for a retry time, and counts a lock that ran out', async () => {
        const id = await seedOne({ visibleInMs: 60_000 });
        await lock(id);
        await change(`visible_at = now() - interval '1 second'`);
        await lock(id, 'other');
        const now = await row();
        assert.deepEqual([now.owner, now.generation, now.lost], ['other', 2, 1]);
      });

      test('ends at the deadline', async () => {
        const id = await seedOne({ deadlineInMs: 20_000 });
        await lock(id);
        assert.ok((await row()).left_ms <= 20_000);
      });

      const refused: readonly (readonly [string, string, Seed, (id: string) => Promise<unknown>])[] = [
        ['LOCK_HELD', 'while another worker holds it', {}, (id) => lock(id, 'other')],
        ['TERMINAL', 'once it is terminal', {}, () => change(`state = 'failed', failed_at = now()`)],
        ['NOT_LOCKABLE', 'while its instance has failed', { isHeld: true }, () => Promise.resolve()],
        ['NOT_LOCKABLE', 'after its deadline', { deadlineInMs: -1 }, () => Promise.resolve()],
        ['NOT_FOUND', 'once it is gone', {}, () => query(database, 'DELETE FROM external_task')],
      ];
      for (const [code, title, seed, prepare] of refused) {
        test(`is refused as ${code} ${title}`, async () => {
          const id = await seedOne(seed);
          await prepare(id);
          await assert.rejects(lock(id), refusedAs(code, id));
        });
      }

      for (const [title, id, body, words] of [
        ['without a lockDuration', randomUUID(), { workerId: 'w' }, ['lockDuration', 'required']],
        ['over the ceiling', randomUUID(), { workerId: 'w', lockDuration: 'P1D' }, ['P1D', 'PT1H']],
        ['without a workerId', randomUUID(), { lockDuration: 'PT1M' }, ['workerId']],
        ['with a token', randomUUID(), { workerId: 'w', lockToken: 'x' }, ['lockToken', 'unknown']],
        ['with an id that is none', 'x', { workerId: 'w', lockDuration: 'PT1M' }, ['UUID']],
      ] as const) {
        test(`is refused ${title}`, async () => {
          await assert.rejects(locks.lock(id, body), refusedAs('REQUEST_INVALID', ...words));
        });
      }

      test('of many at once goes to one', async () => {
        const id = await seedOne();
        const names = Array.from({ length: 8 }, (_, index) => `w${index}`);
        const outcomes = await Promise.allSettled(names.map((name) => lock(id, name)));
        assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
        for (const outcome of outcomes)
          if (outcome.status === 'rejected') refusedAs('LOCK_HELD')(outcome.reason);
        assert.equal((await row()).generation, 1);
      });
    });

    describe('an adjustment', () => {
      test('to no retries ends the lock, makes the task terminal and raises one incident', async () => {
        const id = await seedOne();
        await lock(id);
        const answer = await locks.adjust(id, { retries: 0 });
        assert.deepEqual(Object.keys(answer).sort(), ['channel', 'instanceId', 'taskId']);
        await locks.adjust(id, { retries: 0 });
        const now = await row();
        assert.deepEqual([now.state, now.owner, now.retries, now.failed], ['failed', null, 0, true]);
        assert.deepEqual(await incidents(), [{ open: true, message: 'an operator set its retries to 0' }]);
        await assert.rejects(locks.unlock(id, { workerId: 'w' }), refusedAs('TERMINAL'));
      });

      test('of a bound task to no retries tells the instance, and raises no incident', async () => {
        const id = await seedOne({ policy: { terminalWaitId: 7, terminalPartId: null } });
        await locks.adjust(id, { retries: 0 });
        assert.deepEqual(await incidents(), []);
        assert.deepEqual(await query(database, 'SELECT wait_id AS wait FROM timer'), [{ wait: 7 }]);
      });

      test('to more retries opens a terminal task, closes its incident and wakes a fetch', async () => {
        const id = await seedOne({ retries: 1 });
        await lock(id);
        await reportFailure(database, {
          taskId: id,
          workerId: 'w',
          tokenHash: null,
          retries: null,
          retryTimeoutMs: null,
          defaultRetryTimeoutMs: 60_000,
          errorMessage: 'no',
          errorDetails: null,
          incidentId: randomUUID(),
        });
        const demand = { channels: ['score'], maxTasks: 1, lockDurationMs: null, waitMs: 20_000 };
        const waiting = desk.fetch({ workerId: 'w', ...demand }, new AbortController().signal);
        await new Promise((resolve) => setTimeout(resolve, 100));
        await locks.adjust(id, { retries: 5, priority: 9 });
        const [task] = await waiting;
        assert.deepEqual([task?.id, task?.retries, task?.priority], [id, 5, 9]);
        assert.deepEqual(await incidents(), [{ open: false, message: 'no' }]);
      });

      test('of retries and priority leaves the lock and the retry time as they are', async () => {
        const id = await seedOne({ visibleInMs: 60_000 });
        await locks.adjust(id, { retries: 7, priority: -2_147_483_648 });
        const now = await row();
        assert.deepEqual([now.retries, now.priority, now.owner], [7, -2_147_483_648, null]);
        assert.ok(now.left_ms > 30_000, 'it waits on');
        await lock(id);
        await locks.adjust(id, { retries: 1, priority: 2_147_483_647 });
        assert.deepEqual([(await row()).owner, (await row()).priority], ['w', 2_147_483_647]);
      });

      test('of the lock duration extends it, to the deadline at most', async () => {
        const id = await seedOne({ deadlineInMs: 600_000 });
        await lock(id);
        await locks.adjust(id, { lockDuration: 'PT5M' });
        assert.ok((await row()).left_ms > 200_000);
        await locks.adjust(id, { lockDuration: 'PT1H' });
        assert.ok((await row()).left_ms <= 600_000);
      });

      test('of a lock that is not there is refused, and changes nothing else', async () => {
        const id = await seedOne();
        const both = { lockDuration: 'PT5M', retries: 9 };
        await assert.rejects(locks.adjust(id, both), refusedAs('LOCK_LOST', id));
        await change(`state = 'failed', failed_at = now()`);
        await assert.rejects(locks.adjust(id, both), refusedAs('LOCK_LOST', id));
        assert.equal((await row()).retries, 3);
        await assert.rejects(locks.adjust(randomUUID(), { retries: 1 }), refusedAs('NOT_FOUND'));
      });

      for (const [title, body, words] of [
        ['of nothing', {}, ['none of', 'retries']],
        ['of retries over the ceiling', { retries: 1_001 }, ['1001', 'max-retries', '1000']],
        ['of negative retries', { retries: -1 }, ['-1', '0']],
        ['of retries as a string', { retries: '1' }, ['retries', 'a string']],
        ['of a priority that is no integer', { priority: 1.5 }, ['priority', '1.5']],
        ['of a priority that no row can hold', { priority: 2_147_483_648 }, ['priority', '2147483648']],
        ['of a lock over the ceiling', { lockDuration: 'PT2H' }, ['PT2H', 'PT1H']],
        ['of a lock that the same change ends', { lockDuration: 'PT1M', retries: 0 }, ['lockDuration', '0']],
        ['of something else', { workerId: 'w' }, ['workerId', 'unknown']],
      ] as const) {
        test(`${title} is refused`, async () => {
          await assert.rejects(locks.adjust(randomUUID(), body), refusedAs('REQUEST_INVALID', ...words));
        });
      }
    });
  });
}
