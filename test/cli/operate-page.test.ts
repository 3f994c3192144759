/** `docs/cli.md` has every command for a running engine, and says which takes which filter. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { operateCommands } from '../../cli/operate/commands.ts';

const page = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8');
const section = page.split(/^## /m).find((part) => part.startsWith('Commands for a running engine\n')) ?? '';
const commands = operateCommands();
/** Explained in words, not in the table of filters. */
const otherOptions: ReadonlySet<string> = new Set([
  ...['--url', '--api-key-env', '--json'],
  ...['--all', '--limit', '--cursor', '--dry-run', '--concurrency', '--reason', '--retries'],
  ...['--from', '--to', '--token', '--variables', '--summary', '--map', '--newest'],
]);

/** The cells of each row of the table whose head begins with the word. */
function tableOf(head: string): readonly (readonly string[])[] {
  const lines = section.split('\n');
  const from = lines.findIndex((line) => line.startsWith(`| ${head}`) && line.includes('`instances`'));
  assert.ok(from >= 0, `a table of ${head}`);
  const length = lines.slice(from).findIndex((line) => !line.startsWith('|'));
  return lines.slice(from, from + length).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

describe('docs/cli.md, for a running engine,', () => {
  it('has each command', () => {
    const named = [...section.matchAll(/^\| `sutra ([a-z-]+)/gm)].map(([, name = '']) => name);
    assert.deepEqual(named.sort(), commands.map((command) => command.name()).sort());
  });

  it('has the options that all have', () => {
    for (const option of ['--url <url>', '--api-key-env <name>', '--json']) {
      assert.ok(section.includes(`| \`${option}\``), option);
      for (const command of commands) {
        assert.ok(
          command.options.some(({ flags }) => flags === option),
          command.name(),
        );
      }
    }
  });

  it('says which command takes which filter', () => {
    const [head = [], , ...rows] = tableOf('filter');
    const documented = new Set<string>();
    for (const [flags = '', ...cells] of rows) {
      for (const [option] of flags.matchAll(/--[a-z-]+/g)) {
        cells.forEach((cell, index) => {
          const name = head[index + 1]?.replaceAll('`', '') ?? '';
          if (cell === 'yes') documented.add(`${name} ${option}`);
        });
      }
    }
    const taken = commands.flatMap((command) =>
      command.options
        .map(({ long }) => long ?? '')
        .filter((long) => !otherOptions.has(long))
        .map((long) => `${command.name()} ${long}`),
    );
    assert.ok(taken.length > 20);
    // A row of two filters is for either of them.
    const known = new Set(taken);
    for (const each of known) assert.ok(documented.has(each), `${each} is documented`);
    for (const each of documented) {
      assert.ok(known.has(each) || /--status|--state/.test(each), `${each} is no option`);
    }
  });
});
