/**
 * How one peer is spoken to, inside a driver process: units go in by `send`, workers of the peer take them, and the
 * adapter says when a worker has one in its hands and when its outcome is recorded.
 */
import type { SettingsOf } from './settings.ts';

export interface AdapterEvents {
  /** A worker has a unit in its hands. */
  begun(): void;
  /** The outcomes of so many units are recorded, or as near to that as the peer lets its users know. */
  recorded(count: number): void;
}

/**
 * What this process is to do.
 * - `all`: sends and works.
 * - `work`: works only, for others that send.
 * - `send`: sends only, to others that work.
 */
export type Role = 'all' | 'work' | 'send';

export interface AdapterOptions {
  /** Of the peer's own server, or of its database. */
  readonly url: string;
  /** Of the peer's own server, where it has a second one. Empty: it has none. */
  readonly adminUrl: string;
  readonly role: Role;
  /** Of this process. */
  readonly workers: number;
  /** Of this process: sends that are under way at once. */
  readonly senders: number;
  /** Nobody shares the machine's attention: one unit at a time is sent. */
  readonly isLatency: boolean;
  /** Distinguishes the processes of one peer. */
  readonly index: number;
  readonly settings: SettingsOf;
}

export interface Adapter {
  start(): Promise<void>;
  /** Resolves when the unit is durably accepted; of a peer whose callers wait for the result, when it is done. */
  send(): Promise<void>;
  /** Resolves when the unit is durably accepted. Only where `send` waits for the result. */
  sendOneWay?(): Promise<void>;
  /** Resolves when its workers have let go of what they held. */
  stop(): Promise<void>;
}

export type MakeAdapter = (options: AdapterOptions, events: AdapterEvents) => Adapter;

/**
 * The modules by the peer's name. Imported by name at run time: those in `vendors/` need packages that the product
 * does not install, and a driver loads no peer but its own.
 */
const modules: Readonly<Record<string, string>> = {
  sutra: './adapters/sutra.ts',
  'sutra-batch': './adapters/sutra.ts',
  'raw-batched': './adapters/raw.ts',
  'pg-boss': './vendors/pg-boss.ts',
  'graphile-worker': './vendors/graphile-worker.ts',
  dbos: './vendors/dbos.ts',
  restate: './vendors/restate.ts',
};

export async function loadAdapter(name: string): Promise<MakeAdapter> {
  const path = modules[name];
  if (path === undefined) throw new Error(`there is no adapter for ${name}`);
  const loaded = (await import(new URL(path, import.meta.url).href)) as { makeAdapter: MakeAdapter };
  return loaded.makeAdapter;
}
