/** All that is checked of one input, and what it was found to be. Runs in a process of its own (`child.ts`). */
import { compileBpmn } from '../../definitions/bpmn/compile.ts';
import { CallWatch } from './call-watch.ts';
import type { ProcessDefinition } from '../../definitions/model.ts';
import { checkCompile } from './check-compile.ts';
import { failureOf, type Failure } from './fuzz-failure.ts';
import { playModels, type Play } from './play-model.ts';
import type { Judgement } from './judgement.ts';
import { modelMutations } from './model-mutations.ts';
import { Random } from './random.ts';

export interface Verdict extends Judgement {
  /** Of the findings, each once. */
  readonly codes: readonly string[];
  readonly processCount: number;
  /** All of the compiling and all of the executing, of wall time. */
  readonly compileMs: number;
  readonly playMs: number;
  readonly play: Play | null;
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
    if (processCount > 0) {
      const random = new Random(seed, index, 'play');
      const repairs = new Random(seed, index, 'repairs');
      play = playModels(processes, otherVersion(bytes, watch, repairs), watch, random, repairs);
    }
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

/** Of models that instances are migrated to: compiling is most of what an input costs. */
const OTHER_VERSION_PROBABILITY = 0.5;

/** The processes of the file with a model mutation or two; none when that does not compile. */
function otherVersion(bytes: Uint8Array, watch: CallWatch, random: Random): readonly ProcessDefinition[] {
  if (!random.chance(OTHER_VERSION_PROBABILITY)) return [];
  let text = Buffer.from(bytes).toString('utf8');
  for (let left = random.between(1, 2); left > 0; left -= 1) {
    text = random.weighted(modelMutations).apply(text, random, () => text);
  }
  const content = Buffer.from(text);
  return watch.time('compile', () => compileBpmn({ path: 'bpmn/other.bpmn', content })).processes;
}

/** Of refused files: compiling is most of what an input costs. */
const REPEATED_PROBABILITY = 0.25;
