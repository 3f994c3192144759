/** What operators read of one thing: ages, states, the timeline, an instance, a task. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { taskState } from '../../cli/operate/columns.ts';
import { formatInstance, instanceAdvice } from '../../cli/operate/instance-view.ts';
import type { Row } from '../../cli/operate/row.ts';
import { formatTask } from '../../cli/operate/task-view.ts';
import { ageOf, instantWithAge } from '../../cli/operate/time.ts';
import { describeEntry, formatTimeline } from '../../cli/operate/timeline.ts';
import { Decimal } from 'decimal.js';

const nowMs = Date.parse('2026-03-01T12:00:00Z');

describe('the age of', () => {
  const rows: readonly (readonly [instant: string | null, age: string])[] = [
    [null, ''],
    ['soon', ''],
    ['2026-03-01T12:00:00Z', '0 s'],
    ['2026-03-01T11:59:00.500Z', '59 s'],
    ['2026-03-01T11:59:00Z', '1 min'],
    ['2026-03-01T11:00:01Z', '59 min'],
    ['2026-03-01T11:00:00Z', '1 h'],
    ['2026-02-28T12:00:01Z', '23 h'],
    ['2026-02-28T12:00:00Z', '1 d'],
    ['2025-03-01T12:00:00Z', '365 d'],
    ['2026-03-01T12:00:05Z', 'in 5 s'],
  ];
  for (const [instant, age] of rows) {
    it(`${String(instant)} is ${JSON.stringify(age)}`, () => {
      assert.equal(ageOf(instant, nowMs), age);
    });
  }

  it('an instant stands beside it', () => {
    assert.equal(instantWithAge('2026-03-01T09:00:00.000Z', nowMs), '2026-03-01T09:00:00.000Z (3 h ago)');
    assert.equal(instantWithAge('2026-03-01T12:01:00.000Z', nowMs), '2026-03-01T12:01:00.000Z (in 1 min)');
    assert.equal(instantWithAge(null, nowMs), '');
  });
});

describe('the state of a task', () => {
  const open = { state: 'open', lockOwner: null, isHeld: false, visibleAt: '2026-03-01T11:00:00Z' };
  const rows: readonly (readonly [state: string, task: Row])[] = [
    ['open', open],
    ['waiting', { ...open, visibleAt: '2026-03-01T12:00:01Z' }],
    ['locked', { ...open, lockOwner: 'w', visibleAt: '2026-03-01T12:00:01Z' }],
    ['held', { ...open, isHeld: true }],
    ['terminal', { ...open, state: 'failed' }],
  ];
  for (const [state, task] of rows) {
    it(`is ${state}`, () => {
      assert.equal(taskState(task, nowMs), state);
    });
  }
});

describe('a line of the timeline', () => {
  const rows: readonly (readonly [event: string, detail: Row, words: string])[] = [
    ['started', { processId: 'order' }, 'instance of order started'],
    [
      'messageReceived',
      { channel: 'orders', messageType: null, key: null },
      'message received on channel orders',
    ],
    [
      'messageReceived',
      { channel: 'paid', messageType: 'Payment', key: 'k-1' },
      'message Payment received on channel paid, key k-1',
    ],
    ['timerFired', { purpose: 'event' }, 'timer fired'],
    ['timerFired', { purpose: 'call-timeout' }, 'no answer in time'],
    ['timerFired', { purpose: 'call-retry' }, 'time for the next attempt'],
    ['entered', {}, 'entered'],
    ['completed', { loopCounter: 3 }, 'completed, run 3'],
    ['flowTaken', { flowId: 'high' }, 'took the flow high'],
    ['sent', { channel: 'work', idempotencyKey: 'i:call-4' }, 'sent on channel work, key i:call-4'],
    [
      'attemptFailed',
      { attempt: 2, code: 'X.Y', dueAtMs: 1_772_359_200_000 },
      'attempt 2 failed: X.Y; the next one at 2026-03-01T10:00:00.000Z',
    ],
    ['attemptFailed', { attempt: 2, code: 'X.Y', dueAtMs: null }, 'attempt 2 failed: X.Y'],
    ['attemptStarted', { attempt: 3 }, 'attempt 3 started'],
    ['failed', { code: 'SUTRA.CORE.NO_FLOW_TAKEN' }, 'FAILED: SUTRA.CORE.NO_FLOW_TAKEN'],
    ['cancelled', { reason: 'broken order' }, 'cancelled: broken order'],
    ['ended', { status: 'completed' }, 'instance completed'],
    ['taskParked', { taskId: 't', channel: 'work' }, 'parked as task t on channel work'],
    ['taskLocked', { workerId: 'w-1', attempts: 2 }, 'locked by worker w-1, attempt 2'],
    [
      'taskLocked',
      { workerId: 'w-1', attempts: 2, lockExpiresAt: '2026-03-01T10:00:00.000Z' },
      'locked by worker w-1, attempt 2 until 2026-03-01T10:00:00.000Z',
    ],
    ['taskCompleted', { workerId: 'w-1', attempts: 2 }, 'completed by worker w-1, attempt 2'],
    [
      'taskCompleted',
      { workerId: 'w-1', attempts: 2, lastError: 'no\nstock' },
      'completed by worker w-1, attempt 2, after a failure: no stock',
    ],
    [
      'taskBpmnError',
      { workerId: 'w-1', attempts: 1, code: 'DECLINED' },
      'ended by worker w-1, attempt 1 in the BPMN error DECLINED',
    ],
    ['errorThrown', { code: 'DECLINED' }, 'BPMN error DECLINED thrown'],
    ['errorThrown', { code: 'DECLINED', message: 'no\ncredit' }, 'BPMN error DECLINED thrown: no credit'],
    ['taskFailed', { attempts: 5 }, 'failed for good, attempt 5'],
    ['taskFailed', { taskId: 't', code: 'C', lastError: 'no stock' }, 'failed for good: no stock'],
    ['deliveryPoisoned', { deliveryId: 'd', code: 'C', lastError: '503' }, 'delivery d given up: 503'],
    [
      'incidentResolved',
      { kind: 'delivery-poisoned', deliveryId: 'd' },
      'delivery d requeued, discarded or withdrawn',
    ],
    ['incidentResolved', { kind: 'task-terminal', taskId: 't' }, 'task t re-armed, discarded or withdrawn'],
    ['commandReceived', { command: 'retry', reason: null }, 'an operator said retry'],
    ['commandReceived', { command: 'move', reason: 'why' }, 'an operator said move: why'],
    [
      'messageReceived',
      { channel: 'c', messageType: null, dedupKey: null, isDedupKeyWithheld: true, payload: { a: 1 } },
      'message received on channel c, key withheld  {"a":1}',
    ],
    ['movedOn', { to: 'elsewhere' }, 'movedOn {"to":"elsewhere"}'],
    ['constructor', {}, 'constructor'],
  ];
  for (const [event, detail, words] of rows) {
    it(`says ${JSON.stringify(words)}`, () => {
      assert.equal(describeEntry({ event, detail }), words);
    });
  }

  it('says when, in which turn and where', () => {
    const entries = [
      { at: '2026-03-01T10:00:00.000Z', turn: 1, event: 'entered', elementId: 'pick', detail: {} },
      { at: '2026-03-01T10:00:01.000Z', turn: null, event: 'odd', elementId: null, detail: {} },
    ];
    assert.deepEqual(formatTimeline(entries, null).split('\n'), [
      'AT                        TURN  ELEMENT  WHAT',
      '2026-03-01T10:00:00.000Z  1     pick     entered',
      '2026-03-01T10:00:01.000Z                 odd',
    ]);
  });
});

const instance: Row = {
  id: '018f0001-0000-7000-8000-000000000001',
  status: 'failed',
  processId: 'order',
  tenant: 'acme',
  module: 'shop',
  deploymentId: 'dep-1',
  createdAt: '2026-03-01T09:00:00.000Z',
  updatedAt: '2026-03-01T11:59:30.000Z',
  endedAt: null,
  failure: { code: 'SUTRA.FEEL.EVALUATION_FAILED', message: 'x'.repeat(200), elementId: 'score' },
  aliases: [{ name: 'orderId', value: 'A-17', isUnique: false }],
  variables: { amount: new Decimal('0.1234567890123456789012345'), text: 'two\nlines' },
  hiddenVariables: ['card'],
  areVariablesWithheld: false,
  scopes: [{ id: 1, elementId: 'sub', index: 0, called: null, variables: { n: 1 }, hiddenVariables: [] }],
  tokens: [
    { id: 3, state: 'failed', elementId: 'score', loop: null },
    {
      id: 4,
      state: 'waiting',
      elementId: 'sub',
      loop: { total: null, started: 2, active: 1, completed: 1 },
    },
  ],
  parts: { open: 150, listed: 100, next: 99 },
  waits: [
    {
      kind: 'timer',
      purpose: 'call-timeout',
      dueAt: '2026-03-01T13:00:00.000Z',
      elementId: 'score',
      tokenId: 3,
    },
    { kind: 'timer', purpose: 'event', dueAt: '2026-03-01T11:00:00.000Z', elementId: 'late', tokenId: 3 },
    { kind: 'message', channel: 'paid', aliases: [{ name: 'orderId', value: 'A-17' }], elementId: 'listen' },
    { kind: 'call', channel: 'scores', attempt: 2, aliases: [], elementId: 'score' },
    { kind: 'signal', name: 'stop', elementId: 'stopped' },
    { kind: 'user-task', tokenId: 7, elementId: 'approve' },
  ],
  openTasks: [
    {
      id: 't-1',
      channel: 'work',
      state: 'failed',
      lockOwner: null,
      attempts: 5,
      retries: 0,
      lastError: 'no\nroute',
    },
  ],
  deliveries: [{ id: 'd-1', channel: 'notify', state: 'poisoned', attempts: 9, lastError: null }],
};

describe('an instance', () => {
  it('shows where it stands, what it waits for and why it failed', () => {
    assert.deepEqual(formatInstance(instance, nowMs, null).split('\n'), [
      'instance    018f0001-0000-7000-8000-000000000001',
      'status      failed',
      'process     order of acme/shop',
      'deployment  dep-1',
      'started     2026-03-01T09:00:00.000Z (3 h ago)',
      'changed     2026-03-01T11:59:30.000Z (30 s ago)',
      'aliases     orderId=A-17',
      'variables   amount = 0.1234567890123456789012345',
      'variables'.replace(/./g, ' ') + '   text = "two\\nlines"',
      'hidden      card',
      'scopes      1 sub, run 1',
      '              n = 1',
      'tokens      3 failed at score',
      '            4 waiting at sub, 1 of ? runs completed, 1 active',
      'parts       150 are open; only 100 of them are shown here',
      'waits for   timeout of the call 2026-03-01T13:00:00.000Z (in 1 h), at score',
      '            timer 2026-03-01T11:00:00.000Z (due for 1 h), at late',
      '            message on channel paid, by orderId=A-17, at listen',
      '            answer on channel scores, attempt 2, at score',
      '            signal stop, at stopped',
      '            user-task, token 7, at approve',
      'tasks       t-1 terminal',
      '              on channel work, attempts 5, retries left 0',
      '              last error: no route',
      'deliveries  d-1 poisoned',
      '              on channel notify, attempts 9',
      '',
      'FAILED at score: SUTRA.FEEL.EVALUATION_FAILED',
      `  ${'x'.repeat(200)}`,
    ]);
  });

  it('keeps the message of its failure whole in a terminal (V1)', () => {
    const lines = formatInstance(instance, nowMs, 60).split('\n');
    assert.equal(lines.at(-1), `  ${'x'.repeat(200)}`);
    assert.ok(lines.slice(0, -1).every((line) => line.length <= 60));
  });

  it('says that variables are withheld (V2)', () => {
    const withheld = { ...instance, variables: null, hiddenVariables: [], areVariablesWithheld: true };
    assert.match(formatInstance(withheld, nowMs, null), /^variables +withheld: the engine cannot read/m);
  });

  it('comes with the commands that can help', () => {
    assert.deepEqual(instanceAdvice(instance), [
      'sutra retry 018f0001-0000-7000-8000-000000000001',
      'sutra retry-task t-1',
      'sutra requeue-delivery d-1',
    ]);
    assert.deepEqual(instanceAdvice({ id: 'x', status: 'running', openTasks: [], deliveries: [] }), []);
  });

  it('of an engine that says less is shown as far as it goes', () => {
    assert.match(formatInstance({ id: 'x', waits: 7, tokens: [null, {}] }, nowMs, null), /^instance +x$/m);
  });
});

describe('a task', () => {
  const task: Row = {
    id: 't-1',
    state: 'failed',
    channel: 'work',
    instanceId: 'i-1',
    elementId: 'pick',
    processId: 'order',
    tenant: 'acme',
    module: 'shop',
    version: '1.0.0',
    attempts: 5,
    retries: 0,
    headers: { 'x-order': 'A-17' },
    contentType: 'application/json',
    body: { amount: 1 },
    lastError: 'no route',
    lastErrorDetails: 'Error: no route\n    at \u001b[1mpick',
    failedAt: '2026-03-01T11:00:00.000Z',
  };
  it('shows its request, and its last error whole', () => {
    const lines = formatTask(task, nowMs, null).split('\n');
    for (const line of [
      'state         terminal',
      'element       pick of process order',
      'terminal      2026-03-01T11:00:00.000Z (1 h ago)',
      'headers       x-order: A-17',
      'body          {"amount":1}',
    ]) {
      assert.ok(lines.includes(line), `${line} in\n${lines.join('\n')}`);
    }
    assert.deepEqual(lines.slice(-4), ['', 'LAST ERROR: no route', '  Error: no route', '      at  [1mpick']);
  });

  it('shows a text as its lines, and that bytes are none', () => {
    assert.match(formatTask({ ...task, body: 'a\nb' }, nowMs, null), /^body +a\n +b$/m);
    const { body: _body, ...rest } = task;
    assert.match(formatTask({ ...rest, bodyBase64: 'AAH/' }, nowMs, null), /^body +AAH\/ \(base64\)$/m);
  });
});
