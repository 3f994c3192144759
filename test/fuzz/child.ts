/** The process in which model files are checked. */
import { answerTasks } from './answer-tasks.ts';
import { checkInput } from './check-input.ts';
import { makeInput } from './make-input.ts';
import { loadSources } from './sources.ts';

const sources = loadSources();
answerTasks({ make: (seed, index) => makeInput(sources, seed, index), check: checkInput });
