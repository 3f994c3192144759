/**
 * What a process does, without what a conversion may change: the ids of gateways, starts, ends and sequence flows,
 * gateways that paths only pass, and where plain ends stand. For tests of one process in two notations.
 */
import type { FlowNode, ProcessDefinition } from '../../definitions/model.ts';
import { saidBy } from './same-process.ts';

/** Nodes in the order in which paths come to them. */
export function behaviourOf(process: ProcessDefinition): unknown {
  return new Behaviour(process).scope(process.children);
}

/** Not compared: where a node stands is in the order of the nodes. */
const PLACING = [
  ...[
    'id',
    'name',
    'parentId',
    'incoming',
    'outgoing',
    'children',
    'start',
    'boundaryEventIds',
    'attachedToId',
  ],
  ...['defaultFlowId', 'eventSubProcessIds'],
];
const PASSED: readonly string[] = ['exclusiveGateway', 'parallelGateway', 'inclusiveGateway'];
const NAMELESS: readonly string[] = [...PASSED, 'startEvent', 'endEvent'];

class Behaviour {
  readonly #process: ProcessDefinition;
  readonly #labels = new Map<string, number>();

  constructor(process: ProcessDefinition) {
    this.#process = process;
  }

  scope(children: readonly string[]): unknown {
    const nodes = children.flatMap((id) => this.#process.nodes.get(id) ?? []);
    const queue = nodes.filter(({ kind }) => kind === 'startEvent');
    const told: unknown[] = [];
    for (let node = queue.shift(); node !== undefined; node = queue.shift())
      told.push(this.#node(node, queue));
    return told;
  }

  #node(node: FlowNode, queue: FlowNode[]): unknown {
    const isTold = !NAMELESS.includes(node.kind);
    return {
      ...this.#own(node),
      ...(isTold ? { id: node.id, name: node.name } : {}),
      next: this.#waysFrom(node).map((way) => ({ ...way, to: this.#label(way.to, queue) })),
      borders: this.#borders(node, queue),
      inside: 'children' in node ? this.scope(node.children) : null,
    };
  }

  #own(node: FlowNode): object {
    const said = Object.entries(
      Object(saidBy({ ...this.#process, nodes: new Map([['it', node]]) })) as object,
    );
    const nodes = Object(said.find(([key]) => key === 'nodes')?.[1]) as { it: object };
    return Object.fromEntries(Object.entries(nodes.it).filter(([key]) => !PLACING.includes(key)));
  }

  #borders(node: FlowNode, queue: FlowNode[]): unknown {
    if (!('boundaryEventIds' in node)) return [];
    return node.boundaryEventIds
      .flatMap((id) => this.#process.nodes.get(id) ?? [])
      .map((event) => JSON.stringify(this.#node(event, queue)))
      .toSorted();
  }

  /** The conditional ones in their order, the default one last. */
  #waysFrom(node: FlowNode): readonly { readonly condition: string | null; readonly to: FlowNode | null }[] {
    const defaultId = 'defaultFlowId' in node ? node.defaultFlowId : null;
    const flows = node.outgoing.toSorted(
      (one, other) => Number(one === defaultId) - Number(other === defaultId),
    );
    const ways = flows.flatMap((id) => {
      const flow = this.#process.flows.get(id);
      if (flow === undefined) return [];
      return [
        { condition: flow.condition?.text ?? null, to: this.#process.nodes.get(flow.targetId) ?? null },
      ];
    });
    // A path that stops has come to an end.
    return ways.length === 0 && node.kind !== 'endEvent' ? [{ condition: null, to: null }] : ways;
  }

  /** `end` for a plain end, else the number of the node that is not only passed. */
  #label(target: FlowNode | null, queue: FlowNode[]): number | 'end' {
    let node = target;
    while (node !== null && isPassed(node)) node = this.#waysFrom(node)[0]?.to ?? null;
    if (node === null || isPlainEnd(node)) return 'end';
    const known = this.#labels.get(node.id);
    if (known !== undefined) return known;
    const label = this.#labels.size;
    this.#labels.set(node.id, label);
    queue.push(node);
    return label;
  }
}

function isPassed(node: FlowNode): boolean {
  return (
    PASSED.includes(node.kind) &&
    node.outgoing.length < 2 &&
    (node.kind === 'exclusiveGateway' || node.incoming.length < 2)
  );
}

function isPlainEnd(node: FlowNode): boolean {
  return node.kind === 'endEvent' && node.name === null && node.results.length === 0 && node.reply === null;
}
