/** Rows 30-40 and 110: escalations and links. */
import { complete, ENDED, row, type Scenario, start, step, trigger } from './scenario.ts';

const EVENT = 'camunda-bpm-platform/bpmn/event/escalation/EscalationEventTest';
const SUB_PROCESS = 'camunda-bpm-platform/bpmn/event/escalation/EscalationEventSubprocessTest';

const CAUGHT = 'taskAfterCatchedEscalation';
const CAUGHT_INSIDE = 'taskAfterCatchedEscalationInsideSubprocess';

export const escalationScenarios: readonly Scenario[] = [
  row(
    30,
    `${EVENT}.testThrowEscalationEventFromEmbeddedSubprocess.bpmn20.xml`,
    step(1, start(), { active: ['taskInSubprocess', CAUGHT] }),
  ),
  row(
    31,
    `${EVENT}.testThrowEscalationEventHierarchical.bpmn20.xml`,
    step(1, start(), {
      active: ['taskInSubprocess', CAUGHT_INSIDE],
      entered: { escalationBoundaryEvent: 0, escalationBoundaryEventInsideSubprocess: 1 },
    }),
  ),
  row(32, `${EVENT}.throwEscalationEvent.bpmn20.xml`, step(1, start(), { active: ['task'] })),
  row(
    33,
    `${EVENT}.testInterruptingEscalationBoundaryEventOnMultiInstanceSubprocess.bpmn20.xml`,
    step(1, start(), { active: [CAUGHT] }),
  ),
  row(
    34,
    `${EVENT}.testNonInterruptingEscalationBoundaryEventOnMultiInstanceSubprocess.bpmn20.xml`,
    step(1, start(), { active: Array.from({ length: 5 }, () => ['taskInSubprocess', CAUGHT]).flat() }),
  ),
  row(35, `${EVENT}.testEscalationEndEvent.bpmn20.xml`, step(1, start(), { active: [CAUGHT] })),
  row(
    36,
    `${SUB_PROCESS}.testPreferEscalationEventSubprocessToBoundaryEvent.bpmn20.xml`,
    step(1, start(), {
      active: ['taskInSubprocess', CAUGHT_INSIDE],
      entered: { escalationBoundaryEvent: 0 },
    }),
  ),
  row(
    37,
    `${SUB_PROCESS}.testReThrowEscalationEventToBoundaryEvent.bpmn20.xml`,
    step(1, start(), { active: ['taskInSubprocess', CAUGHT_INSIDE] }),
    step(2, complete(CAUGHT_INSIDE), { active: ['taskInSubprocess', CAUGHT] }),
  ),
  row(
    38,
    `${SUB_PROCESS}.testInterruptionEscalationEventSubprocess.bpmn20.xml`,
    step(1, start(), { active: [CAUGHT], entered: { taskInSubprocess: 0 } }),
  ),
  row(
    39,
    `${SUB_PROCESS}.testCatchEscalationEventFromEmbeddedSubprocess.bpmn20.xml`,
    step(1, start(), { active: ['taskInSubprocess', CAUGHT] }),
  ),
  row(
    40,
    'camunda-bpm-platform/bpmn/event/link/LinkEventTest.testValidEventLink.bpmn20.xml',
    step(1, start(), { active: ['waitAfterLink1'] }),
    step(2, trigger('waitAfterLink1'), { active: ['waitAfterLink2'] }),
    step(3, trigger('waitAfterLink2'), ENDED),
  ),
  row(
    110,
    'flowable-engine/bpmn/event/escalation/BoundaryEscalationEventTest.testCatchEscalationOnEmbeddedSubprocess.bpmn20.xml',
    step(1, start(), { active: ['subprocessTask'] }),
    step(2, complete('subprocessTask'), { active: ['taskAfterEscalationCatch'] }),
  ),
];
