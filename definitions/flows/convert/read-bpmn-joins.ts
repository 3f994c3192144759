/**
 * Where the paths of a split come together.
 *
 * J1 A step that splits ends where all of its paths that go on come together. What comes together elsewhere, or with
 *    paths of other steps, cannot be said, and is refused at the split.
 * J2 Paths of which one is taken never come together in a parallel gateway, and paths that are all taken in nothing
 *    that does not wait: what would wait for ever, or run twice, is refused and not repaired.
 */
import type { NodeDraft } from '../../bpmn/graph.ts';
import { shown } from '../../xml/shown.ts';
import { END, isOpen, type Next, type Way } from './read-bpmn-ways.ts';

/** Why paths cannot come together: the rest of a sentence that begins with the node. */
export interface JoinFault {
  readonly kind: 'fault';
  readonly node: NodeDraft;
  readonly reason: string;
}

export function together(split: NodeDraft, ways: readonly Way[], by: 'choice' | 'fork'): Next | JoinFault {
  const opens = ways.flatMap(({ open }) => open ?? []);
  const [first, second] = opens;
  if (first === undefined) return END;
  if (second === undefined) return { kind: 'open', open: first };
  const { merge } = first;
  const other = opens.find((open) => open.merge !== merge);
  if (other !== undefined) {
    const places = `${shown(merge.id)} and ${shown(other.merge.id)}`;
    const reason = `has paths that come together at ${places}; let them come together in one place, or end`;
    return { kind: 'fault', node: split, reason };
  }
  if (opens.some((open) => open.by !== 'one' && open.by !== by)) {
    const reason =
      'joins paths that are all taken with paths of which one is taken; give the inner split a join of its own';
    return { kind: 'fault', node: merge, reason };
  }
  const mayEnd = ways.some((way) => isOpen(way) && way.mayEnd);
  const reason = joinFault(split, merge, by, mayEnd);
  if (reason !== null) return { kind: 'fault', node: merge, reason };
  const flows = new Set(opens.flatMap((open) => [...open.flows]));
  return flows.size < merge.incoming.length
    ? { kind: 'open', open: { merge, flows, by } }
    : { kind: 'node', node: merge };
}

/** Why a node cannot join the paths of `split`, as the rest of a sentence, or null. */
function joinFault(
  split: NodeDraft,
  merge: NodeDraft,
  by: 'choice' | 'fork',
  mayEnd: boolean,
): string | null {
  if (by === 'choice') {
    return merge.kind === 'parallelGateway'
      ? `waits for all its paths, but ${shown(split.id)} takes one of them; join them with an exclusive gateway`
      : null;
  }
  if (merge.kind === 'parallelGateway') {
    return mayEnd
      ? `waits for all paths of ${shown(split.id)}, of which one may end before; join them with an inclusive gateway`
      : null;
  }
  return merge.kind === 'inclusiveGateway'
    ? null
    : `would run once for each path of ${shown(split.id)}; join the paths with a parallel gateway`;
}
