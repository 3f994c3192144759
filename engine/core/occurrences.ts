/** What happens when something that a token or a scope waits for has come. */
import type { CatchDefinition, FlowNode, SourceDefinition } from '../../definitions/model.ts';
import { isContext, type Value } from '../../definitions/value.ts';
import { takeAnswer } from './call.ts';
import { sourceOf } from './correlation.ts';
import { waitForEvent, waitForTime, type CatchEvent } from './event-waits.ts';
import { triggerBoundaryEvent, triggerEventSubProcess } from './interrupt.ts';
import { InvariantError } from './invariant-error.ts';
import type { LiveScope, LiveToken } from './live-state.ts';
import { assign, assignAll } from './scope-variables.ts';
import type { Wait } from './snapshot.ts';
import type { Step } from './step.ts';
import type { InboundMessage } from './stimulus.ts';
import { nextTimes } from './timer-value.ts';

type WaitOf<Kind extends Wait['kind']> = Extract<Wait, { readonly kind: Kind }>;

/** A message has come for the wait: its payload goes where the node says, and the token carries on. */
export function messageOccurs(
  step: Step,
  wait: WaitOf<'message' | 'call'>,
  message: InboundMessage,
  key: string | null,
): void {
  const holder = step.holderOf(wait);
  const node = nodeOf(holder, wait);
  if (wait.kind === 'call') {
    if ('tokens' in holder || (node.kind !== 'serviceTask' && node.kind !== 'businessRuleTask')) {
      throw new InvariantError(`a ${node.kind} makes no call`);
    }
    // Answered by a business key: the request itself is still out, and nobody needs it any more.
    if (wait.idempotencyKey !== key) step.withdrawWait(wait);
    else step.satisfyWait(wait);
    step.complete(holder);
    holder.message = message;
    takeAnswer(holder, node, message.payload);
    return;
  }
  const source = requireSource(node, wait);
  const token = occur(step, wait, holder, node);
  takeMessage((token ?? holderScope(holder)).scope, source, message.payload);
  if (token !== null) token.message = message;
}

/** A timer that no call set has come due. BPMN 2.0.2 §13.5.1, §10.5.5 (timer). */
export function timerOccurs(step: Step, wait: WaitOf<'timer'>): void {
  const holder = step.holderOf(wait);
  const node = nodeOf(holder, wait);
  // The row of a timer goes when it fires: a cycle goes on under a number of its own.
  step.satisfyWait(wait);
  const times = wait.cycle === undefined ? null : nextTimes(wait.dueAtMs, wait.cycle, step.context.nowMs);
  if (times !== null && staysOpen(node) && !isParallelMultiple(node))
    waitForTime(step, holder, wait.elementId, times, wait.trigger ?? 0);
  occur(step, wait, holder, node);
}

export function signalOccurs(step: Step, wait: WaitOf<'signal'>, payload: Value): void {
  const holder = step.holderOf(wait);
  const node = nodeOf(holder, wait);
  const trigger = 'triggers' in node ? node.triggers[wait.trigger ?? 0] : undefined;
  const token = occur(step, wait, holder, node);
  if (trigger?.kind === 'signal') takePayload((token ?? holderScope(holder)).scope, trigger, payload);
}

/** Without a variable to go to, a context becomes variables, and another payload is dropped. */
export function takePayload(
  scope: LiveScope,
  { variable }: Extract<CatchDefinition, { kind: 'signal' }>,
  payload: Value,
): void {
  if (variable !== null) assign(scope, variable, payload);
  else if (isContext(payload)) assignAll(scope, payload);
}

export function conditionOccurs(step: Step, wait: WaitOf<'condition'>): void {
  const holder = step.holderOf(wait);
  occur(step, wait, holder, nodeOf(holder, wait));
}

/** A person has done what the token waited for. */
export function personDecides(step: Step, wait: WaitOf<'user-task'>): LiveToken {
  const holder = step.holderOf(wait);
  if ('tokens' in holder) throw new InvariantError(`the user task ${wait.elementId} has no token`);
  step.satisfyWait(wait);
  step.complete(holder);
  return holder;
}

/**
 * One trigger of a node has occurred. With a parallel multiple event that waits for others too, nothing
 * happens yet; otherwise the node continues.
 * @returns the token that continues, or null when none does yet
 */
function occur(step: Step, wait: Wait, holder: LiveToken | LiveScope, node: FlowNode): LiveToken | null {
  if (isParallelMultiple(node)) {
    if (step.waits.has(wait.id)) step.satisfyWait(wait);
    if (holder.waits.some(({ elementId }) => elementId === node.id)) return null;
    const token = carryOn(step, holder, node);
    // One that does not interrupt waits for all of them again.
    if (staysOpen(node)) waitForEvent(step, holder, node);
    return token;
  }
  if (!staysOpen(node) && step.waits.has(wait.id)) step.satisfyWait(wait);
  return carryOn(step, holder, node);
}

/** Whether the event goes on waiting after it has occurred: it does not interrupt what it belongs to. */
export function staysOpen(node: FlowNode): boolean {
  if (node.kind === 'boundaryEvent') return !node.isInterrupting;
  return node.kind === 'startEvent' && !node.isInterrupting;
}

/**
 * Lets the token continue: at the boundary event, in the event sub-process, at the event behind an event-based
 * gateway (BPMN 2.0.2 §13.4.4: the first one decides, the others are gone with the token's waits), or at its
 * own node.
 */
function carryOn(step: Step, holder: LiveToken | LiveScope, node: FlowNode): LiveToken {
  if ('tokens' in holder) {
    const handler = handlerOf(holder, node);
    return triggerEventSubProcess(step, holder, handler);
  }
  if (node.kind === 'boundaryEvent') return triggerBoundaryEvent(step, holder, node);
  if (node.id === holder.elementId) {
    step.complete(holder);
    return holder;
  }
  const flow = holder.scope.graph
    .facts(holder.elementId)
    .outgoing.find((candidate) => candidate.targetId === node.id);
  if (flow === undefined) throw new InvariantError(`no flow leads from ${holder.elementId} to ${node.id}`);
  step.history('flowTaken', holder.elementId, { flowId: flow.id });
  step.history('entered', node.id);
  step.withdrawWaits(holder);
  step.moveToken(holder, node.id, flow.id, 'completing');
  return holder;
}

function handlerOf(scope: LiveScope, node: FlowNode): Parameters<typeof triggerEventSubProcess>[2] {
  const subProcess = scope.graph.node(node.parentId);
  if (node.kind !== 'startEvent' || subProcess.kind !== 'subProcess') {
    throw new InvariantError(`${node.id} begins no event sub-process`);
  }
  return { subProcess, start: node };
}

function nodeOf(holder: LiveToken | LiveScope, { elementId }: Wait): FlowNode {
  return ('tokens' in holder ? holder : holder.scope).graph.node(elementId);
}

function isParallelMultiple(node: FlowNode): node is CatchEvent {
  return isCatchEvent(node) && node.isParallelMultiple;
}

function isCatchEvent(node: FlowNode): node is CatchEvent {
  return 'triggers' in node;
}

/** What a message's payload is assigned at when no token continues yet. */
function holderScope(holder: LiveToken | LiveScope): { readonly scope: LiveScope } {
  return 'tokens' in holder ? { scope: holder } : holder;
}

/** Where the message that the wait is for comes from, and goes to. */
function requireSource(node: FlowNode, wait: Wait): SourceDefinition {
  const source = sourceOf(node, wait.trigger);
  if (source === null) throw new InvariantError(`${node.id} waits for no message`);
  return source;
}

function takeMessage(scope: LiveScope, { variable, mergesPayload }: SourceDefinition, payload: Value): void {
  if (mergesPayload && isContext(payload)) assignAll(scope, payload);
  else assign(scope, variable, payload);
}
