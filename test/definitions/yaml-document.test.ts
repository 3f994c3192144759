import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { composeYaml } from '../../definitions/yaml-document.ts';

const limits = { maxDepth: 16 };

describe('hostile YAML', () => {
  const block = (depth: number): string =>
    Array.from({ length: depth }, (_, level) => `${' '.repeat(level)}a:`).join('\n');
  const rows: readonly (readonly [string, string])[] = [
    ['1,000 nested mappings', block(1_000)],
    ['1,000 brackets', `${'['.repeat(1_000)}${']'.repeat(1_000)}`],
    ['a million open brackets', '['.repeat(1_000_000)],
    ['100,000 braces', '{'.repeat(100_000)],
    ['100,000 dashes on one line', `${'- '.repeat(100_000)}1`],
    ['100,000 question marks', `${'? '.repeat(100_000)}1`],
    ['17 levels', `${'['.repeat(17)}${']'.repeat(17)}`],
  ];
  for (const [name, text] of rows) {
    it(`is refused before anything recurses: ${name}`, () => {
      const { root, faults } = composeYaml(text, limits);
      assert.equal(root, null);
      assert.deepStrictEqual(
        faults.map(({ kind }) => kind),
        ['too-deep'],
      );
    });
  }

  it('is taken up to the depth that is allowed', () => {
    assert.deepStrictEqual(composeYaml(`${'['.repeat(16)}${']'.repeat(16)}`, limits).faults, []);
    assert.deepStrictEqual(composeYaml(`a: "${'['.repeat(1_000)}"`, limits).faults, []);
  });

  it('cannot grow by aliases', () => {
    const bomb = ['a: &a [x, x]', ...Array.from({ length: 30 }, (_, n) => `b${n}: &b${n} [*a, *a]`)].join(
      '\n',
    );
    const { faults } = composeYaml(bomb, limits);
    assert.ok(faults.length > 0);
    assert.ok(faults.every(({ kind }) => kind === 'alias'));
  });

  it('lists a bounded number of faults', () => {
    assert.equal(composeYaml('"'.repeat(5_000), limits).faults.length, 20);
  });
});

describe('faults of YAML', () => {
  const rows: readonly (readonly [text: string, line: number, column: number, message: RegExp])[] = [
    ['a: 1\na: 2', 2, 1, /a key occurs twice/],
    ['a:\n\tb: 1', 2, 1, /Tabs are not allowed/],
    ['a: "x', 1, 6, /Missing closing/],
    ['a: 1\n---\nb: 2', 2, 1, /more than one document/],
    ['a: !secret 1', 1, 4, /Unresolved tag/],
    ['a: &x 1', 1, 7, /anchors/],
  ];
  for (const [text, line, column, message] of rows) {
    it(`has its place: ${JSON.stringify(text)}`, () => {
      const { faults, lines } = composeYaml(text, limits);
      const [fault] = faults;
      assert.ok(fault !== undefined);
      assert.match(fault.message, message);
      assert.deepStrictEqual(lines.linePos(fault.offset), { line, col: column });
    });
  }

  it('never quotes the text of the file', () => {
    for (const text of ['token: hunter2: x', 'a: !hunter2 1', '- hunter2\nb', 'a: "hunter2']) {
      for (const { message } of composeYaml(text, limits).faults)
        assert.ok(!message.includes('hunter2'), message);
    }
  });

  it('is none for an empty text', () => {
    assert.deepStrictEqual(composeYaml('', limits).faults, []);
    assert.equal(composeYaml('# only this', limits).root, null);
  });
});
