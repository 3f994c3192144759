/**
 * What all commands that talk to a running engine have in common: their options, and how they end.
 *
 * X1 Exit codes: 0 done; 1 the engine refused something, or does not have it; 2 the command line is wrong; 3 no engine
 *    answered. docs/cli.md has them for scripts.
 * X2 Standard output has the result alone, with `--json` exactly one JSON document; all else is on standard error.
 */
import { Command, InvalidArgumentError, Option } from 'commander';
import { EngineError } from '../../config/engine-error.ts';
import { processSecrets } from '../../config/load.ts';
import { cliCodes, type CliCode } from '../codes.ts';
import { formatJson } from '../decision-output.ts';
import { reportFailure } from '../failure.ts';
import { EngineClient, Refusal } from './client.ts';

export interface OperateOptions {
  readonly url: URL;
  readonly apiKeyEnv: string;
  readonly json?: true;
}

export const EXIT_REFUSED = 1;
const EXIT_USAGE = 2;
const EXIT_UNREACHABLE = 3;
const DEFAULT_KEY_VARIABLE = 'ADMIN_API_KEY';
const unreachable: ReadonlySet<string> = new Set<CliCode>([
  'SUTRA.CLI.ENGINE_UNREACHABLE',
  'SUTRA.CLI.ANSWER_UNEXPECTED',
]);

/** A command with the common options. Of a wrong command line it says so with exit code 2. */
export function operateCommand(name: string): Command {
  return new Command(name)
    .helpGroup('Commands for a running engine:')
    .addOption(
      new Option('--url <url>', 'the engine')
        .env('ENGINE_URL')
        .argParser(httpUrl)
        .default(new URL('http://127.0.0.1:8080'), 'http://127.0.0.1:8080'),
    )
    .option('--api-key-env <name>', 'environment variable that holds the admin key', DEFAULT_KEY_VARIABLE)
    .option('--json', "one JSON document with the names of the engine's routes")
    .showHelpAfterError(`(see sutra ${name} --help)`)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : EXIT_USAGE));
}

/** Runs the action of a command and turns what it throws into words and an exit code. */
export async function runAgainstEngine(
  options: OperateOptions,
  run: (client: EngineClient) => Promise<void>,
): Promise<void> {
  try {
    await run(new EngineClient({ url: options.url, key: adminKey(options.apiKeyEnv) }));
  } catch (error) {
    reportFailure(error);
    const code = exitCodeOf(error);
    if (code !== null) process.exitCode = code;
  }
}

/** Null: a fault of ours. */
export function exitCodeOf(error: unknown): number | null {
  // The engine could not read what was asked: a value of the command line is wrong.
  if (error instanceof Refusal) return error.status === 400 ? EXIT_USAGE : EXIT_REFUSED;
  if (!(error instanceof EngineError)) return null;
  if (unreachable.has(error.code)) return EXIT_UNREACHABLE;
  return Object.hasOwn(cliCodes, error.code) ? EXIT_USAGE : EXIT_REFUSED;
}

/** An engine with open admin routes needs none, so the usual variable may be missing; one that was named may not. */
function adminKey(variable: string): string | undefined {
  const found = processSecrets().resolve(`env:${variable}`);
  if (found.ok) return found.secret;
  if (variable === DEFAULT_KEY_VARIABLE) return undefined;
  const code: CliCode = 'SUTRA.CLI.KEY_MISSING';
  throw new EngineError(code, `the admin key is missing: ${found.message}`);
}

export function httpUrl(text: string): URL {
  if (/^https?:/i.test(text) && URL.canParse(text)) return new URL(text);
  throw new InvalidArgumentError('It must be an http or https URL.');
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** For one id, and for each of several. */
export function uuid(text: string): string {
  if (UUID.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError('It must be a UUID, as the lists show it.');
}

export function uuids(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...new Set([...(before ?? []), uuid(text)])];
}

/** A whole number from 1. */
export function count(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1.');
}

/** Of the terminal on standard output; null: a file or a pipe. */
export function terminalWidth(): number | null {
  return process.stdout.isTTY ? process.stdout.columns : null;
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(data: unknown): void {
  print(formatJson(data));
}

/** Words beside the result. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}
