/**
 * Inputs that once failed. A row of `regressions.tsv` has a name and the input as it is encoded (feel-input.ts), which
 * says everything: seeds and indices give other inputs when sources change.
 */
import { readFileSync } from 'node:fs';

export interface FeelRegression {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const FILE = new URL('regressions.tsv', import.meta.url);

/** @throws Error for a row that has no input */
export function readFeelRegressions(table = readFileSync(FILE, 'utf8')): readonly FeelRegression[] {
  return table
    .split('\n')
    .slice(1)
    .filter((line) => line !== '')
    .map((line) => {
      const [name, input] = line.split('\t');
      if (name === undefined || input === undefined) throw new Error(`a row has no input: ${line}`);
      return { name, bytes: Buffer.from(input) };
    });
}

/** The row to be added to the file. JSON has no tabs and no line ends outside of its escapes. */
export function feelRegressionRow({ name, bytes }: FeelRegression): string {
  return `${name}\t${Buffer.from(bytes).toString('utf8')}`;
}
