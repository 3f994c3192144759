/**
 * The package that files of an upload are: other systems deploy files, here a deployment is a package with an identity.
 *
 * U1 The identity follows from the upload alone. The version is the hash of the files, so the same files are the same
 *    package, whoever uploads them to whichever replica, and a changed file is another version of the same module.
 * U2 The module of one process is named for the process, whatever the deployment is called; of several, for the
 *    deployment, else for the first process in the order of ids.
 * U3 What no package can use is left out and said so, or refused when leaving it out would change what is run.
 */
import { createHash } from 'node:crypto';
import { EngineError } from '../../../config/engine-error.ts';
import { quoteText } from '../../../config/quote-text.ts';
import { identityOfFolderName } from '../../../definitions/identity.ts';
import { compilePackage } from '../../../definitions/package.ts';
import { pathFault } from '../../../definitions/package-layout.ts';
import type { PackageFile, PackageModel } from '../../../definitions/package-model.ts';
import type { CompatCode } from './codes.ts';

export interface UploadedFile {
  /** As the client named it; may hold folders. */
  readonly fileName: string;
  readonly content: Uint8Array;
}

export interface PackageWish {
  readonly files: readonly UploadedFile[];
  readonly tenant: string;
  readonly deploymentName: string | null;
}

export interface PackageOfFiles {
  readonly files: readonly PackageFile[];
  /** Its identity, as `tenant--module--version`. */
  readonly folderName: string;
  /** Null: the files do not compile; deploying them says why. */
  readonly model: PackageModel | null;
  /** What of the upload is not in the package. */
  readonly leftOut: readonly LeftOutFile[];
}

export interface LeftOutFile {
  readonly fileName: string;
  /** A sentence's end: `is a form, …`. */
  readonly reason: string;
}

/** By its ending in lower case: the folder of the package, and the ending there. */
const TAKEN: readonly (readonly [ending: string, folder: string, ending: string])[] = [
  ['.bpmn20.xml', 'bpmn', '.bpmn'],
  ['.bpmn', 'bpmn', '.bpmn'],
  ['.dmn11.xml', 'rules', '.dmn'],
  ['.dmn10.xml', 'rules', '.dmn'],
  ['.dmn', 'rules', '.dmn'],
];

/** These would be run there, and are not here: a deployment without them is another one than was asked for. */
const REFUSED: Readonly<Record<string, string>> = {
  cmmn: 'is a case model; cases are not executed here',
  'cmmn10.xml': 'is a case model; cases are not executed here',
  'cmmn11.xml': 'is a case model; cases are not executed here',
  bar: 'is an archive; upload the files in it',
  zip: 'is an archive; upload the files in it',
  jar: 'is an archive of code, which is not run here; upload the models in it',
  war: 'is an archive of code, which is not run here; upload the models in it',
};

const LEFT_OUT: Readonly<Record<string, string>> = {
  form: 'is a form, which whoever lists the tasks shows',
  html: 'is a form, which whoever lists the tasks shows',
  groovy: 'is a script, and scripts are not run here: a model that needs it is refused at its place',
  js: 'is a script, and scripts are not run here: a model that needs it is refused at its place',
  py: 'is a script, and scripts are not run here: a model that needs it is refused at its place',
  rb: 'is a script, and scripts are not run here: a model that needs it is refused at its place',
};

/** @throws EngineError SUTRA.COMPAT.UPLOAD_REFUSED */
export function packageOfFiles({ files, tenant, deploymentName }: PackageWish): PackageOfFiles {
  const taken: PackageFile[] = [];
  const leftOut: LeftOutFile[] = [];
  for (const { fileName, content } of files) {
    const path = packagePathOf(fileName);
    if (path === null) leftOut.push({ fileName, reason: reasonFor(fileName) });
    else if (taken.some((other) => other.path === path)) throw refused(fileName, 'is in the upload twice');
    else taken.push({ path, content });
  }
  if (!taken.some(({ path }) => path.startsWith('bpmn/'))) {
    const why = leftOut.map((file) => ` ${quoteText(file.fileName)} ${file.reason}.`).join('');
    throw uploadRefused(`the upload has no BPMN model, which ends in .bpmn or .bpmn20.xml.${why}`);
  }
  const version = versionOf(taken);
  const probe = compilePackage(taken, { folderName: folderNameOf(tenant, 'probe', version) });
  const module = moduleOf(probe.model, deploymentName);
  const folderName = folderNameOf(tenant, module, version);
  const { model } = probe.model === null ? { model: null } : compilePackage(taken, { folderName });
  return { files: taken, folderName, model, leftOut };
}

/** Where the file is in the package; null: it is left out. @throws EngineError SUTRA.COMPAT.UPLOAD_REFUSED */
export function packagePathOf(fileName: string): string | null {
  const fault = pathFault(fileName);
  if (fault !== null) throw refused(fileName, fault);
  const lower = fileName.toLowerCase();
  for (const [ending, folder, own] of TAKEN) {
    if (lower.endsWith(ending)) return `${folder}/${fileName.slice(0, -ending.length)}${own}`;
  }
  return null;
}

/** @throws EngineError SUTRA.COMPAT.UPLOAD_REFUSED when it cannot be left out */
function reasonFor(fileName: string): string {
  const lower = fileName.toLowerCase();
  const ending = (reasons: Readonly<Record<string, string>>): string | undefined =>
    Object.entries(reasons).find(([end]) => lower.endsWith(`.${end}`))?.[1];
  const refusal = ending(REFUSED);
  if (refusal !== undefined) throw refused(fileName, refusal);
  return ending(LEFT_OUT) ?? 'is no model of BPMN or DMN';
}

/** 48 bits: two versions of one module never meet by chance, and a person can still compare two. */
function versionOf(files: readonly PackageFile[]): string {
  const whole = createHash('sha256');
  for (const { path, content } of [...files].sort((one, other) => (one.path < other.path ? -1 : 1))) {
    whole.update(`${path}\n${createHash('sha256').update(content).digest('hex')}\n`);
  }
  return whole.digest('hex').slice(0, 12);
}

function moduleOf(model: PackageModel | null, deploymentName: string | null): string {
  const [first = 'upload', ...others] = [...(model?.processes.keys() ?? [])].sort();
  return labelOf(others.length === 0 ? first : (deploymentName ?? first));
}

/** The text itself when it can be a label; else what of it can, and a hash that tells it from others. */
function labelOf(text: string): string {
  if (identityOfFolderName(`t--${text}--v`) !== null) return text;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 8);
  const rest = text
    .replace(/[^A-Za-z0-9]+/g, '-')
    .slice(0, 50)
    .replace(/^-+|-+$/g, '');
  return rest === '' ? hash : `${rest}-${hash}`;
}

/** @throws EngineError SUTRA.COMPAT.UPLOAD_REFUSED for a tenant that no package can have */
function folderNameOf(tenant: string, module: string, version: string): string {
  const name = `${tenant}--${module}--${version}`;
  if (identityOfFolderName(name) !== null) return name;
  throw uploadRefused(
    `the tenant ${quoteText(tenant)} is none that a package can have: 1 to 63 letters, digits, ".", "_" or "-", with a letter or digit first and last, without "--"`,
  );
}

function refused(fileName: string, reason: string): EngineError {
  return uploadRefused(`the file ${quoteText(fileName.slice(0, 200))} ${reason}`);
}

function uploadRefused(message: string): EngineError {
  const code: CompatCode = 'SUTRA.COMPAT.UPLOAD_REFUSED';
  return new EngineError(code, message);
}
