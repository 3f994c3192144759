/**
 * What the core derives from a process definition once and keeps for as long as the definition lives.
 */
import {
  isActivity,
  type Activity,
  type BoundaryEvent,
  type CatchDefinition,
  type FlowNode,
  type ProcessDefinition,
  type ScopeStart,
  type SequenceFlow,
  type StartEvent,
  type SubProcess,
} from '../../definitions/model.ts';
import { InvariantError } from './invariant-error.ts';

export interface NodeFacts {
  readonly node: FlowNode;
  /** In document order. */
  readonly outgoing: readonly SequenceFlow[];
  readonly boundaries: readonly BoundaryEvent[];
  /** The activity that undoes this one, by its compensation boundary event; null: none. */
  readonly compensationHandlerId: string | null;
  /** A parallel multi-instance activity whose frames can be stored as parts (S6). */
  readonly isParted: boolean;
}

/** An event sub-process and what triggers it. */
export interface EventHandler {
  readonly subProcess: SubProcess;
  readonly start: StartEvent;
}

/** What begins and lives with a scope: of the process, or of a sub-process. */
export interface ScopeFacts {
  readonly start: ScopeStart;
  readonly handlers: readonly EventHandler[];
  /** Variables that the scope begins with, as null. */
  readonly declared: readonly string[];
}

const NO_SCOPE: ScopeFacts = { start: [], handlers: [], declared: [] };

export class Graph {
  readonly process: ProcessDefinition;
  /** Of the process itself. */
  readonly root: ScopeFacts;
  readonly transientVariables: readonly string[];
  readonly #facts: ReadonlyMap<string, NodeFacts>;
  readonly #scopes: ReadonlyMap<string, ScopeFacts>;
  /** For each join: node id to the incoming flows of the join that a token there can still reach. */
  readonly #reach = new Map<string, ReadonlyMap<string, ReadonlySet<string>>>();
  /** By the id of a catching link event: the events that throw to it. */
  readonly #linkSources = new Map<string, string[]>();

  constructor(process: ProcessDefinition) {
    this.process = process;
    const nodes = [...process.nodes.values()];
    this.#facts = new Map(nodes.map((node) => [node.id, factsOf(process, node)]));
    this.root = scopeFactsOf(process, process);
    this.#scopes = new Map(
      nodes.flatMap((node) => (node.kind === 'subProcess' ? [[node.id, scopeFactsOf(process, node)]] : [])),
    );
    this.transientVariables = [...process.variables.values()].filter((v) => v.isTransient).map((v) => v.name);
    for (const node of nodes) {
      if (node.kind !== 'intermediateThrowEvent') continue;
      for (const result of node.results) {
        if (result.kind !== 'link') continue;
        const sources = this.#linkSources.get(result.targetId);
        if (sources === undefined) this.#linkSources.set(result.targetId, [node.id]);
        else sources.push(node.id);
      }
    }
  }

  facts(nodeId: string): NodeFacts {
    const facts = this.#facts.get(nodeId);
    if (facts === undefined)
      throw new InvariantError(`process ${this.process.id} has no flow node ${nodeId}`);
    return facts;
  }

  node(nodeId: string): FlowNode {
    return this.facts(nodeId).node;
  }

  /** Of a sub-process by its id; of anything else: nothing begins there. */
  scopeFacts(elementId: string): ScopeFacts {
    return this.#scopes.get(elementId) ?? NO_SCOPE;
  }

  /** The incoming flows of `joinId` that can still be reached from each node without visiting the join. */
  reachOf(joinId: string): ReadonlyMap<string, ReadonlySet<string>> {
    let reach = this.#reach.get(joinId);
    if (reach === undefined) {
      reach = computeReach(this, joinId);
      this.#reach.set(joinId, reach);
    }
    return reach;
  }

  /** From where a token can come to the node in one step. */
  *sourcesOf(nodeId: string): Iterable<string> {
    const { node } = this.facts(nodeId);
    if (node.kind === 'boundaryEvent') yield node.attachedToId;
    yield* this.#linkSources.get(nodeId) ?? [];
    for (const flowId of node.incoming) yield flowOf(this.process, flowId).sourceId;
  }
}

const graphs = new WeakMap<ProcessDefinition, Graph>();

export function graphOf(process: ProcessDefinition): Graph {
  let graph = graphs.get(process);
  if (graph === undefined) {
    graph = new Graph(process);
    graphs.set(process, graph);
  }
  return graph;
}

function factsOf(process: ProcessDefinition, node: FlowNode): NodeFacts {
  const boundaries = isActivity(node) ? node.boundaryEventIds.map((id) => boundaryOf(process, id)) : [];
  return {
    node,
    outgoing: node.outgoing.map((id) => flowOf(process, id)),
    boundaries,
    compensationHandlerId: handlerIdOf(boundaries),
    isParted: isActivity(node) && handlerIdOf(boundaries) === null && isPartable(process, node),
  };
}

function handlerIdOf(boundaries: readonly BoundaryEvent[]): string | null {
  for (const { triggers } of boundaries) {
    for (const trigger of triggers) if (trigger.kind === 'compensation') return trigger.handlerId;
  }
  return null;
}

/**
 * Whether nothing that can happen elsewhere reaches into the activity's instances: no signal and no
 * condition waits there, nothing there can be compensated later, and no process is called.
 */
function isPartable(process: ProcessDefinition, node: Activity): boolean {
  const { loop } = node;
  return loop?.kind === 'multiInstance' && !loop.isSequential && isSelfContained(process, node);
}

function isSelfContained(process: ProcessDefinition, node: FlowNode): boolean {
  if (node.kind === 'callActivity') return false;
  if (node.kind !== 'subProcess') return true;
  return node.children.every((id) => {
    const child = process.nodes.get(id);
    return (
      child !== undefined &&
      !('triggers' in child && child.triggers.some(reachesInside)) &&
      isSelfContained(process, child)
    );
  });
}

function reachesInside({ kind }: CatchDefinition): boolean {
  return kind === 'signal' || kind === 'conditional' || kind === 'compensation';
}

function scopeFactsOf(process: ProcessDefinition, scope: ProcessDefinition | SubProcess): ScopeFacts {
  return {
    start: scope.start,
    handlers: scope.eventSubProcessIds.map((id) => eventHandlerOf(process, id)),
    declared: [...scope.variables.keys()],
  };
}

function eventHandlerOf(process: ProcessDefinition, id: string): EventHandler {
  const subProcess = process.nodes.get(id);
  if (subProcess?.kind === 'subProcess' && subProcess.variant.kind === 'event') {
    const start = process.nodes.get(subProcess.variant.startEventId);
    if (start?.kind === 'startEvent') return { subProcess, start };
  }
  throw new InvariantError(`${id} is not an event sub-process of ${process.id}`);
}

function flowOf(process: ProcessDefinition, id: string): SequenceFlow {
  const flow = process.flows.get(id);
  if (flow === undefined) throw new InvariantError(`process ${process.id} has no sequence flow ${id}`);
  return flow;
}

function boundaryOf(process: ProcessDefinition, id: string): BoundaryEvent {
  const node = process.nodes.get(id);
  if (node?.kind !== 'boundaryEvent')
    throw new InvariantError(`${id} is not a boundary event of ${process.id}`);
  return node;
}

/**
 * Walks back from each incoming flow. The join itself is marked when a path starts at it (a token that
 * has just passed it may come back) but never walked through. A boundary event follows its activity, a
 * catching link event those that throw to it.
 */
function computeReach(graph: Graph, joinId: string): ReadonlyMap<string, ReadonlySet<string>> {
  const reach = new Map<string, Set<string>>();
  for (const flowId of graph.node(joinId).incoming) {
    const pending = [flowOf(graph.process, flowId).sourceId];
    for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
      const flows = reach.get(id) ?? new Set<string>();
      if (flows.has(flowId)) continue;
      reach.set(id, flows.add(flowId));
      if (id !== joinId) pending.push(...graph.sourcesOf(id));
    }
  }
  return reach;
}
