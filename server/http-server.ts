/**
 * The one HTTP server: what comes over its sockets, and what becomes of it.
 *
 * Order of a request: a facade's prefix, a hot route, a bound channel path, Express. All but the last bypass Express,
 * which costs 0.1 ms of CPU a request, a third of the whole unit's cost; limits, body reading and problem
 * documents are the same for all three.
 *
 * N1 Every request is answered with a documented body, or its socket is closed; none is left hanging.
 * N2 Slow senders are bounded in time, bodies in bytes, pipelined requests of one socket in number.
 * N3 After `stopAccepting` no work is taken; what is under way is answered, and its connection closed.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Express } from 'express';
import { EngineError } from '../config/engine-error.ts';
import type { HttpIntake, HttpIntakeAnswer, HttpIntakeMatch } from '../channels/http/intake.ts';
import type { Meter } from '../engine/observe.ts';
import { answerClientError, answerRaw } from './client-error.ts';
import type { ServerCode } from './codes.ts';
import { createExpressApp, routeRefusal } from './express-app.ts';
import { Exchange, jsonAnswer } from './exchange.ts';
import { InvariantError } from '../engine/core/invariant-error.ts';
import { makeProblem } from './problem.ts';
import { isReservedPath, RouteTable } from './route-table.ts';
import type { Route } from './route.ts';
import { decodeParams, runRoute } from './run-route.ts';
import { runSurface, surfaceOf, type SurfaceRunner } from './run-surface.ts';

export interface HttpServerOptions extends SurfaceRunner {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly routes: readonly Route[];
  readonly intake: HttpIntake;
  readonly meter: Meter;
  readonly timeouts?: Partial<HttpTimeouts>;
}

export interface HttpTimeouts {
  /** Until the headers are whole. Default: 15 s, a guess. */
  readonly headersMs: number;
  /** Until the body is whole. Default: 60 s; 10 MiB then need 1.4 Mbit/s. */
  readonly requestMs: number;
  /** An idle connection's life. Default: 75 s, above the 60 s at which load balancers drop theirs. */
  readonly keepAliveMs: number;
}

const DEFAULT_TIMEOUTS: HttpTimeouts = { headersMs: 15_000, requestMs: 60_000, keepAliveMs: 75_000 };
/** How often Node looks for requests past their time. */
const TIMEOUT_CHECK_MS = 1_000;
/** Requests of one socket that wait for their answers. A guess: real clients do not pipeline at all. */
const MAX_PIPELINED = 64;
/** Answered also while stopping: the orchestrator must see that the process lives. */
const LIVE_PATH = '/sutra/health/live';

interface RequestLabels {
  readonly counted: Readonly<Record<string, string>>;
  readonly timed: Readonly<Record<string, string>>;
}

export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #table: RouteTable;
  readonly #express: Express;
  readonly #server: Server;
  readonly #exchanges = new WeakMap<object, Exchange>();
  readonly #openBySocket = new Map<Socket, Set<Exchange>>();
  /** Constants for the meter: as many as there are routes, methods and statuses. */
  readonly #labels = new Map<string, RequestLabels>();
  #isClosing = false;
  #openCount = 0;
  #onDrained: (() => void)[] = [];

  constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#table = new RouteTable(options.routes);
    this.#express = createExpressApp(this.#table, options, (response) => this.#exchangeOf(response));
    const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
    this.#server = createServer({
      connectionsCheckingInterval: Math.min(TIMEOUT_CHECK_MS, timeouts.headersMs),
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      keepAliveTimeout: timeouts.keepAliveMs,
      noDelay: true,
      // Node would answer a request without Host in its own words.
      requireHostHeader: false,
    });
    this.#listenForEvents();
    options.meter.gauge('sutra_http_requests_open', () => this.#openCount);
    options.meter.gauge('sutra_http_connections_open', () => this.#openBySocket.size);
  }

  /** Resolves with the port once connections are taken. */
  start(): Promise<number> {
    return new Promise((resolve, reject) => {
      const refuse = (cause: Error): void => {
        reject(listenFailed(this.#options, cause));
      };
      this.#server.once('error', refuse);
      this.#server.listen(this.#options.port, this.#options.host, () => {
        this.#server.off('error', refuse);
        this.#server.on('error', (error) => {
          this.#options.log.error('http.server-error', { error });
        });
        resolve(portOf(this.#server));
      });
    });
  }

  /** No new connection, no new work; idle connections are closed. What is under way goes on. */
  stopAccepting(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    if (this.#server.listening) this.#server.close();
    this.#server.closeIdleConnections();
  }

  /** Resolves when every request has its answer or its client is gone. */
  drained(): Promise<void> {
    if (this.#openCount === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onDrained.push(resolve));
  }

  /** Closes every connection, whatever it is doing, and resolves when none is left. */
  async close(): Promise<void> {
    this.stopAccepting();
    this.#server.closeAllConnections();
    for (const socket of this.#openBySocket.keys()) socket.destroy();
    await this.drained();
  }

  #listenForEvents(): void {
    const server = this.#server;
    const take = (request: IncomingMessage, response: ServerResponse): void => {
      this.#take(request, response);
    };
    server.on('connection', (socket: Socket) => {
      this.#trackSocket(socket);
    });
    server.on('request', take);
    // The body reader sends "100 Continue" itself, once it wants the body.
    server.on('checkContinue', take);
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
      const exchange = this.#open(request, response);
      void exchange.fail(
        new EngineError('SUTRA.HTTP.EXPECTATION_FAILED', 'only "Expect: 100-continue" can be met'),
      );
    });
    server.on('connect', (_request: IncomingMessage, socket: Socket) => {
      answerRaw(socket, 405, 'SUTRA.HTTP.METHOD_NOT_ALLOWED', 'CONNECT is not possible here', {
        allow: 'GET, POST',
      });
    });
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
      // Bytes behind a request that is whole: its own answer comes first on the wire, or none does.
      const isAnswerOwed = [...(this.#openBySocket.get(socket) ?? [])].some(
        ({ request, response }) => request.complete || response.headersSent,
      );
      answerClientError(error, socket, isAnswerOwed);
    });
  }

  #trackSocket(socket: Socket): void {
    const open = new Set<Exchange>();
    this.#openBySocket.set(socket, open);
    socket.once('close', () => {
      this.#openBySocket.delete(socket);
      for (const exchange of open) {
        exchange.gone();
        this.#settle(exchange);
      }
    });
  }

  #open(request: IncomingMessage, response: ServerResponse): Exchange {
    const exchange = new Exchange(request, response, splitTarget(request.url ?? ''), {
      log: this.#options.log,
      isClosing: () => this.#isClosing,
    });
    this.#exchanges.set(response, exchange);
    this.#openBySocket.get(request.socket)?.add(exchange);
    this.#openCount += 1;
    const startedAt = performance.now();
    response.once('finish', () => {
      exchange.finished();
      this.#openBySocket.get(request.socket)?.delete(exchange);
      this.#measure(exchange, performance.now() - startedAt);
      this.#settle(exchange);
    });
    return exchange;
  }

  /** Once for each exchange: when its answer is handed over, or its socket is closed. */
  #settle(exchange: Exchange): void {
    if (!this.#exchanges.delete(exchange.response)) return;
    this.#openCount -= 1;
    if (this.#openCount > 0) return;
    const waiting = this.#onDrained;
    this.#onDrained = [];
    for (const resolve of waiting) resolve();
  }

  #exchangeOf(response: object): Exchange {
    const exchange = this.#exchanges.get(response);
    if (exchange === undefined) throw new InvariantError('a response without an open exchange');
    return exchange;
  }

  #measure(exchange: Exchange, durationMs: number): void {
    const { meter } = this.#options;
    const { counted, timed } = this.#labelsOf(exchange);
    meter.add('sutra_http_requests_total', 1, counted);
    meter.record('sutra_http_request_duration_seconds', durationMs / 1000, timed);
  }

  #labelsOf({ route, request, response }: Exchange): RequestLabels {
    const given = request.method ?? 'unknown';
    const method = KNOWN_METHODS.has(given) ? given : 'other';
    const status = String(response.statusCode);
    const key = `${method} ${status} ${route}`;
    const known = this.#labels.get(key);
    if (known !== undefined) return known;
    const labels = {
      counted: Object.freeze({ route, method, status }),
      timed: Object.freeze({ route, method }),
    };
    this.#labels.set(key, labels);
    return labels;
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const exchange = this.#open(request, response);
    const refusal = this.#refusalOf(exchange);
    const surface = surfaceOf(this.#options.surfaces, exchange.path);
    if (surface !== null) {
      void runSurface(this.#options, surface, exchange, refusal);
      return;
    }
    if (refusal !== null) {
      void exchange.fail(refusal);
      return;
    }
    const method = request.method ?? '';
    const hot = this.#table.matchHot(method, exchange.path);
    if (hot !== null) {
      void this.#runHot(hot.route, hot.rawParams, exchange);
      return;
    }
    const channel = isReservedPath(exchange.path) ? null : this.#options.intake.match(exchange.path);
    if (channel !== null) void this.#runChannel(channel, exchange);
    else this.#express(request, response);
  }

  #refusalOf(exchange: Exchange): EngineError | null {
    const { request, path } = exchange;
    if (this.#isClosing && path !== LIVE_PATH) {
      return new EngineError('SUTRA.SHUTTING_DOWN', 'this replica is stopping; send the request again');
    }
    if (request.headers.host === undefined && request.httpVersion !== '1.0') {
      return new EngineError('SUTRA.HTTP.REQUEST_MALFORMED', 'the request has no Host header');
    }
    if (!path.startsWith('/') && request.method !== 'OPTIONS') {
      return new EngineError('SUTRA.HTTP.URL_INVALID', 'the request target is not a path');
    }
    if ((this.#openBySocket.get(request.socket)?.size ?? 0) > MAX_PIPELINED) {
      return new EngineError(
        'SUTRA.HTTP.PIPELINE_TOO_DEEP',
        `more than ${String(MAX_PIPELINED)} requests of this connection wait for their answers`,
      );
    }
    return null;
  }

  async #runHot(
    route: Route,
    rawParams: Readonly<Record<string, string>>,
    exchange: Exchange,
  ): Promise<void> {
    let params: Readonly<Record<string, string>>;
    try {
      params = decodeParams(rawParams);
    } catch (error) {
      return exchange.fail(error);
    }
    return runRoute(this.#options, route, params, exchange);
  }

  async #runChannel(match: HttpIntakeMatch, exchange: Exchange): Promise<void> {
    // Not the path: authors choose it, and a metric's labels must stay few.
    exchange.route = 'http-channel';
    try {
      const refusal = routeRefusal(match.methods, exchange.request.method ?? '', exchange.path);
      if (refusal !== null) throw refusal;
      const answer = await this.#options.intake.handle(match, {
        headers: exchange.request.headers,
        // Read only by who waits: most messages are answered when they are committed.
        get disconnected() {
          return exchange.disconnected;
        },
        readBody: (maxBytes) => exchange.readBody(maxBytes),
      });
      await answerChannel(answer, exchange);
    } catch (error) {
      await exchange.fail(error);
    }
  }
}

const KNOWN_METHODS: ReadonlySet<string> = new Set([
  'GET',
  'POST',
  'DELETE',
  'PUT',
  'PATCH',
  'HEAD',
  'OPTIONS',
]);

function answerChannel(answer: HttpIntakeAnswer, exchange: Exchange): Promise<void> {
  switch (answer.kind) {
    case 'json':
      return exchange.answer(jsonAnswer(answer.status, answer.value, answer.headers));
    case 'reply':
      return exchange.answer({
        status: answer.status,
        headers: answer.headers,
        body: { kind: 'bytes', contentType: answer.contentType, bytes: answer.body },
      });
    case 'problem':
      return exchange.answerProblem(
        makeProblem(answer.status, answer.code, answer.detail, answer.attributes),
      );
  }
}

/** Path and query of a request target; an absolute one (`GET http://host/path`) loses its origin. */
function splitTarget(url: string): { readonly path: string; readonly query: string } {
  if (url.startsWith('/') && !url.includes('?')) return { path: url, query: '' };
  const origin = /^https?:\/\/[^/?#]*/i.exec(url);
  const target = origin === null ? url : url.slice(origin[0].length);
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  return { path: path === '' ? '/' : path, query: mark === -1 ? '' : target.slice(mark + 1) };
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new InvariantError('the server has no port');
  return address.port;
}

function listenFailed({ host, port }: HttpServerOptions, cause: Error): EngineError {
  const code: ServerCode = 'SUTRA.HTTP.LISTEN_FAILED';
  const reason = 'code' in cause ? String(cause.code) : cause.message;
  return new EngineError(code, `cannot listen on ${host} port ${String(port)}: ${reason}`, { cause });
}
