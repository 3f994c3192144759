/** Workers as processes of their own, to be blocked, stopped and killed; they tell what their runs come to. */
import { spawn, type ChildProcess } from 'node:child_process';
import { programArguments } from '../support/program.ts';
import type { ProgramMessage, ProgramOptions } from './worker-program.ts';

const PROGRAM = new URL('./worker-program.ts', import.meta.url);

export class WorkerProcess {
  /** Everything that it said, in order. */
  readonly messages: ProgramMessage[] = [];
  readonly #child: ChildProcess;
  readonly #gone: Promise<number | NodeJS.Signals | null>;
  #errors = '';

  /** @param whenSaid called for each message as it comes */
  constructor(options: ProgramOptions, whenSaid: (message: ProgramMessage) => void = () => {}) {
    this.#child = spawn(process.execPath, [...programArguments(PROGRAM), JSON.stringify(options)], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#errors = (this.#errors + chunk.toString()).slice(-20_000);
    });
    this.#child.on('message', (message: ProgramMessage) => {
      this.messages.push(message);
      whenSaid(message);
    });
    this.#gone = new Promise((resolve) => {
      // When what it said last has come, too.
      this.#child.once('close', (code, signal) => resolve(code ?? signal));
    });
  }

  /** The end of what it wrote to standard error: for the message of a test that fails. */
  get errors(): string {
    return this.#errors.slice(-4_000);
  }

  count(kind: ProgramMessage['kind']): number {
    return this.messages.filter((message) => message.kind === kind).length;
  }

  /** Of one that is held. */
  release(): void {
    this.#child.send('go');
  }

  signal(signal: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT'): void {
    this.#child.kill(signal);
  }

  /** Resolves with the exit code, or the signal, when it has ended. */
  ended(): Promise<number | NodeJS.Signals | null> {
    return this.#gone;
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#gone;
  }
}
