import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import { EngineError } from '../../config/engine-error.ts';
import { Clock } from '../../engine/clock/clock.ts';
import type { ClockOptions } from '../../engine/clock/clock.ts';
import type { SettledTurn, TimerPort } from '../../engine/intake/ports.ts';
import { silentLog, silentMeter } from '../../engine/observe.ts';
import type { Database } from '../../engine/store/database.ts';
import {
  deleteTimers,
  insertTimers,
  lockTimers,
  nextTimerDue,
  timersExist,
} from '../../engine/store/timers.ts';
import type { TimerKey, TimerRow } from '../../engine/store/timers.ts';
import { Signal, WatchedRunner, clearTables, keepProcessAlive, outage } from '../relay/fixtures.ts';
import { testDatabases } from '../support/database.ts';

keepProcessAlive();

/** Fires as the turns do: lock, delete, commit. What was committed is recorded. */
class LockingPort implements TimerPort {
  readonly signal = new Signal();
  readonly fired: string[] = [];
  asked = 0;
  before: (timer: TimerKey) => SettledTurn | 'fire' = () => 'fire';
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async fireTimer(timer: TimerKey): Promise<SettledTurn> {
    this.asked += 1;
    try {
      const decided = this.before(timer);
      if (decided !== 'fire') return decided;
      return await this.#fire(timer);
    } finally {
      setImmediate(() => this.signal.notify());
    }
  }

  async #fire(timer: TimerKey): Promise<SettledTurn> {
    const settled = await this.#database.transaction(async (connection): Promise<SettledTurn> => {
      const [locked] = await lockTimers(connection, [timer]);
      if (locked !== undefined) {
        await deleteTimers(connection, [timer]);
        return 'done';
      }
      return (await timersExist(connection, [timer])).length === 0 ? 'gone' : 'busy';
    });
    if (settled === 'done') this.fired.push(keyOf(timer));
    return settled;
  }
}

function keyOf(timer: TimerKey): string {
  return `${timer.instanceId} ${String(timer.waitId)}`;
}

for (const target of testDatabases()) {
  describe(`the clock on ${target.name}`, () => {
    let database: Database;
    let nowMs: number;
    let port: LockingPort;
    const clocks: Clock[] = [];
    before(async () => {
      database = await target.open();
    });
    beforeEach(async () => {
      await Promise.all(clocks.splice(0).map((clock) => clock.stop()));
      await clearTables(database);
      nowMs = (await nextTimerDue(database)).nowMs;
      port = new LockingPort(database);
    });
    after(async () => {
      await Promise.all(clocks.map((clock) => clock.stop()));
      await database.close();
    });

    function clockOver(changes: Partial<ClockOptions> = {}) {
      const runner = new WatchedRunner(database);
      const clock = new Clock({
        database: runner,
        timers: port,
        meter: silentMeter,
        log: silentLog,
        random: () => 0,
        maxSleepMs: 3_600_000,
        ...changes,
      });
      clocks.push(clock);
      return { clock, runner };
    }

    async function setTimers(count: number, inMs: number): Promise<readonly TimerRow[]> {
      const rows = Array.from({ length: count }, (_, waitId) => ({
        instanceId: randomUUID(),
        waitId,
        elementId: 'Timer_1',
        partId: null,
        dueAtMs: nowMs + inMs,
      }));
      await insertTimers(database, rows);
      return rows;
    }

    test(`C1: two replicas fire each timer exactly once (${target.name})`, async () => {
      const rows = await setTimers(150, -1_000);
      const ports = [port, new LockingPort(database)];
      for (const timers of ports) {
        await clockOver({ timers }).clock.start();
      }
      const fired = (): readonly string[] => ports.flatMap((each) => each.fired);
      await Promise.race(ports.map((each) => each.signal.until(() => fired().length >= rows.length)));
      await Promise.all(clocks.map((clock) => clock.stop()));
      assert.deepEqual([...fired()].sort(), rows.map(keyOf).sort());
      assert.deepEqual(await timersExist(database, rows), []);
    });

    test(`more timers than one batch holds all fire (${target.name})`, async () => {
      const rows = await setTimers(450, -1_000);
      const { clock } = clockOver();
      await clock.start();
      await port.signal.until(() => port.fired.length === rows.length);
    });

    test(`C2: the clock wakes for the next due time and asks nothing in between (${target.name})`, async () => {
      await setTimers(1, 400);
      const { clock, runner } = clockOver();
      await clock.start();
      await port.signal.until(() => port.fired.length === 1);
      const { nowMs: firedAt } = await nextTimerDue(database);
      assert.ok(firedAt >= nowMs + 400);
      assert.ok(runner.count('due_timers') <= 3, `${String(runner.count('due_timers'))} looks`);
    });

    test(`an earlier timer that was set here wakes the clock for itself (${target.name})`, async () => {
      await setTimers(1, 3_000_000);
      const { clock, runner } = clockOver();
      await clock.start();
      await runner.signal.until(() => runner.count('next_timer_due') === 1);
      const sinceMs = (await nextTimerDue(database)).nowMs - nowMs;
      const [row] = await setTimers(1, sinceMs + 300);
      clock.noticeTimer(row?.dueAtMs ?? 0);
      clock.noticeTimer(nowMs + 5_000_000);
      await port.signal.until(() => port.fired.length === 1);
      assert.ok((await nextTimerDue(database)).nowMs >= (row?.dueAtMs ?? 0));
      assert.ok(runner.count('due_timers') <= 4);
    });

    test(`C4: a timer that a dead replica set is noticed after the longest sleep (${target.name})`, async () => {
      const { clock, runner } = clockOver({ maxSleepMs: 30 });
      await clock.start();
      await runner.signal.until(() => runner.count('next_timer_due') === 1);
      await setTimers(1, 0);
      await port.signal.until(() => port.fired.length === 1);
    });

    test(`busy timers come again, and hold up no other (${target.name})`, async () => {
      const busy = new Set((await setTimers(220, -2_000)).map(keyOf));
      await setTimers(20, -1_000);
      let isHeld = true;
      port.before = (timer) => (isHeld && busy.has(keyOf(timer)) ? 'busy' : 'fire');
      const { clock } = clockOver();
      await clock.start();
      await port.signal.until(() => port.fired.length === 20);
      isHeld = false;
      await port.signal.until(() => port.fired.length === 240);
    });

    test(`C3: a timer that cannot be fired is tried seldom, and the others on time (${target.name})`, async () => {
      const [broken] = await setTimers(1, -60_000);
      let tries = 0;
      port.before = (timer) => {
        if (timer.instanceId !== broken?.instanceId) return 'fire';
        tries += 1;
        throw new TypeError('a bug');
      };
      const { clock } = clockOver();
      await clock.start();
      await port.signal.until(() => tries === 1);
      const sinceMs = (await nextTimerDue(database)).nowMs - nowMs;
      const rows = await setTimers(3, sinceMs + 200);
      clock.noticeTimer(rows[0]?.dueAtMs ?? 0);
      await port.signal.until(() => port.fired.length === 3);
      assert.ok(tries <= 2, String(tries));
      assert.equal((await timersExist(database, broken === undefined ? [] : [broken])).length, 1);
    });

    test(`a full engine ends the pass, and the timers come later (${target.name})`, async () => {
      await setTimers(300, -1_000);
      let isFull = true;
      port.before = () => {
        if (isFull) throw new EngineError('SUTRA.INTAKE.CAPACITY', 'full');
        return 'fire';
      };
      const { clock, runner } = clockOver();
      await clock.start();
      await runner.signal.until(() => runner.count('due_timers') >= 2);
      isFull = false;
      await port.signal.until(() => port.fired.length === 300);
    });

    test(`C5: through an outage the clock neither spins nor ends, and goes on by itself (${target.name})`, async () => {
      await setTimers(5, -1_000);
      const { clock, runner } = clockOver();
      runner.isAway = true;
      const startedAt = performance.now();
      await clock.start();
      await runner.signal.until(() => {
        for (let index = 0; index < 200; index += 1) clock.noticeTimer(nowMs);
        return runner.names.length >= 3;
      });
      assert.ok(performance.now() - startedAt >= 140);
      runner.isAway = false;
      await port.signal.until(() => port.fired.length === 5);
    });

    test(`C5: a database that goes away while firing costs no timer (${target.name})`, async () => {
      await setTimers(10, -1_000);
      let failures = 0;
      port.before = () => {
        if (failures >= 25) return 'fire';
        failures += 1;
        throw outage();
      };
      const { clock } = clockOver();
      await clock.start();
      await port.signal.until(() => port.fired.length === 10);
    });

    test(`after stop nothing runs, and stop is idempotent and legal before start (${target.name})`, async () => {
      const { clock, runner } = clockOver();
      await clock.start();
      await Promise.all([clock.stop(), clock.stop()]);
      const statements = runner.names.length;
      clock.noticeTimer(0);
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      assert.equal(runner.names.length, statements);
      const unstarted = clockOver().clock;
      unstarted.noticeTimer(0);
      await unstarted.stop();
    });
  });
}
