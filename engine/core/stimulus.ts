/** What `advance` takes: the one thing that happened to one instance. */
import type { CompiledExpression, CostLimits } from '../../definitions/feel.ts';
import type { Context, Value } from '../../definitions/value.ts';
import type { ProcessDefinition } from '../../definitions/model.ts';
import type { RecordKey } from './effect.ts';
import type { AliasValue, ReplyAddress } from './snapshot.ts';

/** A decoded, validated message. */
export interface InboundMessage {
  readonly payload: Value;
  /** Header names in lower case. Reserved `sutra-park-*` headers never get here. */
  readonly headers: Readonly<Record<string, string>>;
  /** CloudEvent attributes, or an empty context. */
  readonly event: Context;
  readonly messageType: string | null;
  /** Under which it is recorded, for the history; null: under none. Absent: nobody has said. */
  readonly dedupKey?: DedupKey | null;
}

export interface DedupKey {
  readonly text: string;
  /** That worked it out; null: the sender gave it. */
  readonly expression: CompiledExpression | null;
}

export type Stimulus =
  /**
   * Start an instance; the snapshot must be absent. `startEventId` was chosen by the routing: a start event,
   * or a receive task that instantiates, or a catch event or receive task behind a gateway that does. Null:
   * the process begins as a called one does (`ProcessDefinition.start`).
   */
  | {
      readonly kind: 'start';
      readonly startEventId: string | null;
      /** Which trigger of the start event has occurred. Default: the first. */
      readonly trigger?: number;
      readonly message: InboundMessage | null;
      /** The payload of the signal, when it is one that starts the instance. */
      readonly signal?: Value;
      readonly variables: Context;
      readonly replyTo: ReplyAddress | null;
    }
  /**
   * A message for a wait on `channel`, found by `key` (implicit) or by `aliases` (evaluated over the message). An
   * addressed one is for this very instance: the oldest wait for a message there takes it.
   */
  | {
      readonly kind: 'message';
      readonly channel: string;
      readonly key: string | null;
      readonly aliases: readonly AliasValue[];
      readonly isAddressed?: boolean;
      readonly message: InboundMessage;
    }
  | { readonly kind: 'timer'; readonly waitId: number }
  /** A signal that somebody else threw. All waits for it are satisfied. */
  | { readonly kind: 'signal'; readonly name: string; readonly payload: Value }
  /** Whoever works on the call that waits under `key` reports a BPMN error. */
  | {
      readonly kind: 'callError';
      readonly key: string;
      readonly code: string;
      readonly message: string | null;
      readonly variables: Context;
    }
  /** The work of the call that waits under `key` could not be done: this attempt has failed. Of calls with `q:retry`. */
  | { readonly kind: 'callFailed'; readonly key: string; readonly code: string; readonly message: string }
  /** An operator or a form completes the user task at which `tokenId` waits. */
  | { readonly kind: 'completeUserTask'; readonly tokenId: number; readonly variables: Context }
  /** Somebody starts an activity of the ad hoc sub-process at which `tokenId` waits. */
  | {
      readonly kind: 'launchActivity';
      readonly tokenId: number;
      readonly activityId: string;
      readonly variables: Context;
    }
  /** Somebody says that the ad hoc sub-process at which `tokenId` waits is done. */
  | { readonly kind: 'completeAdHoc'; readonly tokenId: number }
  /** Somebody writes variables, as seen from the token (null: from the root); conditions are looked at again. */
  | { readonly kind: 'setVariables'; readonly tokenId: number | null; readonly variables: Context }
  /** Run the failed elements again, after the cause is gone. */
  | { readonly kind: 'retry' }
  /** An operator puts tokens somewhere else. `variables` are written first, as seen from the root. */
  | { readonly kind: 'move'; readonly moves: readonly Move[]; readonly variables: Context }
  /**
   * An operator lets the instance go on with the process of another deployment, that of the same id. `elements`: ids of
   * flow nodes and sequence flows of the old model to those of the new one; what is not named keeps its id.
   */
  | {
      readonly kind: 'migrate';
      readonly deploymentId: string;
      readonly elements: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'cancel'; readonly reason: string };

/** One token, from the element where it is to another one in the same scope. */
export interface Move {
  readonly from: string;
  /** Null: there is but one at `from`. */
  readonly tokenId: number | null;
  readonly to: string;
}

/** What `advance` may know of the world. Everything in it is a value. */
export interface AdvanceContext {
  readonly instanceId: string;
  readonly deploymentId: string;
  /** The turn's time by the database's clock, in milliseconds since the epoch. */
  readonly nowMs: number;
  /** What the turn may cost; absent: what an operator has not changed. */
  readonly costLimits?: CostLimits;
  /** The channels that the package can send to; absent: not checked. */
  readonly channels?: ChannelDirectory;
  /** Finds processes that call activities run; absent: none can be called. */
  readonly calls?: CallDirectory;
  /** Records of data stores as read in the turn's transaction; what is not in here is asked for (`incomplete`). */
  readonly records?: RecordReader;
  /** Unique alias values that other instances hold, as `aliasKeyText` writes them; registering one fails. */
  readonly takenAliases?: ReadonlySet<string>;
}

export interface CallDirectory {
  /** The process that a call reaches now, or null. `callerDeploymentId`: whose process calls. */
  resolve(
    processId: string,
    binding: 'caller' | 'latest',
    callerDeploymentId: string,
  ): { readonly deploymentId: string; readonly process: ProcessDefinition } | null;
  /** A process that was called before. Must be there for every `called` scope of the snapshot. */
  get(deploymentId: string, processId: string): ProcessDefinition | null;
  /** As `AdvanceContext.channels`, of that deployment. */
  channelsOf(deploymentId: string): ChannelDirectory | undefined;
}

export interface ChannelDirectory {
  has(name: string): boolean;
  /** `task: priority` of the channel; null: it has none. Absent: no channel has. */
  taskPriorityOf?(name: string): CompiledExpression | null;
}

export interface RecordReader {
  /** The record's value, null when there is none; undefined when it was not read (for update, if asked). */
  get(key: RecordKey): Value | undefined;
}
