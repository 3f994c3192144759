import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { cut, formatSheet, formatTable, type Column } from '../../cli/operate/table.ts';

type Cells = readonly string[];

const at = (index: number, more: Partial<Column<Cells>> = {}): Column<Cells> => ({
  title: `C${String(index)}`,
  value: (cells) => cells[index] ?? '',
  ...more,
});
const columns = [at(0, { isWhole: true }), at(1), at(2, { keepsEnd: true })];

describe('a table', () => {
  const rows: readonly (readonly [
    what: string,
    items: readonly Cells[],
    width: number | null,
    lines: string[],
  ])[] = [
    ['has a head alone when there are no rows', [], null, ['C0  C1  C2']],
    [
      'has columns as wide as their widest cell, and no blanks at the end (T3)',
      [
        ['a', 'bb', 'ccc'],
        ['aaaa', '', ''],
      ],
      null,
      ['C0    C1  C2', 'a     bb  ccc', 'aaaa'],
    ],
    [
      'cuts nothing outside a terminal (T2)',
      [['i', 'x'.repeat(300), '']],
      null,
      [`C0  C1${' '.repeat(298)}  C2`, `i   ${'x'.repeat(300)}`],
    ],
    [
      'cuts the widest first in a terminal, and leaves out what has no value (T2)',
      [['id-0123456789', 'a long sentence of words', '']],
      30,
      ['C0             C1', 'id-0123456789  a long sentenc…'],
    ],
    [
      'keeps the end of a code, and as much of it as fits (T2)',
      [['id', 'a long sentence of words', 'SUTRA.CORE.NO_FLOW_TAKEN']],
      32,
      ['C0  C1        C2', 'id  a long …  …ORE.NO_FLOW_TAKEN'],
    ],
    [
      'is wider than the terminal rather than cut what must stay whole (T2)',
      [['id-0123456789', 'abc', 'def']],
      10,
      ['C0             C1   C2', 'id-0123456789  abc  def'],
    ],
    [
      'has a row on one line, whatever is in it, and nothing that controls a terminal (T1)',
      [['a\nb', '\u001b[31mred\u001b[0m', '\u202Ex\u2028y\r']],
      null,
      ['C0   C1            C2', 'a b   [31mred [0m  x y'],
    ],
    ['counts characters as people do', [['é👩‍👩‍👧', 'b', 'c']], null, ['C0  C1  C2', 'é👩‍👩‍👧  b   c']],
  ];
  for (const [what, items, width, lines] of rows) {
    it(what, () => {
      assert.deepEqual(formatTable(items, columns, width).split('\n'), lines);
    });
  }

  it('is never wider than a terminal that its whole columns leave room in, and has a line a row (T1, T2)', () => {
    const items = fc.array(
      fc.tuple(
        fc.stringMatching(/^[a-z]{0,5}$/),
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.string({ maxLength: 60 }),
      ),
      {
        minLength: 1,
        maxLength: 8,
      },
    );
    fc.assert(
      fc.property(items, fc.integer({ min: 30, max: 120 }), (cells, width) => {
        const lines = formatTable(cells, columns, width).split('\n');
        assert.equal(lines.length, cells.length + 1);
        const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
        for (const line of lines) assert.ok([...segmenter.segment(line)].length <= width, line);
        assert.doesNotMatch(lines.join(''), /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
      }),
    );
  });
});

describe('a text that is cut', () => {
  const rows: readonly (readonly [text: string, width: number, cutText: string])[] = [
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['', 0, ''],
    ['abc', 1, '…'],
  ];
  for (const [text, width, cutText] of rows) {
    it(`is ${JSON.stringify(cutText)} at ${String(width)} for ${JSON.stringify(text)}`, () => {
      assert.equal(cut(text, width), cutText);
    });
  }
});

describe('a sheet', () => {
  it('names each fact once, leaves out those without lines, and cuts in a terminal alone', () => {
    const facts = [
      ['id', ['x']],
      ['nothing', []],
      ['variables', ['a = 1', `b = "${'c'.repeat(30)}"`]],
    ] as const;
    const long = 'c'.repeat(30);
    assert.equal(formatSheet(facts, null), `id         x\nvariables  a = 1\n           b = "${long}"`);
    assert.equal(
      formatSheet(facts, 30),
      `id         x\nvariables  a = 1\n           b = "${'c'.repeat(13)}…`,
    );
  });
});
