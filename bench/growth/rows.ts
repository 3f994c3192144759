/** Throughput and claims on an empty database, and on one with many parked tasks, suspended instances and dedup keys. */
import { performance } from 'node:perf_hooks';
import { withClient, type OwnDatabase } from '../engine-process.ts';
import { claimsText, measureClaims, type Claims } from './claims.ts';
import { ratio, say, spread } from './figures.ts';
import { runThroughput, type Throughput } from './load-process.ts';
import type { GrowthOptions } from './options.ts';
import { BACKLOG, MEASURED, rowsPackage, SMALL } from './packages.ts';
import { prove } from './prove.ts';
import { checkAllEnded, deploy, holdDatabase, settle, withEngine } from './resources.ts';
import { seed } from './seed.ts';

interface Side {
  readonly name: 'empty' | 'large';
  readonly database: OwnDatabase;
  readonly throughput: Throughput[];
  readonly claims: Claims[];
}

/** What claims of the two backlogs took. */
type Backlogs = Readonly<Record<'large' | 'small', Claims[]>>;

export async function measureRows(server: string, options: GrowthOptions): Promise<unknown> {
  const side = async (name: Side['name']): Promise<Side> => {
    const database = await holdDatabase(server, name);
    return { name, database, throughput: [], claims: [] };
  };
  const [empty, large] = [await side('empty'), await side('large')];
  await withEngine(empty.database, options.engineEnv, async (engine) =>
    deploy(engine, [await rowsPackage()]),
  );
  const proof = await fill(large.database, options);
  const rowCounts = await countRows(large.database);
  say('rows', `large: ${JSON.stringify(rowCounts)}`);
  const backlogs: Backlogs = { large: [], small: [] };
  for (let round = 0; round < options.rounds; round += 1) {
    for (const each of [empty, large]) await measureSide(each, options, backlogs);
  }
  const figures = report(empty, large, backlogs);
  for (const { database } of [empty, large]) await database.drop();
  const measured = [empty, large].map(({ name, throughput, claims }) => ({ name, throughput, claims }));
  return { rowCounts, proof, ...figures, measured, backlogs };
}

async function fill(database: OwnDatabase, options: GrowthOptions): Promise<string> {
  const startedAt = performance.now();
  const proof = await withEngine(database, options.engineEnv, async (engine) => {
    await deploy(engine, [await rowsPackage()]);
    const keys = await seed(database, engine, options);
    await settle(database);
    return prove(engine, keys);
  });
  say('rows', `seeded in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`, proof);
  return proof;
}

async function measureSide(side: Side, options: GrowthOptions, backlogs: Backlogs): Promise<void> {
  await settle(side.database);
  await withEngine(side.database, options.engineEnv, async (engine) => {
    const { seconds, warmUpSeconds } = options;
    const load = { workers: 64, maxTasks: 5, senders: 32, maxOpen: 400, seconds, warmUpSeconds };
    const throughput = await runThroughput(engine.url, load);
    await checkAllEnded(side.database);
    side.throughput.push(throughput);
    // What the load has deleted is another matter (see `churn`), and autovacuum would come at any moment.
    await settle(side.database);
    side.claims.push(await measureClaims(side.database, engine, options, MEASURED.pull));
    say(
      'rows',
      side.name.padEnd(5),
      `${throughput.perSecond.toFixed(0)} orders/s`,
      `claim ${claimsText(side.claims.slice(-1))}`,
    );
    if (side.name === 'empty') return;
    backlogs.small.push(await measureClaims(side.database, engine, options, SMALL.pull));
    backlogs.large.push(await measureClaims(side.database, engine, options, BACKLOG.pull));
  });
}

function report(empty: Side, large: Side, backlogs: Backlogs): Readonly<Record<string, number>> {
  const speeds = [empty, large].map(({ throughput }) => throughput.map(({ perSecond }) => perSecond));
  const [alone = [], filled = []] = speeds;
  const p99 = (claims: readonly Claims[]): number[] => claims.map((each) => each.p99);
  const throughputRatio = ratio(filled, alone);
  const claimRatio = ratio(p99(large.claims), p99(empty.claims));
  const backlogRatio = ratio(p99(backlogs.large), p99(backlogs.small));
  say('rows', `orders/s      empty ${spread(alone, 0)}`, `large ${spread(filled, 0)}`);
  say('rows', `orders/s      large / empty ${throughputRatio.toFixed(2)}   target >= 0.8`);
  say('rows', `claim         empty ${claimsText(empty.claims)}`, `large ${claimsText(large.claims)}`);
  say('rows', `claim p99     large / empty ${claimRatio.toFixed(2)}   target <= 2`);
  say('rows', `backlog claim small ${claimsText(backlogs.small)}`, `large ${claimsText(backlogs.large)}`);
  say('rows', `backlog p99   large / small ${backlogRatio.toFixed(2)}   target <= 2`);
  return { throughputRatio, claimRatio, backlogRatio };
}

async function countRows(database: OwnDatabase): Promise<Readonly<Record<string, number>>> {
  return withClient(database.url, async (client) => {
    const { rows } = await client.query<Record<string, string>>(
      `SELECT (SELECT count(*) FROM external_task) AS "tasks",
        (SELECT count(*) FROM external_task WHERE channel = '${BACKLOG.pull}' AND state = 'open'
          AND visible_at <= now()) AS "fetchableTasks",
        (SELECT count(*) FROM instance WHERE ended_at IS NULL) AS "suspendedInstances",
        (SELECT count(*) FROM inbox) AS "inboxRows",
        pg_database_size(current_database()) / 1048576 AS "megabytes"`,
    );
    return Object.fromEntries(Object.entries(rows[0] ?? {}).map(([name, text]) => [name, Number(text)]));
  });
}
