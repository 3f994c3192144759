/**
 * Channel calls: a request goes out under a key of its own, and the task waits for what comes home under it.
 *
 * A `registered:` function is the same call on an internal channel, so that there is one way to wait for work.
 */
import type { ServiceTask } from '../../definitions/model.ts';
import { isContext, type Context, type Value } from '../../definitions/value.ts';
import { evaluateAliases, registerAliases } from './aliases.ts';
import { auditRequest } from './audit.ts';
import { throwBpmnError } from './bpmn-error.ts';
import { catchesExactly, failAttempt } from './call-attempts.ts';
import type { SendEffect } from './effect.ts';
import { evaluate, evaluateHeaders } from './evaluate.ts';
import { InvariantError } from './invariant-error.ts';
import type { LiveToken } from './live-state.ts';
import { assign, assignAll, visibleContext } from './scope-variables.ts';
import { channelsAt, emitSend, newIdempotencyKey } from './send.ts';
import type { CallAttempt } from './snapshot.ts';
import type { Step } from './step.ts';
import { taskPriority } from './task-priority.ts';

/** What a call throws whose task has turned terminal. */
const TASK_TERMINAL = 'SUTRA.EXTERNAL_TASK.TERMINAL';

export interface CallTarget {
  readonly channel: string;
  readonly registeredName: string | null;
}

/** Where the work of a service task is done, or null for what the engine does itself. */
export function callTarget(node: ServiceTask): CallTarget | null {
  const { implementation } = node;
  if (implementation.kind === 'data' || implementation.kind === 'decision') return null;
  if (implementation.kind === 'channel') return { channel: implementation.channel, registeredName: null };
  return { channel: `registered:${implementation.name}`, registeredName: implementation.name };
}

/** Sends the first request and lets the token wait for the answer. */
export function startCall(step: Step, token: LiveToken, node: ServiceTask, target: CallTarget): void {
  sendRequest(step, token, node, target, null);
}

/** The next attempt of a call, at the time that `call-attempts.ts` has set for it. */
export function startAttempt(step: Step, token: LiveToken, node: ServiceTask, next: CallAttempt): void {
  const target = callTarget(node);
  if (target === null) throw new InvariantError(`${node.id} makes no call`);
  step.history('attemptStarted', node.id, { attempt: next.attempt });
  sendRequest(step, token, node, target, next);
}

/** All that can fail comes before the send. @param next null: the first attempt */
function sendRequest(
  step: Step,
  token: LiveToken,
  node: ServiceTask,
  { channel, registeredName }: CallTarget,
  next: CallAttempt | null,
): void {
  const headers = evaluateHeaders(step, token, node.headers);
  const body = requestBody(step, token, node);
  const priority = taskPriority(step, token, channelsAt(step, token.scope), { channel, body, headers });
  const aliases = evaluateAliases(step, token, node.aliases);
  registerAliases(step, token.scope, node.id, node.aliases, aliases);
  const idempotencyKey = next?.key ?? newIdempotencyKey(step, token.scope, 'call');
  const deadlineMs = node.timeoutMs === null ? null : step.context.nowMs + node.timeoutMs;
  const waitId = step.allocate();
  step.addWait(token, {
    kind: 'call',
    id: waitId,
    tokenId: token.id,
    elementId: node.id,
    channel: node.responseSource?.channel ?? channel,
    requestChannel: channel,
    idempotencyKey,
    aliases,
    attempt: next?.attempt ?? 1,
  });
  if (deadlineMs !== null) {
    step.addWait(token, {
      kind: 'timer',
      id: step.allocate(),
      tokenId: token.id,
      elementId: node.id,
      dueAtMs: deadlineMs,
      purpose: 'call-timeout',
    });
  }
  const effect = {
    elementId: node.id,
    channel,
    idempotencyKey,
    headers,
    contentType: node.contentType ?? 'application/json',
    body,
    expectsAnswer: true,
    priority,
    registeredName,
    deadlineMs,
    terminalWait: terminalWaitOf(token, waitId),
  };
  emitSend(step, token.scope, effect, auditRequest(step, token.scope, node, body, node.params));
}

/** The `q:param`s as one context, or all visible variables when there are none. */
function requestBody(step: Step, token: LiveToken, node: ServiceTask): Context {
  if (node.params.length === 0) return visibleContext(token.scope);
  return Object.fromEntries(
    node.params.map(({ name, expression }) => [name, evaluate(step, token, expression)]),
  );
}

/** Takes the answer over: into the `q:output` variable, else a context property by property. */
export function takeAnswer({ scope }: LiveToken, node: ServiceTask, answer: Value): void {
  if (node.outputVariable !== null) assign(scope, node.outputVariable, answer);
  else if (isContext(answer)) assignAll(scope, answer);
  else assign(scope, node.responseSource?.variable ?? 'payload', answer);
}

/** Only who names the code catches it: a spent budget waits for a person, unless the author has said otherwise. */
export function terminalWaitOf(token: LiveToken, waitId: number): SendEffect['terminalWait'] {
  return catchesExactly(token, TASK_TERMINAL) ? { waitId, partId: token.scope.partId } : null;
}

/** The task of the call is terminal: its worker budget is spent, and nobody works on it any more. */
export function failTerminalCall(step: Step, token: LiveToken): void {
  step.withdrawWaits(token);
  throwBpmnError(step, token, {
    code: TASK_TERMINAL,
    message: 'the task of the call has spent its budget',
    uncaughtAs: 'SUTRA.CALL.FAILED',
  });
}

/** No answer came in time: the attempt has failed. The last one throws a BPMN error that the author can catch. */
export function timeOutCall(step: Step, token: LiveToken, node: ServiceTask): void {
  failAttempt(step, token, node, {
    code: 'SUTRA.CALL.TIMEOUT',
    message: `no answer came within ${node.timeoutMs ?? 0} milliseconds`,
    uncaughtAs: 'SUTRA.CALL.TIMEOUT',
    isSettled: false,
  });
}
