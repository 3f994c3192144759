/** The same load on one channel, and spread over many: each a process with a pull channel of its own. */
import type { OwnDatabase } from '../engine-process.ts';
import { ratio, say, spread } from './figures.ts';
import { runLoop, type LoopInterval } from './load-process.ts';
import type { GrowthOptions } from './options.ts';
import { channelPackages, orderChannels } from './packages.ts';
import { checkAllEnded, deploy, holdDatabase, settle, withEngine } from './resources.ts';

const WORKERS = 64;

interface Side {
  readonly channelCount: number;
  readonly database: OwnDatabase;
  readonly runs: LoopInterval[];
}

export async function measureChannels(server: string, options: GrowthOptions): Promise<unknown> {
  const [one, many] = [
    await prepare(server, options, 1, 1),
    await prepare(server, options, options.channels, options.packages),
  ];
  for (let round = 0; round < options.rounds; round += 1) {
    for (const side of [one, many]) await measureSide(side, options);
  }
  const [alone, spreadOut] = [one, many].map(({ runs }) => runs.map(({ perSecond }) => perSecond));
  const throughputRatio = ratio(spreadOut ?? [], alone ?? []);
  say(
    'channels',
    `orders/s      1 channel ${spread(alone ?? [], 0)}   ${named(many)} ${spread(spreadOut ?? [], 0)}`,
  );
  say('channels', `orders/s      ${named(many)} / 1 channel ${throughputRatio.toFixed(2)}   target >= 0.9`);
  for (const { database } of [one, many]) await database.drop();
  return { throughputRatio, measured: [one, many].map(({ channelCount, runs }) => ({ channelCount, runs })) };
}

async function prepare(
  server: string,
  options: GrowthOptions,
  channelCount: number,
  packageCount: number,
): Promise<Side> {
  const database = await holdDatabase(server, `channels_${String(channelCount)}`);
  await withEngine(database, options.engineEnv, async (engine) =>
    deploy(engine, await channelPackages(channelCount, packageCount)),
  );
  return { channelCount, database, runs: [] };
}

async function measureSide(side: Side, options: GrowthOptions): Promise<void> {
  const { channelCount, database, runs } = side;
  await settle(database);
  await withEngine(database, options.engineEnv, async (engine) => {
    const channels = Array.from({ length: channelCount }, (_, index) => orderChannels(index));
    const { seconds, warmUpSeconds } = options;
    const intervals = await runLoop(engine.url, {
      paths: channels.map(({ path }) => path),
      workers: Array.from({ length: WORKERS }, (_, worker) => channelsOf(worker, channels)),
      maxTasks: 5,
      senders: 32,
      maxOpen: 400,
      warmUpSeconds,
      reportSeconds: seconds,
      seconds,
      units: null,
    });
    runs.push(...intervals);
  });
  await checkAllEnded(database);
  const last = runs.at(-1);
  const cpu = last?.engineCpuMsPerOrder.toFixed(2) ?? '-';
  say(
    'channels',
    named(side).padEnd(13),
    `${last?.perSecond.toFixed(0) ?? '-'} orders/s`,
    `engine ${cpu} ms CPU/order`,
  );
}

/** Every channel has a worker, also where there are fewer than workers. */
function channelsOf(worker: number, channels: readonly { readonly pull: string }[]): readonly string[] {
  if (channels.length <= WORKERS) return [channels[worker % channels.length]?.pull ?? ''];
  return channels.filter((_, index) => index % WORKERS === worker).map(({ pull }) => pull);
}

function named({ channelCount }: Side): string {
  return `${String(channelCount)} channel${channelCount === 1 ? '' : 's'}`;
}
