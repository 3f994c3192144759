import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EngineError } from '../../config/engine-error.ts';
import { TriggerOutcomes, triggerText } from '../../engine/intake/trigger-settlements.ts';
import type { SettledTriggers } from '../../engine/intake/trigger-settlements.ts';

const nowMs = 1_000_000;
const key = { deploymentId: 'dep-1', processId: 'p', startEventId: 's', trigger: 0 } as const;
const timer = { kind: 'startTimer', ...key } as const;
const signal = { kind: 'signal', id: 7 } as const;
const row = { ...key, dueAtMs: nowMs, remaining: 2, intervalMs: 1_000 };
const moved = { ...row, dueAtMs: nowMs + 1_000, remaining: 1 };

const nothing: SettledTriggers = { deliveredIds: [], heldIds: [], endedTimers: [], movedTimers: [] };

const outcomes = (): TriggerOutcomes =>
  new TriggerOutcomes(
    { signals: new Set([triggerText(signal)]), startTimers: new Map([[triggerText(timer), row]]) },
    nowMs,
  );

const rowsOf = ({ deliveredIds, heldIds, endedTimers, movedTimers }: TriggerOutcomes): SettledTriggers => ({
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
    ofSignal: Partial<SettledTriggers>,
    ofTimer: Partial<SettledTriggers>,
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
    });
  }
});
