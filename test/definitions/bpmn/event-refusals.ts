/** Refusals of events: what they wait for, throw, and exclude. `▮` marks where each finding must point. */
import { definitions, extensions, processWith } from './marked-file.ts';
import type { RefusalRow } from './refusal-row.ts';

const TIMER = '<timerEventDefinition><timeDuration>PT1S</timeDuration></timerEventDefinition>';
const ROOTS = `<error id="e" errorCode="E1"/><escalation id="c" escalationCode="C1"/><signal id="g" name="G"/>`;
const SIGNAL = '<signalEventDefinition signalRef="g"/>';
const SOURCE = '<q:source channel="in"/>';
const SEND = '<q:send channel="out"/>';

type Code = RefusalRow['codes'][number];

function row(title: string, text: string, ...codes: readonly Code[]): RefusalRow {
  return { title, text, codes };
}

const catching = (inside: string, attributes = ''): string =>
  processWith(`<intermediateCatchEvent id="n" ${attributes}>${inside}</intermediateCatchEvent>`, ROOTS);
const throwing = (inside: string): string =>
  processWith(`<intermediateThrowEvent id="n">${inside}</intermediateThrowEvent>`, ROOTS);
const ending = (inside: string): string => processWith(`<endEvent id="n">${inside}</endEvent>`, ROOTS);
const boundary = (inside: string, attributes = ''): string =>
  processWith(
    `<task id="n"/><boundaryEvent id="b" attachedToRef="n" ${attributes}>${inside}</boundaryEvent>`,
    ROOTS,
  );
const starting = (inside: string, attributes = ''): string =>
  definitions(`${ROOTS}<process id="p"><startEvent id="s" ${attributes}>${inside}</startEvent></process>`);
/** An event sub-process that starts with an event of `inside`. */
const triggered = (inside: string, attributes = ''): string =>
  processWith(
    `<task id="n"/><subProcess id="v" triggeredByEvent="true"><startEvent id="vs" ${attributes}>${inside}</startEvent></subProcess>`,
    ROOTS,
  );

const places: readonly RefusalRow[] = [
  ...['error', 'escalation', 'compensate'].map((kind) =>
    row(
      `${kind} that starts a process is refused`,
      starting(`▮<${kind}EventDefinition/>`),
      'SUTRA.BPMN.EVENT_NOT_EXECUTED',
    ),
  ),
  row(
    'a parallel multiple start event of a process is refused',
    starting(`${TIMER}${SIGNAL}`, '▮parallelMultiple="true"'),
    'SUTRA.BPMN.ATTRIBUTE_NOT_EXECUTED',
  ),
  row(
    'a boundary event that waits for nothing is refused',
    boundary('').replace('<boundary', '▮<boundary'),
    'SUTRA.BPMN.EVENT_DEFINITION_MISSING',
  ),
  row(
    'parallelMultiple, isInterrupting and waitForCompletion that are no booleans are refused',
    triggered(
      '<compensateEventDefinition ▮waitForCompletion="maybe"/>',
      '▮parallelMultiple="yes" ▮isInterrupting="no"',
    ),
    'SUTRA.BPMN.VALUE_INVALID',
    'SUTRA.BPMN.VALUE_INVALID',
    'SUTRA.BPMN.VALUE_INVALID',
  ),
  row(
    'a data association of an event is refused',
    catching(
      `${TIMER}▮<dataOutputAssociation><sourceRef>o</sourceRef><assignment><from>1</from><to>a</to></assignment></dataOutputAssociation>`,
    ),
    'SUTRA.BPMN.ASSIGNMENT_NOT_EXECUTED',
  ),
];

const interrupting: readonly RefusalRow[] = [
  row(
    'an event sub-process that catches an error without interrupting is refused',
    triggered('<errorEventDefinition/>', 'isInterrupting="false"').replace(
      '<startEvent id="vs"',
      '▮<startEvent id="vs"',
    ),
    'SUTRA.BPMN.ERROR_CATCH_NOT_INTERRUPTING',
  ),
  row(
    'an event sub-process that catches compensation without interrupting is refused',
    triggered('<compensateEventDefinition/>', 'isInterrupting="0"').replace(
      '<startEvent id="vs"',
      '▮<startEvent id="vs"',
    ),
    'SUTRA.BPMN.CATCH_NOT_INTERRUPTING',
  ),
  row(
    'a cancel boundary event that does not interrupt is refused',
    processWith(
      `<transaction id="n"><task id="t"/></transaction>▮<boundaryEvent id="b" attachedToRef="n" cancelActivity="false"><cancelEventDefinition/></boundaryEvent>`,
    ),
    'SUTRA.BPMN.CATCH_NOT_INTERRUPTING',
  ),
  row(
    'one that catches an error among others and does not interrupt is refused',
    boundary(`${TIMER}<errorEventDefinition/>`, 'cancelActivity="false"').replace('<boundary', '▮<boundary'),
    'SUTRA.BPMN.ERROR_CATCH_NOT_INTERRUPTING',
  ),
];

const combinations: readonly RefusalRow[] = [
  ...['error', 'escalation'].map((kind) =>
    row(
      `${kind} among triggers that must all occur is refused`,
      boundary(`${TIMER}▮<${kind}EventDefinition/>`, 'parallelMultiple="true"'),
      'SUTRA.BPMN.EVENT_COMBINATION_NOT_EXECUTED',
    ),
  ),
  row(
    'cancel among triggers that must all occur is refused',
    processWith(
      `<transaction id="n"><task id="t"/></transaction><boundaryEvent id="b" attachedToRef="n" parallelMultiple="true">${TIMER}▮<cancelEventDefinition/></boundaryEvent>`,
    ),
    'SUTRA.BPMN.EVENT_COMBINATION_NOT_EXECUTED',
  ),
  row(
    'compensation among other triggers is refused',
    triggered(`${TIMER}▮<compensateEventDefinition/>`),
    'SUTRA.BPMN.EVENT_COMBINATION_NOT_EXECUTED',
  ),
  row(
    'a link among other triggers is refused',
    catching(`${TIMER}▮<linkEventDefinition name="L"/>`)
      .replace('<sequenceFlow id="f"', '<task id="x"/><sequenceFlow id="f"')
      .replace('targetRef="n"', 'targetRef="x"'),
    'SUTRA.BPMN.EVENT_COMBINATION_NOT_EXECUTED',
  ),
  row(
    'a link among other results is refused',
    throwing(`${SIGNAL}<linkEventDefinition name="L"/>`)
      .replace('<intermediateThrow', '▮<intermediateThrow')
      .replace(
        '</process>',
        '<intermediateCatchEvent id="k"><linkEventDefinition name="L"/></intermediateCatchEvent></process>',
      ),
    'SUTRA.BPMN.EVENT_COMBINATION_NOT_EXECUTED',
  ),
  row(
    'an end event that ends its scope in two ways is refused',
    ending('<terminateEventDefinition/><errorEventDefinition errorRef="e"/>').replace(
      '<endEvent',
      '▮<endEvent',
    ),
    'SUTRA.BPMN.EVENT_COMBINATION_NOT_EXECUTED',
  ),
  row(
    'messages that share a source are refused at all but the first',
    catching(`${extensions(SOURCE)}<messageEventDefinition/>▮<messageEventDefinition/>`),
    'SUTRA.BPMN.EVENT_DEFINITION_REPEATED',
  ),
  row(
    'messages that share a send are refused at all but the first',
    ending(`${extensions(SEND)}<messageEventDefinition/>▮<messageEventDefinition/>`),
    'SUTRA.BPMN.EVENT_DEFINITION_REPEATED',
  ),
];

/** q elements that the event or its definition would not read. */
const unread: readonly RefusalRow[] = [
  row(
    'the source and the alias of an event whose message has its own are refused',
    catching(
      `${extensions(`▮${SOURCE}▮<q:alias name="a" expression="b"/>`)}<messageEventDefinition>${extensions(SOURCE)}</messageEventDefinition>`,
    ),
    'SUTRA.Q.ELEMENT_MISPLACED',
    'SUTRA.Q.ELEMENT_MISPLACED',
  ),
  row(
    'an alias away from its source is refused',
    catching(
      `${extensions(SOURCE)}<messageEventDefinition>${extensions('▮<q:alias name="a" expression="b"/>')}</messageEventDefinition>`,
    ),
    'SUTRA.Q.ELEMENT_MISPLACED',
  ),
  row(
    'what throws is refused on the definitions of an event that catches',
    catching(
      `${extensions(SOURCE)}<messageEventDefinition>${extensions(`▮${SEND}`)}</messageEventDefinition>
      <signalEventDefinition signalRef="g">${extensions('▮<q:signal body="1"/>')}</signalEventDefinition>`,
    ),
    'SUTRA.Q.ELEMENT_MISPLACED',
    'SUTRA.Q.ELEMENT_MISPLACED',
  ),
  row(
    'what catches is refused on the definitions of an event that throws',
    throwing(
      `${extensions(SEND)}<messageEventDefinition>${extensions(`▮${SOURCE}▮<q:alias name="a" expression="b"/>`)}</messageEventDefinition>
      <signalEventDefinition signalRef="g">${extensions('▮<q:output variable="a"/>')}</signalEventDefinition>`,
    ),
    'SUTRA.Q.ELEMENT_MISPLACED',
    'SUTRA.Q.ELEMENT_MISPLACED',
    'SUTRA.Q.ELEMENT_MISPLACED',
  ),
  row(
    'the send and the body of an event whose definitions have their own are refused',
    ending(
      `${extensions(`▮${SEND}▮<q:signal body="1"/>`)}<messageEventDefinition>${extensions(SEND)}</messageEventDefinition>
      <signalEventDefinition signalRef="g">${extensions('<q:signal body="2"/>')}</signalEventDefinition>`,
    ),
    'SUTRA.Q.ELEMENT_MISPLACED',
    'SUTRA.Q.ELEMENT_MISPLACED',
  ),
  row(
    'the output of an event whose signal has its own is refused',
    catching(
      `${extensions('▮<q:output variable="a"/>')}<signalEventDefinition signalRef="g">${extensions('<q:output variable="b"/>')}</signalEventDefinition>`,
    ),
    'SUTRA.Q.ELEMENT_MISPLACED',
  ),
];

const signals: readonly RefusalRow[] = [
  row(
    'a signal event without a signal is refused',
    ending('<signalEventDefinition/>').replace('<endEvent', '▮<endEvent'),
    'SUTRA.BPMN.SIGNAL_MISSING',
  ),
  row(
    'a signal without a name is refused',
    processWith(
      '▮<intermediateCatchEvent id="n"><signalEventDefinition signalRef="g"/></intermediateCatchEvent>',
      '<signal id="g" name=" "/>',
    ),
    'SUTRA.BPMN.SIGNAL_MISSING',
  ),
  row(
    'references to a signal and to an escalation that are not there are refused',
    ending('<signalEventDefinition ▮signalRef="e"/><escalationEventDefinition ▮escalationRef="no"/>'),
    'SUTRA.BPMN.REFERENCE_DANGLING',
    'SUTRA.BPMN.REFERENCE_DANGLING',
  ),
  ...['=name', '${name}', 'alarm-#{name}'].map((name) =>
    row(
      `the signal name ${name} is refused`,
      processWith(
        '<endEvent id="n"><signalEventDefinition ▮signalRef="g"/></endEvent>',
        `<signal id="g" name="${name}"/>`,
      ),
      'SUTRA.BPMN.NAME_NOT_LITERAL',
    ),
  ),
  row(
    'codes of errors and escalations that are expressions are refused',
    processWith(
      '<task id="n"/><boundaryEvent id="b" attachedToRef="n"><errorEventDefinition ▮errorRef="e"/><escalationEventDefinition ▮escalationRef="c"/></boundaryEvent>',
      '<error id="e" errorCode="${code}"/><escalation id="c" escalationCode="=code"/>',
    ),
    'SUTRA.BPMN.NAME_NOT_LITERAL',
    'SUTRA.BPMN.NAME_NOT_LITERAL',
  ),
];

const conditions: readonly RefusalRow[] = [
  row(
    'a conditional event without a condition is refused',
    catching('▮<conditionalEventDefinition/>'),
    'SUTRA.BPMN.EVENT_CONDITION_MISSING',
  ),
  row(
    'a second condition of a conditional event is refused',
    catching(
      '<conditionalEventDefinition><condition>a</condition>▮<condition>b</condition></conditionalEventDefinition>',
    ),
    'SUTRA.BPMN.ELEMENT_REPEATED',
  ),
  row(
    'a condition that is no FEEL is refused',
    catching('<conditionalEventDefinition><condition>a &gt;▮</condition></conditionalEventDefinition>'),
    'SUTRA.FEEL.SYNTAX_INVALID',
  ),
];

const CATCH_LINK = '<intermediateCatchEvent id="k"><linkEventDefinition name="L"/></intermediateCatchEvent>';
const THROW_LINK = '<intermediateThrowEvent id="n"><linkEventDefinition name="L"/></intermediateThrowEvent>';

const links: readonly RefusalRow[] = [
  row(
    'a link that nothing catches is refused',
    processWith(THROW_LINK).replace('<intermediate', '▮<intermediate'),
    'SUTRA.BPMN.LINK_TARGET_MISSING',
  ),
  row(
    'a link that is caught in another scope only is refused',
    processWith(
      `▮${THROW_LINK}<subProcess id="v" triggeredByEvent="true"><startEvent id="vs">${TIMER}</startEvent><intermediateThrowEvent id="w"><linkEventDefinition name="L"/></intermediateThrowEvent>
      <sequenceFlow id="g" sourceRef="vs" targetRef="w"/>${CATCH_LINK}</subProcess>`,
    ),
    'SUTRA.BPMN.LINK_TARGET_MISSING',
  ),
  row(
    'a link that is caught twice is refused',
    processWith(
      `${THROW_LINK}${CATCH_LINK}▮<intermediateCatchEvent id="k2"><linkEventDefinition name="L"/></intermediateCatchEvent>`,
    ),
    'SUTRA.BPMN.LINK_DUPLICATE',
  ),
  row(
    'flows that join link events are refused',
    processWith(`▮${THROW_LINK}▮${CATCH_LINK}<sequenceFlow id="g" sourceRef="n" targetRef="k"/>`),
    'SUTRA.BPMN.LINK_FLOW_INVALID',
    'SUTRA.BPMN.LINK_FLOW_INVALID',
  ),
  row(
    'links without a name are refused',
    processWith(
      '<intermediateThrowEvent id="n">▮<linkEventDefinition/></intermediateThrowEvent><intermediateCatchEvent id="k">▮<linkEventDefinition name=" "/></intermediateCatchEvent>',
    ),
    'SUTRA.BPMN.ATTRIBUTE_MISSING',
    'SUTRA.BPMN.ATTRIBUTE_MISSING',
  ),
  row(
    'a source or a target that is another link is refused',
    processWith(
      `<intermediateThrowEvent id="n"><linkEventDefinition name="L">▮<target>n</target></linkEventDefinition></intermediateThrowEvent>
      <intermediateCatchEvent id="k"><linkEventDefinition name="L">▮<source>t:no</source></linkEventDefinition></intermediateCatchEvent>`,
    ),
    'SUTRA.BPMN.REFERENCE_DANGLING',
    'SUTRA.BPMN.REFERENCE_DANGLING',
  ),
];

const twice = (first: string, second: string): string =>
  processWith(
    `<task id="n"/><boundaryEvent id="b" attachedToRef="n">${first}</boundaryEvent>▮<boundaryEvent id="c0" attachedToRef="n">${second}</boundaryEvent>`,
    ROOTS,
  );
const twiceInScope = (definition: string): string =>
  processWith(
    `<task id="n"/>${['v', 'w']
      .map(
        (id) =>
          `<subProcess id="${id}" triggeredByEvent="true">${id === 'w' ? '▮' : ''}<startEvent id="${id}s">${definition}</startEvent></subProcess>`,
      )
      .join('')}`,
    ROOTS,
  );

const duplicates: readonly RefusalRow[] = [
  row(
    'a second catch of every error is refused',
    twice('<errorEventDefinition/>', `${TIMER}<errorEventDefinition/>`),
    'SUTRA.BPMN.ERROR_CATCH_DUPLICATE',
  ),
  row(
    'a second catch of the same escalation is refused',
    twice('<escalationEventDefinition escalationRef="c"/>', '<escalationEventDefinition escalationRef="c"/>'),
    'SUTRA.BPMN.CATCH_DUPLICATE',
  ),
  row(
    'a second catch of every escalation is refused',
    twice('<escalationEventDefinition/>', '<escalationEventDefinition/>'),
    'SUTRA.BPMN.CATCH_DUPLICATE',
  ),
  row(
    'a second event sub-process for the same error is refused',
    twiceInScope('<errorEventDefinition errorRef="e"/>'),
    'SUTRA.BPMN.ERROR_CATCH_DUPLICATE',
  ),
  row(
    'a second event sub-process for compensation is refused',
    twiceInScope('<compensateEventDefinition/>'),
    'SUTRA.BPMN.CATCH_DUPLICATE',
  ),
  row(
    'a second cancel boundary event is refused',
    processWith(
      `<transaction id="n"><task id="t"/></transaction><boundaryEvent id="b" attachedToRef="n"><cancelEventDefinition/></boundaryEvent>
      ▮<boundaryEvent id="c" attachedToRef="n"><cancelEventDefinition/></boundaryEvent>`,
    ),
    'SUTRA.BPMN.CATCH_DUPLICATE',
  ),
];

export const eventRefusals: readonly RefusalRow[] = [
  ...places,
  ...interrupting,
  ...combinations,
  ...unread,
  ...signals,
  ...conditions,
  ...links,
  ...duplicates,
];
