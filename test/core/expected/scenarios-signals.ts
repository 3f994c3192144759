/** Rows 53-57 and 113-115: signals. */
import {
  broadcast,
  complete,
  deploy,
  ENDED,
  row,
  type Scenario,
  start,
  startProcess,
  step,
} from './scenario.ts';

const SIGNAL = 'camunda-bpm-platform/bpmn/event/signal';
const FLOWABLE = 'flowable-engine/bpmn/event/signal/SignalEventTest';

export const signalScenarios: readonly Scenario[] = [
  row(
    53,
    `${SIGNAL}/SignalEventTest.testSignalBoundaryOnSubProcess.bpmn20.xml`,
    step(1, start(), { active: ['timer'], timers: 1, inside: { timer: ['waitingsubprocess'] } }),
    step(2, broadcast('stopSignal'), { ...ENDED, interrupted: ['waitingsubprocess'] }),
  ),
  row(
    54,
    `${SIGNAL}/SignalEventTest.testNonInterruptingSignal.bpmn20.xml`,
    step(1, start(), { active: ['theUserTask'] }),
    step(2, broadcast('alert'), { active: ['theUserTask', 'theUserTask2'] }),
    step(3, complete('theUserTask'), { active: ['theUserTask2'] }),
  ),
  row(
    55,
    `${SIGNAL}/SignalEventTest.signalStartEvent.bpmn20.xml`,
    step(1, deploy, { starts: { signal: 1 }, instances: 0 }),
    step(2, broadcast('alert'), { instances: 1, active: ['task'] }),
  ),
  row(
    56,
    `${SIGNAL}/SignalEventTests.catchAlertTwiceAndTerminate.bpmn20.xml`,
    step(1, start(), { signals: 2 }),
    // Which of the two is the first receiver is not said; here it is the one that has waited longer.
    step(2, broadcast('alert'), { ...ENDED, entered: { terminateEnd1: 1, terminateEnd2: 0 } }),
  ),
  row(
    57,
    `${SIGNAL}/SignalEventTest.testNoContinuationWhenSignalInterruptsThrowingActivity.bpmn20.xml`,
    step(1, start(), { active: ['subProcessTask'] }),
    step(2, complete('subProcessTask'), {
      active: ['eventSubProcessTask'],
      entered: { afterSubProcessTask: 0 },
    }),
  ),
  row(
    113,
    `${FLOWABLE}.testUseSignalForExceptionsBetweenParallelPaths.bpmn20.xml`,
    step(1, start(), { active: ['enterDevs'] }),
    step(2, complete('enterDevs', { developers: ['developerOne', 'developerTwo', 'developerThree'] }), {
      active: ['negotiate', 'developSpecs', 'developSpecs', 'developSpecs'],
      assigned: { developSpecs: ['developerOne', 'developerTwo', 'developerThree'] },
    }),
    step(3, complete('negotiate', { negotationFailed: true }), ENDED),
  ),
  row(
    114,
    `${FLOWABLE}.testSignalWithProcessInstanceScope.bpmn20.xml`,
    step(1, startProcess('processWithSignalCatch'), { active: ['userTaskWithSignalCatch'] }),
    step(2, startProcess('processWithSignalThrow'), {
      ended: true,
      activeAnywhere: ['userTaskWithSignalCatch'],
    }),
    step(3, broadcast('The Signal'), { ended: true, activeAnywhere: ['userTaskWithSignalCatch'] }),
  ),
  row(
    115,
    `${FLOWABLE}.testSingleSignalCatchAfterEventGateway.bpmn20.xml`,
    step(1, start(), { subscriptions: 1 }),
    // The task with the name A.
    step(2, broadcast('mySignal'), { tasks: ['sid-DDC67A65-5F3C-475B-8AD0-DC04D0ECEE3D'] }),
  ),
];
