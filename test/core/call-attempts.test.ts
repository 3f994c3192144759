/** `q:retry`: what a failed attempt of a call leads to (engine/core/call-attempts.ts, R1 to R4). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RetryDefinition } from '../../definitions/model.ts';
import {
  boundary,
  call,
  exclusive,
  parallel,
  receive,
  registered,
  start,
  userTask,
  type CallOptions,
} from '../support/model-builder.ts';
import { error } from '../support/model-parts.ts';
import { processModel, type NodeSpec } from '../support/process-model.ts';
import { inbound, Instance, INSTANCE_ID, START_MS } from './instance.ts';

const TIMEOUT_MS = 60_000;
const thrice: RetryDefinition = {
  maxAttempts: 3,
  initialDelayMs: 1_000,
  backoffCoefficient: 2,
  maxDelayMs: 300_000,
  nonRetryableCodes: [],
};

function calling(options: CallOptions = {}, ...more: readonly NodeSpec[]): Instance {
  const node = call('c', 'jobs', { timeoutMs: TIMEOUT_MS, retry: thrice, ...options });
  const flows = ['s -> c -> next', ...more.map(({ node: { id } }) => `${id} -> caught`)];
  return new Instance(
    processModel('p', [start('s'), node, userTask('next'), userTask('caught'), ...more], flows),
  );
}

const key = (instance: Instance): string => instance.wait('call', 'c').idempotencyKey;

function failure(of: string, code = 'SUTRA.OUTBOX.REFUSED'): Parameters<Instance['apply']>[0] {
  return { kind: 'callFailed', key: of, code, message: 'the peer said no' };
}

/** Lets the open attempt fail by its timeout. */
function timeOut(instance: Instance): Instance {
  assert.equal(instance.wait('timer', 'c').purpose, 'call-timeout');
  return instance.fire('c');
}

describe('an attempt that fails', () => {
  it('withdraws its request and its timeout, and sets a timer for the next (R1, R2)', () => {
    const instance = calling().start();
    const first = key(instance);
    timeOut(instance);
    assert.deepEqual(instance.ofKind('callWithdrawn'), [
      { kind: 'callWithdrawn', idempotencyKey: first, elementId: 'c' },
    ]);
    assert.deepEqual(instance.waits, ['timer:c']);
    const wait = instance.wait('timer', 'c');
    assert.equal(wait.purpose, 'call-retry');
    assert.equal(wait.dueAtMs, START_MS + TIMEOUT_MS + 1_000);
    assert.equal(instance.status, 'running');
    assert.deepEqual(instance.ofKind('send'), [], 'nothing is sent before its time');
  });

  it('is followed by a fresh request under a fresh key with a fresh timeout (R3)', () => {
    const instance = calling({ params: { amount: 'amount' } }).start({ variables: { amount: 1 } });
    const first = key(instance);
    timeOut(instance).set({ amount: 2 });
    instance.fire('c');
    const [send, ...others] = instance.ofKind('send');
    assert.deepEqual(others, []);
    assert.equal(send?.idempotencyKey, `${first}.2`);
    assert.deepEqual(send.body, { amount: 2 });
    assert.equal(send.deadlineMs, START_MS + TIMEOUT_MS + 1_000 + TIMEOUT_MS);
    assert.deepEqual(instance.waits, ['call:c', 'timer:c']);
    assert.deepEqual(instance.answer('c', { ok: true }).active, ['next']);
    assert.deepEqual(instance.waits, ['user-task:next']);
  });

  it('is told in the journal, with what comes next', () => {
    const instance = timeOut(calling().start()).fire('c');
    assert.deepEqual(instance.history('attemptFailed'), ['c']);
    assert.deepEqual(instance.history('attemptStarted'), ['c']);
  });

  it('fails as often as it may, then throws the BPMN error of its last failure', () => {
    const instance = calling().start();
    timeOut(instance).fire('c');
    timeOut(instance).fire('c');
    timeOut(instance);
    assert.equal(instance.sends.length, 3);
    assert.equal(instance.failureCode, 'SUTRA.CALL.TIMEOUT');
    assert.deepEqual(instance.waits, []);
    instance.retry();
    assert.equal(instance.wait('call', 'c').attempt, 1, 'a person who retries begins anew');
  });

  const delays: readonly (readonly [string, Partial<RetryDefinition>, readonly number[]])[] = [
    ['doubled', { maxAttempts: 5 }, [1_000, 2_000, 4_000, 8_000]],
    ['the same', { maxAttempts: 4, backoffCoefficient: 1 }, [1_000, 1_000, 1_000]],
    ['cut at the maximum', { maxAttempts: 4, maxDelayMs: 3_000 }, [1_000, 2_000, 3_000]],
    ['whole milliseconds', { maxAttempts: 4, backoffCoefficient: 1.0005 }, [1_000, 1_001, 1_001]],
    [
      'cut where a power is infinite',
      { backoffCoefficient: 9_999, initialDelayMs: 1e300 },
      [300_000, 300_000],
    ],
  ];
  for (const [what, retry, expected] of delays) {
    it(`waits longer each time: ${what}`, () => {
      const instance = calling({ retry: { ...thrice, ...retry } }).start();
      const found = expected.map(() => {
        timeOut(instance);
        const delayMs = instance.wait('timer', 'c').dueAtMs - instance.nowMs;
        instance.fire('c');
        return delayMs;
      });
      assert.deepEqual(found, expected);
    });
  }

  it('may have been a delivery that was given up, or a function that threw', () => {
    for (const node of [call('c', 'jobs', { retry: thrice }), registered('c', 'score', { retry: thrice })]) {
      const instance = new Instance(
        processModel('p', [start('s'), node, userTask('next')], ['s -> c -> next']),
      );
      instance.start();
      const first = key(instance);
      instance.mustAdvance(failure(first));
      assert.deepEqual(instance.ofKind('callWithdrawn'), [], 'the turn settles what has failed');
      instance.fire('c');
      assert.equal(instance.refusalOf(failure(first)), 'SUTRA.CORE.WAIT_GONE');
      assert.equal(key(instance), `${first}.2`);
      instance
        .mustAdvance(failure(key(instance)))
        .fire('c')
        .mustAdvance(failure(key(instance)));
      assert.equal(instance.failureCode, 'SUTRA.CALL.FAILED');
      assert.match(instance.snapshot.failure?.message ?? '', /SUTRA\.OUTBOX\.REFUSED.*the peer said no/);
    }
  });

  it('is not taken from whoever keeps it without q:retry', () => {
    const instance = new Instance(
      processModel('p', [start('s'), call('c', 'jobs'), userTask('next')], ['s -> c -> next']),
    ).start();
    assert.equal(instance.refusalOf(failure(key(instance))), 'SUTRA.CORE.CALL_NOT_RETRIED');
  });

  it('has no other attempt for a code that is not retryable', () => {
    const retry = { ...thrice, nonRetryableCodes: ['SUTRA.OUTBOX.REFUSED'] };
    const instance = calling({ retry }).start();
    assert.equal(timeOut(instance).status, 'running');
    instance.fire('c').mustAdvance(failure(key(instance)));
    assert.equal(instance.failureCode, 'SUTRA.CALL.FAILED');
  });
});

describe('what is no failed attempt (R4)', () => {
  it('a BPMN error of whoever works on it, an answer, an interruption', () => {
    const instance = calling({}, boundary('b', 'c', error('REJECTED'))).start();
    assert.deepEqual(instance.fail('c', 'REJECTED').active, ['caught']);
    assert.deepEqual(calling().start().answer('c', { error: 'business' }).active, ['next']);
    const cancelled = timeOut(calling().start()).cancel();
    assert.equal(cancelled.status, 'terminated');
    assert.equal(cancelled.ofKind('timerCleared').length, 1);
  });

  it('a failure that the call has a boundary event for goes there at once', () => {
    const instance = calling({}, boundary('b', 'c', error('SUTRA.CALL.TIMEOUT'))).start();
    assert.deepEqual(timeOut(instance).active, ['caught']);
    const other = calling({}, boundary('b', 'c', error('SUTRA.CALL.TIMEOUT'))).start();
    other.mustAdvance(failure(key(other)));
    assert.deepEqual(other.waits, ['timer:c']);
  });

  it('a boundary event for any error gets the last failure', () => {
    const instance = calling(
      { retry: { ...thrice, maxAttempts: 2 } },
      boundary('b', 'c', error(null)),
    ).start();
    timeOut(instance).fire('c');
    assert.deepEqual(timeOut(instance).active, ['caught']);
  });
});

describe('a late answer to an attempt that has failed', () => {
  const answerTo = (instance: Instance, late: string): string =>
    instance.refusalOf({ kind: 'message', channel: 'jobs', key: late, aliases: [], message: inbound({}) });

  it('is refused while the next one is awaited, and after it was made', () => {
    const instance = calling({ retry: { ...thrice, maxAttempts: 4 } }).start();
    const first = key(instance);
    timeOut(instance);
    assert.equal(answerTo(instance, first), 'SUTRA.DISPATCH.CHANNEL_CALL.RETRY_PENDING');
    assert.equal(answerTo(instance, `${first}.2`), 'SUTRA.INBOUND.NOT_CORRELATED', 'was not made yet');
    instance.fire('c');
    timeOut(instance).fire('c');
    for (const late of [first, `${first}.2`])
      assert.equal(answerTo(instance, late), 'SUTRA.DISPATCH.CHANNEL_CALL.RETRY_PENDING', late);
    for (const foreign of [`${first}.4`, `${first}0`, `${INSTANCE_ID}:call-999`, `${first}.0`, `${first}.1`])
      assert.equal(answerTo(instance, foreign), 'SUTRA.INBOUND.NOT_CORRELATED', foreign);
    assert.deepEqual(instance.answer('c').active, ['next']);
    assert.equal(answerTo(instance, first), 'SUTRA.INBOUND.NOT_CORRELATED', 'the call is over');
  });
});

describe('what comes for a call of an instance that has failed elsewhere', () => {
  /** `c` has an attempt open, `x` has failed, `r` waits for a message. */
  const failedBeside = (): Instance =>
    new Instance(
      processModel(
        'p',
        [
          ...[start('s'), parallel('fork'), userTask('t'), exclusive('x'), userTask('next')],
          call('c', 'jobs', { timeoutMs: TIMEOUT_MS, retry: thrice, aliases: { order: '"A-1"' } }),
          receive('r', 'notes', { aliases: { order: '"A-1"' } }),
        ],
        [
          's -> fork',
          'fork -> c',
          'fork -> r',
          'fork -> t -> x',
          'x -> next if false',
          'c -> next',
          'r -> next',
        ],
      ),
    ).start();
  const fail = (instance: Instance): Instance => {
    instance.complete('t');
    assert.equal(instance.failureCode, 'SUTRA.CORE.NO_FLOW_TAKEN');
    return instance;
  };
  const answerTo = (
    instance: Instance,
    late: string | null,
    aliases: readonly { readonly name: string; readonly value: string }[] = [],
    channel = 'jobs',
  ): readonly [code: string, isRetryable: boolean] => {
    const before = instance.snapshot;
    const result = instance.apply({ kind: 'message', channel, key: late, aliases, message: inbound({}) });
    assert.ok(result.kind === 'refused');
    assert.equal(instance.snapshot, before);
    return [result.code, result.isRetryable];
  };
  const order = [{ name: 'order', value: 'A-1' }];
  const PENDING = ['SUTRA.DISPATCH.CHANNEL_CALL.RETRY_PENDING', false] as const;
  const LATER = ['SUTRA.INBOUND.INSTANCE_FAILED', true] as const;
  const NEVER = ['SUTRA.INBOUND.NOT_CORRELATED', false] as const;

  it('is refused for good when it answers an attempt that has failed, whatever else it carries', () => {
    const instance = failedBeside();
    const first = key(instance);
    fail(timeOut(instance));
    assert.deepEqual(answerTo(instance, first), PENDING);
    assert.deepEqual(answerTo(instance, first, order), PENDING);
    const again = failedBeside();
    timeOut(again).fire('c');
    assert.deepEqual(answerTo(fail(again), first), PENDING);
    assert.deepEqual(answerTo(again, first, order), PENDING);
  });

  it('may come again after the repair when it answers the attempt that waits, or may fit another wait', () => {
    const instance = fail(timeOut(failedBeside()).fire('c'));
    const live = key(instance);
    assert.deepEqual(answerTo(instance, live), LATER);
    assert.deepEqual(answerTo(instance, null, order, 'notes'), LATER);
    assert.deepEqual(answerTo(instance, `${INSTANCE_ID}:1`), LATER, 'the key of a send');
    instance.set({}).retry();
    assert.equal(instance.status, 'failed');
    assert.deepEqual(answerTo(instance, live), LATER);
  });

  it('is refused for good under the key of a call that is over', () => {
    const instance = failedBeside();
    const first = key(instance);
    fail(instance.answer('c'));
    assert.deepEqual(answerTo(instance, first), NEVER);
    assert.deepEqual(answerTo(instance, first, order), LATER, 'something may wait under the alias later');
    assert.equal(instance.refusalOf(failure(first)), 'SUTRA.CORE.WAIT_GONE');
    assert.equal(
      instance.refusalOf({ kind: 'callError', key: first, code: 'E', message: 'm', variables: {} }),
      'SUTRA.CORE.WAIT_GONE',
    );
  });

  it('of its failure is taken after the repair, while it waits', () => {
    const instance = fail(failedBeside());
    assert.equal(instance.refusalOf(failure(key(instance))), 'SUTRA.INBOUND.INSTANCE_FAILED');
  });
});

describe('a late answer that carries the alias of its call', () => {
  it('does not satisfy the attempt that waits now (R3)', () => {
    const instance = calling({ aliases: { order: '"A-1"' } }).start();
    const first = key(instance);
    timeOut(instance).fire('c');
    const aliases = [{ name: 'order', value: 'A-1' }];
    const late = { kind: 'message', channel: 'jobs', key: first, aliases, message: inbound({}) } as const;
    assert.equal(instance.refusalOf(late), 'SUTRA.DISPATCH.CHANNEL_CALL.RETRY_PENDING');
    assert.equal(instance.apply({ ...late, key: null }).kind, 'advanced', 'without a key it is for the call');
  });
});

describe('a task that turns terminal', () => {
  const terminal = 'SUTRA.EXTERNAL_TASK.TERMINAL';

  it('goes to the boundary event that names it, and the request is withdrawn', () => {
    const instance = calling({}, boundary('b', 'c', error(terminal))).start();
    const wait = instance.wait('call', 'c');
    assert.deepEqual(instance.sends[0]?.terminalWait, { waitId: wait.id, partId: null });
    instance.mustAdvance({ kind: 'timer', waitId: wait.id });
    assert.deepEqual(instance.active, ['caught']);
    assert.deepEqual(instance.waits, ['user-task:caught']);
    assert.deepEqual(
      instance.ofKind('callWithdrawn').map(({ idempotencyKey }) => idempotencyKey),
      [wait.idempotencyKey],
    );
    assert.equal(instance.refusalOf({ kind: 'timer', waitId: wait.id }), 'SUTRA.CORE.WAIT_GONE');
  });

  it('is nothing to an instance whose author does not name it', () => {
    for (const caught of [null, 'OTHER']) {
      const instance = calling({}, boundary('b', 'c', error(caught))).start();
      assert.equal(instance.sends[0]?.terminalWait, null);
    }
  });

  it('of the next attempt is known by the wait of that', () => {
    const instance = timeOut(calling({}, boundary('b', 'c', error(terminal))).start()).fire('c');
    assert.equal(instance.sends[1]?.terminalWait?.waitId, instance.wait('call', 'c').id);
  });
});
