/**
 * An uploaded package: the files of a zip archive or of a JSON document. Paths, sizes and contents are
 * checked where packages from anywhere are: by the archive's reader and by the compiler.
 */
import { readPackageArchive } from '../definitions/archive.ts';
import { packageLimits } from '../definitions/package-layout.ts';
import type { PackageFile } from '../definitions/package-model.ts';
import { FieldReader } from './json-body.ts';

export interface UploadedPackage {
  readonly files: readonly PackageFile[];
  readonly folderName: string | null;
}

/** A guess: three labels of at most 64 characters and their separators. */
const MAX_NAME_CHARACTERS = 300;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** @throws EngineError SUTRA.HTTP.FIELD_INVALID, SUTRA.HTTP.FIELD_UNKNOWN. */
export function packageFromJson(body: unknown): UploadedPackage {
  const fields = new FieldReader(body, ['folderName', 'files']);
  const folderName = fields.optionalText('folderName', MAX_NAME_CHARACTERS);
  const entries = fields.list('files');
  if (entries.length === 0) throw fields.refuse('files', 'must not be empty');
  if (entries.length > packageLimits.maxFiles) {
    throw fields.refuse(
      'files',
      `has ${String(entries.length)} entries; at most ${String(packageLimits.maxFiles)} are taken`,
    );
  }
  return { files: entries.map((entry, index) => fileFromJson(entry, `files[${String(index)}]`)), folderName };
}

function fileFromJson(entry: unknown, path: string): PackageFile {
  const fields = new FieldReader(entry, ['path', 'text', 'base64'], path);
  const name = fields.text('path', packageLimits.maxPathLength);
  if (fields.has('text') === fields.has('base64')) {
    throw fields.refuse('path', 'needs either text or base64 beside it');
  }
  if (fields.has('text')) {
    const text = fields.raw('text');
    if (typeof text !== 'string') throw fields.refuse('text', 'must be a string');
    return { path: name, content: Buffer.from(text, 'utf8') };
  }
  const base64 = fields.raw('base64');
  // Buffer.from would pass over what is not base64.
  if (typeof base64 !== 'string' || !BASE64.test(base64)) {
    throw fields.refuse('base64', 'must be a string of padded base64');
  }
  return { path: name, content: Buffer.from(base64, 'base64') };
}

/** `folderName` null: the archive's wrapping folder, if it has one. @throws EngineError SUTRA.PACKAGE.* */
export function packageFromZip(bytes: Uint8Array, folderName: string | null): UploadedPackage {
  const archive = readPackageArchive(bytes);
  return { files: archive.files, folderName: folderName ?? archive.folderName };
}
