/** The figures of a run, and how they are printed. */
import { addToGroup, type FailureGroups } from './failure-groups.ts';
import type { Failure } from './fuzz-failure.ts';
import type { Done } from './protocol.ts';
import { megabytes } from './run-inputs.ts';

const SLOWEST_SHOWN = 5;

interface SlowCall {
  readonly index: number;
  readonly cpuMs: number;
  readonly text: string;
}

export class Tally {
  inputCount = 0;
  readonly failures: FailureGroups = new Map();
  readonly #sources = new Map<string, number>();
  readonly #mutations = new Map<string, number>();
  readonly #codes = new Map<string, number>();
  readonly #ends = new Map<string, number>();
  readonly #undriven = new Map<string, number>();
  readonly #slowest: SlowCall[] = [];
  readonly #stalls: string[] = [];
  compiledCount = 0;
  turnCount = 0;
  #byteCount = 0;
  #compileMs = 0;
  #playMs = 0;
  #cpuMs = 0;
  #maxRssBytes = 0;
  readonly #floors: number[] = [];

  add(done: Done): void {
    const { source, mutations, byteCount, cpuMs, verdict, rssBytes, floorBytes, index } = done;
    const { play, codes, processCount, compileMs, playMs } = verdict;
    this.inputCount += 1;
    this.#byteCount += byteCount;
    this.#cpuMs += cpuMs;
    this.#compileMs += compileMs;
    this.#playMs += playMs;
    this.#maxRssBytes = Math.max(this.#maxRssBytes, rssBytes);
    if (floorBytes !== null) this.#floors.push(floorBytes);
    count(this.#sources, source.split('/')[0] ?? '');
    for (const name of mutations) count(this.#mutations, name);
    for (const code of codes) count(this.#codes, code);
    if (processCount > 0) this.compiledCount += 1;
    if (play !== null) {
      this.turnCount += play.turnCount;
      for (const status of [...play.statuses, ...play.failureCodes]) count(this.#ends, status);
      for (const code of play.refusedCodes) count(this.#ends, `refused: ${code}`);
      for (const kind of play.undrivenWaits) count(this.#undriven, `wait ${kind}`);
      for (const kind of play.unknownStimuli) count(this.#undriven, `stimulus ${kind}`);
    }
    this.#keepIfSlow({
      index,
      cpuMs: verdict.slowestCall.cpuMs,
      text: `${verdict.slowestCall.name}; ${source}, ${byteCount} bytes: ${mutations.join(', ')}`,
    });
  }

  addFailure(index: number, failure: Failure): void {
    addToGroup(this.failures, index, failure);
  }

  addStall({ index, tookMs, cpuMs }: Done): void {
    this.#stalls.push(`${index} (${tookMs.toFixed(0)} ms, of the processor ${cpuMs.toFixed(0)})`);
  }

  #keepIfSlow(entry: SlowCall): void {
    this.#slowest.push(entry);
    this.#slowest.sort((one, other) => other.cpuMs - one.cpuMs);
    this.#slowest.length = Math.min(this.#slowest.length, SLOWEST_SHOWN);
  }

  /** Lines for a reader. An input that hung or died is a failure and in none of the other figures. */
  figures(wallMs: number): readonly string[] {
    const perInput = (ms: number): string => (ms / Math.max(this.inputCount, 1)).toFixed(2);
    const [firstFloor = 0] = this.#floors;
    return [
      `${this.inputCount} inputs in ${(wallMs / 1000).toFixed(0)} s, ${megabytes(this.#byteCount)}; of ${list(this.#sources)}`,
      `each ${perInput(this.#cpuMs)} ms of the processor; of wall time: compiling ${perInput(this.#compileMs)}, executing ${perInput(this.#playMs)}`,
      `${this.compiledCount} compiled; ${this.turnCount} stimuli: ${list(this.#ends)}`,
      `${this.#codes.size} codes of findings: ${list(this.#codes)}`,
      `mutations: ${list(this.#mutations)}`,
      `memory: at most ${megabytes(this.#maxRssBytes)} resident; heap after collections ${megabytes(firstFloor)} at first, ${megabytes(Math.max(0, ...this.#floors))} at most`,
      `slowest calls:\n${this.#slowest.map(({ index, cpuMs, text }) => `  ${cpuMs.toFixed(0).padStart(5)} ms  ${index}  ${text}`).join('\n')}`,
      ...(this.#stalls.length > 0
        ? [
            `over the limit of wall time only: ${this.#stalls.length}, such as ${this.#stalls.slice(0, SLOWEST_SHOWN).join(', ')}`,
          ]
        : []),
      ...(this.#undriven.size > 0 ? [`not driven: ${list(this.#undriven)}`] : []),
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
