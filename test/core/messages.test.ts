/** Which wait takes a message: channel, implicit key, aliases, message type. Protocol §8. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Value } from '../../definitions/value.ts';
import { aliasText, MAX_ALIAS_LENGTH } from '../../engine/core/aliases.ts';
import { matchesPattern } from '../../engine/core/correlation.ts';
import {
  call,
  catchEvent,
  end,
  parallel,
  receive,
  start,
  throwEvent,
  userTask,
} from '../support/model-builder.ts';
import { message, source } from '../support/model-parts.ts';
import { processModel, type NodeSpec } from '../support/process-model.ts';
import { inbound, Instance, INSTANCE_ID } from './instance.ts';

const begin = start('s', { channel: 'orders', aliases: { order: 'payload.id' } });
const order = inbound({ id: 'A' });

function waitingAt(node: NodeSpec): Instance {
  const process = processModel('p', [begin, node, userTask('next')], [`s -> ${node.node.id} -> next`]);
  return new Instance(process).start({ message: order });
}

const kinds: Record<string, NodeSpec> = {
  'message catch event': catchEvent('m', message('news', { aliases: { order: 'payload.id' } })),
  'receive task': receive('m', 'news', { aliases: { order: 'payload.id' } }),
  'user task with a source': userTask('m', { source: source('news'), aliases: { order: 'payload.id' } }),
};

for (const [kind, node] of Object.entries(kinds)) {
  test(`a ${kind} takes a message of its alias and stores the payload`, () => {
    const instance = waitingAt(node);
    const result = instance.send('news', { hello: 1 }, { aliases: [{ name: 'order', value: 'A' }] });
    assert.equal(result.kind, 'advanced');
    assert.deepEqual(instance.active, ['next']);
    assert.deepEqual(instance.variables, { payload: { hello: 1 } });
    assert.deepEqual(instance.waits, ['user-task:next']);
  });
}

test('the alias of a wait is registered once, however many nodes name it', () => {
  const instance = waitingAt(catchEvent('m', message('news', { aliases: { order: 'payload.id' } })));
  assert.equal(instance.ofKind('aliasSet').length, 1);
  assert.deepEqual(instance.snapshot.aliases, [{ name: 'order', value: 'A' }]);
});

test('an alias that yields null at a wait stands for the value that the instance registered last', () => {
  const instance = waitingAt(catchEvent('m', message('news', { aliases: { order: 'nothing.id' } })));
  assert.equal(instance.send('news', {}, { aliases: [{ name: 'order', value: 'A' }] }).kind, 'advanced');
});

test('a wait without aliases takes only a message under a key that this instance sent', () => {
  const node = catchEvent('m', message('news'));
  for (const key of [
    'other:1',
    `${INSTANCE_ID}:99`,
    `${INSTANCE_ID}:0`,
    `${INSTANCE_ID}:01`,
    `${INSTANCE_ID}:1x`,
    INSTANCE_ID,
  ]) {
    const instance = waitingAt(node);
    assert.equal(instance.send('news', {}, { key }).kind, 'refused', key);
  }
  assert.equal(
    waitingAt(node).send('news', {}, { aliases: [{ name: 'order', value: 'A' }] }).kind,
    'refused',
  );
  assert.equal(waitingAt(node).send('news', {}, { key: `${INSTANCE_ID}:1` }).kind, 'advanced');
});

test('what was sent by a throw event comes home to a catch event on its channel by its key', () => {
  const process = processModel(
    'p',
    [
      start('s'),
      throwEvent('ask', { channel: 'peer', body: '{q: 1}' }),
      catchEvent('m', message('peer')),
      end('e'),
    ],
    ['s -> ask -> m -> e'],
  );
  const instance = new Instance(process).start();
  const key = instance.sends[0]?.idempotencyKey ?? '';
  assert.equal(instance.sends[0]?.expectsAnswer, false);
  assert.equal(instance.send('peer', { a: 2 }, { key }).kind, 'advanced');
  assert.equal(instance.status, 'completed');
});

const types: readonly (readonly [string | undefined, string | null, boolean])[] = [
  [undefined, null, true],
  [undefined, 'anything', true],
  ['order.paid', 'order.paid', true],
  ['order.paid', 'order.paid.late', false],
  ['order.paid', null, false],
  ['order.*', 'order.paid', true],
  ['order.*', 'orders.paid', false],
  ['order.*', null, false],
];

for (const [wanted, given, fits] of types) {
  test(`a wait for the type ${wanted ?? 'any'} ${fits ? 'takes' : 'does not take'} ${given ?? 'a message without one'}`, () => {
    const options = wanted === undefined ? {} : { type: wanted };
    const instance = waitingAt(
      catchEvent('m', message('news', { ...options, aliases: { order: 'payload.id' } })),
    );
    const result = instance.send(
      'news',
      {},
      {
        aliases: [{ name: 'order', value: 'A' }],
        ...(given === null ? {} : { type: given }),
      },
    );
    assert.equal(result.kind, fits ? 'advanced' : 'refused');
  });
}

const patterns: readonly (readonly [string, string, boolean])[] = [
  ['*', '', true],
  ['*', 'x', true],
  ['a*', 'a', true],
  ['a*a', 'a', false],
  ['a*a', 'aa', true],
  ['*b*', 'abc', true],
  ['a*b*c', 'acbc', true],
  ['a*b*c', 'acb', false],
  ['a*bc*c', 'abc', false],
  ['a.c', 'abc', false],
  ['**', 'x', true],
];
for (const [pattern, text, fits] of patterns) {
  test(`the pattern ${pattern} ${fits ? 'fits' : 'does not fit'} "${text}"`, () => {
    assert.equal(matchesPattern(pattern, text), fits);
  });
}

test('of several waits that fit, the oldest takes the message', () => {
  const process = processModel(
    'p',
    [
      begin,
      parallel('fork'),
      userTask('first'),
      catchEvent('m', message('news')),
      catchEvent('n', message('news')),
      end('e'),
    ],
    ['s -> fork', 'fork -> first -> m -> e', 'fork -> n -> e'],
  );
  const instance = new Instance(process).start({ message: order }).complete('first');
  assert.deepEqual(instance.waits, ['message:m', 'message:n']);
  instance.send('news', {}, { key: `${INSTANCE_ID}:1` });
  assert.deepEqual(instance.waits, ['message:m']);
});

test('the call that waits under the very key goes before older waits that would fit too', () => {
  const process = processModel(
    'p',
    [begin, parallel('fork'), catchEvent('m', message('jobs')), call('c', 'jobs'), end('e')],
    ['s -> fork', 'fork -> m -> e', 'fork -> c -> e'],
  );
  const instance = new Instance(process).start({ message: order });
  const key = instance.sends[0]?.idempotencyKey ?? '';
  instance.send('jobs', {}, { key });
  assert.deepEqual(instance.waits, ['message:m']);
});

test('a message that fits no wait is refused, changes nothing, and is not worth sending again', () => {
  const instance = waitingAt(catchEvent('m', message('news', { aliases: { order: 'payload.id' } })));
  const before = instance.snapshot;
  for (const result of [
    instance.send('other', {}, { aliases: [{ name: 'order', value: 'A' }] }),
    instance.send('news', {}, { aliases: [{ name: 'order', value: 'B' }] }),
    instance.send('news', {}),
  ]) {
    assert.ok(result.kind === 'refused');
    assert.equal(result.code, 'SUTRA.INBOUND.NOT_CORRELATED');
    assert.equal(result.isRetryable, false);
  }
  assert.equal(instance.snapshot, before);
});

test('an ended instance takes no message', () => {
  const instance = waitingAt(catchEvent('m', message('news'))).cancel();
  const result = instance.send('news', {}, { key: `${INSTANCE_ID}:1` });
  assert.equal(result.kind === 'refused' && result.code, 'SUTRA.INBOUND.NOT_CORRELATED');
});

// --- starting --------------------------------------------------------------------------------------

test('the message that starts an instance is stored, and its header and event can be named by the aliases', () => {
  const first = start('s', {
    channel: 'orders',
    variable: 'order',
    aliases: { id: 'order.id', same: 'payload.id', trace: 'header.trace', event: 'event.id' },
  });
  const process = processModel(
    'p',
    [first, userTask('a', { assign: ['seen = header', 'p = payload'] })],
    ['s -> a'],
  );
  const instance = new Instance(process).start({
    message: inbound({ id: 7 }, { headers: { trace: 't1' }, event: { id: true } }),
  });
  assert.deepEqual(instance.snapshot.aliases, [
    { name: 'id', value: '7' },
    { name: 'same', value: '7' },
    { name: 'trace', value: 't1' },
    { name: 'event', value: 'true' },
  ]);
  assert.deepEqual(instance.variables, { order: { id: 7 } });
  assert.deepEqual(instance.complete('a').variables, { order: { id: 7 }, seen: null, p: null });
});

test('a start whose alias yields null registers nothing', () => {
  const instance = new Instance(processModel('p', [begin, userTask('a')], ['s -> a'])).start({
    message: inbound({}),
  });
  assert.deepEqual(instance.snapshot.aliases, []);
});

const badKeys: Record<string, Value> = {
  'a context': {},
  'a list': ['A'],
  'a text that is too long': 'x'.repeat(MAX_ALIAS_LENGTH + 1),
  'a NUL character': 'a\0b',
  'half of a surrogate pair': 'a\ud800',
};
for (const [what, id] of Object.entries(badKeys)) {
  test(`a start whose alias is or holds ${what} is refused`, () => {
    const instance = new Instance(processModel('p', [begin, userTask('a')], ['s -> a']));
    const result = instance.apply(instance.startStimulus({ message: inbound({ id }) }));
    assert.deepEqual(
      [result.kind, result.kind === 'refused' && result.code],
      ['refused', 'SUTRA.CORE.ALIAS_VALUE_INVALID'],
    );
  });

  test(`a wait whose alias is or holds ${what} fails the instance`, () => {
    const node = catchEvent('m', message('news', { aliases: { key: 'key' } }));
    const process = processModel('p', [start('s'), node], ['s -> m']);
    const instance = new Instance(process).start({ variables: { key: id } });
    assert.equal(instance.failureCode, 'SUTRA.CORE.ALIAS_VALUE_INVALID');
  });
}

test('a start whose alias expression cannot be evaluated is refused', () => {
  const first = start('s', { channel: 'orders', aliases: { order: '[1..payload]' } });
  const instance = new Instance(processModel('p', [first, userTask('a')], ['s -> a']));
  const result = instance.apply(instance.startStimulus({ message: inbound(3) }));
  assert.deepEqual(
    [result.kind, result.kind === 'refused' && result.code],
    ['refused', 'SUTRA.CORE.EXPRESSION_FAILED'],
  );
});

const texts: readonly (readonly [Value, string])[] = [
  ['A', 'A'],
  ['', ''],
  [7, '7'],
  [0.1, '0.1'],
  [1e21, '1e+21'],
  [true, 'true'],
  ['x'.repeat(MAX_ALIAS_LENGTH), 'x'.repeat(MAX_ALIAS_LENGTH)],
  ['\u{1F600}', '\u{1F600}'],
];
for (const [value, expected] of texts) {
  test(`the alias value ${JSON.stringify(value).slice(0, 20)} is registered as text`, () => {
    assert.deepEqual(aliasText(value), { kind: 'text', text: expected });
  });
}

test('the starting key of a reply is kept with the instance', () => {
  const instance = new Instance(processModel('p', [begin, userTask('a')], ['s -> a']));
  const replyTo = { channel: 'orders', dedupKey: 'k1' };
  instance.apply({ kind: 'start', startEventId: 's', message: order, variables: {}, replyTo });
  assert.deepEqual(instance.snapshot.replyTo, replyTo);
});
