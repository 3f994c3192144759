/**
 * The options of a worker, read once.
 *
 * O1 A wrong option is refused with a message that names it, all of them at once. Nothing is lowered or guessed.
 */
import type { Stringify } from './body.ts';
import { parseDuration } from './duration.ts';
import { WorkerOptionsError } from './errors.ts';
import type { HeaderSource } from './http-call.ts';
import type { Classify } from './outcome.ts';
import type { StandardSchemaV1 } from './standard-schema.ts';
import { isObject, type Handler } from './task.ts';

export interface ChannelOptions<Body = unknown> {
  readonly handler: Handler<Body>;
  /** Checks each body, and makes the handler's of it. A body that does not fit fails for good, without its values. */
  readonly schema?: StandardSchemaV1<unknown, Body>;
  /** ISO-8601. Default: the worker's. */
  readonly lockDuration?: string;
  /** How many tasks of this channel run at once. Default: the worker's `concurrency`. */
  readonly maxTasks?: number;
}

/** `Bodies`: the type of the body of each channel's tasks. Nothing checks it, unless there is a schema. */
export interface WorkerOptions<Bodies extends object = Readonly<Record<string, unknown>>> {
  /** Of the engine, such as `http://127.0.0.1:8080`; may have a path. */
  readonly baseUrl: string;
  /** By the name of a channel: 1 to 100 of them. */
  readonly channels: {
    readonly [Name in keyof Bodies]: Handler<Bodies[Name]> | ChannelOptions<Bodies[Name]>;
  };
  /** 1 to 255 characters. Default: random, so that no two processes share one. */
  readonly workerId?: string;
  /** How many tasks run at once; no more are claimed. Default: 8. */
  readonly concurrency?: number;
  /** ISO-8601: how long a lock lasts unless it is extended, which it is. Default: each channel's own. */
  readonly lockDuration?: string;
  /** ISO-8601: how long a fetch waits for tasks. Default: PT20S, or the server's ceiling if that is lower. */
  readonly pollTimeout?: string;
  /** ISO-8601: what a fetch is given beyond `pollTimeout` before it is taken to be dead. Default: PT5S. */
  readonly pollMargin?: string;
  /** ISO-8601: of each other call; they are repeated. Default: PT10S. */
  readonly callTimeout?: string;
  /** ISO-8601, at least PT0.1S: the longest wait after failures, once a fault is older than two minutes. Default: PT30S. */
  readonly maxBackoff?: string;
  /** ISO-8601: how long fetches may fail until the worker says that it is not healthy. Default: PT10S. */
  readonly unhealthyAfter?: string;
  /** ISO-8601: what handlers are given to finish in, at `stop`. Default: PT30S. */
  readonly drainTimeout?: string;
  /** ISO-8601: what they are given after that to react to their signal, before their tasks are given back. Default: PT2S. */
  readonly abortGrace?: string;
  /** Of every call, such as credentials. A function is asked for each. */
  readonly headers?: HeaderSource;
  /** Default: the runtime's. */
  readonly fetch?: typeof fetch;
  /** What foreign errors mean. Default: undefined, which is a failure that may be tried again. */
  readonly classify?: Classify;
  /** Reads every answer of the engine. Default: `JSON.parse`, which rounds numbers beyond 2^53. */
  readonly parseJson?: (text: string) => unknown;
  /** Writes results. Default: `JSON.stringify`. */
  readonly stringify?: Stringify;
  /** Gets lines for people about what is wrong. Default: the console's standard error. */
  readonly log?: (line: string) => void;
}

export interface ChannelSettings {
  readonly name: string;
  readonly handler: Handler<never>;
  readonly schema: StandardSchemaV1 | null;
  readonly lockDurationMs: number | null;
  readonly maxTasks: number | null;
}

/** The options with their defaults; times in milliseconds. */
export interface Settings {
  readonly baseUrl: string;
  readonly channels: ReadonlyMap<string, ChannelSettings>;
  readonly workerId: string;
  readonly concurrency: number;
  readonly lockDurationMs: number | null;
  readonly pollTimeoutMs: number;
  /** The default may be lowered to the server's ceiling; what was asked for may not. */
  readonly isPollTimeoutAsked: boolean;
  readonly pollMarginMs: number;
  readonly callTimeoutMs: number;
  readonly maxBackoffMs: number;
  readonly unhealthyAfterMs: number;
  readonly drainTimeoutMs: number;
  readonly abortGraceMs: number;
  readonly headers: HeaderSource;
  readonly fetch: typeof fetch;
  readonly classify: Classify | null;
  readonly parseJson: (text: string) => unknown;
  readonly stringify: Stringify | null;
  readonly log: (line: string) => void;
}

const KEYS = [
  'baseUrl',
  'channels',
  'workerId',
  'concurrency',
  'lockDuration',
  'pollTimeout',
  'pollMargin',
  'callTimeout',
  'maxBackoff',
  'unhealthyAfter',
  'drainTimeout',
  'abortGrace',
  'headers',
  'fetch',
  'classify',
  'parseJson',
  'stringify',
  'log',
] as const satisfies readonly (keyof WorkerOptions)[];
const CHANNEL_KEYS = ['handler', 'schema', 'lockDuration', 'maxTasks'] as const;
const MAX_NAME_LENGTH = 255;
const MAX_CHANNELS = 100;
const MAX_CONCURRENCY = 10_000;

/** @throws WorkerOptionsError */
export function readOptions(options: unknown): Settings {
  const reader = new OptionsReader(isObject(options) ? options : {});
  reader.refuseUnknown(KEYS);
  const settings: Settings = {
    baseUrl: reader.baseUrl(),
    channels: reader.channels(),
    workerId: reader.name('workerId') ?? `worker-${crypto.randomUUID()}`,
    concurrency: reader.count('concurrency', MAX_CONCURRENCY) ?? 8,
    lockDurationMs: reader.duration('lockDuration', 1),
    pollTimeoutMs: reader.duration('pollTimeout', 0) ?? 20_000,
    isPollTimeoutAsked: reader.has('pollTimeout'),
    pollMarginMs: reader.duration('pollMargin', 1) ?? 5_000,
    callTimeoutMs: reader.duration('callTimeout', 1) ?? 10_000,
    maxBackoffMs: reader.duration('maxBackoff', 100) ?? 30_000,
    unhealthyAfterMs: reader.duration('unhealthyAfter', 0) ?? 10_000,
    drainTimeoutMs: reader.duration('drainTimeout', 0) ?? 30_000,
    abortGraceMs: reader.duration('abortGrace', 0) ?? 2_000,
    headers: reader.headers(),
    fetch: reader.callable<typeof fetch>('fetch') ?? fetch,
    classify: reader.callable<Classify>('classify'),
    parseJson: reader.callable<(text: string) => unknown>('parseJson') ?? JSON.parse,
    stringify: reader.callable<Stringify>('stringify'),
    log: reader.callable<(line: string) => void>('log') ?? logToConsole,
  };
  reader.finish();
  return settings;
}

function logToConsole(line: string): void {
  // A worker that cannot work and says nothing looks fine: silence is what must be asked for.
  // eslint-disable-next-line no-console
  console.error(`sutra worker: ${line}`);
}

class OptionsReader {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #faults: string[];
  readonly #prefix: string;

  constructor(values: Readonly<Record<string, unknown>>, faults: string[] = [], prefix = '') {
    this.#values = values;
    this.#faults = faults;
    this.#prefix = prefix;
  }

  has(key: string): boolean {
    return this.#values[key] !== undefined;
  }

  refuseUnknown(known: readonly string[]): void {
    for (const key of Object.keys(this.#values)) {
      if (!known.includes(key)) this.#fault(key, `is no option; there are ${known.join(', ')}`);
    }
  }

  baseUrl(): string {
    const value = this.#values['baseUrl'];
    try {
      const url = new URL(typeof value === 'string' ? value : '');
      if (!url.protocol.startsWith('http') || url.search !== '' || url.hash !== '') throw new TypeError();
      return url.href.replace(/\/+$/, '');
    } catch {
      this.#fault('baseUrl', 'must be an http or https URL such as http://127.0.0.1:8080');
      return '';
    }
  }

  channels(): ReadonlyMap<string, ChannelSettings> {
    const value = this.#values['channels'];
    const entries = isObject(value) ? Object.entries(value) : [];
    if (entries.length === 0 || entries.length > MAX_CHANNELS) {
      this.#fault('channels', `must be an object of 1 to ${MAX_CHANNELS} handlers by the names of channels`);
    }
    return new Map(entries.map(([name, entry]) => [name, this.#channel(name, entry)]));
  }

  name(key: string): string | null {
    const value = this.#values[key];
    if (value === undefined) return null;
    if (typeof value === 'string' && isName(value)) return value;
    this.#fault(key, `must be a text of 1 to ${MAX_NAME_LENGTH} characters, without white space around it`);
    return null;
  }

  count(key: string, max: number): number | null {
    const value = this.#values[key];
    if (value === undefined) return null;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max) return value;
    this.#fault(key, `must be a whole number from 1 to ${max}`);
    return null;
  }

  duration(key: string, minMs: number): number | null {
    const value = this.#values[key];
    if (value === undefined) return null;
    const ms = typeof value === 'string' ? parseDuration(value) : null;
    if (ms !== null && ms >= minMs) return ms;
    this.#fault(key, `must be an ISO-8601 duration of at least ${minMs} ms, such as PT30S`);
    return null;
  }

  headers(): HeaderSource {
    const value = this.#values['headers'];
    if (value === undefined) return {};
    const isMap = isObject(value) && Object.values(value).every((text) => typeof text === 'string');
    if (!isMap && typeof value !== 'function') {
      this.#fault('headers', 'must be an object of texts, or a function that gives one');
    }
    return value as HeaderSource;
  }

  callable<Callable>(key: string): Callable | null {
    const value = this.#values[key];
    if (value === undefined) return null;
    if (typeof value !== 'function') this.#fault(key, 'must be a function');
    return value as Callable;
  }

  schema(): StandardSchemaV1 | null {
    const value = this.#values['schema'];
    if (value === undefined) return null;
    // Some libraries' schemas are functions.
    const props = (value as Record<string, unknown> | null)?.['~standard'];
    if (!isObject(props) || props['version'] !== 1 || typeof props['validate'] !== 'function') {
      this.#fault('schema', 'must be a Standard Schema of version 1');
    }
    return value as StandardSchemaV1;
  }

  finish(): void {
    if (this.#faults.length > 0) throw new WorkerOptionsError(this.#faults.join('; '));
  }

  #channel(name: string, entry: unknown): ChannelSettings {
    const prefix = `channels['${name}'].`;
    const values = typeof entry === 'function' ? { handler: entry } : isObject(entry) ? entry : {};
    const reader = new OptionsReader(values, this.#faults, prefix);
    reader.refuseUnknown(CHANNEL_KEYS);
    if (!isName(name)) {
      this.#fault(
        'channels',
        `has a name that is not of 1 to ${MAX_NAME_LENGTH} characters, or has white space around it`,
      );
    }
    const handler = reader.callable<Handler<never>>('handler');
    if (handler === null) reader.#fault('handler', 'must be a function');
    return {
      name,
      handler: handler ?? ((): void => {}),
      schema: reader.schema(),
      lockDurationMs: reader.duration('lockDuration', 1),
      maxTasks: reader.count('maxTasks', MAX_CONCURRENCY),
    };
  }

  #fault(key: string, what: string): void {
    this.#faults.push(`${this.#prefix}${key} ${what}`);
  }
}

function isName(text: string): boolean {
  return text !== '' && text.length <= MAX_NAME_LENGTH && text === text.trim();
}
