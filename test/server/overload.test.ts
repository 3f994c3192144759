/**
 * More messages at once than `sutra.intake.max-in-flight`: what is taken is done, what is not leaves nothing, and begun
 * work goes on.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Database } from '../../engine/store/database.ts';
import { testDatabases, type TestDatabase } from '../support/database.ts';
import { TestEngine, type Answer } from '../support/engine.ts';
import { call, flows, packageFiles, start } from '../support/packages.ts';

const limit = 4;
const offered = 10;

const files = packageFiles({
  channels: [
    '  - { name: orders, transport: http, bind: "POST /channels/orders", ack-mode: on-persist }',
    '  - { name: work, transport: pull }',
  ].join('\n'),
  processes: {
    order: `${start('orders')}${call('work-it', 'work')}<endEvent id="end"/>${flows('start -> work-it', 'work-it -> end')}`,
  },
});

/** Transactions begin only while it is open. */
class Gate {
  #open: Promise<void> = Promise.resolve();
  #release: () => void = () => {};

  close(): void {
    this.#open = new Promise((resolve) => (this.#release = resolve));
  }

  open(): void {
    this.#release();
  }

  around(database: Database): Database {
    return new Proxy(database, {
      get: (target, name) => {
        if (name === 'transaction') {
          return async (work: Parameters<Database['transaction']>[0]) => {
            await this.#open;
            return target.transaction(work);
          };
        }
        const value: unknown = Reflect.get(target, name, target);
        return name !== 'knex' && typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }
}

for (const target of testDatabases()) {
  describe(`an engine that is offered more than it takes on ${target.name}`, () => {
    const gate = new Gate();
    let store: TestDatabase;
    let engine: TestEngine;
    before(async () => {
      store = await target.create();
      engine = await TestEngine.start({
        database: gate.around(await store.open({ poolMax: 10 })),
        env: { SUTRA_INTAKE_MAX_IN_FLIGHT: String(limit), SUTRA_CODEC_MAX_PAYLOAD_BYTES: '1500' },
      });
      await engine.deploy(files);
    });
    after(async () => {
      gate.open();
      await engine.stop();
      await store.drop();
    });

    const send = (n: number): Promise<Answer> =>
      engine.post('/channels/orders', { n }, { 'idempotency-key': `k-${String(n)}` });

    const metrics = async (): Promise<string> => (await fetch(`${engine.url}/metrics`)).text();

    it('refuses the rest with 429 and Retry-After, does what it took, and then takes more', async () => {
      gate.close();
      const sent = Array.from({ length: offered }, (_, n) => send(n));
      // Nothing can be taken while the gate is closed: what is answered is refused.
      const refused = await firstOf(sent, offered - limit);
      gate.open();
      const answers = await Promise.all(sent);
      for (const { status, headers, body } of refused) {
        assert.equal(status, 429);
        assert.equal(body.code, 'SUTRA.INTAKE.CAPACITY');
        assert.ok(Number(headers.get('retry-after')) >= 1);
      }
      const taken = answers.filter(({ status }) => status === 202);
      assert.equal(taken.length, limit);
      const again = answers.flatMap(({ status }, n) => (status === 429 ? [n] : [])).slice(0, limit);
      taken.push(...(await Promise.all(again.map(send))));
      for (const { status, body } of taken) {
        assert.equal(status, 202);
        assert.equal(body.duplicate, false);
        assert.equal((await engine.complete(await engine.fetchTask('work'), {})).status, 200);
      }
      for (const { body } of taken) assert.equal((await engine.ended(body.instanceId)).status, 'completed');
      const all = await engine.get('/sutra/instances');
      assert.equal(all.body.instances.length, taken.length);
    });

    it('takes completions and commands while it is full of messages, and reads no body of those it refuses', async () => {
      const begun = await Promise.all([send(100), send(101)]);
      const task = await engine.fetchTask('work');
      const other = begun.find(({ body }) => body.instanceId !== task.instanceId);
      gate.close();
      const sent = Array.from({ length: limit + 1 }, (_, n) => send(200 + n));
      const [refused] = await firstOf(sent, 1);
      assert.deepEqual(refused?.body.attributes, { ceiling: 'sutra.intake.max-in-flight', limit });
      // Refused for its size, if it were read.
      const large = await engine.post('/channels/orders', { n: 'x'.repeat(2_000) });
      assert.deepEqual([large.status, large.body.code], [429, 'SUTRA.INTAKE.CAPACITY']);
      const completed = engine.complete(task, {});
      const cancelled = engine.post(`/sutra/instances/${other?.body.instanceId ?? ''}/cancel`, {
        reason: 'r',
      });
      gate.open();
      assert.equal((await completed).status, 200);
      assert.equal((await cancelled).status, 200);
      assert.equal((await engine.ended(task.instanceId)).status, 'completed');
      const answers = await Promise.all(sent);
      assert.equal(answers.filter(({ status }) => status === 202).length, limit);
      const told = await metrics();
      assert.match(told, /^sutra_turns_refused_total\{kind="new",reason="max-in-flight"\} [1-9]/m);
      assert.match(told, /^sutra_messages_wait_seconds 0$/m);
    });
  });
}

/** Resolves with the first `count` that are answered. */
function firstOf(sent: readonly Promise<Answer>[], count: number): Promise<Answer[]> {
  const first: Answer[] = [];
  return new Promise((resolve, reject) => {
    for (const one of sent) {
      one.then((answer) => {
        first.push(answer);
        if (first.length === count) resolve([...first]);
      }, reject);
    }
  });
}
