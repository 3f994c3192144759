/** `docs/cli.md` has the options of the commands that it explains. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { createCommand } from '../../cli/create-command.ts';
import { lintCommand } from '../../cli/lint-command.ts';

const page = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8');

/** What begins the rows of the section, between backquotes. */
function documented(section: string): readonly string[] {
  const text = page.split(/^## /m).find((part) => part.startsWith(`${section}\n`)) ?? '';
  return [...text.matchAll(/^\| `(-[^`]*)`/gm)].map(([, flags = '']) => flags);
}

describe('docs/cli.md', () => {
  for (const command of [createCommand(), lintCommand()]) {
    it(`has the options of ${command.name()}`, () => {
      const options = command.options.map(({ flags }) => flags);
      assert.ok(options.length > 0);
      assert.deepEqual(documented(command.name()), options);
    });
  }
});
