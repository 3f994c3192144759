/** Requests that complete or fail many tasks, through the whole engine. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { testDatabases } from '../../support/database.ts';
import { TestEngine } from '../../support/engine.ts';
import {
  completions,
  failures,
  named,
  situationFiles,
  stateOf,
  verdictOf,
  type Entry,
  type Fields,
  type Situation,
} from './many-tasks-situations.ts';

const calls = { complete: completions, failure: failures } as const;
type Call = keyof typeof calls;

async function prepare(engine: TestEngine, situations: readonly Situation[]): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const situation of situations) entries.push(...(await situation(engine)));
  return entries;
}

async function together(
  engine: TestEngine,
  call: Call,
  entries: readonly Entry[],
): Promise<readonly Fields[]> {
  const answer = await engine.post(`/sutra/external-tasks/${call}`, {
    workerId: 'worker-1',
    tasks: entries.map(({ id, fields }) => ({ id, ...fields })),
  });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.tasks as unknown as readonly Fields[];
}

/** Each by its own call, in the form in which the list would show it. */
async function oneByOne(
  engine: TestEngine,
  call: Call,
  entries: readonly Entry[],
): Promise<readonly Fields[]> {
  const answers: Fields[] = [];
  for (const { id, fields } of entries) {
    const { status, body } = await engine.post(`/sutra/external-tasks/${id}/${call}`, {
      workerId: 'worker-1',
      ...fields,
    });
    answers.push(status === 200 ? (body as unknown as Fields) : { taskId: id, error: body });
  }
  return answers;
}

async function counted(
  engine: TestEngine,
): Promise<{ batches: number; statements: number; commits: number }> {
  const { body } = await engine.get('/metrics');
  const batches = /^sutra_batch_turns_count (\d+)$/m.exec(body as unknown as string)?.[1];
  const { database } = engine.engine;
  return {
    batches: Number(batches ?? 0),
    statements: database.statementCount(),
    commits: database.commitCount(),
  };
}

for (const target of testDatabases()) {
  describe(`many tasks in one request on ${target.name}`, { timeout: 240_000 }, () => {
    let engine: TestEngine;
    before(async () => {
      engine = await TestEngine.start({
        database: await target.open(),
        env: { SUTRA_EXTERNAL_TASK_MAX_TASKS: '400' },
      });
      await engine.deploy(situationFiles);
    });
    after(() => engine.stop());

    for (const call of ['complete', 'failure'] as const) {
      const situations: Readonly<Record<string, Situation>> = calls[call];
      const names = Object.keys(situations);

      it(`have each the verdict of its own situation: ${call}`, async () => {
        const entries = await prepare(engine, Object.values(situations));
        const verdicts = await together(engine, call, entries);
        assert.deepEqual(
          verdicts.map(({ taskId }) => taskId),
          entries.map(({ id }) => id),
        );
        const expected = names.flatMap((name) => {
          if (name === 'ACCEPTED_TWICE_THEN_WITHDRAWN') return ['ACCEPTED', 'ACCEPTED', 'WITHDRAWN'];
          if (name.startsWith('BECOMES_TERMINAL')) return ['TERMINAL'];
          return [/^(?:LOCK_HELD|ACCEPTED|PENDING|NOT_FOUND)(?=_)/.exec(name)?.[0] ?? name];
        });
        assert.deepEqual(verdicts.map(verdictOf), expected);
      });

      it(`come out as by single calls, whatever the mix: ${call}`, async () => {
        const mixes = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 8 });
        await fc.assert(
          fc.asyncProperty(mixes, async (mix) => {
            const chosen = mix.flatMap((name) => situations[name] ?? []);
            const [left, right] = [await prepare(engine, chosen), await prepare(engine, chosen)];
            assert.deepEqual(
              named(await stateOf(engine, left), left),
              named(await stateOf(engine, right), right),
            );
            const shown = async (act: typeof together, entries: readonly Entry[]): Promise<unknown> => {
              const answers = await act(engine, call, entries);
              return [
                named(
                  answers.map((answer) => JSON.stringify(answer)),
                  entries,
                ),
                await stateOf(engine, entries),
              ];
            };
            assert.deepEqual(await shown(together, left), await shown(oneByOne, right));
          }),
          { numRuns: 8 },
        );
      });
    }

    const crowds: readonly (readonly [string, number, () => Promise<unknown>])[] = [
      [
        'of one instance each',
        100,
        () => Promise.all(Array.from({ length: 100 }, () => engine.post('/channels/orders', {}))),
      ],
      [
        'of one instance',
        100,
        () =>
          engine.post('/channels/some', { items: Array.from({ length: 100 }, (_, n) => n), enough: 1000 }),
      ],
    ];
    for (const [title, count, begin] of crowds) {
      it(`share one commit: ${String(count)} ${title}`, async () => {
        await begin();
        const tasks: { id: string; instanceId: string }[] = [];
        while (tasks.length < count) {
          const fetched = await engine.fetchTasks('work', { channels: ['work', 'parts'] });
          tasks.push(...fetched);
        }
        const entries = tasks.map(({ id, instanceId }) => ({ id, instanceId, fields: { result: { n: 1 } } }));
        const before = await counted(engine);
        const verdicts = await together(engine, 'complete', entries);
        const after = await counted(engine);
        assert.deepEqual([...new Set(verdicts.map(verdictOf))], ['ACCEPTED']);
        assert.equal(after.batches - before.batches, 1);
        // What else the engine does of its own accord meanwhile is a handful of looks at its tables.
        assert.ok(after.commits - before.commits <= 3, `${after.commits - before.commits} commits`);
        assert.ok(
          after.statements - before.statements <= 30,
          `${after.statements - before.statements} statements`,
        );
        for (const instanceId of new Set(tasks.map((task) => task.instanceId))) {
          assert.equal((await engine.instance(instanceId)).status, 'completed');
        }
      });
    }

    it('fail in one statement, and one more for what is refused', async () => {
      await Promise.all(Array.from({ length: 50 }, () => engine.post('/channels/orders', {})));
      const tasks: { id: string; instanceId: string }[] = [];
      while (tasks.length < 50) tasks.push(...(await engine.fetchTasks('work', { lockDuration: 'PT1H' })));
      const entries = tasks.map(({ id, instanceId }, index) => ({
        id,
        instanceId,
        fields: { errorMessage: 'no', retries: 0, ...(index % 10 === 0 ? { lockToken: 'old' } : {}) },
      }));
      const before = await counted(engine);
      const verdicts = await together(engine, 'failure', entries);
      const after = await counted(engine);
      assert.deepEqual(
        verdicts.map(verdictOf),
        entries.map((_, index) => (index % 10 === 0 ? 'LOCK_HELD' : 'TERMINAL')),
      );
      assert.ok(
        after.statements - before.statements <= 10,
        `${after.statements - before.statements} statements`,
      );
    });

    it('are all there after an answer that nobody got, and are answered as they were', async () => {
      await Promise.all(Array.from({ length: 20 }, () => engine.post('/channels/orders', {})));
      const entries: Entry[] = [];
      while (entries.length < 20) {
        const tasks = await engine.fetchTasks('work');
        entries.push(
          ...tasks.map(({ id, instanceId }) => ({ id, instanceId, fields: { result: 1, completionId: id } })),
        );
      }
      const body = JSON.stringify({
        workerId: 'worker-1',
        tasks: entries.map(({ id, fields }) => ({ id, ...fields })),
      });
      const socket = connect(Number(new URL(engine.url).port), '127.0.0.1');
      socket.on('error', () => undefined);
      const request =
        'POST /sutra/external-tasks/complete HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n' +
        `Content-Length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`;
      await new Promise<void>((resolve) => socket.write(request, () => resolve()));
      for (const { instanceId } of entries) await engine.ended(instanceId);
      socket.destroy();
      const verdicts = await together(engine, 'complete', entries);
      assert.deepEqual([...new Set(verdicts.map(verdictOf))], ['ACCEPTED']);
      const state = await stateOf(engine, entries);
      assert.equal(state.filter((row) => row.includes('"completion_id"')).length, 20);
    });
  });

  describe(`many tasks for a busy engine on ${target.name}`, { timeout: 120_000 }, () => {
    let engine: TestEngine;
    before(async () => {
      engine = await TestEngine.start({
        database: await target.open(),
        // Twice as many completions.
        env: { SUTRA_INTAKE_MAX_IN_FLIGHT: '2' },
      });
      await engine.deploy(situationFiles);
    });
    after(() => engine.stop());

    it('are taken as far as there is room, and each of the others is told to come again', async () => {
      for (let index = 0; index < 5; index += 1) await engine.post('/channels/orders', {});
      const tasks: { id: string }[] = [];
      while (tasks.length < 5) tasks.push(...(await engine.fetchTasks('work')));
      const body = { workerId: 'worker-1', tasks: tasks.map(({ id }) => ({ id, result: 1 })) };
      const answer = await engine.post('/sutra/external-tasks/complete', body);
      assert.deepEqual([answer.status, answer.headers.get('retry-after')], [200, '1']);
      const verdicts = answer.body.tasks as unknown as readonly Fields[];
      assert.deepEqual(verdicts.map(verdictOf), ['ACCEPTED', 'ACCEPTED', 'ACCEPTED', 'ACCEPTED', 'CAPACITY']);
      const refused = verdicts[4]?.['error'] as Fields;
      assert.deepEqual([refused['status'], refused['code']], [429, 'SUTRA.INTAKE.CAPACITY']);
      const again = await engine.post('/sutra/external-tasks/complete', {
        ...body,
        tasks: body.tasks.slice(4),
      });
      assert.equal(again.headers.get('retry-after'), null);
      assert.deepEqual((again.body.tasks as unknown as readonly Fields[]).map(verdictOf), ['ACCEPTED']);
    });
  });
}
