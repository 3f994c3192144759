/** Rows 58-67 and 116: timers. */
import { complete, deploy, ENDED, fireTimer, pass, row, type Scenario, start, step } from './scenario.ts';

const TIMER = 'camunda-bpm-platform/bpmn/event/timer';
const BOUNDARY = `${TIMER}/BoundaryTimerEventTest`;
const NON_INTERRUPTING = `${TIMER}/BoundaryTimerNonInterruptingEventTest`;

export const timerScenarios: readonly Scenario[] = [
  row(
    58,
    `${BOUNDARY}.testMultipleTimersOnUserTask.bpmn20.xml`,
    step(1, start(), { active: ['firstTask'], timers: 3 }),
    step(2, pass('PT1H5S'), { active: ['thirdTask'], timers: 0 }),
  ),
  row(
    59,
    `${BOUNDARY}.testTimerOnNestingOfSubprocesses.bpmn20.xml`,
    step(1, start(), { active: ['innerTask1', 'innerTask2'] }),
    step(2, fireTimer, { active: ['taskAfterCatch'] }),
  ),
  row(
    60,
    `${BOUNDARY}.testMultipleOutgoingSequenceFlowsOnSubprocessMi.bpmn20.xml`,
    step(1, start(), { timers: 1, entered: { innerTask1: 4, innerTask2: 4 } }),
    step(2, fireTimer, { active: ['timerFiredTask1', 'timerFiredTask2'] }),
    step(3, [complete('timerFiredTask1'), complete('timerFiredTask2')], ENDED),
  ),
  row(
    61,
    `${NON_INTERRUPTING}.testMultipleTimersOnUserTask.bpmn20.xml`,
    step(1, start(), { active: ['firstTask'], timers: 2 }),
    step(2, pass('PT1H5S'), { active: ['firstTask', 'secondTask'], timers: 1 }),
    step(3, complete('secondTask'), { active: ['firstTask'] }),
    step(4, pass('PT1H'), { active: ['firstTask', 'thirdTask'], timers: 0 }),
    step(5, complete('firstTask'), { active: ['thirdTask'] }),
    step(6, complete('thirdTask'), ENDED),
  ),
  row(
    62,
    `${NON_INTERRUPTING}.testTimerOnConcurrentTasks.bpmn20.xml`,
    step(1, start(), { active: ['firstTask', 'secondTask'] }),
    step(2, fireTimer, { active: ['firstTask', 'secondTask', 'timerFiredTask'] }),
    step(3, complete('timerFiredTask'), { active: ['firstTask', 'secondTask'] }),
    step(4, [complete('firstTask'), complete('secondTask')], ENDED),
  ),
  row(
    63,
    `${NON_INTERRUPTING}.testTimerWithCycle.bpmn20.xml`,
    step(1, start(), { active: ['task'] }),
    step(2, pass('PT1H'), { active: ['task', 'timerFiredTask'] }),
    step(3, pass('PT1H'), { active: ['task', 'timerFiredTask', 'timerFiredTask'] }),
    step(4, [complete('task'), pass('PT1H')], { active: ['timerFiredTask', 'timerFiredTask'], timers: 0 }),
  ),
  row(
    64,
    `${NON_INTERRUPTING}.testTimerOnEmbeddedSubprocess.bpmn20.xml`,
    step(1, start(), { active: ['UserTask_1'] }),
    step(2, fireTimer, { active: ['UserTask_1', 'UserTask_2'] }),
    step(3, [complete('UserTask_1'), complete('UserTask_2')], ENDED),
  ),
  row(
    65,
    `${TIMER}/StartTimerEventTest.testCycleWithLimitStartTimerEvent.bpmn20.xml`,
    step(1, deploy, { starts: { timers: 1 }, instances: 0 }),
    step(2, pass('PT5M'), { starts: { timers: 1 }, instances: 1 }),
    step(3, pass('PT5M'), { starts: { timers: 0 }, instances: 2 }),
  ),
  row(
    66,
    `${TIMER}/StartTimerEventTest.testStartTimerEventSubProcessWithUserTask.bpmn20.xml`,
    step(1, start(), { active: ['userTask'], timers: 2 }),
    step(2, fireTimer, { active: ['subprocessUserTask'], timers: 0 }),
  ),
  row(
    67,
    'camunda-bpm-platform/bpmn/gateway/EventBasedGatewayTest.testCatchAlertAndTimer.bpmn20.xml',
    step(1, start(), { signals: 1, timers: 1 }),
    step(2, fireTimer, { active: ['task1'], subscriptions: 0, timers: 0 }),
  ),
  row(
    116,
    'flowable-engine/bpmn/event/timer/TimerEventSubprocessTest.testInterruptingUnderProcessDefinition.bpmn20.xml',
    step(1, start(), { active: ['task'], timers: 1 }),
    step(2, complete('task'), { ...ENDED, timers: 0 }),
    step(3, start(), { active: ['task'], timers: 1 }),
    step(4, fireTimer, { active: ['eventSubProcessTask'] }),
    step(5, complete('eventSubProcessTask'), { ...ENDED, timers: 0 }),
  ),
];
