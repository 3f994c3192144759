/**
 * The first schema.
 *
 * Shape: an instance is one row with its snapshot (not an event log); hot tables (outbox,
 * external_task, timer) are small by construction, their rows are deleted when done. Every hot table
 * can be reached by its instance or its channel alone, so that it could be distributed.
 *
 * Rejected: a claim column with a sweeper (row locks and `visible_at` need none); a `jsonb` snapshot
 * (PostgreSQL would parse and reorder what only we read, and cannot hold `\u0000`); a table of waits
 * (the snapshot holds them; routing needs only the key, which names its instance, and the aliases).
 *
 * Locks: creates tables only; nothing to wait for on an empty database.
 */
export const version = 1;
export const name = '0001-initial';

export const sql = `
CREATE TABLE deployment (
  id            text PRIMARY KEY,
  tenant        text NOT NULL,
  module        text NOT NULL,
  version       text NOT NULL,
  state         text NOT NULL CHECK (state IN ('active', 'draining', 'retired')),
  deployed_at   timestamptz NOT NULL DEFAULT now(),
  -- Since when it starts no more instances. RETIRE_DEPLOYMENTS waits until every replica must know that.
  drained_at    timestamptz,
  retired_at    timestamptz,
  CHECK ((drained_at IS NULL) = (state = 'active'))
);
-- ACTIVATE_DEPLOYMENT: at most one deployment of a module starts instances.
CREATE UNIQUE INDEX deployment_active ON deployment (tenant, module) WHERE state = 'active';

-- The package's bytes, so that every replica can compile it, whoever deployed it.
CREATE TABLE deployment_file (
  deployment_id text NOT NULL REFERENCES deployment (id) ON DELETE CASCADE,
  path          text NOT NULL,
  content       bytea NOT NULL,
  PRIMARY KEY (deployment_id, path)
);

CREATE TABLE instance (
  id              uuid PRIMARY KEY,
  deployment_id   text NOT NULL,
  tenant          text NOT NULL,
  module          text NOT NULL,
  process_id      text NOT NULL,
  status          text NOT NULL CHECK (status IN ('running', 'completed', 'terminated', 'failed')),
  -- The encoded snapshot (engine/core/snapshot-codec.ts). text, not jsonb: see above.
  snapshot        text NOT NULL,
  -- Counts the turns; the history's key, and the guard of every update.
  turn            integer NOT NULL,
  failure_code    text,
  failure_message text,
  failure_element text,
  -- The latest final q:reply, for whoever holds the starting request on any replica.
  reply           jsonb,
  created_at      timestamptz NOT NULL DEFAULT now(),
  updated_at      timestamptz NOT NULL DEFAULT now(),
  ended_at        timestamptz,
  CHECK ((ended_at IS NOT NULL) = (status IN ('completed', 'terminated'))),
  CHECK ((failure_code IS NOT NULL) = (status = 'failed'))
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
-- RETIRE_DEPLOYMENTS, REOPEN_DEPLOYMENTS: has the deployment a live instance?
CREATE INDEX instance_live ON instance (deployment_id) WHERE ended_at IS NULL;
-- PURGE_INSTANCES: ended instances past their retention.
CREATE INDEX instance_ended ON instance (ended_at) WHERE ended_at IS NOT NULL;
-- LIST_INSTANCES of status failed, and the incident count.
CREATE INDEX instance_failed ON instance (id) WHERE status = 'failed';

-- The dedup table. A refused message leaves no row.
CREATE TABLE inbox (
  tenant       text NOT NULL,
  module       text NOT NULL,
  channel      text NOT NULL,
  dedup_key    text NOT NULL,
  instance_id  uuid NOT NULL,
  -- The reply that the message's sender got, once there is one.
  reply        jsonb,
  received_at  timestamptz NOT NULL DEFAULT now(),
  -- FIND_INBOX_ROWS, INSERT_INBOX_ROWS.
  PRIMARY KEY (tenant, module, channel, dedup_key)
);
-- PURGE_INBOX: rows arrive in time order, so a block range index is enough.
CREATE INDEX inbox_received ON inbox USING brin (received_at) WITH (pages_per_range = 32);

CREATE TABLE outbox (
  id               uuid PRIMARY KEY,
  -- The transport that delivers it; the relay claims per transport.
  transport        text NOT NULL,
  deployment_id    text NOT NULL,
  tenant           text NOT NULL,
  module           text NOT NULL,
  version          text NOT NULL,
  channel          text NOT NULL,
  process_id       text NOT NULL,
  instance_id      uuid NOT NULL,
  element_id       text NOT NULL,
  idempotency_key  text NOT NULL,
  headers          jsonb NOT NULL,
  content_type     text NOT NULL,
  body             bytea NOT NULL,
  expects_answer   boolean NOT NULL,
  -- For a transport that parks: the failure budget, the policy as it was, the priority.
  retries          integer NOT NULL CHECK (retries >= 0),
  priority         integer NOT NULL,
  policy           jsonb NOT NULL,
  deadline         timestamptz,
  -- Due when open and visible_at <= now(). A dial in progress, and a backoff, push it forward.
  visible_at       timestamptz NOT NULL DEFAULT now(),
  attempts         integer NOT NULL DEFAULT 0,
  state            text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'poisoned')),
  last_error       text,
  created_at       timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 2000,
        autovacuum_vacuum_cost_delay = 0);
-- CLAIM_OUTBOX, PARK_TASKS, NEXT_OUTBOX_DUE.
CREATE INDEX outbox_due ON outbox (transport, visible_at, id) WHERE state = 'open';
-- WITHDRAW_DELIVERIES, and an instance's own view.
CREATE INDEX outbox_instance ON outbox (instance_id);
-- LIST_DELIVERIES of state poisoned, REQUEUE_DELIVERY, DISCARD_DELIVERY: few rows in a table that may hold many.
CREATE INDEX outbox_poisoned ON outbox (id) WHERE state = 'poisoned';

-- One record under every way to work on a parked task. Fetchable: open, not held, visible_at <= now().
CREATE TABLE external_task (
  id               uuid PRIMARY KEY,
  deployment_id    text NOT NULL,
  tenant           text NOT NULL,
  module           text NOT NULL,
  version          text NOT NULL,
  process_id       text NOT NULL,
  channel          text NOT NULL,
  instance_id      uuid NOT NULL,
  element_id       text NOT NULL,
  -- Stable across all attempts; the key under which the completion re-enters.
  idempotency_key  text NOT NULL,
  expects_answer   boolean NOT NULL,
  -- What kind of work: name and version; and whether repeating it is safe.
  task_type        text NOT NULL,
  task_version     text,
  effect           text NOT NULL DEFAULT 'unknown' CHECK (effect IN ('unknown', 'idempotent', 'once')),
  -- The attempt number: up at every lock. A stale generation can do nothing.
  generation       integer NOT NULL DEFAULT 0,
  lock_owner       text,
  -- SHA-256 of the lock token. The token itself is known to its holder alone.
  lock_token_hash  bytea,
  locked_at        timestamptz,
  -- Lock expiry, retry time and first availability are this one time.
  visible_at       timestamptz NOT NULL DEFAULT now(),
  retries          integer NOT NULL CHECK (retries >= 0),
  policy           jsonb NOT NULL,
  held             boolean NOT NULL DEFAULT false,
  priority         integer NOT NULL DEFAULT 0,
  deadline         timestamptz,
  state            text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'failed')),
  headers          jsonb NOT NULL,
  content_type     text NOT NULL,
  body             bytea NOT NULL,
  last_error       text,
  last_error_details text,
  failed_at        timestamptz,
  created_at       timestamptz NOT NULL DEFAULT now(),
  CHECK ((lock_owner IS NULL) = (lock_token_hash IS NULL)),
  CHECK (state <> 'failed' OR lock_owner IS NULL)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 2000,
        autovacuum_vacuum_cost_delay = 0);
-- FETCH_AND_LOCK, NEXT_VISIBLE_AT; by its first column alone RETIRE_DEPLOYMENTS, REOPEN_DEPLOYMENTS and
-- READ_DEPLOYMENT_LOAD. A held task is not in it: its instance has failed and is live, see instance_live.
CREATE INDEX external_task_fetch ON external_task (deployment_id, channel, priority DESC, visible_at, id)
  WHERE state = 'open' AND NOT held;
-- WITHDRAW_DELIVERIES, HOLD_INSTANCE, and an instance's own view.
CREATE INDEX external_task_instance ON external_task (instance_id);
-- LIST_EXTERNAL_TASKS of state failed.
CREATE INDEX external_task_failed ON external_task (id) WHERE state = 'failed';

-- What was answered to which completion of which attempt, for the dedup window.
CREATE TABLE receipt (
  task_id        uuid NOT NULL,
  generation     integer NOT NULL,
  completion_id  text,
  outcome        text NOT NULL CHECK (outcome IN ('completed', 'failed', 'withdrawn', 'ignored', 'rejected')),
  lock_owner     text,
  -- SHA-256 of content type and body of the completion; null for a withdrawal.
  body_hash      bytea,
  channel        text NOT NULL,
  instance_id    uuid NOT NULL,
  created_at     timestamptz NOT NULL DEFAULT now(),
  -- FIND_RECEIPTS, INSERT_RECEIPTS.
  PRIMARY KEY (task_id, generation)
);
-- PURGE_RECEIPTS.
CREATE INDEX receipt_created ON receipt USING brin (created_at) WITH (pages_per_range = 32);

CREATE TABLE timer (
  instance_id  uuid NOT NULL,
  wait_id      integer NOT NULL,
  element_id   text NOT NULL,
  due_at       timestamptz NOT NULL,
  -- True while the instance is failed: it fires after the repair.
  held         boolean NOT NULL DEFAULT false,
  -- LOCK_TIMERS, DELETE_TIMERS.
  PRIMARY KEY (instance_id, wait_id)
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 2000,
        autovacuum_vacuum_cost_delay = 0);
-- DUE_TIMERS, NEXT_TIMER_DUE.
CREATE INDEX timer_due ON timer (due_at) WHERE NOT held;

CREATE TABLE alias (
  tenant       text NOT NULL,
  module       text NOT NULL,
  name         text NOT NULL,
  value        text NOT NULL,
  instance_id  uuid NOT NULL,
  is_unique    boolean NOT NULL,
  -- FIND_INSTANCES_BY_ALIAS.
  PRIMARY KEY (tenant, module, name, value, instance_id)
);
-- FIND_UNIQUE_CONFLICTS; the last word when two commits race.
CREATE UNIQUE INDEX alias_unique ON alias (tenant, module, name, value) WHERE is_unique;
-- DELETE_ALIASES of ended instances.
CREATE INDEX alias_instance ON alias (instance_id);

-- The journal: one row a turn, written in the turn's own commit.
CREATE TABLE history (
  instance_id  uuid NOT NULL,
  turn         integer NOT NULL,
  at           timestamptz NOT NULL DEFAULT now(),
  entries      jsonb NOT NULL,
  -- READ_HISTORY, PURGE_INSTANCES.
  PRIMARY KEY (instance_id, turn)
);

-- Everything that waits for a person.
CREATE TABLE incident (
  id           uuid PRIMARY KEY,
  kind         text NOT NULL CHECK (kind IN ('instance-failed', 'task-terminal', 'delivery-poisoned')),
  tenant       text NOT NULL,
  module       text NOT NULL,
  instance_id  uuid NOT NULL,
  element_id   text,
  -- The task or the outbox row.
  subject_id   uuid,
  code         text NOT NULL,
  message      text NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  resolved_at  timestamptz
);
-- LIST_INCIDENTS, COUNT_INCIDENTS.
CREATE INDEX incident_open ON incident (kind, id) WHERE resolved_at IS NULL;
-- RESOLVE_INCIDENTS of an instance or a task.
CREATE INDEX incident_instance ON incident (instance_id);
`;
