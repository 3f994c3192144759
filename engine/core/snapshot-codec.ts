/**
 * Snapshots and their parts as text, for the store.
 *
 * C1 `decodeSnapshot(encodeSnapshot(s))` deep-equals `s` without its parts, and
 *    `decodePart(encodePart(p))` deep-equals `p`, the types of variables included (S1).
 * C2 Equal snapshots have equal text: properties are written in the order of `Snapshot`.
 * C3 A later version of the format is refused, never guessed at.
 */
import { parseWithValues, stringifyWithValues } from '../../definitions/value-codec.ts';
import type { Context } from '../../definitions/value.ts';
import { InvariantError } from './invariant-error.ts';
import type { Part, Scope, Snapshot } from './snapshot.ts';

/** The parts are left out: they have texts of their own. */
export function encodeSnapshot(snapshot: Snapshot): string {
  const { parts: _, ...main } = snapshot;
  const { formatVersion, instanceId, deploymentId, processId, status, nextSequence, scopes, ...rest } = main;
  const head = stringifyWithValues({
    formatVersion,
    instanceId,
    deploymentId,
    processId,
    status,
    nextSequence,
  });
  return `${head.slice(0, -1)},"scopes":[${scopes.map(scopeText).join(',')}],${stringifyWithValues(rest).slice(1)}`;
}

function scopeText({ id, parentId, elementId, ownerTokenId, variables, ...rest }: Scope): string {
  const head = stringifyWithValues({ id, parentId, elementId, ownerTokenId });
  const tail = stringifyWithValues(rest);
  return `${head.slice(0, -1)},"variables":${variablesText(variables)}${tail === '{}' ? '}' : `,${tail.slice(1)}`}`;
}

/** Texts of variables that are large: most turns leave them as they are, and the very same object. */
const largeTexts = new WeakMap<Context, string>();
/** Characters. Below it, making the text costs less than to look for it. */
const LARGE_TEXT = 4_096;

function variablesText(variables: Context): string {
  const known = largeTexts.get(variables);
  if (known !== undefined) return known;
  const text = stringifyWithValues(variables);
  if (text.length >= LARGE_TEXT) largeTexts.set(variables, text);
  return text;
}

/** @throws InvariantError when the text is not a snapshot that this version reads */
export function decodeSnapshot(text: string): Snapshot {
  const parsed = parseWithValues(text);
  if (!isSnapshot(parsed)) throw new InvariantError('the stored text is not a snapshot of format version 1');
  return parsed;
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
function isSnapshot(parsed: unknown): parsed is Snapshot {
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
