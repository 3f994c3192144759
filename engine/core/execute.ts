/**
 * Runs tokens until none can move by itself: the quiescent point.
 *
 * E1 Tokens run in the order in which they became ready; nothing else decides the order, so equal input
 *    gives equal output.
 * E2 A failure stops its own token only. What was done before stays, and the other tokens run on.
 * E3 A step ends: after `stepLimit` flow nodes, and when the turn's budget is spent, the rest is kept as failed, to be
 *    retried or cancelled.
 * E4 Conditions are looked at, and joins that wait for what can still come are asked, only at rest.
 */
import { isActivity, type FlowNode } from '../../definitions/model.ts';
import { leavesAdHoc } from './ad-hoc.ts';
import type { Behaviour, Entered } from './behaviour/behaviour.ts';
import { behaviourOf } from './behaviour/behaviours.ts';
import { defaultLeave } from './behaviour/leave.ts';
import type { CoreCode } from './codes.ts';
import { keepActivity } from './compensation-records.ts';
import { ConditionWatch } from './conditions.ts';
import { giveOutputs, setOutputs, takeInputs } from './data-mappings.ts';
import { ElementFailure } from './element-failure.ts';
import { armBoundaryEvents } from './event-waits.ts';
import { removeInside } from './interrupt.ts';
import { fireJoin } from './joins.ts';
import { isRun, type LiveToken } from './live-state.ts';
import { beginRuns, endRun } from './loops.ts';
import { hasFrames } from './loop-facts.ts';
import type { Step } from './step.ts';
import { endToken } from './token-flow.ts';

/** Flow nodes that a turn may execute. A guess: far above a sensible model, and some tens of milliseconds. */
export const STEP_LIMIT = 10_000;
/** And as many more for each instance of a parallel multi-instance activity that the turn has begun. */
const LIMIT_PER_INSTANCE = 10;
/** But no more than this: a loop without a wait may lead around such an activity. */
const WIDEST_STEP_LIMIT = 60_000;
/** Units of the turn's budget for executing a node. */
const NODE_UNITS = 70;

function stepLimit({ begunInstanceCount }: Step): number {
  return Math.min(STEP_LIMIT + begunInstanceCount * LIMIT_PER_INSTANCE, WIDEST_STEP_LIMIT);
}

/** @param isFresh all conditions are looked at, and not only those that something has changed for */
export function runToQuiescence(step: Step, isFresh = false): void {
  const conditions = new ConditionWatch(step, isFresh);
  let executedCount = 0;
  do {
    for (let token = step.dequeue(); token !== undefined; token = step.dequeue()) {
      if (executedCount >= stepLimit(step)) {
        const message = `the turn executed ${executedCount} flow nodes without coming to rest`;
        stopAtLimit(step, token, 'SUTRA.CORE.STEP_LIMIT', message);
        return;
      }
      if (step.budget.isSpent) {
        const message = `the turn was stopped after ${executedCount} flow nodes: they and their expressions do more work than one turn may`;
        stopAtLimit(step, token, 'SUTRA.CORE.COST_LIMIT', message);
        return;
      }
      executedCount += 1;
      step.budget.spend(NODE_UNITS);
      runToken(step, token);
      step.payForCopies();
    }
  } while (!step.budget.isSpent && (conditions.fire() || fireJoin(step)));
  failStuckJoins(step);
}

/** Does something at a token that its data may not allow: then the token has failed, and nothing else. */
export function attempt(step: Step, token: LiveToken, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ElementFailure)) throw error;
    step.rollBackRecords();
    step.history('failed', token.elementId, { code: error.code });
    failToken(step, token, error.code, error.message);
  }
}

/** Runs the phases of a token at its node until it waits or has left. */
function runToken(step: Step, token: LiveToken): void {
  const node = token.scope.graph.node(token.elementId);
  const behaviour = behaviourOf(node);
  attempt(step, token, () => {
    step.beginPhase();
    if (token.phase === 'entering') {
      const entered = enter(step, token, node, behaviour);
      if (entered !== 'done') {
        rest(token, entered === 'waits' ? 'waiting' : 'joining');
        return;
      }
      token.phase = 'completing';
      step.beginPhase();
    }
    if (token.phase === 'completing') {
      complete(step, token, node, behaviour);
      if (hasMovedOn(token)) return;
      token.phase = 'leaving';
      step.beginPhase();
    }
    leave(step, token, node, behaviour);
  });
}

/** Its node has thrown something that another event caught: it is gone, or ready there. */
function hasMovedOn({ state }: LiveToken): boolean {
  return state !== 'running';
}

/** What it waited for may have come already, or may have ended it. */
function rest(token: LiveToken, state: 'waiting' | 'joining'): void {
  if (token.state === 'running') token.state = state;
}

function enter(step: Step, token: LiveToken, node: FlowNode, behaviour: Behaviour): Entered {
  recordHistory(step, token, node, 'entered');
  if (!isActivity(node)) return behaviour.enter(step, token, node);
  const isOwnRun = isRun(token);
  if (hasFrames(node) && !isOwnRun) {
    const begun = beginRuns(step, token, node);
    if (begun === 'waits') armBoundaryEvents(step, token);
    return begun;
  }
  takeInputs(step, token, node);
  const entered = behaviour.enter(step, token, node);
  if (entered === 'waits' && !isOwnRun) armBoundaryEvents(step, token);
  return entered;
}

/** An activity that runs in frames has done its work in them. */
function complete(step: Step, token: LiveToken, node: FlowNode, behaviour: Behaviour): void {
  step.withdrawWaits(token);
  if (!isActivity(node)) {
    if ('outputs' in node) setOutputs(step, token, node.outputs);
    behaviour.complete?.(step, token, node);
  } else if (!hasFrames(node) || isRun(token)) {
    behaviour.collect?.(step, token, node);
    if (hasMovedOn(token)) return;
    giveOutputs(step, token, node);
    behaviour.complete?.(step, token, node);
  }
  if (hasMovedOn(token)) return;
  if (isActivity(node) && !isRun(token)) keepActivity(step, token, node);
  recordHistory(step, token, node, 'completed');
}

function leave(step: Step, token: LiveToken, node: FlowNode, behaviour: Behaviour): void {
  if (token.compensating?.isDetached === true) endToken(step, token);
  else if (isRun(token)) endRun(step, token);
  else if (isActivity(node) && leavesAdHoc(step, token)) return;
  else if (behaviour.leave !== undefined) behaviour.leave(step, token, node);
  else defaultLeave(step, token);
}

/** Gateways leave the flows that were taken; the only run of an activity is the activity itself. */
function recordHistory(step: Step, token: LiveToken, node: FlowNode, event: 'entered' | 'completed'): void {
  if (node.kind.endsWith('Gateway')) return;
  if (!isRun(token)) step.history(event, node.id);
  else if (isActivity(node) && node.loop !== null)
    step.history(event, node.id, { loopCounter: (token.scope.index ?? 0) + 1 });
}

function failToken(step: Step, token: LiveToken, code: CoreCode, message: string): void {
  step.withdrawWaits(token);
  // An activity that could not begin begins anew.
  if (token.phase === 'entering') removeInside(step, token);
  token.state = 'failed';
  step.failures.push({
    code,
    message,
    elementId: token.elementId,
    tokenId: token.id,
    atMs: step.context.nowMs,
  });
}

/** Keeps everything that was still to run as failed, each token with the phase that it was about to do. */
function stopAtLimit(step: Step, first: LiveToken, code: CoreCode, message: string): void {
  step.history('failed', first.elementId, { code });
  for (let token: LiveToken | undefined = first; token !== undefined; token = step.dequeue()) {
    failToken(step, token, code, message);
  }
}

/**
 * An instance whose every token is at a join, with nothing to wait for, would stay so for ever without
 * a sign: say it.
 */
function failStuckJoins(step: Step): void {
  if (step.waits.size > 0 || step.tokens.size === 0 || step.hasAbsentParts()) return;
  let stuck: LiveToken | undefined;
  for (const token of step.tokens.values()) {
    if (token.state === 'failed') return;
    if (token.state === 'joining') stuck ??= token;
  }
  if (stuck === undefined) return;
  const code = 'SUTRA.CORE.JOIN_STUCK';
  const message = `the join ${stuck.elementId} waits for a token that cannot come`;
  step.history('failed', stuck.elementId, { code });
  step.failures.push({ code, message, elementId: stuck.elementId, tokenId: null, atMs: step.context.nowMs });
}
