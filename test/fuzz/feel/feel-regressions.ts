/**
 * Inputs that once failed. A row of `regressions.tsv` has a name and the input as it is encoded (feel-input.ts), which
 * says everything: seeds and indices give other inputs when sources change. What is one piece many times is built.
 */
import { readFileSync } from 'node:fs';
import { encodeFeelInput } from './feel-input.ts';

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

/** One piece, repeated: too large for a table. */
export function builtFeelRegressions(): readonly FeelRegression[] {
  return Object.entries({
    'mistakes in a context, one after the other': `{${'@5null '.repeat(900)}`,
    'a long name behind an @': `@${'a'.repeat(9_900)}`,
    'a path of many names': `a in (1..2]${'.a'.repeat(400)}`,
    'functions in functions': `function(x) 1 != ${'function(x) '.repeat(500)}1`,
    'sums in conditions': `${'1 + (if a then b else '.repeat(140)}a${')'.repeat(140)}`,
    'iterations that are never begun': `${'some x in '.repeat(600)}a`,
    'tests of tests': `${'a in '.repeat(1_400)}b`,
    'lists that hold each other, compared': `{v0: {a: 1}, ${doublings((at) => `append(${at}, ${at})`)}, r: some i in v30, j in v30 satisfies i != j}.r`,
    'contexts that hold each other around a large one': `{v0: {a: 1, b: {c: 2, d: [3, 4, 5]}}, ${doublings((at) => `{a: ${at}, b: ${at}}`)}}`,
    'negative signs': `${'- '.repeat(2_900)}1`,
  }).map(([name, text]) => ({
    name,
    bytes: encodeFeelInput({ text, variables: {}, input: null, units: null }),
  }));
}

/** `v1: …, v2: …`, each of the one before it. */
function doublings(next: (last: string) => string): string {
  return Array.from({ length: 30 }, (_, index) => `v${index + 1}: ${next(`v${index}`)}`).join(', ');
}

/** The row to be added to the file. JSON has no tabs and no line ends outside of its escapes. */
export function feelRegressionRow({ name, bytes }: FeelRegression): string {
  return `${name}\t${Buffer.from(bytes).toString('utf8')}`;
}
