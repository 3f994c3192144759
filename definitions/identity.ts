/**
 * Who a package is: its labels, from `package.yaml` or from the folder's name, and its deployment id.
 *
 * I1 The files of a model always hold its labels: for a package without `package.yaml` one is made from
 *    the folder's name. So the id covers the labels, and stored files compile without the folder's name.
 */
import { createHash } from 'node:crypto';
import type { Finding } from '../config/engine-error.ts';
import { quoteText } from '../config/quote-text.ts';
import type { TranslateOptions } from './dialects/translate.ts';
import type { PackageFile, PackageIdentity } from './package-model.ts';
import { YamlFile, type YamlCodes } from './yaml-reader.ts';

export const PACKAGE_FILE = 'package.yaml';
/** How authors test the package. Nothing in it is deployed, so a change there is no other deployment. */
export const SCENARIOS_FOLDER = 'scenarios';

const labelNames = ['tenant', 'module', 'version'] as const;
/** Safe in a URL, a file name and an address without escaping. */
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const LABEL_RULE =
  '1 to 63 letters, digits, ".", "_" or "-", with a letter or digit first and last, without "--"';

const yamlCodes: YamlCodes = {
  yamlInvalid: 'SUTRA.PACKAGE.YAML_INVALID',
  keyUnknown: 'SUTRA.PACKAGE.KEY_UNKNOWN',
  keyMissing: 'SUTRA.PACKAGE.LABEL_MISSING',
  valueInvalid: 'SUTRA.PACKAGE.VALUE_INVALID',
};

export interface IdentityReading {
  readonly identity: PackageIdentity | null;
  /** `unbound-tasks` and `listeners`. */
  readonly allowed: TranslateOptions;
  readonly findings: readonly Finding[];
}

function isLabel(text: string): boolean {
  return LABEL.test(text) && !text.includes('--');
}

/** The identity that a folder's name `tenant--module--version` spells, or null. */
export function identityOfFolderName(folderName: string): PackageIdentity | null {
  const parts = folderName.split('--');
  const [tenant, module, version] = parts;
  if (parts.length !== 3 || !parts.every(isLabel)) return null;
  return tenant === undefined || module === undefined || version === undefined
    ? null
    : { tenant, module, version };
}

/** `package.yaml` decides when there is one; else the folder's name. */
export function readIdentity(files: readonly PackageFile[], folderName: string | undefined): IdentityReading {
  const file = files.find(({ path }) => path === PACKAGE_FILE);
  if (file !== undefined) return readLabels(file, folderName);
  const identity = folderName === undefined ? null : identityOfFolderName(folderName);
  if (identity !== null) return { identity, allowed: {}, findings: [] };
  const named =
    folderName === undefined
      ? ''
      : ` and the folder's name ${quoteText(folderName)} is not tenant--module--version`;
  const message = `There is no package.yaml with labels${named}.`;
  return {
    identity,
    allowed: {},
    findings: [{ code: 'SUTRA.PACKAGE.LABEL_MISSING', severity: 'error', message, place: {} }],
  };
}

function readLabels(file: PackageFile, folderName: string | undefined): IdentityReading {
  const yaml = new YamlFile(file, yamlCodes);
  const root = yaml.root('package.yaml');
  root?.refuseUnknownKeys(['labels', 'unbound-tasks', 'listeners']);
  const allowed: TranslateOptions = {
    unboundTasks: root?.choice('unbound-tasks', ['refuse', 'external-task'] as const) ?? 'refuse',
    listeners: root?.choice('listeners', ['refuse', 'ignore'] as const) ?? 'refuse',
  };
  if (root !== null && !root.has('labels')) root.missing('labels');
  const labels = root?.entry('labels', 'labels');
  labels?.refuseUnknownKeys(labelNames);
  const [tenant, module, version] = labelNames.map((name) => {
    if (labels === undefined) return undefined;
    if (!labels.has(name)) labels.missing(name);
    const label = labels.text(name);
    if (label === undefined || isLabel(label)) return label;
    labels.error(
      'SUTRA.PACKAGE.LABEL_INVALID',
      `the label ${name} is ${quoteText(label)}; it must be ${LABEL_RULE}`,
      name,
    );
    return undefined;
  });
  if (tenant === undefined || module === undefined || version === undefined || yaml.findings.length > 0) {
    return { identity: null, allowed, findings: yaml.findings };
  }
  const named = folderName === undefined ? null : identityOfFolderName(folderName);
  const identity = { tenant, module, version };
  if (named !== null && labelNames.some((name) => named[name] !== identity[name])) {
    const message = `the folder's name ${quoteText(folderName ?? '')} says otherwise than the labels, which hold`;
    yaml.note('warning', 'SUTRA.PACKAGE.LABEL_MISMATCH', message, labels?.offset ?? 0);
  }
  return { identity, allowed, findings: yaml.findings };
}

/** What of `files` is deployed, with a `package.yaml` that says `identity` (I1), sorted by path. */
export function withLabels(files: readonly PackageFile[], identity: PackageIdentity): readonly PackageFile[] {
  const all = files.filter(({ path }) => !path.startsWith(`${SCENARIOS_FOLDER}/`));
  if (!all.some(({ path }) => path === PACKAGE_FILE)) {
    const lines = labelNames.map((name) => `  ${name}: "${identity[name]}"\n`);
    all.push({ path: PACKAGE_FILE, content: new TextEncoder().encode(`labels:\n${lines.join('')}`) });
  }
  return all.sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** `dep-` and 24 hex digits over the sorted list of (path, SHA-256). Same bytes, same id. */
export function deploymentIdOf(sortedFiles: readonly PackageFile[]): string {
  const whole = createHash('sha256');
  for (const { path, content } of sortedFiles) {
    const digest = createHash('sha256').update(content).digest('hex');
    // A path holds no control characters, so the list can be read in one way only.
    whole.update(`${path}\n${digest}\n`);
  }
  return `dep-${whole.digest('hex').slice(0, 24)}`;
}
