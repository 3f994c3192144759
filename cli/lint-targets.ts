/**
 * What `sutra lint` is given: package folders and files, each checked for itself.
 *
 * G1 One that cannot be read is a finding, and the others are checked all the same.
 * G2 A finding names its file as one finds it from where the command was started; what is about a package as a whole
 *    names its folder.
 */
import { stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { EngineError, type Finding } from '../config/engine-error.ts';
import { quoteText } from '../config/quote-text.ts';
import { lintedFiles, lintFile } from '../definitions/lint-file.ts';
import { lintPackage, type LintOptions } from '../definitions/lint.ts';
import type { CliCode } from './codes.ts';
import { readDecisionFiles, readInputFile } from './decision-files.ts';

/** In the order of the targets. One that is named twice is checked once. */
export async function lintTargets(
  targets: readonly string[],
  options: LintOptions = {},
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const target of new Set(targets.map(withSlashes)))
    findings.push(...(await lintTarget(target, options)));
  return findings;
}

async function lintTarget(target: string, options: LintOptions): Promise<readonly Finding[]> {
  try {
    if (await isFolder(target)) return (await lintPackage(target, options)).map(inFolder(target));
    return await lintOne(target);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return [{ code: error.code, severity: 'error', message: error.message, place: { file: target } }];
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    // Whoever reads it says why it cannot be.
    return false;
  }
}

function withSlashes(path: string): string {
  const normal = join(path).split(sep).join('/');
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
}

/** G2 */
function inFolder(folder: string): (finding: Finding) => Finding {
  return (finding) => {
    const { file } = finding.place;
    const shown = file === undefined ? folder : withSlashes(join(folder, file));
    return { ...finding, place: { ...finding.place, file: shown } };
  };
}

/** @throws EngineError SUTRA.CLI.FILE_UNREADABLE, .FILE_KIND_UNKNOWN */
async function lintOne(path: string): Promise<readonly Finding[]> {
  const [file = { path, content: await readInputFile(path) }, ...beside] = path.endsWith('.dmn')
    ? await readDecisionFiles(path)
    : [];
  const findings = lintFile(file, beside);
  if (findings !== null) return findings;
  const code: CliCode = 'SUTRA.CLI.FILE_KIND_UNKNOWN';
  throw new EngineError(
    code,
    `${quoteText(path)} is no file that is checked by itself: these are ${lintedFiles}`,
  );
}
