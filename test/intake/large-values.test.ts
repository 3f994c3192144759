/** Large variables, which are stored beside the snapshots that name them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { testDatabases, type TestDatabase } from '../support/database.ts';
import { TestEngine } from '../support/engine.ts';
import { call, flows, packageFiles, start } from '../support/packages.ts';

const script = (id: string, variable: string, text: string): string =>
  `<scriptTask id="${id}"><extensionElements><q:output variable="${variable}"/></extensionElements><script>${text}</script></scriptTask>`;

const files = packageFiles({
  channels: `  - { name: orders, transport: http, bind: "POST /channels/orders", ack-mode: on-persist }
  - { name: work, transport: pull }`,
  processes: {
    order: `${start('orders')}${script('copy', 'kept', 'payload.list')}
      ${call('ask', 'work', '<q:output variable="answer"/>')}${call('ask-again', 'work', '<q:output variable="kept"/>')}
      ${call('ask-last', 'work', '<q:output variable="kept"/>')}
      <endEvent id="end"/>${flows('start -> copy', 'copy -> ask', 'ask -> ask-again', 'ask-again -> ask-last', 'ask-last -> end')}`,
  },
});

const LIST = Array.from({ length: 2_000 }, (_, index) => ({ index, note: `a "note" ${String(index)}` }));

interface Stored {
  readonly snapshotLength: number;
  readonly values: readonly { readonly id: string; readonly version: string; readonly length: number }[];
}

async function storedOf({ engine }: TestEngine, instanceId: string): Promise<Stored> {
  const values = await engine.database.run<Stored['values'][number]>(
    {
      name: 'test_instance_values',
      text: `SELECT id, xmin::text AS version, length(data) AS length FROM instance_value WHERE instance_id = $1::uuid ORDER BY id`,
    },
    [instanceId],
  );
  const [row] = await engine.database.run<{ length: number }>(
    {
      name: 'test_snapshot_length',
      text: 'SELECT length(snapshot) AS length FROM instance WHERE id = $1::uuid',
    },
    [instanceId],
  );
  return { snapshotLength: row?.length ?? -1, values };
}

async function answerNext(engine: TestEngine, result: unknown): Promise<void> {
  const task = await engine.fetchTask('work');
  assert.equal((await engine.complete(task, result)).body.outcome, 'ACCEPTED');
}

for (const target of testDatabases()) {
  describe(`large variables on ${target.name}`, () => {
    let created: TestDatabase;
    let engine: TestEngine;
    const startEngine = async (): Promise<void> => {
      engine = await TestEngine.start({ database: await created.open() });
    };
    before(async () => {
      created = await target.create();
      await startEngine();
      await engine.deploy(files);
    });
    after(async () => {
      await engine.stop();
      await created.drop();
    });

    const begin = async (): Promise<string> =>
      (await engine.post('/channels/orders', { list: LIST })).body.instanceId;
    /** The two calls that are left, so that the next test meets its own tasks alone. */
    const finish = async (): Promise<void> => {
      for (const result of [1, 2]) await answerNext(engine, result);
    };
    const variables = async (id: string): Promise<Readonly<Record<string, unknown>>> =>
      (await engine.instance(id)).variables;

    it('are written once, and not by a turn that is about something else', async () => {
      const id = await begin();
      const first = await storedOf(engine, id);
      // `payload` and the list in it; the copy is the same value as neither.
      assert.equal(first.values.length, 2);
      assert.ok(first.snapshotLength < 2_000, String(first.snapshotLength));
      assert.deepEqual(await variables(id), { payload: { list: LIST }, kept: LIST });
      await answerNext(engine, { ok: true });
      const second = await storedOf(engine, id);
      assert.deepEqual(second.values, first.values);
      assert.deepEqual(await variables(id), { payload: { list: LIST }, kept: LIST, answer: { ok: true } });
      await finish();
    });

    it('are read by an engine that has not seen them, and stay as they are', async () => {
      const id = await begin();
      const before = await storedOf(engine, id);
      await engine.stop();
      await startEngine();
      await answerNext(engine, 1);
      assert.deepEqual((await storedOf(engine, id)).values, before.values);
      assert.deepEqual(await variables(id), { payload: { list: LIST }, kept: LIST, answer: 1 });
      await finish();
    });

    it('come and go with the variables that hold them, and stay with an ended instance', async () => {
      const id = await begin();
      const [first] = await storedOf(engine, id).then(({ values }) => [values]);
      await answerNext(engine, {});
      await answerNext(engine, 'small');
      const small = await storedOf(engine, id);
      assert.equal(small.values.length, 1);
      assert.ok(
        first?.some(
          (value) => value.id === small.values[0]?.id && value.version === small.values[0]?.version,
        ),
      );
      const text = 'x'.repeat(50_000);
      await answerNext(engine, { text });
      const last = await storedOf(engine, id);
      assert.deepEqual(
        last.values.map(({ length }) => length).sort(),
        [text.length + 11, small.values[0]?.length].sort(),
      );
      const ended = await engine.instance(id);
      assert.equal(ended.status, 'completed');
      assert.deepEqual(ended.variables, { payload: { list: LIST }, answer: {}, kept: { text } });
    });
  });

  describe(`large variables with a retention of zero on ${target.name}`, () => {
    let engine: TestEngine;
    before(async () => {
      const env = { SUTRA_INSTANCE_RETENTION: 'PT0S' };
      engine = await TestEngine.start({ database: await target.open(), env });
      await engine.deploy(files);
    });
    after(() => engine.stop());

    it('go with their instance', async () => {
      const { body } = await engine.post('/channels/orders', { list: LIST });
      for (const result of [1, 2, LIST]) await answerNext(engine, result);
      assert.deepEqual(await storedOf(engine, body.instanceId), { snapshotLength: -1, values: [] });
    });
  });
}
