/** Percentiles of what was measured, in the unit of what was measured. */
export interface Percentiles {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** NaN where there is no value. */
export function percentiles(values: readonly number[]): Percentiles {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** The worst of several processes: they cannot be put together without their values, and the worst is what counts. */
export function worst(several: readonly Percentiles[]): Percentiles {
  const filled = several.filter(({ count }) => count > 0);
  const max = (read: (one: Percentiles) => number): number =>
    filled.length === 0 ? Number.NaN : Math.max(...filled.map(read));
  return {
    count: several.reduce((sum, { count }) => sum + count, 0),
    p50: max(({ p50 }) => p50),
    p99: max(({ p99 }) => p99),
    max: max((one) => one.max),
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
