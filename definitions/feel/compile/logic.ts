/**
 * `and`, `or` and `if`.
 *
 * L1 Null is "unknown": `and` is false when one operand is, whatever the others are, and `or` is true when one is.
 * L2 What is neither true nor false counts as null.
 * L3 Operands are evaluated from the left, and no more of them than it takes.
 *
 * Source: DMN 1.5, 10.3.2.15, tables 49 and 50.
 */
import type { Conjunction, Disjunction, If, Span } from '../ast.ts';
import type { FeelValue } from '../runtime.ts';
import type { Code, Frame } from './evaluation.ts';
import type { Scope } from './scope.ts';
import { describe, warn } from './warnings.ts';

type Junction = Conjunction | Disjunction;

export function compileConjunction(node: Conjunction, scope: Scope): Code {
  const operands = node.operands.map((operand) => scope.compile(operand));
  const [first, second] = operands;
  if (operands.length !== 2 || first === undefined || second === undefined)
    return junction(node, operands, false);
  return (frame) => {
    const left = first(frame);
    if (left === false) return false;
    const right = second(frame);
    if (right === false) return false;
    return left === true && right === true ? true : unknown(node, left === true ? right : left, frame);
  };
}

export function compileDisjunction(node: Disjunction, scope: Scope): Code {
  const operands = node.operands.map((operand) => scope.compile(operand));
  const [first, second] = operands;
  if (operands.length !== 2 || first === undefined || second === undefined)
    return junction(node, operands, true);
  return (frame) => {
    const left = first(frame);
    if (left === true) return true;
    const right = second(frame);
    if (right === true) return true;
    return left === false && right === false ? false : unknown(node, left === false ? right : left, frame);
  };
}

/** @param decisive the truth value that one operand gives to all */
function junction(node: Junction, operands: readonly Code[], decisive: boolean): Code {
  return (frame) => {
    let odd: FeelValue | undefined;
    for (const operand of operands) {
      const value = operand(frame);
      if (value === decisive) return decisive;
      if (value !== !decisive && odd === undefined) odd = value;
    }
    return odd === undefined ? !decisive : unknown(node, odd, frame);
  };
}

function unknown(node: Junction, value: FeelValue, frame: Frame): null {
  if (value === null) return null;
  const word = node.kind === 'conjunction' ? 'and' : 'or';
  return warn(frame, node, 'CONDITION', `'${word}' takes true and false, not ${describe(value)}`);
}

/** What is not true takes `else`. */
export function compileIf(node: If, scope: Scope): Code {
  const { condition } = node;
  const test = scope.compile(condition);
  const consequent = scope.compile(node.consequent);
  const alternative = scope.compile(node.alternative);
  return choose(test, consequent, alternative, condition);
}

/** @param condition what the test is of */
export function choose(test: Code, consequent: Code, alternative: Code, condition: Span): Code {
  return (frame) => {
    const value = test(frame);
    if (value === true) return consequent(frame);
    if (value !== false) {
      warn(
        frame,
        condition,
        'CONDITION',
        `the condition of 'if' is ${describe(value)}, which counts as false`,
      );
    }
    return alternative(frame);
  };
}
