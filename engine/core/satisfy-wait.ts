/** What happens to a token when something it waits for has come. */
import { takeAnswer } from './call.ts';
import { sourceOf } from './correlation.ts';
import { triggerBoundaryEvent } from './event-waits.ts';
import { InvariantError } from './invariant-error.ts';
import type { LiveToken } from './live-state.ts';
import { assign } from './scope-variables.ts';
import type { Wait } from './snapshot.ts';
import type { Step } from './step.ts';
import type { InboundMessage } from './stimulus.ts';

/** A message has come for the wait: its payload goes where the node says, and the token carries on. */
export function satisfyWithMessage(
  step: Step,
  wait: Wait,
  message: InboundMessage,
  key: string | null,
): void {
  const node = step.graph.node(wait.elementId);
  if (wait.kind === 'call') {
    if (node.kind !== 'serviceTask') throw new InvariantError(`a ${node.kind} makes no call`);
    // Answered by a business key: the request itself is still out, and nobody needs it any more.
    if (wait.idempotencyKey !== key) step.withdrawWait(wait);
    else step.satisfyWait(wait);
    const token = carryOn(step, wait);
    token.message = message;
    takeAnswer(token, node, message.payload);
    return;
  }
  const source = sourceOf(node);
  if (source === null) throw new InvariantError(`${node.id} waits for no message`);
  // A boundary event that does not interrupt stays open for the next message.
  if (node.kind !== 'boundaryEvent' || node.isInterrupting) step.satisfyWait(wait);
  const token = carryOn(step, wait);
  token.message = message;
  assign(token.scope, source.variable, message.payload);
}

/** Ends a wait that carries no data and lets its token carry on. */
export function satisfyPlain(step: Step, wait: Wait): LiveToken {
  step.satisfyWait(wait);
  return carryOn(step, wait);
}

/**
 * Queues the token that continues: at the boundary event, at the event behind an event-based gateway
 * (BPMN 2.0.2 §13.4.4: the first one decides, the others are gone with the token's waits), or at its own node.
 */
function carryOn(step: Step, wait: Wait): LiveToken {
  const token = step.tokens.get(wait.tokenId);
  if (token === undefined) throw new InvariantError(`there is no token ${wait.tokenId}`);
  const node = step.graph.node(wait.elementId);
  if (node.kind === 'boundaryEvent') return triggerBoundaryEvent(step, token, node);
  if (node.id !== token.elementId) {
    const flow = step.graph
      .facts(token.elementId)
      .outgoing.find((candidate) => candidate.targetId === node.id);
    if (flow === undefined) throw new InvariantError(`no flow leads from ${token.elementId} to ${node.id}`);
    step.history('flowTaken', token.elementId, { flowId: flow.id });
    step.history('entered', node.id);
    token.elementId = node.id;
    token.arrivedByFlowId = flow.id;
  }
  step.enqueue(token, 'completing');
  return token;
}
