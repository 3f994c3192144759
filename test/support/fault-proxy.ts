/**
 * A proxy between a worker and a server, over real connections, that can be told to do with calls what networks and
 * the machines in them do. Without a fault it passes everything on, and a caller's disconnection too.
 *
 *   const proxy = await FaultProxy.start(engine.url);
 *   proxy.strike('drop-after', ['complete']);   // from now on every completion loses its answer
 *   proxy.calm();                               // the fault's end
 *
 * P1 A call is struck by the fault of its kind at the moment at which its headers are there, or by none.
 * P2 What a fault holds (a connection that stays silent, an answer that drips, a call that the server has not answered)
 *    ends with the fault: it is reset.
 * P3 The port stays the same, also over `refused`.
 */
import { Agent, createServer, request as send, type IncomingMessage, type Server } from 'node:http';
import {
  createServer as createListener,
  type AddressInfo,
  type Server as Listener,
  type Socket,
} from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setMaxListeners } from 'node:events';
import { pause } from './fault-load.ts';
import {
  faults,
  passOn,
  resetSocket,
  type Call,
  type FaultName,
  type ServerAnswer,
} from './fault-proxy-faults.ts';

/** Of the pull surface; `other` is everything else. */
export const callKinds = [
  'fetch',
  'complete',
  'failure',
  'extend-lock',
  'unlock',
  'bpmn-error',
  'progress',
  'other',
] as const;
export type CallKind = (typeof callKinds)[number];

const TASKS_PATH = /^\/sutra\/external-tasks\/(?:(?<fetch>fetch-and-lock)|[^/]+\/(?<call>[a-z-]+))$/;
/** Headers that are of one connection, and what this proxy frames anew. */
const OWN_HEADERS = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'host']);

export function callKindOf(path: string): CallKind {
  const { fetch, call } = TASKS_PATH.exec(path)?.groups ?? {};
  if (fetch !== undefined) return 'fetch';
  return callKinds.find((kind) => kind === call) ?? 'other';
}

export class FaultProxy {
  readonly #target: URL;
  readonly #http: Server;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #sockets = new Set<Socket>();
  readonly #strikes = new Map<CallKind, FaultName>();
  readonly #struck = new Map<CallKind, number>();
  readonly #passed = new Map<CallKind, number>();
  /** Fetches that are with the server, or on their way there. */
  readonly #openPolls = new Set<IncomingMessage>();
  #lastPolledAt = Number.NEGATIVE_INFINITY;
  #listener: Listener;
  #faultEnd = newEnd();
  #port = 0;

  private constructor(target: URL) {
    this.#target = target;
    this.#http = createServer((request, response) => {
      void this.#take({
        request,
        response,
        socket: request.socket,
        number: 0,
        end: this.#faultEnd.signal,
        forward: () => this.#forward(request, null),
      });
    });
    // The worker's patience is what is tested, not this server's.
    this.#http.requestTimeout = 0;
    this.#http.headersTimeout = 0;
    this.#http.keepAliveTimeout = 60_000;
    this.#listener = this.#newListener();
  }

  static async start(targetUrl: string): Promise<FaultProxy> {
    const proxy = new FaultProxy(new URL(targetUrl));
    await proxy.#listen();
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${String(this.#port)}`;
  }

  /** Calls of the kind that a fault has struck so far. */
  struckCount(kind: CallKind): number {
    return this.#struck.get(kind) ?? 0;
  }

  /** Calls of the kind that were passed on by no fault. */
  passedCount(kind: CallKind): number {
    return this.#passed.get(kind) ?? 0;
  }

  /** Has a fetch that no fault struck been under way at the instant (of `performance.now()`) or after it? */
  hasPolledSince(atMs: number): boolean {
    return this.#openPolls.size > 0 || this.#lastPolledAt >= atMs;
  }

  /** From now on calls of these kinds, all when none is named, are struck. `refused` refuses connections, so all calls. */
  strike(fault: FaultName, kinds: readonly CallKind[] = callKinds): void {
    for (const kind of kinds) this.#strikes.set(kind, fault);
    if (fault === 'refused') {
      this.#listener.close();
      for (const socket of this.#sockets) resetSocket(socket);
    }
  }

  /** The end of all faults. Resolves when connections are taken again. */
  async calm(): Promise<void> {
    this.#strikes.clear();
    this.#faultEnd.abort();
    this.#faultEnd = newEnd();
    if (!this.#listener.listening) await this.#listen();
  }

  async stop(): Promise<void> {
    this.#strikes.clear();
    this.#faultEnd.abort();
    this.#listener.close();
    for (const socket of this.#sockets) socket.destroy();
    this.#agent.destroy();
    while (this.#sockets.size > 0) await pause(5);
  }

  #newListener(): Listener {
    return createListener((socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => this.#sockets.delete(socket));
      // Whoever is deaf to all calls does not even read that there is one.
      if ([...callKinds].every((kind) => this.#strikes.get(kind) === 'deaf')) {
        this.#faultEnd.signal.addEventListener('abort', () => resetSocket(socket), { once: true });
        for (const kind of callKinds) this.#count(this.#struck, kind);
        return;
      }
      this.#http.emit('connection', socket);
    });
  }

  async #listen(): Promise<void> {
    this.#listener = this.#newListener();
    await new Promise<void>((resolve, reject) => {
      this.#listener.once('error', reject).listen(this.#port, '127.0.0.1', resolve);
    });
    this.#port = (this.#listener.address() as AddressInfo).port;
  }

  async #take(call: Call): Promise<void> {
    const { pathname } = new URL(call.request.url ?? '/', this.#target);
    const kind = callKindOf(pathname);
    const fault = this.#strikes.get(kind);
    try {
      if (fault === undefined) {
        this.#count(this.#passed, kind);
        if (kind === 'fetch') this.#notePoll(call.request, call);
        await passOn(call);
      } else {
        const number = this.#count(this.#struck, kind);
        const { request, end } = call;
        const forward = (): Promise<ServerAnswer> => this.#forward(request, end.aborted ? null : end);
        await faults[fault]({ ...call, number, forward });
      }
    } catch {
      // The server or the caller has gone: to the other one it is the connection that ends.
      call.socket.destroy();
    }
  }

  #notePoll(poll: IncomingMessage, { response }: Call): void {
    this.#openPolls.add(poll);
    this.#lastPolledAt = performance.now();
    response.once('close', () => {
      this.#openPolls.delete(poll);
      if (response.writableFinished) this.#lastPolledAt = performance.now();
    });
  }

  /** Counts from 1. */
  #count(counts: Map<CallKind, number>, kind: CallKind): number {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return count;
  }

  /** @param end what is still waiting for the server then is given up */
  async #forward(request: IncomingMessage, end: AbortSignal | null): Promise<ServerAnswer> {
    const gone = new AbortController();
    const onClose = (): void => gone.abort();
    request.socket.once('close', onClose);
    end?.addEventListener('abort', onClose);
    try {
      const body = await buffer(request);
      const sent = send(new URL(request.url ?? '/', this.#target), {
        agent: this.#agent,
        method: request.method ?? 'GET',
        headers: { ...passedHeaders(request), 'content-length': body.length },
        signal: gone.signal,
      });
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        sent.once('response', resolve).once('error', reject);
        sent.end(body);
      });
      return {
        status: answer.statusCode ?? 0,
        headers: passedHeaders(answer),
        body: await buffer(answer),
      };
    } finally {
      request.socket.off('close', onClose);
      end?.removeEventListener('abort', onClose);
    }
  }
}

function passedHeaders({ headers }: IncomingMessage): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && !OWN_HEADERS.has(name)) passed[name] = value;
  }
  return passed;
}

/** Every call that a fault holds listens to it. */
function newEnd(): AbortController {
  const end = new AbortController();
  setMaxListeners(0, end.signal);
  return end;
}
