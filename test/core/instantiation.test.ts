/** Where an instance begins: start events, receive tasks and gateways that instantiate. BPMN 2.0.2 §10.6.6, §13.2. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aliasKeyText } from '../../engine/core/aliases.ts';
import {
  catchEvent,
  end,
  eventBased,
  eventSubProcess,
  parallel,
  receive,
  start,
  startOn,
  subProcess,
  task,
  userTask,
} from '../support/model-builder.ts';
import { message, signal, timerMs } from '../support/model-parts.ts';
import { processModel, type NodeSpec } from '../support/process-model.ts';
import { inbound, Instance } from './instance.ts';
import { begin, delivered, done, scenario } from './scenario.ts';

const next = userTask('next');
const news = inbound({ id: 7 });

function gateway(kind: 'first' | 'all', ...events: readonly NodeSpec[]): ReturnType<typeof processModel> {
  const flows = events.map(({ node }) => `gate -> ${node.id} -> after`);
  return processModel('p', [eventBased('gate', kind), ...events, userTask('after')], flows);
}

const behind = [
  catchEvent('a', message('channelA', { variable: 'x', aliases: { order: 'payload.id' } })),
  receive('b', 'channelB', { variable: 'y', aliases: { order: 'payload.id' } }),
  catchEvent('c', signal('go', 'z')),
];

for (const [at, variable] of [
  ['a', 'x'],
  ['b', 'y'],
] as const) {
  scenario(
    `the message for ${at} starts an instance behind its gateway, which waits for nothing else`,
    gateway('first', ...behind),
    [
      [
        begin({}, { at, message: news }),
        { active: 'after', waits: 'user-task:after', variables: { [variable]: { id: 7 } } },
      ],
      [done('after'), 'completed'],
    ],
  );
}

scenario(
  'behind a parallel instantiating gateway the instance waits for all the other messages too',
  gateway('all', ...behind.slice(0, 2)),
  [
    [
      begin({}, { at: 'b', message: news }),
      { active: 'a after', waits: 'message:a user-task:after', variables: { y: { id: 7 } } },
    ],
    [delivered('a', { id: 7 }), { active: 'after after', variables: { x: { id: 7 }, y: { id: 7 } } }],
    [done('after after'), 'completed'],
  ],
);

test('the other messages of a parallel instantiating gateway come by the alias that the first one registered', () => {
  const instance = new Instance(gateway('all', ...behind.slice(0, 2))).start({ at: 'a', message: news });
  assert.deepEqual(instance.snapshot.aliases, [{ name: 'order', value: '7' }]);
  assert.equal(instance.send('channelB', {}, { aliases: [{ name: 'order', value: '8' }] }).kind, 'refused');
  assert.equal(instance.send('channelB', {}, { aliases: [{ name: 'order', value: '7' }] }).kind, 'advanced');
  assert.deepEqual(instance.active, ['after', 'after']);
});

scenario('a signal behind an instantiating gateway starts an instance too', gateway('first', ...behind), [
  [begin({}, { at: 'c', signal: 5 }), { active: 'after', variables: { z: 5 } }],
]);

scenario(
  'a receive task that instantiates has received its message when the instance begins',
  processModel(
    'p',
    [
      receive('r', 'news', {
        instantiates: true,
        variable: 'x',
        aliases: { order: 'x.id' },
        assign: ['seen = x.id'],
      }),
      next,
    ],
    ['r -> next'],
  ),
  [
    [
      begin({}, { at: 'r', message: news }),
      {
        active: 'next',
        variables: { x: { id: 7 }, seen: 7 },
        check: ({ snapshot }) => assert.deepEqual(snapshot.aliases, [{ name: 'order', value: '7' }]),
      },
    ],
  ],
);

const severalStarts = processModel(
  'p',
  [
    start('byHand'),
    start('byMessage', { channel: 'news', variable: 'x' }),
    startOn('byTimer', timerMs(1000)),
    startOn('bySignal', signal('go', 'x')),
    task('a'),
    task('b'),
    next,
  ],
  ['byHand -> next', 'byMessage -> a -> next', 'byTimer -> b -> next', 'bySignal -> next'],
);

for (const [at, options, variables] of [
  ['byHand', {}, { v: 1 }],
  ['byMessage', { message: news }, { v: 1, x: { id: 7 } }],
  ['byTimer', {}, { v: 1 }],
  ['bySignal', { signal: 3 }, { v: 1, x: 3 }],
] as const) {
  scenario(`of several start events only the one ${at} that occurred has a token`, severalStarts, [
    [begin({ v: 1 }, { at, ...options }), { active: 'next', variables }],
  ]);
}

scenario('started by its id, a process begins at its none start event', severalStarts, [
  [
    begin({}, { at: null }),
    { active: 'next', check: (i) => assert.ok(i.history('entered').includes('byHand')) },
  ],
]);

scenario(
  'without a start event everything begins that no flow leads to',
  processModel(
    'p',
    [
      userTask('a'),
      subProcess('b', [userTask('c'), task('d'), userTask('e')]),
      parallel('fork'),
      userTask('f'),
      userTask('g'),
      catchEvent('h', message('news')),
      eventSubProcess('es', startOn('on', signal('go')), [userTask('help')]),
    ],
    ['a -> f', 'd -> e', 'fork -> f', 'fork -> g', 'on -> help'],
  ),
  [
    [
      begin({}, { at: null }),
      {
        active: 'a c e f g h',
        waits: 'message:h signal:on user-task:a user-task:c user-task:e user-task:f user-task:g',
      },
    ],
  ],
);

scenario(
  'a sub-process without a start event begins so too, and ends when all of it has',
  processModel(
    'p',
    [start('s'), subProcess('sub', [userTask('a'), userTask('b'), end('e')]), next],
    ['s -> sub -> next', 'a -> e'],
  ),
  [
    [begin(), 'a b'],
    [done('a'), 'b'],
    [done('b'), 'next'],
  ],
);

scenario(
  'a sub-process with nothing in it is done at once',
  processModel('p', [start('s'), subProcess('sub', []), next], ['s -> sub -> next']),
  [[begin(), 'next']],
);

test('the aliases of a none start event are registered from the variables of whoever starts it', () => {
  const process = processModel('p', [start('s', { aliases: { order: 'id' } }), next], ['s -> next']);
  const instance = new Instance(process).start({ variables: { id: 'A1' } });
  assert.deepEqual(instance.snapshot.aliases, [{ name: 'order', value: 'A1' }]);
  const byId = new Instance(process).start({ at: null, variables: { id: 'A2' } });
  assert.deepEqual(byId.snapshot.aliases, [{ name: 'order', value: 'A2' }]);
});

test('a unique alias that another instance holds fails the element that registers it', () => {
  const unique = catchEvent('c', message('news', { aliases: { order: 'id' }, isUnique: true }));
  const process = processModel('p', [start('s'), unique], ['s -> c']);
  const takenAliases = new Set([aliasKeyText({ name: 'order', value: 'A1' })]);
  const startedWith = (id: string): Instance =>
    new Instance(process, { takenAliases }).start({ variables: { id } });
  assert.equal(startedWith('A1').failureCode, 'SUTRA.CORE.ALIAS_TAKEN');
  assert.equal(startedWith('A2').status, 'running');
});
