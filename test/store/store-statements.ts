/** Every statement of the store, found where it is exported. */
import { readdir } from 'node:fs/promises';
import type { Statement } from '../../engine/store/database.ts';
import { moduleOf } from '../support/program.ts';

const STORE = new URL('../../engine/store/', import.meta.url);

export interface FoundStatement {
  readonly file: string;
  readonly exportName: string;
  readonly statement: Statement;
}

function isStatement(value: unknown): value is Statement {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    typeof value.name === 'string' &&
    'text' in value &&
    typeof value.text === 'string'
  );
}

/** The worker's own file opens a database when it is imported, and is left out. */
export async function findStatements(): Promise<FoundStatement[]> {
  const found: FoundStatement[] = [];
  for (const file of (await readdir(STORE)).sort()) {
    if (!file.endsWith('.ts') || file === 'embedded-worker.ts') continue;
    const module = (await import(moduleOf(new URL(file, STORE)).href)) as Record<string, unknown>;
    for (const [exportName, value] of Object.entries(module)) {
      if (isStatement(value)) found.push({ file, exportName, statement: value });
    }
  }
  return found;
}
