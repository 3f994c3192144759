/**
 * Signals and the start events that no message reaches.
 *
 * Shape: whoever waits for a signal has a row, and so has every signal start event and every timer start event
 * of an active deployment. A throw copies those who wait into deliveries, in the thrower's own commit; each
 * delivery then goes in the commit of the turn that it becomes. So a throw costs one statement, needs no lock on
 * any instance that waits, and reaches each of them exactly once.
 *
 * Rejected: one row a throw with a list of receivers (every delivery would lock it); the payload in a table of
 * its own (nobody can tell without a lock which delivery is its last; signals are small); start events known to
 * each replica in memory (for the length of a poll two replicas would start different versions); a due time on
 * a delivery (it is due at once; what is busy or fails is put aside by whoever tried it).
 *
 * Locks: creates tables only.
 */
export const version = 3;
export const name = '0003-signals-and-starts';

export const sql = `
-- Which instances wait for which signal. The snapshot is the truth; a turn's commit writes the difference.
CREATE TABLE signal_wait (
  tenant       text NOT NULL,
  name         text NOT NULL,
  instance_id  uuid NOT NULL,
  -- THROW_SIGNALS, INSERT_SIGNAL_WAITS, DELETE_SIGNAL_WAITS.
  PRIMARY KEY (tenant, name, instance_id)
) WITH (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 2000,
        autovacuum_vacuum_cost_delay = 0);

-- Signal start events of active deployments; written by the commit that makes a deployment active, or drain.
CREATE TABLE signal_start (
  tenant          text NOT NULL,
  name            text NOT NULL,
  deployment_id   text NOT NULL REFERENCES deployment (id) ON DELETE CASCADE,
  process_id      text NOT NULL,
  start_event_id  text NOT NULL,
  -- Which of the event's triggers.
  trigger         integer NOT NULL,
  -- THROW_SIGNALS.
  PRIMARY KEY (tenant, name, deployment_id, process_id, start_event_id, trigger)
);

-- A signal on its way to one instance, or to one start event.
CREATE TABLE signal_delivery (
  -- Rises with the throws, so that the signals of one instance are delivered in the order of their throws.
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant          text NOT NULL,
  name            text NOT NULL,
  -- The encoded value (definitions/value-codec.ts). text, not jsonb: nothing but the engine reads it.
  payload         text NOT NULL,
  instance_id     uuid,
  deployment_id   text,
  process_id      text,
  start_event_id  text,
  trigger         integer,
  -- True once it has met a failed instance: it is delivered after the repair.
  held            boolean NOT NULL DEFAULT false,
  created_at      timestamptz NOT NULL DEFAULT now(),
  CHECK (num_nonnulls(deployment_id, process_id, start_event_id, trigger) = CASE WHEN instance_id IS NULL THEN 4 ELSE 0 END),
  CHECK (NOT held OR instance_id IS NOT NULL)
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 2000,
        autovacuum_vacuum_cost_delay = 0);
-- DUE_SIGNAL_DELIVERIES, IS_SIGNAL_DUE.
CREATE INDEX signal_delivery_due ON signal_delivery (id) WHERE NOT held;
-- RELEASE_SIGNAL_DELIVERIES of a repaired instance.
CREATE INDEX signal_delivery_held ON signal_delivery (instance_id) WHERE held;
-- RETIRE_DEPLOYMENTS: is a start of the deployment on its way?
CREATE INDEX signal_delivery_start ON signal_delivery (deployment_id) WHERE deployment_id IS NOT NULL;

-- Timer start events of active deployments; written as signal_start is, and by every firing.
CREATE TABLE start_timer (
  deployment_id   text NOT NULL REFERENCES deployment (id) ON DELETE CASCADE,
  process_id      text NOT NULL,
  start_event_id  text NOT NULL,
  trigger         integer NOT NULL,
  due_at          timestamptz NOT NULL,
  -- How often it fires again after due_at, and how long after; null: without end, and: not at all.
  remaining       bigint CHECK (remaining >= 0),
  interval_ms     double precision CHECK (interval_ms > 0),
  -- LOCK_START_TIMERS, MOVE_START_TIMERS, DELETE_START_TIMERS.
  PRIMARY KEY (deployment_id, process_id, start_event_id, trigger),
  CHECK (remaining IS NULL OR interval_ms IS NOT NULL)
) WITH (fillfactor = 80);
-- DUE_START_TIMERS, NEXT_START_TIMER_DUE.
CREATE INDEX start_timer_due ON start_timer (due_at);
`;
