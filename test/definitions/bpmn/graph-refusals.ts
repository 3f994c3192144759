/** Refusals of how flow nodes are joined: `▮` marks where each finding must point. */
import { extensions, processWith } from './marked-file.ts';
import type { RefusalRow } from './refusal-row.ts';

const source = extensions('<q:source channel="in"/>');
const catchMessage = `${source}<messageEventDefinition/>`;

const subProcess = (inside: string): string =>
  processWith(
    `<subProcess id="n">${inside}</subProcess><task id="after"/><sequenceFlow id="g" sourceRef="n" targetRef="after"/>`,
  );

export const graphRefusals: readonly RefusalRow[] = [
  {
    title: 'a flow from nowhere and one to nowhere are refused',
    text: processWith(
      '<task id="n"/><sequenceFlow id="g" ▮sourceRef="no" targetRef="n"/><sequenceFlow id="h" sourceRef="n" ▮targetRef="p"/>',
    ),
    codes: ['SUTRA.BPMN.REFERENCE_DANGLING', 'SUTRA.BPMN.REFERENCE_DANGLING'],
  },
  {
    title: 'a flow without an end is refused',
    text: processWith('<task id="n"/>▮<sequenceFlow id="g" sourceRef="n"/>'),
    codes: ['SUTRA.BPMN.ATTRIBUTE_MISSING'],
  },
  {
    title: 'a flow into a sub-process is refused',
    text: subProcess('<startEvent id="a"/><task id="t"/>').replace(
      '<task id="after"/>',
      '<task id="after"/>▮<sequenceFlow id="x" sourceRef="after" targetRef="t"/>',
    ),
    codes: ['SUTRA.BPMN.FLOW_CROSSES_BORDER'],
  },
  {
    title: 'a flow into a start event is refused',
    text: processWith('<task id="n"/><sequenceFlow id="g" sourceRef="n" targetRef="s"/>').replace(
      '<startEvent',
      '▮<startEvent',
    ),
    codes: ['SUTRA.BPMN.START_EVENT_INCOMING'],
  },
  {
    title: 'a flow out of an end event is refused',
    text: processWith('▮<endEvent id="n"/><task id="t"/><sequenceFlow id="g" sourceRef="n" targetRef="t"/>'),
    codes: ['SUTRA.BPMN.END_EVENT_OUTGOING'],
  },
  {
    title: 'a flow into a boundary event is refused',
    text: processWith(
      `<task id="n"/>▮<boundaryEvent id="b" attachedToRef="n">${catchMessage}</boundaryEvent><sequenceFlow id="g" sourceRef="n" targetRef="b"/>`,
    ),
    codes: ['SUTRA.BPMN.BOUNDARY_EVENT_INCOMING'],
  },
  {
    title: 'a boundary event on a gateway is refused',
    text: processWith(
      `<parallelGateway id="n"/><boundaryEvent id="b" ▮attachedToRef="n">${catchMessage}</boundaryEvent>`,
    ),
    codes: ['SUTRA.BPMN.BOUNDARY_EVENT_HOST_INVALID'],
  },
  {
    title: 'a boundary event on an activity of another scope is refused',
    text: subProcess('<startEvent id="a"/><task id="t"/>').replace(
      '<task id="after"/>',
      `<task id="after"/><boundaryEvent id="b" ▮attachedToRef="t">${catchMessage}</boundaryEvent>`,
    ),
    codes: ['SUTRA.BPMN.BOUNDARY_EVENT_HOST_INVALID'],
  },
  {
    title: 'a boundary event on nothing is refused',
    text: processWith(
      `<task id="n"/><boundaryEvent id="b" ▮attachedToRef="no">${catchMessage}</boundaryEvent>▮<boundaryEvent id="c">${catchMessage}</boundaryEvent>`,
    ),
    codes: ['SUTRA.BPMN.REFERENCE_DANGLING', 'SUTRA.BPMN.ATTRIBUTE_MISSING'],
  },
  {
    title: 'references to a message, an error and an event definition that are not there are refused',
    text: processWith(
      `<receiveTask id="n" ▮messageRef="tns:m">${source}</receiveTask>
      <boundaryEvent id="b" attachedToRef="n"><errorEventDefinition ▮errorRef="e"/></boundaryEvent>
      <sequenceFlow id="g" sourceRef="b" targetRef="x"/><endEvent id="x">▮<eventDefinitionRef>d</eventDefinitionRef></endEvent>`,
    ),
    codes: [
      'SUTRA.BPMN.REFERENCE_DANGLING',
      'SUTRA.BPMN.REFERENCE_DANGLING',
      'SUTRA.BPMN.REFERENCE_DANGLING',
    ],
  },
  {
    title: 'a default that is no outgoing flow is refused',
    text: processWith('<exclusiveGateway id="n" ▮default="f"/>'),
    codes: ['SUTRA.BPMN.DEFAULT_FLOW_INVALID'],
  },
  {
    title: 'a condition on the default flow is refused',
    text: processWith(
      `<exclusiveGateway id="n" default="g"/><task id="t"/>▮<sequenceFlow id="g" sourceRef="n" targetRef="t"><conditionExpression>a</conditionExpression></sequenceFlow>`,
    ),
    codes: ['SUTRA.BPMN.DEFAULT_FLOW_CONDITION'],
  },
  ...['exclusiveGateway', 'inclusiveGateway', 'complexGateway'].map((gateway): RefusalRow => ({
    title: `a flow of a branching ${gateway} without a condition is refused`,
    text: processWith(
      `<${gateway} id="n" default="g"/><task id="t"/><sequenceFlow id="g" sourceRef="n" targetRef="t"/>▮<sequenceFlow id="h" sourceRef="n" targetRef="t"/>`,
    ),
    codes: ['SUTRA.BPMN.CONDITION_MISSING'],
  })),
  ...['parallelGateway', 'eventBasedGateway'].map((gateway): RefusalRow => ({
    title: `a condition after a ${gateway} is refused`,
    text: processWith(
      `<${gateway} id="n"/><receiveTask id="t">${source}</receiveTask>▮<sequenceFlow id="g" sourceRef="n" targetRef="t"><conditionExpression>a</conditionExpression></sequenceFlow>`,
    ),
    codes: ['SUTRA.BPMN.CONDITION_MISPLACED'],
  })),
  {
    title: 'a complex gateway that joins without a condition is refused',
    text: processWith(
      '▮<complexGateway id="n"/><task id="t"/><sequenceFlow id="g" sourceRef="n" targetRef="t"/><sequenceFlow id="h" sourceRef="t" targetRef="n"/>',
    ),
    codes: ['SUTRA.BPMN.ACTIVATION_CONDITION_MISSING'],
  },
  {
    title: 'a second activation condition is refused',
    text: processWith(
      '<complexGateway id="n"><activationCondition>a</activationCondition>▮<activationCondition>b</activationCondition></complexGateway>',
    ),
    codes: ['SUTRA.BPMN.ELEMENT_REPEATED'],
  },
  {
    title: 'an event-based gateway that leads to a task is refused',
    text: processWith(
      `<eventBasedGateway id="n"/><task id="t"/>▮<sequenceFlow id="g" sourceRef="n" targetRef="t"/>`,
    ),
    codes: ['SUTRA.BPMN.EVENT_GATEWAY_TARGET_INVALID'],
  },
  {
    title:
      'a target of an event-based gateway with another incoming flow, or with boundary events, is refused',
    text: processWith(
      `<eventBasedGateway id="n"/>▮<receiveTask id="t">${source}</receiveTask>▮<receiveTask id="u">${source}</receiveTask>
      <boundaryEvent id="b" attachedToRef="t">${catchMessage}</boundaryEvent><sequenceFlow id="i" sourceRef="b" targetRef="u"/>
      <sequenceFlow id="g" sourceRef="n" targetRef="t"/><sequenceFlow id="h" sourceRef="n" targetRef="u"/>`,
    ),
    codes: ['SUTRA.BPMN.EVENT_GATEWAY_TARGET_INVALID', 'SUTRA.BPMN.EVENT_GATEWAY_TARGET_INVALID'],
  },
  {
    title: 'a link event or a loop behind an event-based gateway is refused',
    text: processWith(
      `<eventBasedGateway id="n"/>▮<sequenceFlow id="g" sourceRef="n" targetRef="t"/>▮<intermediateCatchEvent id="t"><linkEventDefinition name="L"/></intermediateCatchEvent>
      <sequenceFlow id="h" sourceRef="n" targetRef="u"/>▮<receiveTask id="u">${source}<standardLoopCharacteristics loopMaximum="2"/></receiveTask>`,
    ),
    codes: [
      'SUTRA.BPMN.EVENT_GATEWAY_TARGET_INVALID',
      'SUTRA.BPMN.LINK_FLOW_INVALID',
      'SUTRA.BPMN.EVENT_GATEWAY_TARGET_INVALID',
    ],
  },
  {
    title: 'an event-based gateway that leads nowhere is refused',
    text: processWith('▮<eventBasedGateway id="n"/>'),
    codes: ['SUTRA.BPMN.EVENT_GATEWAY_OUTGOING_MISSING'],
  },
];
