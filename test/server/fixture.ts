/** A server over simple in-test parts, and clients for it: a checking one and a bare socket. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { HttpIntake } from '../../channels/http/intake.ts';
import type { Settings } from '../../config/settings.ts';
import { EngineError } from '../../config/engine-error.ts';
import { defaultCostLimits } from '../../definitions/feel.ts';
import { silentLog } from '../../engine/observe.ts';
import type { Database } from '../../engine/store/database.ts';
import { allRoutes } from '../../server/all-routes.ts';
import { createHttpServer } from '../../server/create-http-server.ts';
import type { HttpServer, HttpTimeouts } from '../../server/http-server.ts';
import { createMetrics } from '../../server/metrics.ts';
import { openApiDocument } from '../../server/openapi.ts';
import type { ServerDeps } from '../../server/operations.ts';
import type { Route } from '../../server/route.ts';

export const testSettings: Settings = {
  http: { port: 0, host: '127.0.0.1', maxHoldMs: 1_000 },
  datasource: { url: null, poolMax: 10 },
  dataDir: 'memory:',
  deployments: { dir: null, pollIntervalMs: 2_000 },
  externalTask: {
    defaultLockDurationMs: 30_000,
    maxAttempts: null,
    maxLockDurationMs: 3_600_000,
    maxAsyncResponseTimeoutMs: 30_000,
    maxTasks: 100,
    retries: 3,
    maxRetries: 1_000,
    retryTimeoutMs: 10_000,
    maxRetryTimeoutMs: 86_400_000,
  },
  outbox: {
    tickIntervalMs: 1_000,
    retry: { baseDelayMs: 1_000, maxDelayMs: 300_000, jitter: true, maxAttempts: null },
  },
  inbox: { retentionMs: 604_800_000 },
  instance: { retentionMs: 604_800_000, retentionSweepIntervalMs: 3_600_000 },
  history: { retentionMs: 604_800_000, maxPayloadBytes: 16_384 },
  deadLetter: { maxCount: 10_000, retentionMs: 2_592_000_000 },
  intake: { maxInFlight: 10_000, maxWaitMs: 2_000 },
  feel: defaultCostLimits,
  codec: { maxPayloadBytes: 10_485_760 },
  admin: { apiKey: 'the-admin-key', isOpen: false },
  compat: { camunda7: false, camunda8: false },
};

export const adminHeaders = { authorization: 'Bearer the-admin-key' } as const;

/** Nothing bound, and every operation says that it was not expected. */
export const noChannels: HttpIntake = {
  match: () => null,
  handle: () => Promise.reject(unexpected('a channel')),
};

function unexpected(what: string): EngineError {
  return new EngineError('SUTRA.HTTP.FIELD_INVALID', `${what} was not expected by this test`);
}

/** A database of which only `run` can be asked. */
export const databaseOf = (run: Database['run']): Database => ({
  kind: 'embedded',
  poolSize: 1,
  get knex(): never {
    throw new Error('this test has no database');
  },
  run,
  transaction: () => Promise.reject(new Error('this test has no database')),
  notify: () => Promise.resolve(),
  statementCount: () => 0,
  commitCount: () => 0,
  listen: () => Promise.resolve(() => Promise.resolve()),
  close: () => Promise.resolve(),
});

const noDatabase = databaseOf(() => Promise.reject(new Error('this test has no database')));

export const noInstanceCommands: ServerDeps['instances'] = {
  cancel: () => Promise.reject(unexpected('cancel')),
  retry: () => Promise.reject(unexpected('retry')),
  completeUserTask: () => Promise.reject(unexpected('completeUserTask')),
  launchActivity: () => Promise.reject(unexpected('launchActivity')),
  completeAdHoc: () => Promise.reject(unexpected('completeAdHoc')),
  setVariables: () => Promise.reject(unexpected('setVariables')),
  move: () => Promise.reject(unexpected('move')),
  previewMove: () => Promise.reject(unexpected('previewMove')),
  migrate: () => Promise.reject(unexpected('migrate')),
  previewMigration: () => Promise.reject(unexpected('previewMigration')),
};

export function testDeps(overrides: Partial<ServerDeps> = {}): ServerDeps {
  return {
    settings: testSettings,
    database: noDatabase,
    pull: {
      fetchAndLock: () =>
        Promise.resolve({ answer: Buffer.from('{"tasks":[]}'), undelivered: () => Promise.resolve() }),
      complete: () => Promise.reject(unexpected('complete')),
      fail: () => Promise.reject(unexpected('failure')),
      bpmnError: () => Promise.reject(unexpected('bpmnError')),
      extendLock: () => Promise.reject(unexpected('extendLock')),
      unlock: () => Promise.reject(unexpected('unlock')),
      progress: () => Promise.reject(unexpected('progress')),
      topics: () => Promise.reject(unexpected('topics')),
      completeMany: () => Promise.reject(unexpected('completeMany')),
      failMany: () => Promise.reject(unexpected('failMany')),
      rearm: () => Promise.reject(unexpected('rearm')),
      discard: () => Promise.reject(unexpected('discard')),
    },
    instances: noInstanceCommands,
    starts: {
      startProcess: () => Promise.reject(unexpected('startProcess')),
      startByConditions: () => Promise.reject(unexpected('startByConditions')),
      throwSignal: () => Promise.reject(unexpected('throwSignal')),
    },
    deployments: {
      deploy: () => Promise.reject(unexpected('deploy')),
      drain: () => Promise.reject(unexpected('drain')),
      model: () => Promise.resolve(null),
    },
    deliveries: {
      requeue: () => Promise.reject(unexpected('requeue')),
      discard: () => Promise.reject(unexpected('discard')),
    },
    deadLetters: {
      replay: () => Promise.reject(unexpected('replay')),
      discard: () => Promise.reject(unexpected('discard')),
    },
    httpChannel: noChannels,
    inbound: {
      deliver: () => Promise.reject(unexpected('deliver')),
      deliverTo: () => Promise.reject(unexpected('deliverTo')),
    },
    metrics: createMetrics({ log: silentLog, isStrict: true, hasProcessMetrics: false }),
    log: silentLog,
    isReady: () => true,
    ...overrides,
  };
}

export interface TestServer {
  readonly port: number;
  readonly url: string;
  readonly server: HttpServer;
  readonly call: CheckedCall;
  stop(): Promise<void>;
}

export async function startTestServer(
  overrides: Partial<ServerDeps> = {},
  timeouts: Partial<HttpTimeouts> = {},
): Promise<TestServer> {
  const deps = testDeps(overrides);
  const server = createHttpServer(deps, [], timeouts);
  const port = await server.start();
  const url = `http://127.0.0.1:${String(port)}`;
  return { port, url, server, call: checkedCall(url), stop: () => server.close() };
}

export interface CallAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body when it is JSON. */
  readonly json: Record<string, unknown>;
}

export interface CallInit {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

export type CheckedCall = (method: string, path: string, init?: CallInit) => Promise<CallAnswer>;

/**
 * Calls over real HTTP, and holds every answer against the description that the server gives of itself: a
 * documented status, the exact content type, a body that fits its schema; every error a problem document.
 */
export function checkedCall(url: string): CheckedCall {
  const description = new DescriptionCheck(allRoutes(testDeps()));
  return async (method, path, init = {}) => {
    const body = init.json === undefined ? init.body : JSON.stringify(init.json);
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(init.json === undefined ? {} : { 'content-type': 'application/json' }),
        ...init.headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const contentType = response.headers.get('content-type') ?? '';
    const isJson = contentType === 'application/json' || contentType === 'application/problem+json';
    const json = isJson && text !== '' ? (JSON.parse(text) as Record<string, unknown>) : {};
    const answer: CallAnswer = { status: response.status, headers: response.headers, text, json };
    description.check(method, path, answer);
    return answer;
  };
}

class DescriptionCheck {
  readonly #routes: ReadonlyArray<{
    readonly method: string;
    readonly pattern: RegExp;
    readonly path: string;
  }>;
  readonly #ajv: Ajv2020;

  constructor(routes: readonly Route[]) {
    this.#routes = routes.map(({ method, path }) => ({
      method,
      path,
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{[A-Za-z]+\}/g, '[^/]+')}$`),
    }));
    this.#ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(this.#ajv);
    this.#ajv.addSchema({ $id: 'sutra:openapi', ...openApiDocument(routes) });
  }

  check(method: string, target: string, answer: CallAnswer): void {
    assert.equal(
      answer.headers.get('x-content-type-options'),
      'nosniff',
      `${method} ${target} may be sniffed`,
    );
    if (answer.status >= 400 && method !== 'HEAD') assertProblem(answer);
    const path = target.split('?')[0] ?? '';
    const route = this.#routes.find((known) => known.method === method && known.pattern.test(path));
    if (route === undefined || answer.status === 405) return;
    const type = (answer.headers.get('content-type') ?? '').split(';')[0] ?? '';
    const pointer = [
      'paths',
      route.path,
      method.toLowerCase(),
      'responses',
      String(answer.status),
      'content',
      type,
    ];
    const escaped = pointer.map((part) =>
      encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')),
    );
    const validate = this.#validatorAt(`sutra:openapi#/${escaped.join('/')}/schema`);
    assert.ok(
      validate,
      `${method} ${route.path} answered ${String(answer.status)} ${type}, which is not documented: ${answer.text}`,
    );
    if (!type.endsWith('json')) return;
    const isValid = validate(answer.json);
    assert.ok(
      isValid,
      `${method} ${route.path} ${String(answer.status)}: ${this.#ajv.errorsText(validate.errors)} in ${answer.text}`,
    );
  }

  #validatorAt(pointer: string): ValidateFunction | undefined {
    try {
      return this.#ajv.getSchema(pointer);
    } catch {
      return undefined;
    }
  }
}

export function assertProblem(answer: CallAnswer, status?: number, code?: string): void {
  const shown = `${String(answer.status)} ${answer.text}`;
  assert.equal(answer.headers.get('content-type'), 'application/problem+json', shown);
  assert.equal(answer.json['type'], 'about:blank', shown);
  assert.equal(answer.json['status'], answer.status, shown);
  assert.match(String(answer.json['title']), /\S/, shown);
  assert.match(String(answer.json['detail']), /\S/, shown);
  assert.equal(typeof answer.json['attributes'], 'object', shown);
  if (status !== undefined) assert.equal(answer.status, status, shown);
  if (code !== undefined) assert.equal(answer.json['code'], code, shown);
  if (answer.status === 429 || answer.status === 503)
    assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
}

/** Sends bytes as they are and resolves with all that comes back until the server closes. */
export function rawExchange(port: number, bytes: string | Uint8Array, end = false): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('close', () => {
      resolve(Buffer.concat(chunks).toString('latin1'));
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    if (end) socket.end(bytes);
    else socket.write(bytes);
  });
}

/** A log stream that keeps its lines. */
export function memoryStream(): {
  readonly stream: Writable;
  readonly lines: () => Record<string, unknown>[];
} {
  let text = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString('utf8');
      done();
    },
  });
  const parse = (line: string): Record<string, unknown> => JSON.parse(line) as Record<string, unknown>;
  return {
    stream,
    lines: () =>
      text
        .split('\n')
        .filter((line) => line !== '')
        .map(parse),
  };
}

/** A promise and the function that resolves it. */
export function signalled<Value = void>(): {
  readonly promise: Promise<Value>;
  readonly fire: (value: Value) => void;
} {
  let fire: (value: Value) => void = () => {};
  const promise = new Promise<Value>((resolve) => {
    fire = resolve;
  });
  return { promise, fire };
}
