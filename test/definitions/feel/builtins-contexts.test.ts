/** Context functions. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { FeelValue } from '../../../definitions/feel/runtime.ts';
import { isFeelContext } from '../../../definitions/feel/value-kind.ts';
import {
  anyContext,
  anyValue,
  assertSame,
  builtin,
  call,
  doNotFit,
  givesValues,
  newRun,
  refuses,
  samples,
} from './builtins-calls.ts';

/** `{a: 1}` with a key that objects have of their own. */
function withProto(value: FeelValue): FeelValue {
  return Object.fromEntries([['__proto__', value]]);
}

describe('get value and get entries', () => {
  givesValues([
    ['get value', [{ a: 1 }, 'a'], 1],
    ['get value', [{ a: 1 }, 'b'], null],
    ['get value', [{ a: null }, 'a'], null],
    ['get value', [{ 'two words': 1 }, 'two words'], 1],
    ['get value', [{}, 'constructor'], null],
    ['get value', [{}, '__proto__'], null],
    ['get value', [withProto(1), '__proto__'], 1],
    ['get value', [{ a: { b: { c: 1 } } }, ['a', 'b', 'c']], 1],
    ['get value', [{ a: { b: 1 } }, ['a']], { b: 1 }],
    ['get value', [{ a: 1 }, ['a', 'b']], null],
    ['get value', [{ a: 1 }, ['b', 'c']], null],
    ['get value', [[{ a: 1 }], 'a'], 1],
    ['get value', { m: { a: 1 }, key: 'a' }, 1],
    ['get value', { m: { a: { b: 1 } }, keys: ['a', 'b'] }, 1],
    ['get value', { context: { a: { b: 1 } }, keys: ['a', 'b'] }, 1],
    [
      'get entries',
      [{ a: 1, b: [2] }],
      [
        { key: 'a', value: 1 },
        { key: 'b', value: [2] },
      ],
    ],
    ['get entries', [{}], []],
    ['get entries', [withProto(null)], [{ key: '__proto__', value: null }]],
    ['get entries', { m: { a: 1 } }, [{ key: 'a', value: 1 }]],
  ]);
  refuses([
    ['get value', [null, 'a']],
    ['get value', [{ a: 1 }, null]],
    ['get value', [{ a: 1 }, 1]],
    ['get value', [{ a: 1 }, []]],
    ['get value', [{ a: 1 }, ['a', 1]]],
    ['get value', ['text', 'length']],
    ['get value', [[{ a: 1 }, { a: 2 }], 'a']],
    ['get entries', [null]],
    ['get entries', [[]]],
    ['get entries', ['a']],
    ['get entries', [samples.range]],
    ['get entries', [samples.date]],
    ['get entries', [samples.function]],
  ]);
  doNotFit([
    ['get value', [{ a: 1 }]],
    ['get value', { m: {}, name: 'a' }],
    ['get entries', []],
    ['get entries', [{}, {}]],
    ['get entries', { context: {} }],
  ]);
});

describe('context', () => {
  givesValues([
    [
      'context',
      [
        [
          { key: 'a', value: 1 },
          { key: 'b', value: 2, more: 3 },
        ],
      ],
      { a: 1, b: 2 },
    ],
    ['context', [[]], {}],
    ['context', [{ key: 'a', value: null }], { a: null }],
    ['context', [[{ key: '__proto__', value: 1 }]], withProto(1)],
    ['context', [[{ key: '', value: 1 }]], { '': 1 }],
    ['context', { entries: [{ key: 'a', value: 1 }] }, { a: 1 }],
  ]);
  refuses([
    ['context', [null]],
    ['context', [[{ key: 'a', value: 1 }, { key: 'b' }]]],
    ['context', [[{ value: 1 }]]],
    ['context', [[{ key: null, value: 1 }]]],
    ['context', [[{ key: 1, value: 1 }]]],
    [
      'context',
      [
        [
          { key: 'a', value: 1 },
          { key: 'a', value: 1 },
        ],
      ],
    ],
    ['context', [[{ key: 'a', value: 1 }, null]]],
    ['context', ['a']],
    // Only own properties are read.
    ['context', [[withProto({ key: 'a', value: 1 })]]],
  ]);
  doNotFit([
    ['context', []],
    ['context', [[], []]],
  ]);

  it('undoes get entries, and the other way around', () => {
    fc.assert(
      fc.property(anyContext, (context) => {
        const entries = call('get entries', [context]);
        const again = call('context', [entries]);
        assertSame(again, context);
        assertSame(call('get entries', [again]), entries);
        assert.ok(isFeelContext(again));
        assert.equal(Object.getPrototypeOf(again), Object.prototype);
      }),
    );
  });
});

describe('context put', () => {
  givesValues([
    ['context put', [{}, 'a', 1], { a: 1 }],
    ['context put', [{ x: 1 }, 'y', 2], { x: 1, y: 2 }],
    ['context put', [{ x: 1, y: 0, z: 0 }, 'y', 2], { x: 1, y: 2, z: 0 }],
    ['context put', [{}, '', 1], { '': 1 }],
    ['context put', [{}, 'a', null], { a: null }],
    ['context put', [{}, '__proto__', 1], withProto(1)],
    ['context put', [{ x: 1 }, ['y'], 2], { x: 1, y: 2 }],
    ['context put', [{ x: 1, y: { a: 0 } }, ['y', 'a'], 2], { x: 1, y: { a: 2 } }],
    ['context put', [{ x: 1, y: { a: 0 } }, ['y', 'b'], 2], { x: 1, y: { a: 0, b: 2 } }],
    ['context put', [{ y: { a: { b: { c: 1 } } } }, ['y', 'a', 'b', 'c'], 2], { y: { a: { b: { c: 2 } } } }],
    ['context put', [[{ x: 1 }], 'x', [2]], { x: [2] }],
    ['context put', { context: {}, key: 'a', value: 1 }, { a: 1 }],
    ['context put', { value: 1, keys: ['a'], context: {} }, { a: 1 }],
  ]);
  refuses([
    ['context put', [null, 'a', 1]],
    ['context put', [[], 'a', 1]],
    ['context put', [{}, null, 1]],
    ['context put', [{}, 1, 1]],
    ['context put', [{}, [], 1]],
    ['context put', [{ y: { a: 0 } }, ['y', null], 1]],
    ['context put', [{ y: { a: 0 } }, [null, 'a'], 1]],
    ['context put', [{ y: { a: 0 } }, ['y', 'a', 'b'], 1]],
    ['context put', [{}, ['y', 'a'], 1]],
    ['context put', [{}, ['constructor', 'a'], 1]],
  ]);
  doNotFit([
    ['context put', [{}, 'a']],
    ['context put', [{}, 'a', 1, 1]],
    ['context put', { context: {}, ky: 'a', value: 1 }],
    ['context put', { context: {}, key: 'a' }],
    ['context put', { context: {}, key: 'a', keys: ['a'], value: 1 }],
  ]);

  it('takes only a string for what is named key, when it is told the names', () => {
    const { signatures, invoke } = builtin('context put');
    const [byKey, byKeys] = signatures;
    const args = [{ y: { a: 0 } }, ['y', 'a'], 2];
    const put = (...named: readonly unknown[]): unknown =>
      Reflect.apply(invoke, undefined, [args, newRun(), ...named]);
    assert.equal(put(byKey), null);
    assert.deepEqual(put(byKeys), { y: { a: 2 } });
    assert.deepEqual(put(), { y: { a: 2 } });
  });

  it('puts what get value gets, and changes nothing else', () => {
    const anyPath = fc.array(fc.constantFrom('a', 'b', '__proto__', 'key'), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(anyContext, anyPath, anyValue, (context, path, value) => {
        const before = JSON.stringify(context);
        const put = call('context put', [context, path, value]);
        assert.equal(JSON.stringify(context), before);
        if (put === null) {
          assert.ok(path.length > 1 && !isFeelContext(call('get value', [context, path.slice(0, -1)])));
          return;
        }
        assertSame(call('get value', [put, path]), value);
        assertSame(call('context put', [call('context put', [context, path, null]), path, value]), put);
        assertSame(put, call('context merge', [[context, put]]));
      }),
    );
  });
});

describe('context merge', () => {
  givesValues([
    ['context merge', [[{ x: 1 }, { y: 2 }]], { x: 1, y: 2 }],
    ['context merge', [[{ x: 1, y: 0 }, { y: 2 }]], { x: 1, y: 2 }],
    ['context merge', [[{ a: { b: 1 } }, { a: { c: 2 } }]], { a: { c: 2 } }],
    ['context merge', [[]], {}],
    ['context merge', [{ a: 1 }], { a: 1 }],
    ['context merge', [{ a: 1 }, { b: 2 }], { a: 1, b: 2 }],
    ['context merge', [[{}, withProto(1)]], withProto(1)],
    ['context merge', { contexts: [{ a: 1 }] }, { a: 1 }],
  ]);
  refuses([
    ['context merge', [null]],
    ['context merge', [[], 'a']],
    ['context merge', [[1, 2]]],
    ['context merge', [[{ a: 1 }, 2]]],
    ['context merge', [[{ a: 1 }, null]]],
  ]);
  doNotFit([
    ['context merge', []],
    ['context merge', { context: [] }],
  ]);

  it('keeps the order of the keys, and the last of the values', () => {
    const run = newRun();
    const merged = call(
      'context merge',
      [
        [
          { b: 1, a: 1 },
          { c: 2, b: 2 },
        ],
      ],
      run,
    );
    assert.deepEqual(call('string', [merged]), '{b: 2, a: 1, c: 2}');
  });

  it('is associative', () => {
    fc.assert(
      fc.property(anyContext, anyContext, anyContext, (a, b, c) => {
        assertSame(
          call('context merge', [[call('context merge', [[a, b]]), c]]),
          call('context merge', [[a, call('context merge', [[b, c]])]]),
        );
        assertSame(call('context merge', [[a, a]]), a);
      }),
    );
  });
});
