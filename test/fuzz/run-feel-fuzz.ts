/**
 * The fuzz run of FEEL: `npm run fuzz:feel -- --inputs 100000 --seed 1`. See README.md beside this file.
 *
 * Its last line is `N inputs, N failures`, and it fails when anything failed.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FeelVerdict } from './feel/check-feel.ts';
import { FEEL_CHILD } from './feel/feel-limits.ts';
import { decodeFeelInput } from './feel/feel-input.ts';
import { builtFeelRegressions, feelRegressionRow, readFeelRegressions } from './feel/feel-regressions.ts';
import { loadFeelSources } from './feel/feel-sources.ts';
import { FeelTally } from './feel/feel-tally.ts';
import { makeFeelInput } from './feel/make-feel-input.ts';
import { minimiseFeel } from './feel/minimise-feel.ts';
import { readArguments, type Arguments } from './fuzz-arguments.ts';
import { printFailures, runWithProgress } from './fuzz-campaign.ts';
import { FuzzChild } from './fuzz-child.ts';
import { tryInput } from './try-input.ts';

const COMMAND = 'npm run fuzz:feel --';
const DEFAULT_COUNT = 100_000;
const MAX_GROWTH_BYTES = 64 * 1_048_576;
const MINIMISE_MS = 180_000;
const SHOWN_CHARACTERS = 300;

/** Writes a failing input down, so that it outlives a change of the sources. */
function keep({ keptIn, seed }: Arguments, index: number, bytes: Uint8Array): string {
  mkdirSync(keptIn, { recursive: true });
  const path = join(keptIn, `feel-seed-${seed}-input-${index}.json`);
  writeFileSync(path, bytes);
  return path;
}

async function fuzz(options: Arguments): Promise<number> {
  const { seed, from, count, processCount, patience } = options;
  const sources = loadFeelSources({ withCorpus: true });
  if (sources.corpus.length === 0) console.log('the corpus is not here: only the seeds are mutated');
  const tally = new FeelTally();
  const run = { ...FEEL_CHILD, seed, from, count, processCount, patience, maxGrowthBytes: MAX_GROWTH_BYTES };
  await runWithProgress<FeelVerdict>(run, tally, (index) => {
    keep(options, index, makeFeelInput(sources, seed, index).bytes);
  });
  const failureCount = printFailures(tally.failures, (index) => {
    const { source, mutations, input } = makeFeelInput(sources, seed, index);
    return [
      `${COMMAND} --seed ${seed} --replay ${index}`,
      `  ${[source, ...mutations].join('; ')}: ${JSON.stringify(input.text.slice(0, SHOWN_CHARACTERS))}`,
    ];
  });
  if (failureCount > 0) console.log(`\nthe inputs shown are in ${options.keptIn}`);
  console.log(`\n${count} inputs, ${failureCount} failures`);
  return failureCount;
}

/** One input, with all that is known of it. */
async function replay(options: Arguments, index: number): Promise<number> {
  const { seed, file, isMinimised } = options;
  const child = new FuzzChild<FeelVerdict>(FEEL_CHILD);
  try {
    const bytes =
      file === null
        ? makeFeelInput(loadFeelSources({ withCorpus: true }), seed, index).bytes
        : readFileSync(file);
    console.log(`${decodeFeelInput(bytes).text}\nwritten to ${keep(options, index, bytes)}`);
    const { done, failures } = await tryInput(child, bytes, seed, index, FEEL_CHILD);
    if (done !== null)
      console.log(`took ${done.cpuMs.toFixed(0)} ms; ${JSON.stringify(done.verdict, null, 1)}`);
    const [first] = failures;
    if (isMinimised && first !== undefined) {
      const fails = async (smaller: Uint8Array): Promise<boolean> => {
        const trial = await tryInput(child, smaller, seed, index, FEEL_CHILD);
        return trial.failures.some(({ signature }) => signature === first.signature);
      };
      const small = await minimiseFeel(bytes, fails, performance.now() + MINIMISE_MS);
      console.log(`\nas a regression:\n${feelRegressionRow({ name: first.signature, bytes: small })}`);
    }
    for (const { signature, message, stack } of failures) {
      console.log(`\nFAILED ${signature}\n${[message, ...stack].join('\n  ')}`);
    }
    return failures.length;
  } finally {
    child.stop();
  }
}

/** Every input that once failed. */
async function replayRegressions(): Promise<number> {
  const child = new FuzzChild<FeelVerdict>(FEEL_CHILD);
  const regressions = [...readFeelRegressions(), ...builtFeelRegressions()];
  let failureCount = 0;
  try {
    for (const { name, bytes } of regressions) {
      const { failures } = await tryInput(child, bytes, 0, 0, FEEL_CHILD);
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

async function main(): Promise<void> {
  const options = readArguments({ inputs: DEFAULT_COUNT });
  const index = options.replayed ?? (options.file === null ? null : 0);
  const run = options.replaysRegressions
    ? replayRegressions()
    : index === null
      ? fuzz(options)
      : replay(options, index);
  process.exitCode = (await run) === 0 ? 0 : 1;
}

await main();
