/**
 * Runs the scenarios of a package, each on an engine of its own over an empty database in memory.
 *
 * S1 Nothing outside is touched: no port, no peer, no file, no configured database.
 * S2 Each scenario begins on an empty database: none sees what another did.
 */
import { performance } from 'node:perf_hooks';
import { loadSettings } from '../../config/load.ts';
import type { PackageFile, PackageModel } from '../../definitions/package-model.ts';
import type { Scenario } from '../../definitions/scenarios/scenario.ts';
import { openEmbeddedDatabase, type EmbeddedDatabase } from '../../engine/store/embedded-database.ts';
import { emptyDatabase } from '../../engine/store/empty-database.ts';
import { migrate } from '../../engine/store/migrate.ts';
import type { Settings } from '../../config/settings.ts';
import { judge, subjectOf } from './judge.ts';
import type { Mismatch } from './mismatch.ts';
import { ScenarioRun } from './scenario-run.ts';

export type { Mismatch } from './mismatch.ts';

export interface RunScenariosOptions {
  readonly scenarios: readonly Scenario[];
  readonly files: readonly PackageFile[];
  /** As a deployment takes it. */
  readonly folderName: string;
  readonly model: PackageModel;
  /** Default: every setting has its default. */
  readonly settings?: Settings;
  /** As `ScenarioRunOptions`. */
  readonly maxRounds?: number;
  /** Migrated, and of no other use: it is emptied and its clock moved. Default: one in memory, for this run. */
  readonly database?: EmbeddedDatabase;
}

export interface ScenarioResult {
  readonly file: string;
  readonly name: string;
  readonly isPassed: boolean;
  readonly mismatches: readonly Mismatch[];
  /** Of the instance that the scenario is about; null: there is none. */
  readonly instance: {
    readonly processId: string;
    readonly status: string;
    readonly path: readonly string[];
    readonly waitingAt: readonly string[];
  } | null;
  readonly durationMs: number;
}

/** Results in the order of the scenarios, each as soon as it is there. */
export async function* runScenarios(options: RunScenariosOptions): AsyncGenerator<ScenarioResult> {
  const settings = options.settings ?? defaultSettings();
  const database = options.database ?? (await openScenarioDatabase());
  try {
    for (const scenario of options.scenarios) {
      const startedAt = performance.now();
      await emptyDatabase(database);
      const result = await runOne(scenario, options, settings, database);
      yield { ...result, durationMs: Math.round(performance.now() - startedAt) };
    }
  } finally {
    if (options.database === undefined) await database.close();
  }
}

/** An empty one in memory; opening it takes a second or two. */
export async function openScenarioDatabase(): Promise<EmbeddedDatabase> {
  const database = await openEmbeddedDatabase({ directory: null });
  try {
    await migrate(database);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function runOne(
  scenario: Scenario,
  { files, folderName, model, maxRounds }: RunScenariosOptions,
  settings: Settings,
  database: EmbeddedDatabase,
): Promise<Omit<ScenarioResult, 'durationMs'>> {
  const run = new ScenarioRun({ scenario, files, folderName, model, settings, database, maxRounds });
  const { found, troubles } = await run.run();
  // After a trouble the end is not the one that was meant: what follows from it is no news.
  const mismatches = troubles.length > 0 ? troubles : judge(scenario.expect, found);
  const { file, name } = scenario;
  const subject = subjectOf(scenario.expect, found.instances);
  const instance =
    subject === undefined
      ? null
      : {
          processId: subject.processId,
          status: subject.status,
          path: subject.path,
          waitingAt: subject.waitingAt,
        };
  return { file, name, isPassed: mismatches.length === 0, mismatches, instance };
}

function defaultSettings(): Settings {
  return loadSettings({ env: {}, cwd: import.meta.dirname }).settings;
}
