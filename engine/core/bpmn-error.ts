/** Throwing BPMN errors and escalations: to the nearest event that catches the code. */
import { auditText } from './audit.ts';
import { findCatcher, runCatcher, type Catcher, type Fit } from './catchers.ts';
import type { CoreCode } from './codes.ts';
import { ElementFailure } from './element-failure.ts';
import type { LiveToken } from './live-state.ts';
import { assign } from './scope-variables.ts';
import type { Step } from './step.ts';

export interface BpmnError {
  readonly code: string;
  /** Null: nothing was said but the code. */
  readonly message: string | null;
  /** The instance's failure code when nobody catches it. */
  readonly uncaughtAs: CoreCode;
  /** The message is what a worker has said: it is shown beside its variable, unless it may say what is sensitive. */
  readonly reported?: 'shown' | 'withheld';
}

/** An error message is a line or two, in the history. */
const MAX_HISTORY_CHARACTERS = 500;

/**
 * Throws a BPMN error at the token: its own activity is asked first, then each enclosing one. The catcher
 * always interrupts. BPMN 2.0.2 §10.5.6, §13.5.3.
 * @throws ElementFailure when nobody catches it
 */
export function throwBpmnError(step: Step, thrower: LiveToken, error: BpmnError): void {
  const catcher = findCatcher(thrower, (trigger) =>
    trigger.kind === 'error' ? fit(trigger.errorCode, error.code) : null,
  );
  const said = shownMessage(step, thrower, error, catcher);
  const reported = error.reported === undefined || said === null ? {} : { message: cut(said) };
  step.history('errorThrown', thrower.elementId, { code: error.code, ...reported });
  if (catcher === null) {
    const why = said === null ? '' : `: ${said}`;
    throw new ElementFailure(error.uncaughtAs, `nothing catches the BPMN error ${error.code}${why}`);
  }
  const caught = runCatcher(step, catcher);
  if (catcher.trigger.kind !== 'error') return;
  const { codeVariable, messageVariable } = catcher.trigger;
  if (codeVariable !== null) assign(caught.scope, codeVariable, error.code);
  if (messageVariable !== null) assign(caught.scope, messageVariable, error.message);
}

/** What may be said of the message beside the variable that it goes to; null: nothing. */
function shownMessage(
  step: Step,
  { scope }: LiveToken,
  { message, reported }: BpmnError,
  catcher: Catcher | null,
): string | null {
  if (message === null || reported === undefined) return message;
  if (reported === 'withheld') return null;
  const variable = catcher?.trigger.kind === 'error' ? catcher.trigger.messageVariable : null;
  return auditText(step, scope, message, variable);
}

/** Half of a surrogate pair at the cut would be no JSON. */
function cut(text: string): string {
  return text.slice(0, MAX_HISTORY_CHARACTERS).toWellFormed();
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
