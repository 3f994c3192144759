/**
 * What a run holds outside its process: databases and engines. They are given back at its end, after an error and after
 * Ctrl-C, the latest first.
 */
import {
  runCommand,
  startEngine,
  stopEngine,
  withClient,
  type MeasuredEngine,
  type OwnDatabase,
} from '../engine-process.ts';
import { withPackage } from './packages.ts';

type Release = () => Promise<void>;

const held = new Set<Release>();

/** `release` is called once: by the answered function, or by `releaseAll`. */
export function hold(release: Release): Release {
  const once = async (): Promise<void> => {
    if (held.delete(once)) await release();
  };
  held.add(once);
  return once;
}

export async function releaseAll(): Promise<void> {
  for (const release of [...held].reverse()) {
    // One that fails must not keep the others.
    await release().catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
  }
}

/** A database of this run on the server. */
export async function holdDatabase(server: string, label: string): Promise<OwnDatabase> {
  const name = `sutra_growth_${String(process.pid)}_${label}`;
  const own = new URL(server);
  own.pathname = `/${name}`;
  await withClient(server, (client) => client.query(`CREATE DATABASE ${name}`));
  const drop = hold(() =>
    withClient(server, async (client) => {
      await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    }),
  );
  return { url: own.href, drop };
}

/** So that no side measures what the other left to vacuum or to write. */
export async function settle(database: OwnDatabase): Promise<void> {
  await withClient(database.url, async (client) => {
    await client.query('VACUUM (ANALYZE)');
    await client.query('CHECKPOINT');
  });
}

/** An engine on the database for as long as `use` takes. */
export async function withEngine<Result>(
  database: OwnDatabase,
  env: Readonly<Record<string, string>>,
  use: (engine: MeasuredEngine) => Promise<Result>,
): Promise<Result> {
  const engine = await startEngine({ SUTRA_DATASOURCE_URL: database.url, ...env });
  const stop = hold(() => stopEngine(engine));
  try {
    return await use(engine);
  } finally {
    await stop();
  }
}

export async function deploy(
  { url }: MeasuredEngine,
  packages: readonly Readonly<Record<string, string>>[],
): Promise<void> {
  for (const files of packages) {
    await withPackage(files, (directory) => runCommand('deploy', directory, '--url', url));
  }
}

/** @throws Error when instances of measured orders are left: then the work was not done. */
export async function checkAllEnded(database: OwnDatabase): Promise<void> {
  const open = await withClient(database.url, async (client) => {
    const { rows } = await client.query<{ count: string }>(
      "SELECT count(*) FROM instance WHERE ended_at IS NULL AND process_id LIKE 'bench-order%'",
    );
    return Number(rows[0]?.count);
  });
  if (open > 0) throw new Error(`${String(open)} orders are left running after the load`);
}
