/**
 * `npm run bench:repair`: what operators wait for, on the PostgreSQL of SUTRA_TEST_DATABASE_URL. See bench/README.md.
 *
 * - 10,000 failed instances are retried by one command while load runs.
 * - Two replicas fire 10,000 timers that are due at the same instant.
 */
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createDatabase,
  root,
  runCommand,
  startEngine,
  stopEngine,
  withClient,
  type MeasuredEngine,
} from './engine-process.ts';
import { HttpClient } from './http-client.ts';

const COUNT = 10_000;
const SENDERS = 50;
const PACKAGE = join(root, 'bench/repair-package');
/** Long enough to send them all and let them wait. */
const LEAD_MS = 25_000;

async function main(): Promise<void> {
  const server = process.env['SUTRA_TEST_DATABASE_URL'];
  if (server === undefined) throw new Error('SUTRA_TEST_DATABASE_URL must name a PostgreSQL server');
  for (const measure of [measureRetries, measureTimers]) {
    const database = await createDatabase(server);
    try {
      process.stdout.write(`${await measure(database.url)}\n`);
    } finally {
      await database.drop();
    }
  }
}

async function measureRetries(databaseUrl: string): Promise<string> {
  const env = { SUTRA_DATASOURCE_URL: databaseUrl };
  const strict = await startEngine({ ...env, SUTRA_FEEL_MAX_ITERATIONS: '100' });
  await runCommand('deploy', PACKAGE, '--url', strict.url);
  await sendAll([strict], '/channels/failing', () => '{}');
  await stopEngine(strict);
  const engine = await startEngine(env);
  const load = new Load(engine);
  await sleep(3_000);
  const [aloneCount, startedAt] = [load.sentCount, performance.now()];
  await runCommand('retry', '--process', 'failing', '--url', engine.url);
  const seconds = (performance.now() - startedAt) / 1_000;
  const meanwhile = (load.sentCount - aloneCount) / seconds;
  await load.end();
  await stopEngine(engine);
  const [row] = await read<{ completed: string }>(
    databaseUrl,
    "SELECT count(*) AS completed FROM instance WHERE process_id = 'failing' AND status = 'completed'",
  );
  return [
    `retries     ${String(COUNT)} failed instances in ${seconds.toFixed(1)} s`,
    `${row?.completed ?? '0'} completed`,
    `load ${(aloneCount / 3).toFixed(0)} orders/s alone, ${meanwhile.toFixed(0)} meanwhile`,
  ].join('   ');
}

async function measureTimers(databaseUrl: string): Promise<string> {
  const env = { SUTRA_DATASOURCE_URL: databaseUrl, SUTRA_DEPLOYMENTS_POLL_INTERVAL: 'PT0.5S' };
  const engines = [await startEngine(env), await startEngine(env)];
  const [first] = engines;
  if (first === undefined) throw new Error('no engine');
  await runCommand('deploy', PACKAGE, '--url', first.url);
  await sleep(2_000);
  const at = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + LEAD_MS).toISOString();
  await sendAll(engines, '/channels/waiting', () => JSON.stringify({ at }));
  while (Number((await read<{ count: string }>(databaseUrl, 'SELECT count(*) FROM timer'))[0]?.count) > 0)
    await sleep(250);
  const [fired] = await read<{ times: string; instances: string; p50: string; p99: string }>(
    databaseUrl,
    `SELECT count(*) AS times, count(DISTINCT instance_id) AS instances,
       round(percentile_cont(0.5) WITHIN GROUP (ORDER BY lag)::numeric) AS p50,
       round(percentile_cont(0.99) WITHIN GROUP (ORDER BY lag)::numeric) AS p99
     FROM (
       SELECT h.instance_id, extract(epoch FROM h.at - '${at}'::timestamptz) * 1000 AS lag
       FROM history AS h, jsonb_array_elements(h.entries) AS entry
       WHERE entry ->> 'event' = 'timerFired') AS fired`,
  );
  for (const engine of engines) await stopEngine(engine);
  return [
    `timers      ${fired?.times ?? '0'} fired for ${fired?.instances ?? '0'} instances`,
    `lag p50 ${fired?.p50 ?? '-'} ms, p99 ${fired?.p99 ?? '-'} ms`,
  ].join('   ');
}

/** Each engine in turn. */
async function sendAll(
  engines: readonly MeasuredEngine[],
  path: string,
  bodyOf: () => string,
): Promise<void> {
  const clients = engines.map(({ url }) => new HttpClient(url, SENDERS));
  let sentCount = 0;
  const send = async (): Promise<void> => {
    while (sentCount < COUNT) {
      const client = clients[sentCount % clients.length];
      sentCount += 1;
      const { status, text } = (await client?.post(path, bodyOf())) ?? { status: 0, text: '' };
      if (status !== 202) throw new Error(`${path} answered ${String(status)}: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, send));
  for (const client of clients) client.close();
}

/** Ten senders that send one order after the other. */
class Load {
  sentCount = 0;
  #isOn = true;
  readonly #client: HttpClient;
  readonly #senders: readonly Promise<void>[];

  constructor({ url }: MeasuredEngine) {
    this.#client = new HttpClient(url, 10);
    this.#senders = Array.from({ length: 10 }, () => this.#send());
  }

  async end(): Promise<void> {
    this.#isOn = false;
    await Promise.all(this.#senders);
    this.#client.close();
  }

  async #send(): Promise<void> {
    while (this.#isOn) {
      const { status } = await this.#client.post('/channels/passing', '{}');
      if (status !== 202) throw new Error(`an order was answered ${String(status)}`);
      this.sentCount += 1;
    }
  }
}

async function read<Row extends object>(databaseUrl: string, sql: string): Promise<readonly Row[]> {
  return withClient(databaseUrl, async (client) => (await client.query<Row>(sql)).rows);
}

await main();
