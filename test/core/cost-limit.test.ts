/** What a turn may cost: its expressions and its nodes together. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ProcessDefinition } from '../../definitions/model.ts';
import type { Value } from '../../definitions/value.ts';
import {
  call,
  catchEvent,
  data,
  exclusive,
  looped,
  script,
  start,
  task,
  userTask,
} from '../support/model-builder.ts';
import { conditional, each, times } from '../support/model-parts.ts';
import { processModel } from '../support/process-model.ts';
import { Instance } from './instance.ts';

/** `n` begins at 1, and the node runs again and again without a wait. */
function around(node: ReturnType<typeof script>): ProcessDefinition {
  return processModel(
    'p',
    [start('s'), exclusive('merge'), node],
    [`s -> merge -> ${node.node.id} -> merge`],
  );
}

const items = Array.from({ length: 10_000 }, (_, id) => ({ id, sku: `sku-${id}`, price: id % 100 }));

describe('a loop without a wait ends', () => {
  const rows: readonly (readonly [what: string, process: ProcessDefinition, code: string])[] = [
    [
      'around an expression that costs much',
      around(script('x', '{m: sum(for i in n..50000 return i)}')),
      'SUTRA.CORE.COST_LIMIT',
    ],
    [
      'around one that costs much and has no variables',
      around(script('x', '{m: sum(for i in 1..50000 return i)}')),
      'SUTRA.CORE.COST_LIMIT',
    ],
    ['around a list that grows', around(script('x', '{n: append(n, 1, 1, 1, 1)}')), 'SUTRA.CORE.COST_LIMIT'],
    [
      'around a list that doubles by a function',
      around(script('x', '{n: concatenate(n, n)}')),
      'SUTRA.CORE.EXPRESSION_FAILED',
    ],
    ['around some parallel instances', around(looped(task('x'), times('10'))), 'SUTRA.CORE.COST_LIMIT'],
    ['around many parallel instances', around(looped(task('x'), times('2000'))), 'SUTRA.CORE.COST_LIMIT'],
    [
      'around instances one after the other',
      around(looped(task('x'), times('1000', { isSequential: true }))),
      'SUTRA.CORE.STEP_LIMIT',
    ],
  ];
  for (const [what, process, code] of rows) {
    test(what, () => {
      const instance = new Instance(process).start({ variables: { n: 1 } });
      assert.equal(instance.failureCode, code);
      assert.equal(instance.retry().failureCode, code, 'a retry goes on, and ends too');
      assert.equal(instance.cancel().status, 'terminated');
    });
  }
});

test('a loop without a wait ends around a write into a context that is copied for it', () => {
  const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, index]));
  const instance = new Instance(around(data('x', ['wide.total = 1']))).start({ variables: { wide } });
  assert.equal(instance.failureCode, 'SUTRA.CORE.COST_LIMIT');
});

test('what was to run when the turn had spent all is kept, and goes on when it is retried', () => {
  const costly = data('x', ['total = sum(for i in first..60000 return i)']);
  const process = processModel(
    'p',
    [start('s'), looped(costly, times('40')), userTask('next')],
    ['s -> x -> next'],
  );
  const instance = new Instance(process).start({ variables: { first: 1, total: 0 } });
  assert.equal(instance.failureCode, 'SUTRA.CORE.COST_LIMIT');
  assert.match(instance.snapshot.failure?.message ?? '', /does more work than one turn may/);
  const failed = instance.allTokens.filter(({ state }) => state === 'failed').length;
  assert.ok(failed > 0 && failed < 40, `${failed} of 40 instances had not run`);
  while (instance.status === 'failed') instance.retry();
  assert.deepEqual([instance.active, instance.variables['total']], [['next'], (60_000 * 60_001) / 2]);
});

test('a condition that costs too much fails the instance, and is looked at again', () => {
  const process = processModel(
    'p',
    [start('s'), catchEvent('c', conditional('count(for i in 1..n return i) < 0'))],
    ['s -> c'],
  );
  const instance = new Instance(process).start({ variables: { n: 1_000_000 } });
  assert.equal(instance.failureCode, 'SUTRA.CORE.EXPRESSION_FAILED');
});

test('more parallel instances than a turn can begin fail the activity before one has begun', () => {
  const process = processModel('p', [start('s'), looped(userTask('a'), times('n'))], ['s -> a']);
  const instance = new Instance(process).start({ variables: { n: 100_000 } });
  assert.equal(instance.failureCode, 'SUTRA.CORE.COST_LIMIT');
  assert.equal(instance.allTokens.length, 1);
});

describe('10,000 parallel instances are one turn', () => {
  test('of a call that sends much of its item', () => {
    const params = {
      id: 'item.id',
      sku: 'item.sku',
      price: 'item.price * 2 + 1',
      label: 'if item.price > 50 then "high" else item.sku',
      of: 'items[loopCounter].id',
    };
    const process = processModel(
      'p',
      [start('s'), looped(call('c', 'jobs', { params }), each('item in items'))],
      ['s -> c'],
    );
    const instance = new Instance(process).start({ variables: { items } });
    assert.equal(instance.status, 'running');
    assert.equal(instance.sends.length, 10_000);
  });

  test('of a script whose results are collected', () => {
    const process = processModel(
      'p',
      [
        start('s'),
        looped(
          script('x', 'item.price * 2', 'price'),
          each('item in items[price >= 0]', { output: 'price -> prices' }),
        ),
        userTask('next'),
      ],
      ['s -> x -> next'],
    );
    const instance = new Instance(process).start({ variables: { items } });
    assert.deepEqual(instance.active, ['next']);
    const prices: Value = instance.variables['prices'] ?? null;
    assert.equal(Array.isArray(prices) && prices.length, 10_000);
  });
});
