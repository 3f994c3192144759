/** All that is checked of one input, and what it was found to be. Runs in a process of its own (`child.ts`). */
import { CallWatch, type SlowestCall } from './call-watch.ts';
import { checkCompile } from './check-compile.ts';
import { FuzzFailure } from './fuzz-failure.ts';
import { playModels, type Play } from './play-model.ts';
import { Random } from './random.ts';

export interface Failure {
  /** Inputs with the same one fail in the same way, most likely by the same cause. */
  readonly signature: string;
  readonly message: string;
  /** The beginning of the stack, or nothing. */
  readonly stack: readonly string[];
}

export interface Verdict {
  /** Of the findings, each once. */
  readonly codes: readonly string[];
  readonly processCount: number;
  /** All of the compiling and all of the executing, of wall time. */
  readonly compileMs: number;
  readonly playMs: number;
  readonly slowestCall: SlowestCall;
  readonly play: Play | null;
  /** One of each signature; empty: the input broke nothing. */
  readonly failures: readonly Failure[];
}

/**
 * Seed and index decide what happens to the instances; the bytes are given.
 * @param onCall told of each call into the product, before it
 */
export function checkInput(
  bytes: Uint8Array,
  seed: number,
  index: number,
  onCall: (name: string) => void,
): Verdict {
  const startedAt = performance.now();
  let compiledAt = startedAt;
  let codes: readonly string[] = [];
  let processCount = 0;
  let play: Play | null = null;
  const watch = new CallWatch(onCall);
  const failures = new Map<string, Failure>();
  const report = (error: unknown): void => {
    const failure = failureOf(error);
    if (!failures.has(failure.signature)) failures.set(failure.signature, failure);
  };
  try {
    const isRepeated = new Random(seed, index, 'repeat').chance(REPEATED_PROBABILITY);
    const { processes, findings } = checkCompile(bytes, isRepeated, watch, report);
    compiledAt = performance.now();
    codes = [...new Set(findings.map(({ code }) => code))];
    processCount = processes.length;
    if (processCount > 0) play = playModels(processes, watch, new Random(seed, index, 'play'));
  } catch (error) {
    report(error);
  }
  const endedAt = performance.now();
  if (compiledAt === startedAt) compiledAt = endedAt;
  return {
    codes,
    processCount,
    compileMs: compiledAt - startedAt,
    playMs: endedAt - compiledAt,
    slowestCall: watch.slowest,
    play,
    failures: [...failures.values()],
  };
}

/** Of refused files: compiling is most of what an input costs. */
const REPEATED_PROBABILITY = 0.25;
const STACK_LINES = 8;
const MESSAGE_LENGTH = 1_000;

function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { signature: 'threw no error', message: String(error), stack: [] };
  const stack = (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, STACK_LINES)
    .map((line) => line.trim());
  const message = error.message.slice(0, MESSAGE_LENGTH);
  if (error instanceof FuzzFailure) return { signature: error.check, message, stack: [] };
  // Where it was thrown, without the line: equal causes differ in their texts.
  const thrownAt = /([\w-]+\.[cm]?[jt]s):\d+/.exec(stack[0] ?? '')?.[1] ?? 'nowhere';
  return { signature: `threw ${error.name} in ${thrownAt}`, message: `${error.name}: ${message}`, stack };
}
