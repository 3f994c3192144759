/** An engine as a process of its own, and what its signals do. */
import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { testDatabases, type TestDatabase } from '../support/database.ts';
import { EngineProcess, freePort } from '../support/engine-process.ts';
import { call, flows, packageFiles, start } from '../support/packages.ts';

const works = (channel: string): string =>
  `${start(channel)}${call('work-it', 'work')}<endEvent id="end"/>${flows('start -> work-it', 'work-it -> end')}`;
const files = packageFiles({
  channels: `  - { name: orders, transport: http, bind: "POST /channels/orders", ack-mode: on-persist }
  - { name: quote, transport: http, bind: "POST /channels/quote" }
  - { name: work, transport: pull }
  - { name: idle, transport: pull }`,
  processes: { order: works('orders'), quote: works('quote') },
});
/** Far less than the 30 s that a shutdown has, and than every wait of a client in these tests. */
const promptMs = 10_000;

interface Body {
  readonly instanceId: string;
  readonly status: string;
  readonly tasks: readonly unknown[];
}

for (const target of testDatabases()) {
  describe(`signals on ${target.name}`, () => {
    let store: TestDatabase;
    let engine: EngineProcess;
    before(async () => {
      store = await target.create();
      engine = new EngineProcess(await freePort(), store.env);
      await engine.start();
      await post('/admin/deployments', {
        files: Object.entries(files).map(([path, text]) => ({ path, text })),
      });
    });
    after(async () => {
      await engine.kill();
      await store.drop();
    });

    const post = async (
      path: string,
      body: unknown,
      headers = {},
    ): Promise<{ status: number; body: Body }> => {
      const response = await fetch(`${engine.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: (await response.json()) as Body };
    };
    const terminate = async (): Promise<{ code: number | null; tookMs: number }> => {
      const startedAt = performance.now();
      const code = await engine.kill('SIGTERM');
      return { code, tookMs: performance.now() - startedAt };
    };
    const metric = async (name: string): Promise<number> => {
      const text = await (await fetch(`${engine.url}/metrics`)).text();
      return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? '0');
    };

    it('answer whoever waits, lose no order that was accepted, and end the process with 0, in the middle of load', async () => {
      const fetches = Array.from({ length: 5 }, (_, n) =>
        post('/sutra/external-tasks/fetch-and-lock', { workerId: `w${String(n)}`, channels: ['idle'] }),
      );
      const held = post('/channels/quote', {});
      const idle = await idleConnections(engine.url);
      const accepted: string[] = [];
      const sent: Promise<void>[] = [];
      const send = async (path: string): Promise<void> => {
        try {
          const answer = await post(path, {}, { 'idempotency-key': String(sent.length) });
          if (answer.status === 202) accepted.push(answer.body.instanceId);
        } catch {
          // No answer: nothing was promised.
        }
      };
      // Held requests and others, all the time: at every instant some are about to be committed.
      const pump = setInterval(() => {
        for (const path of ['/channels/orders', '/channels/quote']) sent.push(send(path));
      }, 5);
      while (accepted.length < 50 || (await metric('sutra_fetches_waiting')) < 5) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      const { code, tookMs } = await terminate();
      clearInterval(pump);
      await Promise.all(sent);
      idle.close();
      assert.equal(code, 0, engine.errors);
      assert.ok(tookMs < promptMs, `${String(tookMs)} ms, with idle connections open`);
      for (const answer of await Promise.all(fetches)) {
        assert.deepEqual(answer, { status: 200, body: { tasks: [] } });
      }
      const { status, body } = await held;
      assert.deepEqual([status, body.status], [202, 'running']);

      await engine.start();
      const found = await Promise.all(
        accepted.map(async (id) => {
          const response = await fetch(`${engine.url}/sutra/instances/${id}`);
          await response.arrayBuffer();
          return response.status === 200;
        }),
      );
      assert.deepEqual(
        accepted.filter((_, index) => found[index] === false),
        [],
      );
    });

    it('end the process at once when they come twice', async () => {
      // A body that never comes to its end holds the shutdown up.
      const slow = connect(Number(new URL(engine.url).port), '127.0.0.1');
      slow.on('error', () => undefined);
      slow.write(
        'POST /channels/orders HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
      );
      while ((await metric('sutra_http_requests_open')) < 2);
      assert.ok(engine.pid !== undefined);
      process.kill(engine.pid, 'SIGTERM');
      // One signal that comes while another is not yet taken is the same signal.
      const stopping = `"pid":${String(engine.pid)},"reason":"SIGTERM","event":"lifecycle.stopping"`;
      while (!engine.errors.includes(stopping)) await new Promise((resolve) => setTimeout(resolve, 10));
      const { code, tookMs } = await terminate();
      assert.equal(code, 130, engine.errors);
      assert.ok(tookMs < promptMs, `${String(tookMs)} ms`);
      slow.destroy();
    });
  });
}

/** One connection that was never used, and three that are kept alive after an answer. */
async function idleConnections(url: string): Promise<{ close(): void }> {
  const agent = new Agent({ keepAlive: true });
  await Promise.all(
    [1, 2, 3].map(
      () =>
        new Promise<void>((resolve, reject) => {
          request(`${url}/sutra/health/live`, { agent }, (response) => {
            response.resume().once('end', resolve);
          })
            .once('error', reject)
            .end();
        }),
    ),
  );
  const unused: Socket = connect(Number(new URL(url).port), '127.0.0.1');
  unused.on('error', () => undefined);
  await new Promise((resolve) => unused.once('connect', resolve));
  return {
    close: () => {
      agent.destroy();
      unused.destroy();
    },
  };
}
