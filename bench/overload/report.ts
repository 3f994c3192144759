/** The figures of an overload, as lines with their targets. */
import type { ArrivalCounts } from './arrivals.ts';
import type { Percentiles } from './percentiles.ts';
import type { Probes, Sample } from './watch.ts';
import type { WorkerCounts } from './workers.ts';

export interface OverloadFigures {
  readonly target: string;
  readonly seconds: number;
  readonly factor: number;
  /** Orders a second in a closed loop, just before. */
  readonly capacity: number;
  readonly counts: ArrivalCounts;
  readonly acceptedMs: Percentiles;
  readonly refusedMs: Percentiles;
  readonly lagMs: Percentiles;
  readonly failures: readonly string[];
  readonly workers: WorkerCounts;
  /** Completions while orders were offered. */
  readonly completedMeanwhile: number;
  /** Accepted and not completed, when nothing was offered any more. */
  readonly backlog: number;
  /** Until the backlog was gone; null: not in time. */
  readonly drainedMs: number | null;
  readonly completionMs: Percentiles;
  readonly fetchMs: Percentiles;
  readonly workerFailures: readonly string[];
  readonly samples: readonly Sample[];
  readonly residentBeginMb: number;
  readonly residentEndMb: number;
  readonly probes: Omit<Probes, 'instanceIds'>;
  readonly verified: Verified;
}

export interface Verified {
  /** Different instances whose order (or probe) was answered 202. */
  readonly acceptedCount: number;
  /** Of these, the ones that the database knows as ended. */
  readonly endedCount: number;
  /** Instances of any order that are not ended. */
  readonly openCount: number;
  /** Seconds from start to end of accepted instances: p50, p99, max. */
  readonly lifeSeconds: readonly number[];
}

export interface Line {
  readonly text: string;
  /** Null: a figure without a target. */
  readonly isReached: boolean | null;
}

export function linesOf(figures: OverloadFigures): Line[] {
  return [...loadLines(figures), ...latencyLines(figures), ...endLines(figures)];
}

/** Mean of the last quarter of the samples, over that of the quarter before. NaN: fewer than 8 samples. */
export function growthOf(samples: readonly Sample[]): number {
  const quarter = Math.floor(samples.length / 4);
  if (quarter < 2) return Number.NaN;
  const mean = (part: readonly Sample[]): number =>
    part.reduce((sum, { residentMb }) => sum + residentMb, 0) / part.length;
  return mean(samples.slice(-quarter)) / mean(samples.slice(-2 * quarter, -quarter));
}

function loadLines({ seconds, factor, capacity, counts, ...rest }: OverloadFigures): Line[] {
  const rate = (count: number): string => `${(count / seconds).toFixed(0)}/s`;
  const sent = counts.offered - counts.notSent;
  const reached = sent / seconds / capacity;
  return [
    figure(`capacity           ${capacity.toFixed(0)} orders/s in a closed loop`),
    goal(
      `offered            ${rate(sent)} sent of ${rate(counts.offered)}, ${reached.toFixed(2)} times capacity; ` +
        `not sent ${String(counts.notSent)} (no free connection), sent late by p99 ${ms(rest.lagMs.p99)}`,
      `>= ${String(factor)} times`,
      reached >= factor * 0.98,
    ),
    figure(
      `accepted           ${rate(counts.accepted)}, ${String(counts.accepted)} in all, ${(counts.accepted / seconds / capacity).toFixed(2)} of capacity`,
    ),
    figure(
      `refused            ${rate(counts.refused)}, ${String(counts.refused)} in all, with 429 and Retry-After`,
    ),
    goal(`other answers      ${String(counts.failed)}${listed(rest.failures)}`, '0', counts.failed === 0),
    figure(
      `completed          ${rate(rest.completedMeanwhile)} meanwhile, ${(rest.completedMeanwhile / seconds / capacity).toFixed(2)} of capacity; ` +
        `tasks left behind ${String(rest.backlog)}`,
    ),
    goal(
      `workers' calls     ${String(rest.workers.completionsRefused)} completions and ${String(rest.workers.fetchesRefused)} fetches refused with 429, ` +
        `${String(rest.workers.failed)} other failures${listed(rest.workerFailures)}`,
      'no failures',
      rest.workers.failed === 0,
    ),
  ];
}

function latencyLines({
  acceptedMs,
  refusedMs,
  completionMs,
  fetchMs,
  samples,
  verified,
}: OverloadFigures): Line[] {
  const inFlight = samples.flatMap(({ turnsInFlight }) => turnsInFlight ?? []);
  const metricsMs = Math.max(...samples.map((sample) => sample.metricsMs));
  const [p50 = Number.NaN, p99 = Number.NaN, max = Number.NaN] = verified.lifeSeconds;
  return [
    figure(`accepted within    ${spread(acceptedMs)}`),
    figure(`refused within     ${spread(refusedMs)}`),
    figure(`completion within  ${spread(completionMs)}`),
    figure(`fetch within       ${spread(fetchMs)}`),
    figure(`order to its end   p50 ${p50.toFixed(2)}, p99 ${p99.toFixed(2)}, max ${max.toFixed(2)} s`),
    figure(
      `turns in flight    max ${String(Math.max(...inFlight))} seen; /metrics answered within ${ms(metricsMs)}`,
    ),
  ];
}

function endLines(figures: OverloadFigures): Line[] {
  const { samples, probes, verified, drainedMs } = figures;
  const growth = growthOf(samples);
  const most = Math.max(...samples.map(({ residentMb }) => residentMb));
  const recovered = probes.recoveredMs;
  return [
    goal(
      `memory             begin ${figures.residentBeginMb.toFixed(0)}, max ${most.toFixed(0)}, end ${figures.residentEndMb.toFixed(0)} MB; ` +
        `second half grew ${growth.toFixed(2)} times`,
      '<= 1.10',
      // Fewer than 8 seconds say nothing of growth.
      Number.isNaN(growth) || growth <= 1.1,
    ),
    goal(
      `recovered          ${recovered === null ? 'not in time' : `after ${ms(recovered)}`}; ` +
        `worst probe ${ms(probes.worstMs)}, refused ${String(probes.refusedCount)}`,
      '<= 5 s',
      recovered !== null && recovered <= 5000,
    ),
    figure(`backlog drained    ${drainedMs === null ? 'not in time' : `after ${ms(drainedMs)}`}`),
    goal(
      `accepted work done ${String(verified.endedCount)} of ${String(verified.acceptedCount)}; ` +
        `instances left open ${String(verified.openCount)}`,
      'all, 0',
      verified.endedCount === verified.acceptedCount && verified.openCount === 0,
    ),
  ];
}

function figure(text: string): Line {
  return { text, isReached: null };
}

function goal(text: string, wanted: string, isReached: boolean): Line {
  return { text: `${text}   target ${wanted}: ${isReached ? 'reached' : 'MISSED'}`, isReached };
}

function listed(texts: readonly string[]): string {
  return texts.length === 0 ? '' : ` (${[...new Set(texts)].slice(0, 3).join(' | ')})`;
}

function spread({ count, p50, p99, max }: Percentiles): string {
  return count === 0 ? '-' : `p50 ${ms(p50)}, p99 ${ms(p99)}, max ${ms(max)} (${String(count)})`;
}

function ms(value: number): string {
  return `${value.toFixed(value < 100 ? 1 : 0)} ms`;
}
