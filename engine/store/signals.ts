/**
 * Signals: who waits for one, what it starts, and the deliveries on their way. BPMN 2.0.2 §10.5.5.
 *
 * D1 A delivery goes in the commit of the turn that it became, so it is delivered once.
 * D2 A throw reaches exactly those whose waits, and those start events whose deployment's activation, were
 *    committed before the statement that throws.
 * D3 A `held` delivery (its instance has failed) is not due until the repair's commit releases it, and goes with the
 *    commit that ends the instance. All of it happens under the instance's row lock, so no release is missed.
 */
import type { StatementRunner } from '../transport.ts';

/** An instance waits for the signal `name` of its tenant, at however many of its waits. */
export interface SignalWait {
  readonly tenant: string;
  readonly name: string;
  readonly instanceId: string;
}

function waitColumns(waits: readonly SignalWait[]): readonly unknown[] {
  return [
    waits.map((wait) => wait.tenant),
    waits.map((wait) => wait.name),
    waits.map((wait) => wait.instanceId),
  ];
}

/** A row that is there already is a bug: only the instance's own turns write it. */
export const INSERT_SIGNAL_WAITS = {
  name: 'insert_signal_waits',
  text: `
INSERT INTO signal_wait (tenant, name, instance_id)
SELECT w.tenant, w.name, w.instance_id
FROM unnest($1::text[], $2::text[], $3::uuid[]) AS w (tenant, name, instance_id)`,
};

export async function insertSignalWaits(
  runner: StatementRunner,
  waits: readonly SignalWait[],
): Promise<void> {
  await runner.run(INSERT_SIGNAL_WAITS, waitColumns(waits));
}

/** Uses `signal_wait_pkey` to find, the row's address to delete. */
export const DELETE_SIGNAL_WAITS = {
  name: 'delete_signal_waits',
  text: `
DELETE FROM signal_wait
WHERE ctid = ANY(ARRAY(
  SELECT found.ctid
  FROM unnest($1::text[], $2::text[], $3::uuid[]) AS w (tenant, name, instance_id)
  CROSS JOIN LATERAL (
    SELECT s.ctid
    FROM signal_wait AS s
    WHERE s.tenant = w.tenant AND s.name = w.name AND s.instance_id = w.instance_id
    OFFSET 0
  ) AS found))
RETURNING instance_id`,
};

/** How many rows went; the caller, whose instance is locked, compares. */
export async function deleteSignalWaits(
  runner: StatementRunner,
  waits: readonly SignalWait[],
): Promise<number> {
  const rows = await runner.run(DELETE_SIGNAL_WAITS, waitColumns(waits));
  return rows.length;
}

export interface ThrownSignal {
  readonly tenant: string;
  readonly name: string;
  /** An encoded value. */
  readonly payload: string;
  /** It has had the signal already; null: thrown from outside. */
  readonly throwerId: string | null;
}

/** To how many instances and to how many start events a throw went. */
export interface SignalReach {
  readonly instances: number;
  readonly starts: number;
}

/** Uses `signal_wait_pkey` and `signal_start_pkey`. In the order of the throws, which becomes that of the ids. */
export const THROW_SIGNALS = {
  name: 'throw_signals',
  text: `
WITH inserted AS (
  INSERT INTO signal_delivery (tenant, name, payload, instance_id, deployment_id, process_id, start_event_id, trigger)
  SELECT t.tenant, t.name, t.payload, r.instance_id, r.deployment_id, r.process_id, r.start_event_id, r.trigger
  FROM unnest($1::text[], $2::text[], $3::text[], $4::uuid[]) WITH ORDINALITY
    AS t (tenant, name, payload, thrower_id, number)
  CROSS JOIN LATERAL (
    SELECT w.instance_id, NULL::text AS deployment_id, NULL::text AS process_id, NULL::text AS start_event_id,
      NULL::integer AS trigger
    FROM signal_wait AS w
    WHERE w.tenant = t.tenant AND w.name = t.name AND w.instance_id IS DISTINCT FROM t.thrower_id
    UNION ALL
    SELECT NULL, s.deployment_id, s.process_id, s.start_event_id, s.trigger
    FROM signal_start AS s
    WHERE s.tenant = t.tenant AND s.name = t.name
  ) AS r
  ORDER BY t.number
  RETURNING instance_id
)
SELECT count(instance_id)::integer AS instances, (count(*) - count(instance_id))::integer AS starts
FROM inserted`,
};

/** One delivery for each who waits, but for the thrower, and one for each signal start event. */
export async function throwSignals(
  runner: StatementRunner,
  signals: readonly ThrownSignal[],
): Promise<SignalReach> {
  const [reach] = await runner.run<SignalReach>(THROW_SIGNALS, [
    signals.map((signal) => signal.tenant),
    signals.map((signal) => signal.name),
    signals.map((signal) => signal.payload),
    signals.map((signal) => signal.throwerId),
  ]);
  return reach ?? { instances: 0, starts: 0 };
}

/**
 * Uses `signal_delivery_due` or the primary key: a held delivery is not to be had. Its payload was read before: it
 * never changes.
 */
export const LOCK_SIGNAL_DELIVERIES = {
  name: 'lock_signal_deliveries',
  text: `
SELECT id
FROM signal_delivery
WHERE id = ANY($1::bigint[]) AND NOT held
FOR UPDATE SKIP LOCKED`,
};

/** The ids that are now locked by this transaction. */
export function lockSignalDeliveries(
  runner: StatementRunner,
  ids: readonly number[],
): Promise<readonly number[]> {
  return runIds(runner, LOCK_SIGNAL_DELIVERIES, ids);
}

/** As above. Tells one that is locked elsewhere (present) from one that is settled or held. */
export const SIGNAL_DELIVERIES_EXIST = {
  name: 'signal_deliveries_exist',
  text: `
SELECT id
FROM signal_delivery
WHERE id = ANY($1::bigint[]) AND NOT held`,
};

export function signalDeliveriesExist(
  runner: StatementRunner,
  ids: readonly number[],
): Promise<readonly number[]> {
  return runIds(runner, SIGNAL_DELIVERIES_EXIST, ids);
}

/** Uses `signal_delivery_pkey`. */
export const DELETE_SIGNAL_DELIVERIES = {
  name: 'delete_signal_deliveries',
  text: `
DELETE FROM signal_delivery
WHERE id = ANY($1::bigint[])
RETURNING id`,
};

/** How many rows went; the caller holds their locks and compares. */
export async function deleteSignalDeliveries(
  runner: StatementRunner,
  ids: readonly number[],
): Promise<number> {
  return (await runIds(runner, DELETE_SIGNAL_DELIVERIES, ids)).length;
}

/** Uses `signal_delivery_pkey`. */
export const HOLD_SIGNAL_DELIVERIES = {
  name: 'hold_signal_deliveries',
  text: `
UPDATE signal_delivery
SET held = true
WHERE id = ANY($1::bigint[])
RETURNING id`,
};

/** For a turn that locked them and found their instance failed, which it has locked too (D3). */
export async function holdSignalDeliveries(runner: StatementRunner, ids: readonly number[]): Promise<number> {
  return (await runIds(runner, HOLD_SIGNAL_DELIVERIES, ids)).length;
}

/** Uses `signal_delivery_held`. */
export const RELEASE_SIGNAL_DELIVERIES = {
  name: 'release_signal_deliveries',
  text: `
UPDATE signal_delivery
SET held = false
WHERE instance_id = ANY($1::uuid[]) AND held
RETURNING id`,
};

/** For a turn that made these instances something else than failed. Answers how many are due again. */
export async function releaseSignalDeliveries(
  runner: StatementRunner,
  instanceIds: readonly string[],
): Promise<number> {
  const rows = await runner.run(RELEASE_SIGNAL_DELIVERIES, [instanceIds]);
  return rows.length;
}

/** Uses `signal_delivery_held`. */
export const DROP_HELD_SIGNAL_DELIVERIES = {
  name: 'drop_held_signal_deliveries',
  text: `
DELETE FROM signal_delivery
WHERE instance_id = ANY($1::uuid[]) AND held`,
};

/** For a turn with which these failed instances have ended. */
export async function dropHeldSignalDeliveries(
  runner: StatementRunner,
  instanceIds: readonly string[],
): Promise<void> {
  await runner.run(DROP_HELD_SIGNAL_DELIVERIES, [instanceIds]);
}

/** One that nobody holds. */
export interface DueSignal {
  readonly id: number;
  readonly tenant: string;
  readonly name: string;
  readonly payload: string;
  readonly target: SignalTarget;
  /** How long ago it was thrown. */
  readonly lagMs: number;
}

export type SignalTarget =
  | { readonly kind: 'instance'; readonly instanceId: string }
  | {
      readonly kind: 'start';
      readonly deploymentId: string;
      readonly module: string;
      readonly processId: string;
      readonly startEventId: string;
      readonly trigger: number;
    };

/**
 * Uses `signal_delivery_due`, from its beginning: every id is above zero. The locks end with the statement: they
 * only keep out what a turn is delivering at this moment. The running sum of bytes bounds what is held in memory;
 * the first row comes whatever its size.
 */
export const DUE_SIGNAL_DELIVERIES = {
  name: 'due_signal_deliveries',
  text: `
SELECT s.id, s.tenant, s.name, s.payload, s.instance_id AS "instanceId", s.deployment_id AS "deploymentId",
  d.module, s.process_id AS "processId", s.start_event_id AS "startEventId", s.trigger,
  (extract(epoch FROM now() - s.created_at) * 1000)::double precision AS "lagMs"
FROM (
  SELECT f.id, f.tenant, f.name, f.payload, f.instance_id, f.deployment_id, f.process_id, f.start_event_id,
    f.trigger, f.created_at, sum(octet_length(f.payload)) OVER (ORDER BY f.id) - octet_length(f.payload) AS bytes_before
  FROM (
    SELECT id, tenant, name, payload, instance_id, deployment_id, process_id, start_event_id, trigger, created_at
    FROM signal_delivery
    WHERE NOT held AND id > 0 AND id <> ALL($1::bigint[])
    ORDER BY id
    LIMIT $2::integer
    FOR UPDATE SKIP LOCKED
  ) AS f
) AS s
LEFT JOIN deployment AS d ON d.id = s.deployment_id
WHERE s.bytes_before < $3::double precision
ORDER BY s.id`,
};

interface DueSignalRow {
  readonly id: number;
  readonly tenant: string;
  readonly name: string;
  readonly payload: string;
  readonly instanceId: string | null;
  readonly deploymentId: string | null;
  readonly module: string | null;
  readonly processId: string | null;
  readonly startEventId: string | null;
  readonly trigger: number | null;
  readonly lagMs: number;
}

/** At most `limit`, and about `maxBytes` of payload, in the order of their throws; none of `away`. */
export async function dueSignalDeliveries(
  runner: StatementRunner,
  away: readonly number[],
  limit: number,
  maxBytes: number,
): Promise<readonly DueSignal[]> {
  const rows = await runner.run<DueSignalRow>(DUE_SIGNAL_DELIVERIES, [away, limit, maxBytes]);
  return rows.map((row) => ({
    id: row.id,
    tenant: row.tenant,
    name: row.name,
    payload: row.payload,
    target: targetOf(row),
    lagMs: row.lagMs,
  }));
}

/** The table's checks say that one of the two is complete. */
function targetOf(row: DueSignalRow): SignalTarget {
  const { instanceId, deploymentId, module, processId, startEventId, trigger } = row;
  if (instanceId !== null) return { kind: 'instance', instanceId };
  return {
    kind: 'start',
    deploymentId: deploymentId ?? '',
    module: module ?? '',
    processId: processId ?? '',
    startEventId: startEventId ?? '',
    trigger: trigger ?? 0,
  };
}

/** Uses `signal_delivery_due`, from its beginning. */
export const IS_SIGNAL_DUE = {
  name: 'is_signal_due',
  text: `
SELECT EXISTS (
  SELECT FROM (
    SELECT FROM signal_delivery WHERE NOT held AND id > 0 ORDER BY id LIMIT 1
  ) AS first
) AS "isDue"`,
};

/** Is there any? Somebody may hold it. */
export async function isSignalDue(runner: StatementRunner): Promise<boolean> {
  const [row] = await runner.run<{ isDue: boolean }>(IS_SIGNAL_DUE, []);
  return row?.isDue === true;
}

async function runIds(
  runner: StatementRunner,
  statement: { readonly name: string; readonly text: string },
  ids: readonly number[],
): Promise<readonly number[]> {
  const rows = await runner.run<{ id: number }>(statement, [ids]);
  return rows.map((row) => row.id);
}
