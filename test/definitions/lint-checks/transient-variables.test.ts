/** Transient variables that are read when they are gone. */
import { describe, it } from 'node:test';
import { compileExpression } from '../../../definitions/feel.ts';
import { checkTransientVariables } from '../../../definitions/lint-checks/transient-variables.ts';
import type { ProcessDefinition } from '../../../definitions/model.ts';
import {
  adHoc,
  boundary,
  call,
  callActivity,
  catchEvent,
  end,
  errorEnd,
  eventBased,
  eventSubProcess,
  exclusive,
  looped,
  messageEnd,
  parallel,
  receive,
  script,
  start,
  startOn,
  subProcess,
  throwing,
  undoable,
  userTask,
} from '../../support/model-builder.ts';
import {
  conditional,
  error,
  message,
  signal,
  standardLoop,
  throws,
  timer,
  timerMs,
} from '../../support/model-parts.ts';
import { processModel } from '../../support/process-model.ts';
import { assertProcess } from './lint-outline.ts';

type Nodes = Parameters<typeof processModel>[1];

/** `secret` is transient, and comes with the message at `s`. */
const begin = start('s', { channel: 'in', variable: 'secret' });
const read = call('r', 'work', { params: { card: 'secret.card' }, output: 'answer' });
const wait = receive('w', 'in', { variable: 'x' });

function process(nodes: Nodes, flows: readonly string[]): ProcessDefinition {
  return processModel('p', nodes, flows, { variables: ['~secret', 'kept'] });
}

const rows: Readonly<Record<string, readonly [ProcessDefinition, readonly string[]]>> = {
  'by a call behind a receive task': [process([begin, wait, read], ['s -> w -> r']), ['TRANSIENT_LOST r']],
  'by a condition behind a user task that answers under a name': [
    process(
      [begin, call('c', 'work', { output: 'a' }), exclusive('g'), end('e'), end('f')],
      ['s -> c -> g', 'g -> e if secret.isGood', 'g -> f default'],
    ),
    ['TRANSIENT_LOST g'],
  ],
  'by a script behind a timer': [
    process([begin, catchEvent('t', timerMs(1)), script('r', 'secret.x', 'y')], ['s -> t -> r']),
    ['TRANSIENT_LOST r'],
  ],
  'by a message behind an event-based gateway': [
    process(
      [
        begin,
        eventBased('g'),
        catchEvent('a', message('in', { variable: 'x' })),
        catchEvent('b', timerMs(1)),
        messageEnd('r', { channel: 'out', body: 'secret' }),
      ],
      ['s -> g', 'g -> a -> r', 'g -> b -> r'],
    ),
    ['TRANSIENT_LOST r'],
  ],
  'behind a boundary timer': [
    process([begin, wait, boundary('b', 'w', timerMs(1)), read], ['s -> w', 'b -> r']),
    ['TRANSIENT_LOST r'],
  ],
  'by the second of two calls': [
    process([begin, read, call('q', 'work', { params: { c: 'secret' }, output: 'z' })], ['s -> r -> q']),
    ['TRANSIENT_LOST q'],
  ],
  'inside a sub-process behind a wait': [
    process([begin, subProcess('sub', [wait, script('r', 'secret', 'y')])], ['s -> sub', 'w -> r']),
    ['TRANSIENT_LOST r'],
  ],
  'behind a wait in one of two branches': [
    process(
      [begin, parallel('f'), script('a', 'secret', 'kept'), wait, read, end('e')],
      ['s -> f', 'f -> a -> e', 'f -> w -> r -> e'],
    ),
    ['TRANSIENT_LOST r'],
  ],
  'by an event sub-process': [
    process(
      [begin, wait, eventSubProcess('h', startOn('on', timerMs(5)), [script('r', 'secret', 'y')])],
      ['s -> w', 'on -> r'],
    ),
    ['TRANSIENT_LOST r'],
  ],
  'not before a wait': [process([begin, read, end('e')], ['s -> r -> e']), []],
  'not by a timer that begins in the turn': [
    process([begin, catchEvent('t', timer('secret.delay'))], ['s -> t']),
    [],
  ],
  'not by a boundary timer that begins in the turn': [
    process([begin, wait, boundary('b', 'w', timer('secret.delay'))], ['s -> w']),
    [],
  ],
  'not where it is written again': [
    process([begin, wait, script('again', '{card: 1}', 'secret'), read], ['s -> w -> again -> r']),
    [],
  ],
  'not where the awaited message brings it': [
    process([begin, receive('w', 'in', { variable: 'secret' }), read], ['s -> w -> r']),
    [],
  ],
  'not where an answer may bring it': [
    process([begin, call('c', 'work', { params: { a: '1' } }), read], ['s -> c -> r']),
    [],
  ],
  'not where a person may give it': [process([begin, userTask('u'), read], ['s -> u -> r']), []],
  'not where a path without a wait leads there': [
    process(
      [begin, exclusive('g'), wait, read],
      ['s -> g', 'g -> w if secret.x', 'g -> r default', 'w -> r'],
    ),
    [],
  ],
  'not where a parallel branch may write it in the same turn': [
    process(
      [begin, wait, parallel('f'), script('again', '1', 'secret'), read],
      ['s -> w -> f', 'f -> again', 'f -> r'],
    ),
    [],
  ],
  'not where a called process may end at once': [
    process([begin, callActivity('c', 'q', { params: {}, results: { y: '1' } }), read], ['s -> c -> r']),
    [],
  ],
  'not where a loop may run over nothing': [
    process(
      [
        begin,
        looped(wait, {
          kind: 'multiInstance',
          isSequential: false,
          cardinality: null,
          collection: compileExpression('[]'),
          itemVariable: null,
          outputItemVariable: null,
          outputCollection: null,
          completionCondition: null,
          place: {},
        }),
        read,
      ],
      ['s -> w -> r'],
    ),
    [],
  ],
  'not by the second run of a loop for which the first one writes it': [
    process(
      [
        begin,
        wait,
        looped(
          subProcess('sub', [
            script('r', 'secret', 'y'),
            receive('v', 'in', { variable: 'x' }),
            script('again', '1', 'secret'),
          ]),
          standardLoop({ maximum: 2 }),
        ),
      ],
      ['s -> w -> sub', 'r -> v -> again'],
    ),
    [],
  ],
  'not where an error is caught in the same turn': [
    process(
      [begin, subProcess('sub', [errorEnd('z', 'E')]), boundary('b', 'sub', error('E')), read],
      ['s -> sub', 'b -> r'],
    ),
    [],
  ],
  'not where a condition may occur in the same turn': [
    process([begin, wait, boundary('b', 'w', conditional('kept > 1')), read], ['s -> w', 'b -> r']),
    [],
  ],
  'not by what is compensated in the same turn': [
    process(
      [
        begin,
        ...undoable(script('a', '1', 'kept'), script('undo', 'secret', 'kept')),
        throwing('c', throws.compensation()),
      ],
      ['s -> a -> c'],
    ),
    [],
  ],
  'not where who launches an activity may give it': [
    process([begin, adHoc('h', [script('r', 'secret', 'y')])], ['s -> h']),
    [],
  ],
  'not in an alias, which is written for the message': [
    process(
      [begin, wait, receive('v', 'in', { variable: 'secret', aliases: { k: 'secret.id' } })],
      ['s -> w -> v'],
    ),
    [],
  ],
  'not a variable that is kept': [
    process(
      [start('s', { channel: 'in', variable: 'kept' }), wait, script('r', 'kept', 'y')],
      ['s -> w -> r'],
    ),
    [],
  ],
  'not a name that is local somewhere': [
    process(
      [begin, wait, subProcess('sub', [script('r', 'secret', 'y')], { variables: ['secret'] })],
      ['s -> w -> sub'],
    ),
    [],
  ],
  'not what a signal may bring': [
    process([begin, catchEvent('n', signal('news')), read], ['s -> n -> r']),
    [],
  ],
};

describe('a transient variable is read when it is gone', () => {
  for (const [name, [model, expected]] of Object.entries(rows)) {
    it(name, () => {
      assertProcess(checkTransientVariables, model, expected);
    });
  }
});
