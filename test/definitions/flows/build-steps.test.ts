/** Steps that do one thing, run. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  all,
  call,
  callFlow,
  decide,
  end,
  fail,
  flow,
  on,
  reply,
  send,
  set,
  signal,
  start,
  wait,
} from '../../support/flow-builder.ts';
import { Instance, inbound } from '../../core/instance.ts';
import { answered, begin, delivered, fired, play, signalled, written } from '../../core/scenario.ts';
import { testDecisions } from '../bpmn/test-decisions.ts';
import { compiled, flowsOf, nodesOf, stepsRun } from './flow-scenario.ts';

const next = call('next', 'jobs');

test('steps follow each other, and after the last one the process ends', () => {
  const process = compiled(flow('p', [call('a', 'jobs'), call('b', 'jobs')]));
  assert.deepEqual(nodesOf(process), [
    'start: startEvent',
    'a: serviceTask',
    'b: serviceTask',
    'end: endEvent',
  ]);
  assert.deepEqual(flowsOf(process), ['start -> a', 'a -> b', 'b -> end']);
  assert.deepEqual([...process.flows.keys()], ['start-to-a', 'a-to-b', 'b-to-end']);
});

stepsRun(
  'a call sends its input, waits, and writes the answer',
  [call('a', 'jobs', { input: { amount: '=order.amount' }, output: 'answer' }), next],
  [
    [
      begin({ order: { amount: 5 } }),
      {
        waits: 'call:a',
        check: ({ sends }) => {
          assert.equal(sends[0]?.channel, 'jobs');
          assert.deepEqual(sends[0]?.body, { amount: 5 });
        },
      },
    ],
    [
      answered('a', { score: 7 }),
      { active: 'next', variables: { order: { amount: 5 }, answer: { score: 7 } } },
    ],
    [answered('next'), 'completed'],
  ],
);

stepsRun(
  'without a variable for it the properties of an answer become variables',
  [call('a', 'jobs'), next],
  [
    [begin(), 'a'],
    [answered('a', { score: 7 }), { active: 'next', variables: { score: 7 } }],
  ],
);

stepsRun(
  'an answer can be an error, by a condition',
  [call('a', 'jobs', { throws: { LOW: '=score < 5' } }), next],
  [
    [begin(), 'a'],
    [answered('a', { score: 4 }), { failure: 'SUTRA.BPMN_ERROR.UNCAUGHT' }],
  ],
);

stepsRun(
  'a call that is not answered in time is given up',
  [call('a', 'jobs', { timeout: 'PT5M' })],
  [
    [begin(), { waits: 'call:a timer:a' }],
    [fired('a'), { failure: 'SUTRA.CALL.TIMEOUT' }],
  ],
);

stepsRun(
  'an answer that comes on another channel is waited for there',
  [call('a', 'jobs', { response: 'answers', headers: { 'x-priority': '=1 + 1' } }), next],
  [
    [
      begin(),
      {
        check: (instance) => {
          assert.equal(instance.wait('call', 'a').channel, 'answers');
          assert.deepEqual(instance.sends[0]?.headers, { 'x-priority': '2' });
        },
      },
    ],
    [answered('a', { score: 1 }), 'next'],
  ],
);

test('what fails is attempted again as it says', () => {
  const process = compiled(
    flow('p', [
      call('a', 'jobs', {
        timeout: 'PT5M',
        retry: {
          maxAttempts: '3',
          initialDelay: 'PT1S',
          backoffCoefficient: '2.5',
          maxDelay: 'PT1M',
          nonRetryableCodes: 'A B',
        },
      }),
    ]),
  );
  const node = process.nodes.get('a');
  assert.ok(node?.kind === 'serviceTask' && node.retry !== null);
  const { maxAttempts, initialDelayMs, backoffCoefficient, maxDelayMs, nonRetryableCodes } = node.retry;
  assert.deepEqual(
    [maxAttempts, initialDelayMs, backoffCoefficient, maxDelayMs, nonRetryableCodes],
    [3, 1000, 2.5, 60_000, ['A', 'B']],
  );
});

stepsRun(
  'an attempt that has failed is followed by the next one',
  [call('a', 'jobs', { timeout: 'PT5M', retry: { maxAttempts: '2', initialDelay: 'PT1S' } }), next],
  [
    [begin(), { waits: 'call:a timer:a' }],
    [fired('a'), { waits: 'timer:a' }],
    [fired('a'), { waits: 'call:a timer:a' }],
    [answered('a'), 'next'],
  ],
);

test('a function of the embedding program is called by its name', () => {
  const process = compiled(flow('p', [call('a', 'registered:score')]));
  const node = process.nodes.get('a');
  assert.ok(node?.kind === 'serviceTask');
  assert.deepEqual(node.implementation, { kind: 'registered', name: 'score' });
});

stepsRun(
  'a message is sent, and the flow goes on',
  [send('a', { channel: 'out', body: '=order', headers: { kind: '="x"' }, contentType: 'text/plain' }), next],
  [
    [
      begin({ order: 1 }),
      {
        active: 'next',
        check: ({ sends }) => {
          const [sent] = sends;
          assert.deepEqual(
            [sent?.channel, sent?.body, sent?.headers, sent?.contentType],
            ['out', 1, { kind: 'x' }, 'text/plain'],
          );
        },
      },
    ],
  ],
);

stepsRun(
  'a message can go where an expression says',
  [send('a', { destination: '=where' }), next],
  [[begin({ where: 'there' }), { check: ({ sends }) => assert.equal(sends[0]?.channel, 'there') }]],
);

test('a reply answers who has started the flow, and more can follow', () => {
  const process = compiled(
    flow('p', [
      reply('first', { body: '={ok: true}', isContinued: true }),
      end('last', { reply: { body: '=1' } }),
    ]),
  );
  const instance = new Instance(process).start();
  const replies = instance.ofKind('reply').map(({ body, isContinued }) => [body, isContinued]);
  assert.deepEqual(replies, [
    [{ ok: true }, true],
    [1, false],
  ]);
  assert.equal(instance.status, 'completed');
});

stepsRun(
  'a signal goes out with its payload',
  [signal('a', 'news', '={item: 1}'), signal('b', 'news'), next],
  [
    [
      begin(),
      {
        active: 'next',
        signals: [
          ['news', { item: 1 }],
          ['news', null],
        ],
      },
    ],
  ],
);

stepsRun(
  'variables are set in order, at paths too',
  [set('a', { 'order.total': '=order.price * 2', order2: '=order' }), next],
  [
    [
      begin({ order: { price: 4 } }),
      { active: 'next', variables: { order: { price: 4, total: 8 }, order2: { price: 4, total: 8 } } },
    ],
  ],
);

stepsRun(
  'a decision is made at once',
  [decide('a', 'Risk', { score: '=sum([500, 1])' }, 'risk'), next],
  [[begin(), { active: 'next', variables: { risk: 'high' } }]],
  { decisions: testDecisions },
);

stepsRun(
  'a flow is called with its input, and gives what is asked of it',
  [callFlow('a', 'called', { amount: '=5' }, { doubled: '=twice' }), next],
  [
    [begin(), { active: 'inside' }],
    [answered('inside'), { active: 'next', variables: { doubled: 10 } }],
  ],
  { callable: [compiled(flow('called', [set('x', { twice: '=amount * 2' }), call('inside', 'jobs')]))] },
);

stepsRun(
  'which flow is called can be an expression',
  [callFlow('a', '=which')],
  [
    [begin({ which: 'called' }), { active: 'inside' }],
    [answered('inside'), 'completed'],
  ],
  { callable: [compiled(flow('called', [call('inside', 'jobs')]))] },
);

stepsRun(
  'a message is waited for',
  [wait('a', on.message('payments', { variable: 'payment', aliases: { id: '=payment.id' } })), next],
  [
    [begin(), { waits: 'message:a' }],
    [delivered('a', { id: 1 }), { active: 'next', variables: { payment: { id: 1 } } }],
  ],
);

for (const [kind, value] of [
  ['after', 'PT5M'],
  ['after', '=duration("PT5M")'],
  ['at', '2027-01-01T00:00:00Z'],
  ['every', 'R3/PT10S'],
] as const) {
  stepsRun(
    `a timer is waited for: ${kind} ${value}`,
    [wait('a', on.timer(kind, value)), next],
    [
      [begin(), { waits: 'timer:a' }],
      [fired('a'), 'next'],
    ],
  );
}

stepsRun(
  'a signal is waited for',
  [wait('a', on.signal('news', 'heard')), next],
  [
    [begin(), { waits: 'signal:a' }],
    [signalled('news', 5), { active: 'next', variables: { heard: 5 } }],
  ],
);

stepsRun(
  'a condition is waited for',
  [wait('a', on.condition('=stock > 0')), next],
  [
    [begin({ stock: 0 }), { waits: 'condition:a' }],
    [written({ stock: 1 }), 'next'],
  ],
);

stepsRun('what has ended has ended', [end('a')], [[begin(), 'completed']]);

stepsRun(
  'an end can send',
  [end('a', { message: { channel: 'out', body: '=1' } })],
  [
    [begin(), { sends: 'a' }],
    [() => {}, 'completed'],
  ],
);

stepsRun('an end can end everything', [end('a', { isTerminating: true })], [[begin(), 'terminated']]);

stepsRun(
  'an error that nobody catches fails the instance',
  [fail('a', 'REJECTED')],
  [[begin(), { failure: 'SUTRA.BPMN_ERROR.UNCAUGHT' }]],
);

test('a flow begins with a message, and declares its variables', () => {
  const begins = start('in', on.message('orders', { variable: 'order', type: 'order.placed' }));
  const process = compiled(flow('p', [next], { starts: [begins], variables: { order: 'context' } }));
  assert.equal(process.variables.get('order')?.type, 'context');
  const instance = new Instance(process).start({
    message: inbound({ id: 1 }, { messageType: 'order.placed' }),
  });
  assert.deepEqual([instance.active, instance.variables], [['next'], { order: { id: 1 } }]);
});

test('whichever of several starts occurs, the flow begins, even with a step that parts the path', () => {
  const starts = [start('by-order', on.message('orders')), start('by-news', on.signal('news'))];
  const process = compiled(
    flow('p', [all('both', [call('a', 'jobs')], [call('b', 'jobs')]), next], { starts }),
  );
  for (const options of [
    { at: 'by-order', message: inbound({}) },
    { at: 'by-news', signal: null },
  ]) {
    play(new Instance(process).start(options), [
      [() => {}, 'a b'],
      [answered('a'), 'b both-join'],
      [answered('b'), 'next'],
      [answered('next'), 'completed'],
    ]);
  }
});
