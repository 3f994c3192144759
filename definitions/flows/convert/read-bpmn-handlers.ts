/** A sub-process with the handlers that its boundary events begin, and where it goes on behind them. */
import type { NodeDraft } from '../../bpmn/graph.ts';
import type { Handler, TryStep } from '../flow.ts';
import type { HandlerHead } from './read-bpmn-events.ts';
import type { PathWalk, Taken } from './read-bpmn-splits.ts';
import {
  END,
  isInterrupting,
  type Next,
  sortedHandlers,
  type Walked,
  withoutLastEnd,
} from './read-bpmn-ways.ts';

export function readSubProcess(paths: PathWalk, node: NodeDraft): Taken {
  const step = paths.nodes.parts.get(node.id) ?? null;
  if (step === null) paths.fail();
  const after = paths.after(node);
  const ways: Walked[] = [];
  const handlers: Handler[] = [];
  let compensation: TryStep['compensation'] = null;
  for (const id of node.boundaryEventIds) {
    paths.take(id);
    const { nodes, associated } = paths.source.graph;
    const event = nodes.get(id);
    if (event === undefined) continue;
    if (paths.nodes.compensations.has(id)) {
      compensation = paths.nodes.compensations.get(id) ?? null;
      associated.get(id)?.forEach((handler) => paths.take(handler));
      continue;
    }
    const walked = paths.ended(paths.walk(paths.after(event)));
    const head = paths.nodes.handlers.get(id) ?? null;
    if (head === null) continue;
    handlers.push(handlerOf(paths, event, head, walked));
    if (isInterrupting(head)) ways.push(walked);
  }
  const mayEnd = ways.some((way) => way.mayEnd);
  if (step?.verb !== 'try') return { step, next: after, mayEnd };
  return {
    step: { ...step, handlers: sortedHandlers(handlers), compensation },
    next: behind(paths, node, after, ways),
    mayEnd,
  };
}

/** Where a sub-process with handlers goes on: there, its handlers come back. */
function behind(paths: PathWalk, node: NodeDraft, after: Next, handlers: readonly Walked[]): Next {
  const [first] = handlers.flatMap(({ open }) => open ?? []);
  if (first === undefined) return after;
  const own = paths.openOf(after);
  if (own === null || own.merge !== first.merge) {
    paths.refuse(
      node,
      'has a boundary event whose path does not come back right behind it; let the path end, or lead it to where the sub-process goes on',
    );
    return END;
  }
  return paths.together(node, [{ open: own, mayEnd: false }, ...handlers], 'choice');
}

function handlerOf(paths: PathWalk, event: NodeDraft, head: HandlerHead, { steps, open }: Walked): Handler {
  if (isInterrupting(head)) return { ...head, steps };
  if (open !== null) {
    paths.refuse(event, 'does not interrupt, and its path comes back; let it end in an end event of its own');
  }
  return { ...head, steps: withoutLastEnd(steps, 0) };
}
