/** The loads as the bench sees them: processes of their own, and the lines that they print. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../engine-process.ts';
import { hold } from './resources.ts';

export interface LoopOptions {
  /** Orders go to these in turn. */
  readonly paths: readonly string[];
  /** A worker each: the channels that it fetches from. */
  readonly workers: readonly (readonly string[])[];
  readonly maxTasks: number;
  readonly senders: number;
  /** Orders sent and not yet completed. */
  readonly maxOpen: number;
  readonly warmUpSeconds: number;
  readonly reportSeconds: number;
  /** How long, where `units` is null. */
  readonly seconds: number;
  /** Until so many orders are completed, those of the warm-up included. */
  readonly units: number | null;
}

export interface LoopInterval {
  readonly event: 'interval';
  readonly completedCount: number;
  readonly refusedCount: number;
  readonly perSecond: number;
  readonly engineCpuMsPerOrder: number;
}

export type LoopEvent = { readonly event: 'warm' } | LoopInterval;

export interface ClaimOptions {
  readonly channel: string;
  readonly workers: number;
  readonly maxTasks: number;
  readonly fetches: number;
  /** Orders that are sent before, and completed afterwards. Null: the tasks are there, and stay locked. */
  readonly park: { readonly path: string; readonly orders: number } | null;
}

export interface ClaimResult {
  readonly latenciesMs: readonly number[];
  /** Those that are left locked. */
  readonly taskIds: readonly string[];
}

/** What load.ts answers in mode `throughput`. */
export interface Throughput {
  readonly perSecond: number;
  readonly refused: number;
  readonly statementsPerOrder: number;
  readonly engineCpuMsPerOrder: number;
}

export async function runThroughput(url: string, options: object): Promise<Throughput> {
  const [answer] = await runLoad('load.ts', url, 'throughput', options);
  return answer as Throughput;
}

export async function runClaims(url: string, options: ClaimOptions): Promise<ClaimResult> {
  const [answer] = await runLoad('growth/load.ts', url, 'claims', options);
  return answer as ClaimResult;
}

/** The intervals. @param onEvent hears of each event as it comes */
export async function runLoop(
  url: string,
  options: LoopOptions,
  onEvent: (event: LoopEvent) => void = () => {},
): Promise<readonly LoopInterval[]> {
  const events = await runLoad('growth/load.ts', url, 'loop', options, (line) => {
    onEvent(line as LoopEvent);
  });
  return (events as readonly LoopEvent[]).filter((event) => event.event === 'interval');
}

async function runLoad(
  file: string,
  url: string,
  mode: string,
  options: object,
  onLine: (line: unknown) => void = () => {},
): Promise<readonly unknown[]> {
  const args = ['--import', 'tsx', join(root, 'bench', file), url, mode, JSON.stringify(options)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = new Promise((resolve) => child.once('close', resolve));
  const stop = hold(async () => {
    child.kill();
    await exited;
  });
  const lines: unknown[] = [];
  for await (const text of createInterface({ input: child.stdout })) {
    const line: unknown = JSON.parse(text);
    lines.push(line);
    onLine(line);
  }
  const code = await exited;
  await stop();
  if (code !== 0) throw new Error(`the load ended with ${String(code)}`);
  return lines;
}
