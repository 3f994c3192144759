/** `--exec`: a command for each task. */
import { execFile } from 'node:child_process';
import { EngineError } from '../../config/engine-error.ts';
import { formatDuration } from '../../config/iso8601.ts';
import { quoteText } from '../../config/quote-text.ts';
import type { CliCode } from '../codes.ts';
import { outcomeOf, type LastReports, type OutputKind } from './command-outcome.ts';
import { LatestProgress } from './latest-progress.ts';
import { failed, type Outcome } from './outcome.ts';
import { runCommand, SHELL } from './run-command.ts';
import type { RunContext, RunTask } from './run-task.ts';
import { MAX_HEADERS_BYTES, taskEnvironment } from './task-environment.ts';
import type { TaskInput } from './task-input.ts';

export interface CommandTaskOptions {
  readonly command: string;
  /** What every run has; that of its task is added. */
  readonly environment: Readonly<Record<string, string>>;
  readonly output: OutputKind;
  /** Of the result; null: as the output is. */
  readonly contentType: string | null;
  /** Null: as long as it takes. */
  readonly timeoutMs: number | null;
  readonly killGraceMs: number;
  readonly maxOutputBytes: number;
  /** Lines for people, beside the result. */
  readonly note: (line: string) => void;
  /** What the commands write to their standard error, line by line. */
  readonly onErrorLine: (line: string) => void;
}

export function commandTask(options: CommandTaskOptions): RunTask {
  return (task, context) => runForTask(task, context, options);
}

async function runForTask(
  task: TaskInput,
  context: RunContext,
  options: CommandTaskOptions,
): Promise<Outcome> {
  const variables = taskEnvironment(task);
  if (variables === null) {
    const limit = String(MAX_HEADERS_BYTES);
    return failed(`the task's headers are longer than ${limit} bytes, too long for the environment`, {
      isRetryable: false,
    });
  }
  const reports: { -readonly [K in keyof LastReports]: LastReports[K] } = {
    bpmnError: null,
    retryAfterMs: null,
  };
  const progress = new LatestProgress({
    send: context.progress,
    onFault: (error) => options.note(`task ${task.id}: its progress was not taken: ${reasonOf(error)}`),
  });
  try {
    const end = await runCommand({
      command: options.command,
      environment: { ...options.environment, ...variables },
      input: task.body,
      timeoutMs: options.timeoutMs,
      killGraceMs: options.killGraceMs,
      maxOutputBytes: options.maxOutputBytes,
      signal: context.signal,
      onErrorLine: options.onErrorLine,
      onReport: (report) => {
        if (report.kind === 'progress') progress.offer(report.value);
        else if (report.kind === 'bpmnError') reports.bpmnError = report;
        else reports.retryAfterMs = report.ms;
      },
    });
    const timeout = options.timeoutMs === null ? null : formatDuration(options.timeoutMs);
    return outcomeOf(end, reports, { ...options, timeout });
  } catch (error) {
    return failed(`the command could not be started: ${reasonOf(error)}`);
  } finally {
    progress.stop();
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Of a shell's word that means itself. */
const PLAIN_WORD = /^\s*([\w./+-]+)(?=\s|$)/;
const CAN_RUN =
  'command -v -- "$1" >/dev/null || exit 1; case $1 in */*) [ -x "$1" ] && [ ! -d "$1" ];; esac';

/**
 * A command that is not there would fail task after task until all have spent their retries; better not to begin. Looks only at a first word that stands
 * for itself: what a shell makes of others, only running it would tell.
 * @throws EngineError SUTRA.CLI.COMMAND_NOT_FOUND
 */
export async function checkCommand(
  command: string,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const [, word] = PLAIN_WORD.exec(command) ?? [];
  if (word === undefined) return;
  const isFound = await new Promise<boolean>((resolve) => {
    execFile(SHELL, ['-c', CAN_RUN, 'sh', word], { env: environment }, (error) => resolve(error === null));
  });
  if (isFound) return;
  const code: CliCode = 'SUTRA.CLI.COMMAND_NOT_FOUND';
  throw new EngineError(code, `${quoteText(word)} is not there, or cannot be executed`);
}
