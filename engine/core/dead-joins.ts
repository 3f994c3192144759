/** Joins that wait in vain while something else of the instance goes on; when nothing does, the instance fails (`execute.ts`). */
import type { ProcessDefinition } from '../../definitions/model.ts';
import { graphOf } from './graph.ts';
import type { Snapshot, Token } from './snapshot.ts';

/**
 * The parallel joins with a token for which no other one can come over some incoming flow. Of the process itself and its
 * sub-processes, not of called processes; boundary events count as ways even if they are not armed any more.
 */
export function deadJoins(process: ProcessDefinition, { tokens, parts = [] }: Snapshot): readonly string[] {
  const graph = graphOf(process);
  const byScope = new Map<number, Token[]>();
  for (const token of [...tokens, ...parts.flatMap((part) => part.tokens)]) {
    const there = byScope.get(token.scopeId);
    if (there === undefined) byScope.set(token.scopeId, [token]);
    else there.push(token);
  }
  const dead = new Set<string>();
  for (const there of byScope.values()) {
    for (const { elementId, state } of there) {
      const node = process.nodes.get(elementId);
      if (state !== 'joining' || node?.kind !== 'parallelGateway') continue;
      const reach = graph.reachOf(elementId);
      const coming = new Set(there.flatMap((token) => flowsTo(token, elementId, reach)));
      if (node.incoming.some((flowId) => !coming.has(flowId))) dead.add(elementId);
    }
  }
  return [...dead].sort();
}

/** Over which incoming flows of the join the token has come, or may still. */
function flowsTo(
  { elementId, state, arrivedByFlowId }: Token,
  joinId: string,
  reach: ReadonlyMap<string, ReadonlySet<string>>,
): readonly string[] {
  if (state === 'joining' && elementId === joinId) return arrivedByFlowId === null ? [] : [arrivedByFlowId];
  return [...(reach.get(elementId) ?? [])];
}
