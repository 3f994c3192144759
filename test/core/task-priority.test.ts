/** The priority that a channel gives the task of a call or a send (engine/core/task-priority.ts). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compileExpression } from '../../definitions/feel.ts';
import type { Context } from '../../definitions/value.ts';
import { call, registered, sendTask, start, subProcess, userTask } from '../support/model-builder.ts';
import { processModel, type NodeSpec } from '../support/process-model.ts';
import { Instance, START_MS } from './instance.ts';

/** `jobs` has the priority that the FEEL text says; no other channel has one. */
function instanceOf(priority: string, node: NodeSpec, ...inner: readonly string[]): Instance {
  const expression = compileExpression(priority);
  const channels = {
    has: () => true,
    taskPriorityOf: (name: string) => (name === 'jobs' ? expression : null),
  };
  const all = [`s -> ${node.node.id} -> u`, ...inner];
  return new Instance(processModel('p', [start('s'), node, userTask('u')], all), { channels });
}

const calling = (priority: string, variables: Context = {}): Instance =>
  instanceOf(priority, call('c', 'jobs', { params: { rank: 'rank' }, headers: { rank: '"7"' } })).start({
    variables,
  });

describe('the priority of a task', () => {
  for (const [priority, variables, expected] of [
    ['5', {}, 5],
    ['-5', {}, -5],
    ['payload.rank', { rank: 3 }, 3],
    ['payload.rank * 0.5', { rank: 4 }, 2],
    ['number(header.rank, null, null)', {}, 7],
    ['if payload.rank = null then 0 else payload.rank', {}, 0],
    ['2147483647', {}, 2_147_483_647],
    ['-2147483648', {}, -2_147_483_648],
    ['now().year', {}, new Date(START_MS).getUTCFullYear()],
  ] as const) {
    it(`is ${String(expected)} for ${priority}`, () => {
      const instance = calling(priority, variables);
      assert.equal(instance.sends[0]?.priority, expected);
      assert.equal(instance.status, 'running');
    });
  }

  it('is worked out for a message that is sent, and for a call inside a sub-process', () => {
    const sent = instanceOf('payload.rank', sendTask('c', { channel: 'jobs', body: '{ rank: 8 }' })).start();
    assert.equal(sent.sends[0]?.priority, 8);
    const inner = subProcess('sub', [start('in'), call('c', 'jobs', { params: { rank: '9' } })]);
    assert.equal(instanceOf('payload.rank', inner, 'in -> c').start().sends[0]?.priority, 9);
  });

  it('is 0 where the channel has none, and for registered functions', () => {
    assert.equal(instanceOf('5', call('c', 'others')).start().sends[0]?.priority, 0);
    assert.equal(instanceOf('5', registered('c', 'jobs')).start().sends[0]?.priority, 0);
    assert.equal(
      new Instance(processModel('p', [start('s'), call('c', 'jobs')], ['s -> c'])).start().sends[0]?.priority,
      0,
    );
  });

  for (const [priority, variables, words] of [
    ['payload.rank', {}, /is null; it must be a whole number from -2147483648 to 2147483647/],
    ['payload.rank', { rank: 'high' }, /is a string/],
    ['payload.rank', { rank: 1.5 }, /is a number that is not whole/],
    ['payload.rank', { rank: 2_147_483_648 }, /is a number out of range/],
    ['payload.rank', { rank: -2_147_483_649 }, /is a number out of range/],
    ['1e30', {}, /is a number out of range/],
    ['1.234567890123456789', {}, /not whole, or out of range/],
    ['[1]', {}, /is a list/],
    ['order.rank', { order: { rank: 5 } }, /is null/],
  ] as const) {
    it(`that is none fails the element and sends nothing: ${priority} of ${JSON.stringify(variables)}`, () => {
      const instance = calling(priority, variables);
      assert.equal(instance.status, 'failed');
      assert.equal(instance.failureCode, 'SUTRA.CORE.TASK_PRIORITY_INVALID');
      assert.equal(instance.snapshot.failure?.elementId, 'c');
      assert.match(instance.snapshot.failure.message, words);
      assert.doesNotMatch(instance.snapshot.failure.message, /high/, 'no payload is in the message');
      assert.deepEqual(instance.sends, []);
      assert.deepEqual(instance.waits, []);
    });
  }

  it('is worked out anew when the instance is repaired', () => {
    const instance = calling('payload.rank', { rank: 'high' });
    instance.set({ rank: 4 }).apply({ kind: 'retry' });
    assert.equal(instance.sends[0]?.priority, 4);
    assert.deepEqual(instance.waits, ['call:c']);
  });

  it('is any whole number of 32 bits, and nothing else', () => {
    const fraction = fc.integer({ min: -99_999, max: 99_999 }).map((hundredths) => hundredths / 100 + 0);
    fc.assert(
      fc.property(fc.oneof(fc.integer(), fc.maxSafeInteger(), fraction), (rank) => {
        const instance = calling('payload.rank', { rank });
        const isPriority = Number.isInteger(rank) && rank === (rank | 0);
        assert.equal(instance.sends[0]?.priority, isPriority ? rank : undefined);
      }),
    );
  });
});
