/**
 * The first thing to run: `npm run demo`. Boots the engine on an embedded database in memory, deploys
 * `examples/order-scoring`, starts a worker as a process of its own, sends three orders over HTTP and prints
 * what became of each. Ends with exit code 0, or 1 when anything was not as expected. `--keep` stays up.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadSettings, startEngine, type RunningEngine } from '../../server/index.ts';
import { formatTimeline, type HistoryEntry } from './timeline.ts';

interface DemoOrder {
  readonly order: { readonly orderId: string; readonly amount: number; readonly country: string };
  /** A review to send once the order waits for one; null: nobody reviews. */
  readonly approve: boolean | null;
  readonly expectedEnd: string;
}

const orders: readonly DemoOrder[] = [
  { order: { orderId: 'A-1', amount: 1200, country: 'DE' }, approve: null, expectedEnd: 'approved' },
  { order: { orderId: 'B-2', amount: 7300, country: 'FR' }, approve: true, expectedEnd: 'approved' },
  { order: { orderId: 'C-3', amount: 9900, country: 'FR' }, approve: null, expectedEnd: 'expired' },
];

/** Until an order has ended: the review's 3 seconds, and room for a slow machine. */
const patienceMs = 30_000;

async function main(): Promise<void> {
  const root = projectRoot();
  const isKept = process.argv.includes('--keep');
  const startedAt = performance.now();
  const { settings, secrets } = loadSettings({
    env: { SUTRA_HTTP_PORT: '0', SUTRA_DATA_DIR: 'memory:', SUTRA_ADMIN_OPEN: 'true' },
    cwd: join(root, 'examples'),
  });
  const engine = await startEngine({ settings, secrets, log: quietLog });
  let worker: ChildProcess | null = null;
  try {
    say(`engine ready at ${engine.url} on an embedded database in memory (${seconds(startedAt)})`);
    say(`deployed ${await deploy(engine, join(root, 'examples', 'order-scoring'))}`);
    worker = startWorker(root, engine.url);
    say(`worker started as process ${String(worker.pid ?? '?')}: examples/workers/score-worker.mjs\n`);
    const isGood = await runOrders(engine);
    if (!isGood) process.exitCode = 1;
    else tellNext(engine, isKept);
    if (isKept && isGood) await interrupted();
  } finally {
    if (worker !== null) await ended(worker);
    await engine.stop('demo over');
  }
}

async function runOrders(engine: RunningEngine): Promise<boolean> {
  const results = await Promise.all(orders.map((order) => runOrder(engine, order)));
  for (const { lines } of results) say(lines.join('\n') + '\n');
  return results.every((result) => result.isGood);
}

async function runOrder(engine: RunningEngine, { order, approve, expectedEnd }: DemoOrder) {
  const { instanceId } = (await call(engine, 'POST', '/channels/orders', order, {
    'idempotency-key': order.orderId,
  })) as {
    instanceId: string;
  };
  if (approve !== null) {
    await until(async () => (await waitsAt(engine, instanceId)).includes('await-review'));
    await call(engine, 'POST', '/channels/reviews', { orderId: order.orderId, approve });
  }
  await until(async () => (await statusOf(engine, instanceId)) !== 'running');
  const { entries } = (await call(engine, 'GET', `/sutra/instances/${instanceId}/history`)) as {
    entries: readonly HistoryEntry[];
  };
  const end = entries.findLast(
    (entry) => entry.event === 'entered' || entry.event === 'completed',
  )?.elementId;
  const isGood = end === expectedEnd;
  const verdict = isGood ? '' : `   NOT AS EXPECTED: ended at ${end ?? 'nothing'} instead of ${expectedEnd}`;
  return {
    isGood,
    lines: [
      `order ${order.orderId}, ${String(order.amount)} from ${order.country}${verdict}`,
      ...formatTimeline(entries),
    ],
  };
}

async function waitsAt(engine: RunningEngine, instanceId: string): Promise<string[]> {
  const instance = (await call(engine, 'GET', `/sutra/instances/${instanceId}`)) as {
    tokens: readonly { elementId: string }[];
  };
  return instance.tokens.map((token) => token.elementId);
}

async function statusOf(engine: RunningEngine, instanceId: string): Promise<string> {
  return ((await call(engine, 'GET', `/sutra/instances/${instanceId}`)) as { status: string }).status;
}

async function deploy(engine: RunningEngine, folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files: { path: string; text: string }[] = [];
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.push({ path: relative(folder, path).split(sep).join('/'), text: await readFile(path, 'utf8') });
  }
  const answer = (await call(engine, 'POST', '/admin/deployments', { files })) as { deploymentId: string };
  return `examples/order-scoring as ${answer.deploymentId}`;
}

function startWorker(root: string, url: string): ChildProcess {
  const script = join(root, 'examples', 'workers', 'score-worker.mjs');
  return spawn(process.execPath, [script, url, 'scorer-1'], { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** First the worker, so that it does not find its engine gone. */
async function ended(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  const gone = once(worker, 'exit');
  worker.kill('SIGTERM');
  await gone;
}

async function call(
  engine: RunningEngine,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const response = await fetch(`${engine.url}${path}`, {
    method,
    ...(body === undefined
      ? { headers }
      : { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  if (!response.ok)
    throw new Error(`${method} ${path} answered ${String(response.status)}: ${JSON.stringify(answer)}`);
  return answer;
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error('an order did not get on in time');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function tellNext(engine: RunningEngine, isKept: boolean): void {
  say('All three orders ended as expected. What to try next:\n');
  if (!isKept) {
    say('  npm run demo -- --keep      the same, and stays up for the commands below');
    say('  npm start                   serve, with a database in .sutra/data');
    say('  npx sutra serve --help      every way to configure it');
    say('  npx sutra lint examples/order-scoring');
    say('  docs/external-tasks.md      write a worker in any language');
    return;
  }
  say(
    `  curl -s ${engine.url}/channels/orders -H 'content-type: application/json' -d '{"orderId":"D-4","amount":800,"country":"DE"}'`,
  );
  say(`  curl -s '${engine.url}/sutra/instances?limit=5'`);
  say(`  curl -s ${engine.url}/sutra/external-tasks`);
  say(`  curl -s ${engine.url}/metrics`);
  say('\nRunning until Ctrl+C.');
}

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
}

function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}

function seconds(startedAt: number): string {
  return `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const quietLog = {
  info: () => {},
  warn: (event: string, fields?: Readonly<Record<string, unknown>>) => {
    // The first line of the demo says what the notice is about.
    if (event === 'embedded-database') return;
    process.stderr.write(`warning: ${event} ${JSON.stringify(fields ?? {})}\n`);
  },
  error: (event: string, fields?: Readonly<Record<string, unknown>>) => {
    process.stderr.write(`error: ${event} ${JSON.stringify(fields ?? {})}\n`);
  },
};

try {
  await main();
} catch (error) {
  process.stderr.write(`demo failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
