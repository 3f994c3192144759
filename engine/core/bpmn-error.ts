/** Throwing BPMN errors: from a token outwards to the nearest boundary event that catches the code. */
import type { BoundaryEvent } from '../../definitions/model.ts';
import type { CoreCode } from './codes.ts';
import { ElementFailure } from './element-failure.ts';
import { triggerBoundaryEvent } from './event-waits.ts';
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
 * Throws a BPMN error at the token: its own activity is asked first, then each enclosing one. On the
 * first activity that has a matching boundary event, one for the very code wins over one for all codes.
 * BPMN 2.0.2 §10.5.6 (the innermost enclosing scope), §13.5.3.
 * @throws ElementFailure when nobody catches it
 */
export function throwBpmnError(step: Step, thrower: LiveToken, error: BpmnError): void {
  step.history('errorThrown', thrower.elementId, { code: error.code });
  for (let token: LiveToken | null = thrower; token !== null; token = token.scope.owner) {
    const catcher = findCatcher(step.graph.facts(token.elementId).boundaries, error.code);
    if (catcher === undefined) continue;
    catchError(step, token, catcher, error);
    return;
  }
  throw new ElementFailure(
    error.uncaughtAs,
    `nothing catches the BPMN error ${error.code}: ${error.message}`,
  );
}

function findCatcher(boundaries: readonly BoundaryEvent[], code: string): BoundaryEvent | undefined {
  const catches = (wanted: string | null) => (boundary: BoundaryEvent) =>
    boundary.event.kind === 'error' && boundary.event.errorCode === wanted;
  return boundaries.find(catches(code)) ?? boundaries.find(catches(null));
}

function catchError(step: Step, token: LiveToken, catcher: BoundaryEvent, error: BpmnError): void {
  const caught = triggerBoundaryEvent(step, token, catcher);
  if (catcher.event.kind !== 'error') return;
  const { codeVariable, messageVariable } = catcher.event;
  if (codeVariable !== null) assign(caught.scope, codeVariable, error.code);
  if (messageVariable !== null) assign(caught.scope, messageVariable, error.message);
}
