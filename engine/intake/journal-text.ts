/**
 * The entries of a turn as its history row has them.
 *
 * J1 Whatever an audited payload holds, the row can be written: the commit never fails for its sake.
 */
import { toPlainJson } from '../../definitions/plain-json.ts';
import type { JournalEntry } from './instance-work.ts';

/** Of all payloads of a turn together, in bytes: a row holds far more, but a turn may send ten thousand. A guess. */
const MAX_TURN_BYTES = 4 * 1024 * 1024;

/** @param maxPayloadBytes of a larger payload only the size is said */
export function journalText(entries: readonly JournalEntry[], maxPayloadBytes: number): string {
  if (entries.every(({ payload }) => payload === undefined)) return JSON.stringify(entries);
  let left = MAX_TURN_BYTES;
  const written = entries.map(({ event, elementId, detail, payload }) => {
    if (payload === undefined) return { event, elementId, detail };
    const text = toPlainJson(payload);
    const bytes = Buffer.byteLength(text);
    if (bytes > Math.min(left, maxPayloadBytes) || UNSTORABLE.test(text)) {
      return { event, elementId, detail: { ...detail, payload: { omitted: bytes } } };
    }
    left -= bytes;
    return { event, elementId, detail: { ...detail, payload } };
  });
  return toPlainJson(written);
}

/** What `jsonb` does not take: a NUL, and half of a surrogate pair, which JSON writes as an escape. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/;
