/** The packages of `npm run bench:growth`, made of the one order of bench/package, so that the unit is the same. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../engine-process.ts';

/** One order's channels: where it comes in, and from where its request is pulled. */
export interface OrderChannels {
  readonly path: string;
  readonly pull: string;
}

/** Those of bench/package, which bench/load.ts uses. */
export const MEASURED: OrderChannels = { path: '/channels/bench-orders', pull: 'bench-score' };
/** The channels of the backlogs: a large one, which no worker asks for, and a small one to compare with. */
export const BACKLOG: OrderChannels = { path: '/channels/growth-backlog', pull: 'growth-backlog' };
export const SMALL: OrderChannels = { path: '/channels/growth-small', pull: 'growth-small' };
/** Where instances begin that wait for a message, and where that message comes in. */
export const WAITING = { path: '/channels/growth-waiting', answerPath: '/channels/growth-answers' };

/** Requests of one backlog instance, side by side. */
export const BACKLOG_WIDTH = 5;

/** Relative path to text. */
type Files = Readonly<Record<string, string>>;

/** The order of bench/package on its own channels, and in the same deployment the processes of the backlogs. */
export async function rowsPackage(): Promise<Files> {
  const branches = (name: string): string =>
    Array.from(
      { length: BACKLOG_WIDTH },
      (_, index) =>
        `      - - call: ${name}\n          id: ask-${String(index)}\n          input: { order: =order }`,
    ).join('\n');
  const backlog = ({ pull }: OrderChannels): string =>
    `steps:\n  - start: ${pull}-in\n    variable: order\n  - parallel:\n${branches(pull)}\n`;
  const inbound = (name: string, path: string): string =>
    `  - { name: ${name}, transport: http, bind: 'POST ${path}', ack-mode: on-persist }\n`;
  const pulled = (name: string): string => `  - { name: ${name}, transport: pull }\n`;
  return {
    'package.yaml': "labels: { tenant: bench, module: growth, version: '1.0.0' }\n",
    'channels.yaml': [
      'channels:\n',
      inbound('orders', MEASURED.path),
      pulled(MEASURED.pull),
      ...[BACKLOG, SMALL].map(({ path, pull }) => inbound(`${pull}-in`, path) + pulled(pull)),
      inbound('waiting-in', WAITING.path),
      inbound('answers-in', WAITING.answerPath),
    ].join(''),
    'bpmn/order.bpmn': await orderModel(),
    'flows/growth-backlog.yaml': backlog(BACKLOG),
    'flows/growth-small.yaml': backlog(SMALL),
    'flows/growth-waiting.yaml':
      'steps:\n  - start: waiting-in\n    variable: order\n    alias: { orderId: =order.orderId }\n' +
      '  - wait: answers-in\n    variable: answer\n    alias: { orderId: =answer.orderId }\n',
  };
}

/** Order `index` of an installation with many. */
export function orderChannels(index: number): OrderChannels {
  return { path: `/channels/growth-orders-${String(index)}`, pull: `growth-score-${String(index)}` };
}

/** Packages that together have `count` orders, each a process with a pull channel of its own. */
export async function channelPackages(count: number, packageCount: number): Promise<readonly Files[]> {
  const model = await orderModel();
  return Array.from({ length: packageCount }, (_, packageIndex) => {
    const files: Record<string, string> = {
      'package.yaml': `labels: { tenant: bench, module: 'part-${String(packageIndex)}', version: '1.0.0' }\n`,
    };
    let channels = 'channels:\n';
    for (let index = packageIndex; index < count; index += packageCount) {
      const { path, pull } = orderChannels(index);
      const [inbound, processId] = [`orders-${String(index)}`, `bench-order-${String(index)}`];
      channels += `  - { name: ${inbound}, transport: http, bind: 'POST ${path}', ack-mode: on-persist }\n`;
      channels += `  - { name: ${pull}, transport: pull }\n`;
      files[`bpmn/${processId}.bpmn`] = model
        .replace('id="bench-order"', `id="${processId}"`)
        .replace('id="bench-definitions"', `id="definitions-${String(index)}"`)
        .replace('channel="orders"', `channel="${inbound}"`)
        .replace('channel:bench-score', `channel:${pull}`);
    }
    files['channels.yaml'] = channels;
    return files;
  });
}

/** Writes a package to a folder of its own, and removes it behind `use`. */
export async function withPackage(files: Files, use: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'sutra-growth-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(directory, path)), { recursive: true });
      await writeFile(join(directory, path), text);
    }
    await use(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function orderModel(): Promise<string> {
  return readFile(join(root, 'bench/package/bpmn/order.bpmn'), 'utf8');
}
