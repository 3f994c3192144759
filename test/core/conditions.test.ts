/** Conditional events: they occur when their condition becomes true. BPMN 2.0.2 §10.5.5, conditional. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  boundary,
  call,
  catchEvent,
  data,
  end,
  eventBased,
  eventSubProcess,
  looped,
  parallel,
  script,
  start,
  startOn,
  subProcess,
  task,
  userTask,
} from '../support/model-builder.ts';
import { conditional, each, message } from '../support/model-parts.ts';
import { processModel } from '../support/process-model.ts';
import { Instance } from './instance.ts';
import { answered, begin, done, scenario, written } from './scenario.ts';

const next = userTask('next');
const rescue = userTask('rescue');
const aside = 'non-interrupting';

const waiting = processModel(
  'p',
  [start('s'), catchEvent('c', conditional('x > 1')), next],
  ['s -> c -> next'],
);

scenario('a catch event whose condition holds when it is reached goes on at once', waiting, [
  [begin({ x: 2 }), { active: 'next', waits: 'user-task:next' }],
]);

scenario('a catch event waits until its condition holds; null and false do not', waiting, [
  [begin(), { active: 'c', waits: 'condition:c' }],
  [written({ x: 1 }), 'c'],
  [written({ y: 5 }), 'c'],
  [written({ x: 2 }), 'next'],
]);

scenario(
  'what another branch works out lets a condition become true',
  processModel(
    'p',
    [
      start('s'),
      parallel('fork'),
      catchEvent('c', conditional('x = 1')),
      userTask('t'),
      script('set', '{x: 1}'),
      next,
      end('e'),
    ],
    ['s -> fork', 'fork -> c -> next', 'fork -> t -> set -> e'],
  ),
  [
    [begin(), 'c t'],
    [done('t'), 'next'],
  ],
);

scenario(
  'the variables with which a user task is completed count',
  processModel(
    'p',
    [start('s'), parallel('fork'), catchEvent('c', conditional('x = 1')), userTask('t'), next, end('e')],
    ['s -> fork', 'fork -> c -> next', 'fork -> t -> e'],
  ),
  [
    [begin(), 'c t'],
    [done('t', { x: 1 }), 'next'],
  ],
);

scenario(
  'the answer of a call counts',
  processModel(
    'p',
    [start('s'), parallel('fork'), catchEvent('c', conditional('x = 1')), call('t', 'jobs'), next, end('e')],
    ['s -> fork', 'fork -> c -> next', 'fork -> t -> e'],
  ),
  [
    [begin(), 'c t'],
    [answered('t', { x: 1 }), 'next'],
  ],
);

scenario(
  'a condition that one branch makes true lets another go on whose work makes a third one true',
  processModel(
    'p',
    [
      start('s'),
      parallel('fork'),
      catchEvent('a', conditional('x = 1')),
      script('set', '{y: 1}'),
      catchEvent('b', conditional('y = 1')),
      next,
      end('e'),
    ],
    ['s -> fork', 'fork -> a -> set -> e', 'fork -> b -> next'],
  ),
  [
    [begin(), 'a b'],
    [written({ x: 1 }), 'next'],
  ],
);

function guardedTask(kind: 'interrupting' | 'non-interrupting'): ReturnType<typeof processModel> {
  return processModel(
    'p',
    [start('s'), userTask('t'), boundary('on', 't', conditional('x = 1'), kind), rescue, next],
    ['s -> t -> next', 'on -> rescue'],
  );
}

scenario(
  'an interrupting boundary event whose condition holds at once ends its activity at once',
  guardedTask('interrupting'),
  [[begin({ x: 1 }), { active: 'rescue', waits: 'user-task:rescue' }]],
);

scenario(
  'an interrupting boundary event ends its activity when its condition becomes true',
  guardedTask('interrupting'),
  [
    [begin(), { active: 't', waits: 'condition:on user-task:t' }],
    [written({ x: 1 }), { active: 'rescue', waits: 'user-task:rescue' }],
  ],
);

scenario(
  'a non-interrupting boundary event occurs each time its condition becomes true',
  guardedTask(aside),
  [
    [begin(), 't'],
    [written({ x: 1 }), 'rescue t'],
    [written({ x: 1 }), 'rescue t'],
    [written({ y: 1 }), 'rescue t'],
    [written({ x: 2 }), 'rescue t'],
    [
      written({ x: 1 }),
      { active: 'rescue rescue t', waits: 'condition:on user-task:rescue user-task:rescue user-task:t' },
    ],
    [done('t'), 'next rescue rescue'],
  ],
);

scenario(
  'a non-interrupting boundary event whose condition holds at once occurs at once, and only once',
  guardedTask(aside),
  [
    [begin({ x: 1 }), 'rescue t'],
    [written({ y: 1 }), 'rescue t'],
    [written({ x: 0 }), 'rescue t'],
    [written({ x: 1 }), 'rescue rescue t'],
  ],
);

scenario(
  'an activity that is done at once has no time for its conditions',
  processModel(
    'p',
    [start('s'), task('t'), boundary('on', 't', conditional('true')), rescue, next],
    ['s -> t -> next', 'on -> rescue'],
  ),
  [[begin(), 'next']],
);

scenario(
  'a call that a condition interrupts at once is never sent',
  processModel(
    'p',
    [start('s'), call('t', 'jobs'), boundary('on', 't', conditional('x = 1')), rescue, next],
    ['s -> t -> next', 'on -> rescue'],
  ),
  [[begin({ x: 1 }), { active: 'rescue', sends: '' }]],
);

for (const [kind, expected] of [
  ['interrupting', ['help', 'help', 'help']],
  [aside, ['help t', 'help t', 'help help t']],
] as const) {
  scenario(
    `an ${kind} event sub-process starts when its condition becomes true`,
    processModel(
      'p',
      [
        start('s'),
        userTask('t'),
        eventSubProcess('es', startOn('on', conditional('x = 1'), kind), [userTask('help')]),
      ],
      ['s -> t', 'on -> help'],
    ),
    [
      [begin(), { active: 't', waits: 'condition:on user-task:t' }],
      [written({ x: 1 }), expected[0]],
      [written({ x: 2 }), expected[1]],
      [written({ x: 1 }), expected[2]],
    ],
  );
}

scenario(
  'an event sub-process whose condition holds when its scope begins starts at once',
  processModel(
    'p',
    [
      start('s'),
      userTask('t'),
      eventSubProcess('es', startOn('on', conditional('x = 1')), [userTask('help')]),
    ],
    ['s -> t', 'on -> help'],
  ),
  [
    [begin({ x: 1 }), 'help'],
    [done('help'), 'completed'],
  ],
);

scenario(
  'the first of the events behind an event-based gateway may be a condition',
  processModel(
    'p',
    [
      start('s'),
      eventBased('gate'),
      catchEvent('a', conditional('x = 1')),
      catchEvent('b', message('news')),
      rescue,
      next,
    ],
    ['s -> gate', 'gate -> a -> rescue', 'gate -> b -> next'],
  ),
  [
    [begin(), { active: 'gate', waits: 'condition:a message:b' }],
    [written({ x: 1 }), { active: 'rescue', waits: 'user-task:rescue' }],
  ],
);

scenario(
  'a condition sees the local variables of its scope, and a write that cannot change it does nothing',
  processModel(
    'p',
    [
      start('s'),
      subProcess(
        'sub',
        [
          start('in'),
          parallel('fork'),
          userTask('t'),
          catchEvent('c', conditional('x = 1')),
          userTask('after'),
        ],
        {
          variables: ['x'],
        },
      ),
      next,
    ],
    ['s -> sub -> next', 'in -> fork', 'fork -> t', 'fork -> c -> after'],
  ),
  [
    [begin({ x: 1 }), 'c t'],
    [written({ x: 1 }), 'c t'],
    [written({ x: 1 }, 't'), 'after t'],
  ],
);

scenario(
  'the conditions of each run of a multi-instance activity are its own',
  processModel(
    'p',
    [
      start('s'),
      looped(
        subProcess('sub', [
          start('in'),
          userTask('t'),
          boundary('on', 't', conditional('item = limit'), aside),
          userTask('help'),
        ]),
        each('item in items'),
      ),
    ],
    ['s -> sub', 'in -> t', 'on -> help'],
  ),
  [
    [begin({ items: [1, 2, 3] }), 't t t'],
    [written({ limit: 2 }), 'help t t t'],
    [written({ limit: 3 }), 'help help t t t'],
  ],
);

scenario(
  'all conditions that a write makes true occur, though one of them ends what the other waits at',
  processModel(
    'p',
    [
      start('s'),
      subProcess('sub', [start('in'), catchEvent('c', conditional('x = 1')), userTask('after')]),
      boundary('on', 'sub', conditional('x = 1')),
      rescue,
    ],
    ['s -> sub', 'in -> c -> after', 'on -> rescue'],
  ),
  [
    [begin(), 'c'],
    [written({ x: 1 }), 'rescue'],
  ],
);

for (const condition of ['"text"', '1', '[1..x]']) {
  test(`a condition ${condition} that is neither true nor false nor null fails the instance at its element`, () => {
    const process = processModel(
      'p',
      [start('s'), catchEvent('c', conditional(condition)), end('e')],
      ['s -> c -> e'],
    );
    const instance = new Instance(process).start({ variables: { x: 9 } });
    assert.equal(
      instance.failureCode,
      condition.startsWith('[') ? 'SUTRA.CORE.EXPRESSION_FAILED' : 'SUTRA.CORE.CONDITION_NOT_BOOLEAN',
    );
    assert.equal(instance.snapshot.failure?.elementId, 'c');
  });
}

scenario(
  'a loop of a condition that makes itself false again comes to rest',
  processModel(
    'p',
    [
      start('s'),
      userTask('t'),
      boundary('on', 't', conditional('n > 0'), aside),
      data('less', ['n = n - 1']),
      end('e'),
    ],
    ['s -> t', 'on -> less -> e'],
  ),
  [
    [begin({ n: 0 }), 't'],
    [written({ n: 1 }), { active: 't', variables: { n: 0 } }],
    [written({ n: 1 }), { active: 't', variables: { n: 0 } }],
  ],
);
