/** The lists of steps inside a step, whatever they are for. */
import type { Written } from '../written.ts';
import type { Step, Steps } from './flow.ts';

export interface FlowPart {
  /** Of an alternative or a handler; null: the part has none. */
  readonly id: Written | null;
  readonly steps: Steps;
}

const part = (steps: Steps): FlowPart => ({ id: null, steps });

/** In the order of the file. */
export function partsOf(step: Step): readonly FlowPart[] {
  switch (step.verb) {
    case 'wait-first':
      return step.alternatives;
    case 'choose':
      return [
        ...step.cases.map(({ steps }) => part(steps)),
        ...(step.otherwise === null ? [] : [part(step.otherwise)]),
      ];
    case 'parallel':
      return step.branches.map(({ steps }) => part(steps));
    case 'for-each':
    case 'repeat':
      return [part(step.steps)];
    case 'try':
      return [
        part(step.steps),
        ...step.handlers,
        ...(step.compensation === null ? [] : [part(step.compensation.steps)]),
      ];
    default:
      return [];
  }
}
