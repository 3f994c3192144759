/** Standard loops: run while a condition holds. BPMN 2.0.2 §10.3.8, §13.3.6. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  boundary,
  call,
  callActivity,
  data,
  end,
  errorEnd,
  looped,
  receive,
  script,
  start,
  subProcess,
  throwing,
  undoable,
  userTask,
} from '../support/model-builder.ts';
import { error, message, standardLoop, throws, timerMs } from '../support/model-parts.ts';
import { processModel, type NodeSpec } from '../support/process-model.ts';
import { Instance } from './instance.ts';
import { answered, begin, delivered, done, fired, note, scenario } from './scenario.ts';

const next = userTask('next');
type LoopOptions = Parameters<typeof standardLoop>[0];

function looping(
  node: NodeSpec,
  options: LoopOptions,
  ...flows: readonly string[]
): ReturnType<typeof processModel> {
  return processModel(
    'p',
    [start('s'), looped(node, standardLoop(options)), next],
    [`s -> ${node.node.id} -> next`, ...flows],
  );
}

scenario('tested after each run, it runs at least once', looping(userTask('t'), { condition: 'again' }), [
  [begin({ again: false }), { active: 't', waits: 'user-task:t' }],
  [done('t'), 'next'],
]);

scenario(
  'tested before each run, it may not run at all',
  looping(userTask('t'), { condition: 'again', isTestedBefore: true }),
  [[begin({ again: false }), { active: 'next', waits: 'user-task:next' }]],
);

for (const isTestedBefore of [false, true]) {
  const when = isTestedBefore ? 'before' : 'after';

  scenario(
    `tested ${when} each run, it goes on while its condition holds`,
    looping(userTask('t'), { condition: 'again', isTestedBefore }),
    [
      [begin({ again: true }), 't'],
      [done('t'), 't'],
      [done('t', { again: true }), 't'],
      [done('t', { again: false }), 'next'],
    ],
  );

  scenario(
    `tested ${when} each run, it runs at most as often as its maximum says`,
    looping(userTask('t'), { condition: 'true', maximum: 2, isTestedBefore }),
    [
      [begin(), 't'],
      [done('t'), 't'],
      [done('t'), 'next'],
    ],
  );

  scenario(
    `tested ${when} each run, null counts as false`,
    looping(userTask('t'), { condition: 'again', isTestedBefore }),
    [[begin(), isTestedBefore ? 'next' : 't']],
  );
}

scenario(
  'without a condition it runs exactly as often as its maximum says',
  looping(userTask('t'), { maximum: 3 }),
  [
    [begin(), 't'],
    [done('t t'), 't'],
    [done('t'), 'next'],
  ],
);

for (const [isTestedBefore, condition, runs] of [
  [false, 'loopCounter < 3', 3],
  [true, 'loopCounter <= 3', 3],
] as const) {
  scenario(
    `the condition ${condition} tested ${isTestedBefore ? 'before' : 'after'} sees the counter, from 1`,
    looping(script('t', '{log: append(log, loopCounter)}'), { condition, isTestedBefore }),
    [
      [
        begin({ log: [] }),
        { active: 'next', variables: { log: Array.from({ length: runs }, (_, index) => index + 1) } },
      ],
    ],
  );
}

test('each run has the counter for itself', () => {
  const instance = new Instance(looping(userTask('t'), { maximum: 3 })).start();
  for (const loopCounter of [1, 2, 3]) {
    assert.deepEqual(instance.variablesIn('t'), [{ loopCounter }]);
    instance.complete('t');
  }
  assert.deepEqual(instance.variables, {});
});

scenario(
  'a call is made again in each round',
  looping(call('t', 'jobs', { params: { n: 'loopCounter' } }), { maximum: 2 }),
  [
    [begin(), { active: 't', sends: 't' }],
    [
      answered('t'),
      {
        active: 't',
        sends: 't',
        check: (i) =>
          assert.deepEqual(
            i.sends.map(({ body }) => body),
            [{ n: 1 }, { n: 2 }],
          ),
      },
    ],
    [answered('t'), { active: 'next', sends: '' }],
  ],
);

scenario(
  'a receive task waits again in each round',
  looping(receive('t', 'news'), { condition: 'payload = "more"' }),
  [
    [begin(), { active: 't', waits: 'message:t' }],
    [delivered('t', 'more'), { active: 't', waits: 'message:t' }],
    [delivered('t', 'enough'), 'next'],
  ],
);

scenario(
  'a sub-process begins anew in each round',
  looping(
    subProcess('sub', [start('in'), userTask('a'), userTask('b')]),
    { condition: 'again' },
    'in -> a -> b',
  ),
  [
    [begin({ again: true }), 'a'],
    [done('a'), 'b'],
    [done('b'), 'a'],
    [done('a'), 'b'],
    [done('b', { again: false }), 'next'],
  ],
);

scenario(
  'a process is called again in each round',
  looping(callActivity('c', 'called', { params: { n: 'loopCounter' }, results: { last: 'n' } }), {
    maximum: 2,
  }),
  [
    [begin(), 't'],
    [done('t'), { active: 't', variables: { last: 1 } }],
    [done('t'), { active: 'next', variables: { last: 2 } }],
  ],
  { callable: [processModel('called', [start('cs'), userTask('t'), end('ce')], ['cs -> t -> ce'])] },
);

scenario(
  'boundary events belong to the loop as a whole',
  processModel(
    'p',
    [
      start('s'),
      looped(userTask('t'), standardLoop({ condition: 'true' })),
      boundary('late', 't', timerMs(1000)),
      boundary('note', 't', message('notes'), 'non-interrupting'),
      userTask('aside'),
      next,
    ],
    ['s -> t', 'late -> next', 'note -> aside'],
  ),
  [
    [begin(), { active: 't', waits: 'message:note timer:late user-task:t' }],
    [done('t'), { active: 't', waits: 'message:note timer:late user-task:t' }],
    [delivered('note'), 'aside t'],
    [fired('late'), { active: 'aside next', waits: 'user-task:aside user-task:next' }],
  ],
);

scenario(
  'an error ends the loop',
  processModel(
    'p',
    [
      start('s'),
      looped(
        subProcess('sub', [start('in'), userTask('t'), errorEnd('boom', 'E')]),
        standardLoop({ maximum: 9 }),
      ),
      boundary('caught', 'sub', error('E')),
      next,
    ],
    ['s -> sub', 'in -> t -> boom', 'caught -> next'],
  ),
  [
    [begin(), 't'],
    [done('t'), 'next'],
  ],
);

test('a loop condition that gives no boolean fails the instance, and a retry asks again without running again', () => {
  const process = looping(data('t', ['n = n + 1']), { condition: 'again' });
  const instance = new Instance(process).start({ variables: { n: 0, again: 'what' } });
  assert.equal(instance.failureCode, 'SUTRA.CORE.CONDITION_NOT_BOOLEAN');
  instance.set({ again: false }).retry();
  assert.deepEqual([instance.active, instance.variables], [['next'], { n: 1, again: false }]);
});

test('a loop without a wait that never ends is stopped at the bound of a step', () => {
  const process = looping(data('t', ['n = n + 1']), { condition: 'n > 0' });
  const instance = new Instance(process).start({ variables: { n: 1 } });
  assert.equal(instance.failureCode, 'SUTRA.CORE.STEP_LIMIT');
});

scenario(
  'the runs of a loop are undone in reverse',
  processModel(
    'p',
    [
      start('s'),
      ...undoable(
        looped(userTask('t'), standardLoop({ maximum: 2 })),
        data('u', ['log = append(log, loopCounter)']),
      ),
      ...undoable(userTask('b'), note('bUndo')),
      throwing('undo', throws.compensation()),
      next,
    ],
    ['s -> t -> b -> undo -> next'],
  ),
  [
    [begin({ log: [] }), 't'],
    [done('t t b'), { active: 'next', variables: { log: ['bUndo', 2, 1] } }],
  ],
);
