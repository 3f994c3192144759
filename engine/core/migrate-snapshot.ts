/** The snapshot as the new model has it: the same tokens, scopes and waits with the same numbers, by their new ids. */
import type { LiveScope } from './live-state.ts';
import { migratedGroups, migratedRecords } from './migrate-compensations.ts';
import type { EventPlan } from './migrate-events.ts';
import type { ProcessPair, ProcessPairs } from './migrate-processes.ts';
import type { Failure, Part, Scope, Snapshot, Token, Wait } from './snapshot.ts';
import type { Step } from './step.ts';

type Contents = Pick<Snapshot, 'scopes' | 'tokens' | 'waits'>;

/** @param events what is withdrawn is still in it, as it was: the step that goes on withdraws it */
export function migratedSnapshot(
  step: Step,
  pairs: ProcessPairs,
  deploymentId: string,
  events: EventPlan,
): Snapshot {
  const { before } = step;
  const contents = ({ scopes, tokens, waits }: Contents): Contents => ({
    scopes: scopes.map((scope) => migratedScope(step, pairs, deploymentId, scope)),
    tokens: tokens.map((token) => migratedToken(step, pairs, token)),
    waits: waits.map((wait) => migratedWait(step, pairs, events, wait)),
  });
  const parts = before.parts?.map((part): Part => ({ ...part, ...contents(part) }));
  return {
    ...before,
    deploymentId,
    ...contents(before),
    ...(parts === undefined ? {} : { parts }),
    ...(before.compensations === undefined
      ? {}
      : { compensations: migratedRecords(step, pairs, before.compensations) }),
    failure: before.failure === null ? null : migratedFailure(step, pairs, before.failure),
  };
}

function migratedScope(step: Step, pairs: ProcessPairs, deploymentId: string, stored: Scope): Scope {
  const scope = step.scopes.get(stored.id);
  if (scope === undefined) return stored;
  const pair = pairs.of(scope);
  // The id of a called scope is one of the caller's process.
  const pairOfId = scope.kind === 'called' && scope.parent !== null ? pairs.of(scope.parent) : pair;
  const { called, complexGateways } = stored;
  return {
    ...stored,
    elementId: pairOfId?.nodeId(stored.elementId) ?? stored.elementId,
    ...(called === undefined || pair === null ? {} : { called: { ...called, deploymentId } }),
    ...(complexGateways === undefined || pair === null
      ? {}
      : { complexGateways: migratedGateways(pair, complexGateways) }),
  };
}

function migratedGateways(
  pair: ProcessPair,
  gateways: NonNullable<Scope['complexGateways']>,
): NonNullable<Scope['complexGateways']> {
  const entries = Object.entries(gateways).map(
    ([id, flowIds]) => [pair.nodeId(id), flowIds.flatMap((flowId) => pair.flowId(flowId) ?? [])] as const,
  );
  return Object.fromEntries(entries);
}

function migratedToken(step: Step, pairs: ProcessPairs, stored: Token): Token {
  const scope = step.scopes.get(stored.scopeId);
  const pair = scope === undefined ? null : pairs.of(scope);
  const { compensating, arrivedByFlowId } = stored;
  const moved =
    compensating === undefined
      ? stored
      : {
          ...stored,
          compensating: { ...compensating, groups: migratedGroups(step, pairs, compensating.groups) },
        };
  if (pair === null) return moved;
  return {
    ...moved,
    elementId: pair.nodeId(stored.elementId),
    // A flow that the new model does not have counts for nothing: only joins ask, and these have theirs.
    arrivedByFlowId: arrivedByFlowId === null ? null : pair.flowId(arrivedByFlowId),
  };
}

function migratedWait(step: Step, pairs: ProcessPairs, { kept, withdrawnIds }: EventPlan, wait: Wait): Wait {
  if (withdrawnIds.has(wait.id)) return wait;
  const event = kept.get(wait.id);
  if (event !== undefined) {
    const { eventId: elementId, index } = event;
    if (index === (wait.trigger ?? 0)) return { ...wait, elementId };
    const { trigger: _, ...rest } = wait;
    return index === 0 ? { ...rest, elementId } : { ...rest, elementId, trigger: index };
  }
  const holder = step.holderOf(wait);
  const pair = pairs.of('tokens' in holder ? holder : holder.scope);
  return pair === null ? wait : { ...wait, elementId: pair.nodeId(wait.elementId) };
}

function migratedFailure(step: Step, pairs: ProcessPairs, failure: Failure): Failure {
  const { elementId, tokenId } = failure;
  const token = tokenId === null ? undefined : step.tokens.get(tokenId);
  const pair = token === undefined ? pairHaving(step, pairs, elementId) : pairs.of(token.scope);
  return pair === null ? failure : { ...failure, elementId: pair.nodeId(elementId) };
}

/** Of a join that is stuck or of a condition: where something of the instance stands, or waits, at the element. */
function pairHaving(step: Step, pairs: ProcessPairs, elementId: string): ProcessPair | null {
  const places: LiveScope[] = [];
  for (const token of step.tokens.values()) if (token.elementId === elementId) places.push(token.scope);
  for (const wait of step.waits.values()) {
    if (wait.elementId !== elementId) continue;
    const holder = step.holderOf(wait);
    places.push('tokens' in holder ? holder : holder.scope);
  }
  const [scope] = places;
  return scope === undefined ? null : pairs.of(scope);
}
