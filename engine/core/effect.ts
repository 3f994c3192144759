/** What `advance` returns beside the next snapshot: everything the commit must also do. */
import type { Value } from '../../definitions/value.ts';
import type { Failure, InstanceStatus, Snapshot } from './snapshot.ts';

export type Effect =
  | SendEffect
  /** A delivery that is no longer wanted: its outbox row or parked task goes in the same commit. */
  | { readonly kind: 'callWithdrawn'; readonly idempotencyKey: string; readonly elementId: string }
  | {
      readonly kind: 'timerSet';
      readonly waitId: number;
      readonly elementId: string;
      readonly dueAtMs: number;
    }
  | { readonly kind: 'timerCleared'; readonly waitId: number }
  | AliasEffect
  | ReplyEffect
  | HistoryEffect
  /** The instance's status changed. `failure` is set when it became `failed`. */
  | { readonly kind: 'statusChanged'; readonly status: InstanceStatus; readonly failure: Failure | null };

/** One outbox row. */
export interface SendEffect {
  readonly kind: 'send';
  readonly elementId: string;
  readonly channel: string;
  readonly idempotencyKey: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string | null;
  readonly body: Value;
  /** A channel call: the instance waits for the answer under the idempotency key. */
  readonly expectsAnswer: boolean;
  /** The name when the task is a `registered:` function, else null. */
  readonly registeredName: string | null;
  /** The instant after which no attempt may start (`q:timeout`), or null. */
  readonly deadlineMs: number | null;
}

export interface AliasEffect {
  readonly kind: 'aliasSet';
  readonly name: string;
  readonly value: string;
  readonly isUnique: boolean;
  readonly onConflict: 'reject' | 'correlate';
  readonly elementId: string;
}

export interface ReplyEffect {
  readonly kind: 'reply';
  readonly elementId: string;
  readonly contentType: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Value;
  readonly isContinued: boolean;
}

/** One line of the instance's journal. Metadata only: no payload. */
export interface HistoryEffect {
  readonly kind: 'history';
  readonly event:
    | 'started'
    | 'messageReceived'
    | 'timerFired'
    | 'entered'
    | 'completed'
    | 'interrupted'
    | 'flowTaken'
    | 'sent'
    | 'errorThrown'
    | 'failed'
    | 'retried'
    | 'cancelled'
    | 'ended';
  readonly elementId: string | null;
  /** Facts: `flowId`, `channel`, `idempotencyKey`, `code`, … */
  readonly detail: Readonly<Record<string, string | number | boolean | null>>;
}

/** Codes of a refusal are rows of `engine/core/codes.ts`. */
export type AdvanceResult =
  | { readonly kind: 'advanced'; readonly snapshot: Snapshot; readonly effects: readonly Effect[] }
  /** Nothing changed: the stimulus does not fit the snapshot. `isRetryable`: it may fit later. */
  | {
      readonly kind: 'refused';
      readonly code: string;
      readonly message: string;
      readonly isRetryable: boolean;
    };
