/** An HTTP server that answers the calls of a worker as a test has it, and keeps what it was asked. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface PeerCall {
  /** The last part of the path. */
  readonly call: string;
  readonly taskId: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: IncomingMessage['headers'];
  readonly response: ServerResponse;
  /** Of the calls of its kind, from 1. */
  readonly number: number;
  /** Aborted when the worker has hung up, or the answer is over. */
  readonly closed: AbortSignal;
}

/** Answers, or leaves it. */
export type PeerAct = (call: PeerCall) => void;

export class ScriptedPeer {
  readonly calls: PeerCall[] = [];
  readonly #server;
  readonly #acts: Record<string, PeerAct>;

  private constructor(acts: Record<string, PeerAct>) {
    this.#acts = acts;
    this.#server = createServer((request, response) => void this.#take(request, response));
  }

  /** `acts` by the last part of the path. Without one: what an engine without tasks says, a fetch being held. */
  static async start(acts: Record<string, PeerAct>): Promise<ScriptedPeer> {
    const peer = new ScriptedPeer(acts);
    await new Promise<void>((resolve) => peer.#server.listen(0, '127.0.0.1', resolve));
    return peer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  callsOf(call: string): readonly PeerCall[] {
    return this.calls.filter((made) => made.call === call);
  }

  /** Resolves when there have been `count` calls of the kind. */
  async until(call: string, count: number): Promise<void> {
    while (this.callsOf(call).length < count) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts = (request.url ?? '').split('/');
    const call = parts.at(-1) ?? '';
    const body = JSON.parse(await text(request)) as Readonly<Record<string, unknown>>;
    const closing = new AbortController();
    response.on('close', () => closing.abort());
    const made: PeerCall = {
      call,
      taskId: parts.at(-2) ?? '',
      body,
      headers: request.headers,
      response,
      number: this.callsOf(call).length + 1,
      closed: closing.signal,
    };
    this.calls.push(made);
    (this.#acts[call] ?? usual)(made);
  }
}

export function answer({ response }: PeerCall, status: number, body: unknown, headers = {}): void {
  const type = status === 200 ? 'application/json' : 'application/problem+json';
  response.writeHead(status, { 'content-type': type, ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

export function refuse(call: PeerCall, status: number, code: string, attributes = {}): void {
  answer(call, status, { type: 'about:blank', title: 't', status, code, detail: 'because', attributes });
}

/** What an engine would say, had it done it. A fetch that waits is held, one that looks finds nothing. */
export function usual(call: PeerCall): void {
  const taken: Readonly<Record<string, unknown>> = {
    complete: { status: 'COMPLETED', outcome: 'ACCEPTED' },
    'bpmn-error': { status: 'BPMN_ERROR', outcome: 'ACCEPTED' },
    failure: { status: 'PENDING', retries: 2 },
    unlock: { status: 'PENDING' },
  };
  if (call.call !== 'fetch-and-lock') {
    answer(call, 200, { taskId: call.taskId, channel: 'work', ...(taken[call.call] as object | undefined) });
  } else if (call.body['asyncResponseTimeout'] === 'PT0S') {
    answer(call, 200, { tasks: [] });
  }
}

/** The first fetch gets the tasks, the others what is usual. */
export function handOut(...tasks: readonly unknown[]): PeerAct {
  return (call) => (call.number === 1 ? answer(call, 200, { tasks }) : usual(call));
}

/** A task as an engine writes it. */
export function task(id: string, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    id,
    channel: 'work',
    instanceId: 'i-1',
    idempotencyKey: `key-${id}`,
    headers: {},
    contentType: 'application/json',
    body: { n: 1 },
    attempts: 1,
    retries: 3,
    priority: 0,
    lockToken: `token-${id}`,
    lockExpiresAt: new Date(Date.now() + 30_000).toISOString(),
    createdAt: new Date().toISOString(),
    ...more,
  };
}
