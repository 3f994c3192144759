/** Where a path stops, and circles that nothing leaves. */
import { describe, it } from 'node:test';
import { checkDeadEnds } from '../../../definitions/lint-checks/dead-ends.ts';
import type { ProcessDefinition } from '../../../definitions/model.ts';
import {
  adHoc,
  boundary,
  call,
  catchEvent,
  end,
  eventSubProcess,
  exclusive,
  handler,
  parallel,
  receive,
  script,
  start,
  startOn,
  subProcess,
  task,
  throwing,
  undoable,
} from '../../support/model-builder.ts';
import { link, throws, timerMs } from '../../support/model-parts.ts';
import { processModel } from '../../support/process-model.ts';
import { assertProcess } from './lint-outline.ts';

const rows: Readonly<Record<string, readonly [ProcessDefinition, readonly string[]]>> = {
  'a task without a way on beside an end event': [
    processModel(
      'p',
      [start('s'), exclusive('g'), task('a'), task('b'), end('e')],
      ['s -> g', 'g -> a if x', 'g -> b default', 'a -> e'],
    ),
    ['DEAD_END b'],
  ],
  'a gateway without a way on beside an end event': [
    processModel(
      'p',
      [start('s'), parallel('f'), task('a'), exclusive('g'), end('e')],
      ['s -> f', 'f -> a -> e', 'f -> g'],
    ),
    ['DEAD_END g'],
  ],
  'a boundary event that leads nowhere, even without end events': [
    processModel('p', [start('s'), receive('a', 'c'), boundary('late', 'a', timerMs(1))], ['s -> a']),
    ['DEAD_END late'],
  ],
  'a stop inside a sub-process with an end event': [
    processModel(
      'p',
      [start('s'), subProcess('sub', [start('t'), parallel('f'), task('x'), end('y')])],
      ['s -> sub', 't -> f', 'f -> x', 'f -> y'],
    ),
    ['DEAD_END x'],
  ],
  'none where no path has an end event': [
    processModel(
      'p',
      [start('s'), exclusive('g'), task('a'), task('b')],
      ['s -> g', 'g -> a if x', 'g -> b default'],
    ),
    [],
  ],
  'none at what is never reached': [processModel('p', [start('s'), end('e'), task('b')], ['s -> e']), []],
  'none at compensation, event sub-processes, links and ad hoc activities': [
    processModel(
      'p',
      [
        start('s'),
        ...undoable(task('a'), script('undo', '1')),
        adHoc('h', [task('x'), task('y')]),
        throwing('out', throws.link('in')),
        catchEvent('in', link('in')),
        end('e'),
        eventSubProcess('sub', startOn('on', timerMs(5)), [end('z')]),
      ],
      ['s -> a -> h -> out', 'in -> e', 'on -> z'],
    ),
    [],
  ],
  'none at a compensation activity alone': [
    processModel('p', [start('s'), end('e'), handler(task('undo'))], ['s -> e']),
    [],
  ],
  'a circle of scripts that nothing leaves': [
    processModel(
      'p',
      [start('s'), exclusive('m'), script('a', '1'), script('b', '2')],
      ['s -> m -> a -> b -> m'],
    ),
    ['LOOP_ENDLESS m'],
  ],
  'a circle beside another path': [
    processModel(
      'p',
      [start('s'), exclusive('g'), end('e'), exclusive('m'), task('a')],
      ['s -> g', 'g -> e default', 'g -> m if x', 'm -> a -> m'],
    ),
    ['LOOP_ENDLESS m'],
  ],
  'none where the circle has a way out': [
    processModel(
      'p',
      [start('s'), exclusive('m'), script('a', '1'), exclusive('g'), end('e')],
      ['s -> m -> a -> g', 'g -> m if x', 'g -> e default'],
    ),
    [],
  ],
  'none where something waits in the circle': [
    processModel('p', [start('s'), exclusive('m'), call('a', 'work')], ['s -> m -> a -> m']),
    [],
  ],
  'none where a timer waits in the circle': [
    processModel(
      'p',
      [start('s'), exclusive('m'), catchEvent('t', timerMs(5)), script('a', '1')],
      ['s -> m -> t -> a -> m'],
    ),
    [],
  ],
};

describe('a dead end', () => {
  for (const [name, [process, expected]] of Object.entries(rows)) {
    it(name, () => {
      assertProcess(checkDeadEnds, process, expected);
    });
  }
});
