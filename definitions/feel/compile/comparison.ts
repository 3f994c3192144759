/**
 * `=`, `!=`, `<`, `<=`, `>`, `>=` and `between`.
 *
 * C1 Null is equal to null and to nothing else. Values of different types are neither equal nor unequal.
 * C2 Two times, or two dates and times, of which one has a zone and the other has none, are unequal. They have no order.
 * C3 Conditions compare with a number or a text most often: for these one look at the type is enough.
 *
 * Source: DMN 1.5, 10.3.2.15, tables 52 to 55; for C2 the standard's conformance tests (0068).
 */
import type {
  Between,
  Comparison,
  EqualityOperator,
  EqualityTest,
  Expression,
  OrderOperator,
  Span,
} from '../ast.ts';
import { Temporal } from '../../value.ts';
import { equalValues } from '../equality.ts';
import { compareValues, type Order } from '../order.ts';
import type { FeelValue } from '../runtime.ts';
import { constantOf } from './constants.ts';
import type { Code, Frame } from './evaluation.ts';
import { compileInput } from './names.ts';
import type { Scope } from './scope.ts';
import { describe, warn } from './warnings.ts';

export function compileComparison(node: Comparison, scope: Scope): Code {
  const left = scope.compile(node.left);
  const { operator } = node;
  if (operator === '=' || operator === '!=') return compileEquality(node, operator, left, node.right, scope);
  const constant = constantOf(node.right);
  if (typeof constant === 'number') return compareToNumber[operator](left, constant, node);
  return compareAny(operator, left, scope.compile(node.right), node);
}

/** `= 5`: of the input. */
export function compileEqualityTest(node: EqualityTest, scope: Scope): Code {
  const input = compileInput({ kind: 'input', from: node.from, to: node.to }, scope);
  return compileEquality(node, node.operator, input, node.operand, scope);
}

function compileEquality(
  node: Span,
  operator: EqualityOperator,
  left: Code,
  right: Expression,
  scope: Scope,
): Code {
  const constant = constantOf(right);
  const isNegated = operator === '!=';
  if (constant === null) return (frame) => (left(frame) === null) !== isNegated;
  if (typeof constant === 'string') {
    return (frame) => {
      const value = left(frame);
      return typeof value === 'string'
        ? (value === constant) !== isNegated
        : equality(value, constant, isNegated, node, frame);
    };
  }
  if (typeof constant === 'number') {
    return (frame) => {
      const value = left(frame);
      return typeof value === 'number'
        ? (value === constant) !== isNegated
        : equality(value, constant, isNegated, node, frame);
    };
  }
  const code = scope.compile(right);
  return (frame) => equality(left(frame), code(frame), isNegated, node, frame);
}

function equality(
  left: FeelValue,
  right: FeelValue,
  isNegated: boolean,
  node: Span,
  frame: Frame,
): boolean | null {
  const isEqual = areEqual(left, right, frame);
  if (isEqual !== null) return isEqual !== isNegated;
  return warn(frame, node, 'COMPARE', `${describe(left)} and ${describe(right)} cannot be equal`);
}

/** Null: they are of different types, or what is in them is (C1). */
export function areEqual(left: FeelValue, right: FeelValue, frame: Frame): boolean | null {
  const isEqual = equalValues(left, right, frame.run);
  const isZoned = left instanceof Temporal && right instanceof Temporal && left.kind === right.kind;
  return isEqual === null && isZoned ? false : isEqual;
}

const compareToNumber = {
  '<': (left, constant, node) => (frame) => {
    const value = left(frame);
    return typeof value === 'number' ? value < constant : ordered('<', value, constant, node, frame);
  },
  '<=': (left, constant, node) => (frame) => {
    const value = left(frame);
    return typeof value === 'number' ? value <= constant : ordered('<=', value, constant, node, frame);
  },
  '>': (left, constant, node) => (frame) => {
    const value = left(frame);
    return typeof value === 'number' ? value > constant : ordered('>', value, constant, node, frame);
  },
  '>=': (left, constant, node) => (frame) => {
    const value = left(frame);
    return typeof value === 'number' ? value >= constant : ordered('>=', value, constant, node, frame);
  },
} satisfies Record<OrderOperator, (left: Code, constant: number, node: Span) => Code>;

function compareAny(operator: OrderOperator, left: Code, right: Code, node: Span): Code {
  return (frame) => ordered(operator, left(frame), right(frame), node, frame);
}

const holds = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
} satisfies Record<OrderOperator, (order: Order) => boolean>;

/** Null: the two have no order. */
export function ordered(
  operator: OrderOperator,
  left: FeelValue,
  right: FeelValue,
  node: Span,
  frame: Frame,
): boolean | null {
  const order = compareValues(left, right, frame.run);
  if (order !== null) return holds[operator](order);
  return warn(frame, node, 'COMPARE', `${describe(left)} and ${describe(right)} have no order`);
}

/** `low <= value and value <= high`. */
export function compileBetween(node: Between, scope: Scope): Code {
  const value = scope.compile(node.value);
  const low = scope.compile(node.low);
  const high = scope.compile(node.high);
  return (frame) => {
    const between = value(frame);
    const isAbove = ordered('>=', between, low(frame), node, frame);
    const isBelow = ordered('<=', between, high(frame), node, frame);
    return both(isAbove, isBelow);
  };
}

/** `and`, of what is three-valued already. */
export function both(left: boolean | null, right: boolean | null): boolean | null {
  if (left === false || right === false) return false;
  return left === true && right === true ? true : null;
}
