/** Waits that nothing can end. */
import { describe, it } from 'node:test';
import { checkMessageWaits } from '../../../definitions/lint-checks/message-waits.ts';
import type { PackageModel } from '../../../definitions/package-model.ts';
import {
  boundary,
  call,
  callActivity,
  catchEvent,
  end,
  eventSubProcess,
  receive,
  script,
  sendTask,
  start,
  startOn,
  throwEvent,
  userTask,
} from '../../support/model-builder.ts';
import { message, source } from '../../support/model-parts.ts';
import { processModel } from '../../support/process-model.ts';
import { assertPackage, packageOf } from './lint-outline.ts';

const channels = ['in http inbound', 'out http outbound', 'work pull', 'near local'];
const key = { aliases: { id: 'order.id' } };
/** Started by a message, whose payload is `order`. */
const begin = start('s', { channel: 'in', variable: 'order', ...key });

function one(nodes: Parameters<typeof processModel>[1], flows: readonly string[]): PackageModel {
  return packageOf([processModel('p', nodes, flows)], channels);
}

const rows: Readonly<Record<string, readonly [PackageModel, readonly string[]]>> = {
  // Channels.
  'on a pull channel to which nothing sends': [
    one([begin, receive('w', 'work', key)], ['s -> w']),
    ['NOTHING_ARRIVES w'],
  ],
  'on a local channel to which nothing sends': [
    one([begin, catchEvent('w', message('near', key))], ['s -> w']),
    ['NOTHING_ARRIVES w'],
  ],
  'on a pull channel on which only calls are made': [
    one([begin, call('c', 'work'), receive('w', 'work', key)], ['s -> c -> w']),
    ['NOTHING_ARRIVES w'],
  ],
  'of a boundary event and an event sub-process': [
    one(
      [
        begin,
        receive('w', 'in', { variable: 'x', ...key }),
        boundary('b', 'w', message('near', key)),
        eventSubProcess('h', startOn('on', message('near', key)), [end('z')]),
      ],
      ['s -> w', 'on -> z'],
    ),
    ['NOTHING_ARRIVES b', 'NOTHING_ARRIVES on'],
  ],
  'of a start': [
    packageOf([processModel('p', [start('s', { channel: 'near' })], [])], channels),
    ['NOTHING_ARRIVES s'],
  ],
  'not on an http channel': [one([begin, receive('w', 'in', key)], ['s -> w']), []],
  'not on a channel to which a send task sends': [
    one([begin, sendTask('t', { channel: 'work' }), receive('w', 'work', key)], ['s -> t -> w']),
    [],
  ],
  'not on a channel to which another process sends': [
    packageOf(
      [
        processModel('p', [begin, receive('w', 'near', key)], ['s -> w']),
        processModel(
          'q',
          [start('t', { channel: 'in', type: 'q' }), throwEvent('o', { channel: 'near' })],
          ['t -> o'],
        ),
      ],
      channels,
    ),
    [],
  ],
  'not on a local channel on which calls are made': [
    one([begin, call('c', 'near'), receive('w', 'near', key)], ['s -> c -> w']),
    [],
  ],
  'not where the data say to which channel is sent': [
    one(
      [begin, throwEvent('o', { destination: 'order.channel' }), receive('w', 'work', key)],
      ['s -> o -> w'],
    ),
    [],
  ],
  'not where a constant says it': [
    one([begin, throwEvent('o', { destination: '"work"' }), receive('w', 'work', key)], ['s -> o -> w']),
    [],
  ],
  'not of a user task, which a person completes too': [
    one([begin, userTask('w', { source: source('work') })], ['s -> w']),
    [],
  ],
  'not of the answer to a call': [one([begin, call('w', 'out', { response: source('in') })], ['s -> w']), []],
  // Keys.
  'without an alias, and nothing is sent': [
    one([begin, receive('w', 'in')], ['s -> w']),
    ['WAIT_WITHOUT_KEY w'],
  ],
  'without an alias beside calls, whose keys are their own': [
    one([begin, call('c', 'work'), receive('w', 'in')], ['s -> c -> w']),
    ['WAIT_WITHOUT_KEY w'],
  ],
  'with an alias that only the message can tell': [
    one(
      [begin, receive('w', 'in', { variable: 'paid', aliases: { reference: 'paid.reference' } })],
      ['s -> w'],
    ),
    ['WAIT_WITHOUT_KEY w'],
  ],
  'with an alias over the payload, before there is one': [
    one([begin, receive('w', 'in', { aliases: { reference: 'payload.reference' } })], ['s -> w']),
    ['WAIT_WITHOUT_KEY w'],
  ],
  'not without an alias where something is sent': [
    one([begin, throwEvent('o', { channel: 'out' }), receive('w', 'in')], ['s -> o -> w']),
    [],
  ],
  'not where the start registers the alias': [
    one([begin, receive('w', 'in', { variable: 'paid', aliases: { id: 'paid.order' } })], ['s -> w']),
    [],
  ],
  'not where a variable has the value': [
    one(
      [begin, receive('w', 'in', { variable: 'paid', aliases: { reference: 'order.reference' } })],
      ['s -> w'],
    ),
    [],
  ],
  'not where an earlier message is under the same name': [
    one(
      [start('s', { channel: 'in' }), receive('w', 'in', { aliases: { reference: 'payload.reference' } })],
      ['s -> w'],
    ),
    [],
  ],
  'not where a script may have made the variable': [
    one(
      [
        begin,
        script('c', 'order'),
        receive('w', 'in', { variable: 'paid', aliases: { r: 'paid.reference' } }),
      ],
      ['s -> c -> w'],
    ),
    [],
  ],
  'not where the alias has a value without any variable': [
    one(
      [
        begin,
        receive('w', 'in', { variable: 'paid', aliases: { r: 'if paid = null then "x" else paid.id' } }),
      ],
      ['s -> w'],
    ),
    [],
  ],
  'not where the instance is started with variables': [
    packageOf(
      [
        processModel(
          'p',
          [start('s'), receive('w', 'in', { variable: 'paid', aliases: { r: 'paid.id' } })],
          ['s -> w'],
        ),
      ],
      channels,
    ),
    [],
  ],
  'not where a process that calls it sends': [
    packageOf(
      [
        processModel(
          'p',
          [begin, throwEvent('o', { channel: 'out' }), callActivity('c', 'q')],
          ['s -> o -> c'],
        ),
        processModel('q', [start('t'), receive('w', 'in')], ['t -> w']),
      ],
      channels,
    ),
    [],
  ],
  'in a called process, when nobody sends': [
    packageOf(
      [
        processModel('p', [begin, callActivity('c', 'q')], ['s -> c']),
        processModel('q', [start('t'), receive('w', 'in')], ['t -> w']),
      ],
      channels,
    ),
    ['WAIT_WITHOUT_KEY w'],
  ],
  'not where a process of another package is called': [
    one([begin, callActivity('c', 'elsewhere'), receive('w', 'in')], ['s -> c -> w']),
    [],
  ],
  'not of a start': [packageOf([processModel('p', [start('s', { channel: 'in' })], [])], channels), []],
};

describe('a wait that nothing ends', () => {
  for (const [name, [model, expected]] of Object.entries(rows)) {
    it(name, () => {
      assertPackage(checkMessageWaits, model, expected);
    });
  }
});
