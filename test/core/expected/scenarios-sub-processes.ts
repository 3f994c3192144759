/** Rows 90-92, 97-102 and 125-128: sub-processes, ad hoc ones, and call activities. */
import {
  cancel,
  complete,
  completeAdHoc,
  ENDED,
  fireTimer,
  launch,
  pass,
  row,
  type Scenario,
  start,
  startProcess,
  step,
} from './scenario.ts';

const SUB_PROCESS = 'camunda-bpm-platform/bpmn/subprocess/SubProcessTest';
const FLOWABLE = 'flowable-engine/bpmn/subprocess/SubProcessTest';
const AD_HOC = 'flowable-engine/bpmn/subprocess/adhoc/AdhocSubProcessTest';
const CALL = 'flowable-engine/bpmn/callactivity';

const TASK = 'subProcessTask';
const TASK_2 = 'subProcessTask2';

const launchTask = launch('adhocSubProcess', TASK);
const launchTask2 = launch('adhocSubProcess', TASK_2);

/** What the core answers when the ad hoc sub-process is sequential and something runs. */
const BUSY = 'SUTRA.CORE.AD_HOC_BUSY';

const subProcessScenarios: readonly Scenario[] = [
  row(
    90,
    `${SUB_PROCESS}.testNestedSimpleSubprocessWithTimerOnInnerSubProcess.bpmn20.xml`,
    step(1, start(), {
      active: ['innerSubProcessTask'],
      inside: { innerSubProcessTask: ['innerSubProcess'] },
    }),
    step(2, pass('PT1H1S'), { active: ['escalationTask'], inside: { escalationTask: ['outerSubProcess'] } }),
    step(3, complete('escalationTask'), { active: ['afterSubProcessTask'] }),
  ),
  row(
    91,
    `${SUB_PROCESS}.testTwoSubProcessInParallelWithinSubProcess.bpmn20.xml`,
    step(1, start(), {
      active: ['subProcessATask', 'subProcessBTask'],
      inside: { subProcessATask: ['subProcessA'], subProcessBTask: ['subProcessB'] },
    }),
    step(2, [complete('subProcessATask'), complete('subProcessBTask')], { active: ['taskAfterSubProcess'] }),
    step(3, complete('taskAfterSubProcess'), ENDED),
  ),
  row(
    92,
    `${SUB_PROCESS}.testTwoNestedSubProcessesInParallelWithTimer.bpmn20.xml`,
    step(1, start(), { active: ['subProcessATask', 'subProcessBTask'] }),
    step(2, fireTimer, { active: ['taskAfterTimer'] }),
    step(3, complete('taskAfterTimer'), ENDED),
  ),
  row(
    125,
    `${FLOWABLE}.testDoubleNestedSimpleSubProcess.bpmn20.xml`,
    step(1, start(), { active: ['thirdSubProcessTask'] }),
    step(2, complete('thirdSubProcessTask'), { active: ['afterSubProcessTask'] }),
  ),
  row(
    126,
    `${FLOWABLE}.testSimpleParallelSubProcessWithTimer.bpmn20.xml`,
    step(1, start(), { active: ['task1', 'task2'] }),
    step(2, fireTimer, { active: ['taskAfterTimer'] }),
    step(3, complete('taskAfterTimer'), ENDED),
  ),
  row(
    127,
    [`${CALL}/CallActivity.testTwoSubProcesses.bpmn20.xml`, `${CALL}/simpleSubProcess.bpmn20.xml`],
    step(1, startProcess('callTwoSubProcesses'), { instances: 3, tasks: ['task', 'task'] }),
    step(2, cancel, { ...ENDED, instances: 0, tasks: [] }),
  ),
  row(
    128,
    [`${CALL}/CallActivity.testTimerOnCallActivity.bpmn20.xml`, `${CALL}/simpleSubProcess.bpmn20.xml`],
    step(1, startProcess('timerOnCallActivity'), { active: ['task'], instances: 2 }),
    step(2, pass('PT6M'), { active: ['escalatedTask'], instances: 1 }),
    step(3, complete('escalatedTask'), ENDED),
  ),
];

const adHocScenarios: readonly Scenario[] = [
  row(
    97,
    `${AD_HOC}.testSimpleAdhocSubProcess.bpmn20.xml`,
    step(1, start(), { active: [], launchable: [TASK, TASK_2] }),
    step(2, launchTask, { active: [TASK] }),
    step(3, complete(TASK), { active: [], launchable: [TASK, TASK_2] }),
    step(4, completeAdHoc('adhocSubProcess'), { active: ['afterTask'] }),
    step(5, complete('afterTask'), ENDED),
  ),
  row(
    98,
    `${AD_HOC}.testSimpleCompletionCondition.bpmn20.xml`,
    step(1, start({ completed: false }), { launchable: [TASK, TASK_2] }),
    step(2, [launchTask, complete(TASK)], { launchable: [TASK, TASK_2] }),
    step(3, launchTask2, { active: [TASK_2] }),
    step(4, complete(TASK_2, { completed: true }), { active: ['afterTask'] }),
    step(5, complete('afterTask'), ENDED),
  ),
  row(
    99,
    `${AD_HOC}.testParallelAdhocSubProcess.bpmn20.xml`,
    step(1, start({ completed: false }), { launchable: [TASK, TASK_2] }),
    step(2, launchTask, { active: [TASK] }),
    step(3, launchTask2, { active: [TASK, TASK_2] }),
    step(4, complete(TASK, { completed: true }), { active: ['afterTask'], interrupted: [TASK_2] }),
    step(5, complete('afterTask'), ENDED),
  ),
  row(
    100,
    `${AD_HOC}.testSequentialAdhocSubProcess.bpmn20.xml`,
    step(1, start({ completed: false }), { launchable: [TASK, TASK_2] }),
    step(2, launchTask, { active: [TASK] }),
    step(3, launchTask2, { refused: BUSY, active: [TASK] }),
    step(4, complete(TASK), { active: [] }),
    step(5, launchTask2, { active: [TASK_2] }),
    step(6, complete(TASK_2, { completed: true }), { active: ['afterTask'] }),
    step(7, complete('afterTask'), ENDED),
  ),
  row(
    101,
    `${AD_HOC}.testFlowsInAdhocSubProcess.bpmn20.xml`,
    step(1, start({ completed: false }), { launchable: [TASK, TASK_2] }),
    step(2, launchTask, { active: [TASK] }),
    step(3, complete(TASK), { active: ['sequentialTask'] }),
    step(4, launchTask2, { refused: BUSY, active: ['sequentialTask'] }),
    step(5, complete('sequentialTask', { completed: true }), { active: ['afterTask'] }),
    step(6, complete('afterTask'), ENDED),
  ),
  row(
    102,
    `${AD_HOC}.testKeepRemainingInstancesAdhocSubProcess.bpmn20.xml`,
    step(1, start({ completed: false }), { launchable: [TASK, TASK_2] }),
    step(2, [launchTask, launchTask2], { active: [TASK, TASK_2] }),
    step(3, complete(TASK, { completed: true }), { active: [TASK_2] }),
    step(4, complete(TASK_2), { active: ['afterTask'] }),
    step(5, complete('afterTask'), ENDED),
  ),
];

export const subProcessAndCallScenarios: readonly Scenario[] = [...subProcessScenarios, ...adHocScenarios];
