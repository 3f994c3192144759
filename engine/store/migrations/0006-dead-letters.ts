/**
 * Dead letters, the process of an incident, and history that outlives its instance.
 *
 * Shape: what nobody could process is a row with all that a replay needs, and an incident points to it. A message that
 * comes again under the same key is the same letter. When an instance's row goes before its history does, what is
 * left of it is one narrow row with the time of its end, from which the history's own retention counts.
 *
 * Rejected: poisoned inbox rows (a refused message must leave no dedup key behind); a time on every row of `history`
 * (each turn would pay for an index that one purge needs); foreign keys from incidents (who deletes what an
 * incident is about has the ids at hand).
 *
 * Locks: `incident` is locked for a moment; it holds what waits for people, so checking its rows is short.
 */
export const version = 6;
export const name = '0006-dead-letters';

export const sql = `
-- What could not be processed at all, kept for a person to replay or discard.
CREATE TABLE dead_letter (
  id              uuid PRIMARY KEY,
  -- A message on a channel; a signal, or a timer, that was to start an instance.
  kind            text NOT NULL CHECK (kind IN ('message', 'signal', 'timer')),
  tenant          text NOT NULL,
  module          text NOT NULL,
  -- Of a message.
  channel         text,
  -- Of a message: the key that its sender gave it; null: none.
  message_key     text,
  -- Of a signal.
  signal_name     text,
  -- The start event that a signal or a timer was for.
  deployment_id   text,
  process_id      text,
  start_event_id  text,
  trigger         integer,
  headers         jsonb NOT NULL,
  content_type    text,
  -- Of a message as it came; of a signal its encoded payload (definitions/value-codec.ts).
  body            bytea NOT NULL,
  -- Why it was refused the last time, and how often it was.
  code            text NOT NULL,
  message         text NOT NULL,
  attempts        integer NOT NULL DEFAULT 1 CHECK (attempts >= 1),
  created_at      timestamptz NOT NULL DEFAULT now(),
  updated_at      timestamptz NOT NULL DEFAULT now(),
  CHECK ((kind = 'message') = (channel IS NOT NULL)),
  CHECK ((kind = 'signal') = (signal_name IS NOT NULL)),
  CHECK (message_key IS NULL OR kind = 'message'),
  CHECK (num_nonnulls(deployment_id, process_id, start_event_id, trigger) = CASE WHEN kind = 'message' THEN 0 ELSE 4 END)
);
-- INSERT_DEAD_LETTERS: the same message once more.
CREATE UNIQUE INDEX dead_letter_key ON dead_letter (tenant, module, channel, message_key) WHERE message_key IS NOT NULL;
-- PURGE_DEAD_LETTERS.
CREATE INDEX dead_letter_updated ON dead_letter (updated_at);

-- Instances whose row has gone and whose history is still kept.
CREATE TABLE history_end (
  instance_id  uuid PRIMARY KEY,
  ended_at     timestamptz NOT NULL
);
-- PURGE_HISTORY.
CREATE INDEX history_end_ended ON history_end (ended_at);

ALTER TABLE incident DROP CONSTRAINT incident_kind_check;
ALTER TABLE incident ADD CONSTRAINT incident_kind_check
  CHECK (kind IN ('instance-failed', 'task-terminal', 'delivery-poisoned', 'dead-letter'));
-- A dead letter has no instance.
ALTER TABLE incident ALTER COLUMN instance_id DROP NOT NULL;
ALTER TABLE incident ADD CONSTRAINT incident_instance_check CHECK (instance_id IS NOT NULL OR kind = 'dead-letter');
-- Null: of a dead letter that was a message, or raised before there was this column.
ALTER TABLE incident ADD COLUMN process_id text;
-- RESOLVE_DEAD_LETTER_INCIDENTS.
CREATE INDEX incident_subject ON incident (subject_id) WHERE kind = 'dead-letter' AND resolved_at IS NULL;
`;
