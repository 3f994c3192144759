/**
 * A package as a folder on disk. The only file of `definitions` that touches the file system.
 *
 * D1 Bounded: number of files, bytes in all, depth of folders.
 * D2 Nothing outside the folder is read: a symbolic link is followed only to where it stays inside.
 * D3 Names that begin with a dot are not part of a package (editors, version control, mounted volumes).
 */
import { readFile, readdir, realpath, stat } from 'node:fs/promises';
import { basename, join, resolve, sep } from 'node:path';
import { EngineError } from '../config/engine-error.ts';
import { quoteText } from '../config/quote-text.ts';
import { packageLimits } from './package-layout.ts';
import type { PackageFile } from './package-model.ts';

/** The name that `identityOfFolderName` reads. */
export function folderNameOf(dir: string): string {
  return basename(resolve(dir));
}

/** All files of the folder, sorted by path. @throws EngineError SUTRA.PACKAGE.FOLDER_UNREADABLE, .TOO_LARGE, .PATH_UNSAFE */
export async function readPackageFolder(dir: string): Promise<PackageFile[]> {
  try {
    return await new FolderReader(await realpath(dir)).read();
  } catch (cause) {
    if (cause instanceof EngineError) throw cause;
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unreadable';
    throw new EngineError(
      'SUTRA.PACKAGE.FOLDER_UNREADABLE',
      `The folder ${quoteText(dir)} cannot be read: ${reason}.`,
      { cause },
    );
  }
}

class FolderReader {
  readonly #root: string;
  readonly #files: PackageFile[] = [];
  #byteCount = 0;

  constructor(root: string) {
    this.#root = root;
  }

  async read(): Promise<PackageFile[]> {
    await this.#readFolder('', 1);
    return this.#files.sort((one, other) => (one.path < other.path ? -1 : 1));
  }

  async #readFolder(path: string, depth: number): Promise<void> {
    if (depth > packageLimits.maxFolderDepth) {
      throw tooLarge(`its folders nest deeper than ${packageLimits.maxFolderDepth} levels`);
    }
    for (const name of (await readdir(join(this.#root, path))).sort()) {
      if (name.startsWith('.')) continue;
      const child = path === '' ? name : `${path}/${name}`;
      const target = await this.#inside(child);
      const found = await stat(target);
      if (found.isDirectory()) await this.#readFolder(child, depth + 1);
      else if (found.isFile()) await this.#readFile(child, target, found.size);
    }
  }

  /** The real path of `child`, which must be below the root (D2). */
  async #inside(child: string): Promise<string> {
    const target = await realpath(join(this.#root, child));
    if (target.startsWith(this.#root.endsWith(sep) ? this.#root : this.#root + sep)) return target;
    throw new EngineError(
      'SUTRA.PACKAGE.PATH_UNSAFE',
      `${quoteText(child)} is a link that leads out of the package.`,
    );
  }

  async #readFile(path: string, target: string, size: number): Promise<void> {
    if (this.#files.length >= packageLimits.maxFiles)
      throw tooLarge(`it has more than ${packageLimits.maxFiles} files`);
    // Before the read, so that one huge file is never loaded; after it, because it may have grown.
    this.#refuseBeyond(size);
    const content = await readFile(target);
    this.#byteCount += content.byteLength;
    this.#refuseBeyond(0);
    this.#files.push({ path, content });
  }

  #refuseBeyond(more: number): void {
    if (this.#byteCount + more > packageLimits.maxBytes)
      throw tooLarge(`it has more than ${packageLimits.maxBytes} bytes`);
  }
}

function tooLarge(reason: string): EngineError {
  return new EngineError('SUTRA.PACKAGE.TOO_LARGE', `The package is too large: ${reason}.`);
}
