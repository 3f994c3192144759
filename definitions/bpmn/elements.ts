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

/** Sub-processes of every kind, by element name. */
export const SUB_PROCESSES = ['subProcess', 'transaction', 'adHocSubProcess'] as const;

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

const ITEM_ATTRIBUTES = ['id', 'name', 'itemSubjectRef', 'isCollection'];
const item = executed([...BASE, 'dataState'], ITEM_ATTRIBUTES);
const association = executed([...BASE, 'sourceRef', 'targetRef', 'transformation', 'assignment'], ['id']);

const ELEMENT = 'SUTRA.BPMN.ELEMENT_NOT_EXECUTED';

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
  escalation: executed(BASE, ['id', 'name', 'escalationCode', 'structureRef']),
  signal: executed(BASE, ['id', 'name', 'structureRef']),
  association: executed(BASE, ['id', 'sourceRef', 'targetRef', 'associationDirection']),
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
  timeCycle: expression,
  signalEventDefinition: executed(BASE, ['id', 'signalRef']),
  escalationEventDefinition: executed(BASE, ['id', 'escalationRef']),
  conditionalEventDefinition: executed([...BASE, 'condition'], ['id']),
  condition: expression,
  compensateEventDefinition: executed(BASE, ['id', 'activityRef', 'waitForCompletion']),
  cancelEventDefinition: executed(BASE, ['id']),
  linkEventDefinition: executed([...BASE, 'source', 'target'], ['id', 'name']),
  source: reference,
  target: reference,
  errorEventDefinition: executed(BASE, ['id', 'errorRef']),
  terminateEventDefinition: executed(BASE, ['id']),
  task,
  manualTask: task,
  serviceTask: executed(ACTIVITY, [...ACTIVITY_ATTRIBUTES, 'implementation', 'operationRef']),
  businessRuleTask: executed(ACTIVITY, [...ACTIVITY_ATTRIBUTES, 'implementation']),
  callActivity: executed(ACTIVITY, [...ACTIVITY_ATTRIBUTES, 'calledElement']),
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
  ioSpecification: executed([...BASE, 'dataInput', 'dataOutput', 'inputSet', 'outputSet'], ['id']),
  dataInput: item,
  dataOutput: item,
  property: executed([...BASE, 'dataState'], ['id', 'name', 'itemSubjectRef']),
  dataObject: executed([...FLOW_ELEMENT, 'dataState'], ITEM_ATTRIBUTES),
  dataObjectReference: executed(
    [...FLOW_ELEMENT, 'dataState'],
    ['id', 'name', 'itemSubjectRef', 'dataObjectRef'],
  ),
  dataStore: executed([...BASE, 'dataState'], ['id', 'name', 'itemSubjectRef', 'capacity', 'isUnlimited']),
  dataStoreReference: executed(
    [...FLOW_ELEMENT, 'dataState'],
    ['id', 'name', 'itemSubjectRef', 'dataStoreRef'],
  ),
  dataInputAssociation: association,
  dataOutputAssociation: association,
  sourceRef: reference,
  targetRef: reference,
  transformation: expression,
  assignment: executed([...BASE, 'from', 'to'], ['id']),
  from: expression,
  to: expression,
  subProcess: subProcessLike([], []),
  transaction: subProcessLike([], ['method']),
  adHocSubProcess: subProcessLike(['completionCondition'], ['ordering', 'cancelRemainingInstances']),
  exclusiveGateway: executed(FLOW_NODE, [...GATEWAY_ATTRIBUTES, 'default']),
  inclusiveGateway: executed(FLOW_NODE, [...GATEWAY_ATTRIBUTES, 'default']),
  parallelGateway: executed(FLOW_NODE, GATEWAY_ATTRIBUTES),
  eventBasedGateway: executed(FLOW_NODE, [...GATEWAY_ATTRIBUTES, 'instantiate', 'eventGatewayType']),
  complexGateway: executed([...FLOW_NODE, 'activationCondition'], [...GATEWAY_ATTRIBUTES, 'default']),
  activationCondition: expression,
  completionCondition: expression,
  standardLoopCharacteristics: executed([...BASE, 'loopCondition'], ['id', 'testBefore', 'loopMaximum']),
  loopCondition: expression,
  multiInstanceLoopCharacteristics: executed(
    [
      ...BASE,
      'loopCardinality',
      'loopDataInputRef',
      'loopDataOutputRef',
      'inputDataItem',
      'outputDataItem',
      'complexBehaviorDefinition',
      'completionCondition',
    ],
    ['id', 'isSequential', 'behavior', 'oneBehaviorEventRef', 'noneBehaviorEventRef'],
  ),
  loopCardinality: expression,
  loopDataInputRef: reference,
  loopDataOutputRef: reference,
  inputDataItem: item,
  outputDataItem: item,
};

const REFUSED: Readonly<Record<string, ElementRow>> = {
  correlationSubscription: refused(ELEMENT, 'correlate with q:alias'),
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
  complexBehaviorDefinition: refused(ELEMENT, 'throw the event in the activity, or after all instances'),
};

/** Documentation, drawing, data types, organisation, and the parts of refused elements. */
const DESCRIPTIVE = `
  auditing category categoryValue categoryValueRef childLaneSet choreographyRef
  collaboration conversation conversationAssociation conversationLink
  callConversation subConversation globalConversation correlationKey correlationProperty
  correlationPropertyBinding correlationPropertyRef correlationPropertyRetrievalExpression dataInputRefs
  dataOutputRefs dataPath dataState 
  documentation endPoint endPointRef errorRef event expression flowNodeRef formalExpression group
  humanPerformer implicitThrowEvent import inMessageRef innerParticipantRef 
  inputSet inputSetRefs interface interfaceRef ioBinding itemDefinition lane laneSet 
  messageFlow messageFlowAssociation messageFlowRef messagePath
  monitoring operation operationRef optionalInputRefs optionalOutputRefs outMessageRef 
  outerParticipantRef outputSet outputSetRefs participant participantAssociation
  participantMultiplicity participantRef partitionElement partnerEntity partnerRole 
  performer potentialOwner relationship rendering resource resourceAssignmentExpression resourceParameter
  resourceParameterBinding resourceRef resourceRole supportedInterfaceRef supports
  text textAnnotation whileExecutingInputRefs whileExecutingOutputRefs
`;

/** By local name. */
export const bpmnElements: ReadonlyMap<string, ElementRow> = new Map([
  ...Object.entries(EXECUTED),
  ...Object.entries(REFUSED),
  ...(DESCRIPTIVE.match(/\w+/g) ?? []).map((name) => [name, descriptive] as const),
]);

/**
 * Which event definitions may stand on which events, without `EventDefinition`; every other pair is refused.
 * What a start event may have depends on its scope too: read-events.ts. BPMN 2.0.2 §10.5, tables 10.84-10.93.
 */
const EXECUTED_EVENTS: Readonly<Record<string, readonly string[]>> = {
  startEvent: ['message', 'timer', 'signal', 'conditional', 'error', 'escalation', 'compensate'],
  intermediateCatchEvent: ['message', 'timer', 'signal', 'conditional', 'link'],
  boundaryEvent: ['message', 'timer', 'signal', 'conditional', 'error', 'escalation', 'compensate', 'cancel'],
  intermediateThrowEvent: ['message', 'signal', 'escalation', 'compensate', 'link'],
  endEvent: ['message', 'signal', 'error', 'escalation', 'compensate', 'cancel', 'terminate'],
};

export function isEventDefinition(localName: string): boolean {
  return EVENT_DEFINITIONS.includes(localName);
}

export function isExecutedEvent(event: string, definition: string): boolean {
  const kinds = Object.hasOwn(EXECUTED_EVENTS, event) ? EXECUTED_EVENTS[event] : undefined;
  return kinds?.includes(definition.replace(/EventDefinition$/, '')) ?? false;
}
