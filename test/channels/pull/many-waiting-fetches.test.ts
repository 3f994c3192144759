/** Hundreds of fetches that wait idle, and how few claims it takes to reach those for which there is something. */
import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { testDatabases, type TestDatabase } from '../../support/database.ts';
import { TestEngine, type Answer, type AnswerBody } from '../../support/engine.ts';
import { situationFiles } from './many-tasks-situations.ts';

const WAITING = 500;
const BURST = 100;

interface Reached {
  readonly workerId: string;
  readonly taskIds: readonly string[];
}

async function metric(engine: TestEngine, name: string): Promise<number> {
  const { body } = await engine.get('/metrics');
  const value = new RegExp(`^${name} (\\d+)$`, 'm').exec(body as unknown as string)?.[1];
  return Number(value ?? 0);
}

/** Waits on one engine, each fetch on a connection of its own; who got something asks no more. */
class Crowd {
  readonly reached: Reached[] = [];
  readonly #engine: TestEngine;
  readonly #agent = new Agent({ keepAlive: true });
  #waiting = 0;
  #onReached: () => void = () => {};
  #failure: Error | null = null;

  constructor(engine: TestEngine) {
    this.#engine = engine;
  }

  /** Resolves when the engine says that all wait. */
  async fill(): Promise<void> {
    for (; this.#waiting < WAITING; this.#waiting += 1)
      this.#fetch(`worker-${this.reached.length}-${this.#waiting}`);
    while ((await metric(this.#engine, 'sutra_fetches_waiting')) < WAITING) {
      if (this.#failure !== null) throw this.#failure;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Resolves when so many fetches were answered; what they got is in the answer. */
  async next(count: number): Promise<readonly Reached[]> {
    while (this.reached.length < count) {
      if (this.#failure !== null) throw this.#failure;
      await new Promise<void>((resolve) => (this.#onReached = resolve));
    }
    return this.reached.splice(0);
  }

  close(): void {
    this.#agent.destroy();
  }

  #fetch(workerId: string): void {
    const body = JSON.stringify({
      workerId,
      channels: ['work', 'parts'],
      maxTasks: 1,
      asyncResponseTimeout: 'PT30S',
    });
    const sent = request(`${this.#engine.url}/sutra/external-tasks/fetch-and-lock`, {
      method: 'POST',
      agent: this.#agent,
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    });
    sent.on('error', (error) => this.#fail(error));
    sent.on('response', (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('error', (error) => this.#fail(error));
      response.on('end', () => {
        const { tasks } = JSON.parse(text) as AnswerBody;
        this.#waiting -= 1;
        this.reached.push({ workerId, taskIds: tasks.map(({ id }) => id) });
        this.#onReached();
      });
    });
    sent.end(body);
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#onReached();
  }
}

for (const target of testDatabases()) {
  describe(`${WAITING} fetches that wait on ${target.name}`, { timeout: 60_000 }, () => {
    let store: TestDatabase | null = null;
    /** The first is the one on which they wait. On the embedded database there is no second. */
    let engines: readonly TestEngine[];
    let crowd: Crowd;

    before(async () => {
      if (target.name === 'postgresql') store = await target.create();
      const databases = store === null ? [await target.open()] : [await store.open(), await store.open()];
      const env = { SUTRA_DEPLOYMENTS_POLL_INTERVAL: 'PT0.1S' };
      engines = await Promise.all(databases.map((database) => TestEngine.start({ database, env })));
      await engines[0]?.deploy(situationFiles);
      for (const engine of engines) {
        while ((await engine.post('/channels/orders', {})).status !== 202);
      }
      // Those that found out whether the deployment is live, so that nothing is there when the crowd comes.
      const [first] = engines as readonly [TestEngine];
      for (const _ of engines) await first.complete(await first.fetchTask('work'), {});
      crowd = new Crowd(first);
    });
    after(async () => {
      crowd.close();
      for (const engine of engines) await engine.stop();
      await store?.drop();
    });

    const claims = async (): Promise<number> => {
      const each = await Promise.all(engines.map((engine) => metric(engine, 'sutra_fetch_claims_total')));
      return each.reduce((sum, count) => sum + count, 0);
    };

    type Send = (engine: TestEngine) => readonly Promise<Answer>[];
    const one: Send = (engine) => [engine.post('/channels/orders', {})];
    const burst: Send = (engine) => Array.from({ length: BURST }, () => engine.post('/channels/orders', {}));
    const items = Array.from({ length: BURST }, (_, index) => index);
    const oneCommit: Send = (engine) => [engine.post('/channels/some', { items, enough: 1_000 })];

    /** Parks so many tasks by way of one replica. Answers the claims that it took until all were out. */
    const park = async (replica: number, count: number, send: Send): Promise<number> => {
      const by = engines[replica];
      assert.ok(by);
      await crowd.fill();
      const before = await claims();
      const orders = send(by);
      const reached = await crowd.next(count);
      for (const order of await Promise.all(orders)) assert.equal(order.status, 202);
      assert.equal(reached.length, count, 'as many fetches were answered as there were tasks');
      assert.deepEqual([...new Set(reached.map(({ taskIds }) => taskIds.length))], [1]);
      assert.equal(new Set(reached.flatMap(({ taskIds }) => taskIds)).size, count, 'no task went out twice');
      assert.equal(await metric(engines[0] as TestEngine, 'sutra_fetches_waiting'), WAITING - count);
      return (await claims()) - before;
    };

    const replicas =
      target.name === 'postgresql' ? ['their replica', 'the other replica'] : ['their replica'];
    for (const [replica, name] of replicas.entries()) {
      it(`cost at most 2 claims when ${name} parks one task, which goes to one of them`, async () => {
        const count = await park(replica, 1, one);
        assert.ok(count <= 2, `${count} claims`);
      });

      it(`cost at most 10 claims when ${name} parks ${BURST} tasks in one commit, which go to ${BURST} of them`, async () => {
        const count = await park(replica, BURST, oneCommit);
        assert.ok(count <= 10, `${count} claims`);
      });
    }

    // By way of another replica the claims grow with the time in which the orders come: each ring is one or two.
    it(`cost at most 10 claims when ${BURST} orders come to their replica at once`, async () => {
      const count = await park(0, BURST, burst);
      assert.ok(count <= 10, `${count} claims`);
    });
  });
}
