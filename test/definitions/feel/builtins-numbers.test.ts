/** Numeric functions, as far as `number-functions.ts` and `number-rounding.ts` do not say it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { builtins, refusedBuiltins } from '../../../definitions/feel/builtins/index.ts';
import { add, multiply } from '../../../definitions/feel/number-arithmetic.ts';
import { compare } from '../../../definitions/feel/number.ts';
import {
  anyNumber,
  assertSame,
  call,
  doNotFit,
  givesValues,
  num,
  refuses,
  samples,
} from './builtins-calls.ts';
import { at } from './temporal-values.ts';

const roundings = [
  'decimal',
  'floor',
  'ceiling',
  'round up',
  'round down',
  'round half up',
  'round half down',
];

describe('rounding', () => {
  givesValues([
    ['decimal', [num('0.3333333333333333333333333333333333'), 2], 0.33],
    ['decimal', [1.5, 0], 2],
    ['decimal', [2.5, 0], 2],
    ['decimal', [1250, -2], 1200],
    ['floor', [1.5], 1],
    ['floor', [-1.5], -2],
    ['floor', [-1.56, 1], -1.6],
    ['ceiling', [1.5], 2],
    ['ceiling', [-1.56, 1], -1.5],
    ['round up', [5.5, 0], 6],
    ['round up', [-1.126, 2], -1.13],
    ['round down', [-5.5, 0], -5],
    ['round down', [1.129, 2], 1.12],
    ['round half up', [5.5, 0], 6],
    ['round half up', [-5.5, 0], -6],
    ['round half down', [5.5, 0], 5],
    ['round half down', [-1.126, 2], -1.13],
    ['round up', [5.5, 6176], 5.5],
    ['round up', [5.5, -6111], num('1e6111')],
    ['floor', [num('12345678901234567890.5')], num('12345678901234567890')],
    ['floor', [[1.5]], 1],
    ['round up', [[1.121], [2]], 1.13],
    ['floor', { n: 1.56, scale: 1 }, 1.5],
    ['floor', { n: 1.56 }, 1],
    ['decimal', { scale: 1, n: 0.25 }, 0.2],
  ]);
  refuses([
    ...roundings.map((name) => [name, [null, 1]] as const),
    ...roundings.map((name) => [name, [1.5, null]] as const),
    ...roundings.map((name) => [name, ['1.5', 1]] as const),
    ...roundings.map((name) => [name, [1.5, '1']] as const),
    ...roundings.map((name) => [name, [1.5, 6177]] as const),
    ...roundings.map((name) => [name, [1.5, -6112]] as const),
    ['floor', [null]],
    ['floor', { n: 1.56, scale: null }],
    ['ceiling', [samples.duration]],
  ]);
  doNotFit([
    ...roundings.map((name) => [name, []] as const),
    ...roundings.map((name) => [name, [1, 2, 3]] as const),
    ['round up', [1.5]],
    ['decimal', [1.5]],
    ['floor', { n: 1.5, scal: 1 }],
    ['round half up', { scale: 0 }],
  ]);
});

describe('numbers', () => {
  givesValues([
    ['abs', [10], 10],
    ['abs', [-10], 10],
    ['abs', [num('-1e400')], num('1e400')],
    ['abs', [at('PT5H')], at('PT5H')],
    ['abs', [at('-PT5H')], at('PT5H')],
    ['abs', [at('-P1Y')], at('P1Y')],
    ['abs', { n: [-1] }, 1],
    ['modulo', [12, 5], 2],
    ['modulo', [-12, 5], 3],
    ['modulo', [12, -5], -3],
    ['modulo', [-10.1, 4.5], 3.4],
    ['modulo', [num('1e30'), 7], 1],
    ['modulo', { divisor: 5, dividend: 12 }, 2],
    ['sqrt', [16], 4],
    ['sqrt', [num('1e6000')], num('1e3000')],
    ['sqrt', { number: 2 }, num('1.414213562373095048801688724209698')],
    ['log', [1], 0],
    ['log', { number: 10 }, num('2.302585092994045684017991454684364')],
    ['exp', [0], 1],
    ['exp', { number: 1 }, num('2.718281828459045235360287471352662')],
    ['exp', [-20_000], 0],
    ['odd', [5], true],
    ['odd', [-2], false],
    ['odd', [1.5], false],
    ['odd', [num('1e40')], false],
    ['odd', { number: num('10000000000000000000001') }, true],
    ['even', [-2], true],
    ['even', [0], true],
    ['even', [1.5], false],
    ['even', { number: [num('1e40')] }, true],
  ]);
  refuses([
    ['abs', [null]],
    ['abs', ['1']],
    ['abs', [true]],
    ['abs', [at('2026-03-01')]],
    ['modulo', [1, 0]],
    ['modulo', [null, 1]],
    ['modulo', [1, null]],
    ['sqrt', [-1]],
    ['sqrt', ['4']],
    ['log', [0]],
    ['log', [-1]],
    ['log', [null]],
    ['exp', [null]],
    ['exp', [samples.duration]],
    ['exp', [20_000], 'NUMBER'],
    ['odd', [null]],
    ['even', [[1, 2]]],
  ]);
  doNotFit([
    ['exp', []],
    ['exp', [4, 4]],
    ['exp', { n: 4 }],
    ['abs', { number: 1 }],
    ['modulo', [1]],
    ['even', { n: 4 }],
  ]);

  it('has remainders between 0 and the divisor, which differ from the dividend by a multiple of it', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: -1_000, max: 1_000 }), (dividend, divisor) => {
        fc.pre(divisor !== 0);
        const rest = call('modulo', [dividend, divisor]);
        assert.ok(typeof rest === 'number');
        assert.ok(divisor > 0 ? rest >= 0 && rest < divisor : rest <= 0 && rest > divisor);
        assert.ok(Number.isInteger((dividend - rest) / divisor));
      }),
    );
  });

  it('rounds to neighbours: up and down are at most one unit apart', () => {
    fc.assert(
      fc.property(anyNumber, fc.integer({ min: -3, max: 3 }), (n, scale) => {
        const floor = call('floor', [n, scale]);
        const ceiling = call('ceiling', [n, scale]);
        assert.ok(typeof floor === 'number' || typeof floor === 'object');
        for (const name of roundings) {
          const rounded = call(name, [n, scale]);
          assert.ok(
            [floor, ceiling].some((neighbour) => call('is', [neighbour, rounded]) === true),
            name,
          );
        }
      }),
    );
  });

  it('takes roots of squares', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000_000_000 }), (n) => {
        const square = multiply(n, n);
        assert.ok(square !== null);
        assertSame(call('sqrt', [square]), n);
      }),
    );
  });

  it('is odd or even when it is whole, and then the next one is the other', () => {
    fc.assert(
      fc.property(anyNumber, (n) => {
        const whole = call('floor', [n]);
        assert.ok(typeof whole === 'number' || typeof whole === 'object');
        assert.notEqual(call('odd', [whole]), call('even', [whole]));
        const next = add(n, 1);
        if (typeof n !== 'number' || !Number.isInteger(n) || next === null || compare(next, n) === 0) return;
        assert.equal(call('odd', [next]), call('even', [n]));
      }),
    );
  });
});

describe('random number', () => {
  it('is no function, and it is said why', () => {
    assert.equal(builtins.has('random number'), false);
    assert.match(refusedBuiltins.get('random number') ?? '', /repeated/);
  });
});
