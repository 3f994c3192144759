/**
 * `for`, `some` and `every`.
 *
 * I1 Later variables change faster, and see those before them.
 * I2 Where one of the lists to go through is null, the result is.
 * I3 `some` is the `or` of its conditions, `every` the `and`: true, false or null as in logic.ts. They stop where the
 *    rest cannot change it.
 *
 * Source: DMN 1.5, 10.3.2.14 (for), 10.3.2.15, table 49 (some, every).
 */
import type { Expression, For, Iteration, Quantified, Span } from '../ast.ts';
import type { FeelValue } from '../runtime.ts';
import { domainParts, unitsPerElement } from './cost.ts';
import { compileDomain, type Domain } from './domains.ts';
import type { Code, Frame } from './evaluation.ts';
import { NameScope, type Scope } from './scope.ts';
import { describe, warn } from './warnings.ts';

/** The list of the results so far. */
export const PARTIAL = 'partial';

/** One `variable in domain`. */
export interface Level {
  readonly domain: Domain;
  /** What comes after it sees. */
  readonly scope: NameScope;
}

/** What is done for each combination. False: it is enough. */
type Visit = (frame: Frame) => boolean;

/** @param body what is evaluated for each combination of elements */
function compileLevels(iterations: readonly Iteration[], body: Expression, scope: Scope): readonly Level[] {
  const levels: Level[] = [];
  for (const [index, { variable, domain }] of iterations.entries()) {
    const outer = levels.at(-1)?.scope ?? scope;
    const next = iterations[index + 1];
    const units = unitsPerElement(next === undefined ? [body] : domainParts(next));
    levels.push({ domain: compileDomain(domain, outer, units), scope: new NameScope(outer, variable.name) });
  }
  return levels;
}

/** Null: there was a domain that cannot be gone through. False: `visit` had enough. */
function visitAll(levels: readonly Level[], depth: number, frame: Frame, visit: Visit): boolean | null {
  const level = levels[depth];
  if (level === undefined) return true;
  const elements = level.domain(frame);
  if (elements === null) return null;
  const { slot } = level.scope;
  const isInnermost = depth === levels.length - 1;
  for (const element of elements) {
    if (slot !== null) frame.slots[slot] = element;
    const goesOn = isInnermost ? visit(frame) : visitAll(levels, depth + 1, frame, visit);
    if (goesOn !== true) return goesOn;
  }
  return true;
}

/** In the body, `partial` is the list of the results so far, unless a variable of the iteration has that name. */
export function compileFor(node: For, scope: Scope): Code {
  const levels = compileLevels(node.iterations, node.body, scope);
  const innermost = levels.at(-1)?.scope ?? scope;
  const isHidden = node.iterations.some(({ variable }) => variable.name === PARTIAL);
  const partial = isHidden ? null : new NameScope(innermost, PARTIAL, { isGrowing: true });
  const body = (partial ?? innermost).compile(node.body);
  return forEach(levels, body, partial?.slot ?? null);
}

/** The values of the body, for each combination. @param slot of `partial`; null: nobody reads it */
export function forEach(levels: readonly Level[], body: Code, slot: number | null): Code {
  return (frame) => {
    const results: FeelValue[] = [];
    if (slot !== null) frame.slots[slot] = results;
    const isDone = visitAll(levels, 0, frame, () => {
      results.push(body(frame));
      return true;
    });
    if (isDone === null) return null;
    frame.run.meter.makeElements(results.length);
    return results;
  };
}

export function compileQuantified(node: Quantified, scope: Scope): Code {
  const { condition } = node;
  const levels = compileLevels(node.iterations, condition, scope);
  const test = (levels.at(-1)?.scope ?? scope).compile(condition);
  return quantify(levels, { quantifier: node.quantifier, test, condition, isStrict: false });
}

interface Quantification {
  readonly quantifier: Quantified['quantifier'];
  readonly test: Code;
  /** What the test is of. */
  readonly condition: Span;
  /** What is neither true, false nor null makes all of it null, whatever the others are. */
  readonly isStrict: boolean;
}

export function quantify(
  levels: readonly Level[],
  { quantifier, test, condition, isStrict }: Quantification,
): Code {
  const decisive = quantifier === 'some';
  return (frame) => {
    const found: { result: boolean | null; isRefused: boolean } = { result: !decisive, isRefused: false };
    const isDone = visitAll(levels, 0, frame, () => {
      const value = test(frame);
      if (value === decisive) return false;
      if (value === !decisive) return true;
      found.result = noCondition(condition, value, frame);
      found.isRefused = isStrict && value !== null;
      return !found.isRefused;
    });
    if (isDone === null || found.isRefused) return null;
    return isDone ? found.result : decisive;
  };
}

function noCondition(condition: Span, value: FeelValue, frame: Frame): null {
  if (value === null) return null;
  return warn(frame, condition, 'CONDITION', `the condition is ${describe(value)}, neither true nor false`);
}
