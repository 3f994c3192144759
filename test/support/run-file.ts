/**
 * Runs one test file in a process of its own and judges what it did.
 *
 * R1 A file passes only if at least one test ran, all passed, none was left out, and the process ended by
 *    itself, with code 0, after its last test.
 * R2 Nothing hangs for ever: a process in which no test ends within the limit is ended, and the tests
 *    that were running are named.
 * R3 The process is the leader of a group, and the group ends with it: servers that a test started do
 *    not outlive the test.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { REPORT_FD } from './line-reporter.ts';
import type { TestLine } from './line-reporter.ts';

export interface Failure {
  readonly test: string;
  readonly reason: string;
}

export interface FileResult {
  readonly file: string;
  readonly passedCount: number;
  readonly failures: readonly Failure[];
  readonly durationMs: number;
  /** The end of what the file printed; shown when it failed. */
  readonly output: string;
}

export interface RunFileOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The longest that a test may run, unless it ends earlier by its own limit. */
  readonly testTimeoutMs: number;
  /** The longest without any test running: before the first, or after the last. */
  readonly idleTimeoutMs: number;
  readonly signal: AbortSignal;
  readonly onFailure: (failure: Failure) => void;
}

const KEPT_OUTPUT_CHARS = 16_000;
const REPORTER = fileURLToPath(new URL('./line-reporter.ts', import.meta.url));

export function runFile(file: string, options: RunFileOptions): Promise<FileResult> {
  return new FileRun(file, options).run();
}

class FileRun {
  readonly #file: string;
  readonly #options: RunFileOptions;
  readonly #startedAt = performance.now();
  readonly #failures: Failure[] = [];
  /** How many tests are running, by name: names may repeat in different suites. */
  readonly #running = new Map<string, number>();
  /** How many ended tests the parent of each nesting level has so far; children end before it. */
  readonly #childCounts: number[] = [];
  #passedCount = 0;
  #hasFinished = false;
  #output = '';
  #watchdog: NodeJS.Timeout | undefined;

  constructor(file: string, options: RunFileOptions) {
    this.#file = file;
    this.#options = options;
  }

  async run(): Promise<FileResult> {
    const args = [
      '--import',
      'tsx',
      `--test-reporter=${REPORTER}`,
      '--test-reporter-destination=stdout',
      this.#file,
    ];
    const child = spawn(process.execPath, args, {
      env: this.#options.env,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      detached: true,
    });
    const onAbort = (): void => this.#stop(child, 'the run was interrupted');
    this.#options.signal.addEventListener('abort', onAbort, { once: true });
    child.stdout?.setEncoding('utf8').on('data', (text: string) => this.#keepOutput(text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => this.#keepOutput(text));
    this.#watch(child);
    const reports = child.stdio[REPORT_FD];
    if (reports !== null && reports !== undefined && 'read' in reports) {
      createInterface({ input: reports }).on('line', (line) => {
        this.#take(JSON.parse(line) as TestLine);
        this.#watch(child);
      });
    }
    const exit = await new Promise<string>((done) => {
      child.on('error', (error) => done(error.message));
      // A server that a test left running holds our pipes open: `exit` comes without `close` then.
      child.on('exit', () => endGroup(child));
      child.on('close', (code, signal) => done(signal ?? String(code ?? 'unknown')));
    });
    clearTimeout(this.#watchdog);
    this.#options.signal.removeEventListener('abort', onAbort);
    this.#judge(exit);
    return {
      file: this.#file,
      passedCount: this.#passedCount,
      failures: this.#failures,
      durationMs: performance.now() - this.#startedAt,
      output: this.#output,
    };
  }

  #take(line: TestLine): void {
    switch (line.kind) {
      case 'started':
        this.#running.set(line.name, (this.#running.get(line.name) ?? 0) + 1);
        break;
      case 'completed': {
        const left = (this.#running.get(line.name) ?? 1) - 1;
        if (left === 0) {
          this.#running.delete(line.name);
        } else {
          this.#running.set(line.name, left);
        }
        break;
      }
      case 'ended':
        this.#takeEnd(line);
        break;
      case 'diagnostic':
        if (line.message.includes('asynchronous activity after the test ended')) {
          this.#fail(this.#file, line.message);
        }
        break;
      case 'finished':
        this.#hasFinished = true;
        break;
    }
  }

  #takeEnd(line: TestLine & { readonly kind: 'ended' }): void {
    const hadChildren = (this.#childCounts[line.nesting + 1] ?? 0) > 0;
    this.#childCounts[line.nesting + 1] = 0;
    this.#childCounts[line.nesting] = (this.#childCounts[line.nesting] ?? 0) + 1;
    if (line.leftOut !== null) {
      this.#fail(line.name, `${line.leftOut} (a test that does not run proves nothing)`);
    } else if (!line.hasPassed) {
      if (!line.isEcho) {
        this.#fail(line.name, line.error ?? 'failed without an error');
      }
    } else if (!line.isSuite && !hadChildren) {
      this.#passedCount += 1;
    }
  }

  #judge(exit: string): void {
    if (this.#failures.length > 0) {
      return;
    }
    if (exit !== '0') {
      this.#fail(this.#file, `the process ended with ${exit} outside any test`);
    } else if (!this.#hasFinished || this.#passedCount === 0) {
      this.#fail(this.#file, 'the file has no tests, or its process left before they had ended');
    }
  }

  /** Starts the wait for the next line again. */
  #watch(child: ChildProcess): void {
    clearTimeout(this.#watchdog);
    const { testTimeoutMs, idleTimeoutMs } = this.#options;
    const limitMs = this.#running.size > 0 ? testTimeoutMs : idleTimeoutMs;
    this.#watchdog = setTimeout(() => {
      const running = [...this.#running.keys()].join(', ');
      const seconds = `${limitMs / 1000} s`;
      this.#stop(
        child,
        running === ''
          ? `no test was running for ${seconds}: something was left open, or the file does not load`
          : `no test ended for ${seconds}; running: ${running}`,
      );
    }, limitMs);
  }

  #stop(child: ChildProcess, reason: string): void {
    this.#fail(this.#file, reason);
    endGroup(child);
  }

  #fail(test: string, reason: string): void {
    const failure = { test, reason };
    this.#failures.push(failure);
    this.#options.onFailure(failure);
  }

  #keepOutput(text: string): void {
    this.#output = (this.#output + text).slice(-KEPT_OUTPUT_CHARS);
  }
}

/** Ends the child and whatever it started; most often there is nothing left. */
function endGroup(child: ChildProcess): void {
  if (child.pid !== undefined) {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The group has ended by itself.
    }
  }
}
