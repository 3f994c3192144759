/** All checks of a deployment, for an author at a terminal: findings in the order of the files. */
import { EngineError, type Finding } from '../config/engine-error.ts';
import { compilePackage, type CompileOptions } from './package.ts';
import { folderNameOf, readPackageFolder } from './package-folder.ts';

/** The findings of the package in the folder `dir`, sorted by file, line and column. */
export async function lintPackage(
  dir: string,
  options: Omit<CompileOptions, 'folderName'> = {},
): Promise<readonly Finding[]> {
  try {
    const files = await readPackageFolder(dir);
    return sortFindings(compilePackage(files, { ...options, folderName: folderNameOf(dir) }).findings);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return [{ code: error.code, severity: 'error', message: error.message, place: error.place ?? {} }];
  }
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

/**
 * `text`: one line a finding, `file:line:column severity code message`, as editors read it, and a summary.
 * `json`: the findings as they are, an array.
 */
export function formatFindings(findings: readonly Finding[], format: 'text' | 'json'): string {
  if (format === 'json') return JSON.stringify(findings, null, 2);
  const errorCount = findings.filter(({ severity }) => severity === 'error').length;
  const summary = `${count(errorCount, 'error')}, ${count(findings.length - errorCount, 'warning')}`;
  return [...findings.map(formatFinding), summary].join('\n');
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function formatFinding({ code, severity, message, place }: Finding): string {
  const position = [place.file ?? '(package)', place.line, place.column]
    .filter((part) => part !== undefined)
    .join(':');
  const element = place.elementId === undefined ? '' : ` [${place.elementId}]`;
  return `${position} ${severity} ${code}${element} ${message}`;
}
