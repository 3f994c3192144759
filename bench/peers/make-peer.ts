/** The peers by name, each with the place where it keeps its units. */
import { DatabaseBackend, RestateBackend, SutraBackend } from './backends.ts';
import { PeerDatabase } from './database.ts';
import { DrivenPeer, type Backend } from './driven-peer.ts';
import type { BenchOptions } from './options.ts';
import type { Peer } from './peer.ts';
import { PgbenchPeer } from './pgbench-peer.ts';
import { RestateServer } from './restate-server.ts';
import { numberOf, settingsOf } from './settings.ts';

export interface Surroundings {
  readonly server: string;
  readonly postmaster: number | null;
  readonly options: BenchOptions;
}

/** What is left undone in the database of each peer that has nothing but one. */
const UNFINISHED: Readonly<Record<string, string>> = {
  'pg-boss': "SELECT count(*) FROM pgboss.job WHERE name = 'units' AND state <> 'completed'",
  'graphile-worker': 'SELECT count(*) FROM graphile_worker._private_jobs',
  dbos: "SELECT count(*) FROM dbos.workflow_status WHERE status <> 'SUCCESS'",
  'raw-batched': 'SELECT count(*) FROM unit',
};

export function makePeer(name: string, { server, postmaster, options }: Surroundings): Peer {
  const overrides = options.settings[name] ?? {};
  if (name.startsWith('pgbench-')) {
    return new PgbenchPeer(name, new PeerDatabase(server, name), overrides, postmaster);
  }
  const backend = makeBackend(name, server, options);
  return new DrivenPeer(name, backend, overrides, name === 'restate' ? null : postmaster);
}

function makeBackend(name: string, server: string, options: BenchOptions): Backend {
  if (name === 'restate') {
    const partitions = numberOf(settingsOf(name, 1, options.settings[name]), 'partitions');
    return new RestateBackend(new RestateServer(options.dataDir, partitions));
  }
  const database = new PeerDatabase(server, name);
  if (name.startsWith('sutra')) return new SutraBackend(database, options.engineEnv);
  const unfinished = UNFINISHED[name];
  if (unfinished === undefined) throw new Error(`there is no peer ${name}`);
  return new DatabaseBackend(database, unfinished);
}
