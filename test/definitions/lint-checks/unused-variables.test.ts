/** Variables and channels that nothing uses. */
import { describe, it } from 'node:test';
import { checkUnusedChannels } from '../../../definitions/lint-checks/unused-channels.ts';
import { checkUnusedVariables } from '../../../definitions/lint-checks/unused-variables.ts';
import type { ProcessDefinition } from '../../../definitions/model.ts';
import {
  call,
  callActivity,
  catchEvent,
  data,
  end,
  exclusive,
  messageEnd,
  receive,
  script,
  sendTask,
  start,
  throwEvent,
  userTask,
} from '../../support/model-builder.ts';
import { message, source } from '../../support/model-parts.ts';
import { processModel } from '../../support/process-model.ts';
import { assertPackage, assertProcess, packageOf } from './lint-outline.ts';

type Nodes = Parameters<typeof processModel>[1];

const begin = start('s', { channel: 'in', variable: 'order' });
const work = script('w', 'order.total * 2', 'double');

function process(
  nodes: Nodes,
  flows: readonly string[],
  variables: readonly string[] = [],
): ProcessDefinition {
  return processModel('p', nodes, flows, { variables });
}

const variables: Readonly<Record<string, readonly [ProcessDefinition, readonly string[]]>> = {
  'a declaration that nothing names': [
    process([begin, end('e')], ['s -> e'], ['limit']),
    ['VARIABLE_UNUSED limit'],
  ],
  'a result of a script that nothing reads': [
    process([begin, work, end('e')], ['s -> w -> e']),
    ['VARIABLE_UNUSED w'],
  ],
  'no declaration that a condition reads': [
    process(
      [begin, exclusive('g'), end('e'), end('f')],
      ['s -> g', 'g -> e if limit > 1', 'g -> f default'],
      ['limit'],
    ),
    [],
  ],
  'no declaration that a task writes': [
    process([begin, data('d', ['limit = 5'])], ['s -> d'], ['limit']),
    [],
  ],
  'no declaration that an answer may write': [
    process([begin, call('c', 'work', { params: { a: '1' } })], ['s -> c'], ['limit']),
    [],
  ],
  'no declaration that who starts may give': [process([start('s'), end('e')], ['s -> e'], ['limit']), []],
  'no result that a send reads': [
    process([begin, work, messageEnd('e', { channel: 'out', body: '{total: double}' })], ['s -> w -> e']),
    [],
  ],
  'no result where all variables are sent': [
    process([begin, work, messageEnd('e', { channel: 'out' })], ['s -> w -> e']),
    [],
  ],
  'no result where a call takes all variables': [
    process([begin, work, call('c', 'work')], ['s -> w -> c']),
    [],
  ],
  'no result where a called process takes all variables': [
    process([begin, work, callActivity('c', 'q')], ['s -> w -> c']),
    [],
  ],
  'no result where a person sees all variables': [process([begin, work, userTask('u')], ['s -> w -> u']), []],
  'no result of a process that may be called': [process([start('s'), work, end('e')], ['s -> w -> e']), []],
  'no result that is written into': [
    process([begin, work, data('d', ['double.half = 1'])], ['s -> w -> d']),
    [],
  ],
  'no result whose entries become variables': [
    process([begin, script('w', '{a: 1}'), end('e')], ['s -> w -> e']),
    [],
  ],
  'no payload of a message, which must go somewhere': [
    process([begin, receive('r', 'in', { variable: 'paid' })], ['s -> r']),
    [],
  ],
  'no answer of a call, which must go somewhere': [
    process([begin, call('c', 'work', { params: { a: '1' }, output: 'b' })], ['s -> c']),
    [],
  ],
};

describe('an unused variable', () => {
  for (const [name, [model, expected]] of Object.entries(variables)) {
    it(name, () => {
      assertProcess(checkUnusedVariables, model, expected);
    });
  }
});

const channels: Readonly<Record<string, readonly [Nodes, readonly string[]]>> = {
  'that no model names': [[begin], ['CHANNEL_UNUSED out', 'CHANNEL_UNUSED work', 'CHANNEL_UNUSED in2']],
  'not one that is sent to': [
    [
      begin,
      sendTask('t', { channel: 'out' }),
      throwEvent('o', { channel: 'work' }),
      catchEvent('c', message('in2')),
    ],
    [],
  ],
  'not one on which calls are made or answered': [
    [begin, call('c', 'work', { response: source('in2') }), messageEnd('e', { channel: 'out' })],
    [],
  ],
  'not one of a user task': [
    [begin, userTask('u', { source: source('in2') }), call('c', 'work'), messageEnd('e', { channel: 'out' })],
    [],
  ],
  'only an inbound one, where the data say to which channel is sent': [
    [begin, throwEvent('o', { destination: 'order.channel' })],
    ['CHANNEL_UNUSED in2'],
  ],
};

describe('an unused channel', () => {
  for (const [name, [nodes, expected]] of Object.entries(channels)) {
    it(name, () => {
      const all = ['in http inbound', 'in2 http inbound', 'out http outbound', 'work pull'];
      assertPackage(checkUnusedChannels, packageOf([processModel('p', nodes, [])], all), expected);
    });
  }
});
