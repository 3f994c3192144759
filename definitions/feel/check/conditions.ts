/** `and`, `or`, `if`, filters, and what must be true or false (compile/logic.ts, compile/filter.ts). */
import {
  childExpressions,
  type Conjunction,
  type Disjunction,
  type Expression,
  type Filter,
  type If,
} from '../ast.ts';
import { constantOf } from '../compile/constants.ts';
import { isFeelNumber, isInteger } from '../number.ts';
import type { Checker } from './checker.ts';
import { isValue } from './comparison.ts';
import { ElementNames } from './names.ts';
import {
  anyType,
  describe,
  elementsOf,
  isSurely,
  listOf,
  mayBe,
  simple,
  unionOf,
  type StaticType,
} from './static-type.ts';

/** An operand that is no boolean leaves the result to the others: `false and 5` is false. */
export function typeOfJunction(node: Conjunction | Disjunction, checker: Checker): StaticType {
  const word = node.kind === 'conjunction' ? 'and' : 'or';
  for (const operand of node.operands) {
    const type = checker.typeOf(operand);
    if (mayBe(type, 'boolean')) continue;
    checker.warning(
      'SUTRA.FEEL.TYPE_MISMATCH',
      operand,
      `'${word}' takes true and false, not ${describe(type)}`,
    );
  }
  return simple('boolean');
}

export function typeOfIf(node: If, checker: Checker): StaticType {
  checkCondition(node.condition, 'the condition of if', checker);
  return unionOf([checker.typeOf(node.consequent), checker.typeOf(node.alternative)]);
}

/** @param what how it is called in a sentence. Gives its type. */
export function checkCondition(condition: Expression, what: string, checker: Checker): StaticType {
  const type = checker.typeOf(condition);
  if (mayBe(type, 'boolean')) {
    warnOfConstant(condition, what, checker);
    return type;
  }
  const message = `${what} is ${describe(type)}, which is never true`;
  return checker.error('SUTRA.FEEL.TYPE_MISMATCH', condition, message);
}

/** What is written as `true` or `false` is meant. */
function warnOfConstant(condition: Expression, what: string, checker: Checker): void {
  if (condition.kind === 'boolean' || isVarying(condition)) return;
  checker.warning(
    'SUTRA.FEEL.CONDITION_CONSTANT',
    condition,
    `${what} names no variable, so it is the same whatever the data`,
  );
}

/** Names of variables, of elements, and of the functions that read the time. Other functions do not vary. */
function isVarying(node: Expression): boolean {
  switch (node.kind) {
    case 'name':
    case 'input':
    case 'equality-test':
      return true;
    case 'invocation':
      return isVaryingCall(node);
    default:
      return childExpressions(node).some(isVarying);
  }
}

const clocks: ReadonlySet<string> = new Set(['now', 'today']);

function isVaryingCall({
  callee,
  arguments: args,
}: Extract<Expression, { readonly kind: 'invocation' }>): boolean {
  if (callee.kind !== 'name' || clocks.has(callee.name)) return true;
  const values = args.kind === 'positional' ? args.values : args.entries.map(({ value }) => value);
  return values.some(isVarying);
}

/** By a number one element, by a boolean those for which it is true. */
export function typeOfFilter(node: Filter, checker: Checker): StaticType {
  const { condition } = node;
  const element = elementsOf(checker.typeOf(node.source));
  const type = checker.within(new ElementNames(checker.names, element)).typeOf(condition);
  if (!mayBe(type, 'boolean', 'number')) {
    const message = `a filter takes a condition or a position, not ${describe(type)}`;
    return checker.error('SUTRA.FEEL.TYPE_MISMATCH', condition, message);
  }
  if (isSurely(type, 'boolean')) {
    warnOfConstant(condition, 'the condition of the filter', checker);
    return listOf(element);
  }
  warnOfPosition(condition, checker);
  if (!isSurely(type, 'number')) return anyType;
  // A position that is null is a condition that does not hold.
  return isValue(condition) ? element : unionOf([element, listOf(element)]);
}

function warnOfPosition(condition: Expression, checker: Checker): void {
  const position = constantOf(condition);
  if (position === undefined || !isFeelNumber(position) || (isInteger(position) && position !== 0)) return;
  const message = 'no element has this position: they are counted from 1, and from the end with -1';
  checker.warning('SUTRA.FEEL.VALUE_INVALID', condition, message);
}
