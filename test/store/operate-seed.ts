/** Rows for the operators' queries, written as the engine would leave them. */
import { createHash } from 'node:crypto';
import { encodeSnapshot } from '../../engine/core/snapshot-codec.ts';
import type { Snapshot } from '../../engine/core/snapshot.ts';
import type { Context } from '../../definitions/value.ts';
import type { Database } from '../../engine/store/database.ts';

/** Time-ordered, as the engine's ids are. */
export function idOf(kind: number, number: number): string {
  return `018f${String(kind).padStart(4, '0')}-0000-7000-8000-${String(number).padStart(12, '0')}`;
}

export const instanceId = (number: number): string => idOf(1, number);
export const taskId = (number: number): string => idOf(2, number);
export const deliveryId = (number: number): string => idOf(4, number);
export const incidentId = (number: number): string => idOf(3, number);
export const deploymentId = (number: number): string => `dep-${String(number).padStart(24, '0')}`;

const insert = (table: string, row: Readonly<Record<string, unknown>>): { name: string; text: string } => ({
  name: `seed_${table}_${Object.keys(row).join('_')}`.slice(0, 60),
  text: `INSERT INTO ${table} (${Object.keys(row).join(', ')})
         VALUES (${Object.keys(row)
           .map((_, index) => `$${String(index + 1)}`)
           .join(', ')})`,
});

async function seed(
  database: Database,
  table: string,
  row: Readonly<Record<string, unknown>>,
): Promise<void> {
  await database.run(insert(table, row), Object.values(row));
}

export interface SeedInstance {
  readonly number: number;
  readonly status?: Snapshot['status'];
  readonly tenant?: string;
  readonly module?: string;
  readonly processId?: string;
  readonly deployment?: number;
  readonly createdAt?: string;
  readonly snapshot?: Partial<Snapshot>;
  readonly variables?: Context;
}

export async function seedInstance(database: Database, init: SeedInstance): Promise<string> {
  const id = instanceId(init.number);
  const status = init.status ?? 'running';
  const processId = init.processId ?? 'order';
  const deployment = deploymentId(init.deployment ?? 1);
  const snapshot: Snapshot = {
    formatVersion: 1,
    instanceId: id,
    deploymentId: deployment,
    processId,
    status,
    nextSequence: 10,
    scopes: [
      { id: 0, parentId: null, elementId: processId, ownerTokenId: null, variables: init.variables ?? {} },
    ],
    tokens: [],
    waits: [],
    aliases: [],
    replyTo: null,
    failure: null,
    ...init.snapshot,
  };
  const createdAt = init.createdAt ?? '2026-03-01T10:00:00.000Z';
  await seed(database, 'instance', {
    id,
    deployment_id: deployment,
    tenant: init.tenant ?? 'acme',
    module: init.module ?? 'shop',
    process_id: processId,
    status,
    snapshot: encodeSnapshot(snapshot),
    turn: 1,
    failure_code: status === 'failed' ? 'SUTRA.FEEL.EVALUATION_FAILED' : null,
    failure_message: status === 'failed' ? 'the expression failed' : null,
    failure_element: status === 'failed' ? 'score' : null,
    created_at: createdAt,
    updated_at: createdAt,
    ended_at: status === 'completed' || status === 'terminated' ? createdAt : null,
  });
  return id;
}

export interface SeedTask {
  readonly number: number;
  readonly instance?: number;
  readonly channel?: string;
  readonly deployment?: number;
  readonly state?: 'open' | 'failed';
  /** Seconds from now until the lock expires; negative: it has expired. Absent: never locked. */
  readonly lockSeconds?: number;
  readonly contentType?: string;
  readonly body?: string | Uint8Array;
}

export async function seedTask(database: Database, init: SeedTask): Promise<string> {
  const id = taskId(init.number);
  const { lockSeconds } = init;
  const now = Date.now();
  await seed(database, 'external_task', {
    id,
    deployment_id: deploymentId(init.deployment ?? 1),
    tenant: 'acme',
    module: 'shop',
    version: '1.0.0',
    process_id: 'order',
    channel: init.channel ?? 'score-request',
    instance_id: instanceId(init.instance ?? 1),
    element_id: 'score',
    idempotency_key: `key-${String(init.number)}`,
    expects_answer: true,
    task_type: init.channel ?? 'score-request',
    generation: lockSeconds === undefined ? 0 : 1,
    lock_owner: lockSeconds === undefined ? null : 'worker-1',
    lock_token_hash: lockSeconds === undefined ? null : createHash('sha256').update('the-secret').digest(),
    locked_at: lockSeconds === undefined ? null : new Date(now),
    visible_at: new Date(now + (lockSeconds ?? 0) * 1000),
    retries: init.state === 'failed' ? 0 : 3,
    policy: '{}',
    state: init.state ?? 'open',
    headers: '{"x-trace":"1"}',
    content_type: init.contentType ?? 'application/json',
    body:
      typeof init.body === 'string' || init.body === undefined
        ? Buffer.from(init.body ?? '{"amount":1}')
        : init.body,
    last_error: init.state === 'failed' ? 'downstream 500' : null,
    failed_at: init.state === 'failed' ? new Date(now) : null,
    created_at: new Date(now - 1_000),
  });
  return id;
}

export async function seedIncident(
  database: Database,
  init: { number: number; kind?: string; instance?: number; isResolved?: boolean; tenant?: string },
): Promise<void> {
  await seed(database, 'incident', {
    id: incidentId(init.number),
    kind: init.kind ?? 'instance-failed',
    tenant: init.tenant ?? 'acme',
    module: 'shop',
    instance_id: instanceId(init.instance ?? 1),
    element_id: 'score',
    subject_id: null,
    code: 'SUTRA.FEEL.EVALUATION_FAILED',
    message: 'the expression failed',
    resolved_at: init.isResolved === true ? new Date() : null,
  });
}

export async function seedDeployment(
  database: Database,
  init: { number: number; state?: string; module?: string; deployedAt?: string },
): Promise<void> {
  await seed(database, 'deployment', {
    id: deploymentId(init.number),
    tenant: 'acme',
    module: init.module ?? 'shop',
    version: `${String(init.number)}.0.0`,
    state: init.state ?? 'draining',
    deployed_at: init.deployedAt ?? '2026-03-01T10:00:00.000Z',
    drained_at: init.state === 'active' ? null : '2026-03-01T11:00:00.000Z',
    retired_at: init.state === 'retired' ? '2026-03-02T10:00:00.000Z' : null,
  });
}

export async function seedHistory(
  database: Database,
  init: { instance?: number; turn: number; at: string; entries: readonly unknown[] },
): Promise<void> {
  await seed(database, 'history', {
    instance_id: instanceId(init.instance ?? 1),
    turn: init.turn,
    at: init.at,
    entries: JSON.stringify(init.entries),
  });
}

export async function seedAlias(
  database: Database,
  init: { instance: number; name: string; value: string; module?: string },
): Promise<void> {
  await seed(database, 'alias', {
    tenant: 'acme',
    module: init.module ?? 'shop',
    name: init.name,
    value: init.value,
    instance_id: instanceId(init.instance),
    is_unique: false,
  });
}

export async function seedOutbox(
  database: Database,
  init: { number: number; instance: number; state?: string; channel?: string },
): Promise<void> {
  await seed(database, 'outbox', {
    id: deliveryId(init.number),
    transport: 'http',
    deployment_id: deploymentId(1),
    tenant: 'acme',
    module: 'shop',
    version: '1.0.0',
    channel: init.channel ?? 'notify',
    process_id: 'order',
    instance_id: instanceId(init.instance),
    element_id: 'send',
    idempotency_key: `out-${String(init.number)}`,
    headers: '{}',
    content_type: 'application/json',
    body: Buffer.from('{}'),
    expects_answer: false,
    retries: 3,
    priority: 0,
    policy: '{}',
    attempts: 2,
    state: init.state ?? 'open',
    last_error: 'the peer answered 500',
  });
}
