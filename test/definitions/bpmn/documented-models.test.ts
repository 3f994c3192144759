/** The small models that `docs/packages.md` shows compile as they stand. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { compileText, extensions, processWith } from './marked-file.ts';

const page = readFileSync(new URL('../../../docs/packages.md', import.meta.url), 'utf8');

/** Blocks of XML that are not whole files, each with the heading above it. */
const snippets = page
  .split('\n## ')
  .slice(1)
  .flatMap((section) => {
    const heading = section.slice(0, section.indexOf('\n'));
    const blocks = [...section.matchAll(/```xml\n([\s\S]*?)```/g)].map(([, text = '']) => text);
    return blocks.filter((text) => !text.startsWith('<?xml')).map((text) => [heading, text] as const);
  });

/** A whole file around a block; what stands in extension elements alone gets a call activity. */
function fileWith(text: string): string {
  const roots = /<dataStore [^>]*\/>/.exec(text)?.[0] ?? '';
  const inside = text.startsWith('<q:')
    ? `<callActivity id="n">${extensions(text)}</callActivity>`
    : `<task id="n"/>${text.replace(roots, '')}`;
  return processWith(inside, roots);
}

describe('the models in docs/packages.md', () => {
  test('are of every subject that has its own section', () => {
    assert.deepEqual(
      [...new Set(snippets.map(([heading]) => heading))],
      ['Data', 'Loops', 'Calling processes', 'Calls: ask, and wait for the answer', 'Decisions'],
    );
  });

  for (const [index, [heading, text]] of snippets.entries()) {
    test(`compile: ${heading}, number ${index + 1}`, () => {
      const { processes, findings } = compileText(fileWith(text));
      const faults = findings.filter(({ code }) => code !== 'SUTRA.BPMN.NODE_UNREACHABLE');
      assert.deepEqual(faults, []);
      assert.equal(processes.length, 1);
    });
  }
});
