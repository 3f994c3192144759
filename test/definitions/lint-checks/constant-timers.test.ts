/** Timers whose expression always gives the same. */
import { describe, it } from 'node:test';
import { checkConstantTimers } from '../../../definitions/lint-checks/constant-timers.ts';
import { catchEvent, start } from '../../support/model-builder.ts';
import { timer, timerCycleOf, timerDate, timerMs } from '../../support/model-parts.ts';
import { processModel } from '../../support/process-model.ts';
import { assertProcess } from './lint-outline.ts';

const makers = { duration: timer, date: timerDate, cycle: timerCycleOf } as const;

const wrong: Readonly<Record<keyof typeof makers, readonly string[]>> = {
  duration: [
    '"5 minutes"',
    '"P1M"',
    '"R3/PT5S"',
    '5',
    'null',
    'date("2026-05-01")',
    '"PT" + "5"',
    'true',
    'duration("P1Y")',
  ],
  date: [
    '"tomorrow"',
    '"2026-05-01"',
    '"2026-05-01T10:00:00"',
    '"PT5M"',
    '5',
    'date("2026-05-01")',
    'date and time("2026-05-01T10:00:00")',
  ],
  cycle: ['"0 0 * * *"', '"PT5M"', '"R0/PT5M"', '"R3/PT0S"', 'duration("PT5M")', '3'],
};
const right: typeof wrong = {
  duration: [
    '"PT5M"',
    '"P1DT2H"',
    'duration("PT5M")',
    '-duration("PT5M")',
    'delay',
    '"PT" + string(minutes) + "M"',
    'date and time("2026-05-01T10:00:00Z") - now()',
  ],
  date: [
    '"2026-05-01T09:30:00Z"',
    'date and time("2026-05-01T10:00:00+02:00")',
    'now()',
    'now() + duration("PT1H")',
    'due',
  ],
  cycle: ['"R3/PT10S"', '"R/PT1M"', 'cycle', '"R" + string(count) + "/PT5S"'],
};

describe('a timer', () => {
  for (const kind of ['duration', 'date', 'cycle'] as const) {
    const processWith = (text: string) =>
      processModel('p', [start('s'), catchEvent('t', makers[kind](text))], ['s -> t']);
    for (const text of wrong[kind]) {
      it(`is no ${kind}: ${text}`, () => {
        assertProcess(checkConstantTimers, processWith(text), ['TIMER_VALUE t']);
      });
    }
    for (const text of right[kind]) {
      it(`may be a ${kind}: ${text}`, () => {
        assertProcess(checkConstantTimers, processWith(text), []);
      });
    }
  }

  it('that is written down was read already', () => {
    assertProcess(
      checkConstantTimers,
      processModel('p', [start('s'), catchEvent('t', timerMs(5))], ['s -> t']),
      [],
    );
  });
});
