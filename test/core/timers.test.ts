/** When timers are due. Protocol §2. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CatchDefinition } from '../../definitions/model.ts';
import { Temporal, type Value } from '../../definitions/value.ts';
import {
  boundary,
  catchEvent,
  end,
  eventSubProcess,
  start,
  startOn,
  userTask,
} from '../support/model-builder.ts';
import { timer, timerCycle, timerCycleOf, timerDate, timerMs } from '../support/model-parts.ts';
import { processModel } from '../support/process-model.ts';
import { Instance, START_MS } from './instance.ts';

const days = (text: string): Temporal => new Temporal('days-time-duration', text);

const byDuration = processModel('p', [start('s'), catchEvent('t', timer('v')), end('e')], ['s -> t -> e']);
const byDate = processModel('p', [start('s'), catchEvent('t', timerDate('v')), end('e')], ['s -> t -> e']);

const durations: readonly (readonly [Value, number])[] = [
  [days('PT5M'), 300_000],
  [days('P1DT2H3M4.5S'), 93_784_500],
  [days('-PT5M'), -300_000],
  ['PT0S', 0],
  ['P2W', 1_209_600_000],
  ['PT1.5H', 5_400_000],
  ['P0.5D', 43_200_000],
  ['PT0.001S', 1],
];
for (const [value, offsetMs] of durations) {
  test(`a duration of ${JSON.stringify(value)} is due ${offsetMs} ms after the turn's time`, () => {
    const instance = new Instance(byDuration).start({ variables: { v: value } });
    const { id: waitId } = instance.wait('timer', 't');
    assert.deepEqual(instance.ofKind('timerSet'), [
      { kind: 'timerSet', waitId, elementId: 't', dueAtMs: START_MS + offsetMs, partId: null },
    ]);
  });
}

const notDurations: readonly Value[] = [
  null,
  300,
  '',
  'P',
  'PT',
  'P1DT',
  '5m',
  '-PT5M',
  'P1M',
  'P1Y',
  'PT1.5H2M',
  'P1.5DT1H',
  'P1W1D',
  'PT5M ',
  'P9999999999W',
  new Temporal('years-months-duration', 'P1M'),
  new Temporal('date', '2026-03-01'),
  [],
];
for (const value of notDurations) {
  test(`a duration of ${JSON.stringify(value)} fails the instance`, () => {
    const instance = new Instance(byDuration).start({ variables: { v: value } });
    assert.equal(instance.failureCode, 'SUTRA.CORE.TIMER_VALUE_INVALID');
    assert.deepEqual(instance.active, ['t']);
  });
}

const instants: readonly (readonly [Value, string])[] = [
  ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00.000Z'],
  ['2026-03-01T10:00+02:00', '2026-03-01T08:00:00.000Z'],
  ['2026-03-01T10:00:00.25-05:30', '2026-03-01T15:30:00.250Z'],
  [new Temporal('date-time', '2026-03-01T10:00:00Z'), '2026-03-01T10:00:00.000Z'],
  ['1999-12-31T23:59:59Z', '1999-12-31T23:59:59.000Z'],
];
for (const [value, iso] of instants) {
  test(`a date of ${JSON.stringify(value)} is due at ${iso}, past or not`, () => {
    const instance = new Instance(byDate).start({ variables: { v: value } });
    assert.equal(instance.ofKind('timerSet')[0]?.dueAtMs, Date.parse(iso));
    assert.deepEqual(instance.active, ['t'], 'a time in the past fires through its timer too');
  });
}

const notInstants: readonly Value[] = [
  null,
  1_767_225_600_000,
  '2026-03-01',
  '2026-03-01T10:00:00',
  '2026-02-30T10:00:00Z',
  '2026-13-01T10:00:00Z',
  '2026-03-01T24:00:00Z',
  '2026-03-01T10:00:00+99:00',
  '20260301T100000Z',
  '2026-03-01T10:00:00Z[Europe/Berlin]',
  new Temporal('date-time', '2026-03-01T10:00:00'),
  new Temporal('date', '2026-03-01'),
];
for (const value of notInstants) {
  test(`a date of ${JSON.stringify(value)} fails the instance`, () => {
    assert.equal(
      new Instance(byDate).start({ variables: { v: value } }).failureCode,
      'SUTRA.CORE.TIMER_VALUE_INVALID',
    );
  });
}

test('a constant duration needs no evaluation', () => {
  const process = processModel('p', [start('s'), catchEvent('t', timerMs(1500)), end('e')], ['s -> t -> e']);
  const instance = new Instance(process).start();
  assert.equal(instance.ofKind('timerSet')[0]?.dueAtMs, START_MS + 1500);
  instance.fire('t');
  assert.equal(instance.status, 'completed');
  assert.deepEqual(instance.ofKind('timerCleared'), [], 'the turn settles the timer that fired');
});

test('an expression reads the time of its turn', () => {
  const process = processModel(
    'p',
    [start('s'), catchEvent('t', timerDate('now() + duration("PT1H")')), end('e')],
    ['s -> t -> e'],
  );
  assert.equal(new Instance(process).start().ofKind('timerSet')[0]?.dueAtMs, START_MS + 3_600_000);
});

// --- cycles ----------------------------------------------------------------------------------------

function repeating(cycle: CatchDefinition): Instance {
  const process = processModel(
    'p',
    [start('s'), userTask('t'), boundary('tick', 't', cycle, 'non-interrupting'), userTask('aside')],
    ['s -> t', 'tick -> aside'],
  );
  return new Instance(process).start({ variables: { v: 'R3/PT10S' } });
}

for (const [what, cycle] of [
  ['a constant cycle', timerCycle(3, 10_000)],
  ['a cycle as text', timerCycleOf('v')],
] as const) {
  test(`${what} fires as often as it says, at the times that it says`, () => {
    const instance = repeating(cycle);
    const dueAt = [1, 2, 3].map((round) => START_MS + round * 10_000);
    for (const [round, due] of dueAt.entries()) {
      const wait = instance.wait('timer', 'tick');
      assert.equal(wait.dueAtMs, due);
      assert.deepEqual(instance.ofKind('timerSet'), [
        { kind: 'timerSet', waitId: wait.id, elementId: 'tick', dueAtMs: due, partId: null },
      ]);
      instance.fire('tick');
      assert.equal(instance.active.filter((id) => id === 'aside').length, round + 1);
    }
    assert.deepEqual(instance.ofKind('timerSet'), []);
    assert.deepEqual(
      instance.waits.filter((wait) => wait.startsWith('timer')),
      [],
    );
  });
}

test('a cycle without end goes on', () => {
  const instance = repeating(timerCycle(null, 1000));
  for (let round = 0; round < 20; round += 1) instance.fire('tick');
  assert.equal(instance.active.length, 21);
  assert.equal(instance.wait('timer', 'tick').dueAtMs, START_MS + 21_000);
});

test('times of a cycle that passed while nobody looked count, and are not made up for', () => {
  const instance = repeating(timerCycle(4, 1000));
  instance.nowMs = START_MS + 2_500;
  instance.fire('tick');
  assert.deepEqual(instance.active, ['aside', 't']);
  assert.equal(instance.wait('timer', 'tick').dueAtMs, START_MS + 3_000);
  instance.fire('tick').fire('tick');
  assert.deepEqual(instance.active, ['aside', 'aside', 'aside', 't']);
  assert.deepEqual(instance.waits, ['user-task:aside', 'user-task:aside', 'user-task:aside', 'user-task:t']);
});

test('the timer of an earlier round of a cycle is gone', () => {
  const instance = repeating(timerCycle(3, 1000));
  const { id: waitId } = instance.wait('timer', 'tick');
  instance.fire('tick');
  assert.equal(instance.refusalOf({ kind: 'timer', waitId }), 'SUTRA.CORE.WAIT_GONE');
});

test('a cycle that is still to fire is cleared with its activity', () => {
  const instance = repeating(timerCycle(3, 1000)).fire('tick').complete('t');
  assert.equal(instance.ofKind('timerCleared').length, 1);
  assert.deepEqual(instance.waits, ['user-task:aside']);
});

for (const [what, process] of Object.entries({
  'a catch event': processModel(
    'p',
    [start('s'), catchEvent('x', timerCycle(3, 1000)), userTask('next')],
    ['s -> x -> next'],
  ),
  'an interrupting boundary event': processModel(
    'p',
    [start('s'), userTask('t'), boundary('x', 't', timerCycle(3, 1000)), userTask('next')],
    ['s -> t', 'x -> next'],
  ),
  'an interrupting event sub-process': processModel(
    'p',
    [start('s'), userTask('t'), eventSubProcess('es', startOn('x', timerCycle(3, 1000)), [userTask('next')])],
    ['s -> t', 'x -> next'],
  ),
})) {
  test(`${what} with a cycle goes on at its first time and waits no more`, () => {
    const instance = new Instance(process).start().fire('x');
    assert.deepEqual(instance.waits, ['user-task:next']);
  });
}

for (const value of [
  null,
  3,
  'PT10S',
  'R0/PT10S',
  'R3/P1M',
  'R3/',
  'R-1/PT1S',
  'R3/PT0S',
  '3/PT1S',
  'R3/PT1S/x',
] as const) {
  test(`a cycle of ${JSON.stringify(value)} fails the instance`, () => {
    const process = processModel(
      'p',
      [start('s'), catchEvent('t', timerCycleOf('v')), end('e')],
      ['s -> t -> e'],
    );
    const instance = new Instance(process).start({ variables: { v: value } });
    assert.equal(instance.failureCode, 'SUTRA.CORE.TIMER_VALUE_INVALID');
    assert.deepEqual(instance.active, ['t']);
  });
}
