/** Whatever a program writes is kept within bounds. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { CappedBytes, Lines, TextTail } from '../../cli/work/output.ts';

function linesOf(chunks: readonly Uint8Array[], maxBytes: number): (readonly [string, boolean])[] {
  const found: (readonly [string, boolean])[] = [];
  const lines = new Lines(maxBytes, (line, isCut) => found.push([line, isCut]));
  for (const chunk of chunks) lines.add(chunk);
  lines.end();
  return found;
}

/** The text in pieces that end where the numbers say. */
function pieces(text: string, cuts: readonly number[]): Uint8Array[] {
  const bytes = Buffer.from(text);
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

describe('lines', () => {
  it('are the same however the bytes come in', () => {
    const texts = fc.array(fc.constantFrom('a', 'é', '\n', '\r\n', '漢', ' ')).map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, fc.array(fc.nat()), (text, cuts) => {
        const expected = text.split('\n').map((line) => line.replace(/\r$/, ''));
        if (text === '' || text.endsWith('\n')) expected.pop();
        assert.deepEqual(
          linesOf(pieces(text, cuts), 1000),
          expected.map((line) => [line, false]),
        );
      }),
    );
  });

  it('that are too long are cut, and the next one is whole', () => {
    const chunks = ['abc', 'def', 'ghi\nabcde\nx\n', '\n', 'abcdef'].map((text) => Buffer.from(text));
    assert.deepEqual(linesOf(chunks, 5), [
      ['abcde', true],
      ['abcde', false],
      ['x', false],
      ['', false],
      ['abcde', true],
    ]);
  });
});

describe('capped bytes', () => {
  it('take up to the limit, and nothing over it', () => {
    const bytes = new CappedBytes(5);
    assert.ok(bytes.add(Buffer.from('abc')));
    assert.ok(bytes.add(Buffer.from('de')));
    assert.equal(Buffer.from(bytes.bytes).toString(), 'abcde');
    assert.ok(!bytes.add(Buffer.from('f')));
    assert.ok(!bytes.add(Buffer.from('')));
    assert.equal(bytes.bytes.length, 0);
  });
});

describe('the tail of a text', () => {
  it('is its end, whatever the pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 30 })), (parts) => {
        const tail = new TextTail(10);
        for (const part of parts) tail.add(part);
        assert.equal(tail.text, parts.join('').slice(-10));
      }),
    );
  });
});
