/**
 * The flow nodes of one scope, a process or a sub-process, as a graph: where tokens begin and where they can go.
 *
 * G1 No flow crosses the border of a scope, so what its tokens can do is known from the scope alone.
 * G2 A boundary event follows its activity, a catching link event what throws to it.
 * G3 Compensation activities and event sub-processes have no place in it: no flow leads to them or from them.
 */
import { isActivity, type FlowNode, type ProcessDefinition, type SequenceFlow } from '../model.ts';

export interface ScopeGraph {
  readonly process: ProcessDefinition;
  /** The process id, or the id of the sub-process. */
  readonly id: string;
  readonly nodes: ReadonlyMap<string, FlowNode>;
  /** Each is a way to begin: the nodes that then get a token, all at once. */
  readonly begins: readonly (readonly string[])[];
  /** What begins does so as often as somebody likes, at the same time as others. */
  readonly isAdHoc: boolean;
}

export function scopesOf(process: ProcessDefinition): readonly ScopeGraph[] {
  const inner = [...process.nodes.values()].flatMap((node) => (node.kind === 'subProcess' ? [node] : []));
  return [
    scopeOf(process, process.id, process.children, [process.start, ...triggeredStartsOf(process)]),
    ...inner.map((scope) => {
      switch (scope.variant.kind) {
        case 'event':
          return scopeOf(process, scope.id, scope.children, [[scope.variant.startEventId]]);
        case 'adHoc':
          return scopeOf(process, scope.id, scope.children, [scope.variant.launchableIds], true);
        default:
          return scopeOf(process, scope.id, scope.children, [scope.start]);
      }
    }),
  ];
}

function scopeOf(
  process: ProcessDefinition,
  id: string,
  children: readonly string[],
  begins: ScopeGraph['begins'],
  isAdHoc = false,
): ScopeGraph {
  const nodes = new Map(
    children.flatMap((childId) => {
      const node = process.nodes.get(childId);
      return node === undefined || isAside(node) ? [] : [[childId, node] as const];
    }),
  );
  return { process, id, nodes, begins: begins.filter((ids) => ids.length > 0), isAdHoc };
}

function isAside(node: FlowNode): boolean {
  return (
    (isActivity(node) && node.isForCompensation) ||
    (node.kind === 'subProcess' && node.variant.kind === 'event') ||
    (node.kind === 'boundaryEvent' && node.triggers.some(({ kind }) => kind === 'compensation'))
  );
}

/** By the start events that something triggers, and by what instantiates. BPMN 2.0.2 §13.2, §10.6.6. */
function triggeredStartsOf(process: ProcessDefinition): readonly (readonly string[])[] {
  return process.children.flatMap((id) => {
    const node = process.nodes.get(id);
    if (node?.kind === 'startEvent' && node.triggers.length > 0) return [[id]];
    if (node?.kind === 'receiveTask' && node.instantiates) return [[id]];
    if (node?.kind !== 'eventBasedGateway' || !node.instantiates) return [];
    const targetIds = flowsOf(process, node.outgoing).map(({ targetId }) => targetId);
    return node.isParallel ? [targetIds] : targetIds.map((targetId) => [targetId]);
  });
}

export function flowsOf({ flows }: ProcessDefinition, ids: readonly string[]): readonly SequenceFlow[] {
  return ids.flatMap((id) => flows.get(id) ?? []);
}

/** Where links that the node throws lead to. */
export function linkTargetsOf(node: FlowNode): readonly string[] {
  if (node.kind !== 'intermediateThrowEvent') return [];
  return node.results.flatMap((result) => (result.kind === 'link' ? [result.targetId] : []));
}

/** The boundary events of the node from which tokens go on. */
export function boundariesOf({ nodes }: ScopeGraph, node: FlowNode): readonly string[] {
  return isActivity(node) ? node.boundaryEventIds.filter((id) => nodes.has(id)) : [];
}

/** The nodes to which a token can go from the node in one step. */
export function successorsOf(scope: ScopeGraph, node: FlowNode): readonly string[] {
  return [
    ...flowsOf(scope.process, node.outgoing).map(({ targetId }) => targetId),
    ...boundariesOf(scope, node),
    ...linkTargetsOf(node),
  ].filter((id) => scope.nodes.has(id));
}

/** All nodes that can be reached from the given ones, themselves included, without leaving a barrier. */
export function reachableFrom(
  scope: ScopeGraph,
  ids: Iterable<string>,
  isBarrier: (id: string) => boolean = () => false,
): ReadonlySet<string> {
  const reached = new Set<string>();
  const pending = [...ids].filter((id) => scope.nodes.has(id) && !isBarrier(id));
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    const node = scope.nodes.get(id);
    if (node === undefined || reached.has(id)) continue;
    reached.add(id);
    pending.push(...successorsOf(scope, node).filter((next) => !reached.has(next) && !isBarrier(next)));
  }
  return reached;
}

/** All nodes from which one of the given ones can be reached, themselves included. */
export function thatReach(scope: ScopeGraph, ids: Iterable<string>): ReadonlySet<string> {
  const sources = new Map<string, string[]>();
  for (const node of scope.nodes.values()) {
    for (const next of successorsOf(scope, node)) {
      const known = sources.get(next);
      if (known === undefined) sources.set(next, [node.id]);
      else known.push(node.id);
    }
  }
  const found = new Set<string>();
  const pending = [...ids];
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    pending.push(...(sources.get(id) ?? []));
  }
  return found;
}

/** The nodes at which a token can ever be. */
export function reachedIn(scope: ScopeGraph): ReadonlySet<string> {
  return reachableFrom(scope, scope.begins.flat());
}
