/** Events with several definitions: the first one counts, or all must occur. BPMN 2.0.2 §10.5.1, §10.5.5. */
import assert from 'node:assert/strict';
import {
  boundary,
  catchEvent,
  endWith,
  eventBased,
  eventSubProcess,
  start,
  startOn,
  subProcess,
  throwing,
  userTask,
} from '../support/model-builder.ts';
import {
  allOf,
  conditional,
  error,
  escalation,
  message,
  signal,
  throws,
  timerMs,
} from '../support/model-parts.ts';
import { processModel } from '../support/process-model.ts';
import { begin, delivered, done, fired, scenario, signalled, written, type Row } from './scenario.ts';

const next = userTask('next');
const rescue = userTask('rescue');
const aside = 'non-interrupting';

const triggers = [message('news', { variable: 'm' }), signal('go', 'x'), timerMs(1000), conditional('ready')];
const waits = 'condition:c message:c signal:c timer:c';

const occurrences: Record<string, Row[0]> = {
  message: delivered('c', 7),
  signal: signalled('go', 8),
  timer: fired('c'),
  condition: written({ ready: true }),
};

const first = processModel('p', [start('s'), catchEvent('c', triggers), next], ['s -> c -> next']);
for (const [kind, occur] of Object.entries(occurrences)) {
  scenario(`a multiple catch event goes on when the first of its events, a ${kind}, occurs`, first, [
    [begin(), { active: 'c', waits }],
    [occur, { active: 'next', waits: 'user-task:next' }],
  ]);
}

scenario('the payload goes into the variable of the event that has occurred', first, [
  [begin(), 'c'],
  [signalled('go', 8), { variables: { x: 8 } }],
]);

scenario('a condition among several that holds at once counts at once', first, [
  [begin({ ready: true }), { active: 'next', waits: 'user-task:next' }],
]);

const all = processModel('p', [start('s'), catchEvent('c', allOf(...triggers)), next], ['s -> c -> next']);
const orders = [
  ['message', 'signal', 'timer', 'condition'],
  ['condition', 'timer', 'signal', 'message'],
  ['timer', 'condition', 'message', 'signal'],
] as const;
for (const order of orders) {
  scenario(`a parallel multiple catch event waits for all its events: ${order.join(', ')}`, all, [
    [begin(), { active: 'c', waits }],
    ...order.map((kind, index): Row => {
      const left = order
        .slice(index + 1)
        .map((other) => `${other}:c`)
        .join(' ');
      return [occurrences[kind] ?? assert.fail(), left === '' ? 'next' : { active: 'c', waits: left }];
    }),
    [done('next'), 'completed'],
  ]);
}

scenario('each event of a parallel multiple one leaves its payload', all, [
  [begin(), 'c'],
  [signalled('go', 8), { active: 'c', variables: { x: 8 } }],
  [delivered('c', 7), { active: 'c', variables: { x: 8, m: 7 } }],
]);

scenario(
  'an event that has occurred is not asked for again',
  processModel('p', [start('s'), catchEvent('c', allOf(signal('a'), signal('b'))), next], ['s -> c -> next']),
  [
    [begin(), { waits: 'signal:c signal:c' }],
    [signalled('a'), { active: 'c', waits: 'signal:c' }],
    [
      (i) =>
        assert.equal(i.refusalOf({ kind: 'signal', name: 'a', payload: null }), 'SUTRA.CORE.SIGNAL_UNHEARD'),
      'c',
    ],
    [signalled('b'), 'next'],
  ],
);

scenario(
  'both of two triggers with one signal occur with it',
  processModel(
    'p',
    [start('s'), catchEvent('c', allOf(signal('a', 'x'), signal('a', 'y'))), next],
    ['s -> c -> next'],
  ),
  [
    [begin(), 'c'],
    [signalled('a', 1), { active: 'next', variables: { x: 1, y: 1 } }],
  ],
);

for (const [what, thrown, occur] of [
  ['an error', throws.error('E'), done('t')],
  ['an escalation', throws.escalation('E'), done('t')],
  ['a signal', throws.terminate, signalled('go')],
  ['a timer', throws.terminate, fired('on')],
] as const) {
  scenario(
    `a multiple boundary event occurs with ${what}`,
    processModel(
      'p',
      [
        start('s'),
        subProcess('sub', [start('in'), userTask('t'), endWith('out', thrown)]),
        boundary('on', 'sub', [error('E', 'code'), escalation('E', 'code'), signal('go'), timerMs(1000)]),
        rescue,
        next,
      ],
      ['s -> sub -> next', 'in -> t -> out', 'on -> rescue'],
    ),
    [
      [begin(), { active: 't', waits: 'signal:on timer:on user-task:t' }],
      [occur, { active: 'rescue', waits: 'user-task:rescue' }],
    ],
  );
}

scenario(
  'a multiple non-interrupting boundary event occurs with each of its events, each as often as it can',
  processModel(
    'p',
    [start('s'), userTask('t'), boundary('on', 't', [signal('go'), timerMs(1000)], aside), rescue],
    ['s -> t', 'on -> rescue'],
  ),
  [
    [begin(), 't'],
    [signalled('go'), { active: 'rescue t', waits: 'signal:on timer:on user-task:rescue user-task:t' }],
    [fired('on'), 'rescue rescue t'],
    [signalled('go'), { active: 'rescue rescue rescue t' }],
  ],
);

scenario(
  'a parallel multiple boundary event ends its activity when all its events have occurred',
  processModel(
    'p',
    [start('s'), userTask('t'), boundary('on', 't', allOf(signal('a'), signal('b'))), rescue, next],
    ['s -> t -> next', 'on -> rescue'],
  ),
  [
    [begin(), 't'],
    [signalled('b'), 't'],
    [signalled('a'), { active: 'rescue', waits: 'user-task:rescue' }],
  ],
);

scenario(
  'a parallel multiple event that waits when its activity is done is given up',
  processModel(
    'p',
    [start('s'), userTask('t'), boundary('on', 't', allOf(signal('a'), signal('b'))), rescue, next],
    ['s -> t -> next', 'on -> rescue'],
  ),
  [
    [begin(), 't'],
    [signalled('b'), 't'],
    [done('t'), { active: 'next', waits: 'user-task:next' }],
  ],
);

scenario(
  'a parallel multiple non-interrupting boundary event waits for all its events again',
  processModel(
    'p',
    [start('s'), userTask('t'), boundary('on', 't', allOf(signal('a'), signal('b')), aside), rescue],
    ['s -> t', 'on -> rescue'],
  ),
  [
    [begin(), { waits: 'signal:on signal:on user-task:t' }],
    [signalled('a'), { active: 't', waits: 'signal:on user-task:t' }],
    [signalled('b'), { active: 'rescue t', waits: 'signal:on signal:on user-task:rescue user-task:t' }],
    [signalled('b'), 'rescue t'],
    [signalled('a'), 'rescue rescue t'],
  ],
);

for (const [kind, rows] of [
  [
    'interrupting',
    [
      [signalled('a'), 't'],
      [signalled('b'), 'help'],
      [done('help'), 'completed'],
    ],
  ],
  [
    aside,
    [
      [signalled('a'), 't'],
      [signalled('b'), 'help t'],
      [signalled('b'), 'help t'],
      [signalled('a'), 'help help t'],
    ],
  ],
] as readonly (readonly ['interrupting' | 'non-interrupting', readonly Row[]])[]) {
  scenario(
    `an ${kind} event sub-process with a parallel multiple start event starts when all have occurred`,
    processModel(
      'p',
      [
        start('s'),
        userTask('t'),
        eventSubProcess('es', startOn('on', allOf(signal('a'), signal('b')), kind), [userTask('help')]),
      ],
      ['s -> t', 'on -> help'],
    ),
    [[begin(), { active: 't', waits: 'signal:on signal:on user-task:t' }], ...rows],
  );
}

scenario(
  'an event sub-process with a multiple start event starts with any of them',
  processModel(
    'p',
    [
      start('s'),
      userTask('t'),
      eventSubProcess('es', startOn('on', [error('E', 'code'), signal('a'), message('news')], aside), [
        userTask('help'),
      ]),
    ],
    ['s -> t', 'on -> help'],
  ),
  [
    [begin(), { active: 't', waits: 'message:on signal:on user-task:t' }],
    [signalled('a'), 'help t'],
    [delivered('on'), 'help help t'],
  ],
);

scenario(
  'behind an event-based gateway a multiple event competes with all its events',
  processModel(
    'p',
    [
      start('s'),
      eventBased('gate'),
      catchEvent('a', [signal('one'), signal('two')]),
      catchEvent('b', message('news')),
      rescue,
      next,
    ],
    ['s -> gate', 'gate -> a -> rescue', 'gate -> b -> next'],
  ),
  [
    [begin(), { active: 'gate', waits: 'message:b signal:a signal:a' }],
    [signalled('two'), { active: 'rescue', waits: 'user-task:rescue' }],
  ],
);

scenario(
  'a multiple start event begins with the trigger that occurred',
  processModel(
    'p',
    [startOn('s', [message('news', { variable: 'm' }), signal('go', 'x')]), next],
    ['s -> next'],
  ),
  [[begin({}, { at: 's', trigger: 1, signal: 5 }), { active: 'next', variables: { x: 5 } }]],
);

scenario(
  'a multiple throw event throws all, in document order',
  processModel(
    'p',
    [
      start('s'),
      throwing('all', throws.signal('a'), throws.message({ channel: 'out', body: '1' }), throws.signal('b')),
      next,
    ],
    ['s -> all -> next'],
  ),
  [
    [
      begin(),
      {
        active: 'next',
        sends: 'all',
        signals: [
          ['a', null],
          ['b', null],
        ],
      },
    ],
  ],
);

scenario(
  'a multiple end event throws all before it ends its path',
  processModel(
    'p',
    [
      start('s'),
      userTask('t'),
      endWith('all', throws.signal('a'), throws.message({ channel: 'out', body: '1' })),
    ],
    ['s -> t -> all'],
  ),
  [
    [begin(), 't'],
    [done('t'), { active: '', sends: 'all', signals: [['a', null]] }],
  ],
);
