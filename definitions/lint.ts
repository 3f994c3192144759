/** All checks of a deployment, and those of lint alone, for an author at a terminal: findings in the order of the files. */
import { EngineError, type Finding } from '../config/engine-error.ts';
import { lintModel, type OperatorLimits } from './lint-checks/index.ts';
import { compilePackage, type CompileOptions } from './package.ts';
import { folderNameOf, readPackageFolder } from './package-folder.ts';
import type { PackageFile } from './package-model.ts';
import { readScenarios } from './scenarios/read-scenario.ts';

export interface LintOptions extends Omit<CompileOptions, 'folderName'> {
  /** Of the engine that the package is meant for. Without it nothing is held against its settings. */
  readonly operator?: OperatorLimits;
}

/** The findings of the package in the folder `dir`, sorted by file, line and column. */
export async function lintPackage(dir: string, options: LintOptions = {}): Promise<readonly Finding[]> {
  try {
    return lintFiles(await readPackageFolder(dir), { ...options, folderName: folderNameOf(dir) });
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return [{ code: error.code, severity: 'error', message: error.message, place: error.place ?? {} }];
  }
}

/** As `lintPackage`, of the files of a package. Its own checks need a package without errors. */
export function lintFiles(
  files: readonly PackageFile[],
  { operator, ...options }: LintOptions & CompileOptions = {},
): readonly Finding[] {
  const ceilings = operator === undefined ? {} : { ceilings: operator };
  const { model, findings } = compilePackage(files, { ...options, ...ceilings });
  if (model === null) return sortFindings(findings);
  const ofModel = lintModel(model, { operator: operator ?? null });
  return sortFindings([...findings, ...ofModel, ...readScenarios(files, model).findings]);
}

/** By file, line, column and code; what has no file comes first. */
export function sortFindings(findings: readonly Finding[]): readonly Finding[] {
  return [...findings].sort(
    (one, other) =>
      compare(one.place.file ?? '', other.place.file ?? '') ||
      (one.place.line ?? 0) - (other.place.line ?? 0) ||
      (one.place.column ?? 0) - (other.place.column ?? 0) ||
      compare(one.code, other.code),
  );
}

function compare(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
