/** Whom notices are sent to. It takes each, and may be slow or say that it is not its day. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { pause } from '../../support/fault-load.ts';

export class MixPeer {
  /** By idempotency key: what it says, as text. A good receiver knows by its key what it has already. */
  readonly notices = new Map<string, Set<string>>();
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      void json(request)
        .then(async (body) => {
          const key = String(request.headers['idempotency-key']);
          const isWilling = Math.random() < 0.8;
          if (isWilling) {
            this.notices.set(key, (this.notices.get(key) ?? new Set()).add(JSON.stringify(body)));
            await pause(Math.random() * 100);
          }
          response.writeHead(isWilling ? 200 : 503, { 'content-type': 'application/json' });
          response.end('{}');
        })
        // The engine was killed while it told.
        .catch(() => response.destroy());
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${String(port)}/notices`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
