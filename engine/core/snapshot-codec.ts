/**
 * Snapshots and their parts as text, for the store.
 *
 * C1 `decodeSnapshot(encodeSnapshot(s))` deep-equals `s` without its parts, and
 *    `decodePart(encodePart(p))` deep-equals `p`, the types of variables included (S1).
 * C2 Equal snapshots have equal text: properties are written in the order of `Snapshot`.
 * C3 A later version of the format is refused, never guessed at.
 */
import { parseWithValues, stringifyWithValues } from '../../definitions/value-codec.ts';
import { InvariantError } from './invariant-error.ts';
import type { Part, Snapshot } from './snapshot.ts';

/** The parts are left out: they have texts of their own. */
export function encodeSnapshot(snapshot: Snapshot): string {
  if (snapshot.parts === undefined) return stringifyWithValues(snapshot);
  const { parts: _, ...main } = snapshot;
  return stringifyWithValues(main);
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
