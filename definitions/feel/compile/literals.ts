/** Literals, lists, contexts and ranges. */
import type { ContextLiteral, Expression, ListLiteral, RangeLiteral } from '../ast.ts';
import { FeelRange, type FeelContext, type FeelValue } from '../runtime.ts';
import { kindOf, type ValueKind } from '../value-kind.ts';
import { constantOf } from './constants.ts';
import { evaluateAll, type Code, type Frame } from './evaluation.ts';
import { NameScope, type Scope } from './scope.ts';
import { describe, warn } from './warnings.ts';

type Literal = Extract<Expression, { readonly kind: 'number' | 'string' | 'boolean' | 'null' | 'at' }>;

export function compileLiteral(node: Literal): Code {
  const value = constantOf(node);
  if (value !== undefined) return () => value;
  return node.kind === 'number'
    ? (frame) => warn(frame, node, 'NUMBER', 'the number is too large')
    : (frame) => warn(frame, node, 'ARGUMENT', 'the text is no date, time or duration');
}

export function compileList(node: ListLiteral, scope: Scope): Code {
  const constant = constantOf(node);
  if (constant !== undefined) return () => constant;
  const items = node.items.map((item) => scope.compile(item));
  return (frame) => evaluateAll(items, frame);
}

/** An entry of a context, compiled. */
export interface EntryCode {
  readonly key: string;
  readonly value: Code;
  /** Null: no later entry names it. */
  readonly slot: number | null;
}

/** An entry sees those before it. */
export function compileContext(node: ContextLiteral, scope: Scope): Code {
  const keys = node.entries.map(({ key }) => key.name);
  const repeated = node.entries.find(({ key }, index) => keys.indexOf(key.name) < index);
  if (repeated !== undefined) {
    const { key } = repeated;
    return (frame) => warn(frame, key, 'PROPERTY', `the context has the key '${key.name}' twice`);
  }
  const scopes: NameScope[] = [];
  const values: Code[] = [];
  for (const { key, value } of node.entries) {
    const inner = scopes.at(-1) ?? scope;
    values.push(inner.compile(value));
    scopes.push(new NameScope(inner, key.name));
  }
  const entries = values.map((value, index): EntryCode => ({
    key: keys[index] ?? '',
    value,
    slot: scopes[index]?.slot ?? null,
  }));
  return (frame) => buildContext(entries, frame);
}

/** In a context's code: each entry sees those before it. */
export function buildContext(entries: readonly EntryCode[], frame: Frame): FeelContext {
  const context: Record<string, FeelValue> = {};
  for (const { key, value: code, slot } of entries) {
    const value = code(frame);
    if (slot !== null) frame.slots[slot] = value;
    if (key === '__proto__') defineProperty(context, key, value);
    else context[key] = value;
  }
  return context;
}

function defineProperty(context: Record<string, FeelValue>, key: string, value: FeelValue): void {
  Object.defineProperty(context, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Kinds of values that have an order. */
const orderedKinds: ReadonlySet<ValueKind> = new Set([
  'number',
  'string',
  'date',
  'time',
  'date-time',
  'days-time-duration',
  'years-months-duration',
]);

/** An end that is written and has no value leaves nothing that could be said of the range. */
export function compileRange(node: RangeLiteral, scope: Scope): Code {
  const { isStartIncluded, isEndIncluded } = node;
  const start = node.start === null ? null : scope.compile(node.start);
  const end = node.end === null ? null : scope.compile(node.end);
  return (frame) => {
    const first = start === null ? null : start(frame);
    const last = end === null ? null : end(frame);
    if (!isBound(first, start) || !isBound(last, end) || !goTogether(first, last)) {
      const ends = [...(start === null ? [] : [describe(first)]), ...(end === null ? [] : [describe(last)])];
      return warn(frame, node, 'OPERAND', `a range does not go to ${ends.join(' and ')}`);
    }
    return new FeelRange(first, isStartIncluded, last, isEndIncluded);
  };
}

function isBound(value: FeelValue, code: Code | null): boolean {
  return code === null || orderedKinds.has(kindOf(value));
}

function goTogether(first: FeelValue, last: FeelValue): boolean {
  return first === null || last === null || kindOf(first) === kindOf(last);
}
