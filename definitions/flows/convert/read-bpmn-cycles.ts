/** Sequence flows that lead back, which a list of steps has no way to say. */
import { label } from '../../bpmn/read-context.ts';
import { shown } from '../../xml/shown.ts';
import { type BpmnSource, refuse } from './read-bpmn-source.ts';

interface Visit {
  readonly id: string;
  readonly ways: readonly string[];
  at: number;
}

/** Refuses each node that closes a circle; whether there is one. Without recursion: a path is as long as the file. */
export function refuseCycles(source: BpmnSource, children: readonly string[]): boolean {
  const states = new Map<string, 'open' | 'done'>();
  const stack: Visit[] = [];
  const enter = (id: string): void => {
    states.set(id, 'open');
    stack.push({ id, ways: waysFrom(source, id), at: 0 });
  };
  let isFound = false;
  for (const id of children) {
    if (!states.has(id)) enter(id);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const to = top.ways[top.at];
      top.at += 1;
      if (to === undefined) {
        states.set(top.id, 'done');
        stack.pop();
      } else if (states.get(to) === 'open') {
        isFound = true;
        refuseWay(source, top.id, to);
      } else if (!states.has(to)) {
        enter(to);
      }
    }
  }
  return isFound;
}

/** What follows an activity follows its boundary events too. */
function waysFrom({ graph }: BpmnSource, id: string): readonly string[] {
  const node = graph.nodes.get(id);
  if (node === undefined) return [];
  const targets = node.outgoing.flatMap((flowId) => graph.flows.get(flowId)?.targetId ?? []);
  return [...targets, ...node.boundaryEventIds];
}

function refuseWay(source: BpmnSource, from: string, to: string): void {
  const node = source.graph.nodes.get(from);
  if (node === undefined) return;
  const message = `${label(node.element)} leads back to ${shown(to)}, and steps only go on; put what is repeated into a sub-process with standardLoopCharacteristics`;
  refuse(source, node.element, message);
}
