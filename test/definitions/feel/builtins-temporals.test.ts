/** `now`, `today`, and what day a date is. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertSame, call, doNotFit, givesValues, newRun, refuses, samples } from './builtins-calls.ts';
import { at, NOW_MS } from './temporal-values.ts';

const ofDates = ['day of year', 'day of week', 'month of year', 'week of year'];

describe('functions of dates', () => {
  givesValues([
    ['day of year', [at('2019-09-17')], 260],
    ['day of year', [at('2020-12-31T23:59:59@Europe/Paris')], 366],
    ['day of week', [at('2019-09-17')], 'Tuesday'],
    ['day of week', { date: at('2019-09-17T10:00:00') }, 'Tuesday'],
    ['month of year', [at('2019-09-17')], 'September'],
    ['week of year', [at('2019-09-17')], 38],
    ['week of year', [at('2003-12-29')], 1],
    ['week of year', [at('2005-01-01')], 53],
    ['week of year', [[at('2005-01-03')]], 1],
    ['now', [], at('2026-07-01T12:00:00Z')],
    ['today', [], at('2026-07-01')],
  ]);
  refuses([
    ...ofDates.map((name) => [name, [null]] as const),
    ...ofDates.map((name) => [name, ['2026-03-01']] as const),
    ...ofDates.map((name) => [name, [samples.time]] as const),
    ...ofDates.map((name) => [name, [samples.duration]] as const),
    ...ofDates.map((name) => [name, [[at('2026-03-01'), at('2026-03-02')]]] as const),
  ]);
  doNotFit([
    ...ofDates.map((name) => [name, []] as const),
    ...ofDates.map((name) => [name, { from: at('2026-03-01') }] as const),
    ['now', [1]],
    ['today', [1]],
  ]);

  it('have the time of the turn, whatever the clock of the machine says', () => {
    assertSame(call('now', [], newRun(NOW_MS + 1)), at('2026-07-01T12:00:00.001Z'));
    assertSame(call('now', [], newRun(-1)), at('1969-12-31T23:59:59.999Z'));
    assertSame(call('today', [], newRun(-1)), at('1969-12-31'));
    assert.deepEqual(call('is', [call('now', []), call('now', [])]), true);
  });
});
