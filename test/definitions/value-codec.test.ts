import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { EngineError } from '../../config/engine-error.ts';
import {
  decodeValue,
  encodeValue,
  parseWithValues,
  stringifyWithValues,
} from '../../definitions/value-codec.ts';
import { Decimal128 } from '../../definitions/feel/number.ts';
import { Temporal, type Value } from '../../definitions/value.ts';
import { anyValue } from '../support/any-value.ts';

function nested(depth: number): Value {
  let value: Value = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

describe('the stored form of values', () => {
  it('survives with its types, whatever the value (V2)', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        assert.deepStrictEqual(decodeValue(JSON.parse(encodeValue(value))), value);
        assert.deepStrictEqual(parseWithValues(encodeValue(value)), value);
      }),
      { numRuns: 1_000 },
    );
  });

  it('survives inside a larger object, in one pass', () => {
    fc.assert(
      fc.property(anyValue, anyValue, (one, other) => {
        const snapshot = { formatVersion: 1, scopes: [{ id: 0, variables: { one } }], waits: [], other };
        assert.deepStrictEqual(parseWithValues(stringifyWithValues(snapshot)), snapshot);
      }),
    );
  });

  it('is plain JSON where nothing needs a tag', () => {
    const value = JSON.parse('{"a":[1,"x",null,true],"__proto__":{"b":2}}') as Value;
    assert.equal(encodeValue(value), JSON.stringify(value));
  });

  it('never touches a prototype', () => {
    const value = JSON.parse('{"__proto__":{"polluted":true},"at":0}') as Record<string, Value>;
    const decoded = decodeValue(
      JSON.parse(encodeValue({ ...value, at: new Temporal('date', '2026-03-01') })),
    );
    assert.ok(Object.hasOwn(decoded as object, '__proto__'));
    assert.equal(Object.getPrototypeOf(decoded), Object.prototype);
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  });

  it('writes -0 as 0, which it equals', () => {
    assert.equal(encodeValue(-0), '0');
  });

  it('takes the deepest value that is allowed, tags included', () => {
    const value = { $temporal: nested(990), at: new Temporal('date', '2026-03-01') };
    assert.deepStrictEqual(decodeValue(JSON.parse(encodeValue(value))), value);
  });

  for (const depth of [1_002, 100_000]) {
    it(`refuses ${depth} levels with a code instead of exhausting the stack`, () => {
      const isTooDeep = (error: unknown): boolean =>
        error instanceof EngineError && error.code === 'SUTRA.CODEC.TOO_DEEP';
      assert.throws(() => encodeValue(nested(depth)), isTooDeep);
      const tagged = `${'['.repeat(depth * 3)}{"$temporal":"date","text":""}${']'.repeat(depth * 3)}`;
      assert.throws(() => parseWithValues(tagged), isTooDeep);
    });
  }

  it('of a long number is its digits with a tag', () => {
    const value = { sum: new Decimal128('12345678901234567890.12') };
    assert.equal(encodeValue(value), '{"sum":{"$temporal":"number","text":"12345678901234567890.12"}}');
  });

  const stored: readonly (readonly [text: string, Value])[] = [
    ['0.30000000000000004', new Decimal128('0.30000000000000004')],
    ['{"a":[1.5,9007199254740994]}', { a: [1.5, new Decimal128('9007199254740994')] }],
    ['{"a":12345678.12345679}', { a: new Decimal128('12345678.12345679') }],
    ['[-1e+301,1e+300]', [new Decimal128('-1e301'), 1e300]],
    ['{"__proto__":5e-324}', Object.fromEntries([['__proto__', new Decimal128('5e-324')]])],
  ];
  for (const [text, value] of stored) {
    it(`of a double that is not canonical is read as the number that it stands for: ${text}`, () => {
      assert.deepStrictEqual(parseWithValues(text), value);
      assert.deepStrictEqual(decodeValue(JSON.parse(text)), value);
    });
  }

  for (const stored of [
    '{"$temporal":"era","text":"x"}',
    '{"$temporal":"date"}',
    '{"$temporal":"context","entries":[]}',
    '{"$temporal":"number"}',
    '{"$temporal":"number","text":"1,5"}',
    '{"$temporal":"number","text":"NaN"}',
  ]) {
    it(`refuses the unknown tag ${stored}`, () => {
      assert.throws(
        () => parseWithValues(stored),
        (error) => error instanceof EngineError && error.code === 'SUTRA.CODEC.JSON_INVALID',
      );
    });
  }
});
