/**
 * `npm run bench:peers`: ours beside other durable engines and queues, in turn, on one PostgreSQL. Prints a table and
 * writes JSON. See bench/README.md.
 */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../engine-process.ts';
import { readServer, type ServerFacts } from './database.ts';
import { makePeer } from './make-peer.ts';
import { readOptions, usage, type BenchOptions } from './options.ts';
import type { Peer } from './peer.ts';
import { mediansOf, ratiosOf, tableOf, type Turn } from './results.ts';
import { settingsOf } from './settings.ts';
import { targetLines } from './targets.ts';

/** What was prepared and must not be left behind, whatever happens. */
const prepared: Peer[] = [];
/** A signal has come: nothing is to be started any more. */
const stop = new AbortController();

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options === null) {
    process.stdout.write(usage);
    return;
  }
  const server = requireSurroundings();
  const facts = await readServer(server);
  printFacts(facts);
  const peers = options.peers.map((name) =>
    makePeer(name, { server, postmaster: facts.postmaster, options }),
  );
  const results: Record<string, Turn[]> = Object.fromEntries(options.peers.map((name) => [name, []]));
  for (const peer of peers) {
    prepared.push(peer);
    await peer.prepare();
  }
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const peer of peers) {
      const turns = results[peer.name];
      if (turns === undefined) continue;
      stop.signal.throwIfAborted();
      try {
        const turn = await takeTurn(peer, options);
        turns.push(turn);
        process.stdout.write(`${String(round)} ${peer.name.padEnd(16)} ${lineOf(turn)}\n`);
      } catch (error) {
        // The others are still of use; this one has no further turn and no figure.
        delete results[peer.name];
        process.exitCode = 1;
        process.stderr.write(`${String(round)} ${peer.name.padEnd(16)} failed: ${messageOf(error)}\n`);
      }
    }
  }
  process.stdout.write(`\n${tableOf(results)}\n`);
  const reached = targetLines(results);
  if (reached.length > 0) process.stdout.write(`\n${reached.join('\n')}\n`);
  await writeResults(options, facts, results);
}

async function takeTurn(peer: Peer, options: BenchOptions): Promise<Turn> {
  const { seconds, warmUpSeconds, measure } = options;
  const turn: Turn = { throughput: {} };
  await peer.start();
  try {
    if (measure.includes('throughput')) {
      for (const workers of options.workers) {
        turn.throughput[workers] = await peer.throughput({ workers, seconds, warmUpSeconds });
      }
    }
    if (measure.includes('oneAtATime')) turn.oneAtATime = await peer.oneAtATime(seconds, 1);
    if (measure.includes('pickUp')) turn.pickUp = await peer.pickUp(options.pickUps);
  } finally {
    await peer.stop();
  }
  return turn;
}

/** @throws Error that says what to do first */
function requireSurroundings(): string {
  const server = process.env['SUTRA_TEST_DATABASE_URL'];
  if (server === undefined) throw new Error('SUTRA_TEST_DATABASE_URL must name a PostgreSQL server');
  if (!existsSync(join(root, 'dist/cli/sutra.js')))
    throw new Error('there is no build: run `npm run build` first');
  if (!existsSync(join(root, 'bench/peers/node_modules'))) {
    throw new Error('the peers are not installed: run `npm ci --prefix bench/peers` first');
  }
  return server;
}

function printFacts({ version, settings }: ServerFacts): void {
  process.stdout.write(`${version}\n`);
  process.stdout.write(
    `${Object.entries(settings)
      .map(([name, setting]) => `${name}=${setting}`)
      .join(', ')}\n`,
  );
  const load = loadavg().map((value) => value.toFixed(2));
  process.stdout.write(`Node ${process.version}, ${String(cpus().length)} cores, load ${load.join(' ')}\n\n`);
}

function lineOf(turn: Turn): string {
  const rates = Object.entries(turn.throughput).map(
    ([workers, { perSecond, drainMs }]) =>
      `${workers} w ${perSecond.toFixed(0)}/s (drained in ${drainMs.toFixed(0)} ms)`,
  );
  const one =
    turn.oneAtATime === undefined ? [] : [`one at a time ${turn.oneAtATime.perSecond.toFixed(0)}/s`];
  const { pickUp } = turn;
  const picked =
    pickUp === undefined || pickUp === null
      ? []
      : [`pick-up p50 ${pickUp.afterCommitMs.p50.toFixed(2)}, p99 ${pickUp.afterCommitMs.p99.toFixed(2)} ms`];
  return [...rates, ...one, ...picked].join('   ');
}

async function writeResults(
  options: BenchOptions,
  facts: ServerFacts,
  results: Readonly<Record<string, Turn[]>>,
): Promise<void> {
  const time = new Date().toISOString().replaceAll(':', '-');
  const file = options.json ?? join(root, 'bench/results', `peers-${time}.json`);
  const report = {
    node: process.version,
    cores: cpus().length,
    postgresql: { version: facts.version, ...facts.settings },
    options,
    settings: Object.fromEntries(
      options.peers.map((name) => [
        name,
        Object.fromEntries(
          [1, ...options.workers].map((workers) => [
            workers,
            settingsOf(name, workers, options.settings[name]),
          ]),
        ),
      ]),
    ),
    medians: Object.fromEntries(Object.entries(results).map(([name, turns]) => [name, mediansOf(turns)])),
    ratios: ratiosOf(results),
    targets: targetLines(results),
    rounds: results,
  };
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(report, null, 2)}\n`);
  process.stdout.write(`\nwritten to ${file}\n`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Idempotent: stops what runs, drops what was made. */
async function clean(): Promise<void> {
  for (const peer of prepared.splice(0)) {
    await peer.remove().catch((error: unknown) => {
      process.stderr.write(`${peer.name} could not be removed: ${String(error)}\n`);
    });
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    stop.abort(new Error(`ended by ${signal}`));
    void clean().finally(() => process.exit(1));
  });
}
try {
  await main();
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
} finally {
  await clean();
}
