/** What the relay and the clocks ask of the intake: turns that settle a row in their own commit. */
import type { DueSignal } from '../store/signals.ts';
import type { DueStartTimer } from '../store/start-timers.ts';
import type { Delivery } from '../transport.ts';
import type { CallFailure } from './turn.ts';

/**
 * `done`: the turn is committed and the row is gone. `gone`: the row was settled by someone else.
 * `busy`: the row or its instance is locked elsewhere; leave the row for a later round.
 */
export type SettledTurn = 'done' | 'gone' | 'busy';

export interface TimerPort {
  fireTimer(timer: { readonly instanceId: string; readonly waitId: number }): Promise<SettledTurn>;
}

export interface StartTimerPort {
  /** Starts an instance and moves the timer to its next time. @throws EngineError when the start is refused. */
  fireStartTimer(timer: DueStartTimer): Promise<SettledTurn>;
}

/**
 * As `SettledTurn`. `dropped`: the instance does not wait for the signal any more; the row is gone.
 * `held`: the instance has failed; the row is kept until its repair.
 */
export type SettledSignal = SettledTurn | 'dropped' | 'held';

export interface SignalPort {
  /** @throws EngineError when a start is refused (the row is gone then), or no turn could be made (it stays). */
  deliverSignal(signal: DueSignal): Promise<SettledSignal>;
}

/** For calls with `q:retry`. */
export interface CallFailurePort {
  /**
   * The task's attempt has failed: the task goes, and the call has another attempt or its instance the failure.
   * @throws EngineError with a verdict of protocol §3; `SUTRA.EXTERNAL_TASK.COMPLETION_REJECTED` for a call without `q:retry`.
   */
  failTask(
    task: { readonly taskId: string; readonly workerId: string; readonly lockToken: string },
    failure: CallFailure,
  ): Promise<void>;
}

export interface LoopbackPort {
  /**
   * The delivery of a call's request is given up: if the call has `q:retry`, the row goes, and the call has another
   * attempt or its instance the failure.
   * @returns false: nobody takes it over, and the row is untouched
   */
  failFromOutbox(delivery: Delivery, failure: CallFailure): Promise<boolean>;
  /**
   * Takes an outbox row in as a message on the channel `delivery.channel` of the same tenant and module,
   * under the delivery's idempotency key, and deletes the row in the same commit. With `answer`, the
   * message is that answer to the delivery's call instead of the delivery's own body.
   * @throws EngineError when the inbound path refuses the message; the row is untouched then.
   */
  deliverFromOutbox(
    delivery: Delivery,
    answer: {
      readonly contentType: string | null;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Uint8Array;
    } | null,
  ): Promise<SettledTurn>;
}
