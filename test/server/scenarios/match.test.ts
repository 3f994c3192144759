import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Decimal } from 'decimal.js';
import { Temporal, type Value } from '../../../definitions/value.ts';
import { differenceIn } from '../../../server/scenarios/match.ts';
import { anyValue } from '../../support/any-value.ts';

describe('a value matches what is expected of it', () => {
  const rows: readonly (readonly [string, Value, Value | undefined, string | null])[] = [
    ['an object may have more', { a: 1 }, { a: 1, b: 2 }, null],
    ['an object inside too', { a: { b: 1 } }, { a: { b: 1, c: [1] } }, null],
    ['not less', { a: 1, b: 2 }, { a: 1 }, '.b'],
    ['null is a value', { a: null }, { a: null }, null],
    ['null is not nothing', { a: null }, {}, '.a'],
    ['nothing at all', null, undefined, ''],
    ['a list has its length', [1], [1, 2], ''],
    ['and its order', [1, 2], [2, 1], '[1]'],
    ['objects in a list may have more', [{ a: 1 }], [{ a: 1, b: 1 }], null],
    ['deep inside', { a: [{ b: [1, { c: 2 }] }] }, { a: [{ b: [1, { c: 3 }] }] }, '.a[1].b[2].c'],
    ['a number is no text', 1, '1', ''],
    ['false is not null', false, null, ''],
    ['all digits count', new Decimal('0.1234567890123456789'), new Decimal('0.1234567890123456788'), ''],
    ['a date is its text', '2030-01-07', new Temporal('date', '2030-01-07'), null],
    ['another date is not', '2030-01-08', new Temporal('date', '2030-01-07'), ''],
    ['a list is no object', {}, [], ''],
    ['a key of the prototype is no key', { toString: 1 }, {}, '.toString'],
  ];
  for (const [name, expected, found, difference] of rows) {
    it(name, () => assert.equal(differenceIn(expected, found), difference));
  }

  it('every value without dates matches itself', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        fc.pre(!JSON.stringify(value).includes('"P') && !holdsTemporal(value));
        assert.equal(differenceIn(value, value), null);
      }),
    );
  });
});

function holdsTemporal(value: Value): boolean {
  if (value instanceof Temporal) return true;
  if (typeof value !== 'object' || value === null || value instanceof Decimal) return false;
  return Object.values(value).some((inside: Value) => holdsTemporal(inside));
}
