/** The tables of the vendors' extensions, and the page that is made of them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dialectRegistries } from '../../../definitions/dialects/check-names.ts';
import { findRow } from '../../../definitions/dialects/registry.ts';
import { modelsPage } from '../../../docs/models-page.ts';

describe('the registry of extensions', () => {
  for (const registry of dialectRegistries) {
    test(`of ${registry.name} says one thing of each name on each element`, () => {
      const seen = new Set<string>();
      for (const { kind, name, on } of registry.rows) {
        for (const owner of on ?? ['*']) {
          const key = `${kind} ${name} on ${owner}`;
          assert.ok(!seen.has(key), key);
          seen.add(key);
        }
      }
      assert.ok(seen.size > 50);
    });

    test(`of ${registry.name} is on the page, each row with its status and note`, () => {
      const lines = modelsPage().split('\n');
      for (const { kind, name, note } of registry.rows) {
        const written =
          kind === 'element' ? `\`<${registry.prefix}:${name}>\`` : `\`${registry.prefix}:${name}\``;
        const escaped = note.replaceAll('|', '\\|');
        const found = lines.filter((line) => line.startsWith(`| ${written} |`) && line.includes(escaped));
        assert.ok(found.length >= 1, `${written}: ${note}`);
      }
    });
  }

  test('tells a name that is not known from one that stands elsewhere', () => {
    const [zeebe] = dialectRegistries;
    assert.ok(zeebe !== undefined);
    assert.equal(findRow(zeebe, 'element', 'taskDefintion', 'serviceTask'), null);
    assert.equal(findRow(zeebe, 'element', 'taskDefinition', 'userTask'), 'misplaced');
    assert.equal(typeof findRow(zeebe, 'element', 'taskDefinition', 'serviceTask'), 'object');
  });
});
