/** What the commands of the fuzz runs take. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

export interface Arguments {
  readonly count: number;
  readonly seed: number;
  readonly from: number;
  readonly processCount: number;
  readonly patience: number;
  readonly replayed: number | null;
  readonly file: string | null;
  readonly isMinimised: boolean;
  readonly replaysRegressions: boolean;
  readonly keptIn: string;
}

/** @throws RangeError for a number that is none */
export function readArguments({ inputs }: { readonly inputs: number }): Arguments {
  const { values } = parseArgs({
    options: {
      inputs: { type: 'string', default: String(inputs) },
      seed: { type: 'string', default: '1' },
      from: { type: 'string', default: '0' },
      processes: { type: 'string', default: '2' },
      patience: { type: 'string', default: '1' },
      replay: { type: 'string' },
      file: { type: 'string' },
      minimise: { type: 'boolean', default: false },
      regressions: { type: 'boolean', default: false },
      keep: { type: 'string', default: join(tmpdir(), 'sutra-fuzz') },
    },
  });
  return {
    count: wholeNumber('inputs', values.inputs, 1),
    seed: wholeNumber('seed', values.seed, 0),
    from: wholeNumber('from', values.from, 0),
    processCount: wholeNumber('processes', values.processes, 1),
    patience: wholeNumber('patience', values.patience, 1),
    replayed: values.replay === undefined ? null : wholeNumber('replay', values.replay, 0),
    file: values.file ?? null,
    isMinimised: values.minimise,
    replaysRegressions: values.regressions,
    keptIn: values.keep,
  };
}

function wholeNumber(name: string, text: string, least: number): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= least) return number;
  throw new RangeError(`--${name} is a whole number of at least ${least}, not ${text}`);
}
