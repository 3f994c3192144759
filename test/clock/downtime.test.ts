/** A whole engine that was down for ten times of a cycle, of a start timer and of a timer inside an instance. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Database } from '../../engine/store/database.ts';
import { becomes } from '../deployments/states.ts';
import { testDatabases, type TestDatabase } from '../support/database.ts';
import { TestEngine, type InstanceAnswer } from '../support/engine.ts';
import { flows, packageFiles } from '../support/packages.ts';

const MINUTE_MS = 60_000;
/** Its first time passed so long ago, and the tenth half a minute. */
const DOWNTIME_MS = 9.5 * MINUTE_MS;

const cycleOf = (text: string): string =>
  `<timerEventDefinition id="timer"><timeCycle>${text}</timeCycle></timerEventDefinition>`;

/** How often a cycle fires, and what is left of it after ten times; null: nothing. */
const cycles = [
  [12, 1],
  [10, null],
  [4, null],
] as const;

const files = packageFiles({
  channels: '  - { name: unused, transport: pull }',
  processes: Object.fromEntries(
    cycles.flatMap(([repetitions]) => {
      const repeating = cycleOf(`R${String(repetitions)}/PT1M`);
      return [
        [
          `inside-${String(repetitions)}`,
          `<startEvent id="start"/><userTask id="work"/><endEvent id="end"/><userTask id="remind"/>
           <boundaryEvent id="tick" attachedToRef="work" cancelActivity="false">${repeating}</boundaryEvent>
           ${flows('start -> work', 'work -> end', 'tick -> remind')}`,
        ],
        [
          `started-${String(repetitions)}`,
          `<startEvent id="start">${repeating}</startEvent><userTask id="look"/>${flows('start -> look')}`,
        ],
      ];
    }),
  ),
});

/** As if time had passed. What an instance knows of its timer is in the snapshot, too. */
async function passTime(database: Database): Promise<void> {
  const move = `- ${String(DOWNTIME_MS + MINUTE_MS)}::double precision * interval '1 millisecond'`;
  const texts = [
    `UPDATE start_timer SET due_at = due_at ${move}`,
    `UPDATE instance SET snapshot = replace(snapshot, floor(extract(epoch FROM t.due_at) * 1000)::bigint::text,
       floor(extract(epoch FROM t.due_at ${move}) * 1000)::bigint::text)
     FROM timer AS t WHERE t.instance_id = instance.id`,
    `UPDATE timer SET due_at = due_at ${move}`,
  ];
  for (const [index, text] of texts.entries())
    await database.run({ name: `test_pass_${String(index)}`, text }, []);
}

interface ShownTimer {
  readonly dueAt: string;
  readonly remaining: number | null;
}

interface Shown extends InstanceAnswer {
  readonly waits: readonly {
    readonly kind: string;
    readonly dueAt: string;
    readonly cycle: { readonly remaining: number | null } | null;
  }[];
}

/** The next time is on the grid of before. */
function assertNext(timers: readonly ShownTimer[], left: number | null): void {
  assert.deepEqual(
    timers.map(({ remaining }) => remaining),
    left === null ? [] : [left],
  );
  for (const { dueAt } of timers) {
    const dueInMs = Date.parse(dueAt) - Date.now();
    assert.ok(dueInMs > 0 && dueInMs <= MINUTE_MS / 2, `the next one is due in ${String(dueInMs)} ms`);
  }
}

for (const target of testDatabases()) {
  describe(`ten times of a cycle in a downtime on ${target.name}`, { timeout: 120_000 }, () => {
    const running: TestEngine[] = [];
    let store: TestDatabase;
    let engine: TestEngine;
    let deploymentId: string;
    const instanceIds = new Map<number, string>();
    const boot = async (): Promise<TestEngine> => {
      const booted = await TestEngine.start({ database: await store.open() });
      running.push(booted);
      return booted;
    };

    before(async () => {
      store = await target.create();
      const first = await boot();
      deploymentId = await first.deploy(files);
      for (const [repetitions] of cycles) {
        const answer = await first.post(`/sutra/processes/inside-${String(repetitions)}/start`, {});
        instanceIds.set(repetitions, answer.body.instanceId);
      }
      await first.stop();
      const database = await store.open();
      await passTime(database);
      await database.close();
      engine = await boot();
    });
    after(async () => {
      for (const each of running) await each.stop();
      await store.drop();
    });

    for (const [repetitions, left] of cycles) {
      it(`are one firing of a timer in an instance, and ten of its ${String(repetitions)} repetitions`, async () => {
        const isReminded = ({ tokens }: InstanceAnswer): boolean =>
          tokens.some(({ elementId }) => elementId === 'remind');
        const instance = await engine.until(instanceIds.get(repetitions) ?? '', isReminded);
        assert.deepEqual(instance.tokens.map(({ elementId }) => elementId).sort(), ['remind', 'work']);
        const timers = (instance as Shown).waits.filter(({ kind }) => kind === 'timer');
        assertNext(
          timers.map(({ dueAt, cycle }) => ({ dueAt, remaining: cycle?.remaining ?? null })),
          left,
        );
      });

      it(`are one instance of a start timer, and ten of its ${String(repetitions)} repetitions`, async () => {
        const processId = `started-${String(repetitions)}`;
        const startedCount = async (): Promise<number> =>
          (await engine.get(`/sutra/instances?processId=${processId}`)).body.instances.length;
        await becomes(startedCount, 1);
        const { startTimers } = (await engine.get(`/sutra/deployments/${deploymentId}`)).body as unknown as {
          startTimers: readonly (ShownTimer & { readonly processId: string })[];
        };
        assertNext(
          startTimers.filter((timer) => timer.processId === processId),
          left,
        );
      });
    }
  });
}
