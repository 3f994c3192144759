/**
 * The large database: a few real instances, multiplied by set-based statements into what a year of work would have left
 * waiting. Rows are copied with all their columns, and only what makes them another instance's is changed, so that
 * they are what the engine writes, whatever its schema.
 *
 * Ids are UUIDs of version 7 that rise with the rows' times, which are spread over the last days: within every
 * retention, so that no sweep takes them away while the bench runs.
 */
import type pg from 'pg';
import { withClient, type MeasuredEngine, type OwnDatabase } from '../engine-process.ts';
import { BACKLOG, BACKLOG_WIDTH, SMALL, WAITING } from './packages.ts';
import { HttpClient } from '../http-client.ts';

export interface SeedSizes {
  readonly tasks: number;
  readonly instances: number;
  readonly inboxRows: number;
}

/** Of the backlog that the large one is compared with. */
const SMALL_TASKS = 1_000;
const SPAN_DAYS = 5;
const INBOX_CHUNK = 250_000;

/** Idempotency key and order id of what is multiplied: this text becomes another one in every copy. */
const TEMPLATE_KEY = 'growth-template';

/** Columns of a table that a copy has of its own, as expressions over `seed` (n, id, key, at) and the copied row `t`. */
type Changes = Readonly<Record<string, string>>;

/** Some tasks of each sort that a backlog has: urgent, put off after a failure, locked. The others are to be fetched. */
const TASK_CHANGES: Changes = {
  id: "pg_temp.id_at(seed.at, 'task' || seed.n || t.element_id)",
  instance_id: 'seed.id',
  idempotency_key: 'replace(t.idempotency_key, t.instance_id::text, seed.id::text)',
  created_at: 'seed.at',
  visible_at: `CASE seed.n % 100
    WHEN 1 THEN now() + interval '1 day'
    WHEN 2 THEN now() + interval '12 hours'
    ELSE seed.at END`,
  priority: 'CASE WHEN seed.n % 20 = 4 THEN 5 ELSE t.priority END',
  generation: 'CASE WHEN seed.n % 100 IN (1, 2) THEN 1 ELSE t.generation END',
  retries: 'CASE WHEN seed.n % 100 = 1 THEN t.retries - 1 ELSE t.retries END',
  last_error: "CASE WHEN seed.n % 100 = 1 THEN 'the scorer was not reachable' END",
  lock_owner: "CASE WHEN seed.n % 100 = 2 THEN 'growth-seed' END",
  lock_token_hash: 'CASE WHEN seed.n % 100 = 2 THEN sha256(seed.key::bytea) END',
  locked_at: 'CASE WHEN seed.n % 100 = 2 THEN now() END',
};

const OWN_TEXT = (column: string): string =>
  `replace(replace(t.${column}, t.id::text, seed.id::text), '${TEMPLATE_KEY}', seed.key)`;

const COPIED: readonly { readonly table: string; readonly owner: string; readonly changes: Changes }[] = [
  {
    table: 'instance',
    owner: 'id',
    changes: { id: 'seed.id', snapshot: OWN_TEXT('snapshot'), created_at: 'seed.at', updated_at: 'seed.at' },
  },
  { table: 'external_task', owner: 'instance_id', changes: TASK_CHANGES },
  {
    table: 'history',
    owner: 'instance_id',
    changes: {
      instance_id: 'seed.id',
      at: 'seed.at',
      entries: `replace(replace(t.entries::text, t.instance_id::text, seed.id::text), '${TEMPLATE_KEY}', seed.key)::jsonb`,
    },
  },
  {
    table: 'inbox',
    owner: 'instance_id',
    changes: { instance_id: 'seed.id', dedup_key: 'seed.key', received_at: 'seed.at' },
  },
  { table: 'alias', owner: 'instance_id', changes: { instance_id: 'seed.id', value: 'seed.key' } },
];

/** @returns the business key of a seeded instance that waits for a message, and the dedup key of a seeded message */
export async function seed(
  database: OwnDatabase,
  engine: MeasuredEngine,
  sizes: SeedSizes,
): Promise<{ readonly waitingKey: string; readonly seenKey: string }> {
  const [backlog, small, waiting] = await sendTemplates(engine);
  const backlogCount = Math.ceil(sizes.tasks / BACKLOG_WIDTH);
  return withClient(database.url, async (client) => {
    await client.query('SET synchronous_commit = off');
    await client.query(ID_AT);
    await multiply(client, backlog, 'backlog', backlogCount);
    await multiply(client, small, 'small', SMALL_TASKS / BACKLOG_WIDTH);
    // However wide the backlog's instances are: some wait for messages.
    await multiply(
      client,
      waiting,
      'waiting',
      Math.max(sizes.instances - backlogCount, Math.ceil(sizes.instances / 10)),
    );
    await fillInbox(client, sizes.inboxRows);
    const { rows } = await client.query<{ waiting: string; seen: string }>(
      `SELECT (SELECT value FROM alias WHERE value <> '${TEMPLATE_KEY}' LIMIT 1) AS waiting,
        (SELECT dedup_key FROM inbox WHERE channel = 'orders' LIMIT 1) AS seen`,
    );
    return { waitingKey: rows[0]?.waiting ?? '', seenKey: rows[0]?.seen ?? '' };
  });
}

/** The ids of one instance of each process. */
async function sendTemplates({ url }: MeasuredEngine): Promise<[string, string, string]> {
  const client = new HttpClient(url, 1);
  const body = JSON.stringify({ orderId: TEMPLATE_KEY, amount: 129.5, country: 'DE', note: 'x'.repeat(232) });
  const send = async (path: string): Promise<string> => {
    const { status, text } = await client.post(path, body, { 'idempotency-key': TEMPLATE_KEY });
    if (status !== 202) throw new Error(`${path} was answered ${String(status)}: ${text}`);
    return (JSON.parse(text) as { readonly instanceId: string }).instanceId;
  };
  const ids = [await send(BACKLOG.path), await send(SMALL.path), await send(WAITING.path)] as const;
  client.close();
  return [...ids];
}

/** Version 7: milliseconds, then bits that look random and are the same for the same text. */
const ID_AT = `
CREATE FUNCTION pg_temp.id_at(at timestamptz, text text) RETURNS uuid LANGUAGE sql AS $$
  SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || substr(md5(text), 1, 3)
    || 'a' || substr(md5(text), 4, 15))::uuid
$$`;

async function multiply(client: pg.Client, instanceId: string, label: string, count: number): Promise<void> {
  await client.query(`
    CREATE TEMP TABLE seed AS
    SELECT n, pg_temp.id_at(at, '${label}' || n) AS id, md5('${label}-key' || n)::uuid::text AS key, at
    FROM generate_series(1, ${String(count)}) AS n
    CROSS JOIN LATERAL (
      SELECT now() - interval '${String(SPAN_DAYS)} days' * (1 - n / ${String(count)}::double precision) AS at
    ) AS spread
    ORDER BY n`);
  for (const { table, owner, changes } of COPIED) await copy(client, instanceId, table, owner, changes);
  await client.query('DROP TABLE seed');
}

async function copy(
  client: pg.Client,
  instanceId: string,
  table: string,
  owner: string,
  changes: Changes,
): Promise<void> {
  const found = await client.query<{ name: string }>(
    'SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped',
    [table],
  );
  const columns = found.rows.map(({ name }) => name);
  const missing = Object.keys(changes).filter((column) => !columns.includes(column));
  if (missing.length > 0)
    throw new Error(`${table} has no column ${missing.join(', ')}; growth/seed.ts is out of date`);
  await client.query(
    `INSERT INTO ${table} (${columns.join(', ')})
     SELECT ${columns.map((column) => changes[column] ?? `t.${column}`).join(', ')}
     FROM seed
     CROSS JOIN (SELECT * FROM ${table} WHERE ${owner} = '${instanceId}') AS t
     ORDER BY seed.n`,
  );
}

/**
 * Four of five rows are those of completions, whose keys rise with the time as the instances' ids do; one is that of a
 * message with a random key of its sender's. Both are on the channels that are measured.
 */
async function fillInbox(client: pg.Client, count: number): Promise<void> {
  const { rows } = await client.query<{ count: string }>('SELECT count(*) FROM inbox');
  for (let from = Number(rows[0]?.count); from < count; from += INBOX_CHUNK) {
    const to = Math.min(from + INBOX_CHUNK, count);
    await client.query(
      `INSERT INTO inbox (tenant, module, channel, dedup_key, instance_id, received_at)
       SELECT 'bench', 'growth',
         CASE WHEN n % 5 = 0 THEN 'orders' ELSE 'bench-score' END,
         CASE WHEN n % 5 = 0 THEN md5('inbox' || n)::uuid::text ELSE id || ':call-3' END,
         id, at
       FROM (
         SELECT n, at, pg_temp.id_at(at, 'inbox' || n) AS id
         FROM generate_series(${String(from + 1)}, ${String(to)}) AS n
         CROSS JOIN LATERAL (
           SELECT now() - interval '${String(SPAN_DAYS)} days' * (1 - n / ${String(count)}::double precision) AS at
         ) AS spread
       ) AS made
       ORDER BY n`,
    );
  }
}
