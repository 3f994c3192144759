/** Millions of orders through the same tables: whether they slow down what comes later. */
import { withClient, type OwnDatabase } from '../engine-process.ts';
import { claimsText, measureClaims, type Claims } from './claims.ts';
import { ratio, say, spread } from './figures.ts';
import { runLoop, type LoopInterval } from './load-process.ts';
import type { GrowthOptions } from './options.ts';
import { MEASURED, rowsPackage } from './packages.ts';
import { checkAllEnded, deploy, holdDatabase, settle, withEngine } from './resources.ts';

/** Compared at each end: six intervals, three minutes by default. Fewer in a run that is short. */
const COMPARED = 6;

interface TableFacts {
  readonly name: string;
  readonly megabytes: number;
  readonly indexMegabytes: number;
  readonly liveRows: number;
  readonly deadRows: number;
  readonly autovacuums: number;
}

export async function measureChurn(server: string, options: GrowthOptions): Promise<unknown> {
  const database = await holdDatabase(server, 'churn');
  const { warmUpSeconds, reportSeconds, units } = options;
  const before: Promise<readonly TableFacts[]>[] = [];
  const claims: Claims[] = [];
  const intervals = await withEngine(database, options.engineEnv, async (engine) => {
    await deploy(engine, [await rowsPackage()]);
    claims.push(await measureClaims(database, engine, options, MEASURED.pull));
    await settle(database);
    const measured = await runLoop(
      engine.url,
      {
        paths: [MEASURED.path],
        workers: Array.from({ length: 64 }, () => [MEASURED.pull]),
        maxTasks: 5,
        senders: 32,
        maxOpen: 400,
        warmUpSeconds,
        reportSeconds,
        seconds: 0,
        units,
      },
      (event) => {
        if (event.event === 'warm') before.push(readTables(database));
        else sayInterval(event);
      },
    );
    // At once, behind all that is deleted and not yet vacuumed.
    claims.push(await measureClaims(database, engine, options, MEASURED.pull));
    return measured;
  });
  await checkAllEnded(database);
  const tables = { before: (await Promise.all(before)).flat(), after: await readTables(database) };
  await database.drop();
  sayTables('begin', tables.before);
  sayTables('end', tables.after);
  const compared = Math.max(1, Math.min(COMPARED, intervals.length >> 1));
  const speeds = intervals.map(({ perSecond }) => perSecond);
  const [first, last] = [speeds.slice(0, compared), speeds.slice(-compared)];
  const throughputRatio = ratio(last, first);
  say('churn', `orders        ${String(intervals.at(-1)?.completedCount ?? 0)}`);
  say('churn', `orders/s      first ${spread(first, 0)}   last ${spread(last, 0)}`);
  say('churn', `orders/s      last / first ${throughputRatio.toFixed(2)}   target >= 0.85`);
  const [begin, end] = [claims.slice(0, 1), claims.slice(1)];
  say('churn', `claim         begin ${claimsText(begin)}   end ${claimsText(end)}`);
  return { throughputRatio, claims, intervals, tables };
}

function sayInterval({ completedCount, perSecond, engineCpuMsPerOrder }: LoopInterval): void {
  const cpu = `engine ${engineCpuMsPerOrder.toFixed(2)} ms CPU/order`;
  say(
    'churn',
    `${String(completedCount).padStart(8)} orders`,
    `${perSecond.toFixed(0).padStart(5)} orders/s`,
    cpu,
  );
}

/** Tables that have ever had a row, the largest first. */
function readTables(database: OwnDatabase): Promise<readonly TableFacts[]> {
  return withClient(database.url, async (client) => {
    const { rows } = await client.query<Record<keyof TableFacts, string>>(
      `SELECT relname AS "name", pg_table_size(relid) / 1048576.0 AS "megabytes",
         pg_indexes_size(relid) / 1048576.0 AS "indexMegabytes", n_live_tup AS "liveRows",
         n_dead_tup AS "deadRows", autovacuum_count AS "autovacuums"
       FROM pg_stat_user_tables
       WHERE n_tup_ins > 0 AND pg_total_relation_size(relid) > 1048576
       ORDER BY pg_total_relation_size(relid) DESC`,
    );
    return rows.map((row) => ({
      name: row.name,
      megabytes: Number(row.megabytes),
      indexMegabytes: Number(row.indexMegabytes),
      liveRows: Number(row.liveRows),
      deadRows: Number(row.deadRows),
      autovacuums: Number(row.autovacuums),
    }));
  });
}

function sayTables(when: string, tables: readonly TableFacts[]): void {
  for (const { name, megabytes, indexMegabytes, liveRows, deadRows, autovacuums } of tables) {
    const size = `${megabytes.toFixed(0)} MB + ${indexMegabytes.toFixed(0)} MB of indexes`;
    const counts = `${String(liveRows)} live, ${String(deadRows)} dead rows, ${String(autovacuums)} autovacuums`;
    say('churn', when.padEnd(5), name.padEnd(14), size, counts);
  }
}
