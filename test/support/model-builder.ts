/**
 * The flow nodes of a test's model, one call each. What they are made of (events, loops, data):
 * `model-parts.ts`; how they become a process: `process-model.ts`.
 */
import type { Decision } from '../../definitions/dmn/decisions.ts';
import { compileExpression } from '../../definitions/feel.ts';
import type {
  AdHocVariant,
  CallActivity,
  CatchDefinition,
  FlowNode,
  Implementation,
  LoopDefinition,
  RetryDefinition,
  SourceDefinition,
  SubProcess,
  ThrowDefinition,
} from '../../definitions/model.ts';
import {
  activityData,
  aliases,
  catching,
  headers,
  optional,
  params,
  place,
  reply,
  send,
  source,
  throws,
  type DataOptions,
  type Expressions,
  type SendOptions,
  type SourceOptions,
  type Triggers,
} from './model-parts.ts';
import { declarations, type NodeSpec } from './process-model.ts';

function spec(node: object, children: readonly NodeSpec[] = []): NodeSpec {
  const base = { name: null, place, parentId: '', incoming: [], outgoing: [] };
  return { node: { ...base, ...node } as unknown as FlowNode, children };
}

interface DataOutputs {
  /** `variable.path = expression` */
  readonly assign?: readonly string[];
}

interface ActivityOptions extends DataOutputs {
  readonly reply?: string;
}

function activity(node: object, options: ActivityOptions = {}): NodeSpec {
  return spec({ ...activityBase(options), reply: reply(options.reply), ...node });
}

function activityBase(options: DataOutputs): object {
  const data = activityData({ outputs: options.assign ?? [] });
  return { boundaryEventIds: [], defaultFlowId: null, isForCompensation: false, loop: null, data };
}

// --- what makes one activity out of another --------------------------------------------------------

/** The activity in a loop: `looped(userTask('t'), each('item in items'))`. */
export function looped({ node, children }: NodeSpec, loop: LoopDefinition): NodeSpec {
  return { node: { ...node, loop } as FlowNode, children };
}

/** The activity with local data and with what it reads and writes. */
export function withData({ node, children }: NodeSpec, options: DataOptions): NodeSpec {
  return { node: { ...node, data: activityData(options) } as FlowNode, children };
}

/** The activity as one that only runs to undo another. */
export function handler({ node, children }: NodeSpec): NodeSpec {
  return { node: { ...node, isForCompensation: true } as FlowNode, children };
}

// --- events --------------------------------------------------------------------------------------

/** A none start event, or one for messages on `channel`. */
export function start(
  id: string,
  options: SourceOptions & { readonly channel?: string; readonly aliases?: Expressions } = {},
): NodeSpec {
  const { channel } = options;
  const registered = aliases(options.aliases);
  if (channel === undefined) return startEvent(id, [], { aliases: registered });
  return startEvent(id, { kind: 'message', source: source(channel, options), aliases: registered }, {});
}

/** A start event of a process, or of an event sub-process. */
export function startOn(
  id: string,
  triggers: Triggers,
  isInterrupting: 'interrupting' | 'non-interrupting' = 'interrupting',
): NodeSpec {
  return startEvent(id, triggers, { isInterrupting: isInterrupting === 'interrupting' });
}

function startEvent(id: string, triggers: Triggers, options: object): NodeSpec {
  return spec({
    kind: 'startEvent',
    id,
    ...catching(triggers),
    isInterrupting: true,
    aliases: [],
    ...options,
  });
}

export function end(id: string, options: { readonly reply?: string } = {}): NodeSpec {
  return spec({ kind: 'endEvent', id, results: [], reply: reply(options.reply) });
}

export function endWith(id: string, ...results: readonly ThrowDefinition[]): NodeSpec {
  return spec({ kind: 'endEvent', id, results, reply: null });
}

export const terminate = (id: string): NodeSpec => endWith(id, throws.terminate);
export const errorEnd = (id: string, errorCode: string): NodeSpec => endWith(id, throws.error(errorCode));
export const messageEnd = (id: string, options: SendOptions): NodeSpec =>
  endWith(id, throws.message(options));

/** Several triggers: the first one that occurs counts; `allOf(...)`: all must occur. */
export function catchEvent(id: string, triggers: Triggers): NodeSpec {
  return spec({ kind: 'intermediateCatchEvent', id, ...catching(triggers) });
}

/** A none event, or one that sends a message. */
export function throwEvent(id: string, options: SendOptions & { readonly reply?: string } = {}): NodeSpec {
  const isNone = options.channel === undefined && options.destination === undefined;
  const results = isNone ? [] : [throws.message(options)];
  return spec({ kind: 'intermediateThrowEvent', id, results, reply: reply(options.reply) });
}

export function throwing(id: string, ...results: readonly ThrowDefinition[]): NodeSpec {
  return spec({ kind: 'intermediateThrowEvent', id, results, reply: null });
}

export function boundary(
  id: string,
  attachedToId: string,
  triggers: Triggers,
  isInterrupting: 'interrupting' | 'non-interrupting' = 'interrupting',
): NodeSpec {
  return spec({
    kind: 'boundaryEvent',
    id,
    attachedToId,
    isInterrupting: isInterrupting === 'interrupting',
    ...catching(triggers),
  });
}

/** The activity, the boundary event `<id>!` by which it can be compensated, and the handler. */
export function undoable(node: NodeSpec, undo: NodeSpec): readonly NodeSpec[] {
  const event: CatchDefinition = { kind: 'compensation', handlerId: undo.node.id };
  return [node, boundary(`${node.node.id}!`, node.node.id, event), handler(undo)];
}

// --- activities ----------------------------------------------------------------------------------

export interface CallOptions extends ActivityOptions {
  readonly params?: Expressions;
  readonly output?: string;
  readonly headers?: Expressions;
  readonly contentType?: string;
  readonly response?: SourceDefinition;
  readonly aliases?: Expressions;
  readonly timeoutMs?: number;
  readonly retry?: RetryDefinition;
}

function service(id: string, implementation: Implementation, options: CallOptions): NodeSpec {
  return activity(
    {
      kind: 'serviceTask',
      id,
      implementation,
      params: params(options.params),
      outputVariable: options.output ?? null,
      headers: headers(options.headers),
      contentType: options.contentType ?? null,
      responseSource: options.response ?? null,
      aliases: aliases(options.aliases),
      timeoutMs: options.timeoutMs ?? null,
      retry: options.retry ?? null,
      throws: [],
    },
    options,
  );
}

export function call(id: string, channel: string, options: CallOptions = {}): NodeSpec {
  return service(id, { kind: 'channel', channel }, options);
}

export function registered(id: string, name: string, options: CallOptions = {}): NodeSpec {
  return service(id, { kind: 'registered', name }, options);
}

export function data(id: string, assign: readonly string[], options: ActivityOptions = {}): NodeSpec {
  return service(id, { kind: 'data' }, { ...options, assign });
}

/** A business rule task on a decision of the package. */
export function decide(id: string, decision: Decision, options: CallOptions = {}): NodeSpec {
  const { node, children } = service(id, { kind: 'decision', decision }, options);
  return { node: { ...node, kind: 'businessRuleTask' } as FlowNode, children };
}

export function sendTask(id: string, options: SendOptions & ActivityOptions): NodeSpec {
  return activity({ kind: 'sendTask', id, send: send(options) }, options);
}

export interface ReceiveOptions extends SourceOptions, ActivityOptions {
  readonly aliases?: Expressions;
  readonly instantiates?: boolean;
}

export function receive(id: string, channel: string, options: ReceiveOptions = {}): NodeSpec {
  return activity(
    {
      kind: 'receiveTask',
      id,
      instantiates: options.instantiates ?? false,
      source: source(channel, options),
      aliases: aliases(options.aliases),
    },
    options,
  );
}

export function userTask(
  id: string,
  options: ActivityOptions & { readonly source?: SourceDefinition; readonly aliases?: Expressions } = {},
): NodeSpec {
  return activity(
    { kind: 'userTask', id, source: options.source ?? null, aliases: aliases(options.aliases) },
    options,
  );
}

export function script(id: string, text: string, output?: string): NodeSpec {
  const outputVariable = output ?? null;
  return activity({ kind: 'scriptTask', id, script: compileExpression(text), outputVariable });
}

export function task(id: string, options: ActivityOptions = {}): NodeSpec {
  return activity({ kind: 'task', id }, options);
}

// --- sub-processes and calls ---------------------------------------------------------------------

export interface SubProcessOptions extends DataOutputs {
  /** Data objects and properties, local to the sub-process. */
  readonly variables?: readonly string[];
}

function scope(
  id: string,
  variant: SubProcess['variant'],
  children: readonly NodeSpec[],
  options: SubProcessOptions = {},
): NodeSpec {
  const ids = children.map(({ node }) => node.id);
  const variables = declarations(options.variables);
  // `start` and `eventSubProcessIds` follow from the flows: see `process-model.ts`.
  const own = {
    kind: 'subProcess',
    id,
    children: ids,
    variant,
    start: [],
    eventSubProcessIds: [],
    variables,
  };
  return spec({ ...activityBase(options), ...own }, children);
}

export function subProcess(
  id: string,
  children: readonly NodeSpec[],
  options: SubProcessOptions = {},
): NodeSpec {
  return scope(id, { kind: 'embedded' }, children, options);
}

export function transaction(
  id: string,
  children: readonly NodeSpec[],
  options: SubProcessOptions = {},
): NodeSpec {
  return scope(id, { kind: 'transaction' }, children, options);
}

/** `begin` is its start event: `eventSubProcess('es', startOn('es1', signal('x')), [...])`. */
export function eventSubProcess(
  id: string,
  begin: NodeSpec,
  children: readonly NodeSpec[],
  options: SubProcessOptions = {},
): NodeSpec {
  return scope(id, { kind: 'event', startEventId: begin.node.id }, [begin, ...children], options);
}

export interface AdHocOptions extends SubProcessOptions {
  readonly isSequential?: boolean;
  readonly until?: string;
  readonly keepsRemaining?: boolean;
}

/** Its activities without an incoming flow can be launched. */
export function adHoc(id: string, children: readonly NodeSpec[], options: AdHocOptions = {}): NodeSpec {
  const variant: AdHocVariant = {
    kind: 'adHoc',
    launchableIds: [],
    isSequential: options.isSequential ?? false,
    completionCondition: optional(options.until),
    cancelsRemaining: options.keepsRemaining !== true,
  };
  return scope(id, variant, children, options);
}

export interface CallActivityOptions extends ActivityOptions {
  readonly binding?: CallActivity['binding'];
  readonly params?: Expressions;
  /** Variables to expressions over the called process's variables; null: all of them as one context. */
  readonly results?: Readonly<Record<string, string | null>>;
}

/** @param called a process id, an expression that yields one (`=…`), or a dispatch */
export function callActivity(
  id: string,
  called: string | CallActivity['called'],
  options: CallActivityOptions = {},
): NodeSpec {
  const results = Object.entries(options.results ?? {}).map(([variable, text]) => ({
    variable,
    expression: text === null ? null : compileExpression(text),
  }));
  return activity(
    {
      kind: 'callActivity',
      id,
      called: typeof called === 'string' ? calledBy(called) : called,
      binding: options.binding ?? 'caller',
      params: options.params === undefined ? null : params(options.params),
      results: options.results === undefined ? null : results,
    },
    options,
  );
}

function calledBy(text: string): CallActivity['called'] {
  if (!text.startsWith('=')) return { kind: 'process', processId: text };
  return { kind: 'expression', expression: compileExpression(text) };
}

/** `q:dispatch`: conditions to process ids, in order; `default` names the one for all else. */
export function dispatch(cases: Expressions, onNoMatch: 'error' | 'skip' = 'error'): CallActivity['called'] {
  const { default: defaultProcessId = null, ...rest } = cases;
  return {
    kind: 'dispatch',
    cases: Object.entries(rest).map(([when, processId]) => ({ when: compileExpression(when), processId })),
    defaultProcessId,
    onNoMatch,
    place,
  };
}

// --- gateways ------------------------------------------------------------------------------------

export const exclusive = (id: string): NodeSpec =>
  spec({ kind: 'exclusiveGateway', id, defaultFlowId: null });
export const inclusive = (id: string): NodeSpec =>
  spec({ kind: 'inclusiveGateway', id, defaultFlowId: null });
export const parallel = (id: string): NodeSpec => spec({ kind: 'parallelGateway', id });

/** @param instantiates an instance starts with the first of its messages, or waits for all of them */
export const eventBased = (id: string, instantiates: 'no' | 'first' | 'all' = 'no'): NodeSpec =>
  spec({
    kind: 'eventBasedGateway',
    id,
    instantiates: instantiates !== 'no',
    isParallel: instantiates === 'all',
  });

/** @param activation may name `activationCount` and the incoming flows */
export const complex = (id: string, activation?: string): NodeSpec =>
  spec({ kind: 'complexGateway', id, activationCondition: optional(activation), defaultFlowId: null });
