/** What the relay and the clock ask of the intake: turns that settle a row in their own commit. */
import type { Delivery } from '../transport.ts';

/**
 * `done`: the turn is committed and the row is gone. `gone`: the row was settled by someone else.
 * `busy`: the row or its instance is locked elsewhere; leave the row for a later round.
 */
export type SettledTurn = 'done' | 'gone' | 'busy';

export interface TimerPort {
  fireTimer(timer: { readonly instanceId: string; readonly waitId: number }): Promise<SettledTurn>;
}

export interface LoopbackPort {
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
