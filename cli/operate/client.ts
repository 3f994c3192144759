/**
 * Speaks to a running engine over HTTP.
 *
 * C1 The admin key goes to /admin routes alone, and is in no message.
 * C2 Each answer is one of: a JSON object; a `Refusal` with the engine's own code and detail; or an error that says that
 *    no engine answered. Nothing else leaves here.
 * C3 Only a request that the engine has certainly not taken is sent again by itself: one it had no capacity for.
 */
import { EngineError } from '../../config/engine-error.ts';
import { parseExactJson } from '../../definitions/exact-json.ts';
import { toPlainJson } from '../../definitions/plain-json.ts';
import type { CliCode } from '../codes.ts';
import { isRow, rowOf, textOf, type Row } from './row.ts';

export type Query = Readonly<Record<string, string | undefined>>;

export interface EngineClientOptions {
  readonly url: URL;
  /** Undefined: an engine whose admin routes are open is meant. */
  readonly key: string | undefined;
  /** Waits that long before a request is sent again. */
  readonly sleep?: (ms: number) => Promise<void>;
}

/** The engine said no. */
export class Refusal extends EngineError {
  readonly status: number;

  constructor(status: number, code: string, detail: string, attributes: Row = {}) {
    super(code, detail, { attributes });
    this.status = status;
  }

  /** No other request of the same kind would fare better: the key is wrong, or the routes are closed. */
  get isOfTheCaller(): boolean {
    return this.status === 401 || this.status === 403 || this.code === 'SUTRA.ADMIN.DISABLED';
  }
}

/** Longer than any route takes that does not wait on purpose; a guess. */
const TIMEOUT_MS = 60_000;
/** Sent so often in all when the engine is at capacity; a queue drains within a second. */
const MAX_SENDS = 6;
const MAX_WAIT_MS = 10_000;
/** An answer wraps values, which may be 200 levels deep themselves. */
const MAX_ANSWER_DEPTH = 400;

export class EngineClient {
  readonly #url: URL;
  readonly #key: string | undefined;
  readonly #sleep: (ms: number) => Promise<void>;
  #nowMs = Date.now();

  constructor({ url, key, sleep = pause }: EngineClientOptions) {
    this.#url = url;
    this.#key = key;
    this.#sleep = sleep;
  }

  /** By the engine's clock, when it answered last: ages do not depend on the clock here. */
  get nowMs(): number {
    return this.#nowMs;
  }

  get(path: string, query: Query = {}): Promise<Row> {
    const url = new URL(path, this.#url);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, value);
    }
    return this.#request('GET', url);
  }

  post(path: string, body?: Row): Promise<Row> {
    return this.#request('POST', new URL(path, this.#url), body);
  }

  delete(path: string): Promise<Row> {
    return this.#request('DELETE', new URL(path, this.#url));
  }

  async #request(method: string, url: URL, body?: Row): Promise<Row> {
    for (let sends = 1; ; sends += 1) {
      const response = await this.#send(method, url, body);
      const answer = await this.#read(response);
      if (response.ok) return answer;
      if (response.status !== 429 || sends === MAX_SENDS) throw this.#refusal(response.status, answer);
      const seconds = Number(response.headers.get('retry-after') ?? '1');
      await this.#sleep(Math.min(Number.isFinite(seconds) ? seconds * 1000 : 1000, MAX_WAIT_MS));
    }
  }

  async #send(method: string, url: URL, body: Row | undefined): Promise<Response> {
    const key = url.pathname.startsWith('/admin/') ? this.#key : undefined;
    try {
      const response = await fetch(url, {
        method,
        // A redirect would carry the command, and the key, to an address that nobody named.
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        },
        ...(body === undefined ? {} : { body: toPlainJson(body) }),
      });
      const date = Date.parse(response.headers.get('date') ?? '');
      this.#nowMs = Number.isNaN(date) ? Date.now() : date;
      return response;
    } catch (cause) {
      throw this.#unreachable(cause);
    }
  }

  async #read(response: Response): Promise<Row> {
    let bytes: ArrayBuffer;
    try {
      bytes = await response.arrayBuffer();
    } catch (cause) {
      throw this.#unreachable(cause);
    }
    const parsed = parseExactJson(new Uint8Array(bytes), { maxDepth: MAX_ANSWER_DEPTH, numbers: 'all' });
    if (parsed.ok && isRow(parsed.value)) return parsed.value;
    throw this.#noEngine(response.status, 'without a JSON object');
  }

  #refusal(status: number, answer: Row): EngineError {
    const code = textOf(answer, 'code');
    if (code === null) return this.#noEngine(status, 'without a code');
    const detail = textOf(answer, 'detail') ?? `status ${String(status)}`;
    return new Refusal(status, code, detail, rowOf(answer, 'attributes') ?? {});
  }

  #noEngine(status: number, what: string): EngineError {
    const code: CliCode = 'SUTRA.CLI.ANSWER_UNEXPECTED';
    return new EngineError(code, `${this.#url.origin} answered ${String(status)} ${what}`);
  }

  #unreachable(cause: unknown): EngineError {
    const code: CliCode = 'SUTRA.CLI.ENGINE_UNREACHABLE';
    return new EngineError(code, `no engine answers at ${this.#url.origin}: ${reasonOf(cause)}`, { cause });
  }
}

/** The outer error only says that it failed. */
function reasonOf(cause: unknown): string {
  if (cause instanceof Error && cause.name === 'TimeoutError') {
    return `no answer within ${String(TIMEOUT_MS / 1000)} s`;
  }
  const inner = cause instanceof Error ? cause.cause : undefined;
  return inner instanceof Error && 'code' in inner ? String(inner.code) : 'no connection';
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
