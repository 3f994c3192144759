/** What is compared: a peer, how it is loaded, and what one measurement of it says. */

export interface Peer {
  readonly name: string;
  /** Its database or its folder, once a run. */
  prepare(): Promise<void>;
  /** Its server, if it has one apart from its clients: once a turn. */
  start(): Promise<void>;
  throughput(load: Load): Promise<Throughput>;
  /** One worker; the next unit is sent when the outcome of the last is recorded. */
  oneAtATime(seconds: number, warmUpSeconds: number): Promise<Throughput>;
  /** One idle worker; null: nobody is woken here. */
  pickUp(units: number): Promise<PickUp | null>;
  /** Idempotent. */
  stop(): Promise<void>;
  /** Leaves nothing behind. Idempotent. */
  remove(): Promise<void>;
}

export interface Load {
  readonly workers: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

/** Milliseconds of processor time for each unit. Null: not known, or there is no such process. */
export interface CpuMs {
  readonly server: number | null;
  readonly postgresql: number | null;
  readonly clients: number | null;
}

export interface Throughput {
  readonly units: number;
  readonly perSecond: number;
  readonly cpuMs: CpuMs;
  /** Of PostgreSQL, warm-up and drain counted as well. Null: not known. */
  readonly commitsPerUnit: number | null;
  /** From the last send to the last outcome: what was in hand, and what a peer records behind its workers' back. */
  readonly drainMs: number;
}

export interface PickUp {
  /** From the answer to the send, which comes after its commit, to the worker's hands; negative: the worker was first. */
  readonly afterCommitMs: Quantiles;
  /** From the send's request to the worker's hands. */
  readonly afterRequestMs: Quantiles;
}

export interface Quantiles {
  readonly p50: number;
  readonly p99: number;
}

export function quantiles(values: readonly number[]): Quantiles {
  const sorted = [...values].sort((left, right) => left - right);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
