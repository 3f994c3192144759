/** Rows 79-84 and 120-124: multi-instance activities. */
import { complete, ENDED, fireTimer, row, type Scenario, start, step, times, trigger } from './scenario.ts';

const MULTI = 'camunda-bpm-platform/bpmn/multiinstance/MultiInstanceTest';
const FLOWABLE = 'flowable-engine/bpmn/multiinstance/MultiInstanceTest';

const NAMES = ['kermit', 'gonzo', 'fozzie', 'bubba', 'mispiggy'];
const BOTH = ['subProcessTask1', 'subProcessTask2'];

function repeated(count: number, ...ids: readonly string[]): readonly string[] {
  return Array.from({ length: count }, () => ids).flat();
}

export const loopScenarios: readonly Scenario[] = [
  row(
    79,
    `${MULTI}.sequentialUserTasks.bpmn20.xml`,
    step(1, start({ nrOfLoops: 3 }), { active: ['miTasks'], assigned: { miTasks: ['kermit_0'] } }),
    step(2, complete('miTasks'), { active: ['miTasks'], assigned: { miTasks: ['kermit_1'] } }),
    step(3, complete('miTasks'), { active: ['miTasks'], assigned: { miTasks: ['kermit_2'] } }),
    step(4, complete('miTasks'), ENDED),
  ),
  row(
    80,
    `${MULTI}.testParallelUserTasksCompletionCondition.bpmn20.xml`,
    step(1, start(), { active: repeated(5, 'miTasks') }),
    step(2, complete('miTasks'), { active: repeated(4, 'miTasks') }),
    step(3, complete('miTasks'), { active: repeated(3, 'miTasks') }),
    step(4, complete('miTasks'), ENDED),
  ),
  row(
    81,
    `${MULTI}.testSequentialSubProcessWithTimer.bpmn20.xml`,
    step(1, start(), { active: BOTH, entered: { subProcessTask1: 1 } }),
    step(
      2,
      BOTH.map((task) => complete(task)),
      { active: BOTH, entered: { subProcessTask1: 2 } },
    ),
    step(3, fireTimer, { active: ['taskAfterTimer'] }),
    step(4, complete('taskAfterTimer'), ENDED),
  ),
  row(
    82,
    `${MULTI}.testNestedParallelUserTasks.bpmn20.xml`,
    step(1, start(), {
      active: repeated(4, 'miTasks'),
      inside: { miTasks: repeated(4, 'nesting3') },
      assigned: { miTasks: repeated(4, 'kermit') },
    }),
    step(2, times(4, complete('miTasks')), ENDED),
  ),
  row(
    83,
    `${MULTI}.testParallelUserTasksBasedOnCollection.bpmn20.xml`,
    step(1, start({ assigneeList: NAMES }), { active: repeated(5, 'miTasks'), assigned: { miTasks: NAMES } }),
    step(2, times(3, complete('miTasks')), ENDED),
  ),
  row(
    84,
    `${MULTI}.testNestedParallelSubProcess.bpmn20.xml`,
    step(1, start(), { active: repeated(4, ...BOTH) }),
    step(
      2,
      BOTH.flatMap((task) => times(4, complete(task))),
      ENDED,
    ),
  ),
  row(
    120,
    `${FLOWABLE}.testSequentialEmptyCollection.bpmn20.xml`,
    step(1, start({ collection: [] }), { ...ENDED, tasks: [] }),
  ),
  row(
    121,
    `${FLOWABLE}.testParallelAfterSequentialMultiInstance.bpmn20.xml`,
    step(1, start(), { ...ENDED, entered: { service1: 2, service2: 3 } }),
  ),
  row(
    122,
    `${FLOWABLE}.testMultiInstanceSequentialReceiveTask.bpmn20.xml`,
    step(1, start(), { active: ['theReceiveTask'] }),
    step(2, times(7, trigger('theReceiveTask')), { active: ['usertask1'] }),
    step(3, complete('usertask1'), ENDED),
  ),
  row(
    123,
    `${FLOWABLE}.sequentialUserTasks.bpmn20.xml`,
    step(1, start({ nrOfLoops: 10 }), { active: ['miTasks'] }),
    step(2, times(5, complete('miTasks')), ENDED),
  ),
  row(
    124,
    `${FLOWABLE}.testParallelSubProcessWithTimer.bpmn20.xml`,
    step(1, start(), { active: repeated(3, ...BOTH) }),
    step(
      2,
      BOTH.map((task) => complete(task)),
      { active: repeated(2, ...BOTH) },
    ),
    step(3, fireTimer, { active: ['taskAfterTimer'] }),
    step(4, complete('taskAfterTimer'), ENDED),
  ),
];
