/**
 * Which steps go on to the next, as far as the notation says it. That nothing leads to a step is seen when the document
 * is built, where all ways are known.
 */
import type { Step, Steps } from '../flow.ts';

/** Whether some way may lead behind the last of them. */
export function isOpen(steps: Steps): boolean {
  return steps.every(goesOn);
}

/** What becomes a sub-process goes on: what ends in it ends its part alone. */
function goesOn(step: Step): boolean {
  switch (step.verb) {
    case 'end':
    case 'fail':
      return false;
    case 'choose':
      return (
        step.otherwise === null || isOpen(step.otherwise) || step.cases.some(({ steps }) => isOpen(steps))
      );
    case 'wait-first':
      return step.alternatives.some(({ steps }) => isOpen(steps));
    case 'parallel':
      return step.until === 'any' || step.branches.some(({ steps }) => isOpen(steps));
    default:
      return true;
  }
}
