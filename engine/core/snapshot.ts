/**
 * The durable state of a process instance at a quiescent point.
 *
 * S1 A snapshot is plain immutable data; `decodeSnapshot(encodeSnapshot(s))` deep-equals `s`.
 * S2 Every token sits in exactly one scope, at one flow node, in one state.
 * S3 Every wait belongs to a token or to a scope that exists; ending that ends its waits.
 * S4 `status` is `completed` or `terminated` if and only if there is no token, no wait and no scope
 *    but the root; a `failed` instance keeps its tokens, the failed ones in state `failed`.
 * S5 Ids are drawn from `nextSequence`, so the same stimuli give the same bytes.
 * S6 What a part holds (the frame of one instance of a parallel multi-instance activity) refers to nothing in
 *    another part, and the rest of the snapshot refers to nothing in a part. So a turn loads only the parts
 *    that it concerns, and a wide multi-instance activity costs no more a turn than a narrow one.
 * Optional properties are absent, not null, when they say nothing: most snapshots have none of them.
 */
import type { Context, Value } from '../../definitions/value.ts';

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
  /** The loaded parts, in the order of their ids. Absent parts are those that the turn was not given. */
  readonly parts?: readonly Part[];
  /** What has completed and can be compensated, in order of completion. */
  readonly compensations?: readonly CompensationRecord[];
  /** Aliases registered by this instance: they stay until it ends. */
  readonly aliases: readonly AliasValue[];
  /** Where a `q:reply` goes: the key of the message that started the instance, or null. */
  readonly replyTo: ReplyAddress | null;
  /** Set while `failed`: the first unrepaired failure. */
  readonly failure: Failure | null;
}

/** A place where tokens live: the process itself (`parentId` null, id 0), or one of the kinds below. */
export interface Scope {
  readonly id: number;
  /** The scope whose variables are visible here, and that errors and escalations go to next. */
  readonly parentId: number | null;
  /** The process id, or the id of the activity whose scope this is. */
  readonly elementId: string;
  /** The token that waits for this scope to end, or null for the root. It is not always in the parent scope. */
  readonly ownerTokenId: number | null;
  readonly variables: Context;
  /**
   * Absent: the inside of a sub-process, an event sub-process or the process. `frame`: one run of the
   * activity `elementId` that loops or has local data; it holds one token, at that very activity. `called`:
   * the process that a call activity runs. `handler`: one run of the compensation handler `elementId`.
   * `restored`: the inside of a completed sub-process, opened again to be compensated.
   */
  readonly kind?: 'frame' | 'called' | 'handler' | 'restored';
  /** Of a `frame` of a loop: which run it is, from 0. */
  readonly index?: number;
  /** Of a `called` scope: what runs in it and in the scopes inside. */
  readonly called?: { readonly deploymentId: string; readonly processId: string };
  /** By id: complex gateways that have fired and wait to be reset, and the flows whose tokens they took. */
  readonly complexGateways?: Readonly<Record<string, readonly string[]>>;
}

export interface Token {
  /** Stands for one visit to one node: the token gets another one when it moves on. */
  readonly id: number;
  readonly scopeId: number;
  readonly elementId: string;
  /**
   * `waiting`: at a wait state, or owner of a child scope. `joining`: arrived at a parallel, inclusive or
   * complex join over `arrivedByFlowId`. `failed`: the element could not be executed.
   */
  readonly state: 'waiting' | 'joining' | 'failed';
  readonly arrivedByFlowId: string | null;
  /**
   * Set when `failed`: where a retry takes up again. `entering`: the element runs from its beginning;
   * `completing`: its work is done, its assignments and its reply are not; `leaving`: all but the way out.
   */
  readonly failedIn?: 'entering' | 'completing' | 'leaving';
  /** Of a token that waits for the frames of a looping activity. */
  readonly loop?: LoopState;
  /** Of a token that waits for compensation handlers. */
  readonly compensating?: CompensationState;
}

/** How far the loop of an activity has come. BPMN 2.0.2 §10.3.8, the instance attributes. */
export interface LoopState {
  /** How many runs there will be; null: decided run by run (standard loop). */
  readonly total: number | null;
  readonly started: number;
  readonly active: number;
  readonly completed: number;
  /** Of a sequential loop over a collection: the items of the runs that have not started. */
  readonly items?: readonly Value[];
  /** What the runs have put out, by run, where the model collects it and the frames are not parts. */
  readonly outputs?: Readonly<Record<string, Value>>;
  /** The frames are parts. */
  readonly isParted?: true;
}

/**
 * The frame of one instance of a parallel multi-instance activity and all that is inside it, stored beside
 * the snapshot. One that has completed has no scopes left and stays only for its output.
 */
export interface Part {
  /** The id of the frame's scope. */
  readonly id: number;
  /** The token of the looping activity. */
  readonly ownerTokenId: number;
  readonly index: number;
  readonly scopes: readonly Scope[];
  readonly tokens: readonly Token[];
  readonly waits: readonly Wait[];
  readonly output?: Value;
}

/** An activity that has completed and can be compensated. BPMN 2.0.2 §10.7.1, §13.5.5. */
export interface CompensationRecord {
  readonly id: number;
  /** The scope in which it can be compensated. */
  readonly scopeId: number;
  readonly elementId: string;
  /** The activity on the compensation boundary event; null: what is inside (`records`, an event sub-process). */
  readonly handlerId: string | null;
  /** The local variables as they were: of the frame, or of the sub-process. */
  readonly variables?: Context;
  /** What completed inside a sub-process, or the runs of a loop, in order of completion. */
  readonly records?: readonly CompensationRecord[];
  /** `records` are runs of a parallel multi-instance activity: compensated at the same time. */
  readonly isParallel?: true;
  /** The token of the looping activity whose run this was; until that completes, it cannot be compensated. */
  readonly pendingTokenId?: number;
}

export interface CompensationState {
  /** Still to run, the next one last. */
  readonly groups: readonly CompensationGroup[];
  /** Nobody waits for the handlers: the token was born to run them and ends with them. */
  readonly isDetached?: true;
}

/** Handlers that run at the same time. */
export type CompensationGroup = readonly CompensationRun[];

export interface CompensationRun {
  readonly record: CompensationRecord;
  /** The scope that the handler runs in; a `restored` one is opened for records from inside a sub-process. */
  readonly scopeId: number;
}

interface WaitBase {
  readonly id: number;
  /** Null: the start event of an event sub-process, waiting as long as the scope `scopeId` lives. */
  readonly tokenId: number | null;
  readonly scopeId?: number;
  /** The node that continues when the wait is satisfied: the token's own, a boundary event, a catch event
   * behind an event-based gateway, or the start event of an event sub-process. */
  readonly elementId: string;
  /** Which of the node's triggers; absent: the first. */
  readonly trigger?: number;
}

/** One attempt of a call: 1 is the first. The key is the idempotency key of its request. */
export interface CallAttempt {
  readonly attempt: number;
  readonly key: string;
}

export type Wait =
  | (WaitBase & {
      readonly kind: 'timer';
      readonly dueAtMs: number;
      readonly purpose: 'event' | 'call-timeout' | 'call-retry';
      /** Of a `call-retry`: which attempt is made when it is due, and its key. */
      readonly retry?: CallAttempt;
      /** How often it fires again after this time (null: without end), and how long after. */
      readonly cycle?: { readonly remaining: number | null; readonly intervalMs: number };
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
      /** 1, and more under `q:retry`. */
      readonly attempt: number;
    })
  | (WaitBase & { readonly kind: 'user-task' })
  | (WaitBase & { readonly kind: 'signal'; readonly name: string })
  /** Fires when its condition becomes true. `wasTrue`: it already was when it was last looked at. */
  | (WaitBase & { readonly kind: 'condition'; readonly wasTrue: boolean })
  /** An ad hoc sub-process that waits for someone to launch an activity or to complete it. */
  | (WaitBase & { readonly kind: 'ad-hoc' });

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
