import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { journalText } from '../../engine/intake/journal-text.ts';
import type { Value } from '../../definitions/value.ts';

const entry = (payload?: Value): Parameters<typeof journalText>[0][number] => ({
  event: 'sent',
  elementId: 'e',
  detail: { channel: 'c' },
  ...(payload === undefined ? {} : { payload }),
});

const rows: readonly (readonly [name: string, payload: Value, written: unknown])[] = [
  ['a payload of the limit', 'x'.repeat(98), 'x'.repeat(98)],
  ['a payload over it', 'x'.repeat(99), { omitted: 101 }],
  ['one over it in bytes alone', 'ä'.repeat(50), { omitted: 102 }],
  ['null', null, null],
  ['a NUL', { a: 'b\u0000' }, { omitted: 15 }],
  ['half of a surrogate pair', 'a\ud83d', { omitted: 9 }],
  ['a whole pair', '😀', '😀'],
];

describe('the entries of a turn as JSON (J1)', () => {
  it('are the same as ever when nothing is audited', () => {
    const entries = [entry(), { event: 'ended', elementId: null, detail: {} }];
    assert.equal(journalText(entries, 100), JSON.stringify(entries));
  });

  for (const [name, payload, written] of rows) {
    it(`have the payload, or its size: ${name}`, () => {
      const [first, second] = JSON.parse(journalText([entry(), entry(payload)], 100)) as unknown[];
      assert.deepEqual(first, entry());
      assert.deepEqual(second, { ...entry(), detail: { channel: 'c', payload: written } });
    });
  }

  it('have no more than 4 MiB of payloads together', () => {
    const payload = 'x'.repeat(1024 * 1024 - 2);
    const written = JSON.parse(journalText(Array(6).fill(entry(payload)), 2 * 1024 * 1024)) as {
      detail: { payload: unknown };
    }[];
    const omitted = written.filter(({ detail }) => detail.payload !== payload);
    assert.deepEqual(
      omitted.map(({ detail }) => detail.payload),
      [{ omitted: 1024 * 1024 }, { omitted: 1024 * 1024 }],
    );
  });
});
