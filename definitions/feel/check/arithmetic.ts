/** `+`, `-`, `*`, `/`, `**` and negation: which kinds they take, and what they give (compile/arithmetic.ts). */
import type { Arithmetic, ArithmeticOperator, Negation } from '../ast.ts';
import type { Checker } from './checker.ts';
import { anyType, describe, kindsOf, simple, unionOf, type StaticType } from './static-type.ts';

type Operand =
  'number' | 'string' | 'date' | 'time' | 'date-time' | 'days-time-duration' | 'years-months-duration';

type Rule = readonly [left: Operand, right: Operand, result: Operand];

const DAYS = 'days-time-duration';
const MONTHS = 'years-months-duration';

const numbers: Rule = ['number', 'number', 'number'];

/** What a duration is added to, and taken from. */
const shifted: readonly Rule[] = [
  ['date', DAYS, 'date'],
  ['date', MONTHS, 'date'],
  ['date-time', DAYS, 'date-time'],
  ['date-time', MONTHS, 'date-time'],
  ['time', DAYS, 'time'],
  [DAYS, DAYS, DAYS],
  [MONTHS, MONTHS, MONTHS],
];

const points = ['date', 'date-time'] as const;

const rules: Readonly<Record<ArithmeticOperator, readonly Rule[]>> = {
  '+': [
    numbers,
    ['string', 'string', 'string'],
    ...shifted,
    ...shifted.map(([left, right, result]): Rule => [right, left, result]),
  ],
  '-': [
    numbers,
    ...shifted,
    ['time', 'time', DAYS],
    ...points.flatMap((left) => points.map((right): Rule => [left, right, DAYS])),
  ],
  '*': [
    numbers,
    ...([DAYS, MONTHS] as const).flatMap((duration): Rule[] => [
      [duration, 'number', duration],
      ['number', duration, duration],
    ]),
  ],
  '/': [
    numbers,
    ...([DAYS, MONTHS] as const).flatMap((duration): Rule[] => [
      [duration, 'number', duration],
      [duration, duration, 'number'],
    ]),
  ],
  '**': [numbers],
};

export function typeOfArithmetic(node: Arithmetic, checker: Checker): StaticType {
  const left = checker.typeOf(node.left);
  const right = checker.typeOf(node.right);
  const lefts = kindsOf(left);
  const rights = kindsOf(right);
  const fitting = rules[node.operator].filter(
    ([first, second]) => (lefts?.includes(first) ?? true) && (rights?.includes(second) ?? true),
  );
  if (fitting.length > 0) return unionOf(fitting.map(([, , result]) => simple(result)));
  const message = `'${node.operator}' does not take ${describe(left)} and ${describe(right)}${hint(node, left, right)}`;
  return checker.error('SUTRA.FEEL.TYPE_MISMATCH', node, message);
}

/** What was probably meant. */
function hint({ operator }: Arithmetic, left: StaticType, right: StaticType): string {
  const kinds = [left.kind, right.kind];
  if (kinds.includes('list')) return '; choose one of the list, as in list[1]';
  if (operator === '+' && kinds.includes('string')) return '; make a string of the other with string()';
  return kinds.includes('string') && kinds.includes('number')
    ? '; read the string with number(text, null, ".")'
    : '';
}

export function typeOfNegation(node: Negation, checker: Checker): StaticType {
  const type = checker.typeOf(node.operand);
  const kinds = kindsOf(type);
  if (kinds === null) return anyType;
  const fitting = (['number', DAYS, MONTHS] as const).filter((kind) => kinds.includes(kind));
  if (fitting.length > 0) return unionOf(fitting.map(simple));
  return checker.error('SUTRA.FEEL.TYPE_MISMATCH', node, `'-' does not take ${describe(type)}`);
}
