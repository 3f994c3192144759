/** Rows 10-17 and 109: conditional events. */
import {
  complete,
  deploy,
  ENDED,
  evaluateStarts,
  row,
  type Scenario,
  set,
  setAt,
  start,
  step,
} from './scenario.ts';

const CONDITIONAL = 'camunda-bpm-platform/bpmn/event/conditional';

export const conditionScenarios: readonly Scenario[] = [
  row(
    10,
    `${CONDITIONAL}/BoundaryConditionalEventTest.testTrueCondition.bpmn20.xml`,
    step(1, start(), { active: ['Task_0edqijt'], conditions: 0, interrupted: ['taskWithCondition'] }),
  ),
  row(
    11,
    `${CONDITIONAL}/BoundaryConditionalEventTest.testNonInterruptingVariableCondition.bpmn20.xml`,
    step(1, start(), { active: ['taskWithCondition'] }),
    step(2, setAt('taskWithCondition', { variable: 1 }), {
      active: ['taskWithCondition', 'taskAfterCondition'],
    }),
  ),
  row(
    12,
    `${CONDITIONAL}/BoundaryConditionalEventTest.testParallelVariableCondition.bpmn20.xml`,
    step(1, start(), { active: ['taskWithCondition1', 'taskWithCondition2'] }),
    step(2, setAt('taskWithCondition1', { variable: 1 }), ENDED),
  ),
  row(
    13,
    `${CONDITIONAL}/ConditionalStartEventTest.testMultipleCondition.bpmn20.xml`,
    step(1, deploy, { starts: { conditional: 3 }, instances: 0 }),
    step(2, evaluateStarts({ foo: 1, bar: true }), {
      instances: 2,
      entered: { StartEvent_1: 1, StartEvent_2: 0, StartEvent_3: 1 },
      activeAnywhere: ['Task_1', 'Task_5'],
    }),
  ),
  row(
    14,
    `${CONDITIONAL}/EventSubProcessStartConditionalEventTest.testVariableCondition.bpmn20.xml`,
    step(1, start(), { active: ['Task_0grf7zs'] }),
    step(2, set({ variable: 1 }), { active: ['Task_1k0ye5k'], interrupted: ['Task_0grf7zs'] }),
  ),
  row(
    15,
    `${CONDITIONAL}/EventSubProcessStartConditionalEventTest.testNonInterruptingVariableCondition.bpmn20.xml`,
    step(1, start(), { active: ['Task_0grf7zs'], conditions: 1 }),
    step(2, set({ variable: 1 }), { active: ['Task_0grf7zs', 'Task_1k0ye5k'], conditions: 1 }),
  ),
  row(
    16,
    `${CONDITIONAL}/IntermediateConditionalEventTest.testVariableValue.bpmn20.xml`,
    step(1, start({ variable: 0 }), { active: ['conditionalEvent'], conditions: 1 }),
    step(2, set({ variable: 1 }), { ...ENDED, conditions: 0 }),
  ),
  row(
    17,
    `${CONDITIONAL}/IntermediateConditionalEventTest.testFalseCondition.bpmn20.xml`,
    step(1, start(), { active: ['Task_1jt1cm7'] }),
    step(2, complete('Task_1jt1cm7'), { active: ['conditionalEvent'], conditions: 1 }),
  ),
  row(
    109,
    'flowable-engine/bpmn/event/conditional/BoundaryConditionalEventTest.testCatchConditionalOnEmbeddedSubprocess.bpmn20.xml',
    step(1, start({ myVar: 'empty' }), { active: ['subprocessTask'] }),
    // Conditions are looked at whenever variables are written: to ask for that is to write nothing.
    step(2, set({}), { active: ['subprocessTask'] }),
    step(3, set({ myVar: 'test' }), { active: ['taskAfterConditionalCatch'] }),
    step(4, complete('taskAfterConditionalCatch'), ENDED),
  ),
];
