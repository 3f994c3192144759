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
  'SUTRA.CLI.KEY_MISSING': {
    httpStatus: 401,
    retry: 'after-change',
    meaning: 'The variable that --api-key-env names holds no admin key; nothing was sent.',
    remedy: 'Set the variable to the key of the engine, or name the one that has it.',
  },
  'SUTRA.CLI.FILE_UNREADABLE': {
    httpStatus: 400,
    retry: 'after-change',
    meaning: 'A file that the command line names cannot be read.',
    remedy: 'Check the path and the rights; the message has the reason of the system.',
  },
  'SUTRA.CLI.FILE_KIND_UNKNOWN': {
    httpStatus: 400,
    retry: 'after-change',
    meaning: 'A file that is to be checked is none that can be checked by itself.',
    remedy: 'Name a file of a kind that the message lists, or the folder of the package.',
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
  'SUTRA.CLI.NAME_INVALID': {
    httpStatus: 400,
    retry: 'after-change',
    meaning: 'A package cannot have that name, or that tenant; nothing was written.',
    remedy: 'Choose a name as the message describes it.',
  },
  'SUTRA.CLI.FOLDER_NOT_EMPTY': {
    httpStatus: 409,
    retry: 'after-change',
    meaning: 'A package is to be made in a folder that has something in it; nothing was written.',
    remedy: 'Choose another name, or empty the folder.',
  },
  'SUTRA.CLI.FOLDER_UNWRITABLE': {
    httpStatus: 400,
    retry: 'after-change',
    meaning: 'The files of a package cannot be written; some of them may have been.',
    remedy: 'Check the path, the rights and the space; the message has the reason of the system.',
  },
  'SUTRA.CLI.NOTATION_UNKNOWN': {
    httpStatus: 400,
    retry: 'after-change',
    meaning: 'A file that is to be converted is neither a flow nor a BPMN file, by its name.',
    remedy: 'Name a file that ends in .yaml, .yml, .bpmn or .xml.',
  },
  'SUTRA.CLI.FILE_EXISTS': {
    httpStatus: 409,
    retry: 'after-change',
    meaning: 'A file that is to be written is there already; nothing was written.',
    remedy: 'Choose another one with --output, or overwrite it with --force.',
  },
  'SUTRA.CLI.FILE_UNWRITABLE': {
    httpStatus: 400,
    retry: 'after-change',
    meaning: 'A file cannot be written.',
    remedy: 'Check the path, the rights and the space; the message has the reason of the system.',
  },
  'SUTRA.CLI.OUTPUT_AMBIGUOUS': {
    httpStatus: 400,
    retry: 'after-change',
    meaning:
      'A BPMN file has several processes, and one file is named for all their flows; nothing was written.',
    remedy: 'Leave --output out: each process gets a file of its name.',
  },
  'SUTRA.CLI.COMMAND_NOT_FOUND': {
    httpStatus: 400,
    retry: 'after-change',
    meaning: 'The command that is to do the work is not there, or cannot be executed; no task was fetched.',
    remedy: 'Check the path, its rights and its first line, or PATH.',
  },
  'SUTRA.CLI.CREDENTIAL_MISSING': {
    httpStatus: 401,
    retry: 'after-change',
    meaning: 'What a --header refers to is not there; nothing was sent.',
    remedy: 'Set the variable, or the secret, that the reference names.',
  },
} as const satisfies CodeTable;

export type CliCode = keyof typeof cliCodes;
