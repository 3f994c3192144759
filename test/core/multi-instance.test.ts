/** Multi-instance activities: how often they run, with what, and when they are done. BPMN 2.0.2 §10.3.8, §13.3.7. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Value } from '../../definitions/value.ts';
import { MAX_RUNS } from '../../engine/core/loops.ts';
import { looped, script, start, task, userTask } from '../support/model-builder.ts';
import { each, times, type MultiOptions } from '../support/model-parts.ts';
import { processModel } from '../support/process-model.ts';
import { Instance } from './instance.ts';
import { begin, done, scenario, written, type Row } from './scenario.ts';

const next = userTask('next');
const items = ['a', 'b', 'c'];

function overItems(options: MultiOptions = {}, text = 'item in items'): ReturnType<typeof processModel> {
  return processModel(
    'p',
    [start('s'), looped(userTask('t'), each(text, options)), next],
    ['s -> t -> next'],
  );
}

function counted(cardinality: string, options: MultiOptions = {}): ReturnType<typeof processModel> {
  return processModel(
    'p',
    [start('s'), looped(userTask('t'), times(cardinality, options)), next],
    ['s -> t -> next'],
  );
}

// --- how often -------------------------------------------------------------------------------------

scenario('a parallel one runs for all items at once, and is done when all are', overItems(), [
  [begin({ items }), { active: 't t t', waits: 'user-task:t user-task:t user-task:t' }],
  [done('t#1'), 't t'],
  [done('t#1'), 't'],
  [done('t'), { active: 'next', waits: 'user-task:next' }],
]);

scenario('a sequential one runs for one item after another', overItems({ isSequential: true }), [
  [begin({ items }), { active: 't', waits: 'user-task:t' }],
  [done('t'), 't'],
  [done('t'), 't'],
  [done('t'), 'next'],
]);

for (const isSequential of [false, true]) {
  const kind = isSequential ? 'sequential' : 'parallel';
  const all = isSequential ? 't' : 't t t';

  scenario(`a ${kind} one runs as often as its cardinality says`, counted('n + 1', { isSequential }), [
    [begin({ n: 2 }), all],
    [done('t t t'), 'next'],
  ]);

  scenario(`a ${kind} one with a cardinality of 0 is done at once`, counted('0', { isSequential }), [
    [begin(), 'next'],
  ]);

  scenario(`a ${kind} one over an empty list is done at once`, overItems({ isSequential }), [
    [begin({ items: [] }), { active: 'next', waits: 'user-task:next', variables: { items: [] } }],
  ]);

  scenario(
    `a ${kind} one over an empty list collects an empty list`,
    overItems({ isSequential, output: 'x -> results' }),
    [[begin({ items: [] }), { active: 'next', variables: { items: [], results: [] } }]],
  );

  scenario(`a ${kind} one of one item is done after one run`, overItems({ isSequential }), [
    [begin({ items: [7] }), 't'],
    [done('t'), 'next'],
  ]);

  scenario(
    `a ${kind} one over tasks that are done at once needs no turn of its own`,
    processModel(
      'p',
      [start('s'), looped(script('t', '{sum: sum + item}'), each('item in items', { isSequential })), next],
      ['s -> t -> next'],
    ),
    [[begin({ items: [1, 2, 3], sum: 0 }), { active: 'next', variables: { items: [1, 2, 3], sum: 6 } }]],
  );

  test(`a ${kind} one knows its items by variables that each run has for itself`, () => {
    const instance = new Instance(overItems({ isSequential })).start({ variables: { items } });
    const seen: Value[] = [];
    while (instance.active.includes('t')) {
      const [frame] = instance.variablesIn('t');
      seen.push([frame?.['loopCounter'] ?? null, frame?.['item'] ?? null]);
      instance.complete('t');
    }
    assert.deepEqual(seen, [
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
    ]);
    assert.deepEqual(instance.variables, { items });
  });

  for (const collection of [null, 'text', 3, { a: 1 }] as readonly Value[]) {
    test(`a ${kind} one over ${JSON.stringify(collection)} fails before anything runs`, () => {
      const instance = new Instance(overItems({ isSequential })).start({ variables: { items: collection } });
      assert.equal(instance.failureCode, 'SUTRA.CORE.LOOP_INVALID');
      assert.deepEqual(instance.active, ['t']);
      instance.set({ items: ['a', 'b'] }).retry();
      assert.equal(instance.status, 'running');
      assert.deepEqual(instance.active, isSequential ? ['t'] : ['t', 't']);
    });
  }

  for (const cardinality of ['-1', '1.5', '"3"', 'null', 'true', String(MAX_RUNS + 1)]) {
    test(`a ${kind} one with the cardinality ${cardinality} fails before anything runs`, () => {
      const instance = new Instance(counted(cardinality, { isSequential })).start();
      assert.equal(instance.failureCode, 'SUTRA.CORE.LOOP_INVALID');
      assert.deepEqual(instance.allScopes.length, 1);
    });
  }
}

// --- outputs ---------------------------------------------------------------------------------------

const outputRows: readonly Row[] = [
  [done('t#2', { x: 'third' }), 't t'],
  [done('t', { x: 'first' }), { active: 't', variables: { items } }],
  [
    done('t', { x: 'second' }),
    { active: 'next', variables: { items, results: ['first', 'second', 'third'] } },
  ],
];

scenario(
  'outputs are collected in the order of the items, whatever the order of completion',
  overItems({ output: 'x -> results' }),
  [[begin({ items }), 't t t'], ...outputRows],
);

scenario(
  'so are those of runs one after another',
  overItems({ isSequential: true, output: 'x -> results' }),
  [
    [begin({ items }), 't'],
    [done('t', { x: 1 }), { active: 't', variables: { items } }],
    [done('t'), 't'],
    [done('t', { x: 3 }), { active: 'next', variables: { items, results: [1, null, 3] } }],
  ],
);

scenario('the item itself may be the output', overItems({ output: 'item -> results' }), [
  [begin({ items: [1, 2] }), 't t'],
  [done('t', { item: 10 }), 't'],
  [done('t', { item: 20 }), { active: 'next', variables: { items: [1, 2], results: [10, 20] } }],
]);

scenario('the list of outputs replaces what its variable held', overItems({ output: 'x -> items' }), [
  [begin({ items: [1, 2] }), 't t'],
  [done('t t', { x: 'new' }), { active: 'next', variables: { items: ['new', 'new'] } }],
]);

scenario('what a run writes beyond its own variables goes outwards', overItems({ output: 'x -> results' }), [
  [begin({ items: [1, 2] }), 't t'],
  [done('t', { x: 1, total: 5 }), { active: 't', variables: { items: [1, 2], total: 5 } }],
]);

scenario(
  'a change of the collection after the start changes nothing',
  overItems({ isSequential: true, output: 'item -> results' }),
  [
    [begin({ items: [1, 2] }), 't'],
    [written({ items: [7, 8, 9] }), 't'],
    [done('t t'), { active: 'next', variables: { items: [7, 8, 9], results: [1, 2] } }],
  ],
);

// --- completion conditions -------------------------------------------------------------------------

scenario(
  'when its completion condition holds, the rest is ended',
  overItems({ until: 'numberOfCompletedInstances >= 2' }),
  [
    [begin({ items: [1, 2, 3, 4] }), 't t t t'],
    [done('t'), 't t t'],
    [done('t#2'), { active: 'next', waits: 'user-task:next' }],
  ],
);

scenario(
  'those that were ended put out nothing: null stands in their place',
  overItems({ until: 'numberOfCompletedInstances >= 2', output: 'x -> results' }),
  [
    [begin({ items: [1, 2, 3, 4] }), 't t t t'],
    [done('t#3', { x: 'd' }), 't t t'],
    [
      done('t#1', { x: 'b' }),
      { active: 'next', variables: { items: [1, 2, 3, 4], results: [null, 'b', null, 'd'] } },
    ],
  ],
);

scenario(
  'of a sequential one those that were never begun are not begun',
  overItems({ isSequential: true, until: 'numberOfCompletedInstances >= 2', output: 'x -> results' }),
  [
    [begin({ items: [1, 2, 3] }), 't'],
    [done('t', { x: 'a' }), 't'],
    [done('t', { x: 'b' }), { active: 'next', variables: { items: [1, 2, 3], results: ['a', 'b', null] } }],
  ],
);

scenario(
  'the completion condition sees what the run and the instance have',
  overItems({ until: 'item = wanted' }),
  [
    [begin({ items: [1, 2, 3], wanted: 2 }), 't t t'],
    [done('t'), 't t'],
    [done('t'), 'next'],
  ],
);

scenario('a completion condition that never holds changes nothing', overItems({ until: 'false' }), [
  [begin({ items: [1, 2] }), 't t'],
  [done('t t'), 'next'],
]);

for (const [isSequential, expected] of [
  [
    false,
    [
      [4, 3, 1, 0],
      [4, 2, 2, 0],
      [4, 1, 3, 0],
    ],
  ],
  [
    true,
    [
      [4, 0, 1, 0],
      [4, 0, 2, 0],
      [4, 0, 3, 0],
    ],
  ],
] as const) {
  test(`the counters of a ${isSequential ? 'sequential' : 'parallel'} one, as its completion condition sees them`, () => {
    const names = [
      'numberOfInstances',
      'numberOfActiveInstances',
      'numberOfCompletedInstances',
      'numberOfTerminatedInstances',
    ];
    for (const [round, counters] of expected.entries()) {
      const until = names.map((name, index) => `${name} = ${counters[index] ?? -1}`).join(' and ');
      const instance = new Instance(overItems({ isSequential, until })).start({
        variables: { items: [1, 2, 3, 4] },
      });
      for (let count = 0; count < round; count += 1) instance.complete('t');
      assert.ok(instance.active.includes('t'), `${until} does not hold before run ${round + 1}`);
      instance.complete('t');
      assert.deepEqual(instance.active, ['next'], `${until} holds after run ${round + 1}`);
    }
  });
}

scenario(
  'runs that are done at once may end a parallel activity before the others have begun to wait',
  processModel(
    'p',
    [
      start('s'),
      looped(
        task('t'),
        each('item in items', { until: 'numberOfCompletedInstances = 1', output: 'item -> results' }),
      ),
      next,
    ],
    ['s -> t -> next'],
  ),
  [
    [
      begin({ items: [1, 2, 3] }),
      { active: 'next', variables: { items: [1, 2, 3], results: [1, null, null] } },
    ],
  ],
);

test('a completion condition that gives no boolean fails that run, and a retry asks again', () => {
  const instance = new Instance(overItems({ until: 'stop' })).start({
    variables: { items: [1, 2], stop: 'what' },
  });
  instance.complete('t', { x: 1 });
  assert.equal(instance.failureCode, 'SUTRA.CORE.CONDITION_NOT_BOOLEAN');
  assert.deepEqual(instance.active, ['t', 't']);
  instance.set({ stop: false }).retry();
  assert.equal(instance.status, 'running');
  assert.deepEqual(instance.active, ['t']);
  instance.complete('t');
  assert.deepEqual(instance.active, ['next']);
});

// --- history ---------------------------------------------------------------------------------------

test('the journal tells the runs of a loop apart by their counter', () => {
  const instance = new Instance(overItems()).start({ variables: { items } }).complete('t', {}, 1);
  const runs = instance.effects.flatMap((effect) =>
    effect.kind === 'history' && effect.elementId === 't'
      ? [[effect.event, effect.detail['loopCounter'] ?? null]]
      : [],
  );
  assert.deepEqual(runs, [
    ['entered', null],
    ['entered', 1],
    ['entered', 2],
    ['entered', 3],
    ['completed', 2],
  ]);
});

test('a wide one is stored in parts, of which a turn changes one', () => {
  const variables = { items: Array.from({ length: 50 }, (_, index) => index) };
  const instance = new Instance(overItems({ output: 'x -> results' })).start({ variables });
  assert.equal(instance.snapshot.parts?.length, 50);
  const before = new Map(instance.snapshot.parts?.map((part) => [part.id, part]));
  instance.complete('t', { x: 'done' }, 7);
  const changed = instance.snapshot.parts?.filter(
    (part) => JSON.stringify(part) !== JSON.stringify(before.get(part.id)),
  );
  assert.deepEqual(
    changed?.map(({ index, output, tokens }) => ({ index, output, tokens })),
    [{ index: 7, output: 'done', tokens: [] }],
  );
});
