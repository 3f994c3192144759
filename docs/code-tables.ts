/** All `codes.ts` tables of the product, found by name, so that a table cannot be forgotten. */
import { readdirSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { CodeRow } from '../config/engine-error.ts';

export const ROOT_DIR = fileURLToPath(new URL('..', import.meta.url));

export interface FoundTable {
  /** `engine/store/codes.ts` */
  readonly path: string;
  /** `engine/store` */
  readonly folder: string;
  readonly rows: readonly (readonly [string, CodeRow])[];
}

const PRODUCT_FOLDERS = ['config', 'definitions', 'engine', 'channels', 'server', 'cli'];

/** In the order of the folders above, deeper ones after their parent. */
export async function readCodeTables(): Promise<readonly FoundTable[]> {
  const tables: FoundTable[] = [];
  for (const top of PRODUCT_FOLDERS) {
    const paths = readdirSync(join(ROOT_DIR, top), { recursive: true, encoding: 'utf8' })
      .map((path) => `${top}/${path}`)
      .filter((path) => path.endsWith('/codes.ts'))
      .sort((one, other) => one.split('/').length - other.split('/').length || one.localeCompare(other));
    for (const path of paths) {
      // Beside its source, when this file runs compiled.
      const file = join(ROOT_DIR, path.replace(/\.ts$/, extname(import.meta.url)));
      const module: unknown = await import(pathToFileURL(file).href);
      const rows = Object.values(Object(module) as object).flatMap((value: unknown) => rowsOf(value));
      if (rows.length === 0) {
        throw new Error(`${path} exports no table of codes`);
      }
      tables.push({ path, folder: dirname(path), rows });
    }
  }
  return tables;
}

/** An export is a table when all its values are rows; a `codes.ts` may export other things too. */
function rowsOf(value: unknown): (readonly [string, CodeRow])[] {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  const entries = Object.entries(value) as [string, unknown][];
  return entries.every((entry): entry is [string, CodeRow] => isRow(entry[1])) ? entries : [];
}

function isRow(value: unknown): value is CodeRow {
  return (
    typeof value === 'object' &&
    value !== null &&
    'httpStatus' in value &&
    'retry' in value &&
    'meaning' in value &&
    'remedy' in value
  );
}
