/** The database goes away for ten seconds in the middle of load, and comes back. */
import assert from 'node:assert/strict';
import { createServer, connect, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { postgresqlOnly } from '../support/database.ts';
import { EngineProcess, freePort } from '../support/engine-process.ts';
import { FaultLoad, faultPackage, pause } from '../support/fault-load.ts';
import { allEnded, audit } from '../support/fault-audit.ts';

/** Passes bytes to the server, until it is cut: then it drops what is open and refuses what comes. */
class CuttableProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  isCut = false;

  constructor(to: URL) {
    this.#server = createServer((client) => {
      if (this.isCut) {
        client.destroy();
        return;
      }
      const server = connect(Number(to.port === '' ? '5432' : to.port), to.hostname);
      for (const socket of [client, server]) {
        this.#sockets.add(socket);
        socket.on('error', () => socket.destroy());
        socket.once('close', () => {
          this.#sockets.delete(socket);
          client.destroy();
          server.destroy();
        });
      }
      client.pipe(server);
      server.pipe(client);
    });
  }

  async start(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

for (const target of postgresqlOnly()) {
  describe(`a database outage on ${target.name}`, () => {
    it(
      'answers 503 meanwhile, resumes without help, and ends every order exactly once',
      { timeout: 180_000 },
      async () => {
        const store = await target.create();
        assert.ok(store.url !== null);
        const proxy = new CuttableProxy(new URL(store.url));
        const through = new URL(store.url);
        through.port = String(await proxy.start());
        const engine = new EngineProcess(await freePort(), { SUTRA_DATASOURCE_URL: through.href });
        const database = await store.open();
        const load = new FaultLoad(engine.url);
        try {
          await engine.start();
          const files = Object.entries(faultPackage).map(([path, text]) => ({ path, text }));
          await fetch(`${engine.url}/admin/deployments`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ files }),
          });
          load.begin(8, 8);
          await pause(2_000);
          proxy.cut();
          await pause(5_000);
          const ready = await fetch(`${engine.url}/sutra/health/ready`);
          assert.equal(ready.status, 503);
          assert.equal((await fetch(`${engine.url}/sutra/health/live`)).status, 200);
          await pause(5_000);
          proxy.isCut = false;
          const sentBefore = load.sent;
          await pause(5_000);
          assert.ok(load.sent > sentBefore, 'orders are taken again');
          load.stopSending();
          await allEnded(database, 30_000);
          await load.stopWorking();
          await audit(database, load);
          assert.ok((load.refusals.get(503) ?? 0) > 0, 'the outage was answered 503');
          assert.equal(load.missingRetryAfter, 0);
          assert.equal(load.refusals.get(500) ?? 0, 0, engine.errors);
          assert.equal(await engine.kill('SIGTERM'), 0, engine.errors);
        } finally {
          load.abandon();
          await engine.kill();
          await proxy.stop();
          await database.close();
          await store.drop();
        }
      },
    );
  });
}
