/**
 * The files of `scenarios/` to scenarios. The format is docs/scenarios.md.
 *
 * S1 Every fault of a file is found, with line and column; a file with one yields no scenario.
 * S2 A name that the package does not have is a fault of the scenario, found before anything runs.
 */
import type { Finding } from '../../config/engine-error.ts';
import { parseInstant } from '../../config/iso8601.ts';
import { quoteText } from '../../config/quote-text.ts';
import { SCENARIOS_FOLDER } from '../identity.ts';
import type { PackageFile, PackageModel } from '../package-model.ts';
import { YamlFile, type YamlCodes, type YamlEntry } from '../yaml-reader.ts';
import { checkNames } from './check-names.ts';
import type { ScenarioCode } from './codes.ts';
import { readAnswers } from './read-answers.ts';
import { readExpectations } from './read-expectations.ts';
import { readSteps } from './read-steps.ts';
import type { Scenario } from './scenario.ts';

const yamlCodes = {
  yamlInvalid: 'SUTRA.SCENARIO.YAML_INVALID',
  keyUnknown: 'SUTRA.SCENARIO.KEY_UNKNOWN',
  keyMissing: 'SUTRA.SCENARIO.KEY_MISSING',
  valueInvalid: 'SUTRA.SCENARIO.VALUE_INVALID',
} as const satisfies YamlCodes & Readonly<Record<string, ScenarioCode>>;

/** Bodies nest below some keys of the format. */
const MAX_DEPTH = 40;

/** A Monday morning: always the same, so that what a scenario finds does not depend on the day it is run. */
const DEFAULT_START = '2030-01-07T09:00:00Z';

export interface ScenariosReading {
  readonly scenarios: readonly Scenario[];
  readonly findings: readonly Finding[];
}

export function isScenarioFile({ path }: PackageFile): boolean {
  return path.startsWith(`${SCENARIOS_FOLDER}/`) && /\.ya?ml$/.test(path);
}

/** Those of a package that compiles to `model`, by path. */
export function readScenarios(files: readonly PackageFile[], model: PackageModel): ScenariosReading {
  const scenarios: Scenario[] = [];
  const findings: Finding[] = [];
  for (const file of files.filter(isScenarioFile)) {
    const reading = readScenario(file, model);
    findings.push(...reading.findings);
    scenarios.push(...reading.scenarios);
  }
  return { scenarios, findings };
}

/** At most one scenario. */
export function readScenario(file: PackageFile, model: PackageModel): ScenariosReading {
  const yaml = new YamlFile(file, yamlCodes, { maxDepth: MAX_DEPTH });
  const root = yaml.root('the scenario');
  const scenario = root === null ? null : read(root);
  if (scenario !== null) {
    checkNames(scenario, model, (code, message, place) => {
      yaml.error(code, message, place);
    });
  }
  const isGood = scenario !== null && yaml.findings.length === 0;
  return { scenarios: isGood ? [scenario] : [], findings: yaml.findings };
}

function read(root: YamlEntry): Scenario {
  root.refuseUnknownKeys(['name', 'at', 'start', 'signal', 'send', 'workers', 'later', 'expect']);
  for (const key of ['name', 'expect']) if (!root.has(key)) root.missing(key);
  return {
    file: root.file.path,
    name: root.text('name') ?? root.file.path,
    place: root.place,
    startsAtMs: startsAt(root),
    steps: readSteps(root),
    answers: readAnswers(root),
    expect: readExpectations(root),
  };
}

function startsAt(root: YamlEntry): number {
  const text = root.text('at') ?? DEFAULT_START;
  const instant = parseInstant(text);
  if (instant.ok) return instant.ms;
  root.error(
    yamlCodes.valueInvalid,
    `at is ${quoteText(text)}; it must be an instant such as ${DEFAULT_START}`,
    'at',
  );
  return 0;
}
