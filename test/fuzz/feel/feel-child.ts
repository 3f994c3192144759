/** The process in which FEEL is checked. Its argument `short` is for the suite. */
import { answerTasks } from '../answer-tasks.ts';
import { checkFeel } from './check-feel.ts';
import { SHORT } from './feel-limits.ts';
import { loadFeelSources, type FeelSources } from './feel-sources.ts';
import { makeFeelInput } from './make-feel-input.ts';

/** What uses up all that is usual takes as long as hundreds of other inputs. */
const SHORT_UNITS = 200_000;

const isShort = process.argv.includes(SHORT);
const units = isShort ? SHORT_UNITS : null;
let sources: FeelSources | null = null;
answerTasks({
  make(seed, index) {
    sources ??= loadFeelSources({ withCorpus: !isShort });
    return makeFeelInput(sources, seed, index, units);
  },
  check: (bytes, _seed, _index, onCall) => checkFeel(bytes, onCall),
});
