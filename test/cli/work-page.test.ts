/** `docs/work-command.md` has every option, and the numbers that the program has. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { workCommand } from '../../cli/work/work-command.ts';

const page = readFileSync(new URL('../../docs/work-command.md', import.meta.url), 'utf8');
const section = page.split(/^## /m).find((part) => part.startsWith('Options\n')) ?? '';

describe('docs/work-command.md', () => {
  it('has the options', () => {
    const documented = [...section.matchAll(/^\| `(--[^`]*)`/gm)].map(([, flags = '']) => flags);
    const options = workCommand().options.map(({ flags }) => flags);
    assert.ok(options.length > 0);
    assert.deepEqual(documented.toSorted(), options.toSorted());
  });

  it('has the defaults', () => {
    for (const { flags, defaultValue, defaultValueDescription } of workCommand().options) {
      if (defaultValue === undefined) continue;
      const row = page.split('\n').find((line) => line.startsWith(`| \`${flags}\``)) ?? '';
      const shown = defaultValueDescription ?? String(defaultValue);
      assert.ok(row.includes(`\`${shown}\``), `${flags}: ${shown} in ${row}`);
    }
  });

  it('has what a command finds in its environment', () => {
    for (const name of ['TASK_ID', 'CHANNEL', 'INSTANCE_ID', 'IDEMPOTENCY_KEY', 'ATTEMPTS', 'RETRIES']) {
      assert.ok(page.includes(`\`SUTRA_${name}\``), name);
    }
  });
});
