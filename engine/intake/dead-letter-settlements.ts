/** The dead letters of a batch: those that its turns replay, and those that its refused starts become. */
import {
  deadLettersExist,
  deleteDeadLetters,
  insertDeadLetters,
  lockDeadLetters,
  resolveDeadLetterIncidents,
  type DeadLetterKind,
  type DeadLetterWrite,
} from '../store/dead-letters.ts';
import type { StatementRunner } from '../transport.ts';
import type { Settlement } from './turn.ts';

/** The ids that are locked now; those that are locked elsewhere are skipped and put into `lockedElsewhere`. */
export async function lockLetters(
  runner: StatementRunner,
  settlements: readonly Settlement[],
  lockedElsewhere: Set<string>,
): Promise<ReadonlySet<string>> {
  const keys = settlements.flatMap((settles) => (settles.kind === 'deadLetter' ? [settles] : []));
  if (keys.length === 0) return new Set();
  const locked = new Set(await lockDeadLetters(runner, keys));
  const missing = keys.filter(({ id }) => !locked.has(id));
  if (missing.length > 0) {
    for (const id of await deadLettersExist(runner, missing)) lockedElsewhere.add(id);
  }
  return locked;
}

/** A kind for each letter. */
export interface LetterCounts {
  readonly kept: readonly DeadLetterKind[];
  /** There was no room for them. */
  readonly dropped: readonly DeadLetterKind[];
}

/** Sends its statements at once and waits for none. `replayedIds`: locked by this transaction. */
export function writeLetters(
  runner: StatementRunner,
  replayedIds: readonly string[],
  letters: readonly DeadLetterWrite[],
  maxCount: number,
): { readonly writes: readonly Promise<unknown>[]; readonly counts: Promise<LetterCounts> } {
  const writes: Promise<unknown>[] = [];
  if (replayedIds.length > 0) {
    writes.push(
      deleteDeadLetters(runner, replayedIds).then(({ length }) => {
        if (length !== replayedIds.length) throw new Error('a dead letter went under its own lock');
      }),
      resolveDeadLetterIncidents(runner, replayedIds),
    );
  }
  if (letters.length === 0) return { writes, counts: Promise.resolve({ kept: [], dropped: [] }) };
  const counts = insertDeadLetters(runner, letters, maxCount).then((rows) => {
    const keptIds = new Set(rows.map(({ id }) => id));
    const kindsOf = (isKept: boolean): readonly DeadLetterKind[] =>
      letters.filter(({ id }) => keptIds.has(id) === isKept).map(({ kind }) => kind);
    return { kept: kindsOf(true), dropped: kindsOf(false) };
  });
  // Whoever waits for the writes meets the failure there.
  counts.catch(() => undefined);
  return { writes: [...writes, counts], counts };
}
