/** Where a translated JUEL text gives something else than in its own engine, because only the data tells. */
import type { Context, Value } from '../value.ts';

export interface JuelDifference {
  /** What differs, as a sentence about the source. */
  readonly rule: string;
  readonly juel: string;
  readonly variables: Context;
  /** What it gives in its own engine, in words. */
  readonly there: string;
  /** What it gives here. */
  readonly here: Value;
}

export const juelDifferences: readonly JuelDifference[] = [
  {
    rule: 'a name that stands for nothing is an error',
    juel: '${missing}',
    variables: {},
    there: 'an error',
    here: null,
  },
  {
    rule: 'a comparison with null is false; as a condition null is the same',
    juel: '${a > 3}',
    variables: { a: null },
    there: 'false',
    here: null,
  },
  {
    rule: 'null is as large as null',
    juel: '${a <= b}',
    variables: { a: null, b: null },
    there: 'true',
    here: null,
  },
  { rule: 'null is 0', juel: '${a + 1}', variables: { a: null }, there: '1', here: null },
  {
    rule: 'a text beside a number is a number',
    juel: '${a == 5}',
    variables: { a: '5' },
    there: 'true',
    here: null,
  },
  {
    rule: 'texts are added as numbers',
    juel: '${a + b}',
    variables: { a: '5', b: '3' },
    there: '8',
    here: '53',
  },
  {
    rule: 'a text beside a truth value is one',
    juel: '${a == true}',
    variables: { a: 'true' },
    there: 'true',
    here: null,
  },
  {
    rule: 'a text is true where it says so',
    juel: '${a && b}',
    variables: { a: 'true', b: true },
    there: 'true',
    here: null,
  },
  {
    rule: 'a text is false where it says so',
    juel: '${!a}',
    variables: { a: 'false' },
    there: 'true',
    here: null,
  },
  {
    rule: 'numbers are binary fractions',
    juel: '${0.1 + 0.2 == a}',
    variables: { a: 0.3 },
    there: 'false',
    here: true,
  },
  {
    rule: 'a number divided by 0 is infinite',
    juel: '${a / 0}',
    variables: { a: 1 },
    there: 'Infinity',
    here: null,
  },
  {
    rule: 'a quotient has a fraction in a text',
    juel: 'Half: ${a / 2}',
    variables: { a: 10 },
    there: 'Half: 5.0',
    here: 'Half: 5',
  },
  {
    rule: 'a list in a text has its texts without quotes',
    juel: 'All: ${a}',
    variables: { a: [1, 'x'] },
    there: 'All: [1, x]',
    here: 'All: [1, "x"]',
  },
  {
    rule: 'an index below 0 finds nothing',
    juel: '${list[i]}',
    variables: { list: [1, 2], i: -2 },
    there: 'null',
    here: 2,
  },
  {
    rule: 'the length of a text counts units of UTF-16',
    juel: '${a.length()}',
    variables: { a: '🙂' },
    there: '2',
    here: 1,
  },
];
