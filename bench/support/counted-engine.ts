/** An engine as a process of its own whose log is kept, and its metrics. */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../engine-process.ts';
import { HttpClient } from '../http-client.ts';
import { ended, type Cleanup } from './cleanup.ts';

const command = join(root, 'dist/cli/sutra.js');
/** What PostgreSQL and the engine call a deadlock, a lock that did not come in time, a commit that lost a race. */
const LOCK_TROUBLE = /deadlock|40P01|55P03|40001|lock.timeout|lock_not_available|could not serialize/i;

export class LoggedEngine {
  readonly process: ChildProcess;
  readonly url: string;
  /** JSON lines of level `warn` and `error`. */
  readonly complaints: string[];

  constructor(child: ChildProcess, url: string, complaints: string[]) {
    this.process = child;
    this.url = url;
    this.complaints = complaints;
  }

  get pid(): number {
    return this.process.pid ?? 0;
  }

  get lockTrouble(): readonly string[] {
    return this.complaints.filter((line) => LOCK_TROUBLE.test(line));
  }

  /** Every sample, by its name with its labels as they are written: `sutra_x_total{a="b"}`. */
  async metrics(): Promise<ReadonlyMap<string, number>> {
    const client = new HttpClient(this.url, 1);
    const { text } = await client.get('/metrics');
    client.close();
    const samples = new Map<string, number>();
    for (const line of text.split('\n')) {
      const space = line.lastIndexOf(' ');
      if (!line.startsWith('#') && space > 0)
        samples.set(line.slice(0, space), Number(line.slice(space + 1)));
    }
    return samples;
  }

  /** SIGTERM; resolves when it has ended. */
  stop(): Promise<void> {
    return ended(this.process, 'SIGTERM');
  }
}

/** The arguments of `serve`, and an environment with nothing of this process's own but its path. */
export function spawnEngine(
  env: Readonly<Record<string, string>>,
  nodeOptions: readonly string[] = [],
): ChildProcess {
  return spawn(process.execPath, [...nodeOptions, command, 'serve'], {
    env: { PATH: process.env['PATH'], SUTRA_HTTP_PORT: '0', SUTRA_ADMIN_OPEN: 'true', ...env },
    cwd: join(root, 'bench'),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Resolves when it says that it is ready. @throws Error with the end of its log, when it ends before */
export async function startLoggedEngine(
  env: Readonly<Record<string, string>>,
  cleanup: Cleanup,
): Promise<LoggedEngine> {
  const child = spawnEngine(env);
  cleanup.addProcess(child);
  const complaints: string[] = [];
  let rest = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    complaints.push(...lines.filter((line) => line !== '' && !line.includes('"level":"info"')));
  });
  const url = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const found = /ready at (\S+)/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) => {
      const log = complaints.slice(-3).join('\n');
      reject(new Error(`the engine ended with ${String(code)} before it was ready: ${log}`));
    });
  });
  return new LoggedEngine(child, url, complaints);
}
