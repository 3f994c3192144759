/**
 * Who catches what a token throws: the event sub-processes of its scope, then the boundary events of the
 * activity whose inside that is, and so on outwards, through call activities too.
 * BPMN 2.0.2 §10.5.6 (the innermost enclosing scope), §13.5.3, §13.5.4.
 */
import type { BoundaryEvent, CatchDefinition } from '../../definitions/model.ts';
import { scopeFactsAt } from './event-waits.ts';
import type { EventHandler } from './graph.ts';
import { triggerBoundaryEvent, triggerEventSubProcess } from './interrupt.ts';
import { isRun, type LiveScope, type LiveToken } from './live-state.ts';
import type { Step } from './step.ts';

export type Catcher = { readonly trigger: CatchDefinition } & (
  | { readonly kind: 'boundary'; readonly token: LiveToken; readonly boundary: BoundaryEvent }
  | { readonly kind: 'eventSubProcess'; readonly scope: LiveScope; readonly handler: EventHandler }
);

/** How well a trigger fits what is thrown: the very code before any code. */
export type Fit = 'exact' | 'any' | null;

/** The innermost catcher. Where several are equally near, one for the very code wins over one for all. */
export function findCatcher(thrower: LiveToken, fitOf: (trigger: CatchDefinition) => Fit): Catcher | null {
  for (let token: LiveToken | null = thrower; token !== null; token = token.scope.owner) {
    const catcher = best(boundariesAt(token), fitOf) ?? best(handlersAround(token), fitOf);
    if (catcher !== null) return catcher;
  }
  return null;
}

/** Lets the catcher continue. @returns the token that does */
export function runCatcher(step: Step, catcher: Catcher): LiveToken {
  return catcher.kind === 'boundary'
    ? triggerBoundaryEvent(step, catcher.token, catcher.boundary)
    : triggerEventSubProcess(step, catcher.scope, catcher.handler);
}

/** Of the activity as a whole: a run of a loop has none. */
function* boundariesAt(token: LiveToken): Iterable<Catcher> {
  if (isRun(token)) return;
  for (const boundary of token.scope.graph.facts(token.elementId).boundaries) {
    for (const trigger of boundary.triggers) yield { kind: 'boundary', token, boundary, trigger };
  }
}

/** What an event sub-process throws is not caught by itself nor by those beside it: it stands for its scope. */
function* handlersAround({ scope, elementId }: LiveToken): Iterable<Catcher> {
  const { handlers } = scopeFactsAt(scope);
  if (scope.kind === 'restored' || handlers.some(({ subProcess }) => subProcess.id === elementId)) return;
  for (const handler of handlers) {
    for (const trigger of handler.start.triggers) yield { kind: 'eventSubProcess', scope, handler, trigger };
  }
}

function best(catchers: Iterable<Catcher>, fitOf: (trigger: CatchDefinition) => Fit): Catcher | null {
  let any: Catcher | null = null;
  for (const catcher of catchers) {
    const fit = fitOf(catcher.trigger);
    if (fit === 'exact') return catcher;
    if (fit === 'any') any ??= catcher;
  }
  return any;
}
