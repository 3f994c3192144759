/** Signals: who hears them, in the instance and outside it. BPMN 2.0.2 §10.5.1, §10.5.7 (broadcast). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  boundary,
  call,
  catchEvent,
  end,
  endWith,
  eventBased,
  eventSubProcess,
  exclusive,
  looped,
  parallel,
  script,
  startOn,
  start,
  subProcess,
  throwing,
  userTask,
} from '../support/model-builder.ts';
import { each, message, signal, throws } from '../support/model-parts.ts';
import { processModel } from '../support/process-model.ts';
import { Instance } from './instance.ts';
import { begin, done, scenario, signalled } from './scenario.ts';

const next = userTask('next');

scenario(
  'a catch event waits for its signal, and its payload goes into the variable',
  processModel('p', [start('s'), catchEvent('c', signal('go', 'x')), next], ['s -> c -> next']),
  [
    [begin(), { active: 'c', waits: 'signal:c' }],
    [signalled('go', { a: 1 }), { active: 'next', variables: { x: { a: 1 } } }],
  ],
);

for (const [what, payload, variables] of [
  ['a context becomes variables', { a: 1, b: 'x' }, { a: 1, b: 'x' }],
  ['a text is dropped', 'text', {}],
  ['null is dropped', null, {}],
  ['a list is dropped', [1], {}],
] as const) {
  scenario(
    `without a variable for the payload of a signal, ${what}`,
    processModel('p', [start('s'), catchEvent('c', signal('go')), next], ['s -> c -> next']),
    [
      [begin(), 'c'],
      [signalled('go', payload), { active: 'next', variables }],
    ],
  );
}

scenario(
  'one signal from outside reaches every wait for it, wherever it is, and no other',
  processModel(
    'p',
    [
      start('s'),
      parallel('fork'),
      catchEvent('a', signal('go')),
      catchEvent('other', signal('stay')),
      subProcess('sub', [start('in'), catchEvent('b', signal('go')), userTask('afterB')]),
      userTask('t'),
      boundary('on', 't', signal('go'), 'non-interrupting'),
      userTask('afterA'),
      userTask('aside'),
    ],
    [
      's -> fork',
      'fork -> a -> afterA',
      'fork -> other',
      'fork -> sub',
      'in -> b -> afterB',
      'fork -> t',
      'on -> aside',
    ],
  ),
  [
    [begin(), { waits: 'signal:a signal:b signal:on signal:other user-task:t' }],
    [signalled('go'), { active: 'afterA afterB aside other t' }],
    [signalled('go'), { active: 'afterA afterB aside aside other t' }],
    [signalled('stay'), 'afterA afterB aside aside t'],
  ],
);

test('a signal that nobody waits for is refused and changes nothing', () => {
  const process = processModel('p', [start('s'), catchEvent('c', signal('go'))], ['s -> c']);
  const instance = new Instance(process).start();
  const before = instance.snapshot;
  assert.equal(
    instance.refusalOf({ kind: 'signal', name: 'other', payload: null }),
    'SUTRA.CORE.SIGNAL_UNHEARD',
  );
  assert.equal(instance.snapshot, before);
  instance.signal('go');
  assert.equal(instance.status, 'completed');
  const late = instance.apply({ kind: 'signal', name: 'go', payload: null });
  assert.equal(late.kind, 'refused');
});

test('a failed instance refuses a signal as something to be repeated later', () => {
  const process = processModel(
    'p',
    [start('s'), parallel('fork'), catchEvent('c', signal('go')), exclusive('x'), end('e')],
    ['s -> fork', 'fork -> c', 'fork -> x', 'x -> e if false'],
  );
  const instance = new Instance(process).start();
  const result = instance.apply({ kind: 'signal', name: 'go', payload: null });
  assert.ok(result.kind === 'refused');
  assert.deepEqual([result.code, result.isRetryable], ['SUTRA.INBOUND.INSTANCE_FAILED', true]);
});

scenario(
  'a thrown signal reaches the waits of its own instance and then goes out',
  processModel(
    'p',
    [
      start('s'),
      parallel('fork'),
      catchEvent('c', signal('go', 'heard')),
      userTask('t'),
      throwing('shout', throws.signal('go', '{n: n + 1}')),
      userTask('afterC'),
      next,
    ],
    ['s -> fork', 'fork -> c -> afterC', 'fork -> t -> shout -> next'],
  ),
  [
    [begin({ n: 1 }), 'c t'],
    [done('t'), { active: 'afterC next', variables: { n: 1, heard: { n: 2 } }, signals: [['go', { n: 2 }]] }],
  ],
);

scenario(
  'a thrown signal without a body has no payload, and one that nobody here hears goes out all the same',
  processModel('p', [start('s'), throwing('shout', throws.signal('go')), next], ['s -> shout -> next']),
  [[begin({ n: 1 }), { active: 'next', signals: [['go', null]], variables: { n: 1 } }]],
);

scenario(
  'a signal is not kept for those who begin to wait later',
  processModel(
    'p',
    [start('s'), throwing('shout', throws.signal('go')), catchEvent('c', signal('go'))],
    ['s -> shout -> c'],
  ),
  [[begin(), { active: 'c', signals: [['go', null]] }]],
);

scenario(
  'a signal end event throws, and then its path ends',
  processModel(
    'p',
    [
      start('s'),
      parallel('fork'),
      subProcess('sub', [start('in'), userTask('t'), endWith('shout', throws.signal('go', '1'))]),
      catchEvent('c', signal('go')),
      userTask('afterC'),
      next,
    ],
    ['s -> fork', 'fork -> sub -> next', 'in -> t -> shout', 'fork -> c -> afterC'],
  ),
  [
    [begin(), 'c t'],
    [done('t'), { active: 'afterC next', signals: [['go', 1]] }],
  ],
);

scenario(
  'an activity whose own inside throws the signal of its interrupting boundary event is interrupted',
  processModel(
    'p',
    [
      start('s'),
      subProcess('sub', [
        start('in'),
        userTask('t'),
        throwing('shout', throws.signal('go')),
        userTask('after'),
      ]),
      boundary('on', 'sub', signal('go')),
      userTask('rescue'),
      next,
    ],
    ['s -> sub -> next', 'in -> t -> shout -> after', 'on -> rescue'],
  ),
  [
    [begin(), 't'],
    [done('t'), { active: 'rescue', signals: [['go', null]] }],
  ],
);

scenario(
  'the first of the events behind an event-based gateway may be a signal',
  processModel(
    'p',
    [start('s'), eventBased('gate'), catchEvent('a', signal('go')), catchEvent('b', message('news')), next],
    ['s -> gate', 'gate -> a -> next', 'gate -> b -> next'],
  ),
  [
    [begin(), { active: 'gate', waits: 'message:b signal:a' }],
    [signalled('go'), { active: 'next', waits: 'user-task:next' }],
  ],
);

scenario(
  'a signal reaches every run of a multi-instance activity, and an interrupting boundary event ends them all',
  processModel(
    'p',
    [
      start('s'),
      looped(
        subProcess('sub', [start('in'), catchEvent('c', signal('go')), userTask('t')]),
        each('item in items'),
      ),
      boundary('stop', 'sub', signal('stop')),
      userTask('rescue'),
      next,
    ],
    ['s -> sub -> next', 'in -> c -> t', 'stop -> rescue'],
  ),
  [
    [begin({ items: [1, 2, 3] }), { active: 'c c c', waits: 'signal:c signal:c signal:c signal:stop' }],
    [signalled('go'), 't t t'],
    [done('t#1'), 't t'],
    [signalled('stop'), { active: 'rescue', waits: 'user-task:rescue' }],
  ],
);

scenario(
  'a signal start event begins an instance with the payload in its variable',
  processModel('p', [startOn('s', signal('go', 'x')), next], ['s -> next']),
  [[begin({}, { at: 's', signal: { a: 1 } }), { active: 'next', variables: { x: { a: 1 } } }]],
);

scenario(
  'a signal start event without a variable takes a context as variables',
  processModel('p', [startOn('s', signal('go')), next], ['s -> next']),
  [[begin({ b: 2 }, { at: 's', signal: { a: 1 } }), { active: 'next', variables: { a: 1, b: 2 } }]],
);

scenario(
  'the waits that a signal satisfies see its payload each in its own variable',
  processModel(
    'p',
    [
      start('s'),
      parallel('fork'),
      catchEvent('a', signal('go', 'x')),
      catchEvent('b', signal('go', 'y')),
      end('e'),
    ],
    ['s -> fork', 'fork -> a -> e', 'fork -> b -> e'],
  ),
  [
    [begin(), 'a b'],
    [signalled('go', 7), { check: ({ variables }) => assert.deepEqual(variables, { x: 7, y: 7 }) }],
  ],
);

scenario(
  'an interrupting signal withdraws the call that its activity made',
  processModel(
    'p',
    [start('s'), call('c', 'jobs'), boundary('stop', 'c', signal('stop')), next],
    ['s -> c', 'stop -> next'],
  ),
  [
    [begin(), { active: 'c', sends: 'c' }],
    [signalled('stop'), { active: 'next', check: (i) => assert.equal(i.ofKind('callWithdrawn').length, 1) }],
  ],
);

scenario(
  'a signal that a task throws twice is heard twice by a non-interrupting event sub-process',
  processModel(
    'p',
    [
      start('s'),
      userTask('t'),
      throwing('one', throws.signal('go', '1'), throws.signal('go', '2')),
      eventSubProcess('es', startOn('on', signal('go', 'x'), 'non-interrupting'), [
        script('keep', '{last: x}'),
        userTask('u'),
      ]),
      next,
    ],
    ['s -> t -> one -> next', 'on -> keep -> u'],
  ),
  [
    [begin(), { active: 't', waits: 'signal:on user-task:t' }],
    [
      done('t'),
      {
        active: 'next u u',
        signals: [
          ['go', 1],
          ['go', 2],
        ],
      },
    ],
    [done('u u next'), 'completed'],
  ],
);
