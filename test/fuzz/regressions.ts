/**
 * Inputs that once failed, kept as what they are: seeds and indices give other bytes when sources change.
 *
 * A row of `regressions.tsv` has a name, seed and index (they decide what happens to the instances), and the
 * bytes: a JSON string, or `base64:` and base64 when they are not UTF-8.
 */
import { readFileSync } from 'node:fs';

export interface Regression {
  readonly name: string;
  readonly seed: number;
  readonly index: number;
  readonly bytes: Uint8Array;
}

const FILE = new URL('regressions.tsv', import.meta.url);
const BASE64 = 'base64:';

/** @throws Error for a row that cannot be read */
export function readRegressions(table = readFileSync(FILE, 'utf8')): readonly Regression[] {
  return table
    .split('\n')
    .slice(1)
    .filter((line) => line !== '')
    .map((line) => {
      const [name, seed, index, input] = line.split('\t');
      if (name === undefined || input === undefined) throw new Error(`a row has no input: ${line}`);
      return { name, seed: Number(seed), index: Number(index), bytes: decode(input) };
    });
}

/** Inputs that are too large for a table: one fault, repeated. */
export function builtRegressions(): readonly Regression[] {
  const process = (inside: string): Uint8Array =>
    Buffer.from(
      `<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"><process id="p"><startEvent id="s"/>${inside}</process></definitions>`,
    );
  const script = (text: string): Uint8Array =>
    process(`<scriptTask id="t"><script>${text}</script></scriptTask>`);
  const tasks = Array.from({ length: 1_001 }, (_, index) => `<task id="t${index}"/>`);
  return Object.entries({
    'a file above the bound': Buffer.alloc(10 * 1024 * 1024 + 1, ' '),
    'more warnings than are listed': process(tasks.join('')),
    'an expression with a name of many words': script(`${'a '.repeat(4_000)}b`),
    'an expression of nested contexts': script('{a: '.repeat(1_900) + '1' + '}'.repeat(1_900)),
  }).map(([name, bytes]) => ({ name, seed: 1, index: 0, bytes }));
}

/** The row to be added to the file. */
export function regressionRow({ name, seed, index, bytes }: Regression): string {
  const text = Buffer.from(bytes).toString('utf8');
  const isText = Buffer.from(text).equals(bytes);
  const input = isText ? JSON.stringify(text) : BASE64 + Buffer.from(bytes).toString('base64');
  return [name, seed, index, input].join('\t');
}

function decode(input: string): Uint8Array {
  if (input.startsWith(BASE64)) return Buffer.from(input.slice(BASE64.length), 'base64');
  const text: unknown = JSON.parse(input);
  if (typeof text !== 'string') throw new Error(`an input is no string: ${input.slice(0, 80)}`);
  return Buffer.from(text);
}
