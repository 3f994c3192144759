/**
 * The compiled process model: what a BPMN file means to the engine, checked and immutable.
 *
 * M1 Every id in `incoming`, `outgoing`, `boundaryEventIds`, `attachedToId` and `children` exists in
 *    the same process.
 * M2 Every node that a token can reach has a kind that the core executes; anything else was refused.
 * M3 Expressions are compiled: a model that exists cannot fail to parse later.
 * M4 Everything carries a `place`, so that a fault at run time names file, line, column and element.
 */
import type { Place } from '../config/engine-error.ts';
import type { CompiledExpression } from './feel.ts';

export interface ProcessDefinition {
  readonly id: string;
  readonly name: string | null;
  readonly place: Place;
  /** All flow nodes of the process, those inside sub-processes included, by id. */
  readonly nodes: ReadonlyMap<string, FlowNode>;
  readonly flows: ReadonlyMap<string, SequenceFlow>;
  /** Ids of the flow nodes directly inside the process. */
  readonly children: readonly string[];
  /** Declared variables (`q:variables`), by name. */
  readonly variables: ReadonlyMap<string, VariableDeclaration>;
}

export interface SequenceFlow {
  readonly id: string;
  readonly name: string | null;
  readonly sourceId: string;
  readonly targetId: string;
  readonly condition: CompiledExpression | null;
  readonly place: Place;
}

export interface VariableDeclaration {
  readonly name: string;
  readonly type: string | null;
  /** Never shown by the operate routes, never in history. */
  readonly isSensitive: boolean;
  readonly isTransient: boolean;
}

interface NodeBase {
  readonly id: string;
  readonly name: string | null;
  readonly place: Place;
  /** The process id or the sub-process id that directly contains this node. */
  readonly parentId: string;
  readonly incoming: readonly string[];
  readonly outgoing: readonly string[];
}

interface ActivityBase extends NodeBase {
  readonly boundaryEventIds: readonly string[];
  /** The outgoing flow taken when no condition holds, or null. BPMN 2.0.2 §10.2 "default". */
  readonly defaultFlowId: string | null;
}

// --- q: vocabulary -----------------------------------------------------------------------------

/** `q:source`: messages on `channel` arrive here. */
export interface SourceDefinition {
  readonly channel: string;
  /** The variable that receives the message's payload. Default `payload`. */
  readonly variable: string;
  readonly messageType:
    | { readonly kind: 'exact'; readonly value: string }
    | { readonly kind: 'pattern'; readonly pattern: string }
    | { readonly kind: 'any' };
  readonly dedupKey: CompiledExpression | null;
  readonly ack: 'on-persist' | 'on-complete' | null;
  readonly dataClass: string | null;
  readonly place: Place;
}

/**
 * `q:alias`: an author's named correlation key. The expression is evaluated over the instance's
 * scope to register a value, and over `{payload, header, event}` of a message to find it.
 */
export interface AliasDefinition {
  readonly name: string;
  readonly expression: CompiledExpression;
  readonly isUnique: boolean;
  readonly onConflict: 'reject' | 'correlate';
  /** A message may go to every instance that matches, not just to one. */
  readonly isMulti: boolean;
  readonly place: Place;
}

export interface HeaderDefinition {
  readonly name: string;
  readonly value: CompiledExpression;
}

/** `q:send`: exactly one of `channel` and `destination` is set. */
export interface SendDefinition {
  readonly channel: string | null;
  /** A FEEL expression that yields the name of the channel. */
  readonly destination: CompiledExpression | null;
  readonly contentType: string | null;
  readonly body: CompiledExpression | null;
  readonly headers: readonly HeaderDefinition[];
  readonly place: Place;
}

/** `q:reply`: the answer to the held HTTP request that started the instance. */
export interface ReplyDefinition {
  readonly contentType: string | null;
  readonly body: CompiledExpression | null;
  readonly headers: readonly HeaderDefinition[];
  /** More replies may follow: the request is not answered by this one alone. */
  readonly isContinued: boolean;
  readonly place: Place;
}

export interface ParamDefinition {
  readonly name: string;
  readonly expression: CompiledExpression;
}

/** One `bpmn:assignment`: evaluate `from`, store into the variable (or dotted path) `to`. */
export interface AssignmentDefinition {
  readonly from: CompiledExpression;
  readonly to: readonly string[];
  readonly place: Place;
}

// --- events ------------------------------------------------------------------------------------

export type TimerDefinition =
  | {
      readonly kind: 'duration';
      readonly expression: CompiledExpression | null;
      readonly durationMs: number | null;
      readonly place: Place;
    }
  | {
      readonly kind: 'date';
      readonly expression: CompiledExpression | null;
      readonly dueAtMs: number | null;
      readonly place: Place;
    };

export type CatchDefinition =
  | {
      readonly kind: 'message';
      readonly source: SourceDefinition;
      readonly aliases: readonly AliasDefinition[];
    }
  | { readonly kind: 'timer'; readonly timer: TimerDefinition }
  /** Only on boundary events. A null code catches every BPMN error. */
  | {
      readonly kind: 'error';
      readonly errorCode: string | null;
      readonly codeVariable: string | null;
      readonly messageVariable: string | null;
    };

export interface StartEvent extends NodeBase {
  readonly kind: 'startEvent';
  /** Null: a none start event (inside a sub-process, or started by id). */
  readonly source: SourceDefinition | null;
  readonly aliases: readonly AliasDefinition[];
}

export interface EndEvent extends NodeBase {
  readonly kind: 'endEvent';
  readonly result:
    | { readonly kind: 'none' }
    | { readonly kind: 'terminate' }
    | { readonly kind: 'error'; readonly errorCode: string }
    | { readonly kind: 'message'; readonly send: SendDefinition };
  readonly reply: ReplyDefinition | null;
}

export interface IntermediateCatchEvent extends NodeBase {
  readonly kind: 'intermediateCatchEvent';
  readonly event: CatchDefinition;
}

export interface IntermediateThrowEvent extends NodeBase {
  readonly kind: 'intermediateThrowEvent';
  readonly event: { readonly kind: 'none' } | { readonly kind: 'message'; readonly send: SendDefinition };
  readonly reply: ReplyDefinition | null;
}

export interface BoundaryEvent extends NodeBase {
  readonly kind: 'boundaryEvent';
  readonly attachedToId: string;
  readonly isInterrupting: boolean;
  readonly event: CatchDefinition;
}

// --- activities --------------------------------------------------------------------------------

/** What a service task does. `registered` is a function of the embedding program. */
export type Implementation =
  | { readonly kind: 'channel'; readonly channel: string }
  | { readonly kind: 'registered'; readonly name: string }
  | { readonly kind: 'data' };

export interface RetryDefinition {
  readonly maxAttempts: number;
  readonly initialDelayMs: number;
  readonly backoffCoefficient: number;
  readonly maxDelayMs: number;
  readonly nonRetryableCodes: readonly string[];
}

export interface ServiceTask extends ActivityBase {
  readonly kind: 'serviceTask';
  readonly implementation: Implementation;
  readonly params: readonly ParamDefinition[];
  /** `q:output`: the variable that receives the answer. Null: an object answer merges into the scope. */
  readonly outputVariable: string | null;
  readonly headers: readonly HeaderDefinition[];
  readonly contentType: string | null;
  /** The channel on which the answer comes. Null: the request's own channel. */
  readonly responseSource: SourceDefinition | null;
  readonly aliases: readonly AliasDefinition[];
  readonly timeoutMs: number | null;
  readonly retry: RetryDefinition | null;
  /** Data assignments, in document order, run when the task completes (the whole task for `data`). */
  readonly assignments: readonly AssignmentDefinition[];
  readonly reply: ReplyDefinition | null;
}

export interface SendTask extends ActivityBase {
  readonly kind: 'sendTask';
  readonly send: SendDefinition;
  readonly reply: ReplyDefinition | null;
}

export interface ReceiveTask extends ActivityBase {
  readonly kind: 'receiveTask';
  readonly source: SourceDefinition;
  readonly aliases: readonly AliasDefinition[];
  readonly reply: ReplyDefinition | null;
}

export interface UserTask extends ActivityBase {
  readonly kind: 'userTask';
  /** Null: completed only by the operate route for user tasks. */
  readonly source: SourceDefinition | null;
  readonly aliases: readonly AliasDefinition[];
  readonly assignments: readonly AssignmentDefinition[];
  readonly reply: ReplyDefinition | null;
}

export interface ScriptTask extends ActivityBase {
  readonly kind: 'scriptTask';
  readonly script: CompiledExpression;
  /** Null: a context result merges into the scope. */
  readonly outputVariable: string | null;
  readonly reply: ReplyDefinition | null;
}

/** `bpmn:task` and `bpmn:manualTask`: done as soon as they are reached. */
export interface PassThroughTask extends ActivityBase {
  readonly kind: 'task' | 'manualTask';
  readonly assignments: readonly AssignmentDefinition[];
  readonly reply: ReplyDefinition | null;
}

export interface SubProcess extends ActivityBase {
  readonly kind: 'subProcess';
  /** Ids of the flow nodes directly inside. */
  readonly children: readonly string[];
  readonly startEventId: string;
}

// --- gateways ----------------------------------------------------------------------------------

export interface ConditionalGateway extends NodeBase {
  readonly kind: 'exclusiveGateway' | 'inclusiveGateway';
  readonly defaultFlowId: string | null;
}

export interface ParallelGateway extends NodeBase {
  readonly kind: 'parallelGateway';
}

export interface EventBasedGateway extends NodeBase {
  readonly kind: 'eventBasedGateway';
}

export type FlowNode =
  | StartEvent
  | EndEvent
  | IntermediateCatchEvent
  | IntermediateThrowEvent
  | BoundaryEvent
  | ServiceTask
  | SendTask
  | ReceiveTask
  | UserTask
  | ScriptTask
  | PassThroughTask
  | SubProcess
  | ConditionalGateway
  | ParallelGateway
  | EventBasedGateway;

export type FlowNodeKind = FlowNode['kind'];
export type Activity = Extract<FlowNode, { readonly boundaryEventIds: readonly string[] }>;

export function isActivity(node: FlowNode): node is Activity {
  return 'boundaryEventIds' in node;
}
