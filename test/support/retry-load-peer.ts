/**
 * The peer of the load's HTTP call. What it says to one idempotency key it says to every repetition, as a good peer
 * does: refused, answered at once, or taken (202) and answered with a message of its own, in time, late or never.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { pause } from './fault-load.ts';
import type { RetryLoadClient } from './retry-load-client.ts';
import { CALL_TIMEOUT_MS, isRefused } from './retry-load-package.ts';

type Manner = 'refuses' | 'answers' | 'answers-later' | 'answers-late' | 'forgets';

export interface PeerAnswer {
  readonly key: string;
  readonly status: number;
  readonly code: unknown;
}

export class RetryLoadPeer {
  /** The messages with which it answered, and what became of them. */
  readonly answers: PeerAnswer[] = [];
  readonly #manners = new Map<string, Manner>();
  readonly #server: Server;
  readonly #pending = new Set<Promise<void>>();
  #client: RetryLoadClient | null = null;

  constructor() {
    this.#server = createServer((request, response) => {
      const key = String(request.headers['idempotency-key']);
      void json(request)
        .then((body) => {
          const isFirst = !this.#manners.has(key);
          const manner = this.#mannerOf(key, numberOf(body));
          const status = manner === 'refuses' ? 400 : manner === 'answers' ? 200 : 202;
          response.writeHead(status, { 'content-type': 'application/json' });
          response.end(JSON.stringify({ key }));
          if (isFirst && manner === 'answers-later') this.#answer(key, 50);
          if (isFirst && manner === 'answers-late') this.#answer(key, CALL_TIMEOUT_MS + 250);
        })
        // The engine was killed while it asked.
        .catch(() => response.destroy());
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${String(port)}/quote`;
  }

  answerThrough(client: RetryLoadClient): void {
    this.#client = client;
  }

  /** Resolves when every answer that is still to come has come. */
  async drained(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #mannerOf(key: string, n: number): Manner {
    const known = this.#manners.get(key);
    if (known !== undefined) return known;
    const manner = isRefused(n) ? 'refuses' : randomManner();
    this.#manners.set(key, manner);
    return manner;
  }

  #answer(key: string, delayMs: number): void {
    const done = pause(delayMs)
      .then(async () => {
        if (this.#client === null) return;
        const headers = { 'correlation-id': key, 'idempotency-key': `answer-${key}` };
        const { answer } = await this.#client.insist('POST', '/channels/answers', { key }, headers);
        this.answers.push({ key, status: answer.status, code: answer.body['code'] });
      })
      .finally(() => this.#pending.delete(done));
    this.#pending.add(done);
  }
}

function randomManner(): Manner {
  const chance = Math.random();
  if (chance < 0.15) return 'refuses';
  if (chance < 0.6) return 'answers';
  if (chance < 0.75) return 'answers-later';
  return chance < 0.95 ? 'answers-late' : 'forgets';
}

function numberOf(body: unknown): number {
  if (typeof body === 'object' && body !== null && 'n' in body) return Number(body.n);
  throw new Error('a request without a number');
}
