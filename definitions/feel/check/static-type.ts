/**
 * What is known of a value before anything runs.
 *
 * T1 Null is of every type: a type tells which kind of value there is, if there is one.
 * T2 A type never says too much. What is not known is `any`; what may be of more than MAX_MEMBERS kinds is, too.
 * T3 Types share parts, and none is gone through deeper than its lists: a type may be much larger than the text that has
 *    it.
 */
import type { FeelType } from '../compile/conformance.ts';
import { kindWords } from '../compile/warnings.ts';
import type { Signature } from '../runtime.ts';
import type { ValueKind } from '../value-kind.ts';

type SimpleKind = Exclude<ValueKind, 'list' | 'range' | 'context' | 'function'>;

export type StaticType =
  | { readonly kind: 'any' }
  /** `null` is the type of the literal alone. */
  | { readonly kind: SimpleKind }
  | { readonly kind: 'list' | 'range'; readonly element: StaticType }
  | ContextType
  | FunctionType
  | UnionType;

export interface ContextType {
  readonly kind: 'context';
  readonly entries: ReadonlyMap<string, StaticType>;
  /** Whether there may be entries beside those: `unlikely` where they are allowed, and nobody speaks of them. */
  readonly others: 'impossible' | 'unlikely' | 'possible';
}

export interface FunctionType {
  readonly kind: 'function';
  /** Null: how it is called is not known. */
  readonly signature: Signature | null;
  /** Of the parameters in order; those that are missing are `any`. */
  readonly parameters: readonly StaticType[];
  readonly result: StaticType;
}

/** Anything but a union. */
type Member = Exclude<StaticType, UnionType>;

/** One of several, of different kinds. */
export interface UnionType {
  readonly kind: 'union';
  /** Two or more; none is a union, `any` or null. */
  readonly members: readonly Member[];
}

/** Kinds that one value may be of, before it may be anything (T2). */
const MAX_MEMBERS = 4;
/** Entries of contexts that are put together. Larger ones are any context. */
const MAX_MERGED_ENTRIES = 100;

export const anyType: Member = { kind: 'any' };
export const openContext: ContextType = { kind: 'context', entries: new Map(), others: 'possible' };

export function simple(kind: SimpleKind): StaticType {
  return { kind };
}

export function listOf(element: StaticType): StaticType {
  return { kind: 'list', element };
}

/** The kinds that a value may be of. Null: all. */
export function kindsOf(type: StaticType): readonly ValueKind[] | null {
  switch (type.kind) {
    case 'any':
    case 'null':
      return null;
    case 'union':
      return type.members.flatMap((member) => kindsOf(member) ?? []);
    default:
      return [type.kind];
  }
}

/** Whether a value of the type may be of one of the kinds. */
export function mayBe(type: StaticType, ...kinds: readonly ValueKind[]): boolean {
  return kindsOf(type)?.some((kind) => kinds.includes(kind)) ?? true;
}

/** Whether it is of that kind when it is not null. */
export function isSurely(type: StaticType, kind: ValueKind): boolean {
  return type.kind === kind;
}

/** Its alternatives: of what is no union, itself. */
export function membersOf(type: StaticType): readonly Member[] {
  return type.kind === 'union' ? type.members : [type];
}

/** What a value is that is of one of the types. */
export function unionOf(types: readonly StaticType[]): StaticType {
  const members = new Set(types.flatMap(membersOf));
  const byKind = new Map<ValueKind, Member[]>();
  for (const member of members) {
    if (member.kind === 'any') return anyType;
    if (member.kind === 'null') continue;
    const alike = byKind.get(member.kind);
    if (alike === undefined) byKind.set(member.kind, [member]);
    else alike.push(member);
  }
  if (byKind.size === 0) return types.length === 0 ? anyType : simple('null');
  if (byKind.size > MAX_MEMBERS) return anyType;
  const merged = [...byKind.values()].map(mergedOf);
  const [only] = merged;
  return merged.length === 1 && only !== undefined ? only : { kind: 'union', members: merged };
}

/** Types of one kind made one. */
function mergedOf(types: readonly Member[]): Member {
  const [first = anyType] = types;
  if (types.length === 1) return first;
  switch (first.kind) {
    case 'list':
    case 'range':
      return { kind: first.kind, element: unionOf(types.map(elementOf)) };
    case 'context':
      return mergedContexts(types.filter((type) => type.kind === 'context'));
    case 'function':
      return { kind: 'function', signature: null, parameters: [], result: anyType };
    default:
      return first;
  }
}

/** Of entries that differ nothing is known (T3). One that a context cannot have is null there. */
function mergedContexts(types: readonly ContextType[]): ContextType {
  const names = new Set<string>();
  for (const { entries } of types) {
    for (const name of entries.keys()) {
      names.add(name);
      if (names.size > MAX_MERGED_ENTRIES) return openContext;
    }
  }
  const others = (['possible', 'unlikely'] as const).find((degree) =>
    types.some((type) => type.others === degree),
  );
  const entries = new Map([...names].map((name) => [name, mergedEntry(name, types)]));
  return { kind: 'context', entries, others: others ?? 'impossible' };
}

function mergedEntry(name: string, types: readonly ContextType[]): StaticType {
  let merged: StaticType | null = null;
  for (const { entries, others } of types) {
    const entry = entries.get(name);
    if (entry === undefined && others === 'impossible') continue;
    if (entry === undefined || (merged !== null && !isAlike(merged, entry))) return anyType;
    merged = entry;
  }
  return merged ?? anyType;
}

function isAlike(one: StaticType, other: StaticType): boolean {
  if (one === other) return true;
  const isSimple = !['union', 'list', 'range', 'context', 'function'].includes(one.kind);
  return isSimple && one.kind === other.kind;
}

/** What is in a list or a range. Of anything else nothing is known. */
export function elementOf(type: StaticType): StaticType {
  return type.kind === 'list' || type.kind === 'range' ? type.element : anyType;
}

/** What is gone through one by one: a list's elements; what is no list is a list of one. */
export function elementsOf(type: StaticType): StaticType {
  return unionOf(membersOf(type).map((member) => (member.kind === 'list' ? member.element : member)));
}

/** Declared types share parts as well, and may be in themselves. */
const ofDeclared = new WeakMap<FeelType, StaticType>();

/** A declared type. What has the entries of a context may have others. */
export function staticTypeOf(type: FeelType): StaticType {
  const known = ofDeclared.get(type);
  if (known !== undefined) return known;
  if (type.kind === 'context') return contextTypeOf(type, type.entries);
  // Of a list that is in itself, without a context between, nothing more is known (T3).
  ofDeclared.set(type, anyType);
  const made = plainTypeOf(type);
  ofDeclared.set(type, made);
  return made;
}

function contextTypeOf(type: FeelType, declared: ReadonlyMap<string, FeelType>): ContextType {
  const entries = new Map<string, StaticType>();
  const others = declared.size === 0 ? 'possible' : 'unlikely';
  const made: ContextType = { kind: 'context', entries, others };
  ofDeclared.set(type, made);
  for (const [name, entry] of declared) entries.set(name, staticTypeOf(entry));
  return made;
}

function plainTypeOf(type: Exclude<FeelType, { readonly kind: 'context' }>): StaticType {
  switch (type.kind) {
    case 'list':
    case 'range':
      return { kind: type.kind, element: staticTypeOf(type.element) };
    case 'function':
      return {
        kind: 'function',
        signature: null,
        parameters: type.parameters.map(staticTypeOf),
        result: staticTypeOf(type.result),
      };
    default:
      return { kind: type.kind };
  }
}

const durationKinds: readonly ValueKind[] = ['days-time-duration', 'years-months-duration'];

/** As in "is a number or a string". */
export function describe(type: StaticType): string {
  const kinds = kindsOf(type);
  if (kinds === null) return type.kind === 'null' ? 'null' : 'any value';
  const isAnyDuration = durationKinds.every((kind) => kinds.includes(kind));
  const named = isAnyDuration ? kinds.filter((kind) => !durationKinds.includes(kind)) : kinds;
  const words = named.map(describeKind);
  return (isAnyDuration ? [...words, 'a duration'] : words).join(' or ');
}

export function describeKind(kind: ValueKind): string {
  return kindWords[kind];
}
