/** Where a scope, a process or a sub-process, begins: what its start events and unjoined nodes say. */
import type { ScopeStart } from '../model.ts';
import { ACTIVITY_KINDS, type GraphDraft, type NodeDraft } from './graph.ts';
import { eventKindsOf, type ReadContext } from './read-context.ts';

export function childrenOf(graph: GraphDraft, ids: readonly string[]): readonly NodeDraft[] {
  return ids.flatMap((id) => graph.nodes.get(id) ?? []);
}

export function startEventsOf(graph: GraphDraft, ids: readonly string[]): readonly NodeDraft[] {
  return childrenOf(graph, ids).filter(({ kind }) => kind === 'startEvent');
}

/** A start event that waits for nothing: its scope begins here by itself. */
export function isNoneStart(context: ReadContext, { kind, element }: NodeDraft): boolean {
  return kind === 'startEvent' && eventKindsOf(context, element).length === 0;
}

/** See `ScopeStart` of the model. BPMN 2.0.2 §10.5.2, §13.2. */
export function scopeStartOf(context: ReadContext, graph: GraphDraft, ids: readonly string[]): ScopeStart {
  const starts = startEventsOf(graph, ids);
  const begins =
    starts.length > 0
      ? starts.filter((draft) => isNoneStart(context, draft))
      : childrenOf(graph, ids).filter((draft) => isImplicitStart(context, draft));
  return begins.map(({ id }) => id);
}

/**
 * Whether a token appears here when the scope has no start event. What instantiates the process does not:
 * its message brings the token.
 */
function isImplicitStart(context: ReadContext, draft: NodeDraft): boolean {
  return (
    draft.incoming.length === 0 &&
    draft.kind !== 'boundaryEvent' &&
    !draft.isEventSubProcess &&
    !draft.isForCompensation &&
    !draft.isInstantiating &&
    !(draft.kind === 'intermediateCatchEvent' && eventKindsOf(context, draft.element).includes('link'))
  );
}

export function eventSubProcessesOf(graph: GraphDraft, ids: readonly string[]): readonly string[] {
  return childrenOf(graph, ids).flatMap(({ id, isEventSubProcess }) => (isEventSubProcess ? [id] : []));
}

/** The activities of an ad hoc sub-process that can be launched: those to which no flow leads. BPMN 2.0.2 §10.3.5. */
export function launchableOf(graph: GraphDraft, ids: readonly string[]): readonly string[] {
  return childrenOf(graph, ids)
    .filter(
      ({ kind, incoming, isEventSubProcess, isForCompensation }) =>
        ACTIVITY_KINDS.has(kind) && incoming.length === 0 && !isEventSubProcess && !isForCompensation,
    )
    .map(({ id }) => id);
}
