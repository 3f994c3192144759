/** Throwing BPMN errors and escalations: to the nearest event that catches the code. */
import { findCatcher, runCatcher, type Fit } from './catchers.ts';
import type { CoreCode } from './codes.ts';
import { ElementFailure } from './element-failure.ts';
import type { LiveToken } from './live-state.ts';
import { assign } from './scope-variables.ts';
import type { Step } from './step.ts';

export interface BpmnError {
  readonly code: string;
  readonly message: string;
  /** The instance's failure code when nobody catches it. */
  readonly uncaughtAs: CoreCode;
}

/**
 * Throws a BPMN error at the token: its own activity is asked first, then each enclosing one. The catcher
 * always interrupts. BPMN 2.0.2 §10.5.6, §13.5.3.
 * @throws ElementFailure when nobody catches it
 */
export function throwBpmnError(step: Step, thrower: LiveToken, error: BpmnError): void {
  step.history('errorThrown', thrower.elementId, { code: error.code });
  const catcher = findCatcher(thrower, (trigger) =>
    trigger.kind === 'error' ? fit(trigger.errorCode, error.code) : null,
  );
  if (catcher === null) {
    throw new ElementFailure(
      error.uncaughtAs,
      `nothing catches the BPMN error ${error.code}: ${error.message}`,
    );
  }
  const caught = runCatcher(step, catcher);
  if (catcher.trigger.kind !== 'error') return;
  const { codeVariable, messageVariable } = catcher.trigger;
  if (codeVariable !== null) assign(caught.scope, codeVariable, error.code);
  if (messageVariable !== null) assign(caught.scope, messageVariable, error.message);
}

/**
 * Throws an escalation. Only the nearest catcher takes it; when there is none it is ignored, and in either
 * case the thrower goes on unless it was interrupted. BPMN 2.0.2 §10.5.6.
 */
export function throwEscalation(step: Step, thrower: LiveToken, code: string | null): void {
  step.history('escalationThrown', thrower.elementId, { code });
  const catcher = findCatcher(thrower, (trigger) =>
    trigger.kind === 'escalation' ? fit(trigger.escalationCode, code) : null,
  );
  if (catcher === null) return;
  const caught = runCatcher(step, catcher);
  if (catcher.trigger.kind !== 'escalation' || catcher.trigger.codeVariable === null) return;
  assign(caught.scope, catcher.trigger.codeVariable, code);
}

function fit(wanted: string | null, code: string | null): Fit {
  if (wanted === null) return 'any';
  return wanted === code ? 'exact' : null;
}
