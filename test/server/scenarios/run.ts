/** Runs scenarios that a test writes as text, by the names that they have. */
import assert from 'node:assert/strict';
import type { EmbeddedDatabase } from '../../../engine/store/embedded-database.ts';
import { readScenarios } from '../../../definitions/scenarios/read-scenario.ts';
import {
  openScenarioDatabase,
  runScenarios,
  type RunScenariosOptions,
  type ScenarioResult,
} from '../../../server/scenarios/run-scenarios.ts';
import { filesOf, modelOf } from '../../definitions/scenarios/scenario-package.ts';

/** Opened by the first run of a test file: opening takes longer than ten scenarios. */
let database: Promise<EmbeddedDatabase> | null = null;

export async function closeDatabase(): Promise<void> {
  await (await database)?.close();
  database = null;
}

/** `scenarios`: YAML by file name, run one after the other. `closeDatabase` when the file's tests are over. */
export async function runAll(
  packageTexts: Readonly<Record<string, string>>,
  scenarios: Readonly<Record<string, string>>,
  limits: Pick<RunScenariosOptions, 'maxRounds'> = {},
  /** The texts have names of their own. Default: they get those of their files. */
  { isNamed = false }: { readonly isNamed?: boolean } = {},
): Promise<ReadonlyMap<string, ScenarioResult>> {
  const texts: Record<string, string> = { ...packageTexts };
  for (const [name, text] of Object.entries(scenarios)) {
    texts[`scenarios/${name}.yaml`] = isNamed ? text : `name: ${name}\n${text}`;
  }
  const files = filesOf(texts);
  const model = modelOf(packageTexts);
  const reading = readScenarios(files, model);
  assert.deepEqual(reading.findings, []);
  const results = new Map<string, ScenarioResult>();
  const options = {
    scenarios: reading.scenarios,
    files,
    folderName: 'test--main--1.0.0',
    model,
    ...limits,
    database: await (database ??= openScenarioDatabase()),
  };
  for await (const result of runScenarios(options)) results.set(result.name, result);
  return results;
}

export function assertPassed(result: ScenarioResult | undefined): void {
  assert.ok(result !== undefined, 'it ran');
  assert.deepEqual(
    { mismatches: result.mismatches, path: result.instance?.path ?? [] },
    {
      mismatches: [],
      path: result.instance?.path ?? [],
    },
  );
  assert.equal(result.isPassed, true);
}
