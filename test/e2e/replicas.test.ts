/** Two engines on one database, as two processes would be. Only on PostgreSQL. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { postgresqlOnly, type TestDatabase } from '../support/database.ts';
import { TestEngine, type Answer } from '../support/engine.ts';
import { call, flows, packageFiles, start } from '../support/packages.ts';

const post = (name: string, ack = 'on-persist'): string =>
  `  - { name: ${name}, transport: http, bind: "POST /channels/${name}", ack-mode: ${ack} }`;

/** Adds up what comes, and ends when it has been told to. */
const counter = `${start('count', '<q:alias name="counter" expression="payload.counter"/>')}
  <scriptTask id="init"><script>{ total: 0, seen: [] }</script></scriptTask>
  <receiveTask id="wait"><extensionElements><q:source channel="add" name="added"/><q:alias name="counter" expression="added.counter"/></extensionElements></receiveTask>
  <scriptTask id="sum"><script>{ total: total + added.n, seen: concatenate(seen, [added.n]) }</script></scriptTask>
  <exclusiveGateway id="enough" default="enough-to-wait"/>
  <endEvent id="end"/>
  ${flows('start -> init', 'init -> wait', 'wait -> sum', 'sum -> enough', 'enough -> wait')}
  <sequenceFlow id="done" sourceRef="enough" targetRef="end"><conditionExpression>count(seen) = 20</conditionExpression></sequenceFlow>`;

const timed = `${start('timed')}
  <intermediateCatchEvent id="pause"><timerEventDefinition id="t"><timeDuration>PT0.2S</timeDuration></timerEventDefinition></intermediateCatchEvent>
  ${call('after', 'timed-work')}<endEvent id="end"/>${flows('start -> pause', 'pause -> after', 'after -> end')}`;

const files = packageFiles({
  channels: [
    post('orders'),
    post('quote', 'on-complete'),
    post('plain', 'on-complete'),
    post('timed'),
    post('count'),
    post('add'),
    post('ticket'),
    ...['work', 'quote-work', 'timed-work'].map((name) => `  - { name: ${name}, transport: pull }`),
  ].join('\n'),
  processes: {
    order: `${start('orders')}${call('work-it', 'work')}<endEvent id="end"/>${flows('start -> work-it', 'work-it -> end')}`,
    quote: `${start('quote')}${call('price-it', 'quote-work')}
      <endEvent id="end"><extensionElements><q:reply body="{ price: price }"/></extensionElements></endEvent>${flows('start -> price-it', 'price-it -> end')}`,
    plain: `${start('plain')}${call('do-it', 'quote-work')}<endEvent id="end"/>${flows('start -> do-it', 'do-it -> end')}`,
    timed,
    count: counter,
    ticket: `${start('ticket', '<q:alias name="ticket" expression="payload.ticket" unique="true"/>')}${call('keep', 'work')}<endEvent id="end"/>${flows('start -> keep', 'keep -> end')}`,
  },
});

for (const target of postgresqlOnly()) {
  describe(`two replicas on ${target.name}`, () => {
    let store: TestDatabase;
    let one: TestEngine;
    let other: TestEngine;
    before(async () => {
      store = await target.create();
      const boot = async (): Promise<TestEngine> =>
        TestEngine.start({
          database: await store.open({ poolMax: 10 }),
          env: { SUTRA_DEPLOYMENTS_POLL_INTERVAL: 'PT0.1S' },
        });
      [one, other] = await Promise.all([boot(), boot()]);
      await one.deploy(files);
      for (;;) {
        if ((await other.post('/channels/add', {})).status !== 404) break;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    });
    after(async () => {
      await Promise.all([one.stop(), other.stop()]);
      await store.drop();
    });

    const either = (n: number): TestEngine => (n % 2 === 0 ? one : other);
    /** As a client must: what is at capacity, or busy, comes again under its key. */
    const insist = async (n: number, path: string, body: unknown, key: string): Promise<Answer> => {
      for (;;) {
        const answer = await either(n).post(path, body, { 'idempotency-key': key });
        if (answer.status !== 503) return answer;
      }
    };

    it('hand a task that one parks to the worker that waits at the other', async () => {
      for (const [sender, waiter] of [
        [one, other],
        [other, one],
      ] as const) {
        const fetching = waiter.fetchTask('work');
        const { body } = await sender.post('/channels/orders', { n: 1 });
        const task = await fetching;
        assert.equal(task.instanceId, body.instanceId);
        assert.equal((await sender.complete(task, {})).body.outcome, 'ACCEPTED');
      }
    });

    it('answer a request that one holds although its work was completed at the other', async () => {
      const quoted = one.post('/channels/quote', {});
      await other.complete(await other.fetchTask('quote-work'), { price: 7 });
      assert.deepEqual((await quoted).body, { price: 7 });
      const plain = one.post('/channels/plain', {});
      await other.complete(await other.fetchTask('quote-work'), {});
      assert.equal((await plain).body.status, 'completed');
    });

    it('fire each timer once', async () => {
      const started = await Promise.all(
        Array.from({ length: 30 }, (_, n) => either(n).post('/channels/timed', {})),
      );
      const done = new Set<string>();
      while (done.size < started.length) {
        const tasks = await either(done.size).fetchTasks('timed-work', { maxTasks: 10 });
        assert.ok(tasks.length > 0, `${String(done.size)} of ${String(started.length)} timers fired in time`);
        for (const task of tasks) {
          assert.ok(!done.has(task.instanceId), 'a timer that fired twice would park two tasks');
          done.add(task.instanceId);
          assert.equal((await one.complete(task, {})).body.outcome, 'ACCEPTED');
        }
      }
      assert.deepEqual(done, new Set(started.map(({ body }) => body.instanceId)));
      assert.deepEqual(await one.fetchTasks('timed-work', { asyncResponseTimeout: 'PT0S' }), []);
    });

    it('apply the messages of one instance one after the other, wherever they come in', async () => {
      const { body } = await one.post('/channels/count', { counter: 'c' });
      const numbers = Array.from({ length: 20 }, (_, n) => n + 1);
      const answers = await Promise.all(
        numbers.map((n) => insist(n, '/channels/add', { counter: 'c', n }, `add-${String(n)}`)),
      );
      for (const answer of answers) {
        assert.equal(answer.status, 202, JSON.stringify(answer.body));
        assert.equal(answer.body.instanceId, body.instanceId);
      }
      const { status, variables } = await one.ended(body.instanceId);
      assert.equal(status, 'completed');
      assert.equal(variables['total'], 210);
      assert.deepEqual(
        [...(variables['seen'] as number[])].sort((left, right) => left - right),
        numbers,
      );
    });

    it('start one instance for copies of a message that come to both at once', async () => {
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, n) => insist(n, '/channels/orders', { n }, 'herd')),
      );
      for (const answer of answers) assert.equal(answer.status, 202, JSON.stringify(answer.body));
      assert.equal(new Set(answers.map(({ body }) => body.instanceId)).size, 1);
      assert.equal(answers.filter(({ body }) => !body.duplicate).length, 1);
      await one.complete(await one.fetchTask('work'), {});
      assert.deepEqual(await other.fetchTasks('work', { asyncResponseTimeout: 'PT0S' }), []);
    });

    it('give a unique value to one of the starts that race for it, and refuse the others', async () => {
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, n) =>
          insist(n, '/channels/ticket', { ticket: 't' }, `ticket-${String(n)}`),
        ),
      );
      const taken = answers.filter(({ status }) => status === 202);
      assert.equal(taken.length, 1);
      for (const answer of answers) {
        if (answer.status === 202) continue;
        assert.equal(answer.body.code, 'SUTRA.INBOUND.ALIAS_TAKEN', JSON.stringify(answer.body));
        assert.equal(answer.body.attributes['instanceId'], taken[0]?.body.instanceId);
      }
      const task = await other.fetchTask('work');
      assert.equal(task.instanceId, taken[0]?.body.instanceId);
      await other.complete(task, {});
      const next = await other.post('/channels/ticket', { ticket: 't' });
      assert.equal(next.status, 202, 'the value is free again');
      await one.complete(await one.fetchTask('work'), {});
    });

    it('accept one of the completions of a task that both get at once', async () => {
      await one.post('/channels/orders', {});
      const task = await one.fetchTask('work');
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, n) => either(n).complete(task, { n })),
      );
      assert.equal(answers.filter(({ body }) => body.outcome === 'ACCEPTED').length, 1);
      for (const answer of answers) {
        if (answer.status !== 200) assert.equal(answer.body.code, 'SUTRA.EXTERNAL_TASK.COMPLETION_CONFLICT');
      }
    });
  });
}
