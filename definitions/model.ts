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
import type { Decision } from './dmn/decisions.ts';
import type { CompiledExpression } from './feel.ts';
import type { TimerDefinition } from './timer-definition.ts';

export interface ProcessDefinition {
  readonly id: string;
  readonly name: string | null;
  readonly place: Place;
  /** All flow nodes of the process, those inside sub-processes included, by id. */
  readonly nodes: ReadonlyMap<string, FlowNode>;
  readonly flows: ReadonlyMap<string, SequenceFlow>;
  /** Ids of the flow nodes directly inside the process. */
  readonly children: readonly string[];
  /** Where tokens begin when the process is started by its id or called. See `ScopeStart`. */
  readonly start: ScopeStart;
  /** Event sub-processes directly inside the process, in document order. */
  readonly eventSubProcessIds: readonly string[];
  /** Declared variables (`q:variables`, data objects, properties), by name. */
  readonly variables: ReadonlyMap<string, VariableDeclaration>;
  /** `q:audit` on the process: what is written from outside is audited, see `NodeBase`. */
  readonly isAudited?: true;
  /** Names of the package's data that are never shown in a history (sensitive-names.ts). Absent: there are none. */
  readonly sensitiveNames?: ReadonlySet<string>;
}

/**
 * Ids of the nodes that get a token when a scope begins by itself: its one none start event; or, when it has
 * no start event at all, every activity, gateway and event without an incoming sequence flow that is neither
 * a boundary event, an event sub-process, a compensation handler nor a link target. Empty: it cannot begin by
 * itself (a process with only message starts, an ad hoc sub-process, an event sub-process).
 * BPMN 2.0.2 §13.2, §10.5.2 (the implicit start).
 */
export type ScopeStart = readonly string[];

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
  /** `q:audit`, its own or of what it is in: the history has the payloads that come to it and go from it. */
  readonly isAudited?: true;
}

interface ActivityBase extends NodeBase {
  readonly boundaryEventIds: readonly string[];
  /** The outgoing flow taken when no condition holds, or null. BPMN 2.0.2 §10.2 "default". */
  readonly defaultFlowId: string | null;
  /** Runs only to undo another activity; no sequence flow leads to it or from it. BPMN 2.0.2 §10.7. */
  readonly isForCompensation: boolean;
  /** Null: it runs once. */
  readonly loop: LoopDefinition | null;
  readonly data: ActivityData;
}

// --- loops -------------------------------------------------------------------------------------

/** BPMN 2.0.2 §10.3.8, §13.3.6, §13.3.7. */
export type LoopDefinition = StandardLoop | MultiInstanceLoop;

export interface StandardLoop {
  readonly kind: 'standard';
  /** Asked before each run instead of after it. */
  readonly isTestedBefore: boolean;
  /** Null: always true. Sees `loopCounter`. */
  readonly condition: CompiledExpression | null;
  /** Most runs, at least 1, or null. Never null together with `condition`. */
  readonly maximum: number | null;
  readonly place: Place;
}

export interface MultiInstanceLoop {
  readonly kind: 'multiInstance';
  readonly isSequential: boolean;
  /** Exactly one of `cardinality` and `collection` is set. */
  readonly cardinality: CompiledExpression | null;
  readonly collection: CompiledExpression | null;
  /** The variable that holds the item, local to each instance. Null: none. */
  readonly itemVariable: string | null;
  /** The variable, local to each instance, whose value goes into the output collection. */
  readonly outputItemVariable: string | null;
  /** Where the list of output items is written when all is done: one element for each item, in item order. */
  readonly outputCollection: string | null;
  /** Asked after each instance that completes; true ends the rest. Sees the loop's counters. */
  readonly completionCondition: CompiledExpression | null;
  readonly place: Place;
}

// --- data --------------------------------------------------------------------------------------

/** What an activity reads when it begins and writes when it is done. BPMN 2.0.2 §10.4.2. */
export interface ActivityData {
  /** Data inputs and outputs by name: variables local to the activity. */
  readonly locals: readonly string[];
  /** Run in document order when the activity begins. */
  readonly inputs: readonly DataMapping[];
  /** Run in document order when its work is done. */
  readonly outputs: readonly DataMapping[];
  /** `q:local`: what its work gives stays in the activity, and only `outputs` go out of it. */
  readonly isClosed: boolean;
}

/** One data association without an assignment, or one `bpmn:assignment`. */
export interface DataMapping {
  readonly from:
    | { readonly kind: 'expression'; readonly expression: CompiledExpression }
    | { readonly kind: 'store'; readonly store: StoreReference };
  readonly to:
    | { readonly kind: 'variable'; readonly path: readonly string[] }
    | { readonly kind: 'store'; readonly store: StoreReference };
  readonly place: Place;
}

/** `q:store` on a data store reference: one record of a data store. BPMN 2.0.2 §10.4.1, data store. */
export interface StoreReference {
  /** The store's name: that of the `dataStore` it refers to, else of the reference itself. */
  readonly store: string;
  readonly key: CompiledExpression;
  /** The record stays locked until the turn's commit. */
  readonly isForUpdate: boolean;
  /** The property of the record that is read or written; null: the whole value. */
  readonly field: string | null;
  /** A write takes place only when the present value (of the field, if any) equals this; else the element fails. */
  readonly expect: CompiledExpression | null;
  readonly place: Place;
}

// --- q: vocabulary -----------------------------------------------------------------------------

/** `q:source`: messages on `channel` arrive here. */
export interface SourceDefinition {
  readonly channel: string;
  /** The variable that receives the message's payload. Default `payload`. */
  readonly variable: string;
  /** A payload that is a context becomes variables, property by property, instead. */
  readonly mergesPayload: boolean;
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
 * scope to register a value, and over `{payload, header, event}` of a message to find it, unless there is another
 * one for that.
 */
export interface AliasDefinition {
  readonly name: string;
  readonly expression: CompiledExpression;
  /** Over a message; null: `expression` too. */
  readonly messageExpression: CompiledExpression | null;
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

// --- events ------------------------------------------------------------------------------------

export type { RepeatingInterval, TimerDefinition } from './timer-definition.ts';

/** One event definition of an event that catches. BPMN 2.0.2 §10.5.5. */
export type CatchDefinition =
  | {
      readonly kind: 'message';
      readonly source: SourceDefinition;
      readonly aliases: readonly AliasDefinition[];
    }
  | { readonly kind: 'timer'; readonly timer: TimerDefinition }
  /** The payload goes to `variable`; null: a context becomes variables, another payload is dropped. */
  | {
      readonly kind: 'signal';
      readonly name: string;
      readonly variable: string | null;
      readonly place: Place;
    }
  | { readonly kind: 'conditional'; readonly condition: CompiledExpression; readonly place: Place }
  /** Boundary events and event sub-processes. A null code catches every BPMN error. */
  | {
      readonly kind: 'error';
      readonly errorCode: string | null;
      readonly codeVariable: string | null;
      readonly messageVariable: string | null;
    }
  /** Boundary events and event sub-processes. A null code catches every escalation. */
  | {
      readonly kind: 'escalation';
      readonly escalationCode: string | null;
      readonly codeVariable: string | null;
    }
  /** On a boundary event `handlerId` is the associated activity; in an event sub-process it is null. */
  | { readonly kind: 'compensation'; readonly handlerId: string | null }
  /** Boundary events of transactions. */
  | { readonly kind: 'cancel' }
  /** Intermediate only: reached by the throwing link events of that name in the same scope. */
  | { readonly kind: 'link'; readonly name: string };

/** One event definition of an event that throws. */
export type ThrowDefinition =
  | { readonly kind: 'message'; readonly send: SendDefinition }
  /** Null body: no payload. */
  | { readonly kind: 'signal'; readonly name: string; readonly body: CompiledExpression | null }
  | { readonly kind: 'error'; readonly errorCode: string }
  | { readonly kind: 'escalation'; readonly escalationCode: string | null }
  /** Null activity: everything in the scope that has completed and can be compensated. */
  | {
      readonly kind: 'compensation';
      readonly activityId: string | null;
      readonly waitsForCompletion: boolean;
    }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'terminate' }
  | { readonly kind: 'link'; readonly targetId: string };

interface CatchEventBase extends NodeBase {
  /** Empty only on a none start event. Several: a multiple event, the first one that occurs counts. */
  readonly triggers: readonly CatchDefinition[];
  /** All triggers must occur. BPMN 2.0.2 §10.5.5, parallel multiple. */
  readonly isParallelMultiple: boolean;
  /** Run in document order when it has occurred, after its payload was taken. BPMN 2.0.2 §10.4.2. */
  readonly outputs: readonly DataMapping[];
}

export interface StartEvent extends CatchEventBase {
  readonly kind: 'startEvent';
  /** Of the start event of an event sub-process; true elsewhere. */
  readonly isInterrupting: boolean;
  /** Of a none start event of a process: registered from the variables of whoever starts it by its id. */
  readonly aliases: readonly AliasDefinition[];
}

export interface EndEvent extends NodeBase {
  readonly kind: 'endEvent';
  /** In document order; empty: a none end event. */
  readonly results: readonly ThrowDefinition[];
  readonly reply: ReplyDefinition | null;
}

export interface IntermediateCatchEvent extends CatchEventBase {
  readonly kind: 'intermediateCatchEvent';
}

export interface IntermediateThrowEvent extends NodeBase {
  readonly kind: 'intermediateThrowEvent';
  /** In document order; empty: a none event. */
  readonly results: readonly ThrowDefinition[];
  readonly reply: ReplyDefinition | null;
}

export interface BoundaryEvent extends CatchEventBase {
  readonly kind: 'boundaryEvent';
  readonly attachedToId: string;
  readonly isInterrupting: boolean;
}

// --- activities --------------------------------------------------------------------------------

/** What a service task does. `registered` is a function of the embedding program; `decision` is of business rule tasks. */
export type Implementation =
  | { readonly kind: 'channel'; readonly channel: string }
  | { readonly kind: 'registered'; readonly name: string }
  | { readonly kind: 'decision'; readonly decision: Decision }
  | { readonly kind: 'data' };

export interface RetryDefinition {
  readonly maxAttempts: number;
  readonly initialDelayMs: number;
  readonly backoffCoefficient: number;
  readonly maxDelayMs: number;
  readonly nonRetryableCodes: readonly string[];
}

/** `q:throw`: the work has ended in a way that is a BPMN error to the process. */
export interface ErrorCondition {
  readonly errorCode: string;
  readonly when: CompiledExpression;
}

/** `businessRuleTask`: the same, on whatever decides; or a decision of the package, made at once. */
export interface ServiceTask extends ActivityBase {
  readonly kind: 'serviceTask' | 'businessRuleTask';
  readonly implementation: Implementation;
  /** Of a decision: inputs by their names; those that are not there are variables. */
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
  /** Asked when the work is done, over the variables that it has given; the first that holds throws its error. */
  readonly throws: readonly ErrorCondition[];
  readonly reply: ReplyDefinition | null;
}

export interface SendTask extends ActivityBase {
  readonly kind: 'sendTask';
  readonly send: SendDefinition;
  readonly reply: ReplyDefinition | null;
}

export interface ReceiveTask extends ActivityBase {
  readonly kind: 'receiveTask';
  /** A message starts an instance of the process here. BPMN 2.0.2 §10.3.3. */
  readonly instantiates: boolean;
  readonly source: SourceDefinition;
  readonly aliases: readonly AliasDefinition[];
  readonly reply: ReplyDefinition | null;
}

export interface UserTask extends ActivityBase {
  readonly kind: 'userTask';
  /** Null: completed only by the operate route for user tasks. */
  readonly source: SourceDefinition | null;
  readonly aliases: readonly AliasDefinition[];
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
  readonly reply: ReplyDefinition | null;
}

export interface SubProcess extends ActivityBase {
  readonly kind: 'subProcess';
  /** Ids of the flow nodes directly inside. */
  readonly children: readonly string[];
  readonly variant:
    | { readonly kind: 'embedded' }
    /** BPMN 2.0.2 §10.7.1, transaction: a cancel end event undoes it as a whole. */
    | { readonly kind: 'transaction' }
    /** `triggeredByEvent`: no flow leads here; its start event says when it runs. */
    | { readonly kind: 'event'; readonly startEventId: string }
    | AdHocVariant;
  /** Empty for the variants `event` and `adHoc`. */
  readonly start: ScopeStart;
  readonly eventSubProcessIds: readonly string[];
  /** Data objects and properties of the sub-process: variables local to it, null at the beginning. */
  readonly variables: ReadonlyMap<string, VariableDeclaration>;
}

/** BPMN 2.0.2 §10.3.5, ad hoc: whoever performs it decides what runs, when, and how often. */
export interface AdHocVariant {
  readonly kind: 'adHoc';
  /** Ids of the activities without an incoming flow: those that can be launched. */
  readonly launchableIds: readonly string[];
  /** At most one runs at a time. */
  readonly isSequential: boolean;
  /** Asked after each activity; null: it ends only when it is told to. */
  readonly completionCondition: CompiledExpression | null;
  /** When the condition holds, what still runs is ended too. */
  readonly cancelsRemaining: boolean;
}

/** BPMN 2.0.2 §10.3.6, §13.3.5: runs another process as a scope of this instance. */
export interface CallActivity extends ActivityBase {
  readonly kind: 'callActivity';
  readonly called:
    | { readonly kind: 'process'; readonly processId: string }
    /** `calledElement` written as FEEL (`=…`): yields the process id. */
    | { readonly kind: 'expression'; readonly expression: CompiledExpression }
    | DispatchDefinition;
  /**
   * `caller`: the process of that id in the caller's own deployment, else the active one of another package
   * of the tenant. `latest`: always the active deployment.
   */
  readonly binding: 'caller' | 'latest';
  /** What the called process begins with; null: all visible variables. */
  readonly params: readonly ParamDefinition[] | null;
  /** Evaluated over the variables of the called process; null: all of them become variables here. */
  readonly results: readonly CallResultDefinition[] | null;
  readonly reply: ReplyDefinition | null;
}

export interface CallResultDefinition {
  readonly variable: string;
  /** Null: all variables of the called process, as one context. */
  readonly expression: CompiledExpression | null;
}

/** `q:dispatch`: the first case whose condition holds names the process. */
export interface DispatchDefinition {
  readonly kind: 'dispatch';
  readonly cases: readonly { readonly when: CompiledExpression; readonly processId: string }[];
  readonly defaultProcessId: string | null;
  /** With no case and no default: `skip` completes the activity, `error` fails the element. */
  readonly onNoMatch: 'error' | 'skip';
  readonly place: Place;
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
  /** It has no incoming flow: the first of its messages starts an instance of the process. */
  readonly instantiates: boolean;
  /** Only with `instantiates`: the instance then waits for all the other events too. BPMN 2.0.2 §10.6.6. */
  readonly isParallel: boolean;
}

/** BPMN 2.0.2 §10.6.5, §13.4.5. */
export interface ComplexGateway extends NodeBase {
  readonly kind: 'complexGateway';
  /** Sees `activationCount` (tokens on incoming flows) and, by flow id, the tokens on each one. */
  readonly activationCondition: CompiledExpression | null;
  readonly defaultFlowId: string | null;
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
  | CallActivity
  | ConditionalGateway
  | ParallelGateway
  | EventBasedGateway
  | ComplexGateway;

export type FlowNodeKind = FlowNode['kind'];
export type Activity = Extract<FlowNode, { readonly boundaryEventIds: readonly string[] }>;

export function isActivity(node: FlowNode): node is Activity {
  return 'boundaryEventIds' in node;
}

/** One place at which a node takes messages. */
export interface MessageTrigger {
  readonly source: SourceDefinition;
  readonly aliases: readonly AliasDefinition[];
  /** Its index among the triggers of an event; 0 at a task. */
  readonly trigger: number;
}

/** Where messages come to a node: its message triggers, or its `q:source`. */
export function messageTriggersOf(node: FlowNode): readonly MessageTrigger[] {
  switch (node.kind) {
    case 'startEvent':
    case 'intermediateCatchEvent':
    case 'boundaryEvent':
      return node.triggers.flatMap((event, trigger) =>
        event.kind === 'message' ? [{ source: event.source, aliases: event.aliases, trigger }] : [],
      );
    case 'receiveTask':
    case 'userTask':
      return node.source === null ? [] : [{ source: node.source, aliases: node.aliases, trigger: 0 }];
    case 'serviceTask':
    case 'businessRuleTask':
      return node.responseSource === null
        ? []
        : [{ source: node.responseSource, aliases: node.aliases, trigger: 0 }];
    default:
      return [];
  }
}

/** The node and the trigger at which an instance of the process can be started from outside. */
export interface StartPoint {
  readonly nodeId: string;
  readonly trigger: number;
  readonly event: CatchDefinition;
  readonly place: Place;
}

/**
 * Everything that starts instances of the process: the triggers of its own start events, the receive tasks
 * that instantiate, and what stands behind an event-based gateway that does. BPMN 2.0.2 §13.2.
 */
export function startPointsOf(process: ProcessDefinition): readonly StartPoint[] {
  return process.children.flatMap((id) => {
    const node = process.nodes.get(id);
    if (node?.kind === 'startEvent') return startPointsAt(node);
    if (node?.kind === 'receiveTask' && node.instantiates) return startPointsAt(node);
    if (node?.kind !== 'eventBasedGateway' || !node.instantiates) return [];
    return node.outgoing.flatMap((flowId) => {
      const target = process.nodes.get(process.flows.get(flowId)?.targetId ?? '');
      return target?.kind === 'intermediateCatchEvent' || target?.kind === 'receiveTask'
        ? startPointsAt(target)
        : [];
    });
  });
}

function startPointsAt(node: StartEvent | IntermediateCatchEvent | ReceiveTask): readonly StartPoint[] {
  const { id: nodeId, place } = node;
  if (node.kind !== 'receiveTask') {
    return node.triggers.map((event, trigger) => ({ nodeId, trigger, event, place }));
  }
  const { source, aliases } = node;
  return [{ nodeId, trigger: 0, event: { kind: 'message', source, aliases }, place }];
}
