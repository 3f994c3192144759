/** Refusals of where scopes begin, of sub-processes, and of compensation. `▮` marks where each finding must point. */
import { definitions, extensions, processWith } from './marked-file.ts';
import type { RefusalRow } from './refusal-row.ts';

const TIMER = '<timerEventDefinition><timeDuration>PT1S</timeDuration></timerEventDefinition>';
const source = extensions('<q:source channel="in"/>');

type Code = RefusalRow['codes'][number];

function row(title: string, text: string, ...codes: readonly Code[]): RefusalRow {
  return { title, text, codes };
}

const process = (inside: string): string => definitions(`<process id="p">${inside}</process>`);

const starts: readonly RefusalRow[] = [
  row(
    'an empty process is refused',
    process('').replace('<process', '▮<process'),
    'SUTRA.BPMN.START_MISSING',
  ),
  row(
    'a process that is one circle is refused',
    process(
      '<task id="a"/><task id="b"/><sequenceFlow id="f" sourceRef="a" targetRef="b"/><sequenceFlow id="g" sourceRef="b" targetRef="a"/>',
    ).replace('<process', '▮<process'),
    'SUTRA.BPMN.START_MISSING',
  ),
  row(
    'a process that only an event sub-process could begin is refused',
    process(
      `<subProcess id="v" triggeredByEvent="true"><startEvent id="vs">${TIMER}</startEvent></subProcess>`,
    ).replace('<process', '▮<process'),
    'SUTRA.BPMN.START_MISSING',
  ),
  row(
    'several start events that wait for nothing are refused',
    process(
      `<startEvent id="a"/>▮<startEvent id="b"/>▮<startEvent id="c"/><startEvent id="d">${TIMER}</startEvent>`,
    ),
    'SUTRA.BPMN.START_AMBIGUOUS',
    'SUTRA.BPMN.START_AMBIGUOUS',
  ),
  ...['subProcess', 'transaction'].flatMap((kind) => [
    row(
      `an empty ${kind} is refused`,
      processWith(`▮<${kind} id="n"/>`),
      'SUTRA.BPMN.SUB_PROCESS_START_INVALID',
    ),
    row(
      `a ${kind} with two start events is refused`,
      processWith(`<${kind} id="n">▮<startEvent id="a"/><startEvent id="b"/></${kind}>`),
      'SUTRA.BPMN.SUB_PROCESS_START_INVALID',
    ),
    row(
      `a ${kind} with a start event that waits is refused`,
      processWith(
        `<${kind} id="n">▮<startEvent id="a">${source}<messageEventDefinition/></startEvent></${kind}>`,
      ),
      'SUTRA.BPMN.SUB_PROCESS_START_INVALID',
    ),
  ]),
];

/** An event sub-process `v` beside the task `n`. */
const triggered = (attributes: string, inside: string, beside = ''): string =>
  processWith(
    `<task id="n"/><subProcess id="v" triggeredByEvent="true" ${attributes}>${inside}</subProcess>${beside}`,
  );
const waiting = `<startEvent id="vs">${TIMER}</startEvent>`;

const eventSubProcesses: readonly RefusalRow[] = [
  row(
    'an event sub-process without a start event is refused',
    triggered('', '<task id="t"/>').replace('<subProcess', '▮<subProcess'),
    'SUTRA.BPMN.EVENT_SUB_PROCESS_START_INVALID',
  ),
  row(
    'an event sub-process with a start event that waits for nothing is refused',
    triggered('', '▮<startEvent id="vs"/>'),
    'SUTRA.BPMN.EVENT_SUB_PROCESS_START_INVALID',
  ),
  row(
    'an event sub-process with two start events is refused',
    triggered('', `▮${waiting}<startEvent id="vs2">${TIMER}</startEvent>`),
    'SUTRA.BPMN.EVENT_SUB_PROCESS_START_INVALID',
  ),
  ...(
    [
      ['a flow', '', waiting, '<sequenceFlow id="g" sourceRef="n" targetRef="v"/>'],
      ['a boundary event', '', waiting, `<boundaryEvent id="b" attachedToRef="v">${TIMER}</boundaryEvent>`],
      ['a loop', '', `<standardLoopCharacteristics loopMaximum="2"/>${waiting}`, ''],
      ['a mark for compensation', 'isForCompensation="true"', waiting, ''],
    ] as const
  ).map(([title, attributes, inside, beside]) =>
    row(
      `${title} on an event sub-process is refused`,
      triggered(attributes, inside, beside).replace('<subProcess', '▮<subProcess'),
      'SUTRA.BPMN.EVENT_SUB_PROCESS_JOINED',
    ),
  ),
  ...['transaction', 'adHocSubProcess'].map((kind) =>
    row(
      `a ${kind} that is triggered by an event is refused`,
      processWith(`<${kind} id="n" ▮triggeredByEvent="true"><task id="t"/></${kind}>`),
      'SUTRA.BPMN.EVENT_SUB_PROCESS_NOT_EXECUTED',
    ),
  ),
  row(
    'triggeredByEvent that is no boolean is refused',
    processWith('<subProcess id="n" ▮triggeredByEvent="yes"><task id="t"/></subProcess>'),
    'SUTRA.BPMN.VALUE_INVALID',
  ),
];

const adHoc: readonly RefusalRow[] = [
  row(
    'start and end events in an ad hoc sub-process are refused',
    processWith(
      '<adHocSubProcess id="n">▮<startEvent id="a"/><task id="b"/>▮<endEvent id="c"/><sequenceFlow id="g" sourceRef="b" targetRef="c"/></adHocSubProcess>',
    ),
    'SUTRA.BPMN.AD_HOC_CONTENT_INVALID',
    'SUTRA.BPMN.AD_HOC_CONTENT_INVALID',
  ),
  row(
    'an ad hoc sub-process with nothing to launch is refused',
    processWith(
      `▮<adHocSubProcess id="n"><intermediateCatchEvent id="a">${TIMER}</intermediateCatchEvent></adHocSubProcess>`,
    ),
    'SUTRA.BPMN.AD_HOC_CONTENT_INVALID',
  ),
  row(
    'an ordering that does not exist, and what is no boolean, are refused',
    processWith(
      '<adHocSubProcess id="n" ▮ordering="parallel" ▮cancelRemainingInstances="no"><task id="t"/></adHocSubProcess>',
    ),
    'SUTRA.BPMN.VALUE_INVALID',
    'SUTRA.BPMN.VALUE_INVALID',
  ),
  row(
    'a second completion condition is refused',
    processWith(
      '<adHocSubProcess id="n"><task id="t"/><completionCondition>a</completionCondition>▮<completionCondition>b</completionCondition></adHocSubProcess>',
    ),
    'SUTRA.BPMN.ELEMENT_REPEATED',
  ),
];

const CANCEL_END = '<endEvent id="e"><cancelEventDefinition/></endEvent>';
const CANCEL_BOUNDARY = '<cancelEventDefinition/></boundaryEvent>';

const transactions: readonly RefusalRow[] = [
  row(
    'another method of a transaction is refused',
    processWith('<transaction id="n" ▮method="##Store"><task id="t"/></transaction>'),
    'SUTRA.BPMN.ATTRIBUTE_NOT_EXECUTED',
  ),
  row(
    'a cancel end event outside a transaction is refused, one scope deeper too',
    processWith(
      `<transaction id="n"><subProcess id="u">▮${CANCEL_END}</subProcess></transaction><boundaryEvent id="b" attachedToRef="n">${CANCEL_BOUNDARY}`,
    ),
    'SUTRA.BPMN.CANCEL_MISPLACED',
  ),
  row(
    'a cancel boundary event on anything but a transaction is refused',
    processWith(
      `<subProcess id="n"><task id="t"/></subProcess><boundaryEvent id="b" attachedToRef="n">▮${CANCEL_BOUNDARY}`,
    ),
    'SUTRA.BPMN.CANCEL_MISPLACED',
  ),
  row(
    'a cancel end event that nothing catches is refused',
    processWith(`<transaction id="n">▮${CANCEL_END}</transaction>`),
    'SUTRA.BPMN.CANCEL_UNCAUGHT',
  ),
];

const COMPENSATE = '<compensateEventDefinition/></boundaryEvent>';
const HANDLED = `<task id="n"/><boundaryEvent id="b" attachedToRef="n">${COMPENSATE}`;
const association = (id: string, from: string, to: string): string =>
  `<association id="${id}" sourceRef="${from}" targetRef="${to}"/>`;
/** `n`, undone by `u`. */
const undone = (beside = ''): string =>
  `${HANDLED}<task id="u" isForCompensation="true"/>${association('a', 'b', 'u')}${beside}`;

const handlers: readonly RefusalRow[] = [
  row(
    'a compensation boundary event without an activity is refused',
    processWith(
      `${HANDLED}<textAnnotation id="t"><text>x</text></textAnnotation>${association('a', 'b', 't')}`,
    ).replace('<boundary', '▮<boundary'),
    'SUTRA.BPMN.COMPENSATION_HANDLER_MISSING',
  ),
  row(
    'a compensation boundary event with two activities is refused',
    processWith(undone(`<task id="w" isForCompensation="true"/>${association('a2', 'b', 'w')}`)).replace(
      '<boundary',
      '▮<boundary',
    ),
    'SUTRA.BPMN.COMPENSATION_HANDLER_INVALID',
  ),
  row(
    'an association to an activity that is not for compensation is refused',
    processWith(
      `${HANDLED}<sequenceFlow id="g" sourceRef="n" targetRef="u"/><task id="u"/>${association('a', 'b', 'u')}`,
    ).replace('<boundary', '▮<boundary'),
    'SUTRA.BPMN.COMPENSATION_HANDLER_INVALID',
  ),
  row(
    'an association to an activity of another scope is refused',
    processWith(
      `<task id="x"/><subProcess id="n"><task id="t"/>▮<boundaryEvent id="b" attachedToRef="t">${COMPENSATE}</subProcess>
      <task id="u" isForCompensation="true"/>${association('a', 'b', 'u')}<sequenceFlow id="g" sourceRef="n" targetRef="x"/>`,
    ),
    'SUTRA.BPMN.COMPENSATION_HANDLER_INVALID',
  ),
  row(
    'flows and boundary events on an activity for compensation are refused',
    processWith(
      `${undone().replace('<task id="u"', '▮<task id="u"')}<sequenceFlow id="g" sourceRef="n" targetRef="u"/>
      <task id="m"/><sequenceFlow id="k" sourceRef="n" targetRef="m"/><boundaryEvent id="c" attachedToRef="m">${COMPENSATE}
      ▮<task id="w" isForCompensation="true"/>${association('a2', 'c', 'w')}<boundaryEvent id="d" attachedToRef="w">${TIMER}</boundaryEvent>`,
    ),
    'SUTRA.BPMN.COMPENSATION_FLOW_INVALID',
    'SUTRA.BPMN.COMPENSATION_FLOW_INVALID',
  ),
  row(
    'a flow that leaves a compensation boundary event is refused',
    processWith(undone('<endEvent id="x"/><sequenceFlow id="g" sourceRef="b" targetRef="x"/>')).replace(
      '<boundary',
      '▮<boundary',
    ),
    'SUTRA.BPMN.COMPENSATION_FLOW_INVALID',
  ),
  row(
    'a second compensation boundary event is refused',
    processWith(
      undone(`▮<boundaryEvent id="c" attachedToRef="n">${COMPENSATE}${association('a2', 'c', 'u')}`),
    ),
    'SUTRA.BPMN.CATCH_DUPLICATE',
  ),
  {
    title: 'an activity for compensation that nothing uses is a warning',
    text: processWith('<task id="n"/>▮<task id="u" isForCompensation="true"/>'),
    codes: ['SUTRA.BPMN.COMPENSATION_HANDLER_UNUSED'],
    severity: 'warning',
  },
];

const throws = (activityId: string, beside: string): string =>
  processWith(
    `${beside}<intermediateThrowEvent id="w"><compensateEventDefinition ▮activityRef="${activityId}"/></intermediateThrowEvent>
    <sequenceFlow id="gw" sourceRef="n" targetRef="w"/>`,
  );

const compensated: readonly RefusalRow[] = [
  ...(
    [
      ['that does not exist', 'no', '<task id="n"/>'],
      ['that is an event', 's', '<task id="n"/>'],
      ['that undoes', 'u', undone()],
      ['that nothing undoes', 'n', '<task id="n"/>'],
      [
        'of an inner scope',
        't',
        '<subProcess id="n"><subProcess id="t"><task id="x"/></subProcess></subProcess>',
      ],
    ] as const
  ).map(([title, id, beside]) =>
    row(
      `compensation of an activity ${title} is refused`,
      throws(id, beside),
      'SUTRA.BPMN.COMPENSATION_ACTIVITY_INVALID',
    ),
  ),
  row(
    'compensation of an activity around the scope of the event is refused',
    processWith(
      `<subProcess id="n"><endEvent id="t"><compensateEventDefinition ▮activityRef="n"/></endEvent></subProcess>`,
    ),
    'SUTRA.BPMN.COMPENSATION_ACTIVITY_INVALID',
  ),
  row(
    'an event that catches the compensation of another activity is refused',
    processWith(undone()).replace(
      '<compensateEventDefinition/>',
      '<compensateEventDefinition ▮activityRef="u"/>',
    ),
    'SUTRA.BPMN.COMPENSATION_ACTIVITY_INVALID',
  ),
];

const RECEIVE = `instantiate="true">${source}`;

const instantiating: readonly RefusalRow[] = [
  row(
    'a receive task that instantiates behind a flow is refused',
    processWith(`▮<receiveTask id="n" ${RECEIVE}</receiveTask>`),
    'SUTRA.BPMN.INSTANTIATE_INVALID',
  ),
  row(
    'an event-based gateway that instantiates behind a flow is refused',
    processWith(
      `▮<eventBasedGateway id="n" instantiate="true"/><receiveTask id="r">${source}</receiveTask><sequenceFlow id="g" sourceRef="n" targetRef="r"/>`,
    ),
    'SUTRA.BPMN.INSTANTIATE_INVALID',
  ),
  row(
    'a receive task that instantiates inside a sub-process is refused',
    processWith(
      `<subProcess id="n"><task id="t"/>▮<receiveTask id="r" ${RECEIVE}</receiveTask></subProcess>`,
    ),
    'SUTRA.BPMN.INSTANTIATE_INVALID',
  ),
  row(
    'a receive task that instantiates in a loop is refused',
    process(`▮<receiveTask id="r" ${RECEIVE}<standardLoopCharacteristics loopMaximum="2"/></receiveTask>`),
    'SUTRA.BPMN.INSTANTIATE_INVALID',
  ),
  row(
    'a receive task that instantiates as compensation is refused',
    processWith(
      `${HANDLED}▮<receiveTask id="u" isForCompensation="true" ${RECEIVE}</receiveTask>${association('a', 'b', 'u')}`,
    ),
    'SUTRA.BPMN.INSTANTIATE_INVALID',
  ),
  row(
    'a receive task that instantiates with a boundary event is refused',
    process(
      `▮<receiveTask id="r" ${RECEIVE}</receiveTask><boundaryEvent id="b" attachedToRef="r">${TIMER}</boundaryEvent>`,
    ),
    'SUTRA.BPMN.INSTANTIATE_INVALID',
  ),
  row(
    'a parallel event-based gateway that does not instantiate is refused',
    processWith(
      `▮<eventBasedGateway id="n" eventGatewayType="Parallel"/><receiveTask id="r">${source}</receiveTask><sequenceFlow id="g" sourceRef="n" targetRef="r"/>`,
    ),
    'SUTRA.BPMN.INSTANTIATE_INVALID',
  ),
  row(
    'instantiate that is no boolean, and a gateway type that does not exist, are refused',
    processWith(
      `<eventBasedGateway id="n" ▮instantiate="yes" ▮eventGatewayType="Inclusive"/><receiveTask id="r">${source}</receiveTask><sequenceFlow id="g" sourceRef="n" targetRef="r"/>`,
    ),
    'SUTRA.BPMN.VALUE_INVALID',
    'SUTRA.BPMN.VALUE_INVALID',
  ),
];

export const scopeRefusals: readonly RefusalRow[] = [
  ...starts,
  ...eventSubProcesses,
  ...adHoc,
  ...transactions,
  ...handlers,
  ...compensated,
  ...instantiating,
];
