import type { StartEvent } from '../../../definitions/model.ts';
import type { Behaviour } from './behaviour.ts';

/** Where a scope begins. The message of a process's start is taken in before. BPMN 2.0.2 §13.5.1. */
export const startEvent: Behaviour<StartEvent> = {
  enter: () => 'done',
};
