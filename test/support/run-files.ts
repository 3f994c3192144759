/**
 * Runs test files one after the other in a process of their own and judges what they did. To load the sources and
 * to start an embedded database takes longer than most files: files in one process share both.
 *
 * R1 They pass only if of each at least one test ran, all passed, none was left out, and the process ended by
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
import { FILE_MARK, REPORT_FD } from './line-reporter.ts';
import type { TestLine } from './line-reporter.ts';
import { moduleOf, programArguments } from './program.ts';

export interface Failure {
  /** As it was given; several, when nobody knows which of them it was. */
  readonly file: string;
  readonly test: string;
  readonly reason: string;
}

export interface FilesResult {
  readonly files: readonly string[];
  readonly passedCount: number;
  readonly failures: readonly Failure[];
  readonly durationMs: number;
  /** The processor's time of the process, without what it started; 0 when it did not end in an orderly way. */
  readonly cpuMs: number;
  /** The end of what the files printed; shown when one failed. */
  readonly output: string;
}

export interface RunOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The longest that a test may run, unless it ends earlier by its own limit. */
  readonly testTimeoutMs: number;
  /** The longest without any test running: before the first, or after the last. */
  readonly idleTimeoutMs: number;
  readonly signal: AbortSignal;
  readonly onFailure: (failure: Failure) => void;
  /** Of a file without tests: has it none here because what it needs is not there? Default: never. */
  readonly mayBeEmpty?: (file: string) => boolean;
}

const KEPT_OUTPUT_CHARS = 16_000;
const REPORTER = fileURLToPath(moduleOf(new URL('./line-reporter.ts', import.meta.url)));
const LOADER = new URL('./load-files.ts', import.meta.url);

/** @param files paths, relative to the working directory */
export function runFiles(files: readonly string[], options: RunOptions): Promise<FilesResult> {
  return new FilesRun(files, options).run();
}

class FilesRun {
  readonly #files: readonly string[];
  readonly #options: RunOptions;
  readonly #startedAt = performance.now();
  readonly #failures: Failure[] = [];
  /** How many tests are running, by name: names may repeat in different suites. */
  readonly #running = new Map<string, number>();
  /** How many ended tests the parent of each nesting level has so far; children end before it. */
  readonly #childCounts: number[] = [];
  /** Whose tests are ending. */
  #file: string | null = null;
  /** How many tests of each file have passed. */
  readonly #passedCounts = new Map<string, number>();
  #hasFinished = false;
  #cpuMs = 0;
  #output = '';
  #watchdog: NodeJS.Timeout | undefined;

  constructor(files: readonly string[], options: RunOptions) {
    this.#files = files;
    this.#options = options;
  }

  async run(): Promise<FilesResult> {
    const args = [
      // In MB: most of what tests make is soon garbage, and few collections take less time than many.
      '--max-semi-space-size=32',
      `--test-reporter=${REPORTER}`,
      '--test-reporter-destination=stdout',
      ...programArguments(LOADER),
      ...this.#files,
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
      files: this.#files,
      passedCount: [...this.#passedCounts.values()].reduce((sum, count) => sum + count, 0),
      failures: this.#failures,
      durationMs: performance.now() - this.#startedAt,
      cpuMs: this.#cpuMs,
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
          this.#fail(null, line.message);
        }
        break;
      case 'finished':
        this.#hasFinished = true;
        this.#cpuMs = line.cpuMs;
        break;
    }
  }

  #takeEnd(line: TestLine & { readonly kind: 'ended' }): void {
    if (line.nesting === 0 && line.name.startsWith(FILE_MARK)) {
      this.#file = line.name.slice(FILE_MARK.length);
      return;
    }
    const hadChildren = (this.#childCounts[line.nesting + 1] ?? 0) > 0;
    this.#childCounts[line.nesting + 1] = 0;
    this.#childCounts[line.nesting] = (this.#childCounts[line.nesting] ?? 0) + 1;
    if (line.leftOut !== null) {
      this.#fail(line.name, `${line.leftOut} (a test that does not run proves nothing)`);
    } else if (!line.hasPassed) {
      if (!line.isEcho) {
        this.#fail(line.name, line.error ?? 'failed without an error');
      }
    } else if (!line.isSuite && !hadChildren && this.#file !== null) {
      this.#passedCounts.set(this.#file, (this.#passedCounts.get(this.#file) ?? 0) + 1);
    }
  }

  #judge(exit: string): void {
    if (this.#failures.length > 0) {
      return;
    }
    if (exit !== '0') {
      this.#fail(null, `the process ended with ${exit} outside any test`);
      return;
    }
    for (const file of this.#files) {
      if (this.#hasFinished && (this.#passedCounts.has(file) || this.#options.mayBeEmpty?.(file) === true))
        continue;
      this.#file = file;
      this.#fail(file, 'the file has no tests, or its process left before they had ended');
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
    this.#fail(null, reason);
    endGroup(child);
  }

  /** @param test null: it is not known which, nor of which file */
  #fail(test: string | null, reason: string): void {
    const all = this.#files.join(' ');
    const failure = { file: test === null ? all : (this.#file ?? all), test: test ?? all, reason };
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
