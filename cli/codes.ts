/** The codes of faults that only the command line meets. */
import type { CodeTable } from '../config/engine-error.ts';

export const cliCodes = {
  'SUTRA.CLI.ENGINE_UNREACHABLE': {
    httpStatus: 503,
    retry: 'safe',
    meaning: 'No engine answered at the address; whether it got the request is unknown.',
    remedy: 'Check --url, and that the engine runs. To send a package again does no harm.',
  },
  'SUTRA.CLI.ANSWER_UNEXPECTED': {
    httpStatus: 502,
    retry: 'after-change',
    meaning: 'What answered at the address is no engine: it did not answer JSON.',
    remedy: 'Check --url, and whether a proxy answers in place of the engine.',
  },
  'SUTRA.CLI.FILE_UNREADABLE': {
    httpStatus: 400,
    retry: 'after-change',
    meaning: 'A file that the command line names cannot be read.',
    remedy: 'Check the path and the rights; the message has the reason of the system.',
  },
  'SUTRA.CLI.INPUT_INVALID': {
    httpStatus: 400,
    retry: 'after-change',
    meaning: 'The input of a decision is no JSON object.',
    remedy: 'Write {"name of an input": value, …}; the message says where it is not JSON.',
  },
  'SUTRA.CLI.INPUT_UNKNOWN': {
    httpStatus: 400,
    retry: 'after-change',
    meaning: 'No decision of the model takes an input of that name; nothing was evaluated.',
    remedy: 'Use the name of an input data element, as the message suggests.',
  },
  'SUTRA.CLI.DECISION_UNKNOWN': {
    httpStatus: 404,
    retry: 'after-change',
    meaning: 'The decision model has no decision of that id or name; nothing was evaluated.',
    remedy: 'Use one that the message names, or leave --decision out for all decisions.',
  },
} as const satisfies CodeTable;

export type CliCode = keyof typeof cliCodes;
