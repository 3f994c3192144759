/**
 * The physical limit: pgbench's own cycle. Insert, claim with SKIP LOCKED, delete: three statements, each a commit, of
 * one row or of a hundred. Where pgbench is not installed, the same statements over pg.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import pg from 'pg';
import { withClient } from '../engine-process.ts';
import { postgresqlCpuSeconds } from './cpu.ts';
import type { PeerDatabase } from './database.ts';
import type { Load, Peer, Throughput } from './peer.ts';
import { numberOf, settingsOf, type SettingsOf } from './settings.ts';
import { orderText } from './unit.ts';

const CREATE = `
  CREATE TABLE unit (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    claimed_at timestamptz,
    payload jsonb NOT NULL
  );
  CREATE INDEX unit_open ON unit (id) WHERE claimed_at IS NULL`;

/** In pgbench a colon before a word is a variable. */
const payload = orderText.replaceAll(':', ': ');

const insert = (rows: number): string =>
  `INSERT INTO unit (payload) SELECT '${payload}'::jsonb FROM generate_series(1, ${String(rows)})`;

/** One row whatever is claimed: what others hold at that moment is left to them. */
const claim = (rows: number): string => `
  WITH claimed AS (
    UPDATE unit
    SET claimed_at = now()
    WHERE id = ANY (ARRAY (
      SELECT id FROM unit WHERE claimed_at IS NULL ORDER BY id LIMIT ${String(rows)} FOR UPDATE SKIP LOCKED
    ))
    RETURNING id, payload
  )
  SELECT coalesce(array_agg(id), '{}'::bigint[]) AS ids, count(payload) AS payloads FROM claimed`;

const settle = (ids: string): string => `DELETE FROM unit WHERE id = ANY (${ids}::bigint[])`;

export class PgbenchPeer implements Peer {
  readonly name: string;
  readonly #database: PeerDatabase;
  readonly #overrides: SettingsOf;
  readonly #postmaster: number | null;
  #folder: string | null = null;
  #hasPgbench = false;

  constructor(name: string, database: PeerDatabase, overrides: SettingsOf, postmaster: number | null) {
    this.name = name;
    this.#database = database;
    this.#overrides = overrides;
    this.#postmaster = postmaster;
  }

  async prepare(): Promise<void> {
    await this.#database.create();
    await withClient(this.#database.url, (client) => client.query(CREATE));
    this.#folder = await mkdtemp(join(tmpdir(), 'sutra-peers-pgbench-'));
    this.#hasPgbench = (await runPgbench(['--version'])) !== null;
  }

  start(): Promise<void> {
    return this.#database.settle();
  }

  throughput({ workers, seconds, warmUpSeconds }: Load): Promise<Throughput> {
    return this.#run(settingsOf(this.name, workers, this.#overrides), seconds, warmUpSeconds);
  }

  oneAtATime(seconds: number, warmUpSeconds: number): Promise<Throughput> {
    return this.#run(settingsOf(this.name, 1, this.#overrides), seconds, warmUpSeconds);
  }

  /** Nobody waits here to be woken. */
  async pickUp(): Promise<null> {
    return null;
  }

  async stop(): Promise<void> {}

  async remove(): Promise<void> {
    await this.#database.drop();
    if (this.#folder !== null) await rm(this.#folder, { recursive: true, force: true });
    this.#folder = null;
  }

  async #run(settings: SettingsOf, seconds: number, warmUpSeconds: number): Promise<Throughput> {
    const rows = numberOf(settings, 'rows');
    const clients = numberOf(settings, 'clients');
    const run = (duration: number): Promise<number> =>
      this.#hasPgbench ? this.#pgbench(rows, clients, duration) : this.#overPg(rows, clients, duration);
    await run(Math.max(1, Math.floor(warmUpSeconds)));
    const before = await postgresqlCpuSeconds(this.#postmaster);
    const perSecond = await run(seconds);
    const after = await postgresqlCpuSeconds(this.#postmaster);
    const units = Math.round(perSecond * seconds);
    const postgresql = before === null || after === null ? null : ((after - before) * 1000) / units;
    const cpuMs = { server: null, postgresql, clients: null };
    return { units, perSecond, cpuMs, commitsPerUnit: 3 / rows, drainMs: 0 };
  }

  /** @returns units a second */
  async #pgbench(rows: number, clients: number, seconds: number): Promise<number> {
    const file = join(this.#folder ?? '', `cycle-${String(rows)}.sql`);
    const script = [`${insert(rows)};`, `${claim(rows)} \\gset`, `${settle(':ids')};`];
    await writeFile(file, `${script.map((line) => line.replaceAll('\n', ' ')).join('\n')}\n`);
    const options = [
      '-n',
      '-M',
      'prepared',
      '-j',
      '2',
      '-c',
      String(clients),
      '-T',
      String(Math.ceil(seconds)),
    ];
    const text = await runPgbench([...options, '-f', file, this.#database.url]);
    const tps = /tps = ([\d.]+) \(without initial/.exec(text ?? '')?.[1];
    if (tps === undefined) throw new Error(`pgbench gave no figure: ${text ?? 'it failed'}`);
    return Number(tps) * rows;
  }

  /** @returns units a second */
  async #overPg(rows: number, clients: number, seconds: number): Promise<number> {
    const endsAt = performance.now() + seconds * 1000;
    let cycles = 0;
    const client = async (): Promise<void> => {
      const connection = new pg.Client({ connectionString: this.#database.url });
      await connection.connect();
      while (performance.now() < endsAt) {
        await connection.query({ name: 'insert', text: insert(rows) });
        const claimed = await connection.query<{ ids: string[] }>({ name: 'claim', text: claim(rows) });
        await connection.query({ name: 'settle', text: settle('$1'), values: [claimed.rows[0]?.ids ?? []] });
        cycles += 1;
      }
      await connection.end();
    };
    await Promise.all(Array.from({ length: clients }, client));
    return (cycles * rows) / seconds;
  }
}

/** @returns its output; null: it is not installed, or it failed */
async function runPgbench(args: readonly string[]): Promise<string | null> {
  const child = spawn('pgbench', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(-1));
    child.once('close', resolve);
  });
  if (code === 0) return text;
  if (code !== -1) throw new Error(`pgbench ended with ${String(code)}: ${text}`);
  return null;
}
