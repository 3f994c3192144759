/** The process in which FEEL is checked. With `SUTRA_TEST_FUZZ_SEEDS_ONLY` the corpus is left out. */
import { answerTasks } from '../answer-tasks.ts';
import { checkFeel } from './check-feel.ts';
import { loadFeelSources } from './feel-sources.ts';
import { makeFeelInput } from './make-feel-input.ts';

const sources = loadFeelSources({ withCorpus: process.env['SUTRA_TEST_FUZZ_SEEDS_ONLY'] === undefined });
answerTasks({
  make: (seed, index) => makeFeelInput(sources, seed, index),
  check: (bytes, _seed, _index, onCall) => checkFeel(bytes, onCall),
});
