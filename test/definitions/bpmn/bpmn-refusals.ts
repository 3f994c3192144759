/** One row for every way in which a BPMN file is refused: `▮` marks where each finding must point. */
import type { BpmnCode } from '../../../definitions/bpmn/codes.ts';
import { graphRefusals } from './graph-refusals.ts';
import type { RefusalRow } from './refusal-row.ts';
import { definitions, extensions, processWith } from './marked-file.ts';

const send = extensions('<q:send channel="out"/>');
const called = 'implementation="channel:work"';

const eventNotExecuted = (event: string, definition: string): RefusalRow => ({
  title: `${definition} on ${event} is refused`,
  text: definitions(`<process id="p"><startEvent id="s"/><task id="t"/>
    <sequenceFlow id="f" sourceRef="s" targetRef="t"/>
    <${event} id="n" ${event === 'boundaryEvent' ? 'attachedToRef="t"' : ''}>▮<${definition}/></${event}>
    ${event === 'startEvent' || event === 'boundaryEvent' ? '' : '<sequenceFlow id="g" sourceRef="t" targetRef="n"/>'}</process>`),
  codes: ['SUTRA.BPMN.EVENT_NOT_EXECUTED'],
});

const attributeRow = (element: string, code: BpmnCode): RefusalRow => ({
  title: `${element} is refused`,
  text: processWith(element),
  codes: [code],
});

/** Pairs that BPMN does not have. */
const events: readonly (readonly [string, readonly string[]])[] = [
  ['startEvent', ['cancel', 'link', 'terminate']],
  ['intermediateCatchEvent', ['error', 'escalation', 'compensate', 'cancel', 'terminate']],
  ['intermediateThrowEvent', ['timer', 'conditional', 'error', 'cancel', 'terminate']],
  ['boundaryEvent', ['link', 'terminate']],
  ['endEvent', ['timer', 'conditional', 'link']],
];

const unexecuted: readonly RefusalRow[] = [
  ...events.flatMap(([event, kinds]) =>
    kinds.map((kind) => eventNotExecuted(event, `${kind}EventDefinition`)),
  ),
  {
    title: 'a choreography is refused',
    text: definitions('▮<choreography id="c"/><process id="p"><startEvent id="s"/></process>'),
    codes: ['SUTRA.BPMN.ELEMENT_NOT_EXECUTED'],
  },
  {
    title: 'a global task is refused',
    text: definitions('▮<globalUserTask id="c"/><process id="p"><startEvent id="s"/></process>'),
    codes: ['SUTRA.BPMN.ELEMENT_NOT_EXECUTED'],
  },
  {
    title: 'a correlation subscription is refused',
    text: processWith('▮<correlationSubscription id="c"/><task id="n"/>'),
    codes: ['SUTRA.BPMN.ELEMENT_NOT_EXECUTED'],
  },
  attributeRow('<task id="n" ▮startQuantity="2"/>', 'SUTRA.BPMN.ATTRIBUTE_NOT_EXECUTED'),
  attributeRow('<task id="n" ▮completionQuantity="02"/>', 'SUTRA.BPMN.ATTRIBUTE_NOT_EXECUTED'),
  {
    title: 'an extension that must be understood is refused',
    text: definitions(
      '<extension definition="x" ▮mustUnderstand="true"/><process id="p"><startEvent id="s"/></process>',
    ),
    codes: ['SUTRA.BPMN.ATTRIBUTE_NOT_EXECUTED'],
  },
  {
    title: 'an event that refers to what it cannot wait for beside the processes is refused at the reference',
    text: definitions(
      '<cancelEventDefinition id="d"/><process id="p"><startEvent id="s">▮<eventDefinitionRef>d</eventDefinitionRef></startEvent></process>',
    ),
    codes: ['SUTRA.BPMN.EVENT_NOT_EXECUTED'],
  },
];

const notBpmn: readonly RefusalRow[] = [
  {
    title: 'another root element is refused',
    text: '▮<process xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" id="p"/>',
    codes: ['SUTRA.BPMN.ROOT_INVALID'],
  },
  {
    title: 'definitions of another namespace are refused',
    text: '▮<definitions xmlns="http://schema.omg.org/spec/BPMN/2.0"/>',
    codes: ['SUTRA.BPMN.ROOT_INVALID'],
  },
  {
    title: 'a file without a process is refused',
    text: `▮<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"/>`,
    codes: ['SUTRA.BPMN.PROCESS_MISSING'],
  },
  {
    title: 'an unknown element is refused',
    text: processWith('▮<servicTask id="x"/><task id="n"/>'),
    codes: ['SUTRA.BPMN.ELEMENT_UNKNOWN'],
  },
  {
    title: 'an unknown element inside documentation of data is refused',
    text: processWith('<dataObject id="o">▮<dataStat/></dataObject><task id="n"/>'),
    codes: ['SUTRA.BPMN.ELEMENT_UNKNOWN'],
  },
  {
    title: 'a flow node inside a task is refused',
    text: processWith('<task id="n">▮<task id="x"/></task>'),
    codes: ['SUTRA.BPMN.ELEMENT_MISPLACED'],
  },
  {
    title: 'a second condition of a flow is refused',
    text: processWith(
      `<task id="n"/><task id="m"/><sequenceFlow id="g" sourceRef="n" targetRef="m"><conditionExpression>a</conditionExpression>▮<conditionExpression>b</conditionExpression></sequenceFlow>`,
    ),
    codes: ['SUTRA.BPMN.ELEMENT_REPEATED'],
  },
  {
    title: 'a second script is refused',
    text: processWith('<scriptTask id="n"><script>1</script>▮<script>2</script></scriptTask>'),
    codes: ['SUTRA.BPMN.ELEMENT_REPEATED'],
  },
  {
    title: 'a misspelt attribute is refused',
    text: processWith('<exclusiveGateway id="n" ▮defualt="f"/>'),
    codes: ['SUTRA.BPMN.ATTRIBUTE_UNKNOWN'],
  },
  attributeRow('<task id="n" ▮isForCompensation="yes"/>', 'SUTRA.BPMN.VALUE_INVALID'),
  attributeRow('<task id="n" ▮startQuantity="one"/>', 'SUTRA.BPMN.VALUE_INVALID'),
  {
    title: 'isExecutable that is no boolean is refused',
    text: definitions('<process id="p" ▮isExecutable="maybe"><startEvent id="s"/></process>'),
    codes: ['SUTRA.BPMN.VALUE_INVALID'],
  },
  {
    title: 'a channel name over the limit is refused',
    text: processWith(`<serviceTask id="n" ▮implementation="channel:${'c'.repeat(256)}"/>`),
    codes: ['SUTRA.BPMN.VALUE_INVALID'],
  },
  {
    title: 'text between elements is refused',
    text: processWith('▮<task id="n">task>documentation</task>'),
    codes: ['SUTRA.BPMN.TEXT_UNEXPECTED'],
  },
  {
    title: 'an element without a namespace is refused',
    text: processWith('▮<task xmlns="" id="x"/><task id="n"/>'),
    codes: ['SUTRA.BPMN.NAMESPACE_INVALID'],
  },
  {
    title: 'an element of a namespace like that of BPMN is refused',
    text: processWith('▮<task xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL/" id="x"/><task id="n"/>'),
    codes: ['SUTRA.BPMN.NAMESPACE_INVALID'],
  },
  {
    title: 'a process and a flow node without an id are refused',
    text: definitions('▮<process><startEvent id="s"/>▮<task/></process>'),
    codes: ['SUTRA.BPMN.ID_MISSING', 'SUTRA.BPMN.ID_MISSING'],
  },
  {
    title: 'an id with a space is refused',
    text: definitions('<process id="p"><startEvent ▮id="a b"/></process>'),
    codes: ['SUTRA.BPMN.ID_INVALID'],
  },
  {
    title: 'an id over the limit is refused',
    text: definitions(`<process id="p"><startEvent ▮id="${'i'.repeat(256)}"/></process>`),
    codes: ['SUTRA.BPMN.ID_INVALID'],
  },
  {
    title: 'a repeated id is refused',
    text: processWith('<task id="n"/><task ▮id="n"/>'),
    codes: ['SUTRA.BPMN.ID_DUPLICATE'],
  },
  {
    title: 'an id repeated in another process is refused',
    text: processWith('<task id="n"/></process><process id="p2"><startEvent ▮id="s"/>'),
    codes: ['SUTRA.BPMN.ID_DUPLICATE'],
  },
];

const needs: readonly RefusalRow[] = [
  {
    title: 'a service task with code of another engine is refused',
    text: processWith('<serviceTask id="n" ▮camunda:class="org.example.Work"/>'),
    codes: ['SUTRA.DIALECT.CODE_NOT_EXECUTED'],
  },
  {
    title: 'a service task with an implementation of another kind is refused',
    text: processWith('<serviceTask id="n" ▮implementation="http://example.com"/>'),
    codes: ['SUTRA.BPMN.IMPLEMENTATION_UNSUPPORTED'],
  },
  {
    title: 'a channel on a send task is refused',
    text: processWith(`<sendTask id="n" ▮${called}>${send}</sendTask>`),
    codes: ['SUTRA.BPMN.IMPLEMENTATION_UNSUPPORTED'],
  },
  {
    title: 'a receive task without a source is refused',
    text: processWith('▮<receiveTask id="n"/>'),
    codes: ['SUTRA.BPMN.SOURCE_MISSING'],
  },
  {
    title: 'a message catch without a source is refused',
    text: processWith('▮<intermediateCatchEvent id="n"><messageEventDefinition/></intermediateCatchEvent>'),
    codes: ['SUTRA.BPMN.SOURCE_MISSING'],
  },
  {
    title: 'a message start without a source is refused',
    text: definitions('<process id="p">▮<startEvent id="s"><messageEventDefinition/></startEvent></process>'),
    codes: ['SUTRA.BPMN.SOURCE_MISSING'],
  },
  ...['intermediateThrowEvent', 'endEvent'].map((event): RefusalRow => ({
    title: `a message ${event} without a send is refused`,
    text: processWith(`▮<${event} id="n"><messageEventDefinition/></${event}>`),
    codes: ['SUTRA.BPMN.SEND_MISSING'],
  })),
  {
    title: 'a send task without a send is refused',
    text: processWith('▮<sendTask id="n"/>'),
    codes: ['SUTRA.BPMN.SEND_MISSING'],
  },
  {
    title: 'a script task without a script is refused',
    text: processWith('▮<scriptTask id="n"><script> </script></scriptTask>'),
    codes: ['SUTRA.BPMN.SCRIPT_MISSING'],
  },
  {
    title: 'a script in another language is refused',
    text: processWith('<scriptTask id="n" ▮scriptFormat="javascript"><script>1</script></scriptTask>'),
    codes: ['SUTRA.BPMN.EXPRESSION_LANGUAGE_UNSUPPORTED'],
  },
  {
    title: 'a condition in another language is refused',
    text: processWith(
      '<task id="n"/><task id="m"/><sequenceFlow id="g" sourceRef="n" targetRef="m">▮<conditionExpression language="groovy">a</conditionExpression></sequenceFlow>',
    ),
    codes: ['SUTRA.BPMN.EXPRESSION_LANGUAGE_UNSUPPORTED'],
  },
  {
    title: 'a condition in the syntax of another engine is refused',
    text: processWith(
      '<task id="n"/><task id="m"/><sequenceFlow id="g" sourceRef="n" targetRef="m"><conditionExpression>\n  ${b.▮c()}</conditionExpression></sequenceFlow>',
    ),
    codes: ['SUTRA.DIALECT.EXPRESSION_REFUSED'],
  },
  {
    title: 'an expression of a file in another language is refused',
    text: processWith(
      '<task id="n"/><task id="m"/><sequenceFlow id="g" sourceRef="n" targetRef="m">▮<conditionExpression>a</conditionExpression></sequenceFlow>',
    ).replace('targetNamespace', 'expressionLanguage="http://www.w3.org/1999/XPath" targetNamespace'),
    codes: ['SUTRA.BPMN.EXPRESSION_LANGUAGE_UNSUPPORTED'],
  },
  {
    title: 'an empty condition is refused',
    text: processWith(
      '<task id="n"/><task id="m"/><sequenceFlow id="g" sourceRef="n" targetRef="m">▮<conditionExpression/></sequenceFlow>',
    ),
    codes: ['SUTRA.FEEL.SYNTAX_INVALID'],
  },
  {
    title: 'an expression deeper than the parser can go is refused',
    text: processWith(
      `<serviceTask id="n" ${called}>${extensions(`<q:param name="a" expression="▮${'('.repeat(30_000)}"/>`)}</serviceTask>`,
    ),
    codes: ['SUTRA.FEEL.SYNTAX_INVALID'],
  },
  ...['<from>1</from>', '<to>a</to>', '<from>1</from><from>2</from><to>a</to>'].map((inside): RefusalRow => ({
    title: `an assignment of ${inside} is refused`,
    text: processWith(
      `<task id="n"><dataOutputAssociation>▮<assignment>${inside}</assignment></dataOutputAssociation></task>`,
    ),
    codes: ['SUTRA.BPMN.ASSIGNMENT_INVALID'],
  })),
  ...['=a', 'a..b', 'a b', '1a', '', '${a}'].map((to): RefusalRow => ({
    title: `an assignment to ${JSON.stringify(to)} is refused`,
    text: processWith(
      `<task id="n"><dataInputAssociation><assignment><from>1</from>▮<to>${to}</to></assignment></dataInputAssociation></task>`,
    ),
    codes: ['SUTRA.BPMN.ASSIGNMENT_INVALID'],
  })),
  {
    title: 'an error end event without an error, or with one without a code, is refused',
    text: processWith(
      `<parallelGateway id="n"/><sequenceFlow id="a" sourceRef="n" targetRef="x"/><sequenceFlow id="b" sourceRef="n" targetRef="y"/>
      ▮<endEvent id="x"><errorEventDefinition/></endEvent>▮<endEvent id="y"><errorEventDefinition errorRef="e"/></endEvent>`,
      '<error id="e"/>',
    ),
    codes: ['SUTRA.BPMN.ERROR_CODE_MISSING', 'SUTRA.BPMN.ERROR_CODE_MISSING'],
  },
  {
    title: 'a second catch of the same error is refused',
    text: processWith(
      `<task id="n"/><boundaryEvent id="b" attachedToRef="n"><errorEventDefinition errorRef="e"/></boundaryEvent>
      ▮<boundaryEvent id="c" attachedToRef="n"><errorEventDefinition errorRef="e"/></boundaryEvent>`,
      '<error id="e" errorCode="E1"/>',
    ),
    codes: ['SUTRA.BPMN.ERROR_CATCH_DUPLICATE'],
  },
  {
    title: 'a non-interrupting catch of an error is refused',
    text: processWith(
      '<task id="n"/>▮<boundaryEvent id="b" attachedToRef="n" cancelActivity="false"><errorEventDefinition/></boundaryEvent>',
    ),
    codes: ['SUTRA.BPMN.ERROR_CATCH_NOT_INTERRUPTING'],
  },
  {
    title: 'cancelActivity that is no boolean is refused',
    text: processWith(
      '<task id="n"/><boundaryEvent id="b" attachedToRef="n" ▮cancelActivity="no"><errorEventDefinition/></boundaryEvent>',
    ),
    codes: ['SUTRA.BPMN.VALUE_INVALID'],
  },
  {
    title: 'an intermediate catch event that waits for nothing is refused',
    text: processWith('▮<intermediateCatchEvent id="n"/>'),
    codes: ['SUTRA.BPMN.EVENT_DEFINITION_MISSING'],
  },
];

const timer = (inside: string): string =>
  processWith(
    `<intermediateCatchEvent id="n"><timerEventDefinition>${inside}</timerEventDefinition></intermediateCatchEvent>`,
  );

const timers: readonly RefusalRow[] = [
  {
    title: 'a timer without a time is refused',
    text: timer('').replace('<timerEvent', '▮<timerEvent'),
    codes: ['SUTRA.BPMN.TIMER_MISSING'],
  },
  {
    title: 'a timer with two times is refused',
    text: timer('<timeDuration>PT1S</timeDuration>▮<timeDate>2026-05-01T00:00:00Z</timeDate>'),
    codes: ['SUTRA.BPMN.TIMER_MISSING'],
  },
  {
    title: 'a timer with a duration and a cycle is refused',
    text: timer('<timeDuration>PT1S</timeDuration>▮<timeCycle>R/PT1S</timeCycle>'),
    codes: ['SUTRA.BPMN.TIMER_MISSING'],
  },
  {
    title: 'an empty duration is refused',
    text: timer('▮<timeDuration/>'),
    codes: ['SUTRA.BPMN.TIMER_INVALID'],
  },
  ...['PT', 'P1M', '-PT5M', '5m', '30', 'R3/PT1S', 'P1DT', 'PT1.5H30M'].map((duration): RefusalRow => ({
    title: `the duration ${duration} is refused`,
    text: timer(`<timeDuration>\n    ▮${duration}\n</timeDuration>`),
    codes: ['SUTRA.BPMN.TIMER_INVALID'],
  })),
  ...['2026-05-01', '2026-05-01T10:00:00', '2026-02-30T10:00:00Z', '10:00', '1777777777'].map(
    (date): RefusalRow => ({
      title: `the date ${date} is refused`,
      text: timer(`<timeDate>▮${date}</timeDate>`),
      codes: ['SUTRA.BPMN.TIMER_INVALID'],
    }),
  ),
  ...['PT1S', 'R0/PT1S', 'R3/PT0S', 'R3/P1M', 'R3/2026-05-01T00:00:00Z/PT1S', '0 0/5 * * * ?', '5m'].map(
    (cycle): RefusalRow => ({
      title: `the cycle ${cycle} is refused`,
      text: timer(`<timeCycle> ▮${cycle} </timeCycle>`),
      codes: ['SUTRA.BPMN.TIMER_INVALID'],
    }),
  ),
  {
    title: 'a duration that is no FEEL is refused where the FEEL is wrong',
    text: timer('<timeDuration>=duration()▮) </timeDuration>'),
    codes: ['SUTRA.FEEL.SYNTAX_INVALID'],
  },
];

const warnings: readonly RefusalRow[] = [
  {
    title: 'a process that is documentation is not compiled, with a warning',
    text: definitions('▮<process id="p" isExecutable="false"><callActivity id="c"/></process>'),
    codes: ['SUTRA.BPMN.PROCESS_NOT_EXECUTABLE'],
    severity: 'warning',
  },
  {
    title: 'nodes that cannot be reached are a warning each',
    text: processWith(
      '<task id="n"/>▮<task id="a"/>▮<task id="b"/><sequenceFlow id="g" sourceRef="a" targetRef="b"/>',
    ),
    codes: ['SUTRA.BPMN.NODE_UNREACHABLE', 'SUTRA.BPMN.NODE_UNREACHABLE'],
    severity: 'warning',
  },
  {
    title: 'listings of flows that do not join the node are a warning each',
    text: processWith(
      '<task id="n"><incoming>f</incoming>▮<incoming>no</incoming>▮<outgoing>f</outgoing></task>',
    ),
    codes: ['SUTRA.BPMN.FLOW_LISTING_MISMATCH', 'SUTRA.BPMN.FLOW_LISTING_MISMATCH'],
    severity: 'warning',
  },
];

export const bpmnRefusals: readonly RefusalRow[] = [
  ...unexecuted,
  ...notBpmn,
  ...needs,
  ...timers,
  ...graphRefusals,
  ...warnings,
];
