/** What a step tells the outside: sends, replies, and the journal. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Value } from '../../definitions/value.ts';
import {
  call,
  end,
  exclusive,
  messageEnd,
  receive,
  script,
  sendTask,
  start,
  task,
  throwEvent,
  userTask,
} from '../support/model-builder.ts';
import { processModel, type NodeSpec } from '../support/process-model.ts';
import { inbound, Instance, INSTANCE_ID, DEPLOYMENT_ID } from './instance.ts';

const senders: Record<
  string,
  (options: { channel?: string; destination?: string; body?: string }) => NodeSpec
> = {
  'throw event': (options) => throwEvent('x', options),
  'send task': (options) => sendTask('x', options),
  'end event': (options) => messageEnd('x', options),
};

for (const [kind, sender] of Object.entries(senders)) {
  const run = (node: NodeSpec, variables = {}): Instance =>
    new Instance(processModel('p', [start('s'), node], ['s -> x'])).start({ variables });

  test(`a ${kind} sends and goes on at once`, () => {
    const instance = run(sender({ channel: 'out', body: '{id: n}' }), { n: 7 });
    assert.equal(instance.status, 'completed');
    assert.deepEqual(instance.sends, [
      {
        kind: 'send',
        deploymentId: DEPLOYMENT_ID,
        processId: 'p',
        elementId: 'x',
        channel: 'out',
        idempotencyKey: `${INSTANCE_ID}:3`,
        headers: {},
        contentType: null,
        body: { id: 7 },
        expectsAnswer: false,
        priority: 0,
        registeredName: null,
        deadlineMs: null,
        terminalWait: null,
      },
    ]);
  });

  test(`a ${kind} without a body sends all visible variables`, () => {
    assert.deepEqual(run(sender({ channel: 'out' }), { n: 7 }).sends[0]?.body, { n: 7 });
  });

  test(`a ${kind} may work out its channel`, () => {
    assert.equal(run(sender({ destination: '"out-" + to' }), { to: 'eu' }).sends[0]?.channel, 'out-eu');
  });

  for (const to of [null, '', 3, {}] as readonly Value[]) {
    test(`a ${kind} whose destination is ${JSON.stringify(to)} fails and sends nothing`, () => {
      const instance = run(sender({ destination: 'to' }), { to });
      assert.equal(instance.failureCode, 'SUTRA.CORE.DESTINATION_INVALID');
      assert.deepEqual(instance.sends, []);
    });
  }
}

test('two sends never have the same key', () => {
  const process = processModel(
    'p',
    [
      start('s'),
      throwEvent('a', { channel: 'c' }),
      throwEvent('b', { channel: 'c' }),
      userTask('u'),
      throwEvent('d', { channel: 'c' }),
    ],
    ['s -> a -> b -> u -> d'],
  );
  const instance = new Instance(process).start().complete('u');
  const keys = instance.sends.map(({ idempotencyKey }) => idempotencyKey);
  assert.equal(new Set(keys).size, 3);
  for (const key of keys) assert.match(key, new RegExp(`^${INSTANCE_ID}:\\d+$`));
});

const repliers: Record<string, NodeSpec> = {
  'end event': end('x', { reply: '{n: n}' }),
  'throw event': throwEvent('x', { reply: '{n: n}' }),
  task: task('x', { reply: '{n: n}', assign: ['n = 1'] }),
  'send task': sendTask('x', { channel: 'c', reply: '{n: n}' }),
};
for (const [kind, node] of Object.entries(repliers)) {
  test(`a ${kind} replies when it completes`, () => {
    const instance = new Instance(processModel('p', [start('s'), node], ['s -> x'])).start({
      variables: { n: 1 },
    });
    assert.deepEqual(instance.ofKind('reply'), [
      { kind: 'reply', elementId: 'x', contentType: null, headers: {}, body: { n: 1 }, isContinued: false },
    ]);
  });
}

test('a task that waits replies when it completes, not before', () => {
  for (const node of [
    call('x', 'c', { reply: '"done"' }),
    receive('x', 'c', { reply: '"done"' }),
    userTask('x', { reply: '"done"' }),
  ]) {
    const instance = new Instance(processModel('p', [start('s'), node], ['s -> x'])).start();
    assert.deepEqual(instance.ofKind('reply'), []);
    if (node.node.kind === 'serviceTask') instance.answer('x');
    else if (node.node.kind === 'receiveTask') instance.deliver('x');
    else instance.complete('x');
    assert.equal(instance.ofKind('reply')[0]?.body, 'done');
  }
});

test('the journal tells the way of an order, without a payload', () => {
  const process = processModel(
    'order',
    [
      start('in', { channel: 'orders' }),
      call('score', 'score-request'),
      exclusive('gate'),
      script('low', '{x: 1}'),
      end('hi'),
      end('lo'),
    ],
    ['in -> score -> gate', 'gate -> hi if score > 5', 'gate -> low default', 'low -> lo'],
  );
  const instance = new Instance(process).start({
    message: inbound({ secret: 'x' }, { messageType: 'Order' }),
  });
  instance.answer('score', { score: 3 });
  const journal = instance.effects.filter((effect) => effect.kind === 'history');
  const key = `${INSTANCE_ID}:call-3`;
  assert.deepEqual(
    journal.map(({ event, elementId, detail }) => [event, elementId, detail]),
    [
      ['started', 'in', { processId: 'order' }],
      ['messageReceived', 'in', { channel: 'orders', messageType: 'Order' }],
      ['entered', 'in', {}],
      ['completed', 'in', {}],
      ['entered', 'score', {}],
      ['sent', 'score', { channel: 'score-request', idempotencyKey: key }],
      ['messageReceived', 'score', { channel: 'score-request', messageType: null, key }],
      ['completed', 'score', {}],
      ['flowTaken', 'gate', { flowId: 'gate-low' }],
      ['entered', 'low', {}],
      ['completed', 'low', {}],
      ['entered', 'lo', {}],
      ['completed', 'lo', {}],
      ['ended', null, { status: 'completed' }],
    ],
  );
});
