/**
 * Snapshots and their parts as text, for the store.
 *
 * C1 `decodeSnapshot(encodeSnapshot(s))` deep-equals `s` without its parts, and
 *    `decodePart(encodePart(p))` deep-equals `p`, the types of variables included (S1).
 * C2 Equal snapshots have equal text: properties are written in the order of `Snapshot`.
 * C3 A later version of the format is refused, never guessed at.
 * C4 With a keeper, the text of a snapshot does not grow with its large variables: it names them, and
 *    `restoreValues` puts them back.
 */
import { parseWithValues, stringifyWithValues } from '../../definitions/value-codec.ts';
import type { Context, Value } from '../../definitions/value.ts';
import { InvariantError } from './invariant-error.ts';
import type { Part, Scope, Snapshot } from './snapshot.ts';

/** Characters of its text from which a variable is large. A guess: some times what naming it costs. */
export const LARGE_VALUE_LENGTH = 8_192;

/** Keeps the large variables of a snapshot beside its text. */
export interface ValueKeeper {
  /** The id of a large value that was kept before; null for any other. */
  idOf(value: Value): string | null;
  /** Keeps a large value. Gives its id: the same for equal texts. */
  keep(value: Value, text: string): string;
}

/** A snapshot as its text says it: large variables are null, and named. */
export interface StoredSnapshot extends Omit<Snapshot, 'scopes' | 'parts'> {
  readonly scopes: readonly StoredScope[];
}

interface StoredScope extends Scope {
  /** The ids of large variables by name. */
  readonly largeValues?: Readonly<Record<string, string>>;
}

/** The parts are left out: they have texts of their own. Without a keeper everything is in the text. */
export function encodeSnapshot(snapshot: Snapshot, keeper: ValueKeeper | null = null): string {
  const { parts: _, ...main } = snapshot;
  const { formatVersion, instanceId, deploymentId, processId, status, nextSequence, scopes, ...rest } = main;
  return stringifyWithValues({
    formatVersion,
    instanceId,
    deploymentId,
    processId,
    status,
    nextSequence,
    scopes: keeper === null ? scopes.map(inOrder) : scopes.map((scope) => withoutLarge(scope, keeper)),
    ...rest,
  });
}

function inOrder({ id, parentId, elementId, ownerTokenId, variables, ...rest }: Scope): Scope {
  return { id, parentId, elementId, ownerTokenId, variables, ...rest };
}

/** Looks for large values that are not known only where the text of all others is large. */
function withoutLarge(scope: Scope, keeper: ValueKeeper): StoredScope {
  const known = idsOf(scope.variables, (value) => keeper.idOf(value));
  const others = blank(scope.variables, known);
  const isSmall = stringifyWithValues(others).length < LARGE_VALUE_LENGTH;
  const found = isSmall ? [] : idsOf(others, (value) => keptIfLarge(value, keeper));
  if (known.length + found.length === 0) return inOrder(scope);
  const ids = new Map([...known, ...found]);
  const named = idsOf(scope.variables, (_, name) => ids.get(name) ?? null);
  return {
    ...inOrder({ ...scope, variables: blank(others, found) }),
    largeValues: Object.fromEntries(named),
  };
}

function keptIfLarge(value: Value, keeper: ValueKeeper): string | null {
  const text = stringifyWithValues(value);
  return text.length < LARGE_VALUE_LENGTH ? null : keeper.keep(value, text);
}

type NamedId = readonly [name: string, id: string];

function idsOf(variables: Context, idOf: (value: Value, name: string) => string | null): readonly NamedId[] {
  return Object.entries(variables).flatMap(([name, value]): NamedId[] => {
    const id = idOf(value, name);
    return id === null ? [] : [[name, id]];
  });
}

/** Null in the place of the named ones: where each stands among the others is kept. */
function blank(variables: Context, named: readonly NamedId[]): Context {
  if (named.length === 0) return variables;
  return { ...variables, ...Object.fromEntries(named.map(([name]) => [name, null])) };
}

/** @throws InvariantError when the text is not a snapshot that this version reads */
export function parseSnapshot(text: string): StoredSnapshot {
  const parsed = parseWithValues(text);
  if (!isSnapshot(parsed)) throw new InvariantError('the stored text is not a snapshot of format version 1');
  return parsed;
}

/** The ids of the large variables that the snapshot names, each once. */
export function valueIds({ scopes }: StoredSnapshot): ReadonlySet<string> {
  return new Set(scopes.flatMap(({ largeValues }) => Object.values(largeValues ?? {})));
}

/** Puts the large variables back. @param find gives the value of an id, or throws */
export function restoreValues(stored: StoredSnapshot, find: (id: string) => Value): Snapshot {
  if (stored.scopes.every(({ largeValues }) => largeValues === undefined)) return stored;
  return { ...stored, scopes: stored.scopes.map((scope) => restoreScope(scope, find)) };
}

function restoreScope({ largeValues, ...scope }: StoredScope, find: (id: string) => Value): Scope {
  if (largeValues === undefined) return scope;
  const variables: Context = {
    ...scope.variables,
    ...Object.fromEntries(Object.entries(largeValues).map(([name, id]) => [name, find(id)])),
  };
  return { ...scope, variables };
}

/**
 * @param texts of the large variables that the snapshot names, by id
 * @throws InvariantError when the text is not a snapshot that this version reads, or when one of them is missing
 */
export function decodeSnapshot(text: string, texts: ReadonlyMap<string, string> = new Map()): Snapshot {
  return restoreValues(parseSnapshot(text), (id) => decodeLargeValue(texts.get(id), id));
}

/** @throws InvariantError when there is no text */
export function decodeLargeValue(text: string | undefined, id: string): Value {
  if (text === undefined) throw new InvariantError(`the large value ${id} is not stored`);
  return parseWithValues(text) as Value;
}

export function encodePart(part: Part): string {
  return stringifyWithValues(part);
}

/** @throws InvariantError when the text is not a part */
export function decodePart(text: string): Part {
  const parsed = parseWithValues(text);
  if (!isPart(parsed)) throw new InvariantError('the stored text is not a part of a snapshot');
  return parsed;
}

/** Only what tells our own text from any other: the store gives back what was written. */
function isSnapshot(parsed: unknown): parsed is StoredSnapshot {
  return (
    typeof parsed === 'object' &&
    parsed !== null &&
    'formatVersion' in parsed &&
    parsed.formatVersion === 1 &&
    'scopes' in parsed &&
    Array.isArray(parsed.scopes)
  );
}

function isPart(parsed: unknown): parsed is Part {
  return (
    typeof parsed === 'object' &&
    parsed !== null &&
    'ownerTokenId' in parsed &&
    'scopes' in parsed &&
    Array.isArray(parsed.scopes)
  );
}
