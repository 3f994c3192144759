/** Rows 41-52, 85, 89 and 112: messages. */
import {
  complete,
  ENDED,
  row,
  type Scenario,
  send,
  sendToEach,
  signalInstance,
  start,
  startByMessage,
  step,
  times,
} from './scenario.ts';
import { NOT_STARTABLE_BY_ID } from './world.ts';

const MESSAGE = 'camunda-bpm-platform/bpmn/event/message';
const NOT_CORRELATED = 'SUTRA.INBOUND.NOT_CORRELATED';

const startAndBoundaryScenarios: readonly Scenario[] = [
  row(
    41,
    `${MESSAGE}/MessageBoundaryEventTest.testSingleBoundaryMessageEvent.bpmn20.xml`,
    step(1, start(), { active: ['task'], subscriptions: 1 }),
    step(2, send('messageName'), { active: ['taskAfterMessage'], interrupted: ['task'] }),
    step(3, complete('taskAfterMessage'), ENDED),
    step(4, start(), { active: ['task'] }),
    step(5, complete('task'), { active: ['taskAfterTask'], subscriptions: 0 }),
    step(6, complete('taskAfterTask'), ENDED),
  ),
  row(
    42,
    `${MESSAGE}/MessageBoundaryEventTest.testDoubleBoundaryMessageEvent.bpmn20.xml`,
    step(1, start(), { active: ['task'], subscriptions: 2 }),
    step(2, send('messageName_1'), { active: ['taskAfterMessage_1'] }),
    step(3, send('messageName_2'), { refused: NOT_CORRELATED, active: ['taskAfterMessage_1'] }),
    step(4, complete('taskAfterMessage_1'), ENDED),
    step(5, start(), { active: ['task'] }),
    step(6, complete('task'), { active: ['taskAfterTask'], subscriptions: 0 }),
    step(7, complete('taskAfterTask'), ENDED),
  ),
  row(
    43,
    `${MESSAGE}/MessageBoundaryEventTest.testBoundaryMessageEventConcurrent.bpmn20.xml`,
    step(1, start(), {
      active: ['task1', 'task2'],
      subscriptions: 2,
      listening: ['messageBoundary1', 'messageBoundary2'],
    }),
    step(2, send('task1Message'), { subscriptions: 1, listening: ['messageBoundary2'] }),
  ),
  row(
    49,
    `${MESSAGE}/MessageNonInterruptingBoundaryEventTest.testNonInterruptingWithUserTaskAndBoundaryEvent.bpmn20.xml`,
    step(1, start(), { active: ['innerTask'] }),
    step(2, send('firstMessage'), { active: ['innerTask', 'task1'] }),
    step(3, complete('innerTask'), { active: ['task1', 'task2'], subscriptions: 0 }),
    step(4, [complete('task1'), complete('task2')], ENDED),
  ),
  row(
    50,
    `${MESSAGE}/MessageNonInterruptingBoundaryEventTest.testNonInterruptingEventInCombinationWithReceiveTask.bpmn20.xml`,
    step(1, start(), { active: ['receiveTask'] }),
    step(2, send('firstMessage'), { tasks: ['task1'], active: ['receiveTask', 'task1'] }),
    step(3, send('secondMessage'), { active: ['task1', 'task2'], subscriptions: 0 }),
    step(4, [complete('task1'), complete('task2')], ENDED),
  ),
  row(
    51,
    `${MESSAGE}/MessageStartEventTest.testMultipleMessageStartEvents.bpmn20.xml`,
    step(1, startByMessage('newInvoiceMessage'), { active: ['taskAfterMessageStart'] }),
    step(2, complete('taskAfterMessageStart'), ENDED),
    step(3, startByMessage('newInvoiceMessage2'), { active: ['taskAfterMessageStart2'] }),
    step(4, complete('taskAfterMessageStart2'), ENDED),
    step(5, start(), { ...ENDED, refused: NOT_STARTABLE_BY_ID, instances: 0 }),
  ),
  row(
    52,
    `${MESSAGE}/MessageStartEventTest.testMessageStartEventAndNoneStartEvent.bpmn20.xml`,
    step(1, start(), { active: ['taskAfterNoneStart'] }),
    step(2, complete('taskAfterNoneStart'), ENDED),
    step(3, startByMessage('newInvoiceMessage'), { active: ['taskAfterMessageStart'] }),
    step(4, complete('taskAfterMessageStart'), ENDED),
  ),
  row(
    85,
    'camunda-bpm-platform/bpmn/receivetask/ReceiveTaskTest.multiParallelReceiveTaskBoundary.bpmn20.xml',
    step(1, start(), { subscriptions: 3, listening: ['waitState', 'waitState', 'cancel'] }),
    step(2, sendToEach('newInvoiceMessage'), { ...ENDED, subscriptions: 0 }),
  ),
];

const eventSubProcessScenarios: readonly Scenario[] = [
  row(
    44,
    `${MESSAGE}/MessageEventSubprocessTest.testNonInterruptingUnderProcessDefinition.bpmn20.xml`,
    step(1, start(), { active: ['task'], subscriptions: 1 }),
    step(2, complete('task'), { ...ENDED, subscriptions: 0 }),
    step(3, [start(), send('newMessage')], { active: ['task', 'eventSubProcessTask'] }),
    step(4, complete('task'), { active: ['eventSubProcessTask'] }),
    step(5, complete('eventSubProcessTask'), ENDED),
    step(6, [start(), send('newMessage')], { active: ['task', 'eventSubProcessTask'] }),
    step(7, complete('eventSubProcessTask'), { active: ['task'] }),
    step(8, complete('task'), ENDED),
  ),
  row(
    45,
    `${MESSAGE}/MessageEventSubprocessTest.testMultipleNonInterruptingInEmbeddedSubprocess.bpmn20.xml`,
    step(1, start(), { active: ['subProcessTask'], subscriptions: 1 }),
    step(2, send('newMessage'), { active: ['subProcessTask', 'eventSubProcessTask'] }),
    step(3, send('newMessage'), { active: ['subProcessTask', 'eventSubProcessTask', 'eventSubProcessTask'] }),
    step(4, complete('subProcessTask'), ENDED),
  ),
  row(
    46,
    `${MESSAGE}/MessageEventSubprocessTest.testNonInterruptingInMultiParallelEmbeddedSubprocess.bpmn20.xml`,
    step(1, start(), { active: ['subUserTask', 'subUserTask'], subscriptions: 2 }),
    step(2, times(2, complete('subUserTask')), { active: ['userTask'], subscriptions: 0 }),
    step(3, complete('userTask'), ENDED),
    step(4, start(), { active: ['subUserTask', 'subUserTask'], subscriptions: 2 }),
    step(5, sendToEach('message'), {
      active: ['subUserTask', 'subUserTask', 'messageUserTask', 'messageUserTask'],
      subscriptions: 2,
    }),
    step(6, times(2, complete('messageUserTask')), { active: ['subUserTask', 'subUserTask'] }),
    step(7, complete('subUserTask'), { active: ['subUserTask'], subscriptions: 1 }),
    step(8, send('message'), { active: ['subUserTask', 'messageUserTask'] }),
    step(9, [complete('subUserTask'), complete('messageUserTask')], {
      active: ['userTask'],
      subscriptions: 0,
    }),
    step(10, complete('userTask'), ENDED),
  ),
  row(
    47,
    `${MESSAGE}/MessageEventSubprocessTest.testNonInterruptingWithTerminatingEndEvent.bpmn20.xml`,
    step(1, start(), { active: ['UserTask_1'] }),
    step(2, send('message'), { active: ['UserTask_1', 'UserTask_2'] }),
    step(3, complete('UserTask_2'), { active: ['UserTask_1'], inside: { UserTask_1: ['SubProcess_1'] } }),
  ),
  row(
    48,
    `${MESSAGE}/MessageIntermediateEventTest.testConcurrentIntermediateMessageEvent.bpmn20.xml`,
    step(1, start(), { active: ['messageCatch1', 'messageCatch2'] }),
    step(2, send('newInvoiceMessage'), { active: ['messageCatch2'], tasks: [] }),
    step(3, send('newInvoiceMessage'), { active: ['task'] }),
  ),
  row(
    89,
    'camunda-bpm-platform/bpmn/subprocess/InterruptingEventSubProcessTest.testCancelEventSubscriptions.bpmn',
    step(1, start(), { active: ['taskBeforeInterruptingEventSuprocess'], subscriptions: 2 }),
    step(2, send('newMessage'), { active: ['taskAfterMessageStartEvent'], subscriptions: 0 }),
    step(3, signalInstance('newSignal'), {
      refused: 'SUTRA.CORE.SIGNAL_UNHEARD',
      active: ['taskAfterMessageStartEvent'],
    }),
    step(4, complete('taskAfterMessageStartEvent'), ENDED),
  ),
  row(
    112,
    'flowable-engine/bpmn/event/message/MessageEventSubprocessTest.testNonInterruptingMultipleInstances.bpmn20.xml',
    step(1, start(), { active: ['task'], subscriptions: 1 }),
    step(2, send('newMessage'), { active: ['task', 'eventSubProcessTask'], subscriptions: 1 }),
    step(3, send('newMessage'), {
      active: ['task', 'eventSubProcessTask', 'eventSubProcessTask'],
      subscriptions: 1,
    }),
    step(4, complete('task'), { active: ['eventSubProcessTask', 'eventSubProcessTask'], subscriptions: 0 }),
    step(5, complete('eventSubProcessTask'), { active: ['eventSubProcessTask'] }),
    step(6, complete('eventSubProcessTask'), ENDED),
  ),
];

export const messageScenarios: readonly Scenario[] = [
  ...startAndBoundaryScenarios,
  ...eventSubProcessScenarios,
];
