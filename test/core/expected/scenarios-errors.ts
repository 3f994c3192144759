/** Rows 18-29, 103-106, 111 and 129-131: ends, BPMN errors, and jobs that report them. */
import {
  broadcast,
  complete,
  completeJob,
  ENDED,
  failJob,
  fireTimer,
  row,
  type Scenario,
  start,
  step,
  times,
} from './scenario.ts';

const END = 'camunda-bpm-platform/bpmn/event/end';
const ERROR = 'camunda-bpm-platform/bpmn/event/error';
const JOB = 'camunda-bpm-platform/api/externaltask';
const FLOWABLE = 'flowable-engine/bpmn/event';

export const errorScenarios: readonly Scenario[] = [
  row(
    18,
    `${END}/SignalEndEventTest.testCatchSignalEndEventInEmbeddedSubprocess.bpmn20.xml`,
    step(1, start(), { active: ['subprocessTask', 'catchSignal'] }),
    step(2, complete('subprocessTask'), { active: ['taskAfterSignalCatch'] }),
    step(3, complete('taskAfterSignalCatch'), ENDED),
  ),
  row(
    19,
    `${END}/TerminateEndEventTest.testProcessTerminate.bpmn`,
    step(1, start(), { active: ['preTerminateTask', 'preNormalTerminateTask'] }),
    step(2, complete('preTerminateTask'), { ...ENDED, interrupted: ['preNormalTerminateTask'] }),
  ),
  row(
    20,
    `${END}/TerminateEndEventTest.testTerminateWithSubProcess.bpmn`,
    step(1, start(), {
      active: ['preTerminateEnd', 'preNormalEnd'],
      inside: { preNormalEnd: ['SubProcess_1'] },
    }),
    step(2, complete('preTerminateEnd'), { ...ENDED, interrupted: ['SubProcess_1', 'preNormalEnd'] }),
  ),
  row(
    21,
    `${END}/TerminateEndEventTest.testTerminateInSubProcess.bpmn`,
    step(1, start(), { active: ['preNormalEnd'], entered: { EndEvent_1: 1, EndEvent_3: 1 } }),
    step(2, complete('preNormalEnd'), ENDED),
  ),
  row(
    22,
    `${END}/TerminateEndEventTest.testTerminateInSubProcessMultiInstance.bpmn`,
    step(1, start(), { active: ['preNormalEnd'], entered: { EndEvent_1: 5, EndEvent_3: 1 } }),
    step(2, complete('preNormalEnd'), ENDED),
  ),
  row(
    23,
    `${ERROR}/BoundaryErrorEventTest.testCatchErrorOnEmbeddedSubprocess.bpmn20.xml`,
    step(1, start(), { active: ['subprocessTask'] }),
    step(2, complete('subprocessTask'), { active: ['taskAfterErrorCatch'] }),
  ),
  row(
    24,
    `${ERROR}/BoundaryErrorEventTest.testCatchErrorOfInnerSubprocessOnOuterSubprocess.bpmn20.xml`,
    step(1, start(), { active: ['innerTask1', 'innerTask2'] }),
    step(2, complete('innerTask2'), { active: ['taskAfterErrorCatch'], interrupted: ['innerTask1'] }),
  ),
  row(
    25,
    `${ERROR}/BoundaryErrorEventTest.testCatchErrorOnParallelMultiInstance.bpmn20.xml`,
    step(1, start(), { active: Array.from({ length: 5 }, () => 'subProcessTask') }),
    step(2, times(2, complete('subProcessTask', { throwError: false })), {
      active: ['subProcessTask', 'subProcessTask', 'subProcessTask'],
    }),
    step(3, complete('subProcessTask', { throwError: true }), ENDED),
  ),
  row(
    26,
    `${ERROR}/reviewSalesLead.bpmn20.xml`,
    // The groups of the review tasks are that engine's own setting. It writes who starts the instance into the
    // variable that the start event names.
    step(1, start({ initiator: 'U', details: 'very interesting', customerName: 'Alfresco' }), {
      active: ['provideNewSalesLead'],
      assigned: { provideNewSalesLead: ['U'] },
    }),
    step(2, complete('provideNewSalesLead'), { active: ['reviewCustomerRating', 'reviewProfitability'] }),
    step(3, complete('reviewProfitability', { notEnoughInformation: true }), {
      active: ['provideAdditionalDetails'],
      assigned: { provideAdditionalDetails: ['U'] },
    }),
    step(4, complete('provideAdditionalDetails'), {
      active: ['reviewCustomerRating', 'reviewProfitability'],
    }),
    step(
      5,
      [complete('reviewCustomerRating'), complete('reviewProfitability', { notEnoughInformation: false })],
      ENDED,
    ),
  ),
  row(
    27,
    `${ERROR}/BoundaryErrorEventTest.testDeeplyNestedErrorThrown.bpmn20.xml`,
    step(1, start(), { active: ['taskInSubprocess'], inside: { taskInSubprocess: ['subprocess5'] } }),
    step(2, complete('taskInSubprocess', { input: 1 }), { ...ENDED, entered: { subprocess2Catch: 1 } }),
    step(3, start(), { active: ['taskInSubprocess'] }),
    step(4, complete('taskInSubprocess', { input: 2 }), { active: ['taskAfterCatch'] }),
    step(5, complete('taskAfterCatch'), ENDED),
  ),
  row(
    28,
    `${ERROR}/ErrorEventSubProcessTest.testThrownAnErrorInEventSubprocessInSubprocess.bpmn20.xml`,
    step(1, start(), { active: ['UserTask_inside'], timers: 1 }),
    step(2, fireTimer, { active: ['UserTask_afterCatch'], timers: 0 }),
  ),
  row(
    29,
    `${ERROR}/UnhandledBpmnErrorTest.testUnhandledErrorInEmbeddedSubprocess.bpmn20.xml`,
    step(1, start(), { active: ['subprocessTask'] }),
    step(2, complete('subprocessTask'), { refused: 'SUTRA.BPMN_ERROR.UNCAUGHT', active: ['subprocessTask'] }),
  ),
  row(
    103,
    `${FLOWABLE}/end/TerminateEndEventTest.testProcessTerminateAll.bpmn20.xml`,
    step(1, start(), { active: ['preTerminateTask', 'preNormalTerminateTask'] }),
    step(2, complete('preTerminateTask'), { ...ENDED, interrupted: ['preNormalTerminateTask'] }),
  ),
  row(
    104,
    `${FLOWABLE}/end/TerminateEndEventTest.testTerminateInSubProcessTerminateAll.bpmn20.xml`,
    step(1, start(), ENDED),
  ),
  row(
    105,
    `${FLOWABLE}/end/TerminateEndEventTest.testTerminateInEventSubProcess.bpmn20.xml`,
    step(1, start(), { active: ['task'] }),
    step(2, broadcast('signal'), ENDED),
  ),
  row(
    106,
    `${FLOWABLE}/end/TerminateEndEventTest.testTerminateParallelGateway.bpmn`,
    step(1, start(), ENDED),
  ),
  row(
    111,
    `${FLOWABLE}/error/ErrorEventSubProcessTest.testRetriggerEventSubProcessError.bpmn`,
    step(1, start(), { active: ['taskAfterBoundary'], entered: { eventSubProcessStart: 1 } }),
  ),
  row(
    129,
    `${JOB}/twoExternalTaskProcess.bpmn20.xml`,
    step(1, start(), { jobs: 1 }),
    step(2, failJob('externalTask', 'ERROR-OCCURED'), { jobs: 0, active: ['afterBpmnError'] }),
  ),
  row(
    130,
    `${JOB}/ExternalTaskServiceTest.externalTaskWithNestedErrorEventDefinition.bpmn20.xml`,
    step(1, start(), { jobs: 1 }),
    step(2, completeJob('Activity_0vvwq4z'), { jobs: 0, active: ['Activity_01dmeca'] }),
  ),
  row(
    131,
    `${JOB}/oneExternalTaskProcess.bpmn20.xml`,
    step(1, start(), { jobs: 1 }),
    step(2, failJob('externalTask', 'ERROR-OCCURED'), { ...ENDED, jobs: 0 }),
  ),
];
