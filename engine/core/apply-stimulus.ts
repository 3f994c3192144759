/**
 * What each stimulus does to an instance that exists. Each function first asks whether it fits the
 * snapshot, and only then begins a step: a refusal has touched nothing.
 */
import type { ProcessDefinition } from '../../definitions/model.ts';
import { timeOutCall } from './call.ts';
import type { CoreCode } from './codes.ts';
import { findWait } from './correlation.ts';
import type { AdvanceResult } from './effect.ts';
import { removeTokensOf } from './event-waits.ts';
import { attempt, runToQuiescence } from './execute.ts';
import { graphOf } from './graph.ts';
import { InvariantError } from './invariant-error.ts';
import { satisfyPlain, satisfyWithMessage } from './satisfy-wait.ts';
import { assignAll } from './scope-variables.ts';
import type { Snapshot, Wait } from './snapshot.ts';
import { Step } from './step.ts';
import type { AdvanceContext, Stimulus } from './stimulus.ts';

export type StimulusOf<Kind extends Stimulus['kind']> = Extract<Stimulus, { readonly kind: Kind }>;

/** What a stimulus meets. */
export interface Turn {
  readonly process: ProcessDefinition;
  readonly snapshot: Snapshot;
  readonly context: AdvanceContext;
}

/** Runs the step to its quiescent point and gives its result. */
export function run(step: Step): AdvanceResult {
  runToQuiescence(step);
  return { kind: 'advanced', ...step.finish() };
}

export function refusal(code: CoreCode, message: string, isRetryable = false): AdvanceResult {
  return { kind: 'refused', code, message, isRetryable };
}

export function receiveMessage(turn: Turn, stimulus: StimulusOf<'message'>): AdvanceResult {
  const { snapshot } = turn;
  const { channel, key, message } = stimulus;
  if (snapshot.status === 'failed') return failedRefusal(snapshot);
  const wait = findWait(graphOf(turn.process), snapshot, stimulus);
  if (wait === undefined) {
    const text = `instance ${snapshot.instanceId} does not wait for this message on channel ${channel}`;
    return refusal('SUTRA.INBOUND.NOT_CORRELATED', text);
  }
  const step = begin(turn);
  step.history('messageReceived', wait.elementId, { channel, messageType: message.messageType, key });
  satisfyWithMessage(step, wait, message, key);
  return run(step);
}

export function fireTimer(turn: Turn, { waitId }: StimulusOf<'timer'>): AdvanceResult {
  const { snapshot } = turn;
  const wait = snapshot.waits.find(({ id, kind }) => id === waitId && kind === 'timer');
  if (wait?.kind !== 'timer') {
    return refusal('SUTRA.CORE.WAIT_GONE', `instance ${snapshot.instanceId} has no timer ${waitId}`);
  }
  if (snapshot.status === 'failed') return failedRefusal(snapshot);
  const step = begin(turn);
  step.history('timerFired', wait.elementId, { purpose: wait.purpose });
  if (wait.purpose === 'call-timeout') expireCall(step, wait);
  else satisfyPlain(step, wait);
  return run(step);
}

function expireCall(step: Step, wait: Wait): void {
  const token = step.tokens.get(wait.tokenId);
  const node = step.graph.node(wait.elementId);
  if (token === undefined || node.kind !== 'serviceTask') {
    throw new InvariantError(`the timeout ${wait.id} belongs to no call`);
  }
  step.satisfyWait(wait);
  attempt(step, token, () => timeOutCall(step, token, node));
}

export function completeUserTask(turn: Turn, stimulus: StimulusOf<'completeUserTask'>): AdvanceResult {
  const { snapshot } = turn;
  const { tokenId, variables } = stimulus;
  const wait = snapshot.waits.find(
    (candidate) => candidate.kind === 'user-task' && candidate.tokenId === tokenId,
  );
  if (wait === undefined) {
    return refusal(
      'SUTRA.CORE.WAIT_GONE',
      `no user task of instance ${snapshot.instanceId} is open at token ${tokenId}`,
    );
  }
  if (snapshot.status === 'failed') return failedRefusal(snapshot);
  const step = begin(turn);
  const token = satisfyPlain(step, wait);
  assignAll(token.scope, variables);
  return run(step);
}

/** Lets every failed token take up its element again, with the phase that failed. */
export function retry(turn: Turn): AdvanceResult {
  const { snapshot } = turn;
  if (snapshot.status !== 'failed') {
    const text = `instance ${snapshot.instanceId} is ${snapshot.status}`;
    return refusal(isEnded(snapshot) ? 'SUTRA.CORE.INSTANCE_ENDED' : 'SUTRA.CORE.NOT_FAILED', text);
  }
  const step = begin(turn);
  step.failures.length = 0;
  const failed = [...step.tokens.values()].filter(({ state }) => state === 'failed');
  // Joins that are stuck have no failed token: they are only asked again.
  if (failed.length === 0) step.history('retried', snapshot.failure?.elementId ?? null);
  for (const token of failed) {
    step.history('retried', token.elementId);
    step.enqueue(token, token.phase);
  }
  // A step that was stopped never asked its inclusive joins.
  for (const scope of step.scopes.values()) step.changedScopes.add(scope);
  return run(step);
}

/** Ends the instance wherever it is. */
export function cancel(turn: Turn, { reason }: StimulusOf<'cancel'>): AdvanceResult {
  const { snapshot } = turn;
  if (isEnded(snapshot)) {
    return refusal('SUTRA.CORE.INSTANCE_ENDED', `instance ${snapshot.instanceId} is ${snapshot.status}`);
  }
  const step = begin(turn);
  step.history('cancelled', null, { reason });
  removeTokensOf(step, step.root);
  step.endedAs = 'terminated';
  return run(step);
}

function begin({ process, snapshot, context }: Turn): Step {
  return new Step(process, context, snapshot);
}

function isEnded({ status }: Snapshot): boolean {
  return status === 'completed' || status === 'terminated';
}

function failedRefusal({ instanceId, failure }: Snapshot): AdvanceResult {
  const text = `instance ${instanceId} has failed${failure === null ? '' : ` with ${failure.code}`} and must be repaired first`;
  return refusal('SUTRA.INBOUND.INSTANCE_FAILED', text, true);
}
