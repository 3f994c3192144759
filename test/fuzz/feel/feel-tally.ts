/** The figures of a run of FEEL, and how they are printed. */
import { addToGroup, type FailureGroups } from '../failure-groups.ts';
import type { Failure } from '../fuzz-failure.ts';
import type { Done } from '../protocol.ts';
import { megabytes } from '../run-inputs.ts';
import type { FeelVerdict } from './check-feel.ts';

const SLOWEST_SHOWN = 8;

interface SlowCall {
  readonly index: number;
  readonly cpuMs: number;
  readonly text: string;
}

export class FeelTally {
  inputCount = 0;
  comparedCount = 0;
  readonly failures: FailureGroups = new Map();
  readonly sources = new Map<string, number>();
  readonly ends = new Map<string, number>();
  readonly warnings = new Map<string, number>();
  readonly #mutations = new Map<string, number>();
  readonly #slowest: SlowCall[] = [];
  #stallCount = 0;
  #cpuMs = 0;
  #maxRssBytes = 0;
  readonly #floors: number[] = [];

  add({
    source,
    mutations,
    cpuMs,
    verdict,
    rssBytes,
    floorBytes,
    index,
    byteCount,
  }: Done<FeelVerdict>): void {
    const { slowestCall, ends, comparedCount, warningCodes, units } = verdict;
    this.inputCount += 1;
    this.comparedCount += comparedCount;
    this.#cpuMs += cpuMs;
    this.#maxRssBytes = Math.max(this.#maxRssBytes, rssBytes);
    if (floorBytes !== null) this.#floors.push(floorBytes);
    count(this.sources, source);
    for (const name of mutations) count(this.#mutations, name);
    for (const end of ends) count(this.ends, end);
    for (const code of warningCodes) count(this.warnings, code);
    const what = [`${slowestCall.name}, ${units} units`, `${source}, ${byteCount} bytes`, ...mutations];
    this.#slowest.push({ index, cpuMs: slowestCall.cpuMs, text: what.join('; ') });
    this.#slowest.sort((one, other) => other.cpuMs - one.cpuMs);
    this.#slowest.length = Math.min(this.#slowest.length, SLOWEST_SHOWN);
  }

  addFailure(index: number, failure: Failure): void {
    addToGroup(this.failures, index, failure);
  }

  addStall(_done: Done<FeelVerdict>): void {
    this.#stallCount += 1;
  }

  /** Lines for a reader. An input that hung or died is a failure and in none of the other figures. */
  figures(wallMs: number): readonly string[] {
    const each = (this.#cpuMs / Math.max(this.inputCount, 1)).toFixed(1);
    const [firstFloor = 0] = this.#floors;
    return [
      `${this.inputCount} inputs in ${(wallMs / 1000).toFixed(0)} s, each ${each} ms of the processor; ${list(this.sources)}`,
      `ends, as an expression and as unary tests: ${list(this.ends)}`,
      `compared with the interpreter: ${this.comparedCount}`,
      `warnings: ${list(this.warnings)}`,
      `mutations: ${list(this.#mutations)}`,
      `memory: at most ${megabytes(this.#maxRssBytes)} resident; heap after collections ${megabytes(firstFloor)} at first, ${megabytes(Math.max(0, ...this.#floors))} at most`,
      `dearest calls:\n${this.#slowest.map(({ index, cpuMs, text }) => `  ${cpuMs.toFixed(0).padStart(5)} ms  ${index}  ${text}`).join('\n')}`,
      ...(this.#stallCount > 0 ? [`over the limit of wall time only: ${this.#stallCount}`] : []),
    ];
  }
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function list(counts: ReadonlyMap<string, number>): string {
  const sorted = [...counts].sort(([, one], [, other]) => other - one);
  return sorted.map(([key, number]) => `${key} ${number}`).join(', ') || 'none';
}
