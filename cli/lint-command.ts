import { Command, InvalidArgumentError, Option } from 'commander';
import type { Finding } from '../config/engine-error.ts';
import { loadSettings } from '../config/load.ts';
import { findingCodes } from '../definitions/finding-codes.ts';
import { countFindings, formatFindings, formatFindingsJson } from '../definitions/lint-format.ts';
import type { LintOptions as PackageLintOptions } from '../definitions/lint.ts';
import { formatFindingsSarif } from '../definitions/lint-sarif.ts';
import { cliCodes } from './codes.ts';
import { lintTargets } from './lint-targets.ts';
import { packageVersion } from './version.ts';

interface LintOptions {
  readonly format: Format;
  readonly maxWarnings: number;
  readonly config?: string;
}

const codes = { ...findingCodes, ...cliCodes };

const formats = {
  text: (findings) => formatFindings(findings, { codes, isColoured: hasColours() }),
  json: (findings) => formatFindingsJson(findings, codes),
  sarif: (findings) => formatFindingsSarif(findings, { codes, version: packageVersion() }),
} as const satisfies Record<string, (findings: readonly Finding[]) => string>;

type Format = keyof typeof formats;

export function lintCommand(): Command {
  return new Command('lint')
    .description(
      'Check packages as a deployment would, and what it would let through; list every finding with its place and a remedy. Exit code 1 when there is one.',
    )
    .argument('<path...>', 'package folders, or files of a package: these are checked by themselves')
    .addOption(new Option('--format <format>', 'how to print').choices(Object.keys(formats)).default('text'))
    .option('--max-warnings <number>', 'exit code 0 for up to so many warnings', wholeNumber, 0)
    .option('-c, --config <file>', "an engine's configuration: packages are held against its ceilings")
    .action(lint);
}

async function lint(targets: readonly string[], options: LintOptions): Promise<void> {
  const findings = await lintTargets(targets, operatorOf(options));
  process.stdout.write(`${formats[options.format](findings)}\n`);
  const { errorCount, warningCount } = countFindings(findings);
  if (errorCount > 0 || warningCount > options.maxWarnings) process.exitCode = 1;
}

/** What the operator of an engine with that configuration allows. The environment here is not that of the engine. */
function operatorOf({ config }: LintOptions): PackageLintOptions {
  if (config === undefined) return {};
  const { externalTask, codec } = loadSettings({ env: {}, configFile: config }).settings;
  return { operator: { ...externalTask, ...codec } };
}

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}

/** Not for a file or a pipe; NO_COLOR and TERM are respected. */
function hasColours(): boolean {
  return process.stdout.isTTY && process.stdout.hasColors();
}
