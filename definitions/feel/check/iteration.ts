/** `for`, `some` and `every` (compile/iteration.ts, compile/domains.ts). */
import type { For, Iteration, IterationRange, Quantified } from '../ast.ts';
import type { Checker } from './checker.ts';
import { checkCondition } from './conditions.ts';
import { DeclaredNames } from './names.ts';
import {
  anyType,
  describe,
  kindsOf,
  listOf,
  membersOf,
  simple,
  unionOf,
  type StaticType,
} from './static-type.ts';

/** What `partial` is: the results so far. */
const partialType = listOf(anyType);
/** Only these have steps between them. */
const steppedKinds = ['number', 'date'] as const;

export function typeOfFor(node: For, checker: Checker): StaticType {
  const inner = withVariables(node.iterations, checker);
  const isHidden = node.iterations.some(({ variable }) => variable.name === 'partial');
  const body = isHidden
    ? inner
    : inner.within(new DeclaredNames(inner.names, new Map([['partial', partialType]])));
  return listOf(body.typeOf(node.body));
}

export function typeOfQuantified(node: Quantified, checker: Checker): StaticType {
  const inner = withVariables(node.iterations, checker);
  checkCondition(node.condition, `the condition of ${node.quantifier}`, inner);
  return simple('boolean');
}

/** Each variable is known to the domains after it. */
function withVariables(iterations: readonly Iteration[], checker: Checker): Checker {
  const types = new Map<string, StaticType>();
  const inner = checker.within(new DeclaredNames(checker.names, types));
  for (const { variable, domain } of iterations) {
    const type =
      domain.kind === 'iteration-range'
        ? typeOfSteps(domain, inner)
        : unionOf(membersOf(inner.typeOf(domain)).map((member) => elementIn(domain, member, inner)));
    types.set(variable.name, type);
  }
  return inner;
}

/** What is no list is a list of one. */
function elementIn(place: Iteration['domain'], type: StaticType, checker: Checker): StaticType {
  if (type.kind === 'list') return type.element;
  if (type.kind !== 'range') return type;
  return typeOfEnds(place, type.element, type.element, checker);
}

function typeOfSteps(node: IterationRange, checker: Checker): StaticType {
  return typeOfEnds(node, checker.typeOf(node.start), checker.typeOf(node.end), checker);
}

function typeOfEnds(
  place: Iteration['domain'],
  start: StaticType,
  end: StaticType,
  checker: Checker,
): StaticType {
  const [starts, ends] = [kindsOf(start), kindsOf(end)];
  const fitting = steppedKinds.filter(
    (kind) => (starts?.includes(kind) ?? true) && (ends?.includes(kind) ?? true),
  );
  if (fitting.length > 0) return unionOf(fitting.map(simple));
  const message = `there are no steps from ${describe(start)} to ${describe(end)}: only whole numbers and dates have them`;
  return checker.error('SUTRA.FEEL.TYPE_MISMATCH', place, message);
}
