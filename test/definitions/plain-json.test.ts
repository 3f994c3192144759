import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { EngineError } from '../../config/engine-error.ts';
import { compare, Decimal128, isFeelNumber } from '../../definitions/feel/number.ts';
import { toPlainJson, withDoubles } from '../../definitions/plain-json.ts';
import { Temporal, type Value } from '../../definitions/value.ts';
import { anyNumber, anyValue } from '../support/any-value.ts';

const long = new Decimal128('12345678901234567890.12');

function nested(depth: number, leaf: Value): Value {
  let value = leaf;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** The same with each long number as null. */
function withoutDecimals(value: Value): unknown {
  if (isFeelNumber(value)) return typeof value === 'number' ? value : null;
  if (Array.isArray(value)) return (value as readonly Value[]).map(withoutDecimals);
  if (typeof value !== 'object' || value === null || value instanceof Temporal) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutDecimals(item)]));
}

describe('values as JSON for the outside', () => {
  const due = new Temporal('date', '2026-03-01');
  const rows: readonly (readonly [unknown, string])[] = [
    [long, '12345678901234567890.12'],
    [
      { due, $temporal: 'date', list: [due] },
      '{"due":"2026-03-01","$temporal":"date","list":["2026-03-01"]}',
    ],
    [
      { due, sum: long, list: [due, null] },
      '{"due":"2026-03-01","sum":12345678901234567890.12,"list":["2026-03-01",null]}',
    ],
    [
      { a: undefined, at: new Date(0), n: [long, undefined] },
      '{"at":"1970-01-01T00:00:00.000Z","n":[12345678901234567890.12,null]}',
    ],
    [{ toJSON: 'x', n: long }, '{"toJSON":"x","n":12345678901234567890.12}'],
    [JSON.parse('{"__proto__":{"x":1}}'), '{"__proto__":{"x":1}}'],
    [Object.fromEntries([['__proto__', long]]), '{"__proto__":12345678901234567890.12}'],
  ];
  for (const [value, expected] of rows) {
    it(`writes ${expected}`, () => assert.equal(toPlainJson(value), expected));
  }

  it('are what JSON.stringify writes, long numbers aside', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const plain = withoutDecimals(value);
        const text = JSON.stringify(plain);
        assert.equal(toPlainJson(plain), text);
        assert.equal(toPlainJson([plain, long, plain]), `[${text},12345678901234567890.12,${text}]`);
      }),
    );
  });

  it('are refused with a code when they are deep enough to exhaust the stack', () => {
    for (const leaf of [1, long]) {
      assert.throws(
        () => toPlainJson(nested(100_000, leaf)),
        (error) => error instanceof EngineError && error.code === 'SUTRA.CODEC.TOO_DEEP',
      );
    }
  });
});

describe('values for those who know doubles alone', () => {
  it('stay the very same object without long numbers', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const plain = withoutDecimals(value);
        assert.equal(withDoubles(plain as Value), plain);
      }),
    );
  });

  it('keep the order of numbers, and none of them is zero or infinite that was not', () => {
    fc.assert(
      fc.property(anyNumber, anyNumber, (one, other) => {
        const [a, b] = withDoubles([one, other]) as [number, number];
        assert.ok(Number.isFinite(a) && Number.isFinite(b));
        if (compare(one, other) < 0) assert.ok(a <= b, `${String(one)} ${String(other)}`);
        assert.equal(Math.sign(a), compare(one, 0));
      }),
      { numRuns: 1_000 },
    );
  });

  it('are changed in every place', () => {
    const value = { a: [long, 1, { b: long }], ...JSON.parse('{"__proto__":null}') } as Value;
    const expected: unknown = {
      a: [Number(long), 1, { b: Number(long) }],
      ...JSON.parse('{"__proto__":null}'),
    };
    assert.deepStrictEqual(withDoubles(value), expected);
  });
});
