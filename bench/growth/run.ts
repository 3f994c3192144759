/**
 * `npm run bench:growth`: whether it stays as fast with many rows, with many channels, and after many orders, on the
 * PostgreSQL of SUTRA_TEST_DATABASE_URL. Prints lines and writes bench/results/growth-<time>.json. See bench/README.md.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { root } from '../engine-process.ts';
import { measureChannels } from './channels.ts';
import { measureChurn } from './churn.ts';
import { readOptions, usage, type GrowthOptions, type GrowthPart } from './options.ts';
import { releaseAll } from './resources.ts';
import { measureRows } from './rows.ts';
import { readServer } from '../peers/database.ts';

type Measure = (server: string, options: GrowthOptions) => Promise<unknown>;

const measures: Readonly<Record<GrowthPart, Measure>> = {
  rows: measureRows,
  channels: measureChannels,
  churn: measureChurn,
};

async function main(options: GrowthOptions): Promise<void> {
  const server = process.env['SUTRA_TEST_DATABASE_URL'];
  if (server === undefined) throw new Error('SUTRA_TEST_DATABASE_URL must name a PostgreSQL server');
  const { version, settings } = await readServer(server);
  process.stdout.write(`${version}\n${JSON.stringify(settings)}\n`);
  const hasAutovacuum = settings['autovacuum'] === 'on';
  // Said before hours of other parts.
  if (options.parts.includes('churn') && !hasAutovacuum && !options.withoutAutovacuum) {
    throw new Error(
      'autovacuum is off on this server, and churn is about what it keeps small: turn it on, or say --without-autovacuum',
    );
  }
  const about = { cores: cpus().length, node: process.version, version, settings };
  const report: Record<string, unknown> = { ...about, options };
  for (const part of options.parts) report[part] = await measures[part](server, options);
  await mkdir(join(root, 'bench/results'), { recursive: true });
  const time = new Date().toISOString().replaceAll(':', '-');
  const file = join(root, 'bench/results', `growth-${time}.json`);
  await writeFile(file, `${JSON.stringify(report, null, 2)}\n`);
  process.stdout.write(`\nwritten to ${file}\n`);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void releaseAll().finally(() => process.exit(1)));
}
const options = readOptions(process.argv.slice(2));
if (options === 'help') {
  process.stdout.write(usage);
} else {
  try {
    await main(options);
  } finally {
    await releaseAll();
  }
}
