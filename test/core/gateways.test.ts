/** Gateways and the sequence flows that leave activities. BPMN 2.0.2 §13.3.1, §13.4. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProcessDefinition } from '../../definitions/model.ts';
import type { Context } from '../../definitions/value.ts';
import {
  catchEvent,
  end,
  eventBased,
  exclusive,
  inclusive,
  parallel,
  receive,
  start,
  task,
  userTask,
} from '../support/model-builder.ts';
import { message, timer } from '../support/model-parts.ts';
import { processModel } from '../support/process-model.ts';
import { Instance } from './instance.ts';

const three = [userTask('a'), userTask('b'), userTask('c')];

const diverging = {
  exclusive: processModel(
    'p',
    [start('s'), exclusive('x'), ...three],
    ['s -> x', 'x -> a if n = 1', 'x -> b if n < 3', 'x -> c default'],
  ),
  'exclusive, default first': processModel(
    'p',
    [start('s'), exclusive('x'), ...three],
    ['s -> x', 'x -> a default', 'x -> b if n = 2', 'x -> c if n = 2'],
  ),
  'exclusive, a flow without a condition': processModel(
    'p',
    [start('s'), exclusive('x'), ...three],
    ['s -> x', 'x -> a if n = 1', 'x -> b', 'x -> c if true'],
  ),
  'exclusive, no default': processModel(
    'p',
    [start('s'), exclusive('x'), ...three],
    ['s -> x', 'x -> a if n = 1', 'x -> b if n = 2'],
  ),
  inclusive: processModel(
    'p',
    [start('s'), inclusive('x'), ...three],
    ['s -> x', 'x -> a if n = 1', 'x -> b if n < 3', 'x -> c default'],
  ),
  parallel: processModel(
    'p',
    [start('s'), parallel('x'), ...three],
    ['s -> x', 'x -> a if false', 'x -> b', 'x -> c if n = 1'],
  ),
  'task with conditional flows': processModel(
    'p',
    [start('s'), task('x'), ...three],
    ['s -> x', 'x -> a if n = 1', 'x -> b if n < 3', 'x -> c default'],
  ),
  'task with unconditional flows': processModel(
    'p',
    [start('s'), task('x'), ...three],
    ['s -> x', 'x -> a', 'x -> b'],
  ),
  'task with conditional flows and no default': processModel(
    'p',
    [start('s'), task('x'), ...three],
    ['s -> x', 'x -> a if n = 1'],
  ),
} satisfies Record<string, ProcessDefinition>;

const splits: readonly (readonly [keyof typeof diverging, Context, readonly string[] | string])[] = [
  ['exclusive', { n: 1 }, ['a']],
  ['exclusive', { n: 2 }, ['b']],
  ['exclusive', { n: 3 }, ['c']],
  ['exclusive', { n: null }, ['c']],
  ['exclusive', {}, ['c']],
  ['exclusive, default first', { n: 2 }, ['b']],
  ['exclusive, default first', { n: 1 }, ['a']],
  ['exclusive, a flow without a condition', { n: 1 }, ['a']],
  ['exclusive, a flow without a condition', { n: 2 }, ['b']],
  ['exclusive, no default', { n: 2 }, ['b']],
  ['exclusive, no default', { n: 3 }, 'SUTRA.CORE.NO_FLOW_TAKEN'],
  ['inclusive', { n: 1 }, ['a', 'b']],
  ['inclusive', { n: 2 }, ['b']],
  ['inclusive', { n: 3 }, ['c']],
  ['parallel', { n: 9 }, ['a', 'b', 'c']],
  ['task with conditional flows', { n: 1 }, ['a', 'b']],
  ['task with conditional flows', { n: 7 }, ['c']],
  ['task with unconditional flows', {}, ['a', 'b']],
  ['task with conditional flows and no default', { n: 2 }, 'SUTRA.CORE.NO_FLOW_TAKEN'],
];

for (const [name, variables, expected] of splits) {
  test(`${name} with ${JSON.stringify(variables)} leads to ${String(expected)}`, () => {
    const instance = new Instance(diverging[name]).start({ variables });
    if (typeof expected === 'string') {
      assert.equal(instance.failureCode, expected);
      assert.deepEqual(instance.active, ['x']);
    } else assert.deepEqual(instance.active, expected);
  });
}

test('a condition that is neither true, false nor null fails the instance at the gateway', () => {
  const process = processModel('p', [start('s'), exclusive('x'), end('e')], ['s -> x', 'x -> e if n']);
  const instance = new Instance(process).start({ variables: { n: 'yes' } });
  assert.equal(instance.failureCode, 'SUTRA.CORE.CONDITION_NOT_BOOLEAN');
  assert.deepEqual(instance.active, ['x']);
});

test('a condition that cannot be evaluated fails the instance at the gateway', () => {
  const process = processModel('p', [start('s'), exclusive('x'), end('e')], ['s -> x', 'x -> e if [1..n]']);
  const instance = new Instance(process).start({ variables: { n: 2 } });
  assert.equal(instance.failureCode, 'SUTRA.CORE.EXPRESSION_FAILED');
});

// --- parallel joins --------------------------------------------------------------------------------

test('a parallel join waits for a token on every incoming flow', () => {
  const process = processModel(
    'p',
    [start('s'), parallel('fork'), ...three, parallel('join'), userTask('after'), end('e')],
    ['s -> fork', 'fork -> a -> join', 'fork -> b -> join', 'fork -> c -> join', 'join -> after -> e'],
  );
  const instance = new Instance(process).start();
  assert.deepEqual(instance.active, ['a', 'b', 'c']);
  instance.complete('b').complete('a');
  assert.deepEqual(instance.active, ['c', 'join', 'join']);
  instance.complete('c');
  assert.deepEqual(instance.active, ['after']);
  assert.equal(instance.complete('after').status, 'completed');
});

test('a further token on the same flow stays at the parallel join for the next round', () => {
  // `a` is entered twice, once from each branch of the fork: an implicit merge joins nothing.
  const process = processModel(
    'p',
    [start('s'), parallel('fork'), userTask('a'), userTask('b'), parallel('join'), userTask('after')],
    ['s -> fork', 'fork -> a', 'fork -> a', 'fork -> b', 'a -> join', 'b -> join', 'join -> after'],
  );
  const instance = new Instance(process).start();
  assert.deepEqual(instance.active, ['a', 'a', 'b']);
  instance.complete('a').complete('a');
  assert.deepEqual(instance.active, ['b', 'join', 'join']);
  instance.complete('b');
  assert.deepEqual(instance.active, ['after', 'join']);
  instance.complete('after');
  assert.equal(instance.failureCode, 'SUTRA.CORE.JOIN_STUCK');
});

test('two sequence flows between the same nodes are two incoming flows of a parallel join', () => {
  const process = processModel(
    'p',
    [start('s'), parallel('fork'), parallel('join'), userTask('after')],
    ['s -> fork', 'fork -> join', 'fork -> join', 'join -> after'],
  );
  assert.deepEqual(new Instance(process).start().active, ['after']);
});

test('a parallel gateway can join and fork at once, also in a loop', () => {
  const process = processModel(
    'p',
    [
      start('s'),
      exclusive('merge'),
      parallel('fork'),
      parallel('both'),
      ...three,
      exclusive('again'),
      end('e'),
    ],
    [
      's -> merge -> fork',
      'fork -> both',
      'fork -> both',
      'both -> a -> e',
      'both -> b -> again',
      'again -> merge if more',
      'again -> e default',
    ],
  );
  const instance = new Instance(process).start();
  assert.deepEqual(instance.active, ['a', 'b']);
  instance.complete('b', { more: true });
  assert.deepEqual(instance.active, ['a', 'a', 'b']);
  instance.complete('b', { more: false }).complete('a').complete('a');
  assert.equal(instance.status, 'completed');
});

// --- exclusive merge and loops ---------------------------------------------------------------------

test('an exclusive gateway that merges passes every token on by itself', () => {
  const process = processModel(
    'p',
    [start('s'), parallel('fork'), task('x'), task('y'), exclusive('merge'), userTask('a')],
    ['s -> fork', 'fork -> x -> merge', 'fork -> y -> merge', 'merge -> a'],
  );
  assert.deepEqual(new Instance(process).start().active, ['a', 'a']);
});

test('a loop through a wait state goes round as often as its condition says', () => {
  const process = processModel(
    'p',
    [start('s'), exclusive('merge'), userTask('a'), exclusive('again'), end('e')],
    ['s -> merge -> a -> again', 'again -> merge if n < 3', 'again -> e default'],
  );
  const instance = new Instance(process).start();
  for (const n of [1, 2]) assert.deepEqual(instance.complete('a', { n }).active, ['a']);
  assert.equal(instance.complete('a', { n: 3 }).status, 'completed');
});

// --- event-based gateways --------------------------------------------------------------------------

const race = processModel(
  'p',
  [
    start('s'),
    eventBased('first'),
    catchEvent('yes', message('answers', { type: 'yes' })),
    receive('no', 'answers', { type: 'no', variable: 'refusal' }),
    catchEvent('late', timer('duration("PT1H")')),
    ...three,
  ],
  ['s -> first', 'first -> yes -> a', 'first -> no -> b', 'first -> late -> c'],
);

test('an event-based gateway waits for all its events with one token', () => {
  const instance = new Instance(race).start();
  assert.deepEqual(instance.active, ['first']);
  assert.deepEqual(instance.waits, ['message:no', 'message:yes', 'timer:late']);
});

test('the first event behind an event-based gateway decides, and the others are no longer waited for', () => {
  const instance = new Instance(race).start();
  const { id: timerId } = instance.wait('timer', 'late');
  instance.deliver('no', { why: 'price' }, 'no');
  assert.deepEqual(instance.active, ['b']);
  assert.deepEqual(instance.waits, ['user-task:b']);
  assert.deepEqual(instance.variables['refusal'], { why: 'price' });
  assert.deepEqual(instance.ofKind('timerCleared'), [{ kind: 'timerCleared', waitId: timerId }]);
  assert.deepEqual(
    instance.ofKind('history').map(({ event, elementId }) => `${event} ${elementId ?? ''}`),
    ['messageReceived no', 'flowTaken first', 'entered no', 'completed no', 'entered b'],
  );
});

test('the timer behind an event-based gateway decides when it comes first', () => {
  const instance = new Instance(race).start();
  instance.fire('late');
  assert.deepEqual(instance.active, ['c']);
  assert.deepEqual(instance.ofKind('timerCleared'), []);
  const late = instance.send('answers', {}, { key: 'inst-1:1', type: 'yes' });
  assert.equal(late.kind === 'refused' && late.code, 'SUTRA.INBOUND.NOT_CORRELATED');
});
