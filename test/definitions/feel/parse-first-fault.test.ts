/** The library stops at the first mistake: what follows it costs nothing. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parser } from 'lezer-feel';
import { SyntaxFault } from '../../../definitions/feel/check-text.ts';
import { parseExpression } from '../../../definitions/feel/parse-expression.ts';
import { parseToFirstFault } from '../../../definitions/feel/parse-first-fault.ts';

const read = parser.configure({ top: 'Expression' });

function nodesOf(tree: ReturnType<typeof read.parse>): readonly string[] {
  const nodes: string[] = [];
  tree.iterate({ enter: ({ name, from, to }) => void nodes.push(`${name} ${from}-${to}`) });
  return nodes;
}

describe('a text with a mistake', () => {
  for (const [what, text] of Object.entries({
    'an operator too many': `a + * ${'b c, '.repeat(500)}`,
    'a long name where a string belongs': `@${'a'.repeat(9_000)}`,
    'one after the other': `{${'@5null '.repeat(900)}`,
    'much space before it': `a ${' '.repeat(1_000)}@5${' null'.repeat(500)}`,
  })) {
    it(`is read little further than that: ${what}`, () => {
      const at = text.search(/[*@]/);
      const { length } = parseToFirstFault(read, text);
      assert.ok(length >= at && length <= at + 300, `${length}`);
      assert.throws(() => parseExpression(text), SyntaxFault);
    });
  }

  it('is refused at its first one, however long it is', () => {
    for (const count of [1, 100, 2_900]) {
      assert.throws(
        () => parseExpression(`[1, 2, 3 4${', 5 6'.repeat(count / 3)}]`),
        (error) =>
          error instanceof SyntaxFault && error.offset === 9 && /^unexpected '4'/.test(error.message),
      );
    }
  });
});

describe('a text without one', () => {
  it('is read to its end', () => {
    for (const text of ['1', `[${'1, '.repeat(900)}2]`, `"${'a'.repeat(5_000)}" + b`]) {
      const tree = parseToFirstFault(read, text);
      assert.equal(tree.length, text.length);
      assert.deepEqual(nodesOf(tree), nodesOf(read.parse(text)));
    }
  });

  it('is read also where a name that it declares looks like a mistake', () => {
    const padding = ' '.repeat(500);
    const tree = parseExpression(`{in use: 1, ${padding} r: in use + 1, ${'x: 1, '.repeat(100)} y: in use}`);
    assert.equal(tree.kind, 'context');
  });
});
