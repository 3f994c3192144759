/** Rows for the tests of the pull surface, seeded set-based, and a view on which statements ran. */
import { randomUUID } from 'node:crypto';
import type { Database, Statement } from '../../../engine/store/database.ts';

export interface Seed {
  readonly count?: number;
  readonly channel?: string;
  readonly deploymentId?: string;
  readonly priority?: number;
  readonly retries?: number;
  readonly contentType?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly policy?: Readonly<Record<string, number | null>>;
  readonly instanceId?: string;
  readonly idempotencyKey?: string;
  /** Relative to the database's clock. */
  readonly visibleInMs?: number;
  readonly deadlineInMs?: number | null;
  readonly isHeld?: boolean;
}

const COLUMNS = `id, deployment_id, tenant, module, version, process_id, channel, instance_id, element_id,
  idempotency_key, expects_answer, retries, policy, priority, deadline, headers, content_type, body, visible_at`;

const VALUES = `
SELECT r.id, $2, 'acme', 'scoring', '1.0.0', 'order', $3, COALESCE($4::uuid, r.instance_id), 'score',
  COALESCE($5, r.id::text), true, $6::integer, $7::jsonb, $8::integer,
  now() + $9::double precision * interval '1 millisecond', $10::jsonb, $11, convert_to($12, 'UTF8'),
  now() + $13::double precision * interval '1 millisecond'`;

function seedValues(seed: Seed, ids: readonly string[]): unknown[] {
  return [
    ids,
    seed.deploymentId ?? 'dep-1',
    seed.channel ?? 'score',
    seed.instanceId ?? null,
    seed.idempotencyKey ?? null,
    seed.retries ?? 3,
    JSON.stringify(seed.policy ?? { lockDurationMs: null, retryTimeoutMs: null }),
    seed.priority ?? 0,
    seed.deadlineInMs ?? null,
    JSON.stringify(seed.headers ?? { trace: 'a' }),
    seed.contentType ?? 'application/json',
    seed.body ?? '{"n":1}',
    seed.visibleInMs ?? 0,
  ];
}

/** Ids in the order in which the tasks are to be served. */
function freshIds(count: number): string[] {
  return Array.from({ length: count }, () => randomUUID()).sort();
}

export async function seedTasks(database: Database, seed: Seed = {}): Promise<string[]> {
  const ids = freshIds(seed.count ?? 1);
  const statement: Statement = {
    name: 'test_seed_tasks',
    text: `INSERT INTO external_task (${COLUMNS}, task_type, held)${VALUES}, $3, $14::boolean
FROM (SELECT id, gen_random_uuid() AS instance_id FROM unnest($1::uuid[]) AS u (id)) AS r`,
  };
  await database.run(statement, [...seedValues(seed, ids), seed.isHeld ?? false]);
  return ids;
}

export async function seedOutbox(database: Database, seed: Seed = {}, transport = 'pull'): Promise<string[]> {
  const ids = freshIds(seed.count ?? 1);
  const statement: Statement = {
    name: 'test_seed_outbox',
    text: `INSERT INTO outbox (${COLUMNS}, transport)${VALUES}, $14
FROM (SELECT id, gen_random_uuid() AS instance_id FROM unnest($1::uuid[]) AS u (id)) AS r`,
  };
  await database.run(statement, [...seedValues(seed, ids), transport]);
  return ids;
}

/** One ad-hoc statement; each text gets a name of its own, because names are prepared once. */
const names = new Map<string, string>();
export function query<Row>(
  database: Database,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const name = names.get(text) ?? `test_${names.size}`;
  names.set(text, name);
  return database.run<Row>({ name, text }, values);
}

/** Row by row: a TRUNCATE of a few small tables takes half a second on the embedded database. */
export async function clearTasks(database: Database): Promise<void> {
  for (const table of ['external_task', 'outbox', 'receipt', 'incident', 'timer']) {
    await query(database, `DELETE FROM ${table}`);
  }
}

export interface CountedDatabase {
  readonly database: Database;
  readonly counts: Map<string, number>;
  /** Resolves after the next statement of that name has answered. */
  readonly next: (name: string) => Promise<void>;
  /** While set, statements of that name reject with it instead of running. */
  failure: { readonly name: string; readonly error: Error } | null;
  /** Called before a statement runs; what it awaits delays the statement. */
  before: ((name: string) => Promise<void>) | null;
}

/** The same database, with a note of each statement that runs outside a transaction. */
export function counted(inner: Database): CountedDatabase {
  const counts = new Map<string, number>();
  const waiters = new Map<string, (() => void)[]>();
  const view: CountedDatabase = {
    counts,
    failure: null,
    before: null,
    next: (name) => new Promise((resolve) => waiters.set(name, [...(waiters.get(name) ?? []), resolve])),
    database: {
      kind: inner.kind,
      poolSize: inner.poolSize,
      statementCount: () => inner.statementCount(),
      commitCount: () => inner.commitCount(),
      knex: inner.knex,
      run: async <Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]> => {
        const { name } = statement;
        counts.set(name, (counts.get(name) ?? 0) + 1);
        await view.before?.(name);
        if (view.failure?.name === name) {
          throw view.failure.error;
        }
        const rows = await inner.run<Row>(statement, values);
        const called = waiters.get(name) ?? [];
        waiters.delete(name);
        setImmediate(() => called.forEach((resolve) => resolve()));
        return rows;
      },
      transaction: (work) => inner.transaction(work),
      notify: (channel, payload) => inner.notify(channel, payload),
      listen: (channel, ring) => inner.listen(channel, ring),
      close: () => inner.close(),
    },
  };
  return view;
}
