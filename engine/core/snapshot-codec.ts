/**
 * Snapshots as text, for the store.
 *
 * C1 `decodeSnapshot(encodeSnapshot(s))` deep-equals `s`, the types of variables included (S1).
 * C2 Equal snapshots have equal text: properties are written in the order of `Snapshot`.
 * C3 A later version of the format is refused, never guessed at.
 */
import { parseWithValues, stringifyWithValues } from '../../definitions/value-codec.ts';
import { InvariantError } from './invariant-error.ts';
import type { Snapshot } from './snapshot.ts';

export function encodeSnapshot(snapshot: Snapshot): string {
  return stringifyWithValues(snapshot);
}

/** @throws InvariantError when the text is not a snapshot that this version reads */
export function decodeSnapshot(text: string): Snapshot {
  const parsed = parseWithValues(text);
  if (!isSnapshot(parsed)) throw new InvariantError('the stored text is not a snapshot of format version 1');
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
