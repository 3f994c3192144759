/** Escalations: the nearest that catches them, and what goes on. BPMN 2.0.2 §10.5.1, §10.5.6. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  boundary,
  callActivity,
  end,
  endWith,
  eventSubProcess,
  looped,
  start,
  startOn,
  subProcess,
  throwing,
  userTask,
} from '../support/model-builder.ts';
import { each, escalation, throws } from '../support/model-parts.ts';
import { processModel, type NodeSpec } from '../support/process-model.ts';
import { Instance } from './instance.ts';
import { begin, done, scenario } from './scenario.ts';

const next = userTask('next');
const rescue = userTask('rescue');

/** A sub-process in a sub-process: the inner one throws `E1` when `go` is completed, and goes on to `after`. */
function nested(
  near: readonly NodeSpec[],
  far: readonly NodeSpec[],
  flows: readonly string[],
): ReturnType<typeof processModel> {
  const throwers = [throwing('shout', throws.escalation('E1')), userTask('go'), userTask('after')];
  const inner = subProcess('inner', [start('in2'), ...throwers]);
  const outer = subProcess('outer', [start('in1'), inner, ...near, userTask('nearRescue')]);
  return processModel(
    'p',
    [start('s'), outer, ...far, rescue, next],
    ['s -> outer -> next', 'in1 -> inner', 'in2 -> go -> shout -> after', ...flows],
  );
}

const aside = 'non-interrupting';

for (const [name, near, far, expected] of [
  [
    'a non-interrupting boundary event lets the thrower go on',
    [boundary('b', 'inner', escalation('E1'), aside)],
    [],
    'after nearRescue',
  ],
  [
    'an interrupting boundary event ends the activity that threw',
    [boundary('b', 'inner', escalation('E1'))],
    [],
    'nearRescue',
  ],
  [
    'one without a code catches every escalation',
    [boundary('b', 'inner', escalation(null))],
    [],
    'nearRescue',
  ],
  ['one for another code does not catch it', [boundary('b', 'inner', escalation('E2'))], [], 'after'],
  [
    'the outer activity catches what the inner one does not',
    [boundary('b', 'inner', escalation('E2'))],
    [boundary('f', 'outer', escalation('E1'))],
    'rescue',
  ],
  [
    'only the nearest that catches it takes it',
    [boundary('b', 'inner', escalation('E1'), aside)],
    [boundary('f', 'outer', escalation('E1'))],
    'after nearRescue',
  ],
  [
    'the nearest for all codes goes before one further out for the very code',
    [boundary('b', 'inner', escalation(null), aside)],
    [boundary('f', 'outer', escalation('E1'))],
    'after nearRescue',
  ],
  ['an escalation that nobody catches is ignored', [], [], 'after'],
] as const) {
  const flows = [
    ...near.map(({ node }) => `${node.id} -> nearRescue`),
    ...far.map(({ node }) => `${node.id} -> rescue`),
  ];
  scenario(name, nested(near, far, flows), [
    [begin(), 'go'],
    [done('go'), expected],
  ]);
}

test('of two boundary events of one activity the one for the very code wins over the one for all', () => {
  const events = [
    boundary('any', 'inner', escalation(null), aside),
    boundary('exact', 'inner', escalation('E1'), aside),
  ];
  const process = nested(events, [], ['any -> nearRescue', 'exact -> nearRescue']);
  const instance = new Instance(process).start().complete('go');
  assert.ok(instance.history('entered').includes('exact'));
  assert.ok(!instance.history('entered').includes('any'));
});

scenario(
  'the code that was caught goes into the variable of the event',
  nested([], [boundary('f', 'outer', escalation(null, 'code'), aside)], ['f -> rescue']),
  [
    [begin(), 'go'],
    [done('go'), { active: 'after rescue', variables: { code: 'E1' } }],
  ],
);

scenario(
  'an escalation without a code is caught by an event without a code only',
  processModel(
    'p',
    [
      start('s'),
      subProcess('sub', [start('in'), userTask('t'), endWith('shout', throws.escalation(null))]),
      boundary('exact', 'sub', escalation('E1'), aside),
      boundary('any', 'sub', escalation(null, 'code'), aside),
      rescue,
      userTask('wrong'),
      next,
    ],
    ['s -> sub -> next', 'in -> t -> shout', 'exact -> wrong', 'any -> rescue'],
  ),
  [
    [begin(), 't'],
    [done('t'), { active: 'next rescue', variables: { code: null } }],
  ],
);

scenario(
  'an escalation end event ends its path, and the activity with it when nothing else is left there',
  processModel(
    'p',
    [
      start('s'),
      subProcess('sub', [start('in'), userTask('t'), endWith('shout', throws.escalation('E1'))]),
      boundary('b', 'sub', escalation('E1'), aside),
      rescue,
      next,
    ],
    ['s -> sub -> next', 'in -> t -> shout', 'b -> rescue'],
  ),
  [
    [begin(), 't'],
    [done('t'), 'next rescue'],
  ],
);

scenario(
  'an escalation end event that an interrupting boundary event catches does not complete the activity too',
  processModel(
    'p',
    [
      start('s'),
      subProcess('sub', [start('in'), userTask('t'), endWith('shout', throws.escalation('E1'))]),
      boundary('b', 'sub', escalation('E1')),
      rescue,
      next,
    ],
    ['s -> sub -> next', 'in -> t -> shout', 'b -> rescue'],
  ),
  [
    [begin(), 't'],
    [done('t'), 'rescue'],
  ],
);

function withEventSubProcess(
  kind: 'interrupting' | 'non-interrupting',
  inEventSubProcess: readonly NodeSpec[],
  ...outside: readonly NodeSpec[]
): ReturnType<typeof processModel> {
  const es = eventSubProcess('es', startOn('on', escalation('E1', 'code'), kind), [
    userTask('help'),
    ...inEventSubProcess,
  ]);
  const inside = [
    start('in'),
    userTask('go'),
    throwing('shout', throws.escalation('E1')),
    userTask('after'),
    es,
  ];
  const last = inEventSubProcess.map(({ node }) => ` -> ${node.id}`).join('');
  return processModel(
    'p',
    [start('s'), subProcess('sub', inside), ...outside, rescue, next],
    [
      's -> sub -> next',
      'in -> go -> shout -> after',
      `on -> help${last}`,
      ...outside.map(({ node }) => `${node.id} -> rescue`),
    ],
  );
}

scenario(
  'an event sub-process is asked before the boundary events of its activity',
  withEventSubProcess('non-interrupting', [], boundary('b', 'sub', escalation('E1'))),
  [
    [begin(), 'go'],
    [done('go'), { active: 'after help', variables: { code: 'E1' } }],
    [done('help'), 'after'],
    [done('after'), 'next'],
  ],
);

scenario(
  'an interrupting event sub-process ends all else in its scope, the thrower too',
  withEventSubProcess('interrupting', []),
  [
    [begin(), 'go'],
    [done('go'), 'help'],
    [done('help'), 'next'],
  ],
);

scenario(
  'what an event sub-process throws again goes to the boundary event, not to itself',
  withEventSubProcess(
    'non-interrupting',
    [endWith('again', throws.escalation('E1'))],
    boundary('b', 'sub', escalation('E1'), aside),
  ),
  [
    [begin(), 'go'],
    [done('go'), 'after help'],
    [done('help'), 'after rescue'],
  ],
);

scenario(
  'an event sub-process of the process itself catches what nobody inside does',
  processModel(
    'p',
    [
      start('s'),
      subProcess('sub', [
        start('in'),
        userTask('t'),
        throwing('shout', throws.escalation('E1')),
        userTask('after'),
      ]),
      eventSubProcess('es', startOn('on', escalation(null), aside), [userTask('help')]),
    ],
    ['s -> sub', 'in -> t -> shout -> after', 'on -> help'],
  ),
  [
    [begin(), 't'],
    [done('t'), 'after help'],
    [done('after'), 'help'],
    [done('help'), 'completed'],
  ],
);

const called = processModel(
  'called',
  [start('cs'), userTask('t'), throwing('shout', throws.escalation('E1')), userTask('after'), end('ce')],
  ['cs -> t -> shout -> after -> ce'],
);

for (const [kind, expected] of [
  [aside, 'after rescue'],
  ['interrupting', 'rescue'],
] as const) {
  scenario(
    `an escalation goes out of a called process to an ${kind} boundary event of the call activity`,
    processModel(
      'p',
      [start('s'), callActivity('c', 'called'), boundary('b', 'c', escalation('E1'), kind), rescue, next],
      ['s -> c -> next', 'b -> rescue'],
    ),
    [
      [begin(), 't'],
      [done('t'), expected],
    ],
    { callable: [called] },
  );
}

const runs = looped(
  subProcess('sub', [start('in'), throwing('shout', throws.escalation('E1')), userTask('after')]),
  each('item in items'),
);

for (const [kind, expected] of [
  [aside, 'after after after rescue rescue rescue'],
  ['interrupting', 'rescue'],
] as const) {
  scenario(
    `each run of a multi-instance activity escalates by itself to an ${kind} boundary event`,
    processModel(
      'p',
      [start('s'), runs, boundary('b', 'sub', escalation('E1'), kind), rescue, next],
      ['s -> sub -> next', 'in -> shout -> after', 'b -> rescue'],
    ),
    [[begin({ items: [1, 2, 3] }), expected]],
  );
}

scenario(
  'several results of one event are thrown in document order',
  processModel(
    'p',
    [
      start('s'),
      subProcess('sub', [
        start('in'),
        userTask('t'),
        throwing('shout', throws.escalation('E1'), throws.signal('go'), throws.escalation('E2')),
        userTask('after'),
      ]),
      boundary('b1', 'sub', escalation('E1'), aside),
      boundary('b2', 'sub', escalation('E2'), aside),
      rescue,
      next,
    ],
    ['s -> sub -> next', 'in -> t -> shout -> after', 'b1 -> rescue', 'b2 -> next'],
  ),
  [
    [begin(), 't'],
    [done('t'), { active: 'after next rescue', signals: [['go', null]] }],
  ],
);
