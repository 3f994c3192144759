/** An engine as a process of its own, to be killed. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { isCompiled, programArguments } from './program.ts';

/** Node's arguments for the `sutra` command: compiled tests start the one of the build, which is what is installed. */
export const sutraCommand: readonly string[] = isCompiled
  ? [fileURLToPath(new URL('../../dist/cli/sutra.js', import.meta.url))]
  : programArguments(new URL('../../cli/sutra.ts', import.meta.url));

export class EngineProcess {
  readonly url: string;
  readonly #env: Readonly<Record<string, string>>;
  #child: ChildProcess | null = null;
  #errors = '';

  /** Always the same port, so that clients find it again after a kill. */
  constructor(port: number, env: Readonly<Record<string, string>>) {
    this.url = `http://127.0.0.1:${String(port)}`;
    this.#env = { SUTRA_HTTP_PORT: String(port), SUTRA_ADMIN_OPEN: 'true', ...env };
  }

  /** The end of what it wrote to standard error: for the message of a test that fails. */
  get errors(): string {
    return this.#errors.slice(-4_000);
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Resolves once it says that it is ready. */
  start(): Promise<void> {
    const child = spawn(process.execPath, [...sutraCommand, 'serve'], {
      env: { PATH: process.env['PATH'], ...this.#env },
      cwd: fileURLToPath(new URL('.', import.meta.url)),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    child.stderr.on('data', (chunk: Buffer) => {
      this.#errors = (this.#errors + chunk.toString()).slice(-20_000);
    });
    return new Promise((resolve, reject) => {
      child.stdout.on('data', (chunk: Buffer) => {
        if (chunk.toString().includes('ready at')) resolve();
      });
      child.once('exit', (code, signal) => {
        reject(new Error(`the engine ended before it was ready (${String(code ?? signal)}): ${this.errors}`));
      });
    });
  }

  /** SIGKILL: no handler runs. Resolves when the process is gone. */
  async kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<number | null> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null) return child?.exitCode ?? null;
    const gone = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
    child.kill(signal);
    return gone;
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
