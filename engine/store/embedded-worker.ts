/**
 * The thread in which the embedded PostgreSQL (PGlite) runs: a query here never holds up the engine.
 *
 * It speaks PostgreSQL's own wire protocol over messages, so that the engine's side is the ordinary driver
 * and every value has the type that it has with a server. It has one session; messages are answered in
 * the order in which they came.
 */
import { readFile } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import type { EmbeddedWorkerData, FromWorker, ToWorker } from './embedded-protocol.ts';

if (parentPort === null) throw new TypeError('embedded-worker runs in a worker thread');
const port = parentPort;

function say(message: FromWorker, transfer: ArrayBuffer[] = []): void {
  port.postMessage(message, transfer);
}

async function open({ directory, snapshotFile }: EmbeddedWorkerData): Promise<PGlite> {
  const database = new PGlite({
    ...(directory === null ? {} : { dataDir: directory }),
    ...(snapshotFile === null ? {} : { loadDataDir: new Blob([await readFile(snapshotFile)]) }),
  });
  await database.waitReady;
  return database;
}

/** The session outlives the driver's connection: leave no transaction, statement or setting of the last. */
async function reset(database: PGlite, settings: string): Promise<void> {
  if (database.isInTransaction()) await database.exec('ROLLBACK');
  await database.exec('DISCARD ALL');
  await database.exec(settings);
}

async function handle(database: PGlite, message: ToWorker): Promise<void> {
  switch (message.kind) {
    case 'connect':
      await reset(database, message.settings);
      say({ kind: 'connected' });
      return;
    case 'bytes': {
      const bytes = new Uint8Array(await database.execProtocolRaw(message.bytes));
      say({ kind: 'bytes', bytes }, [bytes.buffer]);
      return;
    }
    case 'dump': {
      const tar = await database.dumpDataDir('none');
      const bytes = new Uint8Array(await tar.arrayBuffer());
      say({ kind: 'dumped', bytes }, [bytes.buffer]);
      return;
    }
    case 'clock':
      // The database has no other clock than this thread's, and nothing else here reads it.
      Date.now = () => message.nowMs;
      say({ kind: 'clockSet' });
      return;
    case 'close':
      await database.close();
      say({ kind: 'closed' });
      port.close();
      return;
  }
}

async function serve(): Promise<void> {
  const database = await open(workerData as EmbeddedWorkerData);
  let previous: Promise<void> = Promise.resolve();
  port.on('message', (message: ToWorker) => {
    // A rejection here is not a statement's error (those are answered in `bytes`): let the thread die of it.
    previous = previous.then(() => handle(database, message));
  });
  say({ kind: 'ready' });
}

serve().catch((error: unknown) => {
  say({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  port.close();
});
