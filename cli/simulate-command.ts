import { relative, resolve, sep } from 'node:path';
import { Command, Option } from 'commander';
import { EngineError, type Finding } from '../config/engine-error.ts';
import { loadSettings } from '../config/load.ts';
import { quoteText } from '../config/quote-text.ts';
import { findingCodes } from '../definitions/finding-codes.ts';
import { formatFindings } from '../definitions/lint-format.ts';
import { folderNameOf, readPackageFolder } from '../definitions/package-folder.ts';
import type { PackageFile } from '../definitions/package-model.ts';
import { compilePackage } from '../definitions/package.ts';
import { scenarioCodes, type ScenarioCode } from '../definitions/scenarios/codes.ts';
import { isScenarioFile, readScenarios } from '../definitions/scenarios/read-scenario.ts';
import type { ScenarioResult } from '../server/scenarios/run-scenarios.ts';
import { formatResult, formatResultsJson, formatSummary } from './scenario-output.ts';

interface SimulateOptions {
  readonly format: 'text' | 'json';
  readonly config?: string;
}

const codes = { ...findingCodes, ...scenarioCodes };

export function simulateCommand(): Command {
  return new Command('simulate')
    .description(
      'Run the scenarios of a package, each on an engine in memory: no port, no database, no waiting. Exit code 1 when one fails.',
    )
    .argument('<package>', 'the package folder')
    .argument('[scenario...]', 'only these files of its scenarios/')
    .addOption(
      new Option('--format <format>', 'how to print').choices(['text', 'json'] as const).default('text'),
    )
    .option('-c, --config <file>', 'configuration file of the engine that the package is for (default: none)')
    .action(simulate);
}

async function simulate(
  folder: string,
  scenarios: readonly string[],
  options: SimulateOptions,
): Promise<void> {
  const settings =
    options.config === undefined ? {} : { settings: loadSettings({ configFile: options.config }).settings };
  const files = await readPackageFolder(folder);
  const chosen = chooseScenarios(files, folder, scenarios);
  const folderName = folderNameOf(folder);
  const { model, findings } = compilePackage(files, { folderName });
  if (model === null) {
    report([], findings, options);
    return;
  }
  const reading = readScenarios(chosen, model);
  const results: ScenarioResult[] = [];
  if (reading.scenarios.length > 0) {
    // Only here: a faulty file need not wait for a whole engine to load.
    const { runScenarios } = await import('../server/scenarios/run-scenarios.ts');
    for await (const result of runScenarios({
      scenarios: reading.scenarios,
      files,
      folderName,
      model,
      ...settings,
    })) {
      results.push(result);
      if (options.format === 'text') process.stdout.write(`${formatResult(result)}\n`);
    }
  }
  report(results, reading.findings, options);
}

function report(
  results: readonly ScenarioResult[],
  findings: readonly Finding[],
  { format }: SimulateOptions,
): void {
  if (format === 'json') process.stdout.write(`${formatResultsJson(results, findings)}\n`);
  else {
    if (findings.length > 0) process.stdout.write(`${formatFindings(findings, { codes })}\n`);
    process.stdout.write(`${formatSummary(results, findings)}\n`);
  }
  if (findings.length > 0 || results.some(({ isPassed }) => !isPassed)) process.exitCode = 1;
}

/** All, or those that are named: by their path in the package, from here, or by their file's name. @throws EngineError SUTRA.SCENARIO.NONE_FOUND */
function chooseScenarios(
  files: readonly PackageFile[],
  folder: string,
  names: readonly string[],
): readonly PackageFile[] {
  const all = files.filter(isScenarioFile);
  if (all.length === 0) throw noneFound(`there is no .yaml file in scenarios/ of ${quoteText(folder)}`);
  if (names.length === 0) return all;
  const chosen = names.flatMap((name) => {
    const inside = relative(resolve(folder), resolve(name)).split(sep).join('/');
    const found = all.filter(({ path }) => path === name || path === inside || path === `scenarios/${name}`);
    if (found.length > 0) return found;
    throw noneFound(
      `there is no scenario ${quoteText(name)}; there are ${all.map(({ path }) => path).join(', ')}`,
    );
  });
  return all.filter((file) => chosen.includes(file));
}

function noneFound(message: string): EngineError {
  const code: ScenarioCode = 'SUTRA.SCENARIO.NONE_FOUND';
  return new EngineError(code, message);
}
