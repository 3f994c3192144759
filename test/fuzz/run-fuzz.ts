/**
 * The fuzz run: `npx tsx test/fuzz/run-fuzz.ts --inputs 100000 --seed 1`. See README.md beside this file.
 *
 * Its last line is `N inputs, N failures`, and it fails when anything failed.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readArguments, type Arguments } from './fuzz-arguments.ts';
import { printFailures, runWithProgress } from './fuzz-campaign.ts';
import { FuzzChild } from './fuzz-child.ts';
import { makeInput } from './make-input.ts';
import { minimise } from './minimise.ts';
import { builtRegressions, readRegressions, regressionRow } from './regressions.ts';
import { loadSources } from './sources.ts';
import { Tally } from './tally.ts';
import { LIMITS, tryInput } from './try-input.ts';

const COMMAND = 'npx tsx test/fuzz/run-fuzz.ts';
const DEFAULT_COUNT = 130_000;
const MAX_GROWTH_BYTES = 64 * 1_048_576;
const MINIMISE_MS = 180_000;

/** Writes the bytes of a failing input down, so that it outlives a change of the sources. */
function keep({ keptIn, seed }: Arguments, index: number, bytes: Uint8Array, suffix = ''): string {
  mkdirSync(keptIn, { recursive: true });
  const path = join(keptIn, `seed-${seed}-input-${index}${suffix}.bpmn`);
  writeFileSync(path, bytes);
  return path;
}

async function fuzz(options: Arguments): Promise<number> {
  const { seed, from, count, processCount, patience } = options;
  const sources = loadSources();
  if (sources.corpus.length === 0) console.log('the corpus is not here: only the seeds are mutated');
  const tally = new Tally();
  const run = { ...LIMITS, seed, from, count, processCount, patience, maxGrowthBytes: MAX_GROWTH_BYTES };
  await runWithProgress(run, tally, (index) => keep(options, index, makeInput(sources, seed, index).bytes));
  const failureCount = printFailures(tally.failures, (index) => {
    const { source, mutations } = makeInput(sources, seed, index);
    return [`${COMMAND} --seed ${seed} --replay ${index}`, `  ${source}: ${mutations.join(', ')}`];
  });
  if (failureCount > 0) console.log(`\nthe bytes of the inputs shown are in ${options.keptIn}`);
  console.log(`\n${count} inputs, ${failureCount} failures`);
  return failureCount;
}

async function replay(options: Arguments, index: number): Promise<number> {
  const { seed, file, isMinimised } = options;
  const child = new FuzzChild(LIMITS);
  try {
    const input = file === null ? makeInput(loadSources(), seed, index) : null;
    const bytes = input === null ? readFileSync(file ?? '') : input.bytes;
    console.log(
      `${input?.source ?? file ?? ''}: ${input?.mutations.join(', ') ?? 'as it is'}; ${bytes.length} bytes`,
    );
    console.log(`written to ${keep(options, index, bytes)}`);
    const { done, failures } = await tryInput(child, bytes, seed, index);
    if (done !== null)
      console.log(`took ${done.cpuMs.toFixed(0)} ms; ${JSON.stringify(done.verdict, null, 1)}`);
    for (const { signature, message, stack } of failures) {
      console.log(`\nFAILED ${signature}\n${[message, ...stack].join('\n  ')}`);
    }
    const [first] = failures;
    if (isMinimised && first !== undefined) await shrink(options, child, bytes, index, first.signature);
    return failures.length;
  } finally {
    child.stop();
  }
}

async function shrink(
  options: Arguments,
  child: FuzzChild,
  bytes: Uint8Array,
  index: number,
  signature: string,
): Promise<void> {
  const { seed } = options;
  const fails = async (smaller: Uint8Array): Promise<boolean> => {
    const { failures } = await tryInput(child, smaller, seed, index);
    return failures.some((failure) => failure.signature === signature);
  };
  const small = await minimise(bytes, fails, performance.now() + MINIMISE_MS);
  console.log(
    `\n${small.length} bytes are left, in ${keep(options, index, small, '-small')}; as a regression:`,
  );
  console.log(regressionRow({ name: signature, seed, index, bytes: small }));
}

/** Every input that once failed. */
async function replayRegressions(): Promise<number> {
  const child = new FuzzChild(LIMITS);
  const regressions = [...readRegressions(), ...builtRegressions()];
  let failureCount = 0;
  try {
    for (const { name, seed, index, bytes } of regressions) {
      const { failures } = await tryInput(child, bytes, seed, index);
      if (failures.length > 0) failureCount += 1;
      const said = failures.map(({ signature, message }) => `\n  ${signature}: ${message}`).join('');
      console.log(`${failures.length > 0 ? 'FAILED' : 'ok    '} ${name}${said}`);
    }
  } finally {
    child.stop();
  }
  console.log(`\n${regressions.length} regressions, ${failureCount} failed`);
  return failureCount;
}

function runCommand(options: Arguments): Promise<number> {
  if (options.replaysRegressions) return replayRegressions();
  const index = options.replayed ?? (options.file === null ? null : 0);
  return index === null ? fuzz(options) : replay(options, index);
}

async function main(): Promise<void> {
  const failureCount = await runCommand(readArguments({ inputs: DEFAULT_COUNT }));
  process.exitCode = failureCount === 0 ? 0 : 1;
}

await main();
