import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { EngineError } from '../../config/engine-error.ts';
import {
  decodeValue,
  encodeValue,
  parseWithValues,
  stringifyWithValues,
  toPlainJson,
} from '../../definitions/value-codec.ts';
import { Temporal, type TemporalKind, type Value } from '../../definitions/value.ts';

const kinds: readonly TemporalKind[] = [
  'date',
  'time',
  'date-time',
  'days-time-duration',
  'years-months-duration',
];

/** Keys and texts that codecs trip over. */
const awkward = fc.constantFrom(
  ...['__proto__', 'constructor', 'toString', 'toJSON', '$temporal', 'text', 'entries', '', '0', '\u0000'],
  ...['\ud800', '\udc00x', '"$temporal"', '\u2028', 'ä🙂', 'length'],
);
const text = fc.oneof(awkward, fc.string({ unit: 'binary' }));
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value));

const { value: anyValue } = fc.letrec<{ value: Value; context: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    number,
    text,
    fc.tuple(fc.constantFrom(...kinds), text).map(([kind, iso]) => new Temporal(kind, iso)),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('context'),
  ),
  context: fc
    .array(fc.tuple(text, tie('value')), { maxLength: 4 })
    .map((entries) => Object.fromEntries(entries)),
}));

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

  it('refuses to write out a value deep enough to exhaust the stack', () => {
    assert.throws(
      () => toPlainJson(nested(100_000)),
      (error) => error instanceof EngineError && error.code === 'SUTRA.CODEC.TOO_DEEP',
    );
  });

  for (const stored of [
    '{"$temporal":"era","text":"x"}',
    '{"$temporal":"date"}',
    '{"$temporal":"context","entries":[]}',
  ]) {
    it(`refuses the unknown tag ${stored}`, () => {
      assert.throws(
        () => parseWithValues(stored),
        (error) => error instanceof EngineError && error.code === 'SUTRA.CODEC.JSON_INVALID',
      );
    });
  }
});

describe('the outside form of values', () => {
  it('shows dates and durations as their ISO text', () => {
    const value = {
      due: new Temporal('date', '2026-03-01'),
      $temporal: 'date',
      list: [new Temporal('time', '10:00:00')],
    };
    assert.equal(toPlainJson(value), '{"due":"2026-03-01","$temporal":"date","list":["10:00:00"]}');
  });
});
