/**
 * One command for one task, from its start until nothing of it is left.
 *
 * R1 The run ends when the command itself has exited. What it has started in its group and left behind is ended then.
 * R2 It is stopped at most once, for one reason: SIGTERM to the group, SIGKILL when the grace is over.
 * R3 Whatever it writes, the memory is bounded: standard output by its limit (over it, the command is stopped), standard
 *    error and reports by the length of what is kept.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { CappedBytes, Lines, TextTail } from './output.ts';
import { openPipes, type CommandPipes } from './pipes.ts';
import { ProcessGroup } from './process-group.ts';
import { readReport, type Report } from './report.ts';

export interface RunOptions {
  /** For the shell. */
  readonly command: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly input: Uint8Array;
  /** Null: as long as it takes. */
  readonly timeoutMs: number | null;
  /** Between SIGTERM and SIGKILL. */
  readonly killGraceMs: number;
  /** Of standard output. */
  readonly maxOutputBytes: number;
  /** Aborted: the result is of no use any more. */
  readonly signal: AbortSignal;
  readonly onReport: (report: Report) => void;
  readonly onErrorLine: (line: string) => void;
}

export type StopReason = 'aborted' | 'timeout' | 'output';

export interface RunEnd {
  /** Null: a signal ended it. */
  readonly exitCode: number | null;
  readonly exitSignal: NodeJS.Signals | null;
  /** Null: it was not stopped from here. */
  readonly stopReason: StopReason | null;
  readonly output: Uint8Array;
  /** The end of standard error. */
  readonly errorText: string;
  /** The first line of descriptor 3 that was no report, in words. */
  readonly reportFault: string | null;
}

export const SHELL = '/bin/sh';
const ERROR_TAIL_LENGTH = 65_536;
const MAX_ERROR_LINE_BYTES = 16_384;
const MAX_REPORT_BYTES = 1_048_576;
/** How long output may still come from what the command has left behind: enough for `… | tee log` to finish. A guess. */
const LINGER_MS = 1_000;

/** @throws Error when the system cannot start it. */
export async function runCommand(options: RunOptions): Promise<RunEnd> {
  const pipes = await openPipes(options.input);
  try {
    const child = spawn(SHELL, ['-c', options.command], {
      detached: true,
      env: options.environment,
      stdio: [...pipes.childEnds],
    });
    const group = new ProcessGroup(await idOf(child));
    pipes.closeChildEnds();
    return await new CommandRun(child, group, pipes, options).ended();
  } catch (error) {
    pipes.closeChildEnds();
    throw error;
  } finally {
    // What has left the group may hold the other ends open for ever.
    for (const socket of [pipes.output, pipes.errors, pipes.reports]) socket.destroy();
  }
}

/** A process has its id at once, or never. */
function idOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    if (child.pid !== undefined) resolve(child.pid);
  });
}

class CommandRun {
  readonly #options: RunOptions;
  readonly #group: ProcessGroup;
  readonly #output: CappedBytes;
  readonly #errorTail = new TextTail(ERROR_TAIL_LENGTH);
  readonly #exited: Promise<{ exitCode: number | null; exitSignal: NodeJS.Signals | null }>;
  readonly #outputEnded: Promise<unknown>;
  #reportCount = 0;
  #reportFault: string | null = null;
  #stopReason: StopReason | null = null;
  #killTimer: NodeJS.Timeout | undefined;

  constructor(child: ChildProcess, group: ProcessGroup, pipes: CommandPipes, options: RunOptions) {
    this.#options = options;
    this.#group = group;
    this.#output = new CappedBytes(options.maxOutputBytes);
    this.#exited = new Promise((resolve) => {
      child.once('exit', (exitCode, exitSignal) => resolve({ exitCode, exitSignal }));
    });
    this.#outputEnded = Promise.all([
      this.#read(pipes.output, (chunk) => {
        if (!this.#output.add(chunk)) this.#stop('output');
      }),
      this.#readLines(pipes.errors, MAX_ERROR_LINE_BYTES, (line, isCut) => this.#takeErrorLine(line, isCut)),
      this.#readLines(pipes.reports, MAX_REPORT_BYTES, (line, isCut) => this.#takeReport(line, isCut)),
    ]);
  }

  async ended(): Promise<RunEnd> {
    const { signal, timeoutMs, killGraceMs } = this.#options;
    const onAbort = (): void => this.#stop('aborted');
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    const timer = timeoutMs === null ? undefined : setTimeout(() => this.#stop('timeout'), timeoutMs);
    const { exitCode, exitSignal } = await this.#exited;
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    const stopReason = this.#stopReason;
    if (stopReason === null) await within(LINGER_MS, this.#outputEnded);
    await this.#group.end(killGraceMs);
    clearTimeout(this.#killTimer);
    await within(LINGER_MS, this.#outputEnded);
    return {
      exitCode,
      exitSignal,
      // Too much output counts also when it is found after the end.
      stopReason: stopReason ?? this.#stopReason,
      output: this.#output.bytes,
      errorText: this.#errorTail.text,
      reportFault: this.#reportFault,
    };
  }

  /** R2 */
  #stop(reason: StopReason): void {
    if (this.#stopReason !== null) return;
    this.#stopReason = reason;
    this.#group.send('SIGTERM');
    this.#killTimer = setTimeout(() => this.#group.send('SIGKILL'), this.#options.killGraceMs);
  }

  #read(socket: Socket, onChunk: (chunk: Buffer) => void): Promise<void> {
    socket.on('data', onChunk);
    socket.on('error', () => socket.destroy());
    return new Promise((resolve) => socket.once('close', () => resolve()));
  }

  async #readLines(
    socket: Socket,
    maxBytes: number,
    onLine: (line: string, isCut: boolean) => void,
  ): Promise<void> {
    const lines = new Lines(maxBytes, onLine);
    await this.#read(socket, (chunk) => lines.add(chunk));
    lines.end();
  }

  #takeErrorLine(line: string, isCut: boolean): void {
    const shown = isCut ? `${line}…` : line;
    this.#errorTail.add(`${shown}\n`);
    this.#options.onErrorLine(shown);
  }

  #takeReport(line: string, isCut: boolean): void {
    this.#reportCount += 1;
    if (line.trim() === '') return;
    const read = isCut
      ? { ok: false as const, message: `it is longer than ${String(MAX_REPORT_BYTES)} bytes` }
      : readReport(line);
    if (read.ok) this.#options.onReport(read.report);
    else
      this.#reportFault ??= `line ${String(this.#reportCount)} of descriptor 3 is no report: ${read.message}`;
  }
}

/** Resolves with it, or once the time is over. */
async function within(ms: number, promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([promise, over]);
  clearTimeout(timer);
}
