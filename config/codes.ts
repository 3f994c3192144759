/** The codes of faults in the configuration. They are seen at boot, before anything is served. */
import type { CodeTable } from './engine-error.ts';

export const configCodes = {
  'SUTRA.CONFIG.INVALID': {
    httpStatus: 500,
    retry: 'after-change',
    meaning: 'The engine did not boot because its configuration has faults; all of them are listed.',
    remedy: 'Nothing was started or changed. Correct every listed fault and start again.',
  },
  'SUTRA.CONFIG.FILE_UNREADABLE': {
    httpStatus: 500,
    retry: 'after-change',
    meaning: 'The configuration file that was named does not exist or cannot be read.',
    remedy: 'Check the path in SUTRA_CONFIG or on the command line, and who may read the file.',
  },
  'SUTRA.CONFIG.FILE_MALFORMED': {
    httpStatus: 500,
    retry: 'after-change',
    meaning:
      'The configuration file is not plain YAML: a syntax fault, an alias, a list, or too deep or large.',
    remedy: 'Go to the line and column that the fault names. The file is maps of keys with single values.',
  },
  'SUTRA.CONFIG.KEY_UNKNOWN': {
    httpStatus: 500,
    retry: 'after-change',
    meaning: 'A key of the file or a SUTRA_ environment variable is not a setting of this version.',
    remedy: 'Use the nearest known key that the fault names, or remove it. `sutra config` lists all keys.',
  },
  'SUTRA.CONFIG.KEY_DUPLICATE': {
    httpStatus: 500,
    retry: 'after-change',
    meaning: 'The file sets one key twice, perhaps once nested and once dotted.',
    remedy: 'Remove one of the two places that the fault names.',
  },
  'SUTRA.CONFIG.VALUE_INVALID': {
    httpStatus: 500,
    retry: 'after-change',
    meaning: 'A value is of the wrong form or outside the bounds of its key.',
    remedy: 'Write a value within the bounds that the fault names, or remove it to take the default.',
  },
  'SUTRA.CONFIG.CONTRADICTION': {
    httpStatus: 500,
    retry: 'after-change',
    meaning: 'Two values are each valid but cannot hold together.',
    remedy: 'Change one of the two. A default counts as well: it may be the one to set.',
  },
  'SUTRA.CONFIG.SECRET_UNRESOLVED': {
    httpStatus: 500,
    retry: 'after-change',
    meaning: 'A reference `env:NAME` or `secret:NAME` leads to nothing, or to an empty value.',
    remedy: 'Set the environment variable, or mount the secret as /run/secrets/NAME.',
  },
} as const satisfies CodeTable;
