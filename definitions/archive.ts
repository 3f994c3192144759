/**
 * A package as a `.zip` archive.
 *
 * A1 Nothing is unpacked before its declared size, its path and the totals are checked, so a small
 *    archive cannot become a large package.
 * A2 A path that would leave the package, or that occurs twice, refuses the archive.
 * A3 A file whose checksum does not hold refuses the archive: the library itself cuts and pads what
 *    does not fit the declared size.
 * A4 When everything lies in one folder that is no folder of a package, that folder is the wrapping: it is
 *    taken off, and its name may spell the labels.
 */
import { crc32 } from 'node:zlib';
import { unzipSync } from 'fflate';
import { EngineError } from '../config/engine-error.ts';
import { quoteText } from '../config/quote-text.ts';
import { packageFolderNames, packageLimits, pathFault } from './package-layout.ts';
import type { PackageFile } from './package-model.ts';

export interface PackageArchive {
  /** Sorted by path. */
  readonly files: PackageFile[];
  /** The wrapping folder's name (A4), for `compilePackage`. */
  readonly folderName: string | null;
}

/** @throws EngineError SUTRA.PACKAGE.ARCHIVE_INVALID, .TOO_LARGE, .PATH_UNSAFE, .PATH_DUPLICATE */
export function readPackageArchive(bytes: Uint8Array): PackageArchive {
  const check = new EntryCheck(readChecksums(bytes));
  let unpacked: Readonly<Record<string, Uint8Array>>;
  try {
    unpacked = unzipSync(bytes, { filter: ({ name, originalSize }) => check.accepts(name, originalSize) });
  } catch (cause) {
    if (cause instanceof EngineError) throw cause;
    throw invalid('The package is not a readable .zip archive.', cause);
  }
  const files: PackageFile[] = [];
  for (const [path, { size, checksum }] of check.accepted) {
    const content = Object.hasOwn(unpacked, path) ? unpacked[path] : undefined;
    if (content?.byteLength !== size || crc32(content) !== checksum) {
      throw invalid(`The archive's entry ${quoteText(path)} is damaged.`);
    }
    files.push({ path, content });
  }
  if (files.length === 0) {
    throw invalid('The archive holds no files.');
  }
  return unwrap(files.sort((one, other) => (one.path < other.path ? -1 : 1)));
}

/** Sees every entry of the archive's directory before it is unpacked. */
class EntryCheck {
  readonly accepted = new Map<string, { readonly size: number; readonly checksum: number | undefined }>();
  readonly #checksums: readonly number[];
  #entryCount = 0;
  #byteCount = 0;

  constructor(checksums: readonly number[]) {
    this.#checksums = checksums;
  }

  accepts(name: string, size: number): boolean {
    this.#entryCount += 1;
    if (this.#entryCount > packageLimits.maxFiles)
      throw tooLarge(`it has more than ${packageLimits.maxFiles} entries`);
    const path = name.endsWith('/') ? name.slice(0, -1) : name;
    const fault = pathFault(path);
    if (fault !== null) {
      throw new EngineError('SUTRA.PACKAGE.PATH_UNSAFE', `The archive's path ${quoteText(name)} ${fault}.`);
    }
    if (name.endsWith('/') || isHidden(path)) return false;
    if (this.accepted.has(path)) {
      throw new EngineError('SUTRA.PACKAGE.PATH_DUPLICATE', `The archive holds ${quoteText(path)} twice.`);
    }
    this.#byteCount += size;
    if (this.#byteCount > packageLimits.maxBytes)
      throw tooLarge(`it unpacks to more than ${packageLimits.maxBytes} bytes`);
    this.accepted.set(path, { size, checksum: this.#checksums[this.#entryCount - 1] });
    return true;
  }
}

const END_RECORD = 0x06054b50;
const END_RECORD_BYTES = 22;
const MAX_COMMENT_BYTES = 65_535;
const ENTRY_RECORD = 0x02014b50;
const ENTRY_RECORD_BYTES = 46;

/** The checksums that the archive's directory declares, in its order, which is the library's too. */
function readChecksums(bytes: Uint8Array): readonly number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const lowest = Math.max(0, bytes.byteLength - END_RECORD_BYTES - MAX_COMMENT_BYTES);
  let end = bytes.byteLength - END_RECORD_BYTES;
  while (end >= lowest && view.getUint32(end, true) !== END_RECORD) end -= 1;
  if (end < lowest) throw invalid('The package is not a .zip archive.');
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  const checksums: number[] = [];
  while (checksums.length < count) {
    if (at + ENTRY_RECORD_BYTES > end || view.getUint32(at, true) !== ENTRY_RECORD) {
      throw invalid("The archive's directory is damaged, or larger than a package may be.");
    }
    checksums.push(view.getUint32(at + 16, true));
    const [name, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
    at += ENTRY_RECORD_BYTES + (name ?? 0) + (extra ?? 0) + (comment ?? 0);
  }
  return checksums;
}

function invalid(message: string, cause?: unknown): EngineError {
  return new EngineError('SUTRA.PACKAGE.ARCHIVE_INVALID', message, { cause });
}

/** As in a folder: dot files are no part of a package; nor is what one system adds to each archive. */
function isHidden(path: string): boolean {
  return path.split('/').some((segment) => segment.startsWith('.')) || path.startsWith('__MACOSX/');
}

function unwrap(files: PackageFile[]): PackageArchive {
  const [wrapping = ''] = files[0]?.path.split('/') ?? [];
  const prefix = `${wrapping}/`;
  const isWrapped =
    files.every(({ path }) => path.startsWith(prefix)) && !packageFolderNames.includes(wrapping);
  if (!isWrapped) return { files, folderName: null };
  return {
    files: files.map(({ path, content }) => ({ path: path.slice(prefix.length), content })),
    folderName: wrapping,
  };
}

function tooLarge(reason: string): EngineError {
  return new EngineError('SUTRA.PACKAGE.TOO_LARGE', `The package is too large: ${reason}.`);
}
