/** Conversion functions, `not` and `is`; dates and times as far as `temporal/functions.ts` does not say it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FeelRange, type FeelValue } from '../../../definitions/feel/runtime.ts';
import { Temporal } from '../../../definitions/value.ts';
import {
  anyNumber,
  anyText,
  anyValue,
  assertSame,
  call,
  doNotFit,
  givesValues,
  num,
  refuses,
  samples,
} from './builtins-calls.ts';
import { anyTemporal, at } from './temporal-values.ts';

describe('number', () => {
  givesValues([
    ['number', ['1 000,5', ' ', ','], 1000.5],
    ['number', ['1,000.5', ',', '.'], 1000.5],
    ['number', ['1.000.000,01', '.', ','], 1000000.01],
    ['number', ['1000.5', null, null], 1000.5],
    ['number', ['1000.5', ',', null], 1000.5],
    ['number', ['-1000,5', null, ','], -1000.5],
    ['number', ['1e3', null, null], 1000],
    ['number', ['.5', ' ', '.'], 0.5],
    ['number', ['0.1234567890123456789', null, '.'], num('0.1234567890123456789')],
    ['number', [['12'], [' '], ['.']], 12],
    ['number', { from: '1 2', 'grouping separator': ' ', 'decimal separator': null }, 12],
  ]);
  refuses([
    ['number', [null, null, null]],
    ['number', ['', null, null]],
    ['number', ['abc', null, null]],
    ['number', ['1,5', null, null]],
    ['number', ['1.5.2', ' ', '.']],
    ['number', ['+1', null, null]],
    ['number', [' 1', null, null]],
    ['number', ['0x10', null, null]],
    ['number', ['NaN', null, null]],
    ['number', ['1e7000', null, null]],
    ['number', ['1000', '#', null]],
    ['number', ['1000', '', null]],
    ['number', ['1000', ' ', ' ']],
    ['number', ['1000', ',', ',']],
    ['number', ['1000', '.', '.']],
    ['number', ['1000', null, ';']],
    ['number', ['1000', 1, null]],
    ['number', [1000, null, null]],
  ]);
  doNotFit([
    ['number', ['1']],
    ['number', ['1', null]],
    ['number', { from: '1', decimal: '.' }],
  ]);

  it('reads what string writes', () => {
    fc.assert(
      fc.property(anyNumber, (n) => {
        assertSame(call('number', [call('string', [n]), null, null]), n);
      }),
    );
  });
});

describe('string', () => {
  givesValues([
    ['string', [1.1], '1.1'],
    ['string', [-0.0000001], '-0.0000001'],
    ['string', [num('1e40')], `1${'0'.repeat(40)}`],
    ['string', [null], null],
    ['string', [true], 'true'],
    ['string', ['a "b"'], 'a "b"'],
    ['string', [at('2026-03-01')], '2026-03-01'],
    ['string', [new Temporal('days-time-duration', 'PT90M')], 'PT1H30M'],
    ['string', [[1, 'a', null, [true]]], '[1, "a", null, [true]]'],
    ['string', [[]], '[]'],
    ['string', [['a']], '["a"]'],
    ['string', [['say "a\\b"']], '["say \\"a\\\\b\\""]'],
    ['string', [{}], '{}'],
    [
      'string',
      [{ a: 1, 'two words': { b: 'c' }, '"': null, '': at('P1Y') }],
      '{a: 1, "two words": {b: "c"}, "\\"": null, "": P1Y}',
    ],
    ['string', [new FeelRange(1, true, 3, false)], '[1..3)'],
    ['string', [new FeelRange('a', false, 'c', true)], '("a".."c"]'],
    ['string', [new FeelRange(null, false, at('2026-03-01'), true)], '(..@"2026-03-01"]'],
    ['string', [new FeelRange(1, false, null, false)], '(1..)'],
    ['string', { from: 5 }, '5'],
  ]);
  doNotFit([
    ['string', []],
    ['string', [1, 2]],
  ]);

  it('gives a text for all but null, and tells different values of a kind apart', () => {
    fc.assert(
      fc.property(anyNumber, anyNumber, anyText, anyText, anyValue, (n, m, text, other, value) => {
        assert.equal(call('string', [n]) === call('string', [m]), call('is', [n, m]));
        assert.equal(call('string', [[text]]) === call('string', [[other]]), text === other);
        assert.equal(typeof call('string', [value]), value === null ? 'object' : 'string');
      }),
    );
  });
});

describe('dates, times and durations', () => {
  givesValues([
    ['date', ['2026-03-01'], at('2026-03-01')],
    ['date', [at('2026-03-01T10:00:00Z')], at('2026-03-01')],
    ['date', [at('2026-03-01')], at('2026-03-01')],
    ['date', [2026, 3, 1], at('2026-03-01')],
    ['date', { from: ['2026-03-01'] }, at('2026-03-01')],
    ['date', { day: 1, month: 3, year: 2026 }, at('2026-03-01')],
    ['time', ['10:00:00@Europe/Paris'], at('10:00:00@Europe/Paris')],
    ['time', [at('2026-03-01T10:00:00+01:00')], at('10:00:00+01:00')],
    ['time', [at('2026-03-01')], at('00:00:00Z')],
    ['time', [10, 0, 0], at('10:00:00')],
    ['time', [10, 0, 0.5, null], at('10:00:00.5')],
    ['time', [10, 0, 0, at('PT1H')], at('10:00:00+01:00')],
    ['time', { hour: 10, minute: 0, second: 0, offset: at('-PT1H') }, at('10:00:00-01:00')],
    ['time', { hour: 10, minute: 0, second: 0 }, at('10:00:00')],
    ['time', { from: at('10:00:00') }, at('10:00:00')],
    ['date and time', ['2026-03-01'], at('2026-03-01T00:00:00')],
    ['date and time', ['2026-03-01T10:00:00Z'], at('2026-03-01T10:00:00Z')],
    ['date and time', [at('2026-03-01'), at('10:00:00')], at('2026-03-01T10:00:00')],
    ['date and time', [at('2026-03-01T12:00:00Z'), at('10:00:00')], at('2026-03-01T10:00:00')],
    ['date and time', { time: at('10:00:00'), date: at('2026-03-01') }, at('2026-03-01T10:00:00')],
    ['duration', ['P26M'], at('P2Y2M')],
    ['duration', { from: 'PT24H' }, at('P1D')],
    ['years and months duration', [at('2011-12-22'), at('2013-08-24')], at('P1Y8M')],
    [
      'years and months duration',
      { to: at('2013-08-24T00:00:00'), from: at('2014-08-24T00:00:00') },
      at('-P1Y'),
    ],
  ]);
  refuses([
    ...['date', 'time', 'date and time', 'duration'].flatMap((name) =>
      [null, '', 2026, [], ['a', 'b'], 'no text of time', true, samples.context].map(
        (value) => [name, [value]] as const,
      ),
    ),
    ['date', [null, 3, 1]],
    ['date', [2026, null, 1]],
    ['date', [2026, 13, 1]],
    ['date', ['2026', 3, 1]],
    ['date', [at('10:00:00')]],
    ['date', [at('P1Y')]],
    ['time', [24, 0, 0]],
    ['time', [null, 0, 0, null]],
    ['time', [10, 0, 0, at('P1Y')]],
    ['time', [10, 0, 0, at('PT15H')]],
    ['time', [10, 0, 0, 1]],
    ['time', ['10:00:00@No/Where']],
    ['date and time', [at('2026-03-01'), null]],
    ['date and time', [null, at('10:00:00')]],
    ['date and time', [at('2026-03-01'), at('PT1H')]],
    ['date and time', [at('10:00:00'), at('10:00:00')]],
    ['duration', ['P1H']],
    ['duration', [at('PT1H')]],
    ['years and months duration', [null, at('2026-03-01')]],
    ['years and months duration', [at('2026-03-01'), '2026-03-01']],
    ['years and months duration', [at('2026-03-01T00:00:00'), at('2026-03-01T00:00:00Z')]],
  ]);
  doNotFit([
    ['date', []],
    ['date', [2026, 3]],
    ['date', { year: 2026 }],
    ['date', { from: '2026-03-01', year: 2026, month: 3, day: 1 }],
    ['time', [10, 0]],
    ['time', []],
    ['date and time', []],
    ['date and time', [1, 2, 3]],
    ['duration', []],
    ['years and months duration', [at('2026-03-01')]],
  ]);

  it('reads what string writes', () => {
    const readers = {
      date: 'date',
      time: 'time',
      'date-time': 'date and time',
      'days-time-duration': 'duration',
      'years-months-duration': 'duration',
    };
    fc.assert(
      fc.property(anyTemporal, (temporal) => {
        assertSame(call(readers[temporal.kind], [call('string', [temporal])]), temporal);
      }),
    );
  });
});

describe('range', () => {
  givesValues([
    ['range', ['[18..21)'], new FeelRange(18, true, 21, false)],
    ['range', ['[2..)'], new FeelRange(2, true, null, false)],
    ['range', ['(..2)'], new FeelRange(null, false, 2, false)],
    ['range', ['(..2]'], new FeelRange(null, false, 2, true)],
    ['range', [']1..2['], new FeelRange(1, false, 2, false)],
    ['range', [']..2]'], new FeelRange(null, false, 2, true)],
    ['range', ['[1..['], new FeelRange(1, true, null, false)],
    ['range', ['[1..1]'], new FeelRange(1, true, 1, true)],
    ['range', [' [ -1.5 .. 1e3 ] '], new FeelRange(-1.5, true, 1000, true)],
    ['range', ['[.5..0.75]'], new FeelRange(0.5, true, 0.75, true)],
    ['range', ['["a".."b\\"]"]'], new FeelRange('a', true, 'b"]', true)],
    ['range', ['["\\u0061".."\\U01F40E")'], new FeelRange('a', true, '\u{1F40E}', false)],
    [
      'range',
      ['[@"2026-03-01"..@"2026-03-02"]'],
      new FeelRange(at('2026-03-01'), true, at('2026-03-02'), true),
    ],
    [
      'range',
      ['[date("2026-03-01")..date( "2026-03-02" )]'],
      new FeelRange(at('2026-03-01'), true, at('2026-03-02'), true),
    ],
    ['range', ['(time("10:00:00")..)'], new FeelRange(at('10:00:00'), false, null, false)],
    [
      'range',
      ['(..date and  time("2026-03-01T10:00:00")]'],
      new FeelRange(null, false, at('2026-03-01T10:00:00'), true),
    ],
    ['range', ['[duration("PT1H")..@"P1D"]'], new FeelRange(at('PT1H'), true, at('P1D'), true)],
    ['range', { from: ['[1..2]'] }, new FeelRange(1, true, 2, true)],
  ]);
  refuses(
    [
      ...[
        '',
        '[..]',
        '(..)',
        '[..2]',
        '[2..]',
        '[1..2',
        '1..2]',
        '1..2',
        '[1.2]',
        '[1...2]',
        '[1,2]',
        '{1..2}',
      ],
      // In order, and of one kind.
      ...['[2..1]', '["b".."a"]', '[1.."a"]', '[@"2026-03-01"..1]', '[@"PT1H"..@"P1Y"]'],
      // Only literals.
      ...[
        '[a..b]',
        '[1+1..3]',
        '[null..3]',
        '[1..null)',
        '[true..false]',
        '[[1..2]..3]',
        '[1..2] ]',
        '[1..2]x',
      ],
      ...[
        '[number("1")..2]',
        '[date(2026,3,1)..@"2026-03-02"]',
        '[@"no date"..@"2026-03-02"]',
        '[@1..2]',
        '["a..b]',
      ],
      ...['[date("2026-03-01"..@"2026-03-02"]', '["\\uD83D".."a"]', '[@"2026-13-01"..)'],
    ].map((text) => ['range', [text]] as const),
  );
  refuses([
    ['range', [null]],
    ['range', [1]],
    ['range', [new FeelRange(1, true, 2, true)]],
  ]);
  doNotFit([
    ['range', []],
    ['range', ['[1..2]', 1]],
  ]);

  it('reads what string writes', () => {
    const anyEnd = fc.oneof(
      fc.integer(),
      anyText.filter((text) => text.isWellFormed()),
      anyTemporal,
    );
    fc.assert(
      fc.property(
        anyEnd,
        fc.boolean(),
        fc.boolean(),
        fc.constantFrom('both', 'start', 'end'),
        (end, isStart, isEnd, sides) => {
          const value: FeelValue = end;
          const range = new FeelRange(
            sides === 'end' ? null : value,
            sides !== 'end' && isStart,
            sides === 'start' ? null : value,
            sides !== 'start' && isEnd,
          );
          const text = call('string', [range]);
          assertSame(call('range', [text]), range);
        },
      ),
    );
  });
});

describe('not and is', () => {
  givesValues([
    ['not', [true], false],
    ['not', [false], true],
    ['not', [null], null],
    ['not', [[true]], false],
    ['not', { negand: false }, true],
    ['is', [1, 1], true],
    ['is', [1, num('1')], true],
    ['is', [1, 2], false],
    ['is', ['a', 'a'], true],
    ['is', [null, null], true],
    ['is', [null, 1], false],
    ['is', ['1', 1], false],
    ['is', [at('2026-03-01'), at('10:00:00')], false],
    ['is', [at('2026-03-01'), at('2026-03-01')], true],
    ['is', [at('10:00:00Z'), at('10:00:00')], false],
    ['is', [at('10:00:00Z'), at('10:00:00+00:00')], true],
    ['is', [at('10:00:00Z'), at('11:00:00+01:00')], false],
    [
      'is',
      [
        [1, [null]],
        [1, [null]],
      ],
      true,
    ],
    ['is', [[at('10:00:00Z')], [at('11:00:00+01:00')]], false],
    [
      'is',
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      true,
    ],
    ['is', [[1], 1], false],
    ['is', [new FeelRange(1, true, 2, true), new FeelRange(1, true, 2, true)], true],
    ['is', [samples.function, samples.function], true],
    ['is', { value2: 1, value1: 1 }, true],
  ]);
  refuses([
    ['not', [0]],
    ['not', ['true']],
    ['not', [[]]],
    ['not', [samples.date]],
  ]);
  doNotFit([
    ['not', []],
    ['is', [1]],
    ['is', { value1: 1 }],
  ]);

  it('is the same as itself, and then equal', () => {
    fc.assert(
      fc.property(anyValue, anyValue, (a, b) => {
        assert.equal(call('is', [a, a]), true);
        if (call('is', [a, b]) === true) assert.equal(call('list contains', [[a], b]), true);
      }),
    );
  });
});
