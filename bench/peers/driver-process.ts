/** A driver, seen from the bench. */
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { root } from '../engine-process.ts';
import type { DriverAnswer, DriverAnswers, DriverRequest } from './driver-protocol.ts';

/** Beyond what it is asked to take, so that a peer that hangs ends the run with a word. */
const TIMEOUT_MS = 60_000;

export class DriverProcess {
  readonly #name: string;
  readonly #child: ChildProcess;

  constructor(name: string) {
    this.#name = name;
    this.#child = fork(fileURLToPath(new URL('driver.ts', import.meta.url)), [], {
      cwd: root,
      execArgv: ['--import', 'tsx', '--no-deprecation'],
      // Each peer has its own idea of what is worth a line; the table goes to stdout.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, NO_LOG_SUCCESS: '1', NODE_ENV: 'production' },
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** @throws Error when the driver fails, ends or does not answer */
  ask<Request extends DriverRequest>(request: Request): Promise<DriverAnswers[Request['kind']]> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timeout);
        this.#child.off('message', onMessage);
        this.#child.off('exit', onExit);
      };
      const onMessage = (message: DriverAnswer): void => {
        settle();
        if (message.kind === 'failed')
          reject(new Error(`${this.#name}: ${request.kind}: ${message.message}`));
        else resolve(message.value as DriverAnswers[Request['kind']]);
      };
      const onExit = (code: number | null): void => {
        settle();
        reject(new Error(`${this.#name}: the driver ended with ${String(code)} at ${request.kind}`));
      };
      const wantedMs = request.kind === 'oneAtATime' ? request.seconds * 1000 : 0;
      const timeout = setTimeout(() => {
        settle();
        reject(new Error(`${this.#name}: the driver did not answer to ${request.kind}`));
      }, TIMEOUT_MS + wantedMs);
      this.#child.on('message', onMessage);
      this.#child.on('exit', onExit);
      this.#child.send(request);
    });
  }

  /** Idempotent. */
  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await ended;
  }
}
