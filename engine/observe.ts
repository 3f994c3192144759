/**
 * How the engine's parts say what they do: counters, distributions and log lines. Imports nothing;
 * the server implements both with a metrics and a logging library.
 */

/** Metric names are rows of `server/metrics.ts`; labels have few values (never an id). */
export interface Meter {
  add(name: string, amount: number, labels?: Readonly<Record<string, string>>): void;
  record(name: string, value: number, labels?: Readonly<Record<string, string>>): void;
  /** Read at each scrape. A later registration under the same name replaces the earlier one. */
  gauge(name: string, read: () => number): void;
}

/** Never given a payload, a header value, a lock token or a secret. */
export interface Log {
  info(event: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(event: string, fields?: Readonly<Record<string, unknown>>): void;
  error(event: string, fields?: Readonly<Record<string, unknown>>): void;
}

export const silentMeter: Meter = { add: () => {}, record: () => {}, gauge: () => {} };
export const silentLog: Log = { info: () => {}, warn: () => {}, error: () => {} };
