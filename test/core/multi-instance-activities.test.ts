/** Multi-instance over every kind of activity, and what interrupts, catches and undoes its runs. BPMN 2.0.2 §13.3.7. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  boundary,
  call,
  callActivity,
  catchEvent,
  data,
  end,
  errorEnd,
  exclusive,
  inclusive,
  looped,
  parallel,
  receive,
  registered,
  sendTask,
  start,
  subProcess,
  terminate,
  userTask,
} from '../support/model-builder.ts';
import { each, error, message, timerMs, type MultiOptions } from '../support/model-parts.ts';
import { processModel, type NodeSpec } from '../support/process-model.ts';
import { Instance } from './instance.ts';
import { answered, begin, delivered, done, fired, scenario } from './scenario.ts';

const next = userTask('next');
const rescue = userTask('rescue');
const items = [1, 2, 3];

/** `node` for each of `items`, then `next`. */
function forEach(
  node: NodeSpec,
  options: MultiOptions = {},
  ...flows: readonly string[]
): ReturnType<typeof processModel> {
  const { id } = node.node;
  return processModel(
    'p',
    [start('s'), looped(node, each('item in items', options)), next],
    [`s -> ${id} -> next`, ...flows],
  );
}

const inside = (...nodes: readonly NodeSpec[]): NodeSpec => subProcess('sub', [start('in'), ...nodes]);
const sequential = { isSequential: true };

// --- calls and messages ----------------------------------------------------------------------------

test('each run of a call sends its own request and takes its own answer', () => {
  const process = forEach(call('c', 'jobs', { params: { n: 'item * 10' }, output: 'x' }), {
    output: 'x -> results',
  });
  const instance = new Instance(process).start({ variables: { items } });
  assert.deepEqual(
    instance.sends.map(({ body }) => body),
    [{ n: 10 }, { n: 20 }, { n: 30 }],
  );
  assert.equal(new Set(instance.sends.map(({ idempotencyKey }) => idempotencyKey)).size, 3);
  instance.answer('c', 'second', 1).answer('c', 'third', 1).answer('c', 'first');
  assert.deepEqual(instance.variables, { items, results: ['first', 'second', 'third'] });
  assert.deepEqual(instance.active, ['next']);
});

scenario(
  'a sequential call is sent when the one before has been answered',
  forEach(call('c', 'jobs'), sequential),
  [
    [begin({ items }), { active: 'c', sends: 'c' }],
    [answered('c'), { active: 'c', sends: 'c' }],
    [answered('c'), { active: 'c', sends: 'c' }],
    [answered('c'), { active: 'next', sends: '' }],
  ],
);

test('the answers of a multi-instance call that are not needed any more are withdrawn', () => {
  const process = forEach(call('c', 'jobs', { timeoutMs: 1000 }), {
    until: 'numberOfCompletedInstances = 1',
  });
  const instance = new Instance(process).start({ variables: { items } });
  const keys = instance.sends.map(({ idempotencyKey }) => idempotencyKey);
  instance.answer('c', {}, 1);
  assert.deepEqual(instance.active, ['next']);
  assert.deepEqual(
    instance.ofKind('callWithdrawn').map(({ idempotencyKey }) => idempotencyKey),
    [keys[0], keys[2]],
  );
  assert.equal(
    instance.ofKind('timerCleared').length,
    3,
    "the answered call's own, and those of the two others",
  );
});

test('the timeout of one run of a call fails that run alone, or is caught for all', () => {
  const failing = new Instance(forEach(call('c', 'jobs', { timeoutMs: 1000 })))
    .start({ variables: { items } })
    .fire('c', 1);
  assert.equal(failing.failureCode, 'SUTRA.CALL.TIMEOUT');
  assert.deepEqual(failing.active, ['c', 'c', 'c']);
  failing.retry();
  assert.deepEqual([failing.status, failing.ofKind('send').length], ['running', 1]);
  failing.answer('c').answer('c').answer('c');
  assert.deepEqual(failing.active, ['next']);
  const caught = new Instance(
    processModel(
      'p',
      [
        start('s'),
        looped(call('c', 'jobs', { timeoutMs: 1000 }), each('item in items')),
        boundary('late', 'c', error('SUTRA.CALL.TIMEOUT')),
        rescue,
        next,
      ],
      ['s -> c -> next', 'late -> rescue'],
    ),
  )
    .start({ variables: { items } })
    .fire('c', 1);
  assert.deepEqual(caught.active, ['rescue']);
  assert.equal(caught.ofKind('callWithdrawn').length, 3);
  assert.equal(caught.ofKind('timerCleared').length, 2);
});

test('the timer of a run is set with the part that holds its wait, and the parts of others stay as they are', () => {
  const instance = new Instance(forEach(call('c', 'jobs', { timeoutMs: 1000 }))).start({
    variables: { items },
  });
  const parts = instance.snapshot.parts ?? [];
  for (const { waitId, partId } of instance.ofKind('timerSet')) {
    assert.ok(parts.find(({ id }) => id === partId)?.waits.some(({ id }) => id === waitId));
  }
  assert.equal(instance.ofKind('timerSet').length, 3);
});

scenario(
  'an error that a worker reports of one run ends all runs',
  processModel(
    'p',
    [
      start('s'),
      looped(registered('c', 'fn'), each('item in items')),
      boundary('caught', 'c', error('E')),
      rescue,
      next,
    ],
    ['s -> c -> next', 'caught -> rescue'],
  ),
  [
    [begin({ items }), 'c c c'],
    [answered('c', {}, 1), 'c c'],
    [
      (i) => i.fail('c', 'E', { why: 'no' }, 1),
      {
        active: 'rescue',
        variables: { items, why: 'no' },
        check: (i) => assert.equal(i.ofKind('callWithdrawn').length, 1),
      },
    ],
  ],
);

scenario(
  'each run of a receive task takes one message',
  forEach(receive('r', 'news', { variable: 'x' }), { output: 'x -> results' }),
  [
    [begin({ items }), { active: 'r r r', waits: 'message:r message:r message:r' }],
    [delivered('r', 'one'), 'r r'],
    [delivered('r', 'two'), 'r'],
    [delivered('r', 'three'), { active: 'next', variables: { items, results: ['one', 'two', 'three'] } }],
  ],
);

test('the runs of a receive task are told apart by an alias of the item', () => {
  const process = forEach(receive('r', 'news', { variable: 'x', aliases: { order: 'item' } }), {
    output: 'x -> results',
  });
  const instance = new Instance(process).start({ variables: { items } });
  for (const value of ['2', '3', '1']) {
    assert.equal(
      instance.send('news', `for ${value}`, { aliases: [{ name: 'order', value }] }).kind,
      'advanced',
    );
  }
  assert.deepEqual(instance.variables['results'], ['for 1', 'for 2', 'for 3']);
});

scenario(
  'a sequential receive task waits for one message at a time',
  forEach(receive('r', 'news'), sequential),
  [
    [begin({ items }), { active: 'r', waits: 'message:r' }],
    [delivered('r'), 'r'],
    [delivered('r'), 'r'],
    [delivered('r'), 'next'],
  ],
);

test('a send task sends once for each item', () => {
  const instance = new Instance(forEach(sendTask('c', { channel: 'out', body: 'item' }))).start({
    variables: { items },
  });
  assert.deepEqual(
    instance.sends.map(({ body }) => body),
    items,
  );
  assert.deepEqual(instance.active, ['next']);
});

// --- sub-processes ---------------------------------------------------------------------------------

scenario(
  'each run of a sub-process has its own tokens',
  forEach(inside(userTask('a'), userTask('b')), {}, 'in -> a -> b'),
  [
    [begin({ items }), 'a a a'],
    [done('a#1'), 'a a b'],
    [done('b'), 'a a'],
    [done('a'), 'a b'],
    [done('a b'), 'b'],
    [done('b'), 'next'],
  ],
);

scenario(
  'the runs of a sequential sub-process follow each other',
  forEach(inside(userTask('a'), userTask('b')), sequential, 'in -> a -> b'),
  [
    [begin({ items: [1, 2] }), 'a'],
    [done('a b a'), 'b'],
    [done('b'), 'next'],
  ],
);

test('the variables of a run are seen inside, and written to from inside', () => {
  const node = inside(data('calc', ['x = item * item']), userTask('a', { assign: ['x = x + loopCounter'] }));
  const process = forEach(node, { output: 'x -> results' }, 'in -> calc -> a');
  const instance = new Instance(process)
    .start({ variables: { items } })
    .complete('a', {}, 2)
    .complete('a')
    .complete('a');
  assert.deepEqual(instance.variables, { items, results: [2, 6, 12] });
});

scenario(
  'joins inside join the tokens of their own run',
  forEach(
    inside(parallel('fork'), userTask('a'), userTask('b'), parallel('join'), userTask('c')),
    {},
    'in -> fork',
    'fork -> a -> join',
    'fork -> b -> join',
    'join -> c',
  ),
  [
    [begin({ items: [1, 2] }), 'a a b b'],
    [done('a b#1'), 'a b join join'],
    [done('b'), 'a c join'],
    [done('a c c'), 'next'],
  ],
);

scenario(
  'inclusive joins inside ask only their own run',
  forEach(
    inside(inclusive('fork'), userTask('a'), userTask('b'), inclusive('join'), userTask('c')),
    {},
    'in -> fork',
    'fork -> a if item > 1',
    'a -> join',
    'fork -> b -> join',
    'join -> c',
  ),
  [
    [begin({ items: [1, 2] }), 'a b b'],
    [done('b'), 'a b c'],
    [done('b'), 'a c join'],
    [done('a'), 'c c'],
  ],
);

scenario(
  'a terminate end event ends its own run only',
  forEach(
    inside(parallel('fork'), userTask('a'), userTask('stop'), terminate('t')),
    {},
    'in -> fork',
    'fork -> a',
    'fork -> stop -> t',
  ),
  [
    [begin({ items: [1, 2] }), 'a a stop stop'],
    [done('stop'), 'a stop'],
    [done('stop'), 'next'],
  ],
);

const throwingRuns = (
  options: MultiOptions,
  ...events: readonly NodeSpec[]
): ReturnType<typeof processModel> =>
  processModel(
    'p',
    [
      start('s'),
      looped(
        inside(userTask('a'), exclusive('x'), errorEnd('boom', 'E'), end('fine')),
        each('item in items', options),
      ),
      ...events,
      rescue,
      next,
    ],
    [
      's -> sub -> next',
      'in -> a -> x',
      'x -> boom if bad',
      'x -> fine default',
      ...events.map(({ node }) => `${node.id} -> rescue`),
    ],
  );

for (const isSequential of [false, true]) {
  const kind = isSequential ? 'sequential' : 'parallel';
  const all = isSequential ? 'a' : 'a a a';
  scenario(
    `an error of one ${kind} run is caught for the activity as a whole`,
    throwingRuns({ isSequential }, boundary('caught', 'sub', error('E', 'code'))),
    [
      [begin({ items, bad: false }), all],
      [done('a'), isSequential ? 'a' : 'a a'],
      [
        done('a', { bad: true }),
        { active: 'rescue', waits: 'user-task:rescue', variables: { items, bad: true, code: 'E' } },
      ],
    ],
  );

  scenario(
    `an interrupting timer ends all that ${kind} runs still do`,
    throwingRuns({ isSequential, output: 'item -> results' }, boundary('late', 'sub', timerMs(1000))),
    [
      [
        begin({ items, bad: false }),
        { active: all, waits: `timer:late ${all.replaceAll('a', 'user-task:a')}` },
      ],
      [done('a'), isSequential ? 'a' : 'a a'],
      [fired('late'), { active: 'rescue', waits: 'user-task:rescue', variables: { items, bad: false } }],
    ],
  );

  scenario(
    `the boundary events of ${kind} runs are armed once`,
    throwingRuns({ isSequential }, boundary('note', 'sub', message('notes'), 'non-interrupting')),
    [
      [begin({ items, bad: false }), { active: all }],
      [delivered('note'), `${all} rescue`],
      [done('a'), isSequential ? 'a rescue' : 'a a rescue'],
      [delivered('note'), isSequential ? 'a rescue rescue' : 'a a rescue rescue'],
      [
        done('a a'),
        { active: 'next rescue rescue', waits: 'user-task:next user-task:rescue user-task:rescue' },
      ],
    ],
  );
}

scenario('an uncaught error of one run fails the instance there, and the others stay', throwingRuns({}), [
  [begin({ items, bad: false }), 'a a a'],
  [done('a', { bad: true }), { active: 'a a boom', failure: 'SUTRA.BPMN_ERROR.UNCAUGHT' }],
]);

scenario(
  'boundary events inside a run are its own',
  forEach(
    inside(
      userTask('a'),
      boundary('late', 'a', timerMs(1000)),
      userTask('help'),
      catchEvent('m', message('news')),
    ),
    {},
    'in -> a',
    'late -> help -> m',
  ),
  [
    [begin({ items: [1, 2] }), { active: 'a a', waits: 'timer:late timer:late user-task:a user-task:a' }],
    [fired('late'), 'a help'],
    [done('a'), 'help'],
    [done('help'), 'm'],
    [delivered('m'), 'next'],
  ],
);

// --- loops in loops --------------------------------------------------------------------------------

for (const [outer, innerLoop, rows] of [
  ['parallel', 'parallel', ['t t t t', 't t t', 't t', 't', 'next']],
  ['sequential', 'parallel', ['t t', 't', 't t', 't', 'next']],
  ['parallel', 'sequential', ['t t', 't t', 't t', 't', 'next']],
  ['sequential', 'sequential', ['t', 't', 't', 't', 'next']],
] as const) {
  const isSequential = (kind: string): boolean => kind === 'sequential';
  scenario(
    `${innerLoop} runs in ${outer} runs`,
    processModel(
      'p',
      [
        start('s'),
        looped(
          inside(
            looped(
              userTask('t'),
              each('n in [1, 2]', { isSequential: isSequential(innerLoop), output: 'y -> row' }),
            ),
            data('keep', ['x = row']),
          ),
          each('item in [10, 20]', { isSequential: isSequential(outer), output: 'x -> results' }),
        ),
        next,
      ],
      ['s -> sub -> next', 'in -> t -> keep'],
    ),
    [[begin({ log: [] }), rows[0]], ...rows.slice(1).map((active) => [done('t', { y: 1 }), active] as const)],
  );
}

test('a parallel one inside a parallel one collects for each outer run', () => {
  const process = processModel(
    'p',
    [
      start('s'),
      looped(
        subProcess('sub', [start('in'), looped(userTask('t'), each('n in [1, 2]', { output: 'y -> row' }))], {
          variables: ['row'],
        }),
        each('item in [10, 20]', { output: 'item -> results' }),
      ),
      next,
    ],
    ['s -> sub -> next', 'in -> t'],
  );
  const instance = new Instance(process).start().complete('t', { y: 'a' }).complete('t', { y: 'b', item: 7 });
  assert.deepEqual(instance.active, ['t', 't']);
  instance.complete('t', { y: 'c' }, 1).complete('t', { y: 'd' });
  assert.deepEqual(instance.variables, { results: [7, 20] });
});

// --- call activities -------------------------------------------------------------------------------

const square = processModel(
  'square',
  [start('cs'), userTask('ask'), data('calc', ['y = n * n + extra']), end('ce')],
  ['cs -> ask -> calc -> ce'],
);

for (const isSequential of [false, true]) {
  scenario(
    `a process is called for each item, ${isSequential ? 'one after another' : 'all at once'}`,
    forEach(callActivity('c', 'square', { params: { n: 'item' }, results: { x: 'y' } }), {
      isSequential,
      output: 'x -> results',
    }),
    [
      [begin({ items }), isSequential ? 'ask' : 'ask ask ask'],
      [done('ask', { extra: 0 }), isSequential ? 'ask' : 'ask ask'],
      [done('ask', { extra: 1 }), 'ask'],
      [done('ask', { extra: 2 }), { active: 'next', variables: { items, results: [1, 5, 11] } }],
    ],
    { callable: [square] },
  );
}
