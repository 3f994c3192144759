/** Data stores: what turns read and write of records, one after the other, whoever races. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { testDatabases } from '../support/database.ts';
import { collectingLog, TestEngine, type Answer } from '../support/engine.ts';
import { flows, packageFiles, start } from '../support/packages.ts';

const store = (id: string, q: string): string =>
  `<dataStoreReference id="${id}" name="${id}" dataStoreRef="ds"><extensionElements>${q}</extensionElements></dataStoreReference>`;
const reading = (from: string, to: string): string =>
  `<ioSpecification><dataInput id="in-${to}" name="${to}"/><inputSet/><outputSet/></ioSpecification><dataInputAssociation><sourceRef>${from}</sourceRef><targetRef>in-${to}</targetRef></dataInputAssociation>`;
const writing = (to: string, expression: string): string =>
  `<dataOutputAssociation><targetRef>${to}</targetRef><assignment><from>=${expression}</from><to>${to}</to></assignment></dataOutputAssociation>`;

const root = '<dataStore id="ds" name="stock"/>';
const replying = (body: string): string =>
  `<endEvent id="end"><extensionElements><q:reply body="${body}"/></extensionElements></endEvent>`;

/** One task between start and end. */
const single = (channel: string, references: string, task: string, end = '<endEvent id="end"/>'): string =>
  `${start(channel)}${references}${task}${end}${flows('start -> t', 't -> end')}`;

const channels = ['take', 'many', 'count', 'dated', 'read', 'drop', 'guarded', 'twice', 'all'];

const files = packageFiles({
  channels: channels
    .map(
      (name) =>
        `  - { name: ${name}, transport: http, bind: "POST /channels/${name}", ack-mode: on-complete${name === 'all' ? ', broadcast: true' : ''} }`,
    )
    .join('\n'),
  definitions: root,
  processes: {
    take: single(
      'take',
      store('left', '<q:store key="=payload.item" field="left" forUpdate="true"/>'),
      `<task id="t">${reading('left', 'before')}${writing('left', 'before - payload.n')}</task>`,
    ),
    count: single(
      'count',
      store('tally', '<q:store key="=payload.item" forUpdate="true"/>'),
      `<task id="t">${reading('tally', 'before')}${writing('tally', 'if before = null then 1 else before + 1')}</task>`,
    ),
    dated: single(
      'dated',
      store('due', '<q:store key="due"/>').replace('key="due"', 'key="=&quot;due&quot;"'),
      `<task id="t">${writing('due', 'date(payload.on)')}</task>`,
    ),
    read: single(
      'read',
      store('due', '<q:store key="=&quot;due&quot;"/>'),
      `<scriptTask id="t"><extensionElements><q:output variable="next"/></extensionElements>${reading('due', 'due')}<script>string(due + duration("P1D"))</script></scriptTask>`,
      replying('next'),
    ),
    drop: single(
      'drop',
      store('gone', '<q:store key="=payload.item"/>'),
      `<task id="t">${writing('gone', 'null')}</task>`,
    ),
    guarded: single(
      'guarded',
      store('left', '<q:store key="=payload.item" expect="=payload.expected"/>'),
      `<task id="t">${writing('left', 'payload.next')}</task>`,
    ),
    twice: `${start('twice')}${store('tally', '<q:store key="=payload.item" forUpdate="true"/>')}
      <task id="a">${reading('tally', 'one')}${writing('tally', 'one + 1')}</task>
      <task id="b">${reading('tally', 'two')}${writing('tally', 'two * 10')}</task>
      <endEvent id="end"/>${flows('start -> a', 'a -> b', 'b -> end')}`,
    many: `${start('many')}${store('next', '<q:store key="=string(loopCounter)" forUpdate="true"/>')}
      <task id="t">${reading('next', 'before')}${writing('next', 'if before = null then 1 else before + 1')}
        <standardLoopCharacteristics loopMaximum="30"/></task>
      <endEvent id="end"/>${flows('start -> t', 't -> end')}`,
    allA: single(
      'all',
      store('tally', '<q:store key="=payload.item" forUpdate="true"/>'),
      `<task id="t">${reading('tally', 'before')}${writing('tally', 'before + 1')}</task>`,
    ),
    allB: single(
      'all',
      store('tally', '<q:store key="=payload.item" forUpdate="true"/>'),
      `<task id="t">${reading('tally', 'before')}${writing('tally', 'before + 1')}</task>`,
    ),
  },
});

/** What was answered, each once: of a refusal its code. */
const statuses = (answers: readonly Answer[]): unknown[] => [
  ...new Set(answers.map(({ status, body }) => `${String(status)} ${body.code ?? body.status}`)),
];

const recordPath = (key: string): string => `/admin/data-stores/stock/records/${key}?tenant=test`;

for (const target of testDatabases()) {
  describe(`turns over data stores on ${target.name}`, { timeout: 120_000 }, () => {
    let engine: TestEngine;
    const log = collectingLog();
    before(async () => {
      engine = await TestEngine.start({ database: await target.open(), log });
      await engine.deploy(files);
    });
    after(() => engine.stop());

    /** A deadlock that the database had to break would run a batch again turn by turn. */
    const assertNoReruns = (): void => {
      assert.deepEqual(
        log.lines.filter((line) => /batch-rerun|turn-failed/.test(line)),
        [],
      );
    };

    const put = async (key: string, value: unknown): Promise<void> => {
      assert.equal((await engine.call('PUT', recordPath(key), { value })).status, 200);
    };
    const valueOf = async (key: string): Promise<unknown> => {
      const answer = await engine.get(recordPath(key));
      return answer.status === 404 ? null : (answer.body as unknown as { value: unknown }).value;
    };
    it('take from a record in any number at once, and lose nothing', async () => {
      await put('tea', { left: 1_000, name: 'Tea' });
      const taken = Array.from({ length: 200 }, (_, index) => (index % 3) + 1);
      const answers = await Promise.all(taken.map((n) => engine.post('/channels/take', { item: 'tea', n })));
      assert.deepEqual(statuses(answers), ['200 completed']);
      const sum = taken.reduce((total, n) => total + n, 0);
      assert.deepEqual(await valueOf('tea'), { left: 1_000 - sum, name: 'Tea' });
      assertNoReruns();
    });

    it('make a record that many begin at once, and count every one of them', async () => {
      for (const key of ['new-1', 'new-2', 'new-3']) {
        const answers = await Promise.all(
          Array.from({ length: 60 }, () => engine.post('/channels/count', { item: key })),
        );
        assert.deepEqual(statuses(answers), ['200 completed']);
        assert.equal(await valueOf(key), 60);
      }
      assertNoReruns();
    });

    it('carry turns that read many records one after the other, and others beside them', async () => {
      const many = Array.from({ length: 3 }, () => engine.post('/channels/many', {}));
      const few = Array.from({ length: 12 }, () => engine.post('/channels/count', { item: 'beside' }));
      assert.deepEqual(statuses(await Promise.all([...many, ...few])), ['200 completed']);
      for (const key of ['1', '17', '30']) assert.equal(await valueOf(key), 3);
      assert.equal(await valueOf('beside'), 12);
      assertNoReruns();
    });

    it('see in a later step what an earlier one of the same turn wrote', async () => {
      await put('twice', 4);
      assert.equal((await engine.post('/channels/twice', { item: 'twice' })).body.status, 'completed');
      assert.equal(await valueOf('twice'), 50);
    });

    it('see what another instance of the same broadcast wrote', async () => {
      await put('all', 0);
      assert.equal((await engine.post('/channels/all', { item: 'all' })).status, 200);
      assert.equal(await valueOf('all'), 2);
    });

    it('keep the types of values from one process to the other', async () => {
      await engine.post('/channels/dated', { on: '2026-02-28' });
      assert.equal(await valueOf('due'), '2026-02-28');
      assert.equal((await engine.post('/channels/read', {})).body, '2026-03-01');
    });

    it('delete what is written null, and make it anew', async () => {
      await put('gone', 7);
      await engine.post('/channels/drop', { item: 'gone' });
      assert.equal(await valueOf('gone'), null);
      await engine.post('/channels/drop', { item: 'gone' });
      await engine.post('/channels/count', { item: 'gone' });
      assert.equal(await valueOf('gone'), 1);
    });

    it('let one of those that expect the same value write, and fail the others', async () => {
      await put('guarded', 1);
      const answers = await Promise.all(
        [2, 3, 4, 5].map((next) => engine.post('/channels/guarded', { item: 'guarded', expected: 1, next })),
      );
      const written = answers.flatMap(({ status }, index) => (status === 200 ? [index + 2] : []));
      assert.equal(written.length, 1);
      assert.equal(await valueOf('guarded'), written[0]);
      const codes = answers.filter(({ status }) => status !== 200).map(({ body }) => body.code);
      assert.deepEqual(new Set(codes), new Set(['SUTRA.CORE.RECORD_UNEXPECTED']));
    });
  });
}

describe('turns over data stores on two replicas', { timeout: 120_000 }, () => {
  const target = testDatabases().find(({ name }) => name === 'postgresql');

  it('lose nothing of a record that both write', async (t) => {
    if (target === undefined) {
      t.diagnostic('needs a PostgreSQL server: SUTRA_TEST_DATABASE_URL');
      return;
    }
    const shared = await target.create();
    const engines = [
      await TestEngine.start({ database: await shared.open() }),
      await TestEngine.start({ database: await shared.open() }),
    ];
    try {
      const [one, other] = engines;
      assert.ok(one !== undefined && other !== undefined);
      await one.deploy(files);
      await other.deploy(files);
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          // Each record from both: the replica changes with every message, the record with every second one.
          (index % 2 === 0 ? one : other).post('/channels/count', {
            item: `k${String(Math.floor(index / 2) % 4)}`,
          }),
        ),
      );
      assert.deepEqual(statuses(answers), ['200 completed']);
      for (let key = 0; key < 4; key += 1) {
        const answer: { readonly body: unknown } = await one.get(recordPath(`k${String(key)}`));
        assert.equal((answer.body as { value: unknown }).value, 50);
      }
    } finally {
      for (const engine of engines) await engine.stop();
      await shared.drop();
    }
  });
});
