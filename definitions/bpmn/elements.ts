/**
 * The whole element set of BPMN 2.0.2, and what the engine does with each.
 *
 * E1 Every element of the BPMN namespace is in this table; one that is not is refused as unknown.
 * E2 `executed`: it means what the standard says. `descriptive`: it documents and changes nothing that
 *    runs. `refused`: it would change what runs, and the engine does not do that, so a file that has it
 *    is not deployed.
 * E3 For an executed element `children` and `attributes` are all that the schema allows, so that a
 *    misplaced element or a misspelt attribute is found and not ignored.
 *
 * Source: BPMN 2.0.2, XML schema `Semantic.xsd`.
 */
import type { BpmnCode } from './codes.ts';

export type ElementStatus = 'executed' | 'descriptive' | 'refused';

export interface ElementRow {
  readonly status: ElementStatus;
  /** BPMN elements that may stand directly inside. Null: what is inside is not examined. */
  readonly children: ReadonlySet<string> | null;
  /** Attributes without a namespace. Null: not examined. */
  readonly attributes: ReadonlySet<string> | null;
  /** The text inside means something. */
  readonly hasText: boolean;
  /** Set when `refused`. */
  readonly refusal: { readonly code: BpmnCode; readonly remedy: string } | null;
}

const BASE = ['documentation', 'extensionElements'];
const FLOW_ELEMENT = [...BASE, 'auditing', 'monitoring', 'categoryValueRef'];
const FLOW_NODE = [...FLOW_ELEMENT, 'incoming', 'outgoing'];
const ROLES = ['resourceRole', 'performer', 'humanPerformer', 'potentialOwner'];
const EVENT_DEFINITIONS = [
  'messageEventDefinition',
  'timerEventDefinition',
  'errorEventDefinition',
  'terminateEventDefinition',
  'signalEventDefinition',
  'escalationEventDefinition',
  'conditionalEventDefinition',
  'compensateEventDefinition',
  'cancelEventDefinition',
  'linkEventDefinition',
];
const EVENT = [...FLOW_NODE, 'property', ...EVENT_DEFINITIONS, 'eventDefinitionRef'];
const CATCH_EVENT = [...EVENT, 'dataOutput', 'dataOutputAssociation', 'outputSet'];
const THROW_EVENT = [...EVENT, 'dataInput', 'dataInputAssociation', 'inputSet'];
const DATA_ASSOCIATIONS = ['dataInputAssociation', 'dataOutputAssociation'];
const LOOPS = ['standardLoopCharacteristics', 'multiInstanceLoopCharacteristics'];
const ACTIVITY = [...FLOW_NODE, 'ioSpecification', 'property', ...DATA_ASSOCIATIONS, ...ROLES, ...LOOPS];

/** Activities, by element name: what a boundary event can be attached to. */
export const ACTIVITIES = [
  'task',
  'manualTask',
  'serviceTask',
  'sendTask',
  'receiveTask',
  'userTask',
  'scriptTask',
  'businessRuleTask',
  'callActivity',
  'subProcess',
  'transaction',
  'adHocSubProcess',
] as const;

/** Flow nodes, by element name: what a sequence flow can join. */
export const FLOW_NODES = [
  'startEvent',
  'endEvent',
  'intermediateCatchEvent',
  'intermediateThrowEvent',
  'boundaryEvent',
  ...ACTIVITIES,
  'exclusiveGateway',
  'inclusiveGateway',
  'parallelGateway',
  'eventBasedGateway',
  'complexGateway',
] as const;

const DATA = ['dataObject', 'dataObjectReference', 'dataStoreReference'];
const ARTIFACTS = ['association', 'group', 'textAnnotation'];
const SCOPE = ['laneSet', ...FLOW_NODES, 'sequenceFlow', ...DATA, ...ARTIFACTS];
const ROOT_ELEMENTS = [
  'process',
  'collaboration',
  'choreography',
  'globalChoreographyTask',
  'globalConversation',
  'globalTask',
  'globalUserTask',
  'globalManualTask',
  'globalScriptTask',
  'globalBusinessRuleTask',
  'message',
  'error',
  'signal',
  'escalation',
  'itemDefinition',
  'interface',
  'resource',
  'category',
  'correlationProperty',
  'dataStore',
  'endPoint',
  'partnerEntity',
  'partnerRole',
  ...EVENT_DEFINITIONS,
];

const NODE_ATTRIBUTES = ['id', 'name'];
const ACTIVITY_ATTRIBUTES = [
  ...NODE_ATTRIBUTES,
  'isForCompensation',
  'startQuantity',
  'completionQuantity',
  'default',
];
const CATCH_ATTRIBUTES = [...NODE_ATTRIBUTES, 'parallelMultiple'];
const GATEWAY_ATTRIBUTES = [...NODE_ATTRIBUTES, 'gatewayDirection'];
const EXPRESSION_ATTRIBUTES = ['id', 'language', 'evaluatesToTypeRef'];

function executed(children: readonly string[], attributes: readonly string[], hasText = false): ElementRow {
  return {
    status: 'executed',
    children: new Set(children),
    attributes: new Set(attributes),
    hasText,
    refusal: null,
  };
}

const descriptive: ElementRow = {
  status: 'descriptive',
  children: null,
  attributes: null,
  hasText: true,
  refusal: null,
};

function refused(code: BpmnCode, remedy: string, inside: ElementRow = descriptive): ElementRow {
  return { ...inside, status: 'refused', refusal: { code, remedy } };
}

function subProcessLike(children: readonly string[], attributes: readonly string[]): ElementRow {
  return executed(
    [...ACTIVITY, ...SCOPE, ...children],
    [...ACTIVITY_ATTRIBUTES, 'triggeredByEvent', ...attributes],
  );
}

const expression = executed(['documentation', 'extensionElements'], EXPRESSION_ATTRIBUTES, true);
const task = executed(ACTIVITY, ACTIVITY_ATTRIBUTES);
const reference = executed([], [], true);

const ELEMENT = 'SUTRA.BPMN.ELEMENT_NOT_EXECUTED';
const EVENT_KIND = 'SUTRA.BPMN.EVENT_NOT_EXECUTED';
const LOOP = 'SUTRA.BPMN.LOOP_NOT_EXECUTED';

const noEvent = (remedy: string): ElementRow => refused(EVENT_KIND, remedy);
const noChoreography = refused(ELEMENT, 'model it as a process of each participant');
const noGlobalTask = refused(ELEMENT, 'write the task into the process that needs it');

const EXECUTED: Readonly<Record<string, ElementRow>> = {
  definitions: executed(
    [...BASE, 'import', 'extension', ...ROOT_ELEMENTS, 'relationship'],
    ['id', 'name', 'targetNamespace', 'expressionLanguage', 'typeLanguage', 'exporter', 'exporterVersion'],
  ),
  extensionElements: descriptive,
  extension: executed(['documentation'], ['definition', 'mustUnderstand']),
  process: executed(
    [
      ...BASE,
      ...SCOPE,
      ...ROLES,
      'auditing',
      'monitoring',
      'property',
      'correlationSubscription',
      'supports',
      'ioSpecification',
      'ioBinding',
      'supportedInterfaceRef',
    ],
    ['id', 'name', 'processType', 'isClosed', 'isExecutable', 'definitionalCollaborationRef'],
  ),
  message: executed(BASE, ['id', 'name', 'itemRef']),
  error: executed(BASE, ['id', 'name', 'errorCode', 'structureRef']),
  sequenceFlow: executed(
    [...FLOW_ELEMENT, 'conditionExpression'],
    ['id', 'name', 'sourceRef', 'targetRef', 'isImmediate'],
  ),
  conditionExpression: expression,
  incoming: reference,
  outgoing: reference,
  startEvent: executed(CATCH_EVENT, [...CATCH_ATTRIBUTES, 'isInterrupting']),
  intermediateCatchEvent: executed(CATCH_EVENT, CATCH_ATTRIBUTES),
  boundaryEvent: executed(CATCH_EVENT, [...CATCH_ATTRIBUTES, 'attachedToRef', 'cancelActivity']),
  intermediateThrowEvent: executed(THROW_EVENT, NODE_ATTRIBUTES),
  endEvent: executed(THROW_EVENT, NODE_ATTRIBUTES),
  eventDefinitionRef: reference,
  messageEventDefinition: executed([...BASE, 'operationRef'], ['id', 'messageRef']),
  timerEventDefinition: executed([...BASE, 'timeDate', 'timeDuration', 'timeCycle'], ['id']),
  timeDate: expression,
  timeDuration: expression,
  errorEventDefinition: executed(BASE, ['id', 'errorRef']),
  terminateEventDefinition: executed(BASE, ['id']),
  task,
  manualTask: task,
  serviceTask: executed(ACTIVITY, [...ACTIVITY_ATTRIBUTES, 'implementation', 'operationRef']),
  sendTask: executed(ACTIVITY, [...ACTIVITY_ATTRIBUTES, 'implementation', 'messageRef', 'operationRef']),
  receiveTask: executed(ACTIVITY, [
    ...ACTIVITY_ATTRIBUTES,
    'implementation',
    'instantiate',
    'messageRef',
    'operationRef',
  ]),
  userTask: executed([...ACTIVITY, 'rendering'], [...ACTIVITY_ATTRIBUTES, 'implementation']),
  scriptTask: executed([...ACTIVITY, 'script'], [...ACTIVITY_ATTRIBUTES, 'scriptFormat']),
  script: executed([], [], true),
  dataInputAssociation: executed([...BASE, 'sourceRef', 'targetRef', 'transformation', 'assignment'], ['id']),
  dataOutputAssociation: executed(
    [...BASE, 'sourceRef', 'targetRef', 'transformation', 'assignment'],
    ['id'],
  ),
  assignment: executed([...BASE, 'from', 'to'], ['id']),
  from: expression,
  to: expression,
  subProcess: subProcessLike([], []),
  exclusiveGateway: executed(FLOW_NODE, [...GATEWAY_ATTRIBUTES, 'default']),
  inclusiveGateway: executed(FLOW_NODE, [...GATEWAY_ATTRIBUTES, 'default']),
  parallelGateway: executed(FLOW_NODE, GATEWAY_ATTRIBUTES),
  eventBasedGateway: executed(FLOW_NODE, [...GATEWAY_ATTRIBUTES, 'instantiate', 'eventGatewayType']),
};

const REFUSED: Readonly<Record<string, ElementRow>> = {
  callActivity: refused(ELEMENT, 'put the called process into a sub-process'),
  businessRuleTask: refused(ELEMENT, 'use a service task on a channel, or a script task'),
  transaction: refused(
    ELEMENT,
    'use a sub-process and model the undoing with boundary events',
    subProcessLike([], ['method']),
  ),
  adHocSubProcess: refused(
    ELEMENT,
    'use a sub-process with sequence flows',
    subProcessLike(['completionCondition'], ['ordering', 'cancelRemainingInstances']),
  ),
  complexGateway: refused(ELEMENT, 'use exclusive, inclusive or parallel gateways'),
  correlationSubscription: refused(ELEMENT, 'correlate with q:alias'),
  transformation: refused(ELEMENT, 'use an assignment with from and to'),
  choreography: noChoreography,
  globalChoreographyTask: noChoreography,
  choreographyTask: noChoreography,
  callChoreography: noChoreography,
  subChoreography: noChoreography,
  globalTask: noGlobalTask,
  globalUserTask: noGlobalTask,
  globalManualTask: noGlobalTask,
  globalScriptTask: noGlobalTask,
  globalBusinessRuleTask: noGlobalTask,
  standardLoopCharacteristics: refused(LOOP, 'draw the loop with a gateway and a sequence flow back'),
  multiInstanceLoopCharacteristics: refused(LOOP, 'draw the loop with a gateway and a sequence flow back'),
  signalEventDefinition: noEvent('use a message'),
  escalationEventDefinition: noEvent('use a message, or an error when the activity ends'),
  conditionalEventDefinition: noEvent('use a message or a timer'),
  compensateEventDefinition: noEvent('model the undoing as a path of its own'),
  cancelEventDefinition: noEvent('use an error event'),
  linkEventDefinition: noEvent('draw the sequence flow'),
  timeCycle: refused(EVENT_KIND, 'use a duration, and a sequence flow back to repeat'),
};

/** Documentation, drawing, data types, organisation, and the parts of refused elements. */
const DESCRIPTIVE = `
  activationCondition association auditing category categoryValue categoryValueRef childLaneSet choreographyRef
  collaboration completionCondition condition conversation conversationAssociation conversationLink
  callConversation subConversation globalConversation complexBehaviorDefinition correlationKey correlationProperty
  correlationPropertyBinding correlationPropertyRef correlationPropertyRetrievalExpression dataInput dataInputRefs
  dataObject dataObjectReference dataOutput dataOutputRefs dataPath dataState dataStore dataStoreReference
  documentation endPoint endPointRef errorRef escalation event expression flowNodeRef formalExpression group
  humanPerformer implicitThrowEvent import inMessageRef innerParticipantRef inputDataItem
  inputSet inputSetRefs interface interfaceRef ioBinding ioSpecification itemDefinition lane laneSet loopCardinality
  loopCondition loopDataInputRef loopDataOutputRef messageFlow messageFlowAssociation messageFlowRef messagePath
  monitoring operation operationRef optionalInputRefs optionalOutputRefs outMessageRef 
  outerParticipantRef outputDataItem outputSet outputSetRefs participant participantAssociation
  participantMultiplicity participantRef partitionElement partnerEntity partnerRole 
  performer potentialOwner property relationship rendering resource resourceAssignmentExpression resourceParameter
  resourceParameterBinding resourceRef resourceRole signal source sourceRef supportedInterfaceRef supports target
  targetRef text textAnnotation whileExecutingInputRefs whileExecutingOutputRefs
`;

/** By local name. */
export const bpmnElements: ReadonlyMap<string, ElementRow> = new Map([
  ...Object.entries(EXECUTED),
  ...Object.entries(REFUSED),
  ...(DESCRIPTIVE.match(/\w+/g) ?? []).map((name) => [name, descriptive] as const),
]);

/** Which event definitions run on which events; every other pair is refused. */
const EXECUTED_EVENTS: Readonly<Record<string, readonly string[]>> = {
  startEvent: ['messageEventDefinition'],
  endEvent: ['messageEventDefinition', 'terminateEventDefinition', 'errorEventDefinition'],
  intermediateCatchEvent: ['messageEventDefinition', 'timerEventDefinition'],
  intermediateThrowEvent: ['messageEventDefinition'],
  boundaryEvent: ['messageEventDefinition', 'timerEventDefinition', 'errorEventDefinition'],
};

export function isEventDefinition(localName: string): boolean {
  return EVENT_DEFINITIONS.includes(localName);
}

export function isExecutedEvent(event: string, definition: string): boolean {
  return Object.hasOwn(EXECUTED_EVENTS, event) && (EXECUTED_EVENTS[event] ?? []).includes(definition);
}

/** Attributes whose value asks for something that is not executed. */
export interface RefusedAttribute {
  readonly kind: 'boolean' | 'integer' | 'text';
  /** The value that is executed: the schema's default. */
  readonly executed: string;
  readonly code: BpmnCode;
  readonly remedy: string;
}

const ATTRIBUTE = 'SUTRA.BPMN.ATTRIBUTE_NOT_EXECUTED';

export const refusedAttributes: Readonly<Record<string, RefusedAttribute>> = {
  triggeredByEvent: {
    kind: 'boolean',
    executed: 'false',
    code: 'SUTRA.BPMN.EVENT_SUB_PROCESS_NOT_EXECUTED',
    remedy: 'use a boundary event on a sub-process',
  },
  isForCompensation: {
    kind: 'boolean',
    executed: 'false',
    code: ATTRIBUTE,
    remedy: 'model the undoing as a path of its own',
  },
  instantiate: {
    kind: 'boolean',
    executed: 'false',
    code: ATTRIBUTE,
    remedy: 'put a message start event before it',
  },
  parallelMultiple: {
    kind: 'boolean',
    executed: 'false',
    code: ATTRIBUTE,
    remedy: 'use one event for each trigger behind a parallel gateway',
  },
  eventGatewayType: {
    kind: 'text',
    executed: 'Exclusive',
    code: ATTRIBUTE,
    remedy: 'use message start events',
  },
  startQuantity: { kind: 'integer', executed: '1', code: ATTRIBUTE, remedy: 'use a parallel gateway' },
  completionQuantity: { kind: 'integer', executed: '1', code: ATTRIBUTE, remedy: 'use a parallel gateway' },
  mustUnderstand: {
    kind: 'boolean',
    executed: 'false',
    code: ATTRIBUTE,
    remedy: 'model without the extension',
  },
};
