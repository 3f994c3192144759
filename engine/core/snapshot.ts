/**
 * The durable state of a process instance at a quiescent point.
 *
 * S1 A snapshot is plain immutable data; `decodeSnapshot(encodeSnapshot(s))` deep-equals `s`.
 * S2 Every token sits in exactly one scope, at one flow node, in one state.
 * S3 Every wait belongs to a token that exists; ending a token ends its waits.
 * S4 `status` is `completed` or `terminated` if and only if there is no token, no wait and no scope
 *    but the root; a `failed` instance keeps its tokens, the failed ones in state `failed`.
 * S5 Ids are drawn from `nextSequence`, so the same stimuli give the same bytes.
 */
import type { Context } from '../../definitions/value.ts';

export type InstanceStatus = 'running' | 'completed' | 'terminated' | 'failed';

export interface Snapshot {
  readonly formatVersion: 1;
  readonly instanceId: string;
  readonly deploymentId: string;
  readonly processId: string;
  readonly status: InstanceStatus;
  /** The next number for tokens, scopes, waits and idempotency keys. */
  readonly nextSequence: number;
  readonly scopes: readonly Scope[];
  readonly tokens: readonly Token[];
  readonly waits: readonly Wait[];
  /** Aliases registered by this instance: they stay until it ends. */
  readonly aliases: readonly AliasValue[];
  /** Where a `q:reply` goes: the key of the message that started the instance, or null. */
  readonly replyTo: ReplyAddress | null;
  /** Set while `failed`: the first unrepaired failure. */
  readonly failure: Failure | null;
}

/** A sub-process frame, or the process itself (`parentId` null, id 0). */
export interface Scope {
  readonly id: number;
  readonly parentId: number | null;
  /** The process id or the sub-process' element id. */
  readonly elementId: string;
  /** The token parked at the sub-process node, or null for the root. */
  readonly ownerTokenId: number | null;
  readonly variables: Context;
}

export interface Token {
  /** Stands for one visit to one node: the token gets another one when it moves on. */
  readonly id: number;
  readonly scopeId: number;
  readonly elementId: string;
  /**
   * `waiting`: at a wait state, or owner of a child scope. `joining`: arrived at a parallel or
   * inclusive join over `arrivedByFlowId`. `failed`: the element could not be executed.
   */
  readonly state: 'waiting' | 'joining' | 'failed';
  readonly arrivedByFlowId: string | null;
  /**
   * Set when `failed`: where a retry takes up again. `entering`: the element runs from its beginning;
   * `completing`: its work is done, its assignments and its reply are not; `leaving`: all but the way out.
   */
  readonly failedIn?: 'entering' | 'completing' | 'leaving';
}

interface WaitBase {
  readonly id: number;
  readonly tokenId: number;
  /** The node that continues when the wait is satisfied: the token's own, a boundary event, or a
   * catch event behind an event-based gateway. */
  readonly elementId: string;
}

export type Wait =
  | (WaitBase & {
      readonly kind: 'timer';
      readonly dueAtMs: number;
      readonly purpose: 'event' | 'call-timeout';
    })
  | (WaitBase & {
      readonly kind: 'message';
      readonly channel: string;
      /** Registered correlation values; empty: only the implicit key of one of our sends matches. */
      readonly aliases: readonly AliasValue[];
    })
  | (WaitBase & {
      readonly kind: 'call';
      /** The channel on which the answer comes. */
      readonly channel: string;
      readonly requestChannel: string;
      /** The request's idempotency key: the implicit correlation key of this very attempt. */
      readonly idempotencyKey: string;
      readonly aliases: readonly AliasValue[];
      readonly attempt: number;
    })
  | (WaitBase & { readonly kind: 'user-task' });

export interface AliasValue {
  readonly name: string;
  readonly value: string;
}

export interface ReplyAddress {
  readonly channel: string;
  /** Null: the message had no dedup key, so the reply is not kept for duplicates. */
  readonly dedupKey: string | null;
}

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly elementId: string;
  readonly tokenId: number | null;
  readonly atMs: number;
}
