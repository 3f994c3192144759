/** When an inclusive gateway joins. BPMN 2.0.2 §13.4.3. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Context } from '../../definitions/value.ts';
import {
  boundary,
  call,
  end,
  exclusive,
  inclusive,
  parallel,
  receive,
  script,
  start,
  subProcess,
  userTask,
} from '../support/model-builder.ts';
import { error, message, timer } from '../support/model-parts.ts';
import { processModel } from '../support/process-model.ts';
import { Instance } from './instance.ts';

const a = userTask('a');
const b = userTask('b');
const c = userTask('c');
const after = userTask('after');

const splitJoin = processModel(
  'p',
  [start('s'), inclusive('split'), a, b, c, inclusive('join'), after, end('e')],
  [
    's -> split',
    'split -> a if x',
    'split -> b if y',
    'split -> c if z',
    'a -> join',
    'b -> join',
    'c -> join',
    'join -> after -> e',
  ],
);

const branches: readonly (readonly [readonly string[], Context])[] = [
  [['a'], { x: true, y: false, z: false }],
  [['a', 'c'], { x: true, y: false, z: true }],
  [['a', 'b', 'c'], { x: true, y: true, z: true }],
];
for (const [taken, variables] of branches) {
  test(`an inclusive join waits for exactly the branches that were taken: ${taken.join(', ')}`, () => {
    const instance = new Instance(splitJoin).start({ variables });
    assert.deepEqual(instance.active, taken);
    for (const [index, id] of taken.entries()) {
      instance.complete(id);
      if (index < taken.length - 1) assert.ok(instance.active.includes('join'));
    }
    assert.deepEqual(instance.active, ['after']);
    assert.equal(instance.complete('after').status, 'completed');
  });
}

test('a branch that turns away from the join is no longer waited for', () => {
  const process = processModel(
    'p',
    [start('s'), parallel('fork'), a, b, exclusive('away'), userTask('elsewhere'), inclusive('join'), after],
    [
      's -> fork',
      'fork -> a -> join',
      'fork -> b -> away',
      'away -> elsewhere if leave',
      'away -> join default',
      'join -> after',
    ],
  );
  const instance = new Instance(process).start();
  instance.complete('a');
  assert.deepEqual(instance.active, ['b', 'join']);
  instance.complete('b', { leave: true });
  assert.deepEqual(instance.active, ['after', 'elsewhere']);
});

test('tokens that have not begun to wait count too: the join is asked only when none can move', () => {
  const process = processModel(
    'p',
    [
      start('s'),
      parallel('fork'),
      script('x', '{one: 1}'),
      script('y', '{two: 2}'),
      inclusive('join'),
      after,
    ],
    ['s -> fork', 'fork -> join', 'fork -> x -> y -> join', 'join -> after'],
  );
  assert.deepEqual(new Instance(process).start().active, ['after']);
});

test('a token inside a sub-process counts where the sub-process is', () => {
  const process = processModel(
    'p',
    [
      start('s'),
      parallel('fork'),
      subProcess('sub', [start('in'), userTask('inner'), end('out')]),
      a,
      inclusive('join'),
      after,
    ],
    ['s -> fork', 'fork -> sub -> join', 'fork -> a -> join', 'in -> inner -> out', 'join -> after'],
  );
  const instance = new Instance(process).start();
  instance.complete('a');
  assert.deepEqual(instance.active, ['inner', 'join']);
  assert.deepEqual(instance.complete('inner').active, ['after']);
});

test('a join inside a sub-process looks at its own scope only', () => {
  const inside = [
    start('in'),
    parallel('fork2'),
    userTask('x'),
    userTask('y'),
    inclusive('join'),
    userTask('z'),
  ];
  const process = processModel(
    'p',
    [start('s'), parallel('fork'), subProcess('sub', inside), a],
    [
      's -> fork',
      'fork -> sub',
      'fork -> a',
      'in -> fork2',
      'fork2 -> x -> join',
      'fork2 -> y -> join',
      'join -> z',
    ],
  );
  const instance = new Instance(process).start();
  instance.complete('x').complete('y');
  assert.deepEqual(instance.active, ['a', 'z']);
});

test('a loop that comes back to the join only through the join does not hold it up', () => {
  const process = processModel(
    'p',
    [start('s'), inclusive('join'), a, exclusive('again'), end('e')],
    ['s -> join -> a -> again', 'again -> join if more', 'again -> e default'],
  );
  const instance = new Instance(process).start();
  assert.deepEqual(instance.active, ['a']);
  assert.deepEqual(instance.complete('a', { more: true }).active, ['a']);
  assert.equal(instance.complete('a', { more: false }).status, 'completed');
});

test('a token that can come over an empty flow, but over a filled one as well, does not hold the join up', () => {
  const process = processModel(
    'p',
    [
      start('s'),
      parallel('fork'),
      a,
      exclusive('merge'),
      exclusive('choose'),
      inclusive('join'),
      after,
      end('e'),
    ],
    [
      's -> fork',
      'fork -> merge -> join',
      'fork -> a -> choose',
      'choose -> merge if left',
      'choose -> join default',
      'join -> after -> e',
    ],
  );
  const instance = new Instance(process).start();
  assert.deepEqual(instance.active, ['a', 'after']);
  instance.complete('a', { left: false });
  assert.deepEqual(instance.active, ['after', 'after']);
});

test('an interrupting boundary event is a way to the join for as long as its activity waits', () => {
  const process = processModel(
    'p',
    [
      start('s'),
      parallel('fork'),
      a,
      b,
      boundary('late', 'b', timer('duration("PT1H")')),
      end('gone'),
      inclusive('join'),
      after,
    ],
    ['s -> fork', 'fork -> a -> join', 'fork -> b -> gone', 'late -> join', 'join -> after'],
  );
  const first = new Instance(process).start().complete('a');
  assert.deepEqual(first.active, ['b', 'join']);
  assert.deepEqual(first.complete('b').active, ['after']);
  const second = new Instance(process).start().complete('a').fire('late');
  assert.deepEqual(second.active, ['after']);
});

test('a non-interrupting timer that has fired is no longer a way to the join', () => {
  const process = processModel(
    'p',
    [
      start('s'),
      parallel('fork'),
      a,
      b,
      boundary('remind', 'b', timer('duration("PT1H")'), 'non-interrupting'),
      end('gone'),
      inclusive('join'),
      after,
    ],
    ['s -> fork', 'fork -> a -> join', 'fork -> b -> gone', 'remind -> join', 'join -> after'],
  );
  const instance = new Instance(process).start().complete('a');
  assert.deepEqual(instance.active, ['b', 'join']);
  assert.deepEqual(instance.fire('remind').active, ['after', 'b']);
});

test('a boundary event for errors is always a way to the join while its activity runs', () => {
  const process = processModel(
    'p',
    [
      start('s'),
      parallel('fork'),
      a,
      call('work', 'jobs', { timeoutMs: 1000 }),
      boundary('failed', 'work', error(null)),
      end('gone'),
      inclusive('join'),
      after,
    ],
    ['s -> fork', 'fork -> a -> join', 'fork -> work -> gone', 'failed -> join', 'join -> after'],
  );
  const instance = new Instance(process).start().complete('a');
  assert.deepEqual(instance.active, ['join', 'work']);
  assert.deepEqual(instance.fire('work').active, ['after']);
});

test('two tokens on one flow: one goes with the join, the other waits for the next round', () => {
  const process = processModel(
    'p',
    [start('s'), parallel('fork'), a, b, inclusive('join'), after, end('e')],
    ['s -> fork', 'fork -> a', 'fork -> a', 'fork -> b -> join', 'a -> join', 'join -> after -> e'],
  );
  const instance = new Instance(process).start();
  instance.complete('a').complete('a');
  assert.deepEqual(instance.active, ['b', 'join', 'join']);
  instance.complete('b');
  // Nothing else can come, so the token that was left over makes a round of its own.
  assert.deepEqual(instance.active, ['after', 'after']);
});

test('a message wait that can be satisfied again and again holds a join behind it up', () => {
  const process = processModel(
    'p',
    [
      start('s'),
      parallel('fork'),
      a,
      receive('r', 'done'),
      boundary('note', 'r', message('notes'), 'non-interrupting'),
      end('gone'),
      inclusive('join'),
      after,
    ],
    ['s -> fork', 'fork -> a -> join', 'fork -> r -> gone', 'note -> join', 'join -> after'],
  );
  const instance = new Instance(process).start().complete('a');
  instance.deliver('note');
  assert.deepEqual(instance.active, ['after', 'r']);
  // All that can still come would come over the flow that has a token now.
  instance.deliver('note');
  assert.deepEqual(instance.active, ['after', 'after', 'r']);
});
