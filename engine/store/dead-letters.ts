/**
 * Dead letters: what nobody could process, kept for a person.
 *
 * L1 Each letter has one open incident, with the letter's own id, until the letter goes.
 * L2 A letter goes in the commit of the turn that it became, or by a person's decision, or by its retention.
 * L3 What is written of a letter raises its `attempts`: whoever has read it and locks it by both knows that it is
 *    still what was read.
 */
import type { StatementRunner } from '../transport.ts';

export const DEAD_LETTER_KINDS = ['message', 'signal', 'timer'] as const;
export type DeadLetterKind = (typeof DEAD_LETTER_KINDS)[number];

export interface DeadLetterWrite {
  readonly id: string;
  readonly kind: DeadLetterKind;
  readonly tenant: string;
  readonly module: string;
  /** Of a message. */
  readonly channel: string | null;
  readonly messageKey: string | null;
  /** Of a signal. */
  readonly signalName: string | null;
  /** The start event that a signal or a timer was for. */
  readonly start: LetterStart | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string | null;
  readonly body: Uint8Array;
  readonly code: string;
  readonly message: string;
}

export interface LetterStart {
  readonly deploymentId: string;
  readonly processId: string;
  readonly startEventId: string;
  readonly trigger: number;
}

/**
 * Uses `dead_letter_key` and `incident_subject`. Counts no further than the limit. Letters that are there already are
 * brought up to date even when there is no room. A message key may occur once in a call.
 */
export const INSERT_DEAD_LETTERS = {
  name: 'insert_dead_letters',
  text: `
WITH room AS (
  SELECT $17::integer - count(*) AS left_over
  FROM (SELECT FROM dead_letter LIMIT $17::integer) AS counted
), kept AS (
  INSERT INTO dead_letter AS d (id, kind, tenant, module, channel, message_key, signal_name, deployment_id, process_id,
    start_event_id, trigger, headers, content_type, body, code, message)
  SELECT l.id, l.kind, l.tenant, l.module, l.channel, l.message_key, l.signal_name, l.deployment_id, l.process_id,
    l.start_event_id, l.trigger, l.headers, l.content_type, l.body, l.code, l.message
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::text[], $10::text[], $11::integer[], $12::jsonb[], $13::text[], $14::bytea[], $15::text[], $16::text[])
    WITH ORDINALITY AS l (id, kind, tenant, module, channel, message_key, signal_name, deployment_id, process_id,
      start_event_id, trigger, headers, content_type, body, code, message, number)
  WHERE l.number <= (SELECT left_over FROM room)
    OR EXISTS (
      SELECT FROM dead_letter AS e
      WHERE e.tenant = l.tenant AND e.module = l.module AND e.channel = l.channel AND e.message_key = l.message_key
    )
  ON CONFLICT (tenant, module, channel, message_key) WHERE message_key IS NOT NULL
  DO UPDATE SET headers = excluded.headers, content_type = excluded.content_type, body = excluded.body,
    code = excluded.code, message = excluded.message, attempts = d.attempts + 1, updated_at = now()
  RETURNING d.id, d.tenant, d.module, d.process_id, d.start_event_id, d.code, d.message, d.attempts
), raised AS (
  INSERT INTO incident (id, kind, tenant, module, process_id, element_id, subject_id, code, message)
  SELECT k.id, 'dead-letter', k.tenant, k.module, k.process_id, k.start_event_id, k.id, k.code, k.message
  FROM kept AS k
  WHERE k.attempts = 1
), told AS (
  UPDATE incident AS i
  SET code = k.code, message = k.message
  FROM kept AS k
  WHERE k.attempts > 1 AND i.subject_id = k.id AND i.kind = 'dead-letter' AND i.resolved_at IS NULL
)
SELECT id, attempts
FROM kept`,
};

export interface KeptLetter {
  readonly id: string;
  /** 1: it was not there before. */
  readonly attempts: number;
}

/**
 * With their incidents. Answers those that are kept now: fewer than given when there are `maxCount` letters. Commits
 * that run at the same time do not count each other's.
 */
export function insertDeadLetters(
  runner: StatementRunner,
  letters: readonly DeadLetterWrite[],
  maxCount: number,
): Promise<readonly KeptLetter[]> {
  return runner.run<KeptLetter>(INSERT_DEAD_LETTERS, [
    letters.map((letter) => letter.id),
    letters.map((letter) => letter.kind),
    letters.map((letter) => letter.tenant),
    letters.map((letter) => letter.module),
    letters.map((letter) => letter.channel),
    letters.map((letter) => letter.messageKey),
    letters.map((letter) => letter.signalName),
    letters.map((letter) => letter.start?.deploymentId ?? null),
    letters.map((letter) => letter.start?.processId ?? null),
    letters.map((letter) => letter.start?.startEventId ?? null),
    letters.map((letter) => letter.start?.trigger ?? null),
    letters.map((letter) => JSON.stringify(letter.headers)),
    letters.map((letter) => letter.contentType),
    letters.map((letter) => letter.body),
    letters.map((letter) => letter.code),
    letters.map((letter) => letter.message),
    maxCount,
  ]);
}

/** A letter as it was read (L3). */
export interface LetterKey {
  readonly id: string;
  readonly attempts: number;
}

function keyColumns(keys: readonly LetterKey[]): readonly unknown[] {
  return [keys.map((key) => key.id), keys.map((key) => key.attempts)];
}

/** Uses the primary key. */
export const LOCK_DEAD_LETTERS = {
  name: 'lock_dead_letters',
  text: `
SELECT d.id
FROM dead_letter AS d
JOIN unnest($1::uuid[], $2::integer[]) AS k (id, attempts) ON d.id = k.id AND d.attempts = k.attempts
FOR UPDATE OF d SKIP LOCKED`,
};

/** The ids of those that are now locked by this transaction. */
export async function lockDeadLetters(
  runner: StatementRunner,
  keys: readonly LetterKey[],
): Promise<readonly string[]> {
  const rows = await runner.run<{ id: string }>(LOCK_DEAD_LETTERS, keyColumns(keys));
  return rows.map((row) => row.id);
}

/** Uses the primary key. Tells a letter that is locked elsewhere (present) from one that has gone or changed. */
export const DEAD_LETTERS_EXIST = {
  name: 'dead_letters_exist',
  text: `
SELECT d.id
FROM dead_letter AS d
JOIN unnest($1::uuid[], $2::integer[]) AS k (id, attempts) ON d.id = k.id AND d.attempts = k.attempts`,
};

export async function deadLettersExist(
  runner: StatementRunner,
  keys: readonly LetterKey[],
): Promise<readonly string[]> {
  const rows = await runner.run<{ id: string }>(DEAD_LETTERS_EXIST, keyColumns(keys));
  return rows.map((row) => row.id);
}

/** Uses the primary key. */
export const DELETE_DEAD_LETTERS = {
  name: 'delete_dead_letters',
  text: `
DELETE FROM dead_letter
WHERE id = ANY($1::uuid[])
RETURNING id, kind`,
};

/** Those that went. Their incidents are resolved in the same transaction. */
export function deleteDeadLetters(
  runner: StatementRunner,
  ids: readonly string[],
): Promise<readonly { readonly id: string; readonly kind: DeadLetterKind }[]> {
  return runner.run(DELETE_DEAD_LETTERS, [ids]);
}

/** Uses `incident_subject`. */
export const RESOLVE_DEAD_LETTER_INCIDENTS = {
  name: 'resolve_dead_letter_incidents',
  text: `
UPDATE incident
SET resolved_at = now()
WHERE subject_id = ANY($1::uuid[]) AND kind = 'dead-letter' AND resolved_at IS NULL`,
};

export async function resolveDeadLetterIncidents(
  runner: StatementRunner,
  ids: readonly string[],
): Promise<void> {
  await runner.run(RESOLVE_DEAD_LETTER_INCIDENTS, [ids]);
}

/** Uses the primary key and `incident_subject`. */
export const REFUSE_DEAD_LETTER = {
  name: 'refuse_dead_letter',
  text: `
WITH refused AS (
  UPDATE dead_letter
  SET code = $2::text, message = $3::text, attempts = attempts + 1, updated_at = now()
  WHERE id = $1::uuid
  RETURNING id, code, message
), told AS (
  UPDATE incident AS i
  SET code = r.code, message = r.message
  FROM refused AS r
  WHERE i.subject_id = r.id AND i.kind = 'dead-letter' AND i.resolved_at IS NULL
)
SELECT id
FROM refused`,
};

/** After a replay that was refused for good. A letter that has gone meanwhile stays gone. */
export async function refuseDeadLetter(
  runner: StatementRunner,
  id: string,
  { code, message }: { readonly code: string; readonly message: string },
): Promise<void> {
  await runner.run(REFUSE_DEAD_LETTER, [id, code, message]);
}
