/** Boxed conditionals, filters and iterations. Source: DMN 1.4, 7.3.10 to 7.3.14. */
import { unitsPerElement } from '../feel/compile/cost.ts';
import { elementsOf } from '../feel/compile/domains.ts';
import { filtering } from '../feel/compile/filter.ts';
import { forEach, PARTIAL, quantify, type Level } from '../feel/compile/iteration.ts';
import { choose } from '../feel/compile/logic.ts';
import { ElementScope, NameScope } from '../feel/compile/scope.ts';
import type { BoxedScope, Compiled } from './compile-scope.ts';
import { inText } from './compile-text.ts';
import { textAt } from './decision-run.ts';
import { commonItem, namesOnly } from './inferred-type.ts';
import { anyItem, listItem, type ItemType } from './item-types.ts';
import type { BoxedConditional, BoxedFilter, BoxedIteration, Variable } from './model.ts';

/** What is done for each element, besides the expression that pays for itself. */
const ELEMENT_UNITS = unitsPerElement([]);
/** What each of these takes of the stack besides what is in it. */
const OWN_HEIGHT = 6;
const OWN_UNITS = 5;
/** Of a text that is but a place. */
const start = { from: 0, to: 0 };

export function compileConditional(node: BoxedConditional, scope: BoxedScope): Compiled {
  const condition = scope.compile(node.condition);
  const consequent = scope.compile(node.consequent);
  const alternative = scope.compile(node.alternative);
  const code = choose(condition.code, consequent.code, alternative.code, start);
  return {
    code: inText(textAt(node.condition.place), OWN_UNITS, code),
    type: commonItem([consequent.type, alternative.type]),
    height: OWN_HEIGHT + Math.max(condition.height, consequent.height, alternative.height),
  };
}

export function compileFilter(node: BoxedFilter, scope: BoxedScope): Compiled {
  const source = scope.compile(node.source);
  const elementScope = new ElementScope(scope.scope);
  const element = elementOf(source.type);
  const properties = element.shape.kind === 'context' ? element.shape.entries : [];
  const inner = scope.filtering(elementScope, new Map([...properties, ['item', element]]));
  const condition = inner.compile(node.condition);
  const code = filtering({
    source: source.code,
    sourcePlace: start,
    test: condition.code,
    testPlace: start,
    slot: elementScope.slot,
    units: ELEMENT_UNITS,
    isTruth: condition.type.feelType.kind === 'boolean',
  });
  return {
    code: inText(textAt(node.place), OWN_UNITS, code),
    // One element, when the condition turns out to be a number.
    type: namesOnly(source.type),
    height: OWN_HEIGHT + Math.max(source.height, condition.height),
  };
}

/** What the elements are of. */
function elementOf(type: ItemType): ItemType {
  return type.shape.kind === 'list' ? type.shape.element : namesOnly(type);
}

export function compileFor(node: BoxedIteration, scope: BoxedScope): Compiled {
  const { domain, level, inner } = compileDomain(node, scope);
  const isHidden = node.variable.name === PARTIAL;
  const partial = isHidden ? null : new NameScope(inner.scope, PARTIAL, { isGrowing: true });
  const bodyScope =
    partial === null ? inner : inner.declaring(partial, new Map([[PARTIAL, listItem(anyItem)]]));
  const body = bodyScope.compile(node.body);
  const code = forEach([level], body.code, partial?.slot ?? null);
  return {
    code: inText(textAt(node.place), OWN_UNITS, code),
    type: listItem(body.type),
    height: OWN_HEIGHT + Math.max(domain.height, body.height),
  };
}

/** Strict, as the standard's conformance tests have it (1153, 1154). */
export function compileQuantified(
  node: BoxedIteration,
  quantifier: 'some' | 'every',
  scope: BoxedScope,
): Compiled {
  const { domain, level, inner } = compileDomain(node, scope);
  const body = inner.compile(node.body);
  const code = quantify([level], { quantifier, test: body.code, condition: start, isStrict: true });
  return {
    code: inText(textAt(node.place), OWN_UNITS, code),
    type: { ...anyItem, name: 'boolean', feelType: { kind: 'boolean' } },
    height: OWN_HEIGHT + Math.max(domain.height, body.height),
  };
}

interface Domain {
  readonly domain: Compiled;
  readonly level: Level;
  /** Where the variable is known. */
  readonly inner: BoxedScope;
}

function compileDomain(node: BoxedIteration, scope: BoxedScope): Domain {
  const domain = scope.compile(node.domain);
  const variableScope = new NameScope(scope.scope, node.variable.name);
  const level: Level = {
    domain: (frame) => elementsOf(domain.code(frame), start, ELEMENT_UNITS, frame),
    scope: variableScope,
  };
  const element = typeOfVariable(node.variable, domain.type, scope);
  return { domain, level, inner: scope.declaring(variableScope, new Map([[node.variable.name, element]])) };
}

function typeOfVariable({ type }: Variable, domain: ItemType, scope: BoxedScope): ItemType {
  if (type === null) return elementOf(domain);
  // The elements are not looked at for it: it is there for the names inside.
  return namesOnly(scope.typeOf(type));
}
