/**
 * What each stimulus does to an instance that exists. Each function first asks whether it fits the
 * snapshot, and only then begins to change anything: a refusal has touched nothing.
 */
import type { FlowNode } from '../../definitions/model.ts';
import type { Context } from '../../definitions/value.ts';
import { adHocAt } from './ad-hoc.ts';
import { auditMessage, auditText, auditVariables, messageFacts } from './audit.ts';
import { throwBpmnError } from './bpmn-error.ts';
import { failAttempt, isOfDeadAttempt } from './call-attempts.ts';
import { failTerminalCall, startAttempt, timeOutCall } from './call.ts';
import type { CoreCode } from './codes.ts';
import { findCall, findWait, isSpentKey } from './correlation.ts';
import type { AdvanceResult } from './effect.ts';
import { attempt, runToQuiescence } from './execute.ts';
import { removeTokensOf } from './interrupt.ts';
import { InvariantError } from './invariant-error.ts';
import type { LiveScope, LiveToken } from './live-state.ts';
import { messageOccurs, personDecides, timerOccurs } from './occurrences.ts';
import { assignAll } from './scope-variables.ts';
import { receiveSignal } from './signals.ts';
import type { CallAttempt, Snapshot, Wait } from './snapshot.ts';
import type { Step } from './step.ts';
import type { Stimulus } from './stimulus.ts';
import { endScope } from './token-flow.ts';

export type StimulusOf<Kind extends Stimulus['kind']> = Extract<Stimulus, { readonly kind: Kind }>;

/** Runs the step to its quiescent point and gives its result. */
export function run(step: Step, isFresh = false): AdvanceResult {
  runToQuiescence(step, isFresh);
  return { kind: 'advanced', ...step.finish() };
}

export function refusal(code: CoreCode, message: string, isRetryable = false): AdvanceResult {
  return { kind: 'refused', code, message, isRetryable };
}

export function receiveMessage(step: Step, stimulus: StimulusOf<'message'>): AdvanceResult {
  const { before } = step;
  const { channel, key, message } = stimulus;
  if (key !== null && isOfDeadAttempt(step, key)) {
    const text = `the attempt ${key} of a call of instance ${before.instanceId} has failed, and its answer comes too late`;
    return refusal('SUTRA.DISPATCH.CHANNEL_CALL.RETRY_PENDING', text);
  }
  // A repair may let the instance wait for the message, but never again under the key of a call that is over.
  if (before.status === 'failed' && !isSpentKey(step, stimulus)) return failedRefusal(before);
  const wait = findWait(step, stimulus);
  if (wait === undefined) {
    const text = `instance ${before.instanceId} does not wait for this message on channel ${channel}`;
    return refusal('SUTRA.INBOUND.NOT_CORRELATED', text);
  }
  const scope = scopeOfWait(step, wait);
  const node = scope.graph.node(wait.elementId);
  const { messageType } = message;
  const detail = { channel, messageType, key, ...messageFacts(scope, node, message, wait.trigger) };
  const payload = auditMessage(step, scope, node, message, wait.trigger);
  step.history('messageReceived', wait.elementId, detail, payload);
  messageOccurs(step, wait, message, key);
  return run(step);
}

function scopeOfWait(step: Step, wait: Wait): LiveScope {
  const holder = step.holderOf(wait);
  return 'tokens' in holder ? holder : holder.scope;
}

export function fireTimer(step: Step, { waitId }: StimulusOf<'timer'>): AdvanceResult {
  const { before } = step;
  const wait = step.waits.get(waitId);
  if (wait?.kind === 'call') return endTerminalCall(step, wait);
  if (wait?.kind !== 'timer') {
    step.requireParts();
    return refusal('SUTRA.CORE.WAIT_GONE', `instance ${before.instanceId} has no timer ${waitId}`);
  }
  if (before.status === 'failed') return failedRefusal(before);
  step.history('timerFired', wait.elementId, { purpose: wait.purpose });
  if (wait.purpose === 'event') timerOccurs(step, wait);
  else if (wait.retry === undefined) expireCall(step, wait);
  else retryCall(step, wait, wait.retry);
  return run(step);
}

/** What became terminal is known by the timer that was set for the call's own wait (external-tasks-terminal.ts). */
function endTerminalCall(step: Step, wait: Wait): AdvanceResult {
  const { before } = step;
  if (before.status === 'failed') return failedRefusal(before);
  const { token } = callerOf(step, wait);
  attempt(step, token, () => {
    failTerminalCall(step, token);
  });
  return run(step);
}

function expireCall(step: Step, wait: Wait): void {
  const { token, node } = callerOf(step, wait);
  step.satisfyWait(wait);
  attempt(step, token, () => timeOutCall(step, token, node));
}

function retryCall(step: Step, wait: Wait, next: CallAttempt): void {
  const { token, node } = callerOf(step, wait);
  step.satisfyWait(wait);
  attempt(step, token, () => startAttempt(step, token, node, next));
}

function callerOf(
  step: Step,
  wait: Wait,
): { readonly token: LiveToken; readonly node: Parameters<typeof timeOutCall>[2] } {
  const token = step.holderOf(wait);
  if (!('tokens' in token)) {
    const node = token.scope.graph.node(wait.elementId);
    if (node.kind === 'serviceTask' || node.kind === 'businessRuleTask') return { token, node };
  }
  throw new InvariantError(`the wait ${wait.id} belongs to no call`);
}

/** The work of a call has ended in a BPMN error: its variables are written, then it is thrown at the call. */
export function receiveCallError(step: Step, stimulus: StimulusOf<'callError'>): AdvanceResult {
  const { before } = step;
  const wait = findCall(step, stimulus.key);
  if (wait === undefined) {
    return refusal('SUTRA.CORE.WAIT_GONE', `no call of instance ${before.instanceId} waits under that key`);
  }
  if (before.status === 'failed') return failedRefusal(before);
  const { token, node } = callerOf(step, wait);
  const { code, message, variables } = stimulus;
  // Judged by the variables as they were, too: the worker may quote what it was given and overwrites now.
  const isShown = message === null || auditText(step, token.scope, message, null) !== null;
  step.satisfyWait(wait);
  historyOfVariables(step, token.scope, node, variables);
  assignAll(token.scope, variables);
  attempt(step, token, () => {
    const uncaughtAs = 'SUTRA.BPMN_ERROR.UNCAUGHT';
    throwBpmnError(step, token, { code, message, uncaughtAs, reported: isShown ? 'shown' : 'withheld' });
  });
  return run(step);
}

/**
 * The attempt under the key has failed: it was not delivered, or its work could not be done. Without `q:retry` that is
 * for whoever delivers or works to keep, as an incident.
 */
export function receiveCallFailure(step: Step, stimulus: StimulusOf<'callFailed'>): AdvanceResult {
  const { before } = step;
  const { key, code, message } = stimulus;
  const wait = findCall(step, key);
  if (wait === undefined) {
    return refusal('SUTRA.CORE.WAIT_GONE', `no call of instance ${before.instanceId} waits under that key`);
  }
  const { token, node } = callerOf(step, wait);
  if (node.retry === null) return refusal('SUTRA.CORE.CALL_NOT_RETRIED', `${node.id} has no q:retry`);
  if (before.status === 'failed') return failedRefusal(before);
  attempt(step, token, () => {
    failAttempt(step, token, node, { code, message, uncaughtAs: 'SUTRA.CALL.FAILED', isSettled: true });
  });
  return run(step);
}

export function signalInstance(step: Step, { name, payload }: StimulusOf<'signal'>): AdvanceResult {
  const { before } = step;
  const isHeard = [...step.waits.values()].some((wait) => wait.kind === 'signal' && wait.name === name);
  if (!isHeard) {
    return refusal(
      'SUTRA.CORE.SIGNAL_UNHEARD',
      `instance ${before.instanceId} does not wait for the signal ${name}`,
    );
  }
  if (before.status === 'failed') return failedRefusal(before);
  receiveSignal(step, name, payload);
  return run(step);
}

export function completeUserTask(
  step: Step,
  { tokenId, variables }: StimulusOf<'completeUserTask'>,
): AdvanceResult {
  const { before } = step;
  const wait = waitAt(step, tokenId, 'user-task');
  if (wait?.kind !== 'user-task') {
    const text = `no user task of instance ${before.instanceId} is open at token ${tokenId}`;
    return refusal('SUTRA.CORE.WAIT_GONE', text);
  }
  if (before.status === 'failed') return failedRefusal(before);
  const token = personDecides(step, wait);
  historyOfVariables(step, token.scope, token.scope.graph.node(wait.elementId), variables);
  assignAll(token.scope, variables);
  return run(step);
}

/** What came along with something that has an entry of its own: said only where payloads are. */
function historyOfVariables(step: Step, scope: LiveScope, node: FlowNode, variables: Context): void {
  const payload = auditVariables(step, scope, node, variables);
  if (payload !== undefined)
    step.history('variablesSet', node.id, { names: Object.keys(variables).join(', ') }, payload);
}

/** @throws NeedsParts when the token may be in a part that the turn was not given */
function waitAt(step: Step, tokenId: number, kind: Wait['kind']): Wait | undefined {
  const token = step.tokens.get(tokenId);
  if (token === undefined) step.requireParts();
  return token?.waits.find((wait) => wait.kind === kind);
}

/** Starts one more activity of an ad hoc sub-process. BPMN 2.0.2 §13.3.5. */
export function launchActivity(step: Step, stimulus: StimulusOf<'launchActivity'>): AdvanceResult {
  const { before } = step;
  const { tokenId, activityId, variables } = stimulus;
  const open = openAdHoc(step, tokenId);
  if (open === null) return adHocGone(before, tokenId);
  if (!open.variant.launchableIds.includes(activityId)) {
    const text = `${open.scope.elementId} has no activity ${activityId} that can be launched`;
    return refusal('SUTRA.CORE.ACTIVITY_NOT_LAUNCHABLE', text);
  }
  if (before.status === 'failed') return failedRefusal(before);
  if (open.variant.isSequential && open.scope.tokens.size > 0) {
    return refusal('SUTRA.CORE.AD_HOC_BUSY', `${open.scope.elementId} runs one activity at a time`, true);
  }
  historyOfVariables(step, open.scope, open.scope.graph.node(open.scope.elementId), variables);
  assignAll(open.scope, variables);
  step.newToken(open.scope, activityId, 'entering', null);
  return run(step);
}

export function completeAdHoc(step: Step, { tokenId }: StimulusOf<'completeAdHoc'>): AdvanceResult {
  const { before } = step;
  const open = openAdHoc(step, tokenId);
  if (open === null) return adHocGone(before, tokenId);
  if (before.status === 'failed') return failedRefusal(before);
  if (open.scope.tokens.size > 0 && !open.variant.cancelsRemaining) {
    return refusal('SUTRA.CORE.AD_HOC_BUSY', `activities of ${open.scope.elementId} are still running`, true);
  }
  removeTokensOf(step, open.scope);
  endScope(step, open.scope, 'completed');
  return run(step);
}

function openAdHoc(step: Step, tokenId: number): ReturnType<typeof adHocAt> {
  const wait = waitAt(step, tokenId, 'ad-hoc');
  const token = step.tokens.get(tokenId);
  return wait === undefined || token === undefined ? null : adHocAt(token);
}

function adHocGone({ instanceId }: Snapshot, tokenId: number): AdvanceResult {
  const text = `no ad hoc sub-process of instance ${instanceId} is open at token ${tokenId}`;
  return refusal('SUTRA.CORE.WAIT_GONE', text);
}

/** Writes variables, also of a failed instance: that is how one is repaired. */
export function setVariables(step: Step, { tokenId, variables }: StimulusOf<'setVariables'>): AdvanceResult {
  const { before } = step;
  if (isEnded(before)) return endedRefusal(before);
  const scope = tokenId === null ? step.root : scopeOfToken(step, tokenId);
  if (scope === null) {
    return refusal('SUTRA.CORE.WAIT_GONE', `instance ${before.instanceId} has no token ${tokenId ?? 0}`);
  }
  const audited = auditedAt(step, tokenId);
  const payload = auditVariables(step, scope, audited, variables);
  step.history('variablesSet', null, { names: Object.keys(variables).join(', ') }, payload);
  assignAll(scope, variables);
  // A failed instance takes nothing up by itself: what its conditions say now is asked when it is retried.
  return before.status === 'failed' ? { kind: 'advanced', ...step.finish() } : run(step);
}

/** What says whether variables that are written there are audited. */
function auditedAt(step: Step, tokenId: number | null): Pick<FlowNode, 'isAudited'> {
  const token = tokenId === null ? undefined : step.tokens.get(tokenId);
  return token === undefined ? step.root.graph.process : token.scope.graph.node(token.elementId);
}

function scopeOfToken(step: Step, tokenId: number): LiveScope | null {
  const token = step.tokens.get(tokenId);
  if (token === undefined) step.requireParts();
  return token?.scope ?? null;
}

/** Lets every failed token take up its element again, with the phase that failed. */
export function retry(step: Step): AdvanceResult {
  const { before } = step;
  if (before.status !== 'failed') {
    if (isEnded(before)) return endedRefusal(before);
    return refusal('SUTRA.CORE.NOT_FAILED', `instance ${before.instanceId} is ${before.status}`);
  }
  step.requireParts();
  step.failures.length = 0;
  const failed = [...step.tokens.values()].filter(({ state }) => state === 'failed');
  // Joins that are stuck and conditions have no failed token: they are only asked again.
  if (failed.length === 0) step.history('retried', before.failure?.elementId ?? null);
  for (const token of failed) {
    step.history('retried', token.elementId);
    step.enqueue(token, token.phase);
  }
  // A step that was stopped never asked its joins.
  for (const scope of step.scopes.values()) step.changedScopes.add(scope);
  return run(step, true);
}

/** Ends the instance wherever it is. */
export function cancel(step: Step, { reason }: StimulusOf<'cancel'>): AdvanceResult {
  const { before } = step;
  if (isEnded(before)) return endedRefusal(before);
  step.history('cancelled', null, { reason });
  removeTokensOf(step, step.root);
  endScope(step, step.root, 'terminated');
  return run(step);
}

export function isEnded({ status }: Snapshot): boolean {
  return status === 'completed' || status === 'terminated';
}

export function endedRefusal({ instanceId, status }: Snapshot): AdvanceResult {
  return refusal('SUTRA.CORE.INSTANCE_ENDED', `instance ${instanceId} is ${status}`);
}

function failedRefusal({ instanceId, failure }: Snapshot): AdvanceResult {
  const text = `instance ${instanceId} has failed${failure === null ? '' : ` with ${failure.code}`} and must be repaired first`;
  return refusal('SUTRA.INBOUND.INSTANCE_FAILED', text, true);
}
