/**
 * What the core derives from a process definition once and keeps for as long as the definition lives.
 */
import {
  isActivity,
  type BoundaryEvent,
  type FlowNode,
  type ProcessDefinition,
  type SequenceFlow,
} from '../../definitions/model.ts';
import { InvariantError } from './invariant-error.ts';

export interface NodeFacts {
  readonly node: FlowNode;
  /** In document order. */
  readonly outgoing: readonly SequenceFlow[];
  readonly boundaries: readonly BoundaryEvent[];
}

export class Graph {
  readonly process: ProcessDefinition;
  readonly #facts: ReadonlyMap<string, NodeFacts>;
  /** For each inclusive join: node id to the incoming flows of the join that a token there can still reach. */
  readonly #reach = new Map<string, ReadonlyMap<string, ReadonlySet<string>>>();
  readonly transientVariables: readonly string[];

  constructor(process: ProcessDefinition) {
    this.process = process;
    this.#facts = new Map([...process.nodes.values()].map((node) => [node.id, factsOf(process, node)]));
    this.transientVariables = [...process.variables.values()].filter((v) => v.isTransient).map((v) => v.name);
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

  /** The incoming flows of `joinId` that can still be reached from each node without visiting the join. */
  reachOf(joinId: string): ReadonlyMap<string, ReadonlySet<string>> {
    let reach = this.#reach.get(joinId);
    if (reach === undefined) {
      reach = computeReach(this, joinId);
      this.#reach.set(joinId, reach);
    }
    return reach;
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
  return {
    node,
    outgoing: node.outgoing.map((id) => flowOf(process, id)),
    boundaries: isActivity(node) ? node.boundaryEventIds.map((id) => boundaryOf(process, id)) : [],
  };
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
 * has just passed it may come back) but never walked through. A boundary event follows its activity.
 */
function computeReach(graph: Graph, joinId: string): ReadonlyMap<string, ReadonlySet<string>> {
  const reach = new Map<string, Set<string>>();
  for (const flowId of graph.node(joinId).incoming) {
    const pending = [flowOf(graph.process, flowId).sourceId];
    for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
      const flows = reach.get(id) ?? new Set<string>();
      if (flows.has(flowId)) continue;
      reach.set(id, flows.add(flowId));
      if (id === joinId) continue;
      const node = graph.node(id);
      if (node.kind === 'boundaryEvent') pending.push(node.attachedToId);
      for (const incoming of node.incoming) pending.push(flowOf(graph.process, incoming).sourceId);
    }
  }
  return reach;
}
