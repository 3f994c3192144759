/**
 * Process models in a few lines, for tests: nodes as calls, sequence flows as text.
 *
 *   processModel('order', [start('in'), call('score', 'score-request'), exclusive('gate'), end('out')], [
 *     'in -> score -> gate',
 *     'gate -> out if score > 5',
 *     'gate -> other default',
 *   ])
 *
 * A flow's id is `source-target`, a second one between the same nodes `source-target-2`.
 */
import { compileExpression, type CompiledExpression } from '../../definitions/feel.ts';
import type {
  AliasDefinition,
  AssignmentDefinition,
  CatchDefinition,
  FlowNode,
  HeaderDefinition,
  Implementation,
  ProcessDefinition,
  ReplyDefinition,
  SendDefinition,
  SequenceFlow,
  SourceDefinition,
  VariableDeclaration,
} from '../../definitions/model.ts';

const place = { file: 'test.bpmn', line: 1, column: 1 };

/** A node before it is put into a process; the children of a sub-process with it. */
export interface NodeSpec {
  readonly node: FlowNode;
  readonly children: readonly NodeSpec[];
}

type Expressions = Readonly<Record<string, string>>;

function spec(node: object, children: readonly NodeSpec[] = []): NodeSpec {
  const base = { name: null, place, parentId: '', incoming: [], outgoing: [] };
  return { node: { ...base, ...node } as unknown as FlowNode, children };
}

function activity(node: object, children: readonly NodeSpec[] = []): NodeSpec {
  return spec({ boundaryEventIds: [], defaultFlowId: null, ...node }, children);
}

function optional(text: string | undefined): CompiledExpression | null {
  return text === undefined ? null : compileExpression(text);
}

// --- parts ---------------------------------------------------------------------------------------

export interface SourceOptions {
  readonly variable?: string;
  /** An exact type, or a pattern when it holds a `*`. */
  readonly type?: string;
}

export function source(channel: string, options: SourceOptions = {}): SourceDefinition {
  const { type, variable = 'payload' } = options;
  const messageType =
    type === undefined
      ? ({ kind: 'any' } as const)
      : type.includes('*')
        ? ({ kind: 'pattern', pattern: type } as const)
        : ({ kind: 'exact', value: type } as const);
  return { channel, variable, messageType, dedupKey: null, ack: null, dataClass: null, place };
}

export function aliases(expressions: Expressions = {}, isUnique = false): readonly AliasDefinition[] {
  return Object.entries(expressions).map(([name, text]) => ({
    name,
    expression: compileExpression(text),
    isUnique,
    onConflict: 'reject',
    isMulti: false,
    place,
  }));
}

function headers(expressions: Expressions = {}): readonly HeaderDefinition[] {
  return Object.entries(expressions).map(([name, text]) => ({ name, value: compileExpression(text) }));
}

function assignments(list: readonly string[] = []): readonly AssignmentDefinition[] {
  return list.map((text) => {
    const [to = '', ...from] = text.split(' = ');
    return { from: compileExpression(from.join(' = ')), to: to.split('.'), place };
  });
}

export interface SendOptions {
  readonly channel?: string;
  readonly destination?: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly headers?: Expressions;
}

function send(options: SendOptions): SendDefinition {
  return {
    channel: options.channel ?? null,
    destination: optional(options.destination),
    contentType: options.contentType ?? null,
    body: optional(options.body),
    headers: headers(options.headers),
    place,
  };
}

function reply(body: string | undefined): ReplyDefinition | null {
  if (body === undefined) return null;
  return { contentType: null, body: compileExpression(body), headers: [], isContinued: false, place };
}

// --- catch definitions ---------------------------------------------------------------------------

/** `PT5M` or an instant as written in a model; anything else is a FEEL expression. */
export function timer(text: string): CatchDefinition {
  const expression = compileExpression(text);
  return { kind: 'timer', timer: { kind: 'duration', expression, durationMs: null, place } };
}

export function timerMs(durationMs: number): CatchDefinition {
  return { kind: 'timer', timer: { kind: 'duration', expression: null, durationMs, place } };
}

export function timerDate(text: string): CatchDefinition {
  return {
    kind: 'timer',
    timer: { kind: 'date', expression: compileExpression(text), dueAtMs: null, place },
  };
}

export function message(
  channel: string,
  options: SourceOptions & { readonly aliases?: Expressions } = {},
): CatchDefinition {
  return { kind: 'message', source: source(channel, options), aliases: aliases(options.aliases) };
}

export function error(
  errorCode: string | null,
  codeVariable: string | null = null,
  messageVariable: string | null = null,
): CatchDefinition {
  return { kind: 'error', errorCode, codeVariable, messageVariable };
}

// --- events --------------------------------------------------------------------------------------

export function start(
  id: string,
  options: SourceOptions & { readonly channel?: string; readonly aliases?: Expressions } = {},
): NodeSpec {
  const from = options.channel === undefined ? null : source(options.channel, options);
  return spec({ kind: 'startEvent', id, source: from, aliases: aliases(options.aliases) });
}

export function end(id: string, options: { readonly reply?: string } = {}): NodeSpec {
  return spec({ kind: 'endEvent', id, result: { kind: 'none' }, reply: reply(options.reply) });
}

export function terminate(id: string): NodeSpec {
  return spec({ kind: 'endEvent', id, result: { kind: 'terminate' }, reply: null });
}

export function errorEnd(id: string, errorCode: string): NodeSpec {
  return spec({ kind: 'endEvent', id, result: { kind: 'error', errorCode }, reply: null });
}

export function messageEnd(id: string, options: SendOptions): NodeSpec {
  return spec({ kind: 'endEvent', id, result: { kind: 'message', send: send(options) }, reply: null });
}

export function catchEvent(id: string, event: CatchDefinition): NodeSpec {
  return spec({ kind: 'intermediateCatchEvent', id, event });
}

export function throwEvent(id: string, options: SendOptions & { readonly reply?: string } = {}): NodeSpec {
  const isNone = options.channel === undefined && options.destination === undefined;
  const event = isNone ? { kind: 'none' } : { kind: 'message', send: send(options) };
  return spec({ kind: 'intermediateThrowEvent', id, event, reply: reply(options.reply) });
}

export function boundary(
  id: string,
  attachedToId: string,
  event: CatchDefinition,
  isInterrupting: 'interrupting' | 'non-interrupting' = 'interrupting',
): NodeSpec {
  return spec({
    kind: 'boundaryEvent',
    id,
    attachedToId,
    isInterrupting: isInterrupting === 'interrupting',
    event,
  });
}

// --- activities ----------------------------------------------------------------------------------

export interface TaskOptions {
  readonly reply?: string;
  /** `variable.path = expression` */
  readonly assign?: readonly string[];
}

export interface CallOptions extends TaskOptions {
  readonly params?: Expressions;
  readonly output?: string;
  readonly headers?: Expressions;
  readonly contentType?: string;
  readonly response?: SourceDefinition;
  readonly aliases?: Expressions;
  readonly timeoutMs?: number;
}

function service(id: string, implementation: Implementation, options: CallOptions): NodeSpec {
  return activity({
    kind: 'serviceTask',
    id,
    implementation,
    params: Object.entries(options.params ?? {}).map(([name, text]) => ({
      name,
      expression: compileExpression(text),
    })),
    outputVariable: options.output ?? null,
    headers: headers(options.headers),
    contentType: options.contentType ?? null,
    responseSource: options.response ?? null,
    aliases: aliases(options.aliases),
    timeoutMs: options.timeoutMs ?? null,
    retry: null,
    assignments: assignments(options.assign),
    reply: reply(options.reply),
  });
}

export function call(id: string, channel: string, options: CallOptions = {}): NodeSpec {
  return service(id, { kind: 'channel', channel }, options);
}

export function registered(id: string, name: string, options: CallOptions = {}): NodeSpec {
  return service(id, { kind: 'registered', name }, options);
}

export function data(id: string, assign: readonly string[], options: TaskOptions = {}): NodeSpec {
  return service(id, { kind: 'data' }, { ...options, assign });
}

export function sendTask(id: string, options: SendOptions & { readonly reply?: string }): NodeSpec {
  return activity({ kind: 'sendTask', id, send: send(options), reply: reply(options.reply) });
}

export function receive(
  id: string,
  channel: string,
  options: SourceOptions & { readonly aliases?: Expressions; readonly reply?: string } = {},
): NodeSpec {
  return activity({
    kind: 'receiveTask',
    id,
    source: source(channel, options),
    aliases: aliases(options.aliases),
    reply: reply(options.reply),
  });
}

export function userTask(
  id: string,
  options: TaskOptions & { readonly source?: SourceDefinition; readonly aliases?: Expressions } = {},
): NodeSpec {
  return activity({
    kind: 'userTask',
    id,
    source: options.source ?? null,
    aliases: aliases(options.aliases),
    assignments: assignments(options.assign),
    reply: reply(options.reply),
  });
}

export function script(id: string, text: string, output?: string): NodeSpec {
  const outputVariable = output ?? null;
  return activity({ kind: 'scriptTask', id, script: compileExpression(text), outputVariable, reply: null });
}

export function task(id: string, options: TaskOptions = {}): NodeSpec {
  return activity({
    kind: 'task',
    id,
    assignments: assignments(options.assign),
    reply: reply(options.reply),
  });
}

/** The first start event among the children is where it begins. */
export function subProcess(id: string, children: readonly NodeSpec[]): NodeSpec {
  const startEventId = children.find(({ node }) => node.kind === 'startEvent')?.node.id ?? '';
  return activity(
    { kind: 'subProcess', id, children: children.map(({ node }) => node.id), startEventId },
    children,
  );
}

// --- gateways ------------------------------------------------------------------------------------

export const exclusive = (id: string): NodeSpec =>
  spec({ kind: 'exclusiveGateway', id, defaultFlowId: null });
export const inclusive = (id: string): NodeSpec =>
  spec({ kind: 'inclusiveGateway', id, defaultFlowId: null });
export const parallel = (id: string): NodeSpec => spec({ kind: 'parallelGateway', id });
export const eventBased = (id: string): NodeSpec => spec({ kind: 'eventBasedGateway', id });

// --- the process ---------------------------------------------------------------------------------

export interface ProcessOptions {
  /** Declared variables; a `~` before a name makes it transient. */
  readonly variables?: readonly string[];
}

/** Puts nodes and flows together; all ids are one namespace. The result is deeply frozen. */
export function processModel(
  id: string,
  specs: readonly NodeSpec[],
  flows: readonly string[],
  options: ProcessOptions = {},
): ProcessDefinition {
  const nodes = new Map<string, FlowNode>();
  collect(specs, id, nodes);
  const links = new Map<string, SequenceFlow>();
  for (const line of flows) addFlows(line, nodes, links);
  for (const node of nodes.values()) {
    if (node.kind !== 'boundaryEvent') continue;
    const host = nodes.get(node.attachedToId);
    if (host === undefined || !('boundaryEventIds' in host))
      throw new Error(`no activity ${node.attachedToId}`);
    nodes.set(host.id, { ...host, boundaryEventIds: [...host.boundaryEventIds, node.id] });
  }
  const variables = new Map((options.variables ?? []).map((text) => [text.replace('~', ''), declared(text)]));
  const children = specs.map(({ node }) => node.id);
  return deepFreeze({ id, name: null, place, nodes, flows: links, children, variables });
}

function declared(text: string): VariableDeclaration {
  return { name: text.replace('~', ''), type: null, isSensitive: false, isTransient: text.startsWith('~') };
}

function collect(specs: readonly NodeSpec[], parentId: string, into: Map<string, FlowNode>): void {
  for (const { node, children } of specs) {
    if (into.has(node.id)) throw new Error(`two nodes have the id ${node.id}`);
    into.set(node.id, { ...node, parentId });
    collect(children, node.id, into);
  }
}

/** `a -> b -> c`, with ` if condition` or ` default` for the last one. */
function addFlows(line: string, nodes: Map<string, FlowNode>, links: Map<string, SequenceFlow>): void {
  const [path = '', ...conditions] = line.split(' if ');
  const condition = conditions.length === 0 ? null : compileExpression(conditions.join(' if '));
  const isDefault = path.endsWith(' default');
  const ids = path.replace(/ default$/, '').split(' -> ');
  for (let index = 1; index < ids.length; index += 1) {
    const sourceId = ids[index - 1] ?? '';
    const targetId = ids[index] ?? '';
    const isLast = index === ids.length - 1;
    addFlow(nodes, links, {
      sourceId,
      targetId,
      condition: isLast ? condition : null,
      isDefault: isLast && isDefault,
    });
  }
}

function addFlow(
  nodes: Map<string, FlowNode>,
  links: Map<string, SequenceFlow>,
  flow: Pick<SequenceFlow, 'sourceId' | 'targetId' | 'condition'> & { readonly isDefault: boolean },
): void {
  const { sourceId, targetId, condition, isDefault } = flow;
  let id = `${sourceId}-${targetId}`;
  for (let number = 2; links.has(id); number += 1) id = `${sourceId}-${targetId}-${number}`;
  links.set(id, { id, name: null, sourceId, targetId, condition, place });
  const from = nodes.get(sourceId);
  if (from === undefined || !nodes.has(targetId)) throw new Error(`no node ${sourceId} or ${targetId}`);
  nodes.set(sourceId, {
    ...from,
    outgoing: [...from.outgoing, id],
    ...(isDefault ? { defaultFlowId: id } : {}),
  });
  const to = nodes.get(targetId);
  if (to !== undefined) nodes.set(targetId, { ...to, incoming: [...to.incoming, id] });
}

/** Freezes plain data and the contents of maps; functions and frozen things are left as they are. */
export function deepFreeze<Data>(data: Data): Data {
  if (typeof data !== 'object' || data === null || Object.isFrozen(data)) return data;
  Object.freeze(data);
  if (data instanceof Map) for (const item of data.values()) deepFreeze(item);
  for (const item of Object.values(data)) deepFreeze(item);
  return data;
}
