import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bpmnElements, FLOW_NODES, isEventDefinition } from '../../../definitions/bpmn/elements.ts';
import { nearestName } from '../../../definitions/nearest-name.ts';
import { qElements } from '../../../definitions/bpmn/q-elements.ts';

/** Of BPMN20.xsd and Semantic.xsd, version 2.0.2: global elements whose type is not abstract. */
const GLOBAL_ELEMENTS = `
  definitions import adHocSubProcess assignment association auditing boundaryEvent businessRuleTask callActivity
  callChoreography callConversation cancelEventDefinition category categoryValue choreography choreographyTask
  collaboration compensateEventDefinition complexBehaviorDefinition complexGateway conditionalEventDefinition
  conversation conversationAssociation conversationLink correlationKey correlationProperty
  correlationPropertyBinding correlationPropertyRetrievalExpression correlationSubscription dataInput
  dataInputAssociation dataObject dataObjectReference dataOutput dataOutputAssociation dataState dataStore
  dataStoreReference documentation endEvent endPoint error errorEventDefinition escalation
  escalationEventDefinition eventBasedGateway exclusiveGateway expression extension extensionElements
  formalExpression globalBusinessRuleTask globalChoreographyTask globalConversation globalManualTask
  globalScriptTask globalTask globalUserTask group humanPerformer implicitThrowEvent inclusiveGateway inputSet
  interface intermediateCatchEvent intermediateThrowEvent ioBinding ioSpecification itemDefinition lane laneSet
  linkEventDefinition manualTask message messageEventDefinition messageFlow messageFlowAssociation monitoring
  multiInstanceLoopCharacteristics operation outputSet parallelGateway participant participantAssociation
  participantMultiplicity partnerEntity partnerRole performer potentialOwner process property receiveTask
  relationship rendering resource resourceAssignmentExpression resourceParameter resourceParameterBinding
  resourceRole scriptTask script sendTask sequenceFlow serviceTask signal signalEventDefinition
  standardLoopCharacteristics startEvent subChoreography subConversation subProcess task
  terminateEventDefinition textAnnotation text timerEventDefinition transaction userTask`;

/** Elements that the schema declares inside the type of another one. */
const LOCAL_ELEMENTS = `
  completionCondition from to supportedInterfaceRef eventDefinitionRef participantRef messageFlowRef
  choreographyRef condition event activationCondition correlationPropertyRef dataPath messagePath sourceRef
  targetRef transformation categoryValueRef incoming outgoing dataInputRefs optionalInputRefs
  whileExecutingInputRefs outputSetRefs partitionElement flowNodeRef childLaneSet source target operationRef
  loopCardinality loopDataInputRef loopDataOutputRef inputDataItem outputDataItem inMessageRef outMessageRef
  errorRef dataOutputRefs optionalOutputRefs whileExecutingOutputRefs inputSetRefs interfaceRef endPointRef
  innerParticipantRef outerParticipantRef supports resourceRef conditionExpression loopCondition timeDate
  timeDuration timeCycle`;

describe('the element table', () => {
  test('knows every element that another one may hold', () => {
    const held = [...bpmnElements.values()].flatMap(({ children }) => [...(children ?? [])]);
    assert.deepEqual(
      held.filter((name) => !bpmnElements.has(name)),
      [],
    );
  });

  test('gives a refusal to what is refused and to nothing else', () => {
    for (const [name, { status, refusal }] of bpmnElements) {
      assert.equal(status === 'refused', refusal !== null, name);
    }
  });

  test('examines whatever is executed', () => {
    for (const [name, { status, children, attributes }] of bpmnElements) {
      assert.equal(status === 'executed' && (children === null || attributes === null), false, name);
    }
  });

  test('calls no flow node and no event definition descriptive', () => {
    const events = [...bpmnElements.keys()].filter(isEventDefinition);
    assert.equal(events.length, 10);
    for (const name of [...FLOW_NODES, ...events]) {
      assert.notEqual(bpmnElements.get(name)?.status, 'descriptive', name);
    }
  });

  test('has every element that the schema lets a file hold, and no other', () => {
    const schema = new Set(`${GLOBAL_ELEMENTS} ${LOCAL_ELEMENTS}`.match(/\w+/g));
    assert.deepEqual([...bpmnElements.keys()].toSorted(), [...schema].toSorted());
  });
});

describe('the q table', () => {
  test('has a place for every element', () => {
    for (const [name, { owners, parents }] of Object.entries(qElements)) {
      assert.ok(owners === null || owners.length + parents.length > 0, name);
      for (const owner of owners ?? []) {
        assert.ok(bpmnElements.has(owner), owner);
      }
    }
  });
});

describe('the nearest name', () => {
  const known = ['serviceTask', 'sendTask', 'name', 'id'];
  const cases: readonly (readonly [string, string | null])[] = [
    ['servicTask', 'serviceTask'],
    ['ServiceTask', 'serviceTask'],
    ['nmae', 'name'],
    ['ide', 'id'],
    ['callActivity', null],
    ['', null],
    ['x'.repeat(10_000), null],
  ];
  for (const [name, nearest] of cases) {
    test(`of ${JSON.stringify(name.slice(0, 20))} is ${String(nearest)}`, () => {
      assert.equal(nearestName(name, known), nearest);
    });
  }
});
