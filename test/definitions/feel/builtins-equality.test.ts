/** `=`, `is` and `<` of values, and the keys by which equal ones are found: equality.ts, order.ts, builtins/value-key.ts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ValueKeys } from '../../../definitions/feel/builtins/value-key.ts';
import { equalValues, sameValues } from '../../../definitions/feel/equality.ts';
import { compareTexts, compareValues, type Order } from '../../../definitions/feel/order.ts';
import { FeelRange, type FeelValue } from '../../../definitions/feel/runtime.ts';
import { kindOf } from '../../../definitions/feel/value-kind.ts';
import { anyNumber, anyText, anyValue, call, newRun, num, predicate, samples } from './builtins-calls.ts';
import { at } from './temporal-values.ts';

function equal(left: FeelValue, right: FeelValue): boolean | null {
  return equalValues(left, right, newRun());
}

function order(left: FeelValue, right: FeelValue): Order | null {
  return compareValues(left, right, newRun());
}

const one = predicate(() => true);

const equalities: readonly (readonly [left: FeelValue, right: FeelValue, expected: boolean | null])[] = [
  [null, null, true],
  [null, 0, false],
  ['', null, false],
  [null, [], false],
  [1, 1, true],
  [1, 2, false],
  [num('1e40'), num('1e40'), true],
  [num('1e40'), 1, false],
  ['a', 'a', true],
  ['a', 'A', false],
  ['e\u0301', '\u00e9', false],
  ['1', 1, null],
  [true, true, true],
  [true, false, false],
  [true, 'true', null],
  [at('P1Y'), at('P12M'), true],
  [at('P1Y'), at('PT0S'), null],
  [at('10:00:00Z'), at('11:00:00+01:00'), true],
  [at('10:00:00Z'), at('10:00:00'), null],
  [at('2026-03-01'), at('2026-03-01T00:00:00Z'), null],
  [at('2026-03-01'), '2026-03-01', null],
  [[], [], true],
  [[1, 2], [1, 2], true],
  [[1, 2], [2, 1], false],
  [[1], [1, 2], false],
  [[1, null], [1, null], true],
  [[1, null], [1, 2], false],
  [[1, 'a'], [1, 2], null],
  [['a', 1], [1, 2], false],
  [[1], 1, null],
  [[[1], []], [[1], []], true],
  [{}, {}, true],
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
  [{ a: 1 }, { a: 2 }, false],
  [{ a: 1 }, { b: 1 }, false],
  [{ a: 1 }, { a: 1, b: 1 }, false],
  [{ a: null }, { b: null }, false],
  [{ a: 1 }, { a: 'a' }, null],
  [{ a: 1 }, Object.fromEntries([['__proto__', 1]]), false],
  [{}, [], null],
  [new FeelRange(1, true, 2, true), new FeelRange(1, true, 2, true), true],
  [new FeelRange(1, true, 2, true), new FeelRange(1, false, 2, true), false],
  [new FeelRange(1, true, 2, true), new FeelRange(1, true, 3, true), false],
  [new FeelRange(null, false, 2, true), new FeelRange(null, false, 2, true), true],
  [new FeelRange(null, false, 2, true), new FeelRange(1, false, 2, true), false],
  [new FeelRange('a', true, 'b', true), new FeelRange(1, true, 2, true), null],
  [new FeelRange(1, true, 2, true), [1, 2], null],
  [one, one, true],
  [one, predicate(() => true), false],
  [one, {}, null],
];

describe('equality', () => {
  for (const [left, right, expected] of equalities) {
    it(`of ${kindOf(left)} ${JSON.stringify(left)} and ${kindOf(right)} ${JSON.stringify(right)} is ${String(expected)}`, () => {
      assert.equal(equal(left, right), expected);
      assert.equal(equal(right, left), expected);
    });
  }

  it('is null between values of different kinds, unless one is null', () => {
    const values: readonly FeelValue[] = Object.values(samples);
    for (const [index, left] of values.entries()) {
      for (const right of values.slice(index + 1)) {
        if (kindOf(left) === kindOf(right)) continue;
        assert.equal(
          equal(left, right),
          left === null ? false : null,
          `${kindOf(left)} and ${kindOf(right)}`,
        );
      }
    }
  });

  it('is reflexive and symmetric, also of copies', () => {
    fc.assert(
      fc.property(fc.clone(anyValue, 2), anyValue, ([value, copy], other) => {
        assert.equal(equal(value, copy), true);
        assert.equal(equal(value, other), equal(other, value));
      }),
    );
  });

  it('costs the same for the same object and for a copy', () => {
    fc.assert(
      fc.property(fc.clone(anyValue, 2), ([value, copy]) => {
        const [run, other] = [newRun(), newRun()];
        equalValues(value, value, run);
        equalValues(value, copy, other);
        assert.equal(run.meter.spentUnits, other.meter.spentUnits);
      }),
    );
  });

  it('holds of what is the same', () => {
    fc.assert(
      fc.property(anyValue, anyValue, (a, b) => {
        assert.equal(sameValues(a, a, newRun()), true);
        if (sameValues(a, b, newRun())) assert.equal(equal(a, b), true);
      }),
    );
  });
});

/** Lists and contexts in turn, around a number. */
function nested(depth: number, core: number): FeelValue {
  let value: FeelValue = core;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? { a: value } : [value];
  return value;
}

function lists(depth: number): FeelValue {
  let value: FeelValue = 1;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

describe('values that nest deep', () => {
  it('are gone through without the stack', () => {
    const [deep, copy, other] = [nested(50_000, 1), nested(50_000, 1), nested(50_000, 2)];
    assert.equal(equal(deep, copy), true);
    assert.equal(equal(deep, other), false);
    assert.equal(sameValues(deep, copy, newRun()), true);
    const keys = new ValueKeys(newRun());
    assert.equal(keys.keyOf(deep), keys.keyOf(copy));
    assert.notEqual(keys.keyOf(deep), keys.keyOf(other));
    const text = call('string', [deep]);
    assert.equal(typeof text === 'string' && text.length, 25_000 * '[{a: }]'.length + 1);
    assert.deepEqual(call('flatten', [lists(50_000)]), [1]);
  });
});

describe('order', () => {
  const rows: readonly (readonly [left: FeelValue, right: FeelValue, expected: Order | null])[] = [
    [1, 2, -1],
    [2, num('1e40'), -1],
    [0.1, 0.1, 0],
    ['a', 'b', -1],
    ['a', 'ab', -1],
    ['', '', 0],
    ['B', 'a', -1],
    // The first unit of the second is smaller.
    ['\u{FF5E}', '\u{1F40E}', -1],
    ['a\u{FFFD}', 'a\u{10000}', -1],
    ['\u{1F40E}', '\u{1F40F}', -1],
    ['\u{D7FF}', '\u{E000}', -1],
    [at('PT1H'), at('PT61M'), -1],
    [at('2026-03-01'), at('2026-03-02'), -1],
    [at('10:00:00Z'), at('11:00:00+01:00'), 0],
    [at('10:00:00'), at('11:00:00+01:00'), null],
    [at('PT1H'), at('P1M'), null],
    [1, '1', null],
    [true, false, null],
    [null, null, null],
    [null, 1, null],
    [[1], [2], null],
    [{ a: 1 }, { a: 2 }, null],
    [new FeelRange(1, true, 2, true), new FeelRange(3, true, 4, true), null],
    [one, one, null],
  ];
  for (const [left, right, expected] of rows) {
    it(`of ${JSON.stringify(left)} and ${JSON.stringify(right)} is ${String(expected)}`, () => {
      assert.equal(order(left, right), expected);
      assert.equal(order(right, left), expected === null ? null : 0 - expected);
    });
  }

  it('is 0 for what is equal, and only for that', () => {
    fc.assert(
      fc.property(anyValue, anyValue, (a, b) => {
        const between = order(a, b);
        if (between !== null) assert.equal(between === 0, equal(a, b) === true);
      }),
    );
  });

  it('is transitive among numbers and among strings', () => {
    for (const any of [anyNumber, anyText]) {
      fc.assert(
        fc.property(any, any, any, (a, b, c) => {
          const [first, second] = [order(a, b), order(b, c)];
          if (first !== null && second !== null && first <= 0 && second <= 0) {
            const between = order(a, c);
            assert.ok(between !== null && between <= 0);
          }
        }),
      );
    }
  });

  it('of strings is that of their code points', () => {
    const units = fc.string({ unit: 'binary', maxLength: 8 });
    fc.assert(
      fc.property(units, units, units, (prefix, left, right) => {
        const [a, b] = [Array.from(left), Array.from(right)];
        const at = a.findIndex((point, index) => point !== b[index]);
        const expected = at < 0 ? (a.length < b.length ? -1 : 0) : rank(a[at]) < rank(b[at]) ? -1 : 1;
        assert.equal(compareTexts(prefix + left, prefix + right, newRun()), expected);
      }),
      { numRuns: 1_000 },
    );
  });
});

function rank(point: string | undefined): number {
  return point?.codePointAt(0) ?? -1;
}

describe('keys of values', () => {
  it('are the same for equal values, and only for those', () => {
    fc.assert(
      fc.property(fc.clone(anyValue, 2), anyValue, ([value, copy], other) => {
        const keys = new ValueKeys(newRun());
        assert.equal(keys.keyOf(value), keys.keyOf(copy));
        assert.equal(keys.keyOf(value) === keys.keyOf(other), equal(value, other) === true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('are the same exactly where the table of equalities says true', () => {
    for (const [left, right, expected] of equalities) {
      const keys = new ValueKeys(newRun());
      assert.equal(keys.keyOf(left) === keys.keyOf(right), expected === true, JSON.stringify([left, right]));
    }
  });

  it('tell lists apart whose elements, written one after the other, are the same', () => {
    const texts = fc.array(fc.string({ unit: fc.constantFrom('s', '1', ':', 'L', 'n', ';'), maxLength: 4 }), {
      maxLength: 3,
    });
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 3 }), fc.array(texts, { maxLength: 3 }), (a, b) => {
        const keys = new ValueKeys(newRun());
        assert.equal(keys.keyOf(a) === keys.keyOf(b), equal(a, b) === true);
      }),
      { numRuns: 1_000 },
    );
  });
});
