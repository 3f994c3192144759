/**
 * Channel calls: a request goes out under a key of its own, and the task waits for what comes home under it.
 *
 * A `registered:` function is the same call on an internal channel, so that there is one way to wait for work.
 */
import type { ServiceTask } from '../../definitions/model.ts';
import { isContext, type Context, type Value } from '../../definitions/value.ts';
import { evaluateAliases, registerAliases } from './aliases.ts';
import { throwBpmnError } from './bpmn-error.ts';
import { evaluate, evaluateHeaders } from './evaluate.ts';
import type { LiveToken } from './live-state.ts';
import { assign, assignAll, visibleContext } from './scope-variables.ts';
import { emitSend, newIdempotencyKey } from './send.ts';
import type { Step } from './step.ts';

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

/** Sends the request and lets the token wait for the answer. All that can fail comes before the send. */
export function startCall(step: Step, token: LiveToken, node: ServiceTask, target: CallTarget): void {
  const { channel, registeredName } = target;
  const headers = evaluateHeaders(step, token, node.headers);
  const body = requestBody(step, token, node);
  const aliases = evaluateAliases(step, token, node.aliases);
  registerAliases(step, token.scope, node.id, node.aliases, aliases);
  const idempotencyKey = newIdempotencyKey(step, token.scope, 'call');
  const deadlineMs = node.timeoutMs === null ? null : step.context.nowMs + node.timeoutMs;
  step.addWait(token, {
    kind: 'call',
    id: step.allocate(),
    tokenId: token.id,
    elementId: node.id,
    channel: node.responseSource?.channel ?? channel,
    requestChannel: channel,
    idempotencyKey,
    aliases,
    attempt: 1,
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
  emitSend(step, token.scope, {
    elementId: node.id,
    channel,
    idempotencyKey,
    headers,
    contentType: node.contentType ?? 'application/json',
    body,
    expectsAnswer: true,
    registeredName,
    deadlineMs,
  });
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

/** No answer came in time: the call is given up, and the task throws a BPMN error that its author can catch. */
export function timeOutCall(step: Step, token: LiveToken, node: ServiceTask): void {
  for (const wait of token.waits) if (wait.kind === 'call') step.withdrawWait(wait);
  throwBpmnError(step, token, {
    code: 'SUTRA.CALL.TIMEOUT',
    message: `no answer came within ${node.timeoutMs ?? 0} milliseconds`,
    uncaughtAs: 'SUTRA.CALL.TIMEOUT',
  });
}
