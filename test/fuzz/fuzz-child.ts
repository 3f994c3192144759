/**
 * One child process, started when it is needed and ended when an input took too long.
 *
 * F1 A task is answered input by input. The silence between two answers is what an input takes, so a child
 *    that is silent for longer than the limit is at the input after the last answer.
 * F2 After `overtime` and `died` there is no child; the next task starts one.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { moduleOf, runtimeArguments } from '../support/program.ts';
import type { Verdict } from './check-input.ts';
import type { Judgement } from './judgement.ts';
import type { Answer, Done, Task } from './protocol.ts';

export type Outcome<Found extends Judgement = Verdict> =
  | Done<Found>
  /** `call`: what the input was at, or null when it is not known. */
  | { readonly kind: 'overtime'; readonly limitMs: number; readonly call: string | null }
  | { readonly kind: 'died'; readonly reason: string };

type Said<Found extends Judgement> =
  Exclude<Answer<Found>, { readonly kind: 'entering' }> | Extract<Outcome, { readonly kind: 'died' }>;

export interface ChildOptions {
  /** Of the old generation, in MB: what an input may make the process hold. */
  readonly heapMb: number;
  /** How many times as long as usual is waited: on a machine that gives the processes little time. Default: 1. */
  readonly patience?: number;
  /** The program; default: `child.ts`. */
  readonly file?: URL;
  /** Arguments of the program; default: none. */
  readonly programArguments?: readonly string[];
  /** All of its stack; default: the runtime's own. */
  readonly stackKb?: number;
}

/** Loading the sources, the engine and the corpus takes a second or two on a busy machine. */
const START_LIMIT_MS = 60_000;
const KEPT_STDERR_CHARS = 10_000;
const SHOWN_STDERR_CHARS = 500;

export class FuzzChild<Found extends Judgement = Verdict> {
  readonly #options: ChildOptions;
  #process: ChildProcess | null = null;
  readonly #answers: Said<Found>[] = [];
  #wake: (() => void) | null = null;
  #call: string | null = null;

  constructor(options: ChildOptions) {
    this.#options = options;
  }

  /** @throws Error when the child does not start */
  async send(task: Task): Promise<void> {
    this.#process ??= await this.#start();
    this.#call = null;
    this.#process.send(task);
  }

  /** The answer to the next input of the task. @param limitMs of silence, where there is no reason for patience */
  async next(limitMs: number): Promise<Outcome<Found>> {
    const answer = await this.#answer(limitMs * (this.#options.patience ?? 1));
    if (answer?.kind === 'done') return answer;
    this.stop();
    if (answer === null) return { kind: 'overtime', limitMs, call: this.#call };
    return answer.kind === 'died' ? answer : { kind: 'died', reason: 'it started twice' };
  }

  /** Ends the child, whatever it does. */
  stop(): void {
    this.#process?.removeAllListeners();
    this.#process?.kill('SIGKILL');
    this.#process = null;
    this.#answers.length = 0;
  }

  async #start(): Promise<ChildProcess> {
    const { heapMb, file = new URL('child.ts', import.meta.url), programArguments, stackKb } = this.#options;
    const child = fork(fileURLToPath(moduleOf(file)), programArguments, {
      execArgv: [
        ...runtimeArguments,
        '--expose-gc',
        '--max-semi-space-size=32',
        `--max-old-space-size=${heapMb}`,
        ...(stackKb === undefined ? [] : [`--stack-size=${stackKb}`]),
      ],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-KEPT_STDERR_CHARS);
    });
    child.on('message', (answer: Answer<Found>) => {
      if (answer.kind === 'entering') this.#call = answer.call;
      else this.#add(answer);
    });
    child.on('close', (code, signal) => {
      const said = /^FATAL ERROR.*$/m.exec(stderr)?.[0] ?? stderr.trim().slice(-SHOWN_STDERR_CHARS);
      this.#add({ kind: 'died', reason: `ended with ${signal ?? `code ${String(code)}`}; ${said}` });
    });
    this.#process = child;
    const answer = await this.#answer(START_LIMIT_MS * (this.#options.patience ?? 1));
    if (answer?.kind !== 'ready') {
      this.stop();
      throw new Error(`a child process did not start: ${JSON.stringify(answer)}`);
    }
    return child;
  }

  #add(answer: Said<Found>): void {
    this.#answers.push(answer);
    this.#wake?.();
  }

  /** Null: there was none within the limit. */
  async #answer(limitMs: number): Promise<Said<Found> | null> {
    if (this.#answers.length === 0) {
      await new Promise<void>((resolve) => {
        // After the timer, one look at what has come meanwhile: this process too may have been held up.
        const timer = setTimeout(() => setImmediate(resolve), limitMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#wake = null;
    }
    return this.#answers.shift() ?? null;
  }
}
