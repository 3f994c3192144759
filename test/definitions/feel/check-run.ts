/** Checks expressions for tests. What must be reported is marked in the text: `1 + «nam»`. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  checkExpression,
  checkUnaryTests,
  type CheckScope,
  type Expectation,
  type FeelFinding,
} from '../../../definitions/feel/check/check-expression.ts';
import {
  simple,
  unionOf,
  type ContextType,
  type StaticType,
} from '../../../definitions/feel/check/static-type.ts';
import { parseExpression, parseUnaryTests } from '../../../definitions/feel/parse-expression.ts';

export const any: StaticType = { kind: 'any' };

export function contextOf(
  entries: Readonly<Record<string, StaticType>>,
  others: ContextType['others'] = 'impossible',
): ContextType {
  return { kind: 'context', entries: new Map(Object.entries(entries)), others };
}

export function listOf(element: StaticType): StaticType {
  return { kind: 'list', element };
}

/** Everything that the tables name. */
export const known: Readonly<Record<string, StaticType>> = {
  a: any,
  n: simple('number'),
  s: simple('string'),
  b: simple('boolean'),
  day: simple('date'),
  moment: simple('date-time'),
  clock: simple('time'),
  hours: simple('days-time-duration'),
  months: simple('years-months-duration'),
  numbers: listOf(simple('number')),
  anything: listOf(any),
  order: contextOf({
    amount: simple('number'),
    country: simple('string'),
    customer: contextOf({ name: simple('string'), age: simple('number') }),
    lines: listOf(contextOf({ price: simple('number'), item: simple('string') })),
  }),
  loose: contextOf({ amount: simple('number') }, 'unlikely'),
  open: contextOf({ amount: simple('number') }, 'possible'),
  mixed: unionOf([simple('number'), simple('string')]),
};

export const scope: CheckScope = { names: new Map(Object.entries(known)), unknownNames: 'error' };

/** `SUTRA.FEEL.` left out. */
export type Expected = readonly [
  marked: string,
  severity: 'error' | 'warning',
  code: string,
  message?: RegExp,
];

/** The text without its marks, and what is between each pair of them. */
function unmark(marked: string): { readonly text: string; readonly spans: readonly [number, number][] } {
  const spans: [number, number][] = [];
  const open: number[] = [];
  let text = '';
  for (const character of marked) {
    if (character === '«') open.push(text.length);
    else if (character === '»') spans.push([open.pop() ?? -1, text.length]);
    else text += character;
  }
  return { text, spans: spans.toSorted(([one], [other]) => one - other) };
}

type Check = (text: string) => readonly FeelFinding[];

export const asExpression =
  (within: CheckScope = scope): Check =>
  (text) =>
    checkExpression(parseExpression(text), within).findings;

export const asExpected =
  (expected: Expectation): Check =>
  (text) =>
    checkExpression(parseExpression(text), scope, expected).findings;

export const asTestsOf =
  (input: StaticType): Check =>
  (text) =>
    checkUnaryTests(parseUnaryTests(text), input, scope);

/** Each text has one finding for each mark, of that code and severity. */
export function reports(rows: readonly Expected[], check: Check = asExpression()): void {
  for (const [marked, severity, code, message] of rows) {
    it(`${severity} ${code}: ${marked}`, () => {
      const { text, spans } = unmark(marked);
      assert.ok(spans.length > 0, 'nothing is marked');
      const findings = check(text);
      assert.deepEqual(
        findings.map((finding) => [finding.from, finding.to, finding.severity, finding.code]),
        spans.map(([from, to]) => [from, to, severity, `SUTRA.FEEL.${code}`]),
        JSON.stringify(findings),
      );
      for (const finding of findings) {
        if (message !== undefined) assert.match(finding.message, message);
        assert.doesNotMatch(finding.message, /[.!]$|undefined|\[object/);
      }
    });
  }
}

/** Each text has none. */
export function accepts(texts: readonly string[], check: Check = asExpression()): void {
  for (const text of texts) {
    it(`nothing: ${text}`, () => {
      assert.deepEqual(check(text), []);
    });
  }
}
