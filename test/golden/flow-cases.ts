/** Golden cases of variables, calls, messages, time and gateways. See `cases.ts`. */
import { Temporal } from '../../definitions/value.ts';
import { inbound } from '../core/instance.ts';
import {
  boundary,
  call,
  catchEvent,
  complex,
  data,
  end,
  eventBased,
  exclusive,
  inclusive,
  parallel,
  receive,
  registered,
  start,
  subProcess,
  throwEvent,
  userTask,
} from '../support/model-builder.ts';
import { error, message, signal, source, timer, timerCycle, timerDate } from '../support/model-parts.ts';
import { processModel } from '../support/process-model.ts';
import type { GoldenCase } from './golden-case.ts';

const next = userTask('next');
const aside = 'non-interrupting';

const variables = {
  text: 'a "quoted" text, ein Umlaut ä, \u{1F600}',
  number: 0.1 + 0.2,
  nothing: null,
  list: [1, 'two', [true, { three: null }]],
  date: new Temporal('date', '2026-03-01'),
  time: new Temporal('time', '10:00:00Z'),
  dateTime: new Temporal('date-time', '2026-03-01T10:00:00Z'),
  duration: new Temporal('days-time-duration', 'PT5M'),
  period: new Temporal('years-months-duration', 'P1M'),
  context: { __proto: 'a key', nested: { deep: [new Temporal('date', '2000-02-29')] } },
};

const tasks: GoldenCase = {
  process: processModel(
    'p',
    [start('s'), userTask('a'), data('d', ['later = date + duration("P1D")']), userTask('b')],
    ['s -> a -> d -> b'],
    {
      variables: ['declared', '~passing'],
    },
  ),
  start: { variables: { ...variables, passing: 'gone when parked' } },
  steps: [
    ['complete', 'a', { added: new Temporal('time', '12:00:00') }],
    ['complete', 'b'],
  ],
};

const calls: GoldenCase = {
  process: processModel(
    'p',
    [
      start('s', { channel: 'orders', aliases: { order: 'payload.id' } }),
      parallel('fork'),
      call('plain', 'jobs', { output: 'answer' }),
      call('timed', 'jobs', { timeoutMs: 60_000 }),
      boundary('late', 'timed', error('SUTRA.CALL.TIMEOUT', 'code')),
      exclusive('timedOrLate'),
      call('keyed', 'jobs', { response: source('answers'), aliases: { order: 'payload.id' } }),
      registered('fn', 'work'),
      boundary('bad', 'fn', error('E')),
      exclusive('goodOrBad'),
      parallel('join'),
      userTask('help', { reply: '{done: true}' }),
    ],
    [
      's -> fork',
      'fork -> plain -> join',
      'fork -> timed -> timedOrLate -> join',
      'late -> timedOrLate',
      'fork -> keyed -> join',
      'fork -> fn -> goodOrBad -> join',
      'bad -> goodOrBad',
      'join -> help',
    ],
  ),
  start: { message: inbound({ id: 7 }, { headers: { trace: 't' }, messageType: 'order.placed' }) },
  startedBy: { replyTo: { channel: 'orders', dedupKey: 'k7' } },
  steps: [
    ['answer', 'plain', { ok: true }],
    ['send', 'answers', 'order', '7', { by: 'key' }],
    ['fail', 'fn', 'E'],
    ['fire', 'timed'],
    ['complete', 'help'],
  ],
};

const messages: GoldenCase = {
  process: processModel(
    'p',
    [
      start('s', { channel: 'orders', aliases: { order: 'payload.id' } }),
      throwEvent('ask', { channel: 'peer', body: 'payload' }),
      eventBased('gate'),
      catchEvent(
        'news',
        message('news', {
          variable: 'news',
          type: 'order.*',
          aliases: { order: 'payload.id', region: '"eu"' },
        }),
      ),
      receive('answer', 'peer'),
      catchEvent('late', timer('duration("PT1H")')),
      catchEvent('go', signal('go')),
      receive('last', 'news', { aliases: { order: 'nothing' } }),
    ],
    [
      's -> ask -> gate',
      'gate -> news -> last',
      'gate -> answer -> last',
      'gate -> late -> last',
      'gate -> go -> last',
    ],
  ),
  start: { message: inbound({ id: 'A-1' }) },
  steps: [
    ['deliver', 'answer', { is: 'home' }],
    ['deliver', 'last', 'over'],
  ],
};

const timers: GoldenCase = {
  process: processModel(
    'p',
    [
      start('s'),
      subProcess('sub', [start('in'), userTask('t')]),
      boundary('remind', 'sub', timerCycle(3, 60_000), aside),
      boundary('once', 'sub', timer('duration("PT30S")'), aside),
      boundary('late', 'sub', timerDate('"2026-06-01T00:00:00Z"')),
      userTask('aside'),
      next,
    ],
    ['s -> sub', 'in -> t', 'remind -> aside', 'once -> aside', 'late -> next'],
  ),
  steps: [
    ['fire', 'once'],
    ['fire', 'remind'],
    ['complete', 'aside'],
    ['fire', 'remind'],
    ['fire', 'late'],
    ['complete', 'aside'],
    ['complete', 'aside'],
    ['complete', 'next'],
  ],
};

const joins: GoldenCase = {
  process: processModel(
    'p',
    [
      start('s'),
      parallel('fork'),
      userTask('a'),
      userTask('b'),
      inclusive('either'),
      userTask('c'),
      userTask('d'),
      inclusive('meet'),
      parallel('join'),
      exclusive('decide'),
      userTask('more'),
      end('e'),
    ],
    [
      's -> fork',
      'fork -> a -> join',
      'fork -> either',
      'either -> c -> meet',
      'either -> d if wants',
      'd -> meet',
      'either -> b if false',
      'b -> meet',
      'meet -> join -> decide',
      'decide -> more if again',
      'decide -> e default',
    ],
  ),
  start: { variables: { wants: true, again: true } },
  steps: [
    ['complete', 'c'],
    ['complete', 'a'],
    ['complete', 'd'],
    ['complete', 'more'],
  ],
};

const complexGateway: GoldenCase = {
  process: processModel(
    'p',
    [
      start('s'),
      parallel('fork'),
      userTask('a'),
      userTask('b'),
      userTask('c'),
      complex('join', 'activationCount >= 2'),
      next,
    ],
    ['s -> fork', 'fork -> a -> join', 'fork -> b -> join', 'fork -> c -> join', 'join -> next'],
  ),
  steps: [
    ['complete', 'a'],
    ['complete', 'b'],
    ['complete', 'next'],
    ['complete', 'c'],
  ],
};

export const flowCases: Readonly<Record<string, GoldenCase>> = {
  tasks,
  calls,
  messages,
  timers,
  joins,
  'complex-gateway': complexGateway,
};
