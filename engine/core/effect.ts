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
      /** The part that holds the wait, to be given with the timer's stimulus; null: none. */
      readonly partId: number | null;
    }
  | { readonly kind: 'timerCleared'; readonly waitId: number }
  /** For everyone who waits for that signal now, and for its start events. This instance has had it already. */
  | {
      readonly kind: 'signalThrown';
      readonly name: string;
      readonly payload: Value;
      readonly elementId: string;
    }
  /** The next value of a record of a data store. */
  | { readonly kind: 'recordWritten'; readonly store: string; readonly key: string; readonly value: Value }
  /** The instance runs a process of another deployment, which must stay until the instance has ended. */
  | { readonly kind: 'deploymentCalled'; readonly deploymentId: string }
  /**
   * A call that waits belongs to another model now: so do its outbox row and its parked task. Nothing else of them has
   * changed.
   */
  | {
      readonly kind: 'callMigrated';
      readonly idempotencyKey: string;
      readonly deploymentId: string;
      readonly processId: string;
      readonly elementId: string;
      /** As of `SendEffect`, by the new model. */
      readonly terminalWait: SendEffect['terminalWait'];
    }
  | AliasEffect
  | ReplyEffect
  | HistoryEffect
  /** The instance's status changed. `failure` is set when it became `failed`. */
  | { readonly kind: 'statusChanged'; readonly status: InstanceStatus; readonly failure: Failure | null };

/** One outbox row. */
export interface SendEffect {
  readonly kind: 'send';
  /** Of the process that sends: a called process may be of another deployment than the instance. */
  readonly deploymentId: string;
  readonly processId: string;
  readonly elementId: string;
  readonly channel: string;
  readonly idempotencyKey: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string | null;
  readonly body: Value;
  /** A channel call: the instance waits for the answer under the idempotency key. */
  readonly expectsAnswer: boolean;
  /** Of the task that it becomes, where workers take it: higher first. Else 0, which means nothing. */
  readonly priority: number;
  /** The name when the task is a `registered:` function, else null. */
  readonly registeredName: string | null;
  /** The instant after which no attempt may start (`q:timeout`), or null. */
  readonly deadlineMs: number | null;
  /** The call's wait, where the author catches that its task turns terminal: it is to be fired like a timer then. */
  readonly terminalWait: { readonly waitId: number; readonly partId: number | null } | null;
}

export interface AliasEffect {
  readonly kind: 'aliasSet';
  /** Whose module the alias belongs to. */
  readonly deploymentId: string;
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

/** One line of the instance's journal. */
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
    | 'attemptFailed'
    | 'attemptStarted'
    | 'errorThrown'
    | 'escalationThrown'
    | 'signalThrown'
    | 'signalReceived'
    | 'conditionMet'
    | 'compensationThrown'
    | 'variablesSet'
    | 'failed'
    | 'retried'
    | 'moved'
    | 'migrated'
    | 'elementMigrated'
    | 'cancelled'
    | 'ended';
  readonly elementId: string | null;
  /** Facts: `flowId`, `channel`, `idempotencyKey`, `code`, … */
  readonly detail: Readonly<Record<string, string | number | boolean | null>>;
  /** Of an audited element, without what is sensitive (audit.ts). Absent: metadata only. */
  readonly payload?: Value;
}

/** Codes of a refusal are rows of `engine/core/codes.ts`. */
export type AdvanceResult =
  | { readonly kind: 'advanced'; readonly snapshot: Snapshot; readonly effects: readonly Effect[] }
  /**
   * Nothing changed: the turn needs more than it was given. Give it and apply the stimulus again.
   * `needsParts`: all parts of the instance. `records`: of data stores, by `AdvanceContext.records`.
   */
  | {
      readonly kind: 'incomplete';
      readonly needsParts: boolean;
      readonly records: readonly RecordKey[];
    }
  /** Nothing changed: the stimulus does not fit the snapshot. `isRetryable`: it may fit later. */
  | {
      readonly kind: 'refused';
      readonly code: string;
      readonly message: string;
      readonly isRetryable: boolean;
      /** Of a migration: all that is in its way. At most 100; the last one then says how many more there are. */
      readonly reasons?: readonly RefusalReason[];
    };

/** One thing that is in the way, and where. */
export interface RefusalReason {
  /** Of the model that the instance has now; null: no element in particular. */
  readonly elementId: string | null;
  readonly tokenId: number | null;
  readonly message: string;
}

/** One record of a data store of the instance's tenant. */
export interface RecordKey {
  readonly store: string;
  readonly key: string;
  /** It must be locked until the turn's commit. */
  readonly isForUpdate: boolean;
}
