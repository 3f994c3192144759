/** Rows 68-78, 86-88 and 117-119: gateways and sequence flows. */
import { complete, ENDED, row, type Scenario, send, start, step, trigger } from './scenario.ts';

const GATEWAY = 'camunda-bpm-platform/bpmn/gateway';
const FLOW = 'camunda-bpm-platform/bpmn/sequenceflow';
const FLOWABLE = 'flowable-engine/bpmn/gateway';

const NO_FLOW = 'SUTRA.CORE.NO_FLOW_TAKEN';

const forkScenarios: readonly Scenario[] = [
  row(
    68,
    `${GATEWAY}/ExclusiveGatewayTest.testDivergingExclusiveGateway.bpmn20.xml`,
    step(1, start({ input: 1 }), { active: ['theTask1'] }),
    step(1, start({ input: 2 }), { active: ['theTask2'] }),
    step(1, start({ input: 3 }), { active: ['theTask3'] }),
  ),
  row(
    69,
    `${GATEWAY}/ExclusiveGatewayTest.testDefaultSequenceFlow.bpmn20.xml`,
    step(1, start({ input: 1 }), { active: ['theTask1'] }),
    step(2, start({ input: 5 }), { active: ['theTask2'] }),
  ),
  row(
    70,
    `${GATEWAY}/ExclusiveGatewayTest.testNoSequenceFlowSelected.bpmn20.xml`,
    step(1, start({ input: 4 }), { failed: { code: NO_FLOW, at: 'exclusiveGw' }, active: [] }),
  ),
  row(
    71,
    `${GATEWAY}/InclusiveGatewayTest.testDivergingInclusiveGateway.bpmn20.xml`,
    step(1, start({ input: 1 }), { active: ['theTask1', 'theTask2', 'theTask3'] }),
    step(2, start({ input: 2 }), { active: ['theTask2', 'theTask3'] }),
    step(3, start({ input: 3 }), { active: ['theTask3'] }),
  ),
  row(
    86,
    `${FLOW}/ConditionalSequenceFlowTest.testUelExpression.bpmn20.xml`,
    step(1, start({ input: 'right' }), { active: ['task2'] }),
  ),
  row(
    87,
    `${FLOW}/DefaultSequenceFlowTest.testDefaultSequenceFlowOnTask.bpmn20.xml`,
    step(1, start({ input: 2 }), { active: ['task2'] }),
    step(2, start({ input: 3 }), { active: ['task3'] }),
    step(3, start({ input: 123 }), { active: ['task1'] }),
  ),
  row(
    88,
    `${FLOW}/SequenceFlowTest.testTakeAllOutgoingFlowsFromNonScopeTask.bpmn20.xml`,
    step(1, start(), { active: ['task1'] }),
    step(2, complete('task1'), { active: ['task2', 'task3'] }),
    step(3, [complete('task2'), complete('task3')], ENDED),
  ),
  row(
    119,
    `${FLOWABLE}/ExclusiveGatewayTest.testExclusiveDirectlyToEnd.bpmn20.xml`,
    step(1, start({ input: 1 }), { ...ENDED, entered: { endevent1: 1, endevent2: 0 } }),
  ),
];

const joinScenarios: readonly Scenario[] = [
  row(
    72,
    `${GATEWAY}/InclusiveGatewayTest.testPartialMergingInclusiveGateway.bpmn20.xml`,
    step(1, start({ input: 2 }), { active: ['partialTask'], joining: ['fullInclusiveGw'] }),
    step(2, complete('partialTask'), { active: ['theTask'], joining: [] }),
  ),
  row(
    73,
    `${GATEWAY}/InclusiveGatewayTest.testSplitMergeSplit.bpmn20.xml`,
    step(1, start({ input: 1 }), { active: ['theTask1', 'theTask2'] }),
    step(2, [complete('theTask1'), complete('theTask2')], { active: ['theTask3'] }),
  ),
  row(
    74,
    `${GATEWAY}/InclusiveGatewayTest.testLoop.bpmn20.xml`,
    step(1, start({ counter: 1 }), {
      active: ['C'],
      joining: ['inclusiveJoin2'],
      entered: { A: 5, B: 1 },
    }),
    step(2, complete('C'), ENDED),
  ),
  row(
    75,
    `${GATEWAY}/InclusiveGatewayTest.testJoinAfterSubprocesses.bpmn20.xml`,
    step(1, start({ a: 1, b: 1 }), { active: ['usertask1', 'usertask2'] }),
    step(2, complete('usertask1'), { active: ['usertask2'] }),
    step(3, complete('usertask2'), { active: ['usertask3'] }),
    step(4, complete('usertask3'), ENDED),
    step(5, start({ a: 1, b: 2 }), { active: ['usertask1'] }),
    step(6, complete('usertask1'), { active: ['usertask3'] }),
    step(7, complete('usertask3'), ENDED),
    step(8, start({ a: 2, b: 2 }), { failed: { code: NO_FLOW, at: 'inclusivegateway1' }, active: [] }),
  ),
  row(
    76,
    `${GATEWAY}/InclusiveGatewayTest.testParentActivationOnNonJoiningEnd.bpmn20.xml`,
    step(1, start(), { active: ['first_check', 'first_check_2'] }),
    step(2, [complete('first_check'), complete('first_check_2')], {
      active: ['second_check', 'second_check_2'],
    }),
    step(3, complete('second_check'), { active: ['second_check_2'] }),
    step(4, complete('second_check_2'), { ...ENDED, instances: 0 }),
  ),
  row(
    77,
    `${GATEWAY}/ParallelGatewayTest.testNestedForkJoin.bpmn20.xml`,
    step(1, start(), { tasks: ['Task_0'] }),
    step(2, complete('Task_0'), { tasks: ['Task_A', 'Task_B'] }),
    step(3, complete('Task_A'), { tasks: ['Task_B'] }),
    step(4, complete('Task_B'), { tasks: ['Task_B1', 'Task_B2'] }),
    step(5, [complete('Task_B1'), complete('Task_B2')], { tasks: ['Task_C'] }),
  ),
  row(78, `${GATEWAY}/ParallelGatewayTest.testCompletingJoin.bpmn`, step(1, start(), ENDED)),
  row(
    117,
    `${FLOWABLE}/InclusiveGatewayTest.testInclusiveGatewayInEventSubProcess.bpmn20.xml`,
    step(1, start({ test: true, test2: true }), { tasks: ['sid-902CFFB5-41A3-42C0-8FDB-01989321FC28'] }),
    step(2, send('test'), {
      tasks: [
        'sid-902CFFB5-41A3-42C0-8FDB-01989321FC28',
        'sid-731EFDCD-442B-4150-B180-5428D7302FC3',
        'sid-E8BE4027-1EAE-4ABF-8A66-F007B72AB3DB',
      ],
    }),
  ),
  row(
    118,
    `${FLOWABLE}/InclusiveGatewayTest.testJoinAfterParallelGateway.bpmn20.xml`,
    step(1, start(), { active: ['usertask1', 'receiveTask1'] }),
    step(2, complete('usertask1'), { active: ['receiveTask1'] }),
    step(3, trigger('receiveTask1'), { active: ['receiveTask1'] }),
  ),
];

export const gatewayScenarios: readonly Scenario[] = [...forkScenarios, ...joinScenarios];
