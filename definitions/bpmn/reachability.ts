/** Warns of flow nodes that no token can ever reach. */
import type { CheckContext } from './check-context.ts';
import type { NodeDraft } from './graph.ts';
import { label } from './read-context.ts';
import { childrenOf, launchableOf, scopeStartOf } from './scope-start.ts';

interface Scope {
  readonly children: readonly string[];
  readonly isAdHoc: boolean;
}

/** Within each scope; a boundary event is reached with its activity, a link by what throws it. */
export function warnUnreachable(check: CheckContext): void {
  const { context, graph } = check;
  const scopes: readonly Scope[] = [
    { children: graph.children, isAdHoc: false },
    ...[...graph.nodes.values()].map(({ kind, children }) => ({
      children,
      isAdHoc: kind === 'adHocSubProcess',
    })),
  ];
  for (const scope of scopes) {
    const begins = beginsOf(check, scope);
    const reached = begins.length === 0 ? null : reachedFrom(check, begins);
    for (const id of scope.children) {
      const draft = graph.nodes.get(id);
      // Without a start nothing is reachable, and the missing start was reported.
      if (reached?.has(id) === false && draft?.isExecuted === true) {
        const message = `${label(draft.element)} can never be reached; connect or remove it`;
        context.report.warning('SUTRA.BPMN.NODE_UNREACHABLE', draft.element, message);
      }
    }
  }
}

/** Where tokens of a scope begin: by themselves, by a trigger, by a person, or to undo. */
function beginsOf({ context, graph }: CheckContext, { children, isAdHoc }: Scope): readonly string[] {
  const own = isAdHoc ? launchableOf(graph, children) : scopeStartOf(context, graph, children);
  const triggered = childrenOf(graph, children).filter(
    ({ kind, isInstantiating }) => kind === 'startEvent' || isInstantiating,
  );
  if (own.length + triggered.length === 0) {
    return [];
  }
  // A compensation activity that nothing uses has a warning of its own.
  const others = childrenOf(graph, children).filter(
    ({ isEventSubProcess, isForCompensation }) => isEventSubProcess || isForCompensation,
  );
  return [...own, ...[...triggered, ...others].map(({ id }) => id)];
}

function reachedFrom({ graph, models }: CheckContext, begins: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>();
  const queue: NodeDraft[] = [];
  const reach = (id: string): void => {
    const draft = graph.nodes.get(id);
    if (draft !== undefined && !reached.has(id)) {
      reached.add(id);
      queue.push(draft);
    }
  };
  begins.forEach(reach);
  for (let draft = queue.pop(); draft !== undefined; draft = queue.pop()) {
    draft.outgoing.forEach((id) => reach(graph.flows.get(id)?.targetId ?? ''));
    draft.boundaryEventIds.forEach(reach);
    const model = models.get(draft.id);
    if (model?.kind === 'intermediateThrowEvent') {
      model.results.forEach((result) => reach(result.kind === 'link' ? result.targetId : ''));
    }
  }
  return reached;
}
