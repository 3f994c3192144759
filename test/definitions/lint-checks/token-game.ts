/**
 * The token game of BPMN over gateways and tasks, by brute force: every run of a process without sub-processes and events
 * but its start and ends. Every choice may go either way.
 */
import type { FlowNode, ProcessDefinition } from '../../../definitions/model.ts';

/** Distributions that are looked at; and tokens on one flow, above which a run is left. */
const MAX_STATES = 3_000;
const MAX_TOKENS = 4;

export interface Explored {
  /** Nodes that some run enters; joins: that fire. */
  readonly entered: ReadonlySet<string>;
  /** Everything was looked at: no run was left. */
  readonly isComplete: boolean;
  /** How often each node is entered, of each run that ends without a token left. Three stands for more. */
  readonly visits: readonly ReadonlyMap<string, number>[];
}

/** Tokens by flow id, and how often each node was entered. */
interface State {
  readonly tokens: ReadonlyMap<string, number>;
  readonly visits: ReadonlyMap<string, number>;
}

/** @param counts runs that differ only in how often they enter nodes are told apart */
export function explore(process: ProcessDefinition, counts = false): Explored {
  const entered = new Set<string>();
  const ended: ReadonlyMap<string, number>[] = [];
  const seen = new Set<string>();
  let isComplete = true;
  const pending: State[] = process.start.flatMap((id) => {
    entered.add(id);
    const visits = new Map([[id, 1]]);
    return exitsOf(process, id).map((flowIds) => ({ tokens: withTokens(new Map(), flowIds), visits }));
  });
  for (let state = pending.pop(); state !== undefined; state = pending.pop()) {
    const key = JSON.stringify([[...state.tokens].sort(), counts ? [...state.visits].sort() : null]);
    if (seen.has(key)) continue;
    seen.add(key);
    if (seen.size > MAX_STATES || [...state.tokens.values()].some((count) => count > MAX_TOKENS)) {
      isComplete = false;
      if (seen.size > MAX_STATES) break;
      continue;
    }
    const next = [...process.nodes.values()].flatMap((node) => firings(process, state, node));
    for (const { node } of next) entered.add(node.id);
    pending.push(...next.map((firing) => firing.state));
    if (state.tokens.size === 0) ended.push(state.visits);
  }
  return { entered, isComplete, visits: ended };
}

function firings(
  process: ProcessDefinition,
  { tokens, visits }: State,
  node: FlowNode,
): readonly { readonly node: FlowNode; readonly state: State }[] {
  const present = node.incoming.filter((id) => tokens.has(id));
  const isJoin = node.kind === 'parallelGateway';
  // An inclusive join may take any of the tokens that are there: more than it does.
  const takings =
    isJoin && present.length < node.incoming.length
      ? []
      : isJoin
        ? [present]
        : node.kind === 'inclusiveGateway' && present.length > 1
          ? [present, ...present.map((id) => [id])]
          : present.map((id) => [id]);
  if (present.length === 0) return [];
  return takings.flatMap((taken) => {
    const left = withTokens(tokens, taken, -1);
    const counted = new Map(visits).set(node.id, Math.min((visits.get(node.id) ?? 0) + 1, 3));
    return exitsOf(process, node.id).map((flowIds) => ({
      node,
      state: { tokens: withTokens(left, flowIds), visits: counted },
    }));
  });
}

/** The sets of flows that a token may take out of the node. */
function exitsOf(process: ProcessDefinition, nodeId: string): readonly (readonly string[])[] {
  const node = process.nodes.get(nodeId);
  if (node === undefined || node.outgoing.length === 0) return [[]];
  if (node.kind === 'exclusiveGateway') return node.outgoing.map((id) => [id]);
  if (node.kind !== 'inclusiveGateway') return [node.outgoing];
  const subsets = node.outgoing.reduce<readonly (readonly string[])[]>(
    (sets, id) => [...sets, ...sets.map((set) => [...set, id])],
    [[]],
  );
  return subsets.filter((set) => set.length > 0);
}

function withTokens(
  tokens: ReadonlyMap<string, number>,
  flowIds: readonly string[],
  change = 1,
): ReadonlyMap<string, number> {
  const next = new Map(tokens);
  for (const id of flowIds) {
    const count = (next.get(id) ?? 0) + change;
    if (count === 0) next.delete(id);
    else next.set(id, count);
  }
  return next;
}
