/** `=`, `!=`, `<`, `<=`, `>`, `>=`, `between` and ranges: which kinds compare (compile/comparison.ts). */
import type { Between, Comparison, EqualityTest, Expression, RangeLiteral, Span } from '../ast.ts';
import { constantOf } from '../compile/constants.ts';
import { compare, isFeelNumber } from '../number.ts';
import type { ValueKind } from '../value-kind.ts';
import type { Checker } from './checker.ts';
import { anyType, describe, kindsOf, simple, unionOf, type StaticType } from './static-type.ts';

/** Kinds of values that have an order. */
const orderedKinds: readonly ValueKind[] = [
  'number',
  'string',
  'date',
  'time',
  'date-time',
  'days-time-duration',
  'years-months-duration',
];

const booleanType = simple('boolean');

/** Whether two values of the types may be equal, without being null. */
export function mayBeEqual(left: StaticType, right: StaticType): boolean {
  const [lefts, rights] = [kindsOf(left), kindsOf(right)];
  return lefts === null || rights === null || lefts.some((kind) => rights.includes(kind));
}

/** Whether one of them may be less than the other. */
export function mayHaveOrder(left: StaticType, right: StaticType): boolean {
  const [lefts, rights] = [kindsOf(left) ?? orderedKinds, kindsOf(right) ?? orderedKinds];
  return orderedKinds.some((kind) => lefts.includes(kind) && rights.includes(kind));
}

export function typeOfComparison(node: Comparison, checker: Checker): StaticType {
  const { operator } = node;
  const left = checker.typeOf(node.left);
  const right = checker.typeOf(node.right);
  if (operator !== '=' && operator !== '!=') return typeOfOrder(node, left, right, checker);
  if (mayBeEqual(left, right)) return booleanType;
  const isSure = operator === '=' && (isValue(node.left) || isValue(node.right));
  return refuseEquality(node, [left, right], isSure, checker);
}

/** `= 5`, of the input. */
export function typeOfEqualityTest(node: EqualityTest, checker: Checker): StaticType {
  const operand = checker.typeOf(node.operand);
  const input = inputType(node, checker);
  if (mayBeEqual(input, operand)) return booleanType;
  return refuseEquality(node, [input, operand], node.operator === '=' && isValue(node.operand), checker);
}

/** Whether it is written as something that is not null. */
export function isValue(node: Expression): boolean {
  if (node.kind === 'list' || node.kind === 'context') return true;
  if (node.kind === 'range') return [node.start, node.end].every((end) => end === null || isValue(end));
  const constant = constantOf(node);
  return constant !== undefined && constant !== null;
}

/** The type of what `?` stands for. */
export function inputType(node: Span, checker: Checker): StaticType {
  const { input } = checker.names;
  if (input !== null) return input;
  return checker.error(
    'SUTRA.FEEL.NAME_UNKNOWN',
    node,
    "'?' stands for nothing here: there is no value to test",
  );
}

/** Two that are null are equal, and one that is null is unequal to what is not: where both may be, it is only a warning. */
function refuseEquality(
  node: Span,
  [left, right]: readonly [StaticType, StaticType],
  isSure: boolean,
  checker: Checker,
): StaticType {
  const message = isSure
    ? `${describe(left)} is never equal to ${describe(right)}`
    : `${describe(left)} and ${describe(right)} do not compare: the result is null`;
  const severity = isSure ? 'error' : 'warning';
  return checker.report(severity, 'SUTRA.FEEL.TYPE_MISMATCH', node, `${message}${hintFor(left, right)}`);
}

function typeOfOrder(node: Span, left: StaticType, right: StaticType, checker: Checker): StaticType {
  if (mayHaveOrder(left, right)) return booleanType;
  const message = `${describe(left)} and ${describe(right)} have no order${hintFor(left, right)}`;
  return checker.error('SUTRA.FEEL.TYPE_MISMATCH', node, message);
}

/** How a string is read that stands for something else. */
const readers: Readonly<Partial<Record<StaticType['kind'], string>>> = {
  number: 'number(text, null, ".")',
  date: 'date(text)',
  time: 'time(text)',
  'date-time': 'date and time(text)',
  'days-time-duration': 'duration(text)',
  'years-months-duration': 'duration(text)',
};

/** What was probably meant. */
function hintFor(left: StaticType, right: StaticType): string {
  const other = left.kind === 'string' ? right : right.kind === 'string' ? left : null;
  const reader = other === null ? undefined : readers[other.kind];
  if (reader !== undefined) return `; read the string with ${reader}`;
  const kinds = [left.kind, right.kind];
  return kinds.includes('date') && kinds.includes('date-time') ? '; make both the same with date()' : '';
}

export function typeOfBetween(node: Between, checker: Checker): StaticType {
  const value = checker.typeOf(node.value);
  const ends = [checker.typeOf(node.low), checker.typeOf(node.high)];
  const wrong = ends.find((end) => !mayHaveOrder(value, end));
  return wrong === undefined ? booleanType : typeOfOrder(node, value, wrong, checker);
}

/** The ends must be of one kind that has an order. */
export function typeOfRange(node: RangeLiteral, checker: Checker): StaticType {
  const start = node.start === null ? anyType : checker.typeOf(node.start);
  const end = node.end === null ? anyType : checker.typeOf(node.end);
  if (!mayHaveOrder(start, end)) {
    const ends = [...(node.start === null ? [] : [start]), ...(node.end === null ? [] : [end])];
    const message = `a range does not go to ${ends.map(describe).join(' and ')}`;
    return checker.error('SUTRA.FEEL.TYPE_MISMATCH', node, message);
  }
  if (goesDown(node.start, node.end)) {
    checker.warning('SUTRA.FEEL.VALUE_INVALID', node, 'the range ends before it starts, so nothing is in it');
  }
  return {
    kind: 'range',
    element: node.start === null ? end : node.end === null ? start : oneOf(start, end),
  };
}

/** Both ends are of a kind that both may be. */
function oneOf(start: StaticType, end: StaticType): StaticType {
  if (kindsOf(start) === null) return end;
  return kindsOf(end) === null ? start : unionOf([start, end]);
}

function goesDown(start: Expression | null, end: Expression | null): boolean {
  const first = start === null ? undefined : constantOf(start);
  const last = end === null ? undefined : constantOf(end);
  if (first === undefined || last === undefined) return false;
  return isFeelNumber(first) && isFeelNumber(last) && compare(first, last) > 0;
}
