/** The process in which FEEL is checked. Its argument `short` is for the suite. */
import { defaultCostLimits } from '../../../definitions/feel.ts';
import { answerTasks } from '../answer-tasks.ts';
import { checkFeel } from './check-feel.ts';
import { SHORT } from './feel-limits.ts';
import { loadFeelSources, type FeelSources } from './feel-sources.ts';
import { makeFeelInput } from './make-feel-input.ts';

/** An evaluation that uses up its budget takes as long as hundreds of others. */
const shortLimits = { ...defaultCostLimits, turnUnits: 600_000, evaluationUnits: 250_000 };

const isShort = process.argv.includes(SHORT);
const limits = isShort ? shortLimits : defaultCostLimits;
let sources: FeelSources | null = null;
answerTasks({
  make: (seed, index) => makeFeelInput((sources ??= loadFeelSources({ withCorpus: !isShort })), seed, index),
  check: (bytes, _seed, _index, onCall) => checkFeel(bytes, onCall, limits),
});
