/**
 * All findings of one file of a package that the file alone can show.
 *
 * F1 Nothing is said that another file could put right: no channel, schema, decision, called process or label is missed,
 *    and no payload is held against a schema. Where `package.yaml` decides, its defaults hold.
 * F2 A finding names the file as it was given, and is about that file.
 */
import type { Finding } from '../config/engine-error.ts';
import { compileBpmn, type BpmnResult } from './bpmn/compile.ts';
import { readChannels } from './channels/read-channels.ts';
import { AnyDecision } from './decision-directory.ts';
import { compileDecisions } from './dmn/decisions.ts';
import { checkUses, type CheckedParts } from './expression-check/check-uses.ts';
import { compileFlow } from './flows/compile-flow.ts';
import { PACKAGE_FILE, readIdentity, SCENARIOS_FOLDER } from './identity.ts';
import { lintProcess } from './lint-checks/index.ts';
import { sortFindings } from './lint.ts';
import { CHANNELS_FILE } from './package-layout.ts';
import type { PackageFile, PackageIdentity } from './package-model.ts';

/** @param beside files that the file needs to be read: decision models that it imports */
type Lint = (file: PackageFile, beside: readonly PackageFile[]) => readonly Finding[];

const kinds: readonly { readonly isOf: (path: string) => boolean; readonly lint: Lint }[] = [
  { isOf: (path) => path.endsWith('.bpmn'), lint: lintModel },
  { isOf: (path) => path.endsWith('.dmn'), lint: lintDecisions },
  { isOf: (path) => nameOf(path) === CHANNELS_FILE, lint: lintChannels },
  { isOf: (path) => nameOf(path) === PACKAGE_FILE, lint: lintLabels },
  { isOf: (path) => /\.ya?ml$/.test(path) && !isScenario(path), lint: lintFlow },
];

export const lintedFiles = `.bpmn, .dmn, ${CHANNELS_FILE}, ${PACKAGE_FILE}, and flows in .yaml`;

/** Sorted by line and column; null when its name is not that of a file that is checked alone. */
export function lintFile(file: PackageFile, beside: readonly PackageFile[] = []): readonly Finding[] | null {
  const kind = kinds.find(({ isOf }) => isOf(file.path));
  return kind === undefined ? null : sortFindings(kind.lint(file, beside));
}

/** A scenario says nothing without its package. */
function isScenario(path: string): boolean {
  return path.split('/').slice(0, -1).includes(SCENARIOS_FOLDER);
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Any decision may be in the package. */
const decisions = new AnyDecision();

function lintModel(file: PackageFile): readonly Finding[] {
  return ofProcesses(compileBpmn(file, { decisions }));
}

function lintFlow(file: PackageFile): readonly Finding[] {
  return ofProcesses(compileFlow(file, { decisions }));
}

function ofProcesses({ processes, expressions, findings }: BpmnResult): readonly Finding[] {
  const uses = checkUses({ ...nothingElse, processes, modelExpressions: expressions });
  return [...findings, ...uses, ...processes.flatMap(lintProcess)];
}

const nothingElse: CheckedParts = {
  channels: new Map(),
  schemas: new Map(),
  processes: [],
  channelExpressions: [],
  modelExpressions: [],
};

function lintDecisions(file: PackageFile, beside: readonly PackageFile[]): readonly Finding[] {
  const { findings } = compileDecisions([file, ...beside]);
  // The model that it imports may be in another folder of the package.
  return findings.filter(
    ({ code, place }) => place.file === file.path && code !== 'SUTRA.DMN.IMPORT_UNKNOWN',
  );
}

/** Stands in for labels that only `package.yaml` or the folder's name has. */
const unknownIdentity: PackageIdentity = { tenant: 'unknown', module: 'unknown', version: 'unknown' };

function lintChannels(file: PackageFile): readonly Finding[] {
  const { channels, expressions, findings } = readChannels(file, unknownIdentity);
  // An address that is written has the labels in it.
  const ofFile = findings.filter(({ code }) => code !== 'SUTRA.CHANNELS.BIND_INVALID');
  return [...ofFile, ...checkUses({ ...nothingElse, channels, channelExpressions: expressions })];
}

function lintLabels(file: PackageFile): readonly Finding[] {
  return readIdentity([{ ...file, path: PACKAGE_FILE }], undefined).findings.map((finding) => {
    return { ...finding, place: { ...finding.place, file: file.path } };
  });
}
