import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EngineError } from '../../config/engine-error.ts';
import { TriggerOutcomes, triggerText } from '../../engine/intake/trigger-settlements.ts';
import type { SettledTriggers } from '../../engine/intake/trigger-settlements.ts';

const nowMs = 1_000_000;
const key = { deploymentId: 'dep-1', processId: 'p', startEventId: 's', trigger: 0 } as const;
const timer = { kind: 'startTimer', tenant: 't', module: 'm', ...key } as const;
const signal = { kind: 'signal', id: 7, start: null } as const;
const row = { ...key, dueAtMs: nowMs, remaining: 2, intervalMs: 1_000 };
const moved = { ...row, dueAtMs: nowMs + 1_000, remaining: 1 };

type SettledRows = Omit<SettledTriggers, 'letters'>;
const nothing: SettledRows = { deliveredIds: [], heldIds: [], endedTimers: [], movedTimers: [] };

const outcomes = (): TriggerOutcomes =>
  new TriggerOutcomes(
    { signals: new Set([triggerText(signal)]), startTimers: new Map([[triggerText(timer), row]]) },
    nowMs,
  );

const rowsOf = ({ deliveredIds, heldIds, endedTimers, movedTimers }: TriggerOutcomes): SettledRows => ({
  deliveredIds,
  heldIds,
  endedTimers,
  movedTimers,
});

describe('what a trigger settles', () => {
  it('S1: a delivered signal goes', () => {
    const settled = outcomes();
    settled.settle(signal);
    assert.deepEqual(rowsOf(settled), { ...nothing, deliveredIds: [7] });
  });

  it('S2: a start timer goes on to its next time, and ends after its last', () => {
    const settled = outcomes();
    settled.settle(timer);
    assert.deepEqual(rowsOf(settled), { ...nothing, movedTimers: [moved] });
    const last = { ...row, remaining: 0 };
    const ended = new TriggerOutcomes(
      { signals: new Set(), startTimers: new Map([[triggerText(timer), last]]) },
      nowMs,
    );
    ended.settle(timer);
    assert.deepEqual(rowsOf(ended), { ...nothing, endedTimers: [last] });
  });

  const refusals: readonly (readonly [
    title: string,
    code: string,
    isRetryable: boolean,
    ofSignal: Partial<SettledRows>,
    ofTimer: Partial<SettledRows>,
  ])[] = [
    [
      'S1: of an instance that does not wait is for good',
      'SUTRA.CORE.SIGNAL_UNHEARD',
      false,
      { deliveredIds: [7] },
      { movedTimers: [moved] },
    ],
    [
      'S1: of a start whose unique value is taken is for good',
      'SUTRA.INBOUND.ALIAS_TAKEN',
      false,
      { deliveredIds: [7] },
      { movedTimers: [moved] },
    ],
    [
      'S1: of a failed instance holds the signal',
      'SUTRA.INBOUND.INSTANCE_FAILED',
      true,
      { heldIds: [7] },
      {},
    ],
    ['S3: for want of the deployment changes nothing', 'SUTRA.DEPLOYMENT.NOT_FOUND', true, {}, {}],
    ['S3: by a fault of the engine changes nothing', 'SUTRA.INTAKE.TURN_FAILED', false, {}, {}],
  ];
  for (const [title, code, retryable, ofSignal, ofTimer] of refusals) {
    it(`a refusal ${title}`, () => {
      const error = new EngineError(code, 'refused', { attributes: { retryable } });
      const bySignal = outcomes();
      bySignal.refuse(signal, error);
      assert.deepEqual(rowsOf(bySignal), { ...nothing, ...ofSignal });
      const byTimer = outcomes();
      byTimer.refuse(timer, error);
      assert.deepEqual(rowsOf(byTimer), { ...nothing, ...ofTimer });
      const isGivenUp = ofTimer.movedTimers !== undefined;
      assert.deepEqual(
        [...bySignal.letters, ...byTimer.letters].map(({ kind, code: kept, start }) => [kind, kept, start]),
        isGivenUp ? [['timer', code, key]] : [],
        'S4: a start that is given up is a dead letter, a signal to an instance is not',
      );
    });
  }

  it('S4: a signal start that is given up is a dead letter with its payload', () => {
    const settled = outcomes();
    const start = { tenant: 't', module: 'm', ...key, name: 'stock', payload: '{"n":1}' };
    const error = new EngineError('SUTRA.INBOUND.ALIAS_TAKEN', 'taken', { attributes: { retryable: false } });
    settled.refuse({ ...signal, start }, error);
    assert.deepEqual(settled.deliveredIds, [7]);
    const [{ id: _id, body, ...letter } = { body: Buffer.of() }, ...others] = settled.letters;
    assert.deepEqual(others, []);
    assert.equal(Buffer.from(body).toString(), '{"n":1}');
    assert.deepEqual(letter, {
      ...{ kind: 'signal', tenant: 't', module: 'm', channel: null, messageKey: null, signalName: 'stock' },
      ...{ start: key, headers: {}, contentType: null, code: 'SUTRA.INBOUND.ALIAS_TAKEN', message: 'taken' },
    });
  });
});
