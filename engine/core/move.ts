/**
 * An operator puts tokens somewhere else: what a model does not foresee, or what has failed and cannot go on there.
 *
 * V1 All moves or none: each is checked against the instance as it was before any of them.
 * V2 What the token did ends as by an interrupting event; what has completed and can be compensated stays.
 * V3 A token stays in its scope, and begins at the target as if it had come over a sequence flow.
 * V4 The instance is failed afterwards if and only if something in it still is.
 */
import { isActivity, type FlowNode } from '../../definitions/model.ts';
import { auditVariables } from './audit.ts';
import { endedRefusal, isEnded, refusal, run } from './apply-stimulus.ts';
import type { CoreCode } from './codes.ts';
import type { AdvanceResult } from './effect.ts';
import { removeInside } from './interrupt.ts';
import { isRun, removeJoining, type LiveScope, type LiveToken } from './live-state.ts';
import { assignAll } from './scope-variables.ts';
import type { Step } from './step.ts';
import type { Move, Stimulus } from './stimulus.ts';

interface Planned {
  readonly token: LiveToken;
  readonly target: FlowNode;
}

interface Obstacle {
  readonly code: CoreCode;
  readonly message: string;
}

/** @throws NeedsParts */
export function moveTokens(
  step: Step,
  { moves, variables }: Extract<Stimulus, { readonly kind: 'move' }>,
): AdvanceResult {
  const { before } = step;
  if (isEnded(before)) return endedRefusal(before);
  // A token may be in any part, and so may another one at the same element.
  step.requireParts();
  const planned: Planned[] = [];
  for (const move of moves) {
    const plan = planOf(step, move, planned);
    if ('code' in plan) return refusal(plan.code, plan.message);
    planned.push(plan);
  }
  // Joins that were stuck may not be any more: that is found out again when the step has come to rest.
  const open = step.failures.filter(({ tokenId }) => tokenId !== null);
  step.failures.splice(0, step.failures.length, ...open);
  const names = Object.keys(variables);
  if (names.length > 0) {
    const payload = auditVariables(step, step.root, step.root.graph.process, variables);
    step.history('variablesSet', null, { names: names.join(', ') }, payload);
    assignAll(step.root, variables);
  }
  for (const plan of planned) moveOne(step, plan);
  const isRepaired = before.status === 'failed' && !keepOtherFailures(step);
  // As after a retry: what conditions say was not asked while the instance was failed.
  return run(step, isRepaired);
}

function moveOne(step: Step, { token, target }: Planned): void {
  step.history('moved', token.elementId, { from: token.elementId, to: target.id, tokenId: token.id });
  removeInside(step, token);
  step.withdrawWaits(token);
  if (token.state === 'joining') removeJoining(token);
  // A link's target has nothing to wait for: what throws to it leads through it.
  const phase = isLinkTarget(target) ? 'completing' : 'entering';
  step.moveToken(token, target.id, arrivalFlow(token, target), phase);
}

function isLinkTarget(node: FlowNode): boolean {
  return node.kind === 'intermediateCatchEvent' && node.triggers.some(({ kind }) => kind === 'link');
}

/**
 * A join counts tokens by the sequence flow over which they came. The token takes the place of one that the join still
 * wants: of the flows on which there is none, first one that it could have come over.
 */
function arrivalFlow({ scope, elementId }: LiveToken, target: FlowNode): string | null {
  const { incoming } = target;
  const reached = scope.graph.reachOf(target.id).get(elementId) ?? new Set<string>();
  const taken = new Set<string | null>();
  for (const other of scope.tokens) if (other.elementId === target.id) taken.add(other.arrivedByFlowId);
  const empty = incoming.filter((id) => !taken.has(id));
  return empty.find((id) => reached.has(id)) ?? empty[0] ?? incoming[0] ?? null;
}

/**
 * A snapshot has the first failure alone: with its token moved away, the others must not look repaired.
 * @returns whether there are any
 */
function keepOtherFailures(step: Step): boolean {
  const known = new Set(step.failures.map(({ tokenId }) => tokenId));
  const failed = [...step.tokens.values()].filter(({ state }) => state === 'failed');
  for (const { id, elementId } of failed) {
    if (known.has(id)) continue;
    const message = `${elementId} has failed too, before the first failure was moved away`;
    const code = 'SUTRA.CORE.STILL_FAILED' satisfies CoreCode;
    step.failures.push({ code, message, elementId, tokenId: id, atMs: step.context.nowMs });
  }
  return failed.length > 0;
}

// --- what a move needs -----------------------------------------------------------------------------

function planOf(step: Step, move: Move, planned: readonly Planned[]): Planned | Obstacle {
  const token = tokenOf(step, move);
  if ('code' in token) return token;
  const overlap = planned.find((other) => isInside(token, other.token) || isInside(other.token, token));
  if (overlap !== undefined) {
    const message = `token ${token.id} at ${token.elementId} is moved twice, or together with what it is inside`;
    return { code: 'SUTRA.CORE.MOVE_OVERLAP', message };
  }
  return targetOf(step, token, move.to);
}

function tokenOf(step: Step, { from, tokenId }: Move): LiveToken | Obstacle {
  const { instanceId } = step.before;
  const there = [...step.tokens.values()].filter(({ elementId }) => elementId === from);
  if (tokenId !== null) {
    const token = there.find(({ id }) => id === tokenId);
    if (token === undefined) return missing(`instance ${instanceId} has no token ${tokenId} at ${from}`);
    if (isMovable(token)) return token;
    const message = `token ${tokenId} at ${from} stands for compensation that is under way, and not for a place in the flow`;
    return { code: 'SUTRA.CORE.MOVE_TOKEN_COMPENSATES', message };
  }
  // The runs of an activity stand for themselves only when they are named.
  const candidates = there.filter((token) => isMovable(token) && !isRun(token));
  const [token] = candidates;
  if (token === undefined)
    return missing(`instance ${instanceId} has no token at ${from} that could be moved`);
  if (candidates.length === 1) return token;
  const ids = candidates.slice(0, 10).map(({ id }) => String(id));
  const message = `instance ${instanceId} has ${candidates.length} tokens at ${from}: name one by its tokenId, such as ${ids.join(', ')}`;
  return { code: 'SUTRA.CORE.MOVE_TOKEN_AMBIGUOUS', message };
}

function missing(message: string): Obstacle {
  return { code: 'SUTRA.CORE.MOVE_TOKEN_MISSING', message };
}

/** Tokens that run handlers beside the flow, and those at the handlers, have no way on. */
function isMovable({ scope, compensating }: LiveToken): boolean {
  return compensating?.isDetached !== true && scope.kind !== 'handler' && scope.kind !== 'restored';
}

function isInside(token: LiveToken, outer: LiveToken): boolean {
  for (let inner: LiveToken | null = token; inner !== null; inner = inner.scope.owner) {
    if (inner === outer) return true;
  }
  return false;
}

function targetOf(step: Step, token: LiveToken, to: string): Planned | Obstacle {
  const { scope } = token;
  const { process } = scope.graph;
  const target = process.nodes.get(to);
  if (target !== undefined && childrenOf(scope).includes(to)) {
    const flaw = flawOf(target);
    if (flaw === null) return { token, target };
    return {
      code: 'SUTRA.CORE.MOVE_TARGET_INVALID',
      message: `a token cannot be put at ${to}: it is ${flaw}`,
    };
  }
  const isKnown = target !== undefined || step.root.graph.process.nodes.has(to);
  if (!isKnown) {
    const message = `the process ${process.id} has no flow node ${to}`;
    return { code: 'SUTRA.CORE.MOVE_TARGET_UNKNOWN', message };
  }
  const message = `${to} is not in the scope of token ${token.id} at ${token.elementId}, which is ${nameOf(scope)}`;
  return { code: 'SUTRA.CORE.MOVE_SCOPE_DIFFERS', message };
}

/** Where the tokens of the scope can be. */
function childrenOf({ kind, parent, elementId, graph }: LiveScope): readonly string[] {
  if (kind === 'frame') return [elementId];
  if (kind === 'called' || parent === null) return graph.process.children;
  const node = graph.process.nodes.get(elementId);
  return node?.kind === 'subProcess' ? node.children : [];
}

function nameOf({ kind, parent, elementId, index, graph }: LiveScope): string {
  if (kind === 'frame') return `run ${(index ?? 0) + 1} of ${elementId}`;
  if (kind === 'called') return `the process ${graph.process.id}, called by ${elementId}`;
  return parent === null ? `the process ${graph.process.id}` : `the sub-process ${elementId}`;
}

/** Why no token can come to the node over a sequence flow; null: it can. */
function flawOf(node: FlowNode): string | null {
  if (node.kind === 'boundaryEvent') return 'a boundary event, where only its own event leads';
  if (node.kind === 'startEvent') return 'a start event, where only a new scope begins';
  if (node.kind === 'subProcess' && node.variant.kind === 'event') {
    return 'an event sub-process, where only its start event leads';
  }
  if (isActivity(node) && node.isForCompensation)
    return 'a compensation handler, which only compensation runs';
  return null;
}
