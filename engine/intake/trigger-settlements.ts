/**
 * What a signal's delivery and a start timer's firing settle: their rows, locked before the turn is applied and
 * settled in its commit.
 *
 * S1 A delivery goes with the turn that it became, and with a turn that was refused for good: the instance does
 *    not wait for the signal any more, or the start is not to be had. A failed instance holds it instead.
 * S2 A start timer that has fired, or whose start was refused for good, goes on to its next time.
 * S3 What may succeed later stays as it is.
 * S4 A start that was refused for good becomes a dead letter: nobody else would hear of it.
 */
import type { EngineError } from '../../config/engine-error.ts';
import { timesAfter } from '../deployments/start-timer-times.ts';
import type { DeadLetterWrite } from '../store/dead-letters.ts';
import { lockSignalDeliveries, signalDeliveriesExist } from '../store/signals.ts';
import {
  lockStartTimers,
  startTimersDue,
  type StartTimerKey,
  type StartTimerRow,
} from '../store/start-timers.ts';
import type { StatementRunner } from '../transport.ts';
import { isForGood, startLetter } from './dead-letter.ts';
import type { Settlement, SignalSettlement, StartTimerSettlement } from './turn.ts';

export type TriggerSettlement = SignalSettlement | StartTimerSettlement;

export interface LockedTriggers {
  /** By `triggerText`. */
  readonly signals: ReadonlySet<string>;
  readonly startTimers: ReadonlyMap<string, StartTimerRow>;
}

export function isTrigger(settles: Settlement): settles is TriggerSettlement {
  return settles.kind === 'signal' || settles.kind === 'startTimer';
}

/** Names the row among everything that turns settle. */
export function triggerText(settles: TriggerSettlement): string {
  return settles.kind === 'signal' ? signalText(settles.id) : startTimerText(settles);
}

function signalText(id: number): string {
  return `signal ${String(id)}`;
}

function startTimerText({ deploymentId, processId, startEventId, trigger }: StartTimerKey): string {
  return JSON.stringify([deploymentId, processId, startEventId, trigger]);
}

/** Locks the rows; those that are locked elsewhere are skipped and put into `lockedElsewhere`. */
export async function lockTriggers(
  runner: StatementRunner,
  settlements: readonly Settlement[],
  lockedElsewhere: Set<string>,
): Promise<LockedTriggers> {
  const ids = settlements.flatMap((settles) => (settles.kind === 'signal' ? [settles.id] : []));
  const keys = settlements.flatMap((settles) => (settles.kind === 'startTimer' ? [settles] : []));
  const signals = new Set<string>();
  if (ids.length > 0) {
    for (const id of await lockSignalDeliveries(runner, ids)) signals.add(signalText(id));
    const missing = ids.filter((id) => !signals.has(signalText(id)));
    if (missing.length > 0) {
      for (const id of await signalDeliveriesExist(runner, missing)) lockedElsewhere.add(signalText(id));
    }
  }
  const startTimers = new Map<string, StartTimerRow>();
  if (keys.length > 0) {
    for (const row of await lockStartTimers(runner, keys)) startTimers.set(startTimerText(row), row);
    const missing = keys.filter((key) => !startTimers.has(startTimerText(key)));
    if (missing.length > 0) {
      for (const key of await startTimersDue(runner, missing)) lockedElsewhere.add(startTimerText(key));
    }
  }
  return { signals, startTimers };
}

export function holdsTrigger(settles: TriggerSettlement, locked: LockedTriggers): boolean {
  const text = triggerText(settles);
  return settles.kind === 'signal' ? locked.signals.has(text) : locked.startTimers.has(text);
}

/** The rows that the commit settles. */
export interface SettledTriggers {
  readonly deliveredIds: readonly number[];
  readonly heldIds: readonly number[];
  readonly endedTimers: readonly StartTimerKey[];
  readonly movedTimers: readonly StartTimerRow[];
  readonly letters: readonly DeadLetterWrite[];
}

export class TriggerOutcomes implements SettledTriggers {
  readonly deliveredIds: number[] = [];
  readonly heldIds: number[] = [];
  readonly endedTimers: StartTimerKey[] = [];
  readonly movedTimers: StartTimerRow[] = [];
  readonly letters: DeadLetterWrite[] = [];
  readonly #locked: LockedTriggers;
  readonly #nowMs: number;

  constructor(locked: LockedTriggers, nowMs: number) {
    this.#locked = locked;
    this.#nowMs = nowMs;
  }

  settle(settles: TriggerSettlement): void {
    if (settles.kind === 'signal') {
      this.deliveredIds.push(settles.id);
      return;
    }
    const row = this.#locked.startTimers.get(triggerText(settles));
    if (row === undefined) return;
    const next = timesAfter(row, this.#nowMs);
    if (next === null) this.endedTimers.push(row);
    else this.movedTimers.push({ ...row, ...next });
  }

  refuse(settles: TriggerSettlement, error: EngineError): void {
    if (settles.kind === 'signal' && error.code === 'SUTRA.INBOUND.INSTANCE_FAILED') {
      this.heldIds.push(settles.id);
    } else if (isForGood(error)) {
      this.settle(settles);
      const letter = startLetter(settles, error);
      if (letter !== null) this.letters.push(letter);
    }
  }
}
