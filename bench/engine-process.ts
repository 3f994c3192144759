/** Engines as processes of their own, and databases of their own, for measuring. */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

export const root = fileURLToPath(new URL('..', import.meta.url));

const command = join(root, 'dist/cli/sutra.js');

export interface MeasuredEngine {
  readonly process: ChildProcess;
  readonly url: string;
}

/** @param env without it nothing of this process's environment but its path is taken over */
export async function startEngine(env: Readonly<Record<string, string>>): Promise<MeasuredEngine> {
  const child = spawn(process.execPath, [command, 'serve'], {
    env: { PATH: process.env['PATH'], SUTRA_HTTP_PORT: '0', SUTRA_ADMIN_OPEN: 'true', ...env },
    cwd: join(root, 'bench'),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const url = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const found = /ready at (\S+)/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) => {
      reject(new Error(`the engine ended with ${String(code)} before it was ready`));
    });
  });
  return { process: child, url };
}

export async function stopEngine({ process: child }: MeasuredEngine): Promise<void> {
  child.kill('SIGTERM');
  await new Promise((resolve) => child.once('exit', resolve));
}

/** Runs a command of `sutra`. @throws Error when its exit code is not 0 */
export async function runCommand(...args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [command, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`sutra ${args.join(' ')} ended with ${String(code)}`);
}

export interface OwnDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** A new database on the server. */
export async function createDatabase(server: string): Promise<OwnDatabase> {
  const name = `sutra_bench_${String(process.pid)}`;
  await withClient(server, (client) => client.query(`CREATE DATABASE ${name}`));
  const own = new URL(server);
  own.pathname = `/${name}`;
  return {
    url: own.href,
    drop: () =>
      withClient(server, async (client) => {
        await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
      }),
  };
}

export async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
