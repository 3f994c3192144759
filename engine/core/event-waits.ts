/** Arming what a token or a scope waits for: catch events, tasks, boundary events, event sub-processes. */
import type {
  AliasDefinition,
  BoundaryEvent,
  CatchDefinition,
  IntermediateCatchEvent,
  SourceDefinition,
  StartEvent,
} from '../../definitions/model.ts';
import { evaluateAliases, registerAliases } from './aliases.ts';
import { siteOf, type Site } from './evaluate.ts';
import type { LiveScope, LiveToken } from './live-state.ts';
import type { Wait } from './snapshot.ts';
import type { Step } from './step.ts';
import { timerTimes, type TimerTimes } from './timer-value.ts';

export type CatchEvent = StartEvent | IntermediateCatchEvent | BoundaryEvent;

/** What all waits begin with. */
type WaitBase = Pick<Wait, 'id' | 'tokenId' | 'scopeId' | 'elementId' | 'trigger'>;

/** The common part of a new wait of the holder. */
function newWait(step: Step, holder: LiveToken | LiveScope, elementId: string, trigger: number): WaitBase {
  const id = step.allocate();
  const base =
    'tokens' in holder
      ? { id, tokenId: null, scopeId: holder.id, elementId }
      : { id, tokenId: holder.id, elementId };
  return trigger === 0 ? base : { ...base, trigger };
}

function siteAt(holder: LiveToken | LiveScope, elementId: string): Site {
  return 'tokens' in holder ? siteOf(holder, elementId) : holder;
}

/**
 * Lets the token, or the scope of an event sub-process, wait for a message.
 * @param elementId the node that continues: the token's own, or an event that is attached to it or behind it
 */
export function waitForMessage(
  step: Step,
  holder: LiveToken | LiveScope,
  elementId: string,
  { channel }: SourceDefinition,
  definitions: readonly AliasDefinition[],
  trigger = 0,
): void {
  const aliases = evaluateAliases(step, siteAt(holder, elementId), definitions);
  registerAliases(step, 'tokens' in holder ? holder : holder.scope, elementId, definitions, aliases);
  step.addWait(holder, { kind: 'message', ...newWait(step, holder, elementId, trigger), channel, aliases });
}

/** Waits for all triggers of an event. BPMN 2.0.2 §13.5.1 to §13.5.4. */
export function waitForEvent(step: Step, holder: LiveToken | LiveScope, event: CatchEvent): void {
  event.triggers.forEach((trigger, index) => waitForTrigger(step, holder, event.id, trigger, index));
}

/**
 * Waits for one trigger of an event. Errors, escalations, compensation and links are not waited for: whoever throws
 * looks for who catches.
 */
export function waitForTrigger(
  step: Step,
  holder: LiveToken | LiveScope,
  elementId: string,
  event: CatchDefinition,
  trigger: number,
): void {
  switch (event.kind) {
    case 'message':
      waitForMessage(step, holder, elementId, event.source, event.aliases, trigger);
      return;
    case 'timer': {
      const times = timerTimes(step, siteAt(holder, elementId), event.timer);
      waitForTime(step, holder, elementId, times, trigger);
      return;
    }
    case 'signal':
      step.addWait(holder, {
        kind: 'signal',
        ...newWait(step, holder, elementId, trigger),
        name: event.name,
      });
      return;
    case 'conditional':
      step.addWait(holder, {
        kind: 'condition',
        ...newWait(step, holder, elementId, trigger),
        wasTrue: false,
      });
      return;
    case 'error':
    case 'escalation':
    case 'compensation':
    case 'cancel':
    case 'link':
      return;
  }
}

export function waitForTime(
  step: Step,
  holder: LiveToken | LiveScope,
  elementId: string,
  { dueAtMs, cycle }: TimerTimes,
  trigger: number,
): void {
  const base = newWait(step, holder, elementId, trigger);
  const wait: Wait = { kind: 'timer', ...base, dueAtMs, purpose: 'event' };
  step.addWait(holder, cycle === null ? wait : { ...wait, cycle });
}

/** Waits until someone does what only a person can decide. */
export function waitForPerson(step: Step, token: LiveToken, kind: 'user-task' | 'ad-hoc'): void {
  step.addWait(token, { kind, ...newWait(step, token, token.elementId, 0) });
}

/** Arms the boundary events of the activity at which the token begins to wait. BPMN 2.0.2 §13.5.3. */
export function armBoundaryEvents(step: Step, token: LiveToken): void {
  for (const boundary of token.scope.graph.facts(token.elementId).boundaries) {
    waitForEvent(step, token, boundary);
  }
}

/** Arms the start events of the event sub-processes of a scope that begins. BPMN 2.0.2 §13.5.4. */
export function armEventSubProcesses(step: Step, scope: LiveScope): void {
  for (const { start } of scopeFactsAt(scope).handlers) waitForEvent(step, scope, start);
}

/** What the model says of the scope: of its process, or of its sub-process. */
export function scopeFactsAt({
  parent,
  kind,
  graph,
  elementId,
}: LiveScope): ReturnType<typeof graph.scopeFacts> {
  if (parent === null || kind === 'called') return graph.root;
  // A frame and a handler bear the id of an activity that may be a sub-process, but are not its inside.
  return graph.scopeFacts(kind === 'frame' || kind === 'handler' ? '' : elementId);
}
