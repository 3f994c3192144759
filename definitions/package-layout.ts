/**
 * Which file of a package is what. Nothing is passed over in silence: a file that nothing reads is a
 * warning.
 */
import type { Finding } from '../config/engine-error.ts';
import { quoteText } from '../config/quote-text.ts';
import { PACKAGE_FILE, SCENARIOS_FOLDER } from './identity.ts';
import type { PackageFile } from './package-model.ts';

export const CHANNELS_FILE = 'channels.yaml';

export const packageLimits = {
  maxFiles: 10_000,
  maxBytes: 67_108_864,
  maxPathLength: 1_024,
  maxFolderDepth: 20,
} as const;

export interface PackageLayout {
  readonly channels: PackageFile | null;
  /** Of both notations: `.bpmn` files and flows. */
  readonly models: readonly PackageFile[];
  readonly decisions: readonly PackageFile[];
  /** `schemas/<folder>/<name>.json`. */
  readonly schemas: readonly { readonly folder: string; readonly name: string; readonly file: PackageFile }[];
  readonly findings: readonly Finding[];
}

/** What is wrong with a file's path inside a package, or null. The path itself may be shown. */
export function pathFault(path: string): string | null {
  if (path === '') return 'is empty';
  if (path.length > packageLimits.maxPathLength)
    return `is longer than ${packageLimits.maxPathLength} characters`;
  if (/[\p{Cc}\p{Surrogate}]/u.test(path)) return 'holds a control character';
  if (path.includes('\\')) return 'holds a backslash; use "/"';
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'is absolute';
  if (path.split('/').some((segment) => segment === '' || segment === '.' || segment === '..')) {
    return 'holds an empty, "." or ".." segment';
  }
  return null;
}

/** Whether a model is a flow in YAML. */
export function isFlow({ path }: PackageFile): boolean {
  return /\.ya?ml$/.test(path);
}

type Reader = (file: PackageFile, segments: readonly string[], layout: Draft) => void;

interface Draft {
  channels: PackageFile | null;
  readonly models: PackageFile[];
  readonly decisions: PackageFile[];
  readonly schemas: { readonly folder: string; readonly name: string; readonly file: PackageFile }[];
  readonly findings: Finding[];
}

const folders: Readonly<Record<string, Reader>> = {
  bpmn: (file, _segments, layout) => {
    if (file.path.endsWith('.bpmn')) layout.models.push(file);
    else note(layout, 'warning', 'SUTRA.PACKAGE.FILE_UNUSED', file, 'is not read: models end in .bpmn');
  },
  flows: (file, _segments, layout) => {
    if (isFlow(file)) layout.models.push(file);
    else note(layout, 'warning', 'SUTRA.PACKAGE.FILE_UNUSED', file, 'is not read: flows end in .yaml');
  },
  rules: (file, _segments, layout) => {
    if (file.path.endsWith('.dmn')) layout.decisions.push(file);
    else
      note(layout, 'warning', 'SUTRA.PACKAGE.FILE_UNUSED', file, 'is not read: decision models end in .dmn');
  },
  schemas: (file, segments, layout) => {
    const [, folder, name] = segments;
    if (segments.length === 3 && folder !== undefined && name?.endsWith('.json') === true) {
      layout.schemas.push({ folder, name: name.slice(0, -'.json'.length), file });
    } else {
      note(
        layout,
        'warning',
        'SUTRA.PACKAGE.FILE_UNUSED',
        file,
        'is not read: schemas are schemas/<codec>/<name>.json',
      );
    }
  },
  /** Not deployed: `sutra simulate` reads them. */
  [SCENARIOS_FOLDER]: (file, _segments, layout) => {
    if (!/\.ya?ml$/.test(file.path))
      note(layout, 'warning', 'SUTRA.PACKAGE.FILE_UNUSED', file, 'is not read: scenarios end in .yaml');
  },
  templates: (file, _segments, layout) => {
    note(layout, 'warning', 'SUTRA.PACKAGE.NOT_EXECUTED', file, 'is a template; nothing uses templates yet');
  },
};

/** For people, not for the engine. */
const READ_BY_PEOPLE = /^(?:README|LICEN[CS]E|CHANGELOG|NOTICE)(?:\.[A-Za-z]+)?$/;

export const packageFolderNames: readonly string[] = Object.keys(folders);

export function layOut(files: readonly PackageFile[]): PackageLayout {
  const layout: Draft = { channels: null, models: [], decisions: [], schemas: [], findings: [] };
  const seen = new Set<string>();
  for (const file of files) {
    const fault = pathFault(file.path);
    if (fault !== null) {
      note(layout, 'error', 'SUTRA.PACKAGE.PATH_UNSAFE', { path: quoteText(file.path) }, fault);
    } else if (seen.has(file.path)) {
      note(layout, 'error', 'SUTRA.PACKAGE.PATH_DUPLICATE', file, 'is in the package twice');
    } else {
      seen.add(file.path);
      place(file, layout);
    }
  }
  return layout;
}

function place(file: PackageFile, layout: Draft): void {
  const segments = file.path.split('/');
  const [first = ''] = segments;
  if (segments.length > 1) {
    const read = Object.hasOwn(folders, first) ? folders[first] : undefined;
    if (read !== undefined) read(file, segments, layout);
    else
      note(
        layout,
        'warning',
        'SUTRA.PACKAGE.FILE_UNUSED',
        file,
        `is not read: ${quoteText(first)} is no folder of a package`,
      );
  } else if (first === CHANNELS_FILE) {
    layout.channels = file;
  } else if (first !== PACKAGE_FILE && !READ_BY_PEOPLE.test(first)) {
    note(layout, 'warning', 'SUTRA.PACKAGE.FILE_UNUSED', file, `is not read: ${reasonAtTop(first)}`);
  }
}

function reasonAtTop(name: string): string {
  if (name.endsWith('.bpmn')) return 'models belong into bpmn/';
  return name.endsWith('.dmn') ? 'decision models belong into rules/' : 'it is no file of a package';
}

function note(
  layout: Draft,
  severity: Finding['severity'],
  code: string,
  file: { readonly path: string },
  reason: string,
): void {
  layout.findings.push({ code, severity, message: `${file.path} ${reason}.`, place: { file: file.path } });
}
