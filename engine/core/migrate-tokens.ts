/**
 * Whether each token has its place in the new model.
 *
 * A run of a loop stands where the token of the activity does, and is not asked separately. A token that failed when it
 * entered its node begins there anew: for it the node must only be of the same kind.
 */
import type { FlowNode } from '../../definitions/model.ts';
import { isRun, type LiveScope, type LiveToken } from './live-state.ts';
import type { ProcessPair, ProcessPairs } from './migrate-processes.ts';
import type { MigrationReasons } from './migrate-reasons.ts';
import { kindTrait, workTraits, type Trait } from './migrate-traits.ts';
import type { Step } from './step.ts';

export function checkTokens(step: Step, pairs: ProcessPairs, reasons: MigrationReasons): void {
  for (const token of step.tokens.values()) {
    const pair = pairs.of(token.scope);
    if (pair !== null && !isRun(token)) checkToken(pair, token, reasons);
  }
}

function checkToken(pair: ProcessPair, token: LiveToken, reasons: MigrationReasons): void {
  const { id, elementId, loop } = token;
  const target = checkNode(pair, elementId, id, beginsAnew(token) ? [] : workTraits, reasons);
  if (target === null) return;
  checkArrival(pair, token, target, reasons);
  if (loop?.isParted === true && !pair.to.facts(target.id).isParted) {
    const message = `${elementId} has its instances stored one by one, and in the new model signals, conditions, compensation or calls reach into those of ${target.id}`;
    reasons.add(elementId, id, message);
  }
}

function beginsAnew({ state, phase }: LiveToken): boolean {
  return state === 'failed' && phase === 'entering';
}

/**
 * The node in the new model, which is of the same kind there and has the traits.
 * @returns null when there is none: the reasons say why
 */
export function checkNode(
  pair: ProcessPair,
  elementId: string,
  tokenId: number | null,
  traits: readonly Trait[],
  reasons: MigrationReasons,
): FlowNode | null {
  const node = pair.from.node(elementId);
  const target = pair.node(elementId);
  if (target === undefined) {
    reasons.add(elementId, tokenId, `${elementId} is not in the new model: map it to another element`);
    return null;
  }
  const differing = kindTrait(node) === kindTrait(target) ? traits : [kindTrait];
  const breaches = differing.flatMap((trait): string[] => {
    const [old, now] = [trait(node), trait(target)];
    return old === now ? [] : [`${elementId} ${old}, and in the new model ${target.id} ${now}`];
  });
  if (pair.nodeId(node.parentId) !== target.parentId) {
    breaches.push(
      `${elementId} is in ${node.parentId}, and in the new model ${target.id} is in ${target.parentId}`,
    );
  }
  for (const message of breaches) reasons.add(elementId, tokenId, message);
  return breaches.length === 0 ? target : null;
}

/** Over which flow a token came counts only where it joins others. */
function checkArrival(
  pair: ProcessPair,
  token: LiveToken,
  target: FlowNode,
  reasons: MigrationReasons,
): void {
  const { id, elementId, state, arrivedByFlowId } = token;
  if (state !== 'joining' && !(beginsAnew(token) && isJoin(target))) return;
  if (target.kind === 'complexGateway' && !isJoin(target)) {
    reasons.add(elementId, id, `${elementId} joins tokens, and in the new model ${target.id} does not`);
    return;
  }
  const flowId = arrivedByFlowId === null ? null : pair.flowId(arrivedByFlowId);
  if (flowId !== null && target.incoming.includes(flowId)) return;
  const message = `the token came to ${elementId} over the sequence flow ${arrivedByFlowId ?? '(none)'}, and in the new model that does not lead to ${target.id}: map it to one that does`;
  reasons.add(elementId, id, message);
}

function isJoin(node: FlowNode): boolean {
  if (node.incoming.length < 2) return false;
  if (node.kind === 'complexGateway') return node.activationCondition !== null;
  return node.kind === 'parallelGateway' || node.kind === 'inclusiveGateway';
}

/** What scopes say of nodes that no token of theirs stands at. */
export function checkScopes(step: Step, pairs: ProcessPairs, reasons: MigrationReasons): void {
  for (const scope of step.scopes.values()) {
    const pair = pairs.of(scope);
    if (pair !== null) {
      if (scope.kind === 'restored') checkNode(pair, scope.elementId, null, workTraits, reasons);
      checkComplexGateways(pair, scope, reasons);
    } else if (pairs.isOfOld(scope) && (scope.kind === 'called' || scope.parent === null)) {
      const { id } = scope.graph.process;
      const by = scope.owner === null ? '' : `, which ${scope.elementId} has called`;
      const message = `the deployment ${pairs.deploymentId} has no process ${id}${by}`;
      reasons.add(scope.owner === null ? null : scope.elementId, scope.owner?.id ?? null, message);
    }
  }
}

/** They have fired, and wait for the tokens of their other flows. */
function checkComplexGateways(pair: ProcessPair, scope: LiveScope, reasons: MigrationReasons): void {
  const seen = new Map<string, string>();
  for (const [gatewayId, flowIds] of scope.complexGateways ?? []) {
    const target = checkNode(pair, gatewayId, null, [], reasons);
    if (target === null) continue;
    for (const flowId of flowIds) {
      const mapped = pair.flowId(flowId);
      if (mapped !== null && target.incoming.includes(mapped)) continue;
      const message = `${gatewayId} has taken a token of the sequence flow ${flowId}, and in the new model that does not lead to ${target.id}`;
      reasons.add(gatewayId, null, message);
    }
    const other = seen.get(target.id);
    if (other !== undefined) {
      const message = `${other} and ${gatewayId} have both fired, and in the new model both are ${target.id}`;
      reasons.add(gatewayId, null, message);
    }
    seen.set(target.id, gatewayId);
  }
}
