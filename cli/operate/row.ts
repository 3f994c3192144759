/**
 * Reads fields of an engine's answer. Total: what is not there, or not of the kind, is null or empty, so that a command
 * shows what an older or newer engine gives and does not fail over what it does not know.
 */
export type Row = Readonly<Record<string, unknown>>;

export function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textOf(row: Row, name: string): string | null {
  const value = row[name];
  return typeof value === 'string' ? value : null;
}

export function numberOf(row: Row, name: string): number | null {
  const value = row[name];
  return typeof value === 'number' ? value : null;
}

export function rowOf(row: Row, name: string): Row | null {
  const value = row[name];
  return isRow(value) ? value : null;
}

export function rowsOf(row: Row, name: string): readonly Row[] {
  const value = row[name];
  return Array.isArray(value) ? value.filter(isRow) : [];
}

/** The text, number or flag as it is shown; empty for all else. */
export function shown(row: Row, name: string): string {
  const value = row[name];
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}
