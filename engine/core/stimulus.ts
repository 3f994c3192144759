/** What `advance` takes: the one thing that happened to one instance. */
import type { Context, Value } from '../../definitions/value.ts';
import type { AliasValue, ReplyAddress } from './snapshot.ts';

/** A decoded, validated message. */
export interface InboundMessage {
  readonly payload: Value;
  /** Header names in lower case. Reserved `sutra-park-*` headers never get here. */
  readonly headers: Readonly<Record<string, string>>;
  /** CloudEvent attributes, or an empty context. */
  readonly event: Context;
  readonly messageType: string | null;
}

export type Stimulus =
  /** Start an instance. `startEventId` was chosen by the routing; the snapshot must be absent. */
  | {
      readonly kind: 'start';
      readonly startEventId: string;
      readonly message: InboundMessage | null;
      readonly variables: Context;
      readonly replyTo: ReplyAddress | null;
    }
  /** A message for a wait on `channel`, found by `key` (implicit) or by `aliases` (evaluated over the message). */
  | {
      readonly kind: 'message';
      readonly channel: string;
      readonly key: string | null;
      readonly aliases: readonly AliasValue[];
      readonly message: InboundMessage;
    }
  | { readonly kind: 'timer'; readonly waitId: number }
  /** An operator or a form completes the user task at which `tokenId` waits. */
  | { readonly kind: 'completeUserTask'; readonly tokenId: number; readonly variables: Context }
  /** Run the failed elements again, after the cause is gone. */
  | { readonly kind: 'retry' }
  | { readonly kind: 'cancel'; readonly reason: string };

/** What `advance` may know of the world. Everything in it is a value. */
export interface AdvanceContext {
  readonly instanceId: string;
  readonly deploymentId: string;
  /** The turn's time by the database's clock, in milliseconds since the epoch. */
  readonly nowMs: number;
  /** The names of the channels that the package can send to; absent: not checked. */
  readonly channels?: { has(name: string): boolean };
  /** Unique alias values that other instances hold, as `aliasKeyText` writes them; registering one fails. */
  readonly takenAliases?: ReadonlySet<string>;
}
