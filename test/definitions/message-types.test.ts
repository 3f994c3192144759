import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { messageTypesOverlap } from '../../definitions/message-types.ts';

type MessageType = Parameters<typeof messageTypesOverlap>[0];
const any: MessageType = { kind: 'any' };
const exact = (value: string): MessageType => ({ kind: 'exact', value });
const pattern = (text: string): MessageType => ({ kind: 'pattern', pattern: text });

describe('message types', () => {
  const rows: readonly (readonly [MessageType, MessageType, boolean])[] = [
    [any, any, true],
    [any, exact('a'), false],
    [any, pattern('*'), false],
    [exact('a'), exact('a'), true],
    [exact('a'), exact('b'), false],
    [exact('a'), pattern('a*'), false],
    [pattern('a*'), pattern('*b'), true],
    [pattern('a.*'), pattern('b.*'), false],
    [pattern('a*b'), pattern('ab'), true],
    [pattern('a*b'), pattern('a'), false],
    [pattern('*'), pattern(''), true],
    [pattern('*a*'), pattern('*b*'), true],
    [pattern('a**'), pattern('a'), true],
  ];
  for (const [one, other, expected] of rows) {
    it(`${JSON.stringify(one)} and ${JSON.stringify(other)} ${expected ? 'compete' : 'do not compete'}`, () => {
      assert.equal(messageTypesOverlap(one, other), expected);
      assert.equal(messageTypesOverlap(other, one), expected);
    });
  }

  it('compete as patterns exactly when one short text matches both', () => {
    const short = fc.stringMatching(/^[ab*]{0,4}$/);
    const texts = [''];
    // Grows while it is walked: all words of up to eight letters.
    for (const text of texts) if (text.length < 8) texts.push(`${text}a`, `${text}b`);
    const matcher = (glob: string): RegExp => new RegExp(`^${glob.replaceAll('*', '.*')}$`);
    fc.assert(
      fc.property(short, short, (one, other) => {
        const [a, b] = [matcher(one), matcher(other)];
        const expected = texts.some((text) => a.test(text) && b.test(text));
        assert.equal(messageTypesOverlap(pattern(one), pattern(other)), expected);
      }),
      { numRuns: 500 },
    );
  });
});
