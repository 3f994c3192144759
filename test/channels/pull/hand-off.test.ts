import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { hashToken, type LockedTask } from '../../../channels/pull/claim-plan.ts';
import type { TermsByChannel } from '../../../channels/pull/channel-terms.ts';
import { FetchDesk } from '../../../channels/pull/fetch-desk.ts';
import { HandOff } from '../../../channels/pull/hand-off.ts';
import { silentLog, silentMeter } from '../../../engine/observe.ts';
import type { Database } from '../../../engine/store/database.ts';
import type { OutgoingRow } from '../../../engine/transport.ts';
import { testDatabases } from '../../support/database.ts';
import { clearTasks, counted, query, seedTasks, type CountedDatabase } from './parked-tasks.ts';

const LONG_MS = 60_000;
const DEFAULT_LOCK_MS = 45_000;
const none: ReadonlySet<string> = new Set();

function rowOf(changes: Partial<OutgoingRow> = {}): OutgoingRow {
  return {
    id: randomUUID(),
    transport: 'pull',
    deploymentId: 'dep-1',
    tenant: 'acme',
    module: 'scoring',
    version: '1.0.0',
    channel: 'score',
    processId: 'order',
    instanceId: randomUUID(),
    elementId: 'score',
    idempotencyKey: randomUUID(),
    headers: { trace: 'a' },
    contentType: 'application/json',
    body: Buffer.from('{"n":1}'),
    expectsAnswer: true,
    retries: 3,
    priority: 0,
    policy: { lockDurationMs: null, retryTimeoutMs: null },
    deadlineMs: null,
    ...changes,
  };
}

interface StoredTask {
  readonly id: string;
  readonly lock_owner: string | null;
  readonly lock_token_hash: Uint8Array | null;
  readonly generation: number;
  readonly lock_ms: number;
}

for (const target of testDatabases()) {
  describe(`hand-off on ${target.name}`, { timeout: 120_000 }, () => {
    let real: Database;
    let view: CountedDatabase;
    let desk: FetchDesk;
    let handOff: HandOff;

    before(async () => {
      real = await target.open();
    });
    after(() => real.close());
    beforeEach(() => {
      view = counted(real);
      desk = new FetchDesk({
        database: view.database,
        defaultLockDurationMs: DEFAULT_LOCK_MS,
        maxAttempts: null,
        replicaId: 'here',
        meter: silentMeter,
        log: silentLog,
        tickMs: LONG_MS,
      });
      desk.bind(['score', 'other'].map((name) => ({ name, deploymentId: 'dep-1' })));
      handOff = new HandOff({ desk, defaultLockDurationMs: DEFAULT_LOCK_MS, meter: silentMeter });
    });
    afterEach(async () => {
      await desk.stop();
      await clearTasks(real);
    });

    const claims = (): number => view.counts.get('fetch_and_lock') ?? 0;

    interface Wish {
      readonly workerId?: string;
      readonly channels?: readonly string[];
      readonly maxTasks?: number;
      readonly lockDurationMs?: number;
      readonly terms?: TermsByChannel;
      readonly signal?: AbortSignal;
    }

    /** A fetch that has looked and found nothing. */
    async function idleFetch(wish: Wish = {}): Promise<{ readonly tasks: Promise<readonly LockedTask[]> }> {
      const { signal = new AbortController().signal, ...demand } = wish;
      const statement = demand.terms === undefined ? 'fetch_and_lock' : 'fetch_and_lock_by_channel';
      const hasLooked = desk.waitingCount === 0 ? view.next(statement) : Promise.resolve();
      const tasks = desk.fetch(
        { workerId: 'w', channels: ['score'], maxTasks: 1, lockDurationMs: null, waitMs: LONG_MS, ...demand },
        signal,
      );
      await hasLooked;
      await new Promise((resolve) => setImmediate(resolve));
      return { tasks };
    }

    /** As a turn's commit does it. */
    async function park(rows: readonly OutgoingRow[], failed = none): Promise<void> {
      const parking = await real.transaction(async (runner) => {
        const begun = handOff.park(runner, rows, failed);
        await begun.written;
        return begun;
      });
      parking.settled(true);
    }

    function stored(): Promise<StoredTask[]> {
      return query<StoredTask>(
        real,
        `SELECT id, lock_owner, lock_token_hash, generation,
           (EXTRACT(EPOCH FROM visible_at - created_at) * 1000)::double precision AS lock_ms
         FROM external_task ORDER BY id`,
      );
    }

    test('a waiting fetch gets the task of the commit, locked, without a claim', async () => {
      const { tasks } = await idleFetch({ workerId: 'anna' });
      const before = claims();
      const row = rowOf();
      await park([row]);
      const [task] = await tasks;
      assert.equal(task?.id, row.id);
      assert.equal(task.generation, 1);
      assert.equal(claims(), before);
      const [kept] = await stored();
      assert.equal(kept?.lock_owner, 'anna');
      assert.deepEqual(Buffer.from(kept.lock_token_hash ?? []), hashToken(task.lockToken));
      assert.equal(kept.generation, 1);
      assert.equal(task.lockExpiresAt.getTime() - task.createdAt.getTime(), DEFAULT_LOCK_MS);
    });

    const durations: readonly {
      readonly name: string;
      readonly wish: Wish;
      readonly policyMs: number | null;
      readonly lockMs: number;
    }[] = [
      { name: 'the fetch', wish: { lockDurationMs: 1_000 }, policyMs: 2_000, lockMs: 1_000 },
      { name: 'the channel', wish: {}, policyMs: 2_000, lockMs: 2_000 },
      { name: 'the operator', wish: {}, policyMs: null, lockMs: DEFAULT_LOCK_MS },
    ];
    for (const { name, wish, policyMs, lockMs } of durations) {
      test(`the lock lasts as long as ${name} says`, async () => {
        const { tasks } = await idleFetch(wish);
        await park([rowOf({ policy: { lockDurationMs: policyMs, retryTimeoutMs: null } })]);
        assert.equal((await tasks)[0]?.lockMs, lockMs);
        assert.equal((await stored())[0]?.lock_ms, lockMs);
      });
    }

    test('oldest fetch first, one each and then one more each, high priority first, no more than asked for', async () => {
      const first = await idleFetch({ workerId: 'first', maxTasks: 2 });
      const second = await idleFetch({ workerId: 'second', maxTasks: 1 });
      const rows = [rowOf(), rowOf({ priority: 9 }), rowOf({ priority: 5 }), rowOf()];
      await park(rows);
      const idsOf = (tasks: readonly LockedTask[]): string[] => tasks.map(({ id }) => id).sort();
      assert.deepEqual(idsOf(await first.tasks), [rows[1]?.id ?? '', rows[0]?.id ?? ''].sort());
      assert.deepEqual(idsOf(await second.tasks), [rows[2]?.id]);
      const open = (await stored()).filter((task) => task.lock_owner === null);
      assert.deepEqual(
        open.map(({ id, generation }) => ({ id, generation })),
        [{ id: rows[3]?.id, generation: 0 }],
      );
    });

    test('what nobody waits for can be fetched afterwards', async () => {
      const { tasks } = await idleFetch({ channels: ['other'] });
      const row = rowOf();
      await park([row]);
      const fetched = await desk.fetch(
        { workerId: 'w', channels: ['score'], maxTasks: 1, lockDurationMs: null, waitMs: 0 },
        new AbortController().signal,
      );
      assert.equal(fetched[0]?.id, row.id);
      await desk.stop();
      assert.deepEqual(await tasks, []);
    });

    test('a task of an instance that failed in the same commit is handed to nobody', async () => {
      const { tasks } = await idleFetch();
      const row = rowOf();
      await park([row], new Set([row.instanceId]));
      assert.equal((await stored())[0]?.lock_owner, null);
      await desk.stop();
      assert.deepEqual(await tasks, []);
    });

    test('without the commit the fetch looks for itself, and finds what was parked meanwhile', async () => {
      const { tasks } = await idleFetch();
      let parking: ReturnType<HandOff['park']> | undefined;
      await assert.rejects(
        real.transaction(async (runner) => {
          parking = handOff.park(runner, [rowOf()], none);
          await parking.written;
          throw new Error('the turn fails');
        }),
        /the turn fails/,
      );
      // Nobody is idle now, so this wake finds no fetch.
      const [other] = await seedTasks(real);
      desk.parked(new Map([['score', 1]]));
      await new Promise((resolve) => setTimeout(resolve, 20));
      parking?.settled(false);
      assert.deepEqual(
        (await tasks).map(({ id }) => id),
        [other],
      );
      assert.equal((await stored()).length, 1);
    });

    test('a lock ends at the deadline, and a task past it is handed to nobody', async () => {
      const first = await idleFetch({ workerId: 'first' });
      const second = await idleFetch({ workerId: 'second' });
      const ahead = Date.now() + 20_000;
      const [late, timely] = [rowOf({ deadlineMs: Date.now() - 1_000 }), rowOf({ deadlineMs: ahead })];
      const hasLooked = view.next('fetch_and_lock');
      await park([late, timely]);
      const [task] = await second.tasks;
      assert.equal(task?.id, timely.id);
      assert.deepEqual([task.lockExpiresAt.getTime(), task.deadline?.getTime()], [ahead, ahead]);
      const kept = (await stored()).find(({ id }) => id === late.id);
      assert.deepEqual([kept?.lock_owner, kept?.lock_token_hash, kept?.generation], [null, null, 0]);
      // The fetch that it was meant for waits on, as good as any other.
      const row = rowOf();
      await hasLooked;
      await new Promise((resolve) => setImmediate(resolve));
      await park([row]);
      assert.deepEqual(
        (await first.tasks).map(({ id }) => id),
        [row.id],
      );
    });

    test('a fetch gets no more of a channel, and no longer locks, than it asked for there', async () => {
      const terms = new Map([['score', { maxTasks: 2, lockDurationMs: 7_000 }]]);
      const { tasks } = await idleFetch({
        channels: ['score', 'other'],
        maxTasks: 5,
        lockDurationMs: 1_000,
        terms,
      });
      await park(Array.from({ length: 4 }, () => rowOf()));
      const handed = await tasks;
      assert.deepEqual(
        handed.map(({ lockMs }) => lockMs),
        [7_000, 7_000],
      );
      assert.equal((await stored()).filter(({ lock_owner }) => lock_owner === null).length, 2);
    });

    test('a fetch that hangs up before the commit gives its lock back', async () => {
      const hangUp = new AbortController();
      const { tasks } = await idleFetch({ signal: hangUp.signal });
      const row = rowOf();
      const parking = await real.transaction(async (runner) => {
        const begun = handOff.park(runner, [row], none);
        await begun.written;
        return begun;
      });
      hangUp.abort();
      parking.settled(true);
      assert.deepEqual(await tasks, []);
      await desk.stop();
      const [kept] = await stored();
      assert.equal(kept?.lock_owner, null);
      assert.equal(kept.lock_ms, 0);
    });
  });
}
