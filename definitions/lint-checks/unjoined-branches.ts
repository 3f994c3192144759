/**
 * Exclusive gateways at which parallel branches meet, so that what follows runs once for each branch.
 *
 * B1 Certain to meet: from each of two branches of one split every path leads to the gateway, and they share nothing
 *    before it. Joins on the way take tokens of their own branch only.
 * B2 Certain to matter: on the one way from the gateway on there is something that is done or waited for before
 *    another gateway decides. Two tokens that only go to an end do no harm.
 * B3 A race is meant: where something behind the gateway ends the scope, or may be seen by an event that does,
 *    the later branch is given up.
 */
import type { Finding } from '../../config/engine-error.ts';
import type { ConditionalGateway, FlowNode, ProcessDefinition, SubProcess } from '../model.ts';
import { labelOf, warning, type ProcessCheck } from './lint-check.ts';
import { flowsOf, reachableFrom, scopesOf, successorsOf, thatReach, type ScopeGraph } from './scope-graph.ts';

/** Steps of the search in one scope. Above it nothing is said; a guess at half a second. */
const MAX_WORK = 20_000_000;

export const checkUnjoinedBranches: ProcessCheck = (process) =>
  scopesOf(process).flatMap((scope) => (isRace(scope) ? [] : findingsIn(scope)));

/** Events that something inside the scope itself may trigger, and that end what runs there. */
function isRace({ process, id }: ScopeGraph): boolean {
  const scope = process.nodes.get(id);
  const handlerIds = scope?.kind === 'subProcess' ? scope.eventSubProcessIds : process.eventSubProcessIds;
  const starts = handlerIds.flatMap((handlerId) => {
    const handler = process.nodes.get(handlerId);
    const start = handler === undefined ? undefined : startOf(handler, process.nodes);
    return start ?? [];
  });
  const boundaries =
    scope?.kind === 'subProcess'
      ? scope.boundaryEventIds.flatMap((each) => process.nodes.get(each) ?? [])
      : [];
  return [...starts, ...boundaries].some(
    (event) =>
      (event.kind === 'startEvent' || event.kind === 'boundaryEvent') &&
      event.isInterrupting &&
      event.triggers.some(({ kind }) => kind === 'conditional' || kind === 'signal'),
  );
}

function startOf(handler: FlowNode, nodes: ReadonlyMap<string, FlowNode>): FlowNode | undefined {
  return handler.kind === 'subProcess' && handler.variant.kind === 'event'
    ? nodes.get(handler.variant.startEventId)
    : undefined;
}

function findingsIn(scope: ScopeGraph): readonly Finding[] {
  const nodes = [...scope.nodes.values()];
  const splits = nodes.flatMap((node) => {
    const targets = branchesOf(scope, node);
    return targets.length > 1 ? [{ node, targets }] : [];
  });
  const merges = nodes.flatMap((node) =>
    node.kind === 'exclusiveGateway' && node.incoming.length > 1 ? [node] : [],
  );
  const branchCount = splits.reduce((count, { targets }) => count + targets.length, 0);
  if (branchCount * merges.length * nodes.length > MAX_WORK) return [];
  return merges.flatMap((merge) => {
    const repeated = repeatedAfter(scope, merge);
    if (repeated === null || endsScope(scope, merge)) return [];
    const reaching = thatReach(scope, [merge.id]);
    const split = splits.find(({ node, targets }) => meetAt(scope, node, targets, merge, reaching));
    if (split === undefined) return [];
    const message = `${labelOf(merge)} joins branches that ${labelOf(split.node)} has made parallel and lets each token pass, so ${labelOf(repeated)} runs once for each branch; join them with a parallel gateway`;
    return [warning('SUTRA.LINT.BRANCHES_NOT_JOINED', merge.place, message)];
  });
}

/** Where the node surely puts a token each time. BPMN 2.0.2 §13.3.1, §13.4.1. */
function branchesOf({ process }: ScopeGraph, node: FlowNode): readonly string[] {
  if (node.kind.endsWith('Gateway') && node.kind !== 'parallelGateway') return [];
  const defaultFlowId = 'defaultFlowId' in node ? node.defaultFlowId : null;
  return flowsOf(process, node.outgoing)
    .filter(({ id, condition }) => condition === null && id !== defaultFlowId)
    .map(({ targetId }) => targetId);
}

function meetAt(
  scope: ScopeGraph,
  split: FlowNode,
  targets: readonly string[],
  merge: ConditionalGateway,
  reaching: ReadonlySet<string>,
): boolean {
  const branches: ReadonlySet<string>[] = [];
  for (const target of targets) {
    const branch = reachableFrom(scope, [target], (id) => id === merge.id);
    if (branch.has(split.id) || !isCertain(scope, branch, reaching)) continue;
    if (branches.some((other) => isDisjoint(branch, other))) return true;
    branches.push(branch);
  }
  return false;
}

/** Every path out of the branch leads to the gateway, and no join in it waits for another branch. */
function isCertain(scope: ScopeGraph, branch: ReadonlySet<string>, reaching: ReadonlySet<string>): boolean {
  for (const id of branch) {
    const node = scope.nodes.get(id);
    if (node === undefined || !reaching.has(id)) return false;
    const waitsForOthers =
      node.incoming.length > 1 &&
      (node.kind === 'parallelGateway' || node.kind === 'inclusiveGateway' || node.kind === 'complexGateway');
    if (waitsForOthers) {
      const sources = flowsOf(scope.process, node.incoming).map(({ sourceId }) => sourceId);
      if (!sources.every((sourceId) => branch.has(sourceId))) return false;
    }
  }
  return true;
}

function isDisjoint(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return [...one].every((id) => !other.has(id));
}

/** The first thing that is done or waited for behind the gateway, whatever the data; null: none. */
function repeatedAfter(scope: ScopeGraph, merge: ConditionalGateway): FlowNode | null {
  const seen = new Set<string>();
  let node: FlowNode | undefined = merge;
  while (node !== undefined && !seen.has(node.id)) {
    seen.add(node.id);
    if (isDone(node)) return node;
    const [next, another]: readonly string[] = successorsOf(scope, node);
    if (next === undefined || another !== undefined) return null;
    node = scope.nodes.get(next);
    if (node?.kind === 'parallelGateway' && node.incoming.length > 1) return null;
    if (node?.kind === 'inclusiveGateway' || node?.kind === 'complexGateway') return null;
  }
  return null;
}

function isDone(node: FlowNode): boolean {
  if (node.kind === 'endEvent' || node.kind === 'intermediateThrowEvent') {
    return node.reply !== null || node.results.some(({ kind }) => kind !== 'link');
  }
  if (node.kind === 'intermediateCatchEvent') return node.triggers.some(({ kind }) => kind !== 'link');
  return !node.kind.endsWith('Gateway') && node.kind !== 'startEvent';
}

function endsScope(scope: ScopeGraph, merge: ConditionalGateway): boolean {
  return [...reachableFrom(scope, [merge.id])].some((id) => {
    const node = scope.nodes.get(id);
    if (node?.kind === 'subProcess') return mayThrow(scope.process, node);
    const results = node?.kind === 'endEvent' || node?.kind === 'intermediateThrowEvent' ? node.results : [];
    return results.some(({ kind }) => ending.has(kind));
  });
}

const ending: ReadonlySet<string> = new Set(['terminate', 'error', 'cancel', 'escalation']);

/** Something inside may end what is around it. */
function mayThrow(process: ProcessDefinition, { children }: SubProcess): boolean {
  return children.some((id) => {
    const node = process.nodes.get(id);
    if (node?.kind === 'subProcess') return mayThrow(process, node);
    const results = node?.kind === 'endEvent' || node?.kind === 'intermediateThrowEvent' ? node.results : [];
    return results.some(({ kind }) => kind === 'error' || kind === 'escalation');
  });
}
