/** Failed instances: what is kept, retry, cancel, the bound of a step, joins that are stuck. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settingRows } from '../../config/schema.ts';
import { coreCodes } from '../../engine/core/codes.ts';
import type { Value } from '../../definitions/value.ts';
import { STEP_LIMIT } from '../../engine/core/execute.ts';
import { isTooLarge, MAX_VALUE_SIZE } from '../../engine/core/value-size.ts';
import {
  boundary,
  call,
  catchEvent,
  data,
  end,
  errorEnd,
  exclusive,
  inclusive,
  parallel,
  script,
  start,
  subProcess,
  task,
  terminate,
  userTask,
} from '../support/model-builder.ts';
import { message, timer } from '../support/model-parts.ts';
import { processModel } from '../support/process-model.ts';
import { idOf, inbound, Instance, INSTANCE_ID, START_MS } from './instance.ts';

const failing = processModel(
  'p',
  [
    start('s'),
    parallel('fork'),
    exclusive('x'),
    task('y'),
    userTask('a'),
    catchEvent('t', timer('duration("PT1H")')),
    end('e'),
  ],
  ['s -> fork', 'fork -> x', 'fork -> y -> a', 'fork -> t', 'x -> e if go'],
);

test('a failure keeps its token, and the other tokens of the step run on', () => {
  const instance = new Instance(failing).start();
  assert.equal(instance.status, 'failed');
  assert.deepEqual(instance.active, ['a', 't', 'x']);
  const token = instance.snapshot.tokens.find(({ state }) => state === 'failed');
  assert.deepEqual(instance.snapshot.failure, {
    code: 'SUTRA.CORE.NO_FLOW_TAKEN',
    message: 'no condition of an outgoing flow of x holds, and it has no default flow',
    elementId: 'x',
    tokenId: token?.id,
    atMs: START_MS,
  });
  assert.deepEqual(instance.ofKind('statusChanged'), [
    { kind: 'statusChanged', status: 'failed', failure: instance.snapshot.failure },
  ]);
});

test('a failed instance refuses messages, timers and user tasks as something to be repeated later', () => {
  const instance = new Instance(failing).start();
  const before = instance.snapshot;
  for (const result of [
    instance.send('any', {}),
    instance.apply({ kind: 'timer', waitId: instance.wait('timer', 't').id }),
    instance.apply({
      kind: 'completeUserTask',
      tokenId: idOf(instance.wait('user-task', 'a').tokenId),
      variables: {},
    }),
  ]) {
    assert.ok(result.kind === 'refused');
    assert.equal(result.code, 'SUTRA.INBOUND.INSTANCE_FAILED');
    assert.equal(result.isRetryable, true);
  }
  assert.equal(instance.snapshot, before);
});

test('a retry that fails again leaves the instance failed and says so anew', () => {
  const instance = new Instance(failing).start();
  instance.nowMs += 1000;
  instance.retry();
  assert.equal(instance.status, 'failed');
  assert.equal(instance.snapshot.failure?.atMs, START_MS + 1000);
  assert.equal(instance.ofKind('statusChanged').length, 1);
  assert.ok(
    instance.ofKind('history').some(({ event, elementId }) => event === 'retried' && elementId === 'x'),
  );
});

test('a gateway that failed is retried where it failed, over the variables as they are then', () => {
  const instance = new Instance(
    processModel(
      'p',
      [start('s'), parallel('fork'), exclusive('x'), userTask('a', { assign: ['go = true'] }), end('e')],
      ['s -> fork', 'fork -> x', 'fork -> a', 'x -> e if go'],
    ),
  ).start();
  assert.equal(instance.status, 'failed');
  // What an operator's patch of the variables will do.
  const snapshot = structuredClone(instance.snapshot);
  const repaired = {
    ...snapshot,
    scopes: snapshot.scopes.map((scope) => ({ ...scope, variables: { go: true } })),
  };
  const again = Instance.at(instance.process, repaired).retry();
  assert.equal(again.status, 'running');
  assert.deepEqual(again.active, ['a']);
  assert.deepEqual(again.ofKind('statusChanged'), [
    { kind: 'statusChanged', status: 'running', failure: null },
  ]);
  assert.equal(again.complete('a').status, 'completed');
});

test('a call whose work is done is not repeated when what comes after it has failed', () => {
  const process = processModel(
    'p',
    [start('s'), call('c', 'jobs', { assign: ['order.total = 1'] }), end('e')],
    ['s -> c', 'c -> e if go'],
  );
  const instance = new Instance(process).start({ variables: { order: 'not a context' } }).answer('c');
  assert.equal(instance.failureCode, 'SUTRA.CORE.ASSIGNMENT_TARGET_INVALID');
  assert.equal(instance.snapshot.tokens[0]?.failedIn, 'completing');
  const corrected = Instance.at(process, {
    ...instance.snapshot,
    scopes: instance.snapshot.scopes.map((scope) => ({ ...scope, variables: { order: {} } })),
  }).retry();
  assert.equal(corrected.failureCode, 'SUTRA.CORE.NO_FLOW_TAKEN');
  assert.equal(corrected.snapshot.tokens[0]?.failedIn, 'leaving');
  const open = Instance.at(process, {
    ...corrected.snapshot,
    scopes: corrected.snapshot.scopes.map((scope) => ({ ...scope, variables: { go: true } })),
  }).retry();
  assert.equal(open.status, 'completed');
  assert.deepEqual([...instance.sends, ...corrected.sends, ...open.sends].length, 1);
});

test('an uncaught BPMN error is thrown again by a retry', () => {
  const process = processModel('p', [start('s'), errorEnd('boom', 'E')], ['s -> boom']);
  const instance = new Instance(process).start().retry();
  assert.equal(instance.failureCode, 'SUTRA.BPMN_ERROR.UNCAUGHT');
});

test('a failure whose token is interrupted in the same step needs no repair', () => {
  const inside = [start('in'), parallel('fork'), exclusive('x'), task('y'), terminate('t'), end('out')];
  const process = processModel(
    'p',
    [start('s'), subProcess('sub', inside), userTask('next')],
    ['s -> sub -> next', 'in -> fork', 'fork -> x', 'x -> out if go', 'fork -> y -> t'],
  );
  const instance = new Instance(process).start();
  assert.equal(instance.status, 'running');
  assert.deepEqual(instance.tokens, ['next']);
});

test('of several failures the first is kept, and one retry takes up all of them', () => {
  const process = processModel(
    'p',
    [start('s'), parallel('fork'), exclusive('x'), exclusive('y'), end('e')],
    ['s -> fork', 'fork -> x', 'fork -> y', 'x -> e if a', 'y -> e if b'],
  );
  const instance = new Instance(process).start();
  assert.equal(instance.snapshot.failure?.elementId, 'x');
  const variables = { a: true, b: false };
  const half = Instance.at(process, {
    ...instance.snapshot,
    scopes: instance.snapshot.scopes.map((scope) => ({ ...scope, variables })),
  }).retry();
  assert.equal(half.snapshot.failure?.elementId, 'y');
  assert.deepEqual(half.active, ['y']);
});

for (const status of ['running', 'completed'] as const) {
  test(`a retry of a ${status} instance is refused`, () => {
    const instance = new Instance(processModel('p', [start('s'), userTask('a')], ['s -> a'])).start();
    if (status === 'completed') instance.complete('a');
    const result = instance.apply({ kind: 'retry' });
    const expected = status === 'running' ? 'SUTRA.CORE.NOT_FAILED' : 'SUTRA.CORE.INSTANCE_ENDED';
    assert.equal(result.kind === 'refused' && result.code, expected);
  });
}

// --- cancel ----------------------------------------------------------------------------------------

test('a cancel ends everything: waits, timers, calls, scopes and aliases', () => {
  const inside = [start('in'), call('c', 'jobs', { timeoutMs: 5 })];
  const process = processModel(
    'p',
    [
      start('s', { channel: 'x', aliases: { id: 'payload' } }),
      subProcess('sub', inside),
      boundary('late', 'sub', timer('duration("PT1H")')),
      end('e'),
    ],
    ['s -> sub', 'in -> c', 'late -> e'],
  );
  const instance = new Instance(process).start({ message: inbound('A') }).cancel('operator');
  assert.equal(instance.status, 'terminated');
  assert.deepEqual(instance.snapshot.aliases, []);
  assert.equal(instance.ofKind('timerCleared').length, 2);
  assert.equal(instance.ofKind('callWithdrawn').length, 1);
  assert.deepEqual(instance.ofKind('history')[0], {
    kind: 'history',
    event: 'cancelled',
    elementId: null,
    detail: { reason: 'operator' },
  });
  const again = instance.apply({ kind: 'cancel', reason: 'twice' });
  assert.equal(again.kind === 'refused' && again.code, 'SUTRA.CORE.INSTANCE_ENDED');
});

test('a failed instance can be cancelled', () => {
  const instance = new Instance(failing).start().cancel();
  assert.equal(instance.status, 'terminated');
  assert.equal(instance.snapshot.failure, null);
});

// --- waits that are gone ---------------------------------------------------------------------------

test('a timer or user task that is gone is refused and changes nothing', () => {
  const instance = new Instance(processModel('p', [start('s'), userTask('a')], ['s -> a'])).start();
  const before = instance.snapshot;
  const { id: waitId, tokenId } = instance.wait('user-task', 'a');
  for (const stimulus of [
    { kind: 'timer', waitId: 99 },
    { kind: 'timer', waitId },
    { kind: 'completeUserTask', tokenId: idOf(tokenId) + 1, variables: {} },
  ] as const) {
    const result = instance.apply(stimulus);
    assert.equal(result.kind === 'refused' && result.code, 'SUTRA.CORE.WAIT_GONE');
    assert.equal(result.kind === 'refused' && result.isRetryable, false);
  }
  assert.equal(instance.snapshot, before);
});

// --- the bound of a step ---------------------------------------------------------------------------

test('a loop without a wait state stops at the bound and fails the instance', () => {
  const process = processModel(
    'p',
    [start('s'), exclusive('merge'), script('x', '{n: n + 1}'), userTask('a')],
    ['s -> merge -> x', 'x -> merge if true', 's -> a'],
  );
  const instance = new Instance(process).start({ variables: { n: 0 } });
  assert.equal(instance.failureCode, 'SUTRA.CORE.STEP_LIMIT');
  const count = instance.variables['n'];
  assert.ok(typeof count === 'number' && count > STEP_LIMIT / 3 && count < STEP_LIMIT);
  instance.retry();
  assert.equal(instance.failureCode, 'SUTRA.CORE.STEP_LIMIT');
  assert.ok(Number(instance.variables['n']) > count, 'a retry goes on');
  assert.equal(instance.cancel().status, 'terminated');
});

test('a string that doubles in a loop fails the instance before it fills the memory', () => {
  const process = processModel(
    'p',
    [start('s'), exclusive('merge'), script('x', '{x: x + x}'), userTask('a')],
    ['s -> merge -> x', 'x -> merge if true', 's -> a'],
  );
  const instance = new Instance(process).start({ variables: { x: 'ab' } });
  assert.equal(instance.failureCode, 'SUTRA.CORE.VALUE_TOO_LARGE');
  assert.equal(instance.cancel().status, 'terminated');
});

test('the size of a value counts what is in it twice', () => {
  let list: Value = ['a'];
  for (let doublings = 0; doublings < 17; doublings += 1) list = [list, list];
  assert.equal(isTooLarge(list), false);
  for (let doublings = 0; doublings < 10; doublings += 1) list = [list, list];
  assert.equal(isTooLarge(list), true);
  assert.equal(isTooLarge({ name: 'x'.repeat(MAX_VALUE_SIZE) }), true);
  // The characters, and 3 for the string itself.
  assert.equal(isTooLarge('x'.repeat(MAX_VALUE_SIZE - 3)), false);
  assert.equal(isTooLarge('x'.repeat(MAX_VALUE_SIZE - 2)), true);
});

test('the largest payload that the engine takes by default is not too large', () => {
  const cap = Number(settingRows['sutra.codec.max-payload-bytes'].default) - '[]'.length - 1;
  const rows: readonly Value[] = [
    { id: 12345, name: 'bolt', price: 0.5 },
    { sku: 'a-1', tags: ['x', 'y'], at: '2026-03-01T10:00:00Z' },
    [1.25, 2.5, -3.75],
    { a: { b: { c: null } } },
    'one line of text',
  ];
  for (const row of rows) {
    const list = Array.from({ length: Math.floor(cap / (JSON.stringify(row).length + 1)) }, () => row);
    assert.equal(isTooLarge(list), false, JSON.stringify(row));
  }
});

test('a loop that forks without end stops at the bound too', () => {
  const process = processModel(
    'p',
    [start('s'), exclusive('merge'), parallel('fork')],
    ['s -> merge -> fork', 'fork -> merge', 'fork -> merge'],
  );
  const instance = new Instance(process).start();
  assert.equal(instance.failureCode, 'SUTRA.CORE.STEP_LIMIT');
  assert.ok(instance.snapshot.tokens.length < STEP_LIMIT);
});

test('a long chain of nodes below the bound is one step', () => {
  const ids = Array.from({ length: 3000 }, (_, index) => `t${index}`);
  const process = processModel('p', [start('s'), ...ids.map((id) => task(id))], [`s -> ${ids.join(' -> ')}`]);
  assert.equal(new Instance(process).start().status, 'completed');
});

// --- joins that are stuck --------------------------------------------------------------------------

test('an instance whose every token waits at a join for one that cannot come fails instead of hanging', () => {
  const process = processModel(
    'p',
    [start('s'), exclusive('x'), task('a'), task('b'), parallel('join'), end('e')],
    ['s -> x', 'x -> a if true', 'x -> b default', 'a -> join', 'b -> join', 'join -> e'],
  );
  const instance = new Instance(process).start();
  assert.equal(instance.failureCode, 'SUTRA.CORE.JOIN_STUCK');
  assert.equal(instance.snapshot.failure?.elementId, 'join');
  assert.equal(instance.retry().failureCode, 'SUTRA.CORE.JOIN_STUCK');
  assert.equal(instance.cancel().status, 'terminated');
});

test('inclusive joins that wait for each other in a circle are stuck as the standard says', () => {
  const process = processModel(
    'p',
    [
      start('s'),
      parallel('fork'),
      inclusive('one'),
      inclusive('two'),
      exclusive('x'),
      exclusive('y'),
      end('e'),
    ],
    [
      's -> fork',
      'fork -> one -> x',
      'fork -> two -> y',
      'x -> two if again',
      'x -> e default',
      'y -> one if again',
      'y -> e default',
    ],
  );
  assert.equal(new Instance(process).start().failureCode, 'SUTRA.CORE.JOIN_STUCK');
});

test('as long as something is waited for, a join is not stuck', () => {
  const process = processModel(
    'p',
    [
      start('s'),
      parallel('fork'),
      userTask('a'),
      catchEvent('m', message('news')),
      parallel('join'),
      end('e'),
    ],
    ['s -> fork', 'fork -> a -> join', 'fork -> m -> join', 'join -> e'],
  );
  assert.equal(new Instance(process).start().complete('a').status, 'running');
});

// --- misuse ----------------------------------------------------------------------------------------

test('a stimulus for the wrong instance, process or start event is a bug of the caller', () => {
  const process = processModel('p', [start('s'), data('d', ['x = 1']), userTask('a')], ['s -> d -> a']);
  const instance = new Instance(process);
  assert.throws(() => instance.apply({ kind: 'retry' }), { name: 'InvariantError' });
  assert.throws(() => instance.apply(instance.startStimulus({ at: 'a' })), { name: 'InvariantError' });
  assert.throws(() => instance.apply(instance.startStimulus({ at: 'nowhere' })), { name: 'InvariantError' });
  instance.start();
  assert.throws(() => instance.apply(instance.startStimulus()), { name: 'InvariantError' });
  const elsewhere = Instance.at(process, { ...instance.snapshot, instanceId: `${INSTANCE_ID}x` });
  assert.throws(() => elsewhere.apply({ kind: 'cancel', reason: '' }), { name: 'InvariantError' });
});

test('every code has a meaning, and a remedy that says what was kept', () => {
  for (const [code, row] of Object.entries(coreCodes)) {
    assert.match(code, /^SUTRA(\.[A-Z_]+){2,}$/);
    assert.ok(row.meaning.endsWith('.') && row.remedy.endsWith('.'), code);
  }
});
