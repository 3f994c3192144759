/**
 * Deployments: the packages' bytes, and which of them start instances, drain, or are retired.
 *
 * At most one deployment of a (tenant, module) is active: the index `deployment_active` is the last word. What
 * an active one starts by itself, on a timer or a signal, is armed and disarmed in the same commits.
 */
import { EngineError } from '../../config/engine-error.ts';
import type { StatementRunner } from '../transport.ts';
import type { StoreCode } from './codes.ts';
import type { Connection, Database, Statement } from './database.ts';
import {
  disarmModule,
  insertSignalStarts,
  insertStartTimers,
  type SignalStartRow,
  type StartTimerRow,
} from './start-timers.ts';

export interface DeploymentFile {
  readonly path: string;
  readonly content: Uint8Array;
}

export interface NewDeployment {
  readonly id: string;
  readonly tenant: string;
  readonly module: string;
  readonly version: string;
  readonly files: readonly DeploymentFile[];
}

export interface LiveDeploymentRow {
  readonly id: string;
  readonly tenant: string;
  readonly module: string;
  readonly version: string;
  readonly state: 'active' | 'draining';
  readonly deployedAt: Date;
}

/** What a deployment starts by itself. */
export interface StartTriggers {
  readonly timers: readonly StartTimerRow[];
  readonly signals: readonly SignalStartRow[];
}

/** The triggers of a deployment that becomes active at `nowMs`, by the database's clock. May throw: nothing is kept. */
export type StartTriggersAt = (nowMs: number) => StartTriggers;

const noTriggers: StartTriggersAt = () => ({ timers: [], signals: [] });

interface IdRow {
  readonly id: string;
}

export const INSERT_DEPLOYMENT: Statement = {
  name: 'insert_deployment',
  text: `
INSERT INTO deployment (id, tenant, module, version, state, drained_at)
VALUES ($1::text, $2::text, $3::text, $4::text, 'draining', now())
ON CONFLICT (id) DO NOTHING
RETURNING id`,
};

export const INSERT_DEPLOYMENT_FILES: Statement = {
  name: 'insert_deployment_files',
  text: `
INSERT INTO deployment_file (deployment_id, path, content)
SELECT $1::text, f.path, f.content
FROM unnest($2::text[], $3::bytea[]) AS f (path, content)`,
};

/**
 * Two deployments of one module that are activated at once take turns. Row locks would not do: neither sees
 * the other's row, which is not committed yet. The number is arbitrary, apart from the migrations' one.
 */
export const LOCK_MODULE: Statement = {
  name: 'lock_module',
  text: `
SELECT pg_advisory_xact_lock(1937077346, hashtext(tenant || chr(31) || module))
FROM deployment
WHERE id = $1::text`,
};

/** Uses `deployment_active`. */
export const DRAIN_OTHER_DEPLOYMENTS: Statement = {
  name: 'drain_other_deployments',
  text: `
UPDATE deployment AS d
SET state = 'draining', drained_at = now()
FROM deployment AS wanted
WHERE wanted.id = $1::text
  AND d.tenant = wanted.tenant AND d.module = wanted.module
  AND d.id <> wanted.id AND d.state = 'active'`,
};

/** `deployed_at` moves only when the deployment becomes active: it says which of two is the newer one. */
export const ACTIVATE_DEPLOYMENT: Statement = {
  name: 'activate_deployment',
  text: `
WITH earlier AS (
  SELECT id, state
  FROM deployment
  WHERE id = $1::text
  FOR UPDATE
)
UPDATE deployment AS d
SET state = 'active', drained_at = NULL, retired_at = NULL,
  deployed_at = CASE WHEN d.state = 'active' THEN d.deployed_at ELSE now() END
FROM earlier
WHERE d.id = earlier.id
RETURNING earlier.state <> 'active' AS "hasChanged",
  (extract(epoch FROM now()) * 1000)::double precision AS "nowMs"`,
};

/**
 * Stores a package and makes it the one that starts instances, in one commit: there is no stored package
 * that was never active. False, and nothing is changed, when this very package is stored already.
 */
export function insertDeployment(
  database: Database,
  deployment: NewDeployment,
  triggersAt: StartTriggersAt = noTriggers,
): Promise<boolean> {
  const { id, tenant, module, version, files } = deployment;
  return database.transaction(async (connection) => {
    const inserted = await connection.run<IdRow>(INSERT_DEPLOYMENT, [id, tenant, module, version]);
    if (inserted.length === 0) return false;
    await connection.run(INSERT_DEPLOYMENT_FILES, [
      id,
      files.map((file) => file.path),
      files.map((file) => file.content),
    ]);
    await activate(connection, id, triggersAt);
    return true;
  });
}

/**
 * Makes a stored deployment, whatever its state, the one that starts instances of its module. One that is active
 * already keeps its timers as they are.
 * @throws SUTRA.STORE.DEPLOYMENT_UNKNOWN
 */
export function activateDeployment(
  database: Database,
  id: string,
  triggersAt: StartTriggersAt = noTriggers,
): Promise<void> {
  return database.transaction((connection) => activate(connection, id, triggersAt));
}

async function activate(connection: Connection, id: string, triggersAt: StartTriggersAt): Promise<void> {
  await connection.run(LOCK_MODULE, [id]);
  await connection.run(DRAIN_OTHER_DEPLOYMENTS, [id]);
  const [activated] = await connection.run<{ hasChanged: boolean; nowMs: number }>(ACTIVATE_DEPLOYMENT, [id]);
  if (activated === undefined) {
    const code: StoreCode = 'SUTRA.STORE.DEPLOYMENT_UNKNOWN';
    throw new EngineError(code, `there is no stored deployment ${id}`, { attributes: { deploymentId: id } });
  }
  if (!activated.hasChanged) return;
  await disarmModule(connection, id);
  const { timers, signals } = triggersAt(activated.nowMs);
  await insertStartTimers(connection, timers);
  await insertSignalStarts(connection, id, signals);
}

export const DRAIN_DEPLOYMENT: Statement = {
  name: 'drain_deployment',
  text: `
UPDATE deployment
SET state = 'draining', drained_at = COALESCE(drained_at, now())
WHERE id = $1::text AND state IN ('active', 'draining')
RETURNING id`,
};

/** It starts no more instances. False when there is no live deployment of this id. */
export function drainDeployment(database: Database, id: string): Promise<boolean> {
  return database.transaction(async (connection) => {
    const drained = await connection.run<IdRow>(DRAIN_DEPLOYMENT, [id]);
    if (drained.length === 0) return false;
    await disarmModule(connection, id);
    return true;
  });
}

/** A scan: there are as many rows as deployments were made. */
export const LIST_LIVE_DEPLOYMENTS: Statement = {
  name: 'list_live_deployments',
  text: `
SELECT id, tenant, module, version, state, deployed_at AS "deployedAt"
FROM deployment
WHERE state IN ('active', 'draining')
ORDER BY deployed_at, id`,
};

/** Active and draining ones, the oldest first. */
export function listLiveDeployments(database: Database): Promise<LiveDeploymentRow[]> {
  return database.run<LiveDeploymentRow>(LIST_LIVE_DEPLOYMENTS, []);
}

export const IS_DEPLOYMENT_KNOWN: Statement = {
  name: 'is_deployment_known',
  text: `
SELECT id
FROM deployment
WHERE id = $1::text`,
};

/** Was this very package ever stored, whatever became of it? */
export async function isDeploymentKnown(database: Database, id: string): Promise<boolean> {
  const found = await database.run<IdRow>(IS_DEPLOYMENT_KNOWN, [id]);
  return found.length === 1;
}

/** Uses the primary key. */
export const READ_DEPLOYMENT_FILES: Statement = {
  name: 'read_deployment_files',
  text: `
SELECT path, content
FROM deployment_file
WHERE deployment_id = $1::text
ORDER BY path COLLATE "C"`,
};

/** The package's files by path; none when there is no such deployment. */
export function readDeploymentFiles(runner: StatementRunner, id: string): Promise<DeploymentFile[]> {
  return runner.run<DeploymentFile>(READ_DEPLOYMENT_FILES, [id]);
}

/**
 * Uses `instance_live` and `external_task_fetch`: the first id from this one on that has a row is this one, or
 * it is not. Asked with `EXISTS`, a planner that expects thousands of rows of each deployment reads the table
 * until it finds one, which for a deployment without any is to its end.
 */
const HAS_LIVE_INSTANCE = `(
    SELECT i.deployment_id
    FROM instance AS i
    WHERE i.deployment_id >= d.id AND i.ended_at IS NULL
    ORDER BY i.deployment_id
    LIMIT 1
  ) IS NOT DISTINCT FROM d.id`;

const HAS_OPEN_TASK = `(
    SELECT t.deployment_id
    FROM external_task AS t
    WHERE t.deployment_id >= d.id AND t.state = 'open' AND NOT t.held
    ORDER BY t.deployment_id
    LIMIT 1
  ) IS NOT DISTINCT FROM d.id`;

/** Uses the primary key of `instance_call`: an instance of another deployment that has called a process of this one. */
const HAS_CALLER = `(
    SELECT c.deployment_id
    FROM instance_call AS c
    WHERE c.deployment_id >= d.id
    ORDER BY c.deployment_id
    LIMIT 1
  ) IS NOT DISTINCT FROM d.id`;

/** Uses `signal_delivery_start`: a start by a signal that was thrown while the deployment was active. */
const HAS_SIGNAL_START = `(
    SELECT s.deployment_id
    FROM signal_delivery AS s
    WHERE s.deployment_id >= d.id
    ORDER BY s.deployment_id
    LIMIT 1
  ) IS NOT DISTINCT FROM d.id`;

/**
 * A failed instance is live (it can be repaired) and keeps its held tasks; a poisoned delivery is an outbox
 * row; a failed task is not an open one. The outbox, small by construction, is read only for a deployment that
 * has nothing else left: it has no index for this question (`OFFSET 0` keeps the planner from joining it).
 */
export const RETIRE_DEPLOYMENTS: Statement = {
  name: 'retire_deployments',
  text: `
UPDATE deployment AS d
SET state = 'retired', retired_at = now()
WHERE d.state = 'draining'
  AND d.drained_at <= now() - $1::double precision * interval '1 millisecond'
  AND NOT ${HAS_LIVE_INSTANCE}
  AND NOT ${HAS_OPEN_TASK}
  AND NOT ${HAS_CALLER}
  AND NOT ${HAS_SIGNAL_START}
  AND NOT EXISTS (SELECT FROM outbox AS o WHERE o.deployment_id = d.id OFFSET 0)
RETURNING d.id`,
};

/**
 * Retires the deployments of which nothing is left and that have drained for at least `drainedForMs`, and
 * answers their ids. Until a replica has heard that a deployment drains, it starts instances on it: the time
 * must be longer than any replica takes to hear of it.
 */
export async function retireDeployments(runner: StatementRunner, drainedForMs: number): Promise<string[]> {
  const retired = await runner.run<IdRow>(RETIRE_DEPLOYMENTS, [drainedForMs]);
  return retired.map((row) => row.id);
}

/** The outbox is read whole, once: asked about each deployment, it would be as often as there are retired ones. */
export const REOPEN_DEPLOYMENTS: Statement = {
  name: 'reopen_deployments',
  text: `
UPDATE deployment AS d
SET state = 'draining', drained_at = now(), retired_at = NULL
WHERE d.state = 'retired'
  AND (${HAS_LIVE_INSTANCE}
    OR ${HAS_OPEN_TASK}
    OR ${HAS_CALLER}
    OR d.id = ANY (ARRAY(SELECT DISTINCT o.deployment_id FROM outbox AS o)))
RETURNING d.id`,
};

/**
 * Drains again what was retired although something of it is there, which would get no more messages and no
 * workers: a replica that heard too late that it drains started an instance on it, or a person gave a task
 * of an ended instance a new budget.
 */
export async function reopenDeployments(runner: StatementRunner): Promise<string[]> {
  const reopened = await runner.run<IdRow>(REOPEN_DEPLOYMENTS, []);
  return reopened.map((row) => row.id);
}
