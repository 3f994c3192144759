/** Signals: to everyone who waits for them, in this instance at once. BPMN 2.0.2 §10.5.5, signal. */
import type { Value } from '../../definitions/value.ts';
import type { LiveToken } from './live-state.ts';
import { signalOccurs } from './occurrences.ts';
import type { Wait } from './snapshot.ts';
import type { Step } from './step.ts';

type SignalWait = Extract<Wait, { readonly kind: 'signal' }>;

/** The instance's own waits have the signal at once; an effect tells everyone else. */
export function throwSignal(step: Step, thrower: LiveToken, name: string, payload: Value): void {
  const { elementId } = thrower;
  step.history('signalThrown', elementId, { signal: name });
  step.effects.push({ kind: 'signalThrown', name, payload, elementId });
  receiveSignal(step, name, payload);
}

/** @returns how many waits there were */
export function receiveSignal(step: Step, name: string, payload: Value): number {
  const waits = [...step.waits.values()].filter(
    (wait): wait is SignalWait => wait.kind === 'signal' && wait.name === name,
  );
  for (const wait of waits) {
    // What an earlier one interrupted waits no longer.
    if (!step.waits.has(wait.id)) continue;
    step.history('signalReceived', wait.elementId, { signal: name });
    signalOccurs(step, wait, payload);
  }
  return waits.length;
}
