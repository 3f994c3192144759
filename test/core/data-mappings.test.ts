/** Data inputs, outputs, objects and properties: what is local, and what goes where. BPMN 2.0.2 §10.4. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Value } from '../../definitions/value.ts';
import {
  boundary,
  call,
  callActivity,
  catchEvent,
  data,
  end,
  looped,
  receive,
  script,
  start,
  subProcess,
  task,
  userTask,
  withData,
} from '../support/model-builder.ts';
import { each, message, timerMs, type DataOptions } from '../support/model-parts.ts';
import { processModel, type NodeSpec } from '../support/process-model.ts';
import { Instance } from './instance.ts';
import { answered, begin, delivered, done, fired, scenario } from './scenario.ts';

const next = userTask('next');

function mapped(
  node: NodeSpec,
  options: DataOptions,
  ...flows: readonly string[]
): ReturnType<typeof processModel> {
  return processModel(
    'p',
    [start('s'), withData(node, options), next],
    [`s -> ${node.node.id} -> next`, ...flows],
  );
}

scenario(
  'inputs are read when the activity begins, outputs are written when its work is done',
  mapped(userTask('t'), {
    locals: ['given', 'made'],
    inputs: ['given = price * 2'],
    outputs: ['total = made + given'],
  }),
  [
    [
      begin({ price: 5 }),
      {
        active: 't',
        variables: { price: 5 },
        check: (i) => assert.deepEqual(i.variablesIn('t'), [{ given: 10, made: null }]),
      },
    ],
    [done('t', { made: 3, price: 6 }), { active: 'next', variables: { price: 6, total: 13 } }],
  ],
);

scenario(
  'local variables are gone with their activity, and hide those outside',
  mapped(userTask('t'), { locals: ['x'], outputs: ['y = x'] }),
  [
    [
      begin({ x: 'outside' }),
      { active: 't', check: (i) => assert.deepEqual(i.variablesIn('t'), [{ x: null }]) },
    ],
    [done('t', { x: 'inside' }), { active: 'next', variables: { x: 'outside', y: 'inside' } }],
  ],
);

scenario(
  'mappings run in document order, and each sees those before it',
  mapped(task('t'), {
    locals: ['a', 'b'],
    inputs: ['a = 1', 'b = a + 1'],
    outputs: ['x = b + 1', 'y = x + 1'],
  }),
  [[begin(), { active: 'next', variables: { x: 3, y: 4 } }]],
);

scenario(
  'without locals inputs are written to the variables of the scope',
  mapped(task('t'), { inputs: ['x = 1'], outputs: ['y = x + 1'] }),
  [[begin(), { active: 'next', variables: { x: 1, y: 2 } }]],
);

scenario(
  'an output may write into a property',
  mapped(task('t'), { outputs: ['order.total.net = 5', 'order.paid = false'] }),
  [
    [
      begin({ order: { id: 7 } }),
      { active: 'next', variables: { order: { id: 7, total: { net: 5 }, paid: false } } },
    ],
  ],
);

const kinds: Record<string, readonly [NodeSpec, (instance: Instance) => unknown]> = {
  call: [call('t', 'jobs', { params: { n: 'given' }, output: 'made' }), answered('t', 3)],
  'receive task': [receive('t', 'news', { variable: 'made' }), delivered('t', 3)],
  'user task': [userTask('t'), done('t', { made: 3 })],
  'call activity': [
    callActivity('t', 'called', { params: {}, results: { made: 'made' } }),
    done('ask', { made: 3 }),
  ],
  'sub-process': [subProcess('t', [start('in'), userTask('ask')]), done('ask', { made: 3 })],
};
for (const [kind, [node, act]] of Object.entries(kinds)) {
  scenario(
    `the data of a ${kind} are its own`,
    mapped(
      node,
      { locals: ['given', 'made'], inputs: ['given = 4'], outputs: ['total = given + made'] },
      ...(kind === 'sub-process' ? ['in -> ask'] : []),
    ),
    [
      [begin({ made: 'outside' }), { variables: { made: 'outside' } }],
      [act, { active: 'next', variables: { made: 'outside', total: 7 } }],
    ],
    { callable: [processModel('called', [start('cs'), userTask('ask')], ['cs -> ask'])] },
  );
}

test('the request of a call is worked out from its data inputs', () => {
  const process = mapped(call('t', 'jobs', { params: { n: 'given' } }), {
    locals: ['given'],
    inputs: ['given = price + 1'],
  });
  assert.deepEqual(new Instance(process).start({ variables: { price: 1 } }).sends[0]?.body, { n: 2 });
});

scenario(
  'a script works on its locals',
  mapped(script('t', 'given * given', 'made'), {
    locals: ['given', 'made'],
    inputs: ['given = n'],
    outputs: ['square = made'],
  }),
  [[begin({ n: 6 }), { active: 'next', variables: { n: 6, square: 36 } }]],
);

scenario(
  'the runs of a loop have their data each for itself',
  mapped(looped(userTask('t'), each('item in [1, 2]', { output: 'made -> all' })), {
    locals: ['given'],
    inputs: ['given = item * 10'],
    outputs: ['made = given + add'],
  }),
  [
    [
      begin({ add: 0 }),
      {
        active: 't t',
        check: (i) =>
          assert.deepEqual(
            i.variablesIn('t').map((frame) => frame['given']),
            [10, 20],
          ),
      },
    ],
    [done('t#1', { add: 5 }), 't'],
    [done('t', { add: 7 }), { active: 'next', variables: { add: 7, all: [17, 25] } }],
  ],
);

scenario(
  'the boundary events of an activity with data are its own, and end it with its data',
  processModel(
    'p',
    [
      start('s'),
      withData(userTask('t'), { locals: ['x'], inputs: ['x = 1'], outputs: ['y = x'] }),
      boundary('late', 't', timerMs(1000)),
      boundary('note', 't', message('notes', { variable: 'z' }), 'non-interrupting'),
      userTask('aside'),
      next,
    ],
    ['s -> t', 'late -> next', 'note -> aside'],
  ),
  [
    [begin(), { active: 't', waits: 'message:note timer:late user-task:t' }],
    [delivered('note', 5), { active: 'aside t', variables: { z: 5 } }],
    [fired('late'), { active: 'aside next', waits: 'user-task:aside user-task:next', variables: { z: 5 } }],
  ],
);

// --- data objects and properties -------------------------------------------------------------------

scenario(
  'the properties of a sub-process are null when it begins and gone when it ends',
  processModel(
    'p',
    [
      start('s'),
      subProcess('sub', [start('in'), userTask('t'), data('out', ['seen = mine'])], { variables: ['mine'] }),
      next,
    ],
    ['s -> sub -> next', 'in -> t -> out'],
  ),
  [
    [
      begin({ mine: 'outside' }),
      { active: 't', check: (i) => assert.deepEqual(i.variablesIn('sub'), [{ mine: null }]) },
    ],
    [done('t', { mine: 1, other: 2 }), { active: 'next', variables: { mine: 'outside', other: 2, seen: 1 } }],
  ],
);

scenario(
  'a write goes to the nearest scope that has the variable, else to the root',
  processModel(
    'p',
    [
      start('s'),
      subProcess(
        'outer',
        [
          start('in1'),
          subProcess(
            'inner',
            [start('in2'), data('d', ['a = 1', 'b = 2', 'c = 3', 'd = 4']), userTask('t')],
            { variables: ['a'] },
          ),
        ],
        { variables: ['a', 'b'] },
      ),
    ],
    ['s -> outer', 'in1 -> inner', 'in2 -> d -> t'],
  ),
  [
    [
      begin({ a: 0, b: 0, c: 0 }),
      {
        active: 't',
        variables: { a: 0, b: 0, c: 3, d: 4 },
        check: (i) => {
          assert.deepEqual(i.variablesIn('outer'), [{ a: null, b: 2 }]);
          assert.deepEqual(i.variablesIn('inner'), [{ a: 1 }]);
        },
      },
    ],
  ],
);

scenario(
  'two runs of one sub-process at the same time do not share its properties',
  processModel(
    'p',
    [
      start('s'),
      looped(
        subProcess('sub', [start('in'), userTask('t')], { variables: ['mine'] }),
        each('n in [1, 2]', { output: 'n -> all' }),
      ),
      next,
    ],
    ['s -> sub -> next', 'in -> t'],
  ),
  [
    [begin(), 't t'],
    [
      (i) => i.set({ mine: 'first' }, 't'),
      {
        check: (i) =>
          assert.deepEqual(
            i
              .variablesIn('sub')
              .map(({ mine }) => mine)
              .filter((mine) => mine !== undefined),
            ['first', null],
          ),
      },
    ],
  ],
);

// --- failures --------------------------------------------------------------------------------------

const failures: readonly (readonly [what: string, DataOptions, before: Value, after: Value, code: string])[] =
  [
    [
      'an input that cannot be evaluated',
      { inputs: ['x = for i in 1..n return i'] },
      1e9,
      2,
      'EXPRESSION_FAILED',
    ],
    ['an input into what is no context', { inputs: ['n.x = 1'] }, 3, {}, 'ASSIGNMENT_TARGET_INVALID'],
    [
      'an input of an activity with locals',
      { locals: ['x'], inputs: ['x = for i in 1..n return i'] },
      1e9,
      2,
      'EXPRESSION_FAILED',
    ],
  ];
for (const [what, options, before, after, code] of failures) {
  test(`${what} fails the element before its work begins, and a retry begins it`, () => {
    const instance = new Instance(mapped(userTask('t'), options)).start({ variables: { n: before } });
    assert.equal(instance.failureCode, `SUTRA.CORE.${code}`);
    assert.deepEqual(instance.active, ['t']);
    assert.deepEqual(instance.waits, []);
    instance.set({ n: after }).retry();
    assert.deepEqual([instance.failureCode, instance.waits], [null, ['user-task:t']]);
  });
}

test('an output that fails is run again by a retry, and the work before it is not', () => {
  const process = mapped(call('t', 'jobs', { output: 'made' }), {
    locals: ['made'],
    outputs: ['order.total = made'],
  });
  const instance = new Instance(process).start({ variables: { order: 'none' } }).answer('t', 3);
  assert.equal(instance.failureCode, 'SUTRA.CORE.ASSIGNMENT_TARGET_INVALID');
  instance.set({ order: null }).retry();
  assert.deepEqual(instance.active, ['next']);
  assert.deepEqual(instance.variables, { order: { total: 3 } });
  assert.equal(instance.sends.length, 1);
});

scenario(
  'catch events store their payload where their scope has the variable',
  processModel(
    'p',
    [
      start('s'),
      subProcess(
        'sub',
        [start('in'), catchEvent('m', message('news', { variable: 'x' })), userTask('t'), end('e')],
        { variables: ['x'] },
      ),
    ],
    ['s -> sub', 'in -> m -> t -> e'],
  ),
  [
    [begin({ x: 'outside' }), 'm'],
    [
      delivered('m', 1),
      {
        active: 't',
        variables: { x: 'outside' },
        check: (i) => assert.deepEqual(i.variablesIn('sub'), [{ x: 1 }]),
      },
    ],
  ],
);
