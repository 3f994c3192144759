/** `q:alias`: the author's correlation keys, as canonical text. */
import { isFeelNumber } from '../../definitions/feel/number.ts';
import type { AliasDefinition } from '../../definitions/model.ts';
import { numberLiteral } from '../../definitions/number-literal.ts';
import type { Value } from '../../definitions/value.ts';
import { ElementFailure } from './element-failure.ts';
import { evaluate, kindOf, type Site } from './evaluate.ts';
import type { LiveScope } from './live-state.ts';
import type { AliasValue } from './snapshot.ts';
import type { Step } from './step.ts';

/** Keeps the alias table's index entries (at most 3 bytes a unit) far below PostgreSQL's limit of 2,704 bytes. */
export const MAX_ALIAS_LENGTH = 512;

/** How `AdvanceContext.takenAliases` names an alias. */
export function aliasKeyText({ name, value }: AliasValue): string {
  return JSON.stringify([name, value]);
}

/** With the `u` flag this matches surrogates that are not half of a pair. */
const LONE_SURROGATE = /\p{Surrogate}/u;

export type AliasText =
  | { readonly kind: 'text'; readonly text: string }
  /** Null: there is no key. */
  | { readonly kind: 'none' }
  | { readonly kind: 'invalid'; readonly reason: string };

/**
 * The text under which the value of an alias expression is registered and looked for: a string as it is,
 * a number or boolean as JSON writes it. Whoever evaluates aliases over a message must use this too.
 */
export function aliasText(value: Value): AliasText {
  if (value === null) return { kind: 'none' };
  const text = keyText(value);
  if (text === null) return { kind: 'invalid', reason: `is a ${kindOf(value)}` };
  if (text.length > MAX_ALIAS_LENGTH) {
    return { kind: 'invalid', reason: `has ${text.length} characters, more than ${MAX_ALIAS_LENGTH}` };
  }
  if (text.includes('\0')) return { kind: 'invalid', reason: 'holds a NUL character' };
  if (LONE_SURROGATE.test(text)) return { kind: 'invalid', reason: 'holds half of a surrogate pair' };
  return { kind: 'text', text };
}

/** A key is a string as it is, a number or boolean as JSON writes it. Null: the value is neither. */
export function keyText(value: Value): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  return isFeelNumber(value) ? numberLiteral(value) : null;
}

/**
 * Evaluates the aliases of a node at a token. One that yields null stands for the value that this
 * instance registered last under that name: a wait need not repeat how its key was worked out.
 * @throws ElementFailure for a value that cannot be a key
 */
export function evaluateAliases(
  step: Step,
  site: Site,
  definitions: readonly AliasDefinition[],
): readonly AliasValue[] {
  const values: AliasValue[] = [];
  for (const { name, expression } of definitions) {
    const result = aliasText(evaluate(step, site, expression));
    if (result.kind === 'invalid') {
      throw new ElementFailure(
        'SUTRA.CORE.ALIAS_VALUE_INVALID',
        `the value of the alias ${name} ${result.reason}`,
      );
    }
    const known = result.kind === 'text' ? { name, value: result.text } : registeredLast(step, name);
    if (known !== undefined) values.push(known);
  }
  return values;
}

function registeredLast(step: Step, name: string): AliasValue | undefined {
  return step.aliases.findLast((alias) => alias.name === name);
}

/**
 * Registers what `evaluateAliases` gave, for the process of the scope: each name and value once an instance.
 * @throws ElementFailure for a unique value that the context knows to be another instance's
 */
export function registerAliases(
  step: Step,
  { deploymentId }: LiveScope,
  elementId: string,
  definitions: readonly AliasDefinition[],
  values: readonly AliasValue[],
): void {
  for (const alias of values) {
    const { name, value } = alias;
    if (step.aliases.some((other) => other.name === name && other.value === value)) continue;
    const definition = definitions.find((candidate) => candidate.name === name);
    if (definition === undefined) continue;
    const { isUnique, onConflict } = definition;
    if (isUnique && step.context.takenAliases?.has(aliasKeyText(alias)) === true) {
      throw new ElementFailure(
        'SUTRA.CORE.ALIAS_TAKEN',
        `the alias ${name} is unique and another instance has its value`,
      );
    }
    step.aliases.push({ name, value });
    step.effects.push({ kind: 'aliasSet', deploymentId, name, value, isUnique, onConflict, elementId });
  }
}
