/**
 * A package folder from the templates in `cli/templates`, which are a package of their own called `my-package`.
 *
 * C1 Nothing that is there is changed: the folder is new, or empty.
 * C2 All files are made and checked before the first one is written; what is written has no finding.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EngineError } from '../config/engine-error.ts';
import { quoteText } from '../config/quote-text.ts';
import { identityOfFolderName } from '../definitions/identity.ts';
import { compilePackage } from '../definitions/package.ts';
import type { CliCode } from './codes.ts';

export interface CreateOptions {
  readonly tenant: string;
  /** The process as a YAML flow, or as a BPMN model with a diagram. */
  readonly notation: Notation;
}

export type Notation = keyof typeof notations;

/** The folder of templates, and where in it the model is. */
const notations = {
  flow: { folder: 'flow', model: 'flows/my-package.yaml' },
  bpmn: { folder: 'bpmn', model: 'bpmn/my-package.bpmn' },
} as const;

const NAME_RULE =
  'a lower case letter, then lower case letters, digits and single "-", 50 characters at most';

/** Texts by their paths in the package, sorted. */
type Texts = ReadonlyMap<string, string>;

/**
 * Writes a package whose name is that of the folder. Answers the paths of its files.
 * @throws EngineError SUTRA.CLI.NAME_INVALID, .FOLDER_NOT_EMPTY, .FOLDER_UNWRITABLE
 */
export async function createPackage(folder: string, options: CreateOptions): Promise<readonly string[]> {
  const name = basename(resolve(folder));
  refuseName(name, options.tenant);
  const texts = await packageTexts(name, options);
  refuseCollisions(name, texts);
  await refuseContent(folder);
  await writeTexts(folder, texts);
  return [...texts.keys()];
}

function refuseName(name: string, tenant: string): void {
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name) || name.length > 50) {
    throw fault('SUTRA.CLI.NAME_INVALID', `the name ${quoteText(name)} must be ${NAME_RULE}`);
  }
  if (identityOfFolderName(`${tenant}--${name}--1.0.0`) === null) {
    const message = `the tenant ${quoteText(tenant)} must be letters, digits, ".", "_" and single "-", 63 characters at most`;
    throw fault('SUTRA.CLI.NAME_INVALID', message);
  }
}

async function packageTexts(name: string, { tenant, notation }: CreateOptions): Promise<Texts> {
  const { folder, model } = notations[notation];
  const templates = [...(await readTemplates('package')), ...(await readTemplates(folder))];
  const named = (text: string): string =>
    text
      // The page for people names the model.
      .replaceAll(notations.flow.model, model)
      .replaceAll(/my-package|my-tenant/g, (found) => (found === 'my-package' ? name : tenant));
  return new Map(
    templates
      .map(([path, text]) => [named(path), named(text)] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

/** A process and an element of it cannot have one id. */
function refuseCollisions(name: string, texts: Texts): void {
  const encoder = new TextEncoder();
  const files = [...texts].map(([path, text]) => ({ path, content: encoder.encode(text) }));
  const [finding] = compilePackage(files).findings;
  if (finding === undefined) return;
  const message = `a package cannot be made with the name ${quoteText(name)}, which its process has for something else: ${finding.message}`;
  throw fault('SUTRA.CLI.NAME_INVALID', message);
}

/** C1 */
async function refuseContent(folder: string): Promise<void> {
  const names = await readdir(folder).catch((cause: unknown) => {
    if (reasonOf(cause) === 'ENOENT') return [];
    throw unwritable(folder, cause);
  });
  if (names.length > 0) {
    throw fault('SUTRA.CLI.FOLDER_NOT_EMPTY', `${quoteText(folder)} is there already, and is not empty`);
  }
}

async function writeTexts(folder: string, texts: Texts): Promise<void> {
  try {
    for (const [path, text] of texts) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text, { flag: 'wx' });
    }
  } catch (cause) {
    throw unwritable(folder, cause);
  }
}

/** `cli/templates` lies beside this file in the sources and above `dist/` once built. */
const TEMPLATE_URLS = ['templates/', '../../cli/templates/'].map((path) => new URL(path, import.meta.url));

async function readTemplates(folder: string): Promise<readonly (readonly [path: string, text: string])[]> {
  for (const url of TEMPLATE_URLS) {
    const root = fileURLToPath(new URL(folder, url));
    const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch((cause: unknown) => {
      if (reasonOf(cause) === 'ENOENT') return null;
      throw cause;
    });
    if (entries === null) continue;
    const paths = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    return Promise.all(
      paths.map(async (path) => [path.slice(root.length + 1), await readFile(path, 'utf8')] as const),
    );
  }
  throw new Error(`there is no folder cli/templates/${folder} in the installation`);
}

function fault(code: CliCode, message: string, cause?: unknown): EngineError {
  return new EngineError(code, message, { cause });
}

function unwritable(folder: string, cause: unknown): EngineError {
  const message = `the folder ${quoteText(folder)} cannot be written: ${reasonOf(cause)}`;
  return fault('SUTRA.CLI.FOLDER_UNWRITABLE', message, cause);
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason';
}
