/**
 * Processes out of the nodes of `model-builder.ts`, with sequence flows as text.
 *
 *   processModel('order', [start('in'), call('score', 'score-request'), exclusive('gate'), end('out')], [
 *     'in -> score -> gate',
 *     'gate -> out if score > 5',
 *     'gate -> other default',
 *   ])
 *
 * A flow's id is `source-target`, a second one between the same nodes `source-target-2`.
 */
import { compileExpression } from '../../definitions/feel.ts';
import {
  isActivity,
  type FlowNode,
  type ProcessDefinition,
  type ScopeStart,
  type SequenceFlow,
  type SubProcess,
  type VariableDeclaration,
} from '../../definitions/model.ts';
import { place } from './model-parts.ts';

/** A node before it is put into a process; the children of a sub-process with it. */
export interface NodeSpec {
  readonly node: FlowNode;
  readonly children: readonly NodeSpec[];
}

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
    if (node.kind === 'boundaryEvent') attach(nodes, node.id, node.attachedToId);
    if (node.kind === 'subProcess') nodes.set(node.id, { ...node, ...insideOf(node, nodes) });
  }
  const children = specs.map(({ node }) => node.id);
  return deepFreeze({
    id,
    name: null,
    place,
    nodes,
    flows: links,
    children,
    start: scopeStart(children, nodes),
    eventSubProcessIds: eventSubProcesses(children, nodes),
    variables: declarations(options.variables),
  });
}

function attach(nodes: Map<string, FlowNode>, eventId: string, hostId: string): void {
  const host = nodes.get(hostId);
  if (host === undefined || !isActivity(host)) throw new Error(`no activity ${hostId}`);
  nodes.set(host.id, { ...host, boundaryEventIds: [...host.boundaryEventIds, eventId] });
}

/** What a sub-process says about its children that only the flows tell. */
function insideOf(node: SubProcess, nodes: Map<string, FlowNode>): Partial<SubProcess> {
  const eventSubProcessIds = eventSubProcesses(node.children, nodes);
  if (node.variant.kind === 'event') return { eventSubProcessIds };
  if (node.variant.kind !== 'adHoc') return { eventSubProcessIds, start: scopeStart(node.children, nodes) };
  const launchableIds = withoutIncoming(node.children, nodes).filter((id) => {
    const child = nodes.get(id);
    return child !== undefined && isActivity(child);
  });
  return { eventSubProcessIds, variant: { ...node.variant, launchableIds } };
}

function scopeStart(children: readonly string[], nodes: ReadonlyMap<string, FlowNode>): ScopeStart {
  const events = children.filter((id) => nodes.get(id)?.kind === 'startEvent');
  if (events.length === 0) return withoutIncoming(children, nodes);
  const none = events.filter((id) => {
    const node = nodes.get(id);
    return node?.kind === 'startEvent' && node.triggers.length === 0;
  });
  return none.length === 1 ? none : [];
}

/** Those without a sequence flow to them, which are not reached in another way either. */
function withoutIncoming(
  children: readonly string[],
  nodes: ReadonlyMap<string, FlowNode>,
): readonly string[] {
  return children.filter((id) => {
    const node = nodes.get(id);
    if (node === undefined || node.incoming.length > 0 || node.kind === 'boundaryEvent') return false;
    if (node.kind === 'subProcess' && node.variant.kind === 'event') return false;
    if (node.kind === 'intermediateCatchEvent' && node.triggers[0]?.kind === 'link') return false;
    return !(isActivity(node) && node.isForCompensation);
  });
}

function eventSubProcesses(
  children: readonly string[],
  nodes: ReadonlyMap<string, FlowNode>,
): readonly string[] {
  return children.filter((id) => {
    const node = nodes.get(id);
    return node?.kind === 'subProcess' && node.variant.kind === 'event';
  });
}

/** A `~` before a name makes it transient. */
export function declarations(names: readonly string[] = []): ReadonlyMap<string, VariableDeclaration> {
  return new Map(names.map((text) => [text.replace('~', ''), declared(text)]));
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

/** `a -> b -> c`, with ` if condition`, ` default` or ` as id` for the last one. */
function addFlows(line: string, nodes: Map<string, FlowNode>, links: Map<string, SequenceFlow>): void {
  const [before = '', ...conditions] = line.split(' if ');
  const [path = '', ownId = null] = before.split(' as ');
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
      ownId: isLast ? ownId : null,
    });
  }
}

function addFlow(
  nodes: Map<string, FlowNode>,
  links: Map<string, SequenceFlow>,
  flow: Pick<SequenceFlow, 'sourceId' | 'targetId' | 'condition'> & {
    readonly isDefault: boolean;
    readonly ownId: string | null;
  },
): void {
  const { sourceId, targetId, condition, isDefault, ownId } = flow;
  let id = ownId ?? `${sourceId}-${targetId}`;
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
