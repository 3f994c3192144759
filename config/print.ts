/** What `sutra config` prints: every key, its value, and where the value came from. No secrets. */
import type { LoadedSettings } from './load.ts';

/** A table for people. An unset key shows `-`. */
export function formatSettings(loaded: LoadedSettings): string {
  const rows = [
    { key: 'key', value: 'value', source: 'source' },
    ...loaded.entries.map(({ key, value, source }) => ({ key, value: value ?? '-', source })),
  ];
  const keyWidth = Math.max(...rows.map((row) => row.key.length));
  const valueWidth = Math.max(...rows.map((row) => row.value.length));
  const lines = rows.map(
    (row) => `${row.key.padEnd(keyWidth)}  ${row.value.padEnd(valueWidth)}  ${row.source}`,
  );
  return [`file: ${loaded.file ?? 'none'}`, '', ...lines, ''].join('\n');
}

/** The same for programs. */
export function formatSettingsJson(loaded: LoadedSettings): string {
  return `${JSON.stringify({ file: loaded.file, settings: loaded.entries }, null, 2)}\n`;
}
