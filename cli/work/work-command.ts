/**
 * `sutra work <channel...>`: any program as a worker. Here is its command line; `work.ts` runs it.
 */
import { Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../../config/iso8601.ts';
import { processEnvironment, processSecrets } from '../../config/load.ts';
import { count, httpUrl } from '../operate/command.ts';
import { reportFailure } from '../failure.ts';
import { outputKinds, type OutputKind } from './command-outcome.ts';
import { checkCommand, commandTask } from './command-task.ts';
import { credentialVariables, readHeader, resolveHeaders, type HeaderOption } from './credentials.ts';
import { endpointTask } from './endpoint-task.ts';
import type { RunTask } from './run-task.ts';
import { inheritedEnvironment } from './task-environment.ts';

export interface WorkCommandOptions {
  readonly exec?: string;
  readonly http?: URL;
  readonly concurrency: number;
  readonly timeout?: Duration;
  readonly output: OutputKind;
  readonly contentType?: string;
  readonly maxOutput: number;
  readonly killGrace: Duration;
  readonly url: URL;
  readonly header?: readonly string[];
  readonly workerId?: string;
  readonly lockDuration?: Duration;
  readonly drainTimeout: Duration;
}

interface Duration {
  readonly text: string;
  readonly ms: number;
}

const EXIT_USAGE = 2;
/** As many processes or requests as one machine may sensibly be asked for. */
const MAX_CONCURRENCY = 256;
/** A result is sent as base64 in one text. */
const MAX_OUTPUT_BYTES = 268_435_456;
const DEFAULT_OUTPUT_BYTES = 10_485_760;
/** Longer than this no timer runs. */
const MAX_TIMER_MS = 2_147_483_647;

export function workCommand(): Command {
  const command = new Command('work')
    .description('Do the tasks of channels with a program: a command for each task, or a local endpoint.')
    .argument('<channel...>', 'names of channels')
    .addOption(new Option('--exec <command>', 'run this for each task, through the shell'))
    .addOption(
      new Option('--http <url>', 'post each task to this endpoint')
        .argParser(httpUrl)
        .conflicts(['exec', 'output', 'contentType', 'killGrace']),
    )
    .option('--concurrency <number>', 'so many tasks at once', upTo(MAX_CONCURRENCY), 1)
    .option('--timeout <duration>', 'how long one run may take (default: as long as it takes)', duration)
    .addOption(
      new Option('--output <kind>', 'how the standard output of a command is read')
        .choices(outputKinds)
        .default('auto'),
    )
    .option('--content-type <type>', 'of the result of a command (default: as the output is)', mediaType)
    .option(
      '--max-output <bytes>',
      'the most that a result may have',
      upTo(MAX_OUTPUT_BYTES),
      DEFAULT_OUTPUT_BYTES,
    )
    .addOption(
      new Option('--kill-grace <duration>', 'between SIGTERM and SIGKILL, when a command is stopped')
        .argParser(duration)
        .default(durationOf('PT5S'), 'PT5S'),
    );
  return engineOptions(command)
    .addHelpText('after', HELP)
    .showHelpAfterError('(see sutra work --help)')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : EXIT_USAGE))
    .action((channels: readonly string[], options: WorkCommandOptions) => run(channels, options, command));
}

function engineOptions(command: Command): Command {
  return command
    .helpGroup('Commands for a running engine:')
    .addOption(
      new Option('--url <url>', 'the engine')
        .env('ENGINE_URL')
        .argParser(httpUrl)
        .default(new URL('http://127.0.0.1:8080'), 'http://127.0.0.1:8080'),
    )
    .option(
      '--header <header>',
      "sent to the engine with each call, as 'Authorization: Bearer env:NAME'; may be there for several names",
      (text: string, before: readonly string[] | undefined) => [...(before ?? []), text],
    )
    .option('--worker-id <id>', 'as which tasks are locked (default: a random one)', workerId)
    .option(
      '--lock-duration <duration>',
      "how long a lock lasts that is not extended (default: the channel's own)",
      duration,
    )
    .addOption(
      new Option('--drain-timeout <duration>', 'how long runs may go on after SIGTERM')
        .argParser(duration)
        .default(durationOf('PT30S'), 'PT30S'),
    );
}

const HELP = `
A command gets the body on standard input, ids and headers as SUTRA_… in its environment, and gives the result on
standard output. Exit code 0 completes, 75 fails with a retry, 65 fails for good, any other fails with a retry.
On file descriptor 3 it may say, one JSON object a line:

  echo '{"progress": 0.4}' >&3
  echo '{"bpmnError": {"code": "NO_STOCK"}}' >&3

docs/work-command.md has all of it, and what the answers of an endpoint mean.`;

async function run(
  channels: readonly string[],
  options: WorkCommandOptions,
  command: Command,
): Promise<void> {
  if ((options.exec === undefined) === (options.http === undefined)) {
    command.error('error: one of --exec and --http says what does the work');
  }
  const blank = channels.find((channel) => channel.trim() === '');
  if (blank !== undefined) command.error('error: a channel has a name');
  try {
    const headers = readHeaders(options, command);
    const secrets = processSecrets();
    // Now as well: a worker without its credential had better not begin.
    resolveHeaders(headers, secrets);
    const runTask = await taskRunner(options, headers, command);
    // Only here: the other commands, and the help, need no worker.
    const { work } = await import('./work.ts');
    process.exitCode = await work({
      channels: [...new Set(channels)],
      runTask,
      url: options.url,
      headers: async () => resolveHeaders(headers, secrets),
      concurrency: options.concurrency,
      drainTimeout: options.drainTimeout.text,
      stopMs: options.http === undefined ? options.killGrace.ms : 0,
      workerId: options.workerId ?? null,
      lockDuration: options.lockDuration?.text ?? null,
      note,
      ready: (line) => process.stdout.write(`${line}\n`),
    });
  } catch (error) {
    reportFailure(error);
  }
}

/** Not by the option's own parser: what that refuses is shown, and this may be a credential. */
function readHeaders({ header = [] }: WorkCommandOptions, command: Command): readonly HeaderOption[] {
  try {
    return header.reduce<readonly HeaderOption[]>((before, text) => readHeader(text, before), []);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    command.error(`error: option '--header <header>' is invalid. ${error.message}`);
  }
}

async function taskRunner(
  options: WorkCommandOptions,
  headers: readonly HeaderOption[],
  command: Command,
): Promise<RunTask> {
  const timeoutMs = options.timeout?.ms ?? null;
  const maxOutputBytes = options.maxOutput;
  if (options.http !== undefined) return endpointTask({ url: options.http, timeoutMs, maxOutputBytes });
  if (process.platform === 'win32') command.error('error: --exec needs a POSIX system; use --http');
  const environment = inheritedEnvironment(processEnvironment(), credentialVariables(headers));
  const line = options.exec ?? '';
  await checkCommand(line, environment);
  return commandTask({
    command: line,
    environment,
    output: options.output,
    contentType: options.contentType ?? null,
    timeoutMs,
    killGraceMs: options.killGrace.ms,
    maxOutputBytes,
    note,
    onErrorLine: (text) => process.stderr.write(`${text}\n`),
  });
}

function note(line: string): void {
  process.stderr.write(`sutra work: ${line}\n`);
}

function upTo(most: number): (text: string) => number {
  return (text) => {
    const number = count(text);
    if (number <= most) return number;
    throw new InvalidArgumentError(`It must be at most ${String(most)}.`);
  };
}

function duration(text: string): Duration {
  const parsed = durationOf(text);
  if (parsed.ms >= 1 && parsed.ms <= MAX_TIMER_MS) return parsed;
  throw new InvalidArgumentError('It must be more than PT0S, and at most P24D.');
}

function durationOf(text: string): Duration {
  const parsed = parseDuration(text);
  if (parsed.ok) return { text, ms: parsed.ms };
  throw new InvalidArgumentError(`${parsed.message}.`);
}

function mediaType(text: string): string {
  if (/^[\w.+-]+\/[\w.+-]+(?:;[\x20-\x7e]*)?$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a content type, as text/csv.');
}

function workerId(text: string): string {
  const trimmed = text.trim();
  if (trimmed !== '' && trimmed.length <= 255) return trimmed;
  throw new InvalidArgumentError('It must have 1 to 255 characters.');
}
