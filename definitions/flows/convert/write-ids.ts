/** Which ids a flow says anyhow, so that nobody has to write them. */
import { partsOf } from '../flow-parts.ts';
import type { EndStep, Flow, Handler, Start, Step, Steps, WaitFirstStep } from '../flow.ts';
import { isOpen } from '../read/reach.ts';
import {
  BARE_END,
  bareEndIds,
  derivedAlternativeId,
  derivedHandlerId,
  derivedId,
  derivedStartId,
} from '../step-ids.ts';

export class WrittenIds {
  readonly #isOnlyStart: boolean;
  /** The numbers of bare ends come out as they are. */
  readonly #areEndsCounted: boolean;

  constructor(flow: Flow) {
    this.#isOnlyStart = flow.starts.length === 1;
    this.#areEndsCounted = areEndsCounted(flow);
  }

  /** Null: the step has it by itself. */
  ofStep(step: Step): string | null {
    const { text } = step.id;
    if (step.verb === 'end' && step.name === null) {
      return !step.isIdGiven || (this.#areEndsCounted && BARE_END.test(text)) ? null : text;
    }
    return derivedId(step) === text ? null : text;
  }

  ofStart(start: Start): string | null {
    return derivedStartId(start, this.#isOnlyStart) === start.id.text ? null : start.id.text;
  }

  ofAlternative(alternative: WaitFirstStep['alternatives'][number]): string | null {
    return derivedAlternativeId(alternative) === alternative.id.text ? null : alternative.id.text;
  }

  ofHandler(tryId: string, handler: Handler): string | null {
    return derivedHandlerId(tryId, handler) === handler.id.text ? null : handler.id.text;
  }
}

/** Whether the ends that look counted get their very numbers when none of them is written. */
function areEndsCounted(flow: Flow): boolean {
  const ends: EndStep[] = [];
  const taken = new Set<string>([flow.id.text, ...flow.starts.map(({ id }) => id.text)]);
  const visit = (steps: Steps): void => {
    for (const step of steps) {
      const isBare = step.verb === 'end' && step.name === null;
      if (isBare && (!step.isIdGiven || BARE_END.test(step.id.text))) ends.push(step);
      else taken.add(step.id.text);
      for (const part of partsOf(step)) {
        if (part.id !== null) taken.add(part.id.text);
        visit(part.steps);
      }
    }
  };
  visit(flow.steps);
  if (isOpen(flow.steps)) taken.add('end');
  const ids = bareEndIds(taken);
  return ends.every((end) => {
    const id = ids.next().value;
    return !end.isIdGiven || end.id.text === id;
  });
}
