/** Channel calls and registered functions: request, answer, timeout. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Temporal, type Value } from '../../definitions/value.ts';
import {
  boundary,
  call,
  end,
  registered,
  start,
  userTask,
  type CallOptions,
} from '../support/model-builder.ts';
import { error, source } from '../support/model-parts.ts';
import { processModel, type NodeSpec } from '../support/process-model.ts';
import { inbound, Instance, INSTANCE_ID, START_MS, DEPLOYMENT_ID } from './instance.ts';

function calling(node: NodeSpec, ...more: readonly NodeSpec[]): Instance {
  const { id } = node.node;
  return new Instance(
    processModel('p', [start('s'), node, userTask('next'), ...more], [`s -> ${id} -> next`]),
  );
}

const variables = { amount: 12.5, order: { id: 'A' } };

test('a call without parameters sends all visible variables as JSON, under a key that names its instance', () => {
  const instance = calling(call('c', 'jobs')).start({ variables });
  const [send, ...others] = instance.sends;
  assert.deepEqual(others, []);
  assert.deepEqual(send, {
    kind: 'send',
    deploymentId: DEPLOYMENT_ID,
    processId: 'p',
    elementId: 'c',
    channel: 'jobs',
    idempotencyKey: `${INSTANCE_ID}:call-3`,
    headers: {},
    contentType: 'application/json',
    body: variables,
    expectsAnswer: true,
    priority: 0,
    registeredName: null,
    deadlineMs: null,
    terminalWait: null,
  });
  assert.deepEqual(instance.waits, ['call:c']);
  assert.equal(instance.status, 'running');
});

test('q:param, q:header and the content type shape the request', () => {
  const options: CallOptions = {
    params: { id: 'order.id', double: 'amount * 2', nothing: 'missing' },
    headers: {
      'x-id': 'order.id',
      'x-amount': 'amount',
      'x-none': 'missing',
      'sutra-park-instance': '"evil"',
    },
    contentType: 'application/vnd.acme+json',
  };
  const [send] = calling(call('c', 'jobs', options)).start({ variables }).sends;
  assert.deepEqual(send?.body, { id: 'A', double: 25, nothing: null });
  assert.deepEqual(send?.headers, { 'x-id': 'A', 'x-amount': '12.5' });
  assert.equal(send?.contentType, 'application/vnd.acme+json');
});

const unusableHeaders: Record<string, Value> = {
  context: { a: 1 },
  list: [1],
  'line break': 'a\r\nb',
  NUL: 'a\0',
};
for (const [what, value] of Object.entries(unusableHeaders)) {
  test(`a header whose value is or holds a ${what} fails the instance, and nothing is sent`, () => {
    const instance = calling(call('c', 'jobs', { headers: { h: 'v' } })).start({ variables: { v: value } });
    assert.equal(instance.failureCode, 'SUTRA.CORE.HEADER_VALUE_INVALID');
    assert.deepEqual(instance.sends, []);
    assert.deepEqual(instance.waits, []);
  });
}

test('a registered function is a call on an internal channel', () => {
  const instance = calling(registered('c', 'score')).start();
  assert.equal(instance.sends[0]?.channel, 'registered:score');
  assert.equal(instance.sends[0].registeredName, 'score');
  assert.deepEqual(instance.answer('c', { ok: true }).variables, { ok: true });
});

const answers: readonly (readonly [string, CallOptions, Value, Record<string, Value>])[] = [
  ['a context becomes variables', {}, { score: 7, amount: 1 }, { ...variables, score: 7, amount: 1 }],
  [
    'q:output takes the whole answer',
    { output: 'result' },
    { score: 7 },
    { ...variables, result: { score: 7 } },
  ],
  ['a list goes into payload', {}, [1, 2], { ...variables, payload: [1, 2] }],
  ['null goes into payload', {}, null, { ...variables, payload: null }],
  [
    'a text goes where the response source says',
    { response: source('jobs', { variable: 'verdict' }) },
    'fine',
    { ...variables, verdict: 'fine' },
  ],
  [
    'assignments run after the answer is in',
    { assign: ['order.total = score * 2', 'copy = order.total'] },
    { score: 7 },
    { ...variables, score: 7, order: { id: 'A', total: 14 }, copy: 14 },
  ],
];

for (const [what, options, answer, expected] of answers) {
  test(`an answer: ${what}`, () => {
    const instance = calling(call('c', 'jobs', options)).start({ variables });
    instance.answer('c', answer);
    assert.deepEqual(instance.active, ['next']);
    assert.deepEqual(instance.variables, expected);
    assert.deepEqual(instance.ofKind('callWithdrawn'), [], 'the turn settles what was answered');
  });
}

test('the headers and the event of an answer can be named by the assignments of its task, and only there', () => {
  const node = call('c', 'jobs', { assign: ['worker = header.worker', 'kind = event.type'] });
  const instance = calling(node).start();
  const { idempotencyKey } = instance.wait('call', 'c') as { idempotencyKey: string };
  const message = inbound({}, { headers: { worker: 'w7' }, event: { type: 'done' } });
  instance.apply({ kind: 'message', channel: 'jobs', key: idempotencyKey, aliases: [], message });
  assert.deepEqual(instance.variables, { worker: 'w7', kind: 'done' });
});

test('an answer under a key that no call waits for is refused and changes nothing', () => {
  const instance = calling(call('c', 'jobs')).start();
  const before = instance.snapshot;
  for (const key of [`${INSTANCE_ID}:call-1`, `${INSTANCE_ID}:call-4`, 'other:3', '']) {
    const result = instance.send('jobs', {}, { key });
    assert.deepEqual(
      {
        kind: result.kind,
        code: result.kind === 'refused' && result.code,
        again: 'isRetryable' in result && result.isRetryable,
      },
      { kind: 'refused', code: 'SUTRA.INBOUND.NOT_CORRELATED', again: false },
    );
  }
  assert.equal(
    instance.send('elsewhere', {}, { key: `${INSTANCE_ID}:call-3` }).kind,
    'refused',
    'another channel',
  );
  assert.equal(instance.snapshot, before);
});

test('a second answer to the same call is refused', () => {
  const instance = calling(call('c', 'jobs')).start();
  const key = `${INSTANCE_ID}:call-3`;
  assert.equal(instance.send('jobs', {}, { key }).kind, 'advanced');
  assert.equal(instance.send('jobs', {}, { key }).kind, 'refused');
});

test('the answer may come on the response channel, and under the key on the request channel too', () => {
  const node = call('c', 'jobs', { response: source('results') });
  for (const channel of ['results', 'jobs']) {
    const instance = calling(node).start();
    assert.equal(instance.send(channel, {}, { key: `${INSTANCE_ID}:call-3` }).kind, 'advanced');
  }
});

test('an answer that carries the alias of the call comes home, and the request is withdrawn', () => {
  const node = call('c', 'jobs', { aliases: { order: 'order.id' } });
  const instance = calling(node).start({ variables });
  assert.deepEqual(instance.ofKind('aliasSet'), [
    {
      kind: 'aliasSet',
      deploymentId: DEPLOYMENT_ID,
      name: 'order',
      value: 'A',
      isUnique: false,
      onConflict: 'reject',
      elementId: 'c',
    },
  ]);
  assert.equal(instance.send('jobs', {}, { aliases: [{ name: 'order', value: 'B' }] }).kind, 'refused');
  assert.equal(instance.send('jobs', {}, { aliases: [{ name: 'other', value: 'A' }] }).kind, 'refused');
  assert.equal(
    instance.send('jobs', { ok: 1 }, { aliases: [{ name: 'order', value: 'A' }] }).kind,
    'advanced',
  );
  assert.deepEqual(instance.active, ['next']);
  assert.deepEqual(instance.ofKind('callWithdrawn'), [
    { kind: 'callWithdrawn', idempotencyKey: `${INSTANCE_ID}:call-3`, elementId: 'c' },
  ]);
});

test('each of two open calls on one channel takes the answer under its own key', () => {
  const process = processModel(
    'p',
    [
      start('s'),
      call('one', 'jobs', { output: 'x' }),
      call('two', 'jobs', { output: 'y' }),
      userTask('a'),
      userTask('b'),
    ],
    ['s -> one -> a', 's -> two -> b'],
  );
  const instance = new Instance(process).start();
  instance.answer('two', 2);
  assert.deepEqual(instance.active, ['b', 'one']);
  instance.answer('one', 1);
  assert.deepEqual(instance.variables, { y: 2, x: 1 });
});

// --- q:timeout -------------------------------------------------------------------------------------

test('q:timeout sets a deadline on the request and a timer on the task, which the answer clears', () => {
  const instance = calling(call('c', 'jobs', { timeoutMs: 5000 })).start();
  assert.equal(instance.sends[0]?.deadlineMs, START_MS + 5000);
  const { id: waitId } = instance.wait('timer', 'c');
  assert.deepEqual(instance.ofKind('timerSet'), [
    { kind: 'timerSet', waitId, elementId: 'c', dueAtMs: START_MS + 5000, partId: null },
  ]);
  instance.answer('c');
  assert.deepEqual(instance.ofKind('timerCleared'), [{ kind: 'timerCleared', waitId }]);
});

test('a call that times out is withdrawn, and without a catcher the instance fails with the code of the timeout', () => {
  const instance = calling(call('c', 'jobs', { timeoutMs: 5000 })).start();
  instance.fire('c');
  assert.equal(instance.failureCode, 'SUTRA.CALL.TIMEOUT');
  assert.deepEqual(
    instance.ofKind('callWithdrawn').map(({ idempotencyKey }) => idempotencyKey),
    [`${INSTANCE_ID}:call-3`],
  );
  assert.deepEqual(instance.ofKind('timerCleared'), []);
  assert.deepEqual(instance.waits, []);
  const late = instance.send('jobs', {}, { key: `${INSTANCE_ID}:call-3` });
  assert.ok(late.kind === 'refused');
  assert.deepEqual([late.code, late.isRetryable], ['SUTRA.INBOUND.NOT_CORRELATED', false]);
});

test('a retry after a timeout sends a fresh request under a fresh key, and the old key fits nothing', () => {
  const instance = calling(call('c', 'jobs', { timeoutMs: 5000 })).start();
  instance.fire('c').retry();
  assert.equal(instance.status, 'running');
  const keys = instance.sends.map(({ idempotencyKey }) => idempotencyKey);
  assert.equal(new Set(keys).size, 2);
  assert.equal(instance.send('jobs', {}, { key: keys[0] ?? '' }).kind, 'refused');
  assert.equal(instance.send('jobs', {}, { key: keys[1] ?? '' }).kind, 'advanced');
  assert.deepEqual(instance.active, ['next']);
});

for (const [what, code] of [
  ['its own code', 'SUTRA.CALL.TIMEOUT'],
  ['every error', null],
] as const) {
  test(`a boundary event for ${what} catches the timeout of a call`, () => {
    const caught = [boundary('late', 'c', error(code, 'code', 'why')), userTask('rescue')];
    const process = processModel(
      'p',
      [start('s'), call('c', 'jobs', { timeoutMs: 5000 }), end('e'), ...caught],
      ['s -> c -> e', 'late -> rescue'],
    );
    const instance = new Instance(process).start();
    instance.fire('c');
    assert.deepEqual(instance.active, ['rescue']);
    assert.equal(instance.status, 'running');
    assert.equal(instance.variables['code'], 'SUTRA.CALL.TIMEOUT');
    assert.equal(instance.variables['why'], 'no answer came within 5000 milliseconds');
    assert.equal(instance.ofKind('callWithdrawn').length, 1);
    assert.equal(instance.send('jobs', {}, { key: `${INSTANCE_ID}:call-3` }).kind, 'refused');
  });
}

test('variables of every type are what they were when the answer comes', () => {
  const typed = {
    number: 0.1,
    text: '2026-03-01',
    flag: false,
    nothing: null,
    list: [1, [2], { a: null }],
    date: new Temporal('date', '2026-03-01'),
    duration: new Temporal('days-time-duration', 'PT5M'),
    $temporal: 'date',
    ['__proto__']: { polluted: true },
  };
  const instance = calling(call('c', 'jobs')).start({ variables: typed });
  instance.answer('c');
  assert.deepEqual(instance.variables, typed);
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
});

// --- errors that workers report --------------------------------------------------------------------

/** A call with two boundary events for errors. */
function fallible(options: CallOptions = {}): Instance {
  const process = processModel(
    'p',
    [
      start('s'),
      call('c', 'jobs', { timeoutMs: 60_000, ...options }),
      boundary('declined', 'c', error('DECLINED', 'code', 'reason')),
      boundary('any', 'c', error(null)),
      userTask('retryLater'),
      userTask('next'),
    ],
    ['s -> c -> next', 'declined -> retryLater', 'any -> next'],
  );
  return new Instance(process).start({ variables: { kept: 1 } });
}

test('a BPMN error that a worker reports is caught at the call, after its variables are written', () => {
  const instance = fallible().fail('c', 'DECLINED', { balance: 3, kept: 2 });
  assert.deepEqual(instance.active, ['retryLater']);
  assert.deepEqual(instance.variables, {
    kept: 2,
    balance: 3,
    code: 'DECLINED',
    reason: 'DECLINED was reported',
  });
  assert.deepEqual(instance.ofKind('callWithdrawn'), [], 'the worker has settled it');
  assert.equal(instance.ofKind('timerCleared').length, 1);
});

test('an error with another code goes to the boundary event for all', () => {
  assert.deepEqual(fallible().fail('c', 'BROKEN').active, ['next']);
});

test('an error that nobody catches fails the call, and a retry sends it anew', () => {
  const process = processModel('p', [start('s'), call('c', 'jobs'), end('e')], ['s -> c -> e']);
  const instance = new Instance(process).start().fail('c', 'DECLINED', { seen: true });
  assert.equal(instance.failureCode, 'SUTRA.BPMN_ERROR.UNCAUGHT');
  assert.deepEqual([instance.active, instance.variables], [['c'], { seen: true }]);
  instance.retry();
  assert.equal(instance.sends.length, 2);
  assert.notEqual(instance.sends[0]?.idempotencyKey, instance.sends[1]?.idempotencyKey);
  assert.equal(instance.answer('c').status, 'completed');
});

test('what the worker said is in the history and in the failure, or nothing if it said nothing', () => {
  const process = processModel('p', [start('s'), call('c', 'jobs'), end('e')], ['s -> c -> e']);
  for (const [message, thrown, failure] of [
    ['no credit', { code: 'X', message: 'no credit' }, 'nothing catches the BPMN error X: no credit'],
    ['', { code: 'X', message: '' }, 'nothing catches the BPMN error X: '],
    [null, { code: 'X' }, 'nothing catches the BPMN error X'],
  ] as const) {
    const instance = new Instance(process).start();
    const { idempotencyKey: key } = instance.wait('call', 'c');
    instance.mustAdvance({ kind: 'callError', key, code: 'X', message, variables: {} });
    const [entry] = instance.ofKind('history').filter(({ event }) => event === 'errorThrown');
    assert.deepEqual(entry?.detail, thrown);
    assert.equal(instance.snapshot.failure?.message, failure);
  }
});

test('a long message is cut in the history, and nowhere else', () => {
  const instance = fallible();
  const { idempotencyKey: key } = instance.wait('call', 'c');
  const message = `${'x'.repeat(499)}\u{1F600}`;
  instance.mustAdvance({ kind: 'callError', key, code: 'DECLINED', message, variables: {} });
  const [entry] = instance.ofKind('history').filter(({ event }) => event === 'errorThrown');
  assert.equal(entry?.detail['message'], `${'x'.repeat(499)}\uFFFD`);
  assert.equal(instance.variables['reason'], message);
});

test('an error for a call that does not wait any more is refused and changes nothing', () => {
  const instance = fallible();
  const { idempotencyKey: key } = instance.wait('call', 'c');
  instance.answer('c');
  const before = instance.snapshot;
  const stimulus = {
    kind: 'callError',
    key,
    code: 'DECLINED',
    message: 'late',
    variables: { x: 1 },
  } as const;
  assert.equal(instance.refusalOf(stimulus), 'SUTRA.CORE.WAIT_GONE');
  assert.equal(instance.refusalOf({ ...stimulus, key: 'other:1' }), 'SUTRA.CORE.WAIT_GONE');
  assert.equal(instance.snapshot, before);
});
