/** A decision model on disk, with the models beside it that it imports. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { EngineError } from '../config/engine-error.ts';
import { quoteText } from '../config/quote-text.ts';
import type { DmnModel } from '../definitions/dmn/model.ts';
import { readDmn } from '../definitions/dmn/read-dmn.ts';
import type { PackageFile } from '../definitions/package-model.ts';
import type { CliCode } from './codes.ts';

/**
 * The file and, after it, those of its folder that it imports, also through each other. A file that cannot be read as a
 * decision model is imported by nobody.
 * @throws EngineError SUTRA.CLI.FILE_UNREADABLE
 */
export async function readDecisionFiles(path: string): Promise<readonly PackageFile[]> {
  const file = await readModelFile(path);
  const model = modelOf(file);
  if (model === null || model.imports.length === 0) return [file];
  const others = await readNeighbours(path);
  const taken = [file];
  // Of two files with the namespace of an import both are taken: to choose one is not for us.
  const namespaces = new Set([model.namespace]);
  for (let imported = importsOf([model]); imported.size > 0;) {
    const missing = [...imported].filter((namespace) => !namespaces.has(namespace));
    const found = others.filter((other) => missing.includes(other.model.namespace));
    taken.push(...found.map((other) => other.file));
    missing.forEach((namespace) => namespaces.add(namespace));
    imported = importsOf(found.map((other) => other.model));
  }
  return taken;
}

/** @throws EngineError SUTRA.CLI.FILE_UNREADABLE */
export async function readInputFile(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (cause) {
    const code: CliCode = 'SUTRA.CLI.FILE_UNREADABLE';
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unreadable';
    throw new EngineError(code, `the file ${quoteText(path)} cannot be read: ${reason}`, { cause });
  }
}

async function readModelFile(path: string): Promise<PackageFile> {
  return { path, content: await readInputFile(path) };
}

interface Neighbour {
  readonly file: PackageFile;
  readonly model: DmnModel;
}

async function readNeighbours(path: string): Promise<readonly Neighbour[]> {
  const folder = dirname(path);
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries
    .filter((entry) => entry.name.endsWith('.dmn') && entry.name !== basename(path) && !entry.isDirectory())
    .map(({ name }) => join(folder, name));
  const files = await Promise.all(names.sort().map(readModelFile));
  return files.flatMap((file) => {
    const model = modelOf(file);
    return model === null ? [] : [{ file, model }];
  });
}

function importsOf(models: readonly DmnModel[]): ReadonlySet<string> {
  return new Set(models.flatMap(({ imports }) => imports.map(({ namespace }) => namespace)));
}

function modelOf({ path, content }: PackageFile): DmnModel | null {
  return readDmn(path, content).model;
}
