/** Timer start events through a whole engine. Loops of due rows themselves: clock.test.ts. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Database } from '../../engine/store/database.ts';
import { becomes } from '../deployments/states.ts';
import { testDatabases } from '../support/database.ts';
import { TestEngine } from '../support/engine.ts';
import { call, flows, packageFiles } from '../support/packages.ts';

const timerStart = (timer: string): string =>
  `<startEvent id="start"><timerEventDefinition id="timer">${timer}</timerEventDefinition></startEvent>
   <userTask id="look"/><endEvent id="end"/>${flows('start -> look', 'look -> end')}`;

const cycle = (text: string): string => timerStart(`<timeCycle>${text}</timeCycle>`);

/** One process with that start, in a module of its own; `version` tells packages with equal models apart. */
function timed(module: string, inside: string, version = '1.0.0'): Record<string, string> {
  return packageFiles({
    module,
    version,
    channels: `  - { name: ${module}-work, transport: pull }`,
    processes: { [module]: inside },
  });
}

const withoutTimer = (module: string): string =>
  `<startEvent id="start"/>${call('work', `${module}-work`)}<endEvent id="end"/>${flows('start -> work', 'work -> end')}`;

interface ShownTimer {
  readonly dueAt: string;
  readonly remaining: number | null;
}

async function timersOf(engine: TestEngine, id: string): Promise<readonly ShownTimer[]> {
  const answer = await engine.get(`/sutra/deployments/${id}`);
  return (answer.body as unknown as { startTimers: readonly ShownTimer[] }).startTimers;
}

async function startedBy(engine: TestEngine, processId: string): Promise<number> {
  return (await engine.get(`/sutra/instances?processId=${processId}&limit=200`)).body.instances.length;
}

/** As if time had passed: the deployment's timer has been due for so long. */
async function makeDue(database: Database, id: string, forMs: number): Promise<void> {
  const text = `
UPDATE start_timer
SET due_at = now() - $2::double precision * interval '1 millisecond'
WHERE deployment_id = $1::text`;
  await database.run({ name: 'test_make_due', text }, [id, forMs]);
}

for (const target of testDatabases()) {
  describe(`timer start events on ${target.name}`, () => {
    let engine: TestEngine;
    before(async () => {
      engine = await TestEngine.start({ database: await target.open() });
    });
    after(() => engine.stop());

    it('start as many instances as their cycle says, and no more', async () => {
      const files = timed('twice', cycle('R2/PT1M'));
      const id = await engine.deploy(files);
      const [armed] = await timersOf(engine, id);
      assert.equal(armed?.remaining, 1);
      for (const [count, left] of [
        [1, [0]],
        [2, []],
      ] as const) {
        await makeDue(engine.engine.database, id, 5);
        // Deployed again, nothing is armed anew, but the clock looks at once.
        await engine.deploy(files);
        await becomes(() => startedBy(engine, 'twice'), count);
        await becomes(async () => (await timersOf(engine, id)).map(({ remaining }) => remaining), [...left]);
      }
      const text = (await engine.get('/metrics')).body as unknown as string;
      assert.match(text, /sutra_start_timers_fired_total [1-9]/);
      assert.match(text, /sutra_start_timer_lateness_seconds_count [1-9]/);
    });

    const onceRows: readonly (readonly [string, string, string])[] = [
      ['a duration', 'lasting', '<timeDuration>PT0.1S</timeDuration>'],
      ['a date that has passed', 'passed', '<timeDate>2020-01-01T00:00:00Z</timeDate>'],
      ['an expression', 'computed', '<timeDuration>=duration("PT0S")</timeDuration>'],
    ];
    for (const [title, module, timer] of onceRows) {
      it(`start one instance at ${title}`, async () => {
        const id = await engine.deploy(timed(module, timerStart(timer)));
        await becomes(() => startedBy(engine, module), 1);
        assert.deepEqual(await timersOf(engine, id), []);
        const [instance] = (await engine.get(`/sutra/instances?processId=${module}`)).body.instances;
        const history = await engine.get(`/sutra/instances/${instance?.id ?? ''}/history`);
        const { entries } = history.body as unknown as {
          entries: readonly { event: string; elementId: string | null }[];
        };
        const started = entries.find(({ event }) => event === 'started');
        assert.equal(started?.elementId, 'start');
      });
    }

    it('keep their times when the same bytes are deployed again', async () => {
      const files = timed('again', cycle('R/PT1M'));
      const id = await engine.deploy(files);
      const before = await timersOf(engine, id);
      assert.equal(before.length, 1);
      assert.equal(await engine.deploy(files), id);
      assert.deepEqual(await timersOf(engine, id), before);
    });

    it('stop with their version, also when it is only drained, and begin anew when it comes back', async () => {
      const old = await engine.deploy(timed('ticking', cycle('R/PT0.05S')));
      await becomes(async () => (await startedBy(engine, 'ticking')) >= 2, true);
      const other = await engine.deploy(timed('ticking', withoutTimer('ticking'), '2.0.0'));
      assert.deepEqual(await timersOf(engine, old), []);
      const count = await startedBy(engine, 'ticking');
      await new Promise((resolve) => setTimeout(resolve, 300));
      assert.equal(await startedBy(engine, 'ticking'), count);
      await engine.call('DELETE', `/admin/deployments/${other}`);
      assert.equal(await engine.deploy(timed('ticking', cycle('R/PT0.05S'))), old);
      await becomes(async () => (await startedBy(engine, 'ticking')) > count, true);
      await engine.call('DELETE', `/admin/deployments/${old}`);
      const last = await startedBy(engine, 'ticking');
      await new Promise((resolve) => setTimeout(resolve, 300));
      assert.equal(await startedBy(engine, 'ticking'), last);
    });

    it('refuse a package whose expression gives no time, and keep nothing of it', async () => {
      const files = timed('broken', timerStart('<timeDuration>=order.pause</timeDuration>'));
      const answer = await engine.post('/admin/deployments', {
        files: Object.entries(files).map(([path, text]) => ({ path, text })),
      });
      assert.equal(answer.status, 422);
      assert.equal(answer.body.code, 'SUTRA.DEPLOYMENT.START_TIMER_INVALID');
      assert.equal((await engine.get('/sutra/deployments?module=broken')).body.deployments.length, 0);
    });
  });

  describe(`timer start events after a downtime on ${target.name}`, () => {
    it('start one instance for all the times that were missed, and count them all', async () => {
      const store = await target.create();
      const running: TestEngine[] = [];
      const boot = async (): Promise<TestEngine> => {
        const engine = await TestEngine.start({ database: await store.open() });
        running.push(engine);
        return engine;
      };
      try {
        const first = await boot();
        const id = await first.deploy(timed('missed', cycle('R100/PT1M')));
        await first.stop();
        const database = await store.open();
        await makeDue(database, id, 150_000);
        await database.close();
        const second = await boot();
        // Three times are spent: those that were due 150, 90 and 30 seconds ago.
        await becomes(async () => (await timersOf(second, id)).map(({ remaining }) => remaining), [96]);
        const dueAt = (await timersOf(second, id))[0]?.dueAt ?? '';
        const dueInMs = Date.parse(dueAt) - Date.now();
        assert.ok(dueInMs > 0 && dueInMs <= 60_000, `the next one is due in ${String(dueInMs)} ms`);
        assert.equal(await startedBy(second, 'missed'), 1);
      } finally {
        for (const engine of running) await engine.stop();
        await store.drop();
      }
    });
  });
}

for (const target of testDatabases().filter(({ name }) => name === 'postgresql')) {
  describe(`timer start events of two replicas on ${target.name}`, () => {
    it('start one instance each time', async () => {
      const store = await target.create();
      const boot = async (): Promise<TestEngine> =>
        TestEngine.start({
          database: await store.open(),
          env: { SUTRA_DEPLOYMENTS_POLL_INTERVAL: 'PT0.1S' },
        });
      const replicas = await Promise.all([boot(), boot()]);
      const [one, other] = replicas;
      assert.ok(one !== undefined && other !== undefined);
      try {
        const files = timed('shared', cycle('R/PT1H'));
        const id = await one.deploy(files);
        for (let round = 1; round <= 8; round += 1) {
          await makeDue(one.engine.database, id, 1);
          // Deployed again, nothing is armed anew, but the clocks of both look at once.
          await Promise.all(replicas.map((engine) => engine.deploy(files)));
          await becomes(() => startedBy(one, 'shared'), round);
        }
        const dueAt = (await timersOf(other, id))[0]?.dueAt ?? '';
        assert.ok(Date.parse(dueAt) > Date.now());
        assert.equal(await startedBy(other, 'shared'), 8);
      } finally {
        await Promise.all(replicas.map((engine) => engine.stop()));
        await store.drop();
      }
    });
  });
}
