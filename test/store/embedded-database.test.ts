import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import type { Statement } from '../../engine/store/database.ts';
import { EMBEDDED_NOTICE, openEmbeddedDatabase } from '../../engine/store/embedded-database.ts';
import { recordEvidence } from '../support/evidence.ts';
import { copyMigrated, migratedSnapshot } from '../support/migrated-database.ts';
import { programArguments } from '../support/program.ts';

const CHILD = programArguments(new URL('./embedded-child.ts', import.meta.url));
const unavailable = { code: 'SUTRA.PERSISTENCE_UNAVAILABLE' };

const ONE: Statement = { name: 'test_one', text: 'SELECT 1 AS one' };
const COUNT: Statement = { name: 'test_count', text: 'SELECT count(*)::integer AS count FROM history' };
const TURNS: Statement = { name: 'test_turns', text: 'SELECT turn FROM history ORDER BY turn' };
const LONG: Statement = {
  name: 'test_long',
  text: 'SELECT count(*)::integer AS count FROM generate_series(1, 3000000) AS g WHERE g % 7 = 0',
};

describe('the embedded database', () => {
  let root: string;
  let snapshotFile: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'sutra-embedded-'));
    snapshotFile = await migratedSnapshot();
    recordEvidence('embedded');
  });
  after(() => rm(root, { recursive: true, force: true }));

  const fresh = (): Promise<string> => mkdtemp(join(root, 'case-'));
  const migrated = async (): Promise<string> => {
    const directory = await fresh();
    await copyMigrated(directory);
    return directory;
  };

  /** Starts the child and resolves with the lines that it says, from `open` on. */
  async function startChild(
    directory: string,
    mode: string,
  ): Promise<{ child: ChildProcess; lines: string[] }> {
    const child = spawn(process.execPath, [...CHILD, directory, mode, snapshotFile], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines: string[] = [];
    const opened = new EventEmitter();
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      lines.push(line);
      opened.emit('line');
    });
    while (!lines.includes('open')) await once(opened, 'line');
    return { child, lines };
  }

  async function kill(child: ChildProcess): Promise<void> {
    const exited = once(child, 'close');
    child.kill('SIGKILL');
    await exited;
  }

  it('keeps its data over a close', async () => {
    const directory = join(await fresh(), 'made', 'on', 'demand');
    const first = await openEmbeddedDatabase({ directory, snapshotFile });
    await first.knex.raw('CREATE TABLE kept (id integer)');
    await first.close();
    const second = await openEmbeddedDatabase({ directory });
    assert.deepEqual(await second.run({ name: '', text: 'SELECT count(*) AS n FROM kept' }, []), [{ n: 0 }]);
    await second.close();
  });

  it('refuses a second process and names the first; when that was killed, it opens (E1)', async () => {
    const directory = await migrated();
    const { child } = await startChild(directory, 'leak');
    await assert.rejects(openEmbeddedDatabase({ directory, lockPatienceMs: 0 }), {
      code: 'SUTRA.STORE.DIRECTORY_LOCKED',
      message: new RegExp(`process ${String(child.pid)} `),
    });
    await kill(child);
    const database = await openEmbeddedDatabase({ directory });
    assert.deepEqual(await database.run(COUNT, []), [{ count: 0 }], 'the open transaction is gone');
    await database.close();
  });

  it('loses no acknowledged commit when its process is killed (E5)', async () => {
    const directory = await migrated();
    let acknowledged = 0;
    for (let round = 0; round < 3; round += 1) {
      const { child, lines } = await startChild(directory, 'write');
      while (lines.length < 40) await new Promise((resolve) => setTimeout(resolve, 5));
      await kill(child);
      acknowledged = Math.max(acknowledged, ...lines.filter((line) => line !== 'open').map(Number));
    }
    const database = await openEmbeddedDatabase({ directory });
    const turns = (await database.run<{ turn: number }>(TURNS, [])).map(({ turn }) => turn);
    assert.ok(turns.length >= acknowledged, `${turns.length} of ${acknowledged} acknowledged rows are there`);
    assert.deepEqual(
      turns,
      Array.from({ length: turns.length }, (_, index) => index + 1),
    );
    await database.close();
  });

  it('opens after a kill during its first initialisation (E2)', async () => {
    const directory = await fresh();
    const child = spawn(process.execPath, [...CHILD, directory, 'once'], { stdio: 'ignore' });
    while (!existsSync(join(directory, 'postgres.new', 'base')))
      await new Promise((resolve) => setTimeout(resolve, 10));
    await kill(child);
    assert.ok(!existsSync(join(directory, 'postgres')));
    const database = await openEmbeddedDatabase({ directory, snapshotFile });
    assert.deepEqual(await database.run(COUNT, []), [{ count: 0 }]);
    await database.close();
    assert.deepEqual((await readdir(directory)).sort(), ['lock.2', 'postgres']);
  });

  it('lets its process end by itself after the close', async () => {
    for (const directory of [await migrated(), 'memory:']) {
      const { child } = await startChild(directory, 'once');
      assert.deepEqual(await once(child, 'close'), [0, null]);
    }
  });

  it('says where it cannot be opened, and holds no lock then', async () => {
    const directory = await fresh();
    const file = join(directory, 'file');
    await writeFile(file, '');
    await assert.rejects(openEmbeddedDatabase({ directory: file }), {
      code: 'SUTRA.STORE.DIRECTORY_UNUSABLE',
    });
    await mkdir(join(directory, 'postgres', 'base'), { recursive: true });
    await writeFile(join(directory, 'postgres', 'PG_VERSION'), '9\n');
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await assert.rejects(openEmbeddedDatabase({ directory, lockPatienceMs: 0 }), {
        code: 'SUTRA.STORE.DIRECTORY_UNUSABLE',
        message: new RegExp(directory),
      });
    }
  });

  it('rejects calls when its thread dies, and starts it again for the next (E4)', async () => {
    const directory = await migrated();
    const database = await openEmbeddedDatabase({ directory });
    const stop = await database.listen('bell', (payload) => bell.emit('rung', payload));
    const bell = new EventEmitter();
    const running = database.transaction(async (connection) => {
      await connection.run(ONE, []);
      await connection.run(LONG, []);
    });
    const waiting = database.run(ONE, []);
    // Handlers first: both reject while the thread is being ended.
    const outcomes = Promise.allSettled([running, waiting]);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await database.kill();
    const [inFlight, queued] = await outcomes;
    assert.equal(inFlight.status, 'rejected');
    assert.equal((inFlight.reason as { code: string }).code, unavailable.code);
    if (queued.status === 'rejected')
      assert.equal((queued.reason as { code: string }).code, unavailable.code);
    assert.deepEqual(await database.run(COUNT, []), [{ count: 0 }]);
    const heard = once(bell, 'rung');
    await database.notify('bell', 'again');
    assert.deepEqual(await heard, ['again'], 'it listens again');
    await stop();
    await database.close();
  });

  it('in memory stays unavailable when its thread dies: the data is gone (E4)', async () => {
    const database = await openEmbeddedDatabase({ directory: null, snapshotFile });
    assert.deepEqual(await database.run(ONE, []), [{ one: 1 }]);
    await database.kill();
    await assert.rejects(database.run(ONE, []), unavailable);
    await assert.rejects(
      database.transaction((connection) => connection.run(ONE, [])),
      unavailable,
    );
    await database.close();
  });

  it('never holds up the event loop, and serves first come, first served (E3)', async () => {
    const database = await openEmbeddedDatabase({ directory: null, snapshotFile });
    const order: string[] = [];
    let turnCount = 0;
    const timer = setInterval(() => (turnCount += 1), 5);
    const long = database.transaction(async (connection) => {
      await connection.run(LONG, []);
      order.push('transaction');
    });
    const others = ['first', 'second', 'third'].map((name) =>
      database.run(ONE, []).then(() => order.push(name)),
    );
    await Promise.all([long, ...others]);
    clearInterval(timer);
    assert.deepEqual(order, ['transaction', 'first', 'second', 'third']);
    assert.ok(turnCount > 5, `the event loop turned ${turnCount} times during a long statement`);
    await database.close();
  });

  it('gives a connection that follows a broken one nothing of its session', async () => {
    const database = await openEmbeddedDatabase({ directory: null, snapshotFile });
    const pool = database.knex.client as {
      acquireConnection(): Promise<{ query(text: string): Promise<unknown>; __knex__disposed?: unknown }>;
      releaseConnection(connection: unknown): Promise<void>;
    };
    const broken = await pool.acquireConnection();
    await broken.query('SET search_path = nowhere');
    await broken.query('BEGIN');
    await broken.query('CREATE TABLE public.left_over (id integer)');
    broken.__knex__disposed = 'a test';
    await pool.releaseConnection(broken);
    assert.deepEqual(await database.run(COUNT, []), [{ count: 0 }]);
    const tables = { name: '', text: `SELECT tablename FROM pg_tables WHERE tablename = 'left_over'` };
    assert.deepEqual(await database.run(tables, []), []);
    await database.close();
  });

  it('says what it is not safe against and what to use instead', () => {
    assert.match(EMBEDDED_NOTICE, /power failure/);
    assert.match(EMBEDDED_NOTICE, /sutra\.datasource\.url/);
  });
});
