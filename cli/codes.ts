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
} as const satisfies CodeTable;

export type CliCode = keyof typeof cliCodes;
