import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Decimal128 } from '../../definitions/feel/number.ts';
import { isContext, type Value } from '../../definitions/value.ts';
import { aliasText } from '../../engine/core/aliases.ts';
import { kindOf } from '../../engine/core/evaluate.ts';
import { equalValues } from '../../engine/core/value-equality.ts';
import { MAX_VALUE_SIZE, sizeOf } from '../../engine/core/value-size.ts';

const long = (): Value => new Decimal128('12345678901234567890.12');
const other = new Decimal128('12345678901234567890.13');

describe('a number of more digits than a JS number has', () => {
  it('is a number, and no context', () => {
    assert.equal(kindOf(long()), 'number');
    assert.equal(isContext(long()), false);
  });

  const pairs: readonly (readonly [left: Value, right: Value, areEqual: boolean])[] = [
    [long(), long(), true],
    [{ a: [long()] }, { a: [long()] }, true],
    [long(), other, false],
    [long(), 12345678901234567000, false],
    [long(), '12345678901234567890.12', false],
    [long(), { s: 1, e: 19, d: [1234567, 8901234, 5678901, 2000000] }, false],
    [long(), null, false],
    [long(), [], false],
  ];
  for (const [left, right, areEqual] of pairs) {
    it(`is ${areEqual ? 'equal' : 'unequal'}: ${JSON.stringify(left)} and ${JSON.stringify(right)}`, () => {
      assert.equal(equalValues(left, right), areEqual);
      assert.equal(equalValues(right, left), areEqual);
    });
  }

  it('is a key with all its digits, short however large it is', () => {
    assert.deepEqual(aliasText(long()), { kind: 'text', text: '12345678901234567890.12' });
    assert.deepEqual(aliasText(new Decimal128('1e6144')), { kind: 'text', text: '1e+6144' });
  });

  it('has the size of its digits', () => {
    assert.equal(sizeOf([long()]) - sizeOf([1]), 22);
    const many = Array.from({ length: 500_000 }, () => other);
    assert.equal(sizeOf(many), MAX_VALUE_SIZE);
  });
});
