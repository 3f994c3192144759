/**
 * Runs tokens until none can move by itself: the quiescent point.
 *
 * E1 Tokens run in the order in which they became ready; nothing else decides the order, so equal input
 *    gives equal output.
 * E2 A failure stops its own token only. What was done before stays, and the other tokens run on.
 * E3 A step ends: after `STEP_LIMIT` flow nodes the rest is kept as failed, to be retried or cancelled.
 */
import type { FlowNode } from '../../definitions/model.ts';
import { behaviourOf } from './behaviour/behaviours.ts';
import type { CoreCode } from './codes.ts';
import { ElementFailure } from './element-failure.ts';
import { flowsThatHold } from './flow-choice.ts';
import { fireInclusiveJoin } from './inclusive-join.ts';
import type { LiveToken } from './live-state.ts';
import type { Step } from './step.ts';
import { takeFlows } from './token-flow.ts';

/** Flow nodes that a turn may execute. A guess: far above a sensible model, and some tens of milliseconds. */
export const STEP_LIMIT = 10_000;

export function runToQuiescence(step: Step): void {
  let executedCount = 0;
  do {
    for (let token = step.dequeue(); token !== undefined; token = step.dequeue()) {
      executedCount += 1;
      if (executedCount > STEP_LIMIT) {
        stopAtLimit(step, token);
        return;
      }
      runToken(step, token);
    }
  } while (fireInclusiveJoin(step));
  failStuckJoins(step);
}

/** Does something at a token that its data may not allow: then the token has failed, and nothing else. */
export function attempt(step: Step, token: LiveToken, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ElementFailure)) throw error;
    step.history('failed', token.elementId, { code: error.code });
    failToken(step, token, error.code, error.message);
  }
}

/** Runs the phases of a token at its node until it waits or has left. */
function runToken(step: Step, token: LiveToken): void {
  const node = step.graph.node(token.elementId);
  const behaviour = behaviourOf(node);
  attempt(step, token, () => {
    if (token.phase === 'entering') {
      if (!isGateway(node)) step.history('entered', node.id);
      const entered = behaviour.enter(step, token, node);
      if (entered !== 'done') {
        token.state = entered === 'waits' ? 'waiting' : 'joining';
        return;
      }
      token.phase = 'completing';
    }
    if (token.phase === 'completing') {
      step.withdrawWaits(token);
      behaviour.complete?.(step, token, node);
      if (!isGateway(node)) step.history('completed', node.id);
      token.phase = 'leaving';
    }
    if (behaviour.leave !== undefined) behaviour.leave(step, token, node);
    else takeFlows(step, token, flowsThatHold(step, token, defaultFlowOf(node)));
  });
}

function isGateway(node: FlowNode): boolean {
  return node.kind.endsWith('Gateway');
}

function defaultFlowOf(node: FlowNode): string | null {
  return 'defaultFlowId' in node ? node.defaultFlowId : null;
}

function failToken(step: Step, token: LiveToken, code: CoreCode, message: string): void {
  step.withdrawWaits(token);
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
function stopAtLimit(step: Step, first: LiveToken): void {
  const message = `the turn executed ${STEP_LIMIT} flow nodes without coming to rest`;
  step.history('failed', first.elementId, { code: 'SUTRA.CORE.STEP_LIMIT' });
  for (let token: LiveToken | undefined = first; token !== undefined; token = step.dequeue()) {
    failToken(step, token, 'SUTRA.CORE.STEP_LIMIT', message);
  }
}

/**
 * An instance whose every token is at a join, with nothing to wait for, would stay so for ever without
 * a sign: say it.
 */
function failStuckJoins(step: Step): void {
  if (step.waits.size > 0 || step.tokens.size === 0) return;
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
