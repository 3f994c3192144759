/**
 * A turn: one stimulus on its way to its instance (or to the few that a broadcast reaches), with what
 * it settles. What it reaches is decided inside the batch, under the locks.
 *
 * U1 A turn is answered exactly once: applied, duplicate, refused or failed.
 * U2 A turn that is not applied changed nothing, its inbox key included.
 */
import type { EngineError } from '../../config/engine-error.ts';
import type { Stimulus } from '../core/stimulus.ts';
import type { LetterKey, LetterStart } from '../store/dead-letters.ts';
import type { AliasKey } from '../store/turn-aliases.ts';
import type { InboxKey, StoredReply } from '../store/turn-inbox.ts';
import type { JournalEntry } from './instance-work.ts';
import type { DryTurn } from './turn-preview.ts';

/** Start one new instance under an id that was drawn before the batch. */
export interface StartTarget {
  readonly kind: 'start';
  readonly instanceId: string;
  readonly tenant: string;
  readonly module: string;
  readonly deploymentId: string;
  readonly processId: string;
  readonly stimulus: Extract<Stimulus, { kind: 'start' }>;
}

/** Give the stimulus to an instance that exists. */
export interface InstanceTarget {
  readonly kind: 'instance';
  readonly instanceId: string;
  /** A key from outside reaches only instances of the sender's module; null: any, an operator's command. */
  readonly scope: { readonly tenant: string; readonly module: string } | null;
  readonly stimulus: Exclude<Stimulus, { kind: 'start' }>;
}

/** Give the message to whoever registered one of these alias values. */
export interface AliasTarget {
  readonly kind: 'alias';
  readonly keys: readonly AliasKey[];
  /** Names whose values may reach several instances. */
  readonly multiNames: ReadonlySet<string>;
  readonly stimulus: Extract<Stimulus, { kind: 'message' }>;
}

export type Target = StartTarget | InstanceTarget | AliasTarget;

/** A worker's completion: the target is known only when the task's row is locked. */
export interface TaskSettlement {
  readonly kind: 'task';
  readonly taskId: string;
  readonly workerId: string;
  readonly lockToken: string | null;
  readonly completionId: string | null;
  readonly result: { readonly contentType: string; readonly body: Uint8Array } | null;
  /** The work could not be done, and the call that waits for it is to make another attempt. */
  readonly failure?: CallFailure;
  /** The work has ended in a BPMN error, which the call that waits for it is to throw. */
  readonly bpmnError?: CallBpmnError;
}

/** As `TaskBpmnError`. */
export interface CallBpmnError {
  readonly code: string;
  readonly message: string | null;
  readonly variables: Uint8Array | null;
}

/** Only a result is recorded as the message that it is; what else ends an attempt has no dedup key. */
export function isResult({ failure, bpmnError }: TaskSettlement): boolean {
  return failure === undefined && bpmnError === undefined;
}

/** Why an attempt of a call has failed. */
export interface CallFailure {
  readonly code: string;
  readonly message: string;
}

export interface TimerSettlement {
  readonly kind: 'timer';
  readonly instanceId: string;
  readonly waitId: number;
}

export interface OutboxSettlement {
  readonly kind: 'outbox';
  readonly id: string;
}

/** A signal on its way. */
export interface SignalSettlement {
  readonly kind: 'signal';
  readonly id: number;
  /** What it is to start, for the dead letter; null: it is for an instance. */
  readonly start: SignalStart | null;
}

export interface SignalStart extends LetterStart {
  readonly tenant: string;
  readonly module: string;
  readonly name: string;
  /** An encoded value. */
  readonly payload: string;
}

/** A timer that starts instances. */
export interface StartTimerSettlement extends LetterStart {
  readonly kind: 'startTimer';
  readonly tenant: string;
  readonly module: string;
}

/** A dead letter that is replayed, as it was read. */
export interface DeadLetterSettlement extends LetterKey {
  readonly kind: 'deadLetter';
}

export type Settlement =
  | TaskSettlement
  | TimerSettlement
  | OutboxSettlement
  | SignalSettlement
  | StartTimerSettlement
  | DeadLetterSettlement;

export interface TurnRequest {
  /** Decides the shard: turns of one instance meet in one, so that they never contend. */
  readonly shardKey: string;
  readonly dedup: InboxKey | null;
  readonly settles: Settlement | null;
  /** Alternatives in order; the first that is not refused for want of a wait is taken. */
  readonly targets: readonly Target[];
  /** All start targets are taken together: a broadcast. */
  readonly isBroadcast: boolean;
  /** It is applied under the lock of its instance, its one target, and nothing of it is kept. */
  readonly isDry?: true;
  /** What brought it, for the journal, where neither the stimulus nor the settlement says it. */
  readonly cause?: JournalEntry;
}

/** As `TurnQueue.submit`. */
export type SubmitTurn = (request: TurnRequest) => Promise<TurnAnswer>;

/** What an instance became by the commit. */
export interface InstanceAfterTurn {
  readonly instanceId: string;
  readonly status: 'running' | 'completed' | 'terminated' | 'failed';
  readonly failure: { readonly code: string; readonly message: string } | null;
  readonly reply: StoredReply | null;
  /** The commit started it. */
  readonly isNew: boolean;
}

export interface TaskFacts {
  readonly taskId: string;
  readonly channel: string;
  readonly instanceId: string;
}

export type TurnAnswer =
  | {
      readonly kind: 'applied';
      readonly instances: readonly InstanceAfterTurn[];
      readonly task: TaskFacts | null;
    }
  | {
      readonly kind: 'duplicate';
      readonly instanceId: string;
      readonly key: InboxKey | null;
      readonly task: TaskFacts | null;
    }
  /** A receipt says that this very completion was accepted before. */
  | { readonly kind: 'replayed'; readonly task: TaskFacts }
  /** A dry turn: what it would have done. */
  | { readonly kind: 'previewed'; readonly turn: DryTurn }
  /** What it settles is gone already. */
  | { readonly kind: 'gone' }
  /** Locked elsewhere: try again later. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'refused'; readonly error: EngineError };
