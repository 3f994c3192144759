/**
 * What the reference page of BPMN says about elements beside their status, which is the compiler's own.
 * `test/arch/bpmn-page.test.ts` holds every key against the compiler's table.
 */

/** By the name of an element that is executed or documents. */
export const elementNotes: Readonly<Record<string, string>> = {
  process: '`isExecutable="false"`: documentation, with a warning; without the attribute it is executed',
  definitions: '`expressionLanguage`: FEEL, or a language that no expression of the file is in',
  extensionElements:
    'elements of the namespace `urn:sutra:q:1.0` are executed; those of modelers that we know are translated: [models.md](models.md); others are not read',
  message:
    'its `name` is the channel of an event or task without `q:source` or `q:send`; with these, messages are told apart by channel and type',
  signal: 'its `name` is what is thrown and caught, in all instances',
  error: 'its `errorCode` is what is thrown and caught',
  escalation: 'its `escalationCode` is what is thrown and caught',
  association: 'joins a compensation boundary event with its activity; any other one is drawing',
  conditionExpression: 'FEEL; on flows out of exclusive, inclusive and complex gateways and of activities',
  startEvent:
    'none, or what the rows below say; a process and a sub-process can do without one (implicit start)',
  intermediateCatchEvent:
    'several definitions: the first trigger that occurs; all of them with `parallelMultiple`',
  intermediateThrowEvent: 'several definitions: all of them, in the order of the file',
  endEvent: 'several definitions: all of them, in the order of the file',
  boundaryEvent: 'on any activity; an association to a compensation activity instead of sequence flows',
  timeDuration: 'ISO-8601 without years and months, or FEEL',
  timeDate: 'ISO-8601 with an offset, or FEEL',
  timeCycle: '`R[n]/<duration>`, or FEEL that yields its text',
  condition: 'FEEL; looked at when variables change',
  compensateEventDefinition: 'without `activityRef` all of the scope, in reverse order of completion',
  linkEventDefinition: 'found by `name` in its own scope; `source` and `target` are not needed',
  task: 'done as soon as it is reached',
  manualTask: 'done as soon as it is reached',
  serviceTask:
    '`implementation="channel:<name>"` or `registered:<name>`; without one, data associations: a data task',
  businessRuleTask:
    '`implementation="decision:<id or name>"`: a decision of `rules/`, made at once; else as a service task, on whatever decides',
  sendTask: 'with `q:send`, or on the channel of its message',
  receiveTask: 'with `q:source`, or on the channel of its message; `instantiate="true"` starts instances',
  userTask: 'completed by its route, or by the message of its `q:source`; `rendering` and roles document',
  scriptTask: 'FEEL; its value goes to the variable of `q:output`, else a context becomes variables',
  callActivity: 'runs the process that `calledElement` names (an id, or FEEL after `=`), or `q:dispatch`',
  subProcess: '`triggeredByEvent="true"`: an event sub-process',
  transaction: 'compensated and left by its cancel boundary event when a cancel end event is reached',
  adHocSubProcess: 'its activities are launched from outside; `ordering`, `cancelRemainingInstances`',
  standardLoopCharacteristics: 'with a `loopCondition` or `loopMaximum`, or both',
  multiInstanceLoopCharacteristics:
    'with a `loopCardinality`, a `loopDataInputRef` or `q:loop`; any activity, parallel or sequential',
  loopDataInputRef: "the id of data, or the name of a variable; a task's own data input is what fills it",
  loopDataOutputRef: "the id of data, or the name of a variable; a task's own data output is where it goes",
  inputDataItem: 'a variable of each instance',
  outputDataItem: 'a variable of each instance',
  completionCondition: 'FEEL; asked after each instance, or each activity of an ad hoc sub-process',
  complexGateway: 'fires when its `activationCondition` holds, and is reset when all its tokens have come',
  eventBasedGateway:
    '`instantiate="true"` without an incoming flow starts instances; then also `eventGatewayType="Parallel"`',
  inclusiveGateway: 'a join waits for every token that can still reach it',
  dataObject: 'a variable of its scope, when a data association or a loop refers to it; else documentation',
  dataObjectReference: 'its data object',
  dataStore: 'its name is that of the store; `capacity` and `isUnlimited` are not read',
  dataStoreReference:
    'a record, by `q:store`; without that only documentation, and refused where an association uses it',
  property:
    'a variable: of a process or sub-process for all inside, of a task for itself; of an event documentation',
  ioSpecification: 'of tasks and calls; of a process its data are variables; input and output sets document',
  dataInput: 'a variable of the activity when an association fills it; else documentation',
  dataOutput: 'a variable of the activity when an association takes it; else documentation',
  dataInputAssociation:
    'run when the activity begins; one without a source or target is a drawing, with a warning',
  dataOutputAssociation:
    'run when the activity is done; on events that catch those with assignments; one without a source or target is a drawing, with a warning',
  transformation: 'FEEL; the sources are seen by their names',
  to: 'a variable, a dotted path into one, or the id of data',
  laneSet: 'lanes change nothing that runs',
  collaboration: 'pools and message flows change nothing that runs',
  potentialOwner: 'who may do a task is not decided here',
  itemDefinition: 'variables have the types of their values',
  extension: 'see `mustUnderstand`',
};

/** A value that is refused of an attribute, beside those of the compiler's table. */
export interface RestrictedAttribute {
  readonly attribute: string;
  readonly on: string;
  readonly refused: string;
  /** The inside of a process that has it: the page is not written unless the compiler refuses this. */
  readonly sample: string;
}

const START = '<startEvent id="s"/>';
const toN = `${START}<sequenceFlow id="f" sourceRef="s" targetRef="n"/>`;
const SOURCE = '<extensionElements><q:source channel="in"/></extensionElements>';
const IMPLEMENTATIONS = '`channel:<name>`, `registered:<name>`, `##unspecified` and `##WebService`';
const WITHOUT_DATA = 'the last two without data associations';

export const restrictedAttributes: readonly RestrictedAttribute[] = [
  {
    attribute: 'calledElement',
    on: 'callActivity',
    refused: 'what is neither the id of a process nor FEEL after `=`; the id of a global task',
    sample: `${toN}<callActivity id="n" calledElement="my process"/>`,
  },
  {
    attribute: 'eventGatewayType',
    on: 'eventBasedGateway',
    refused: '`Parallel` without `instantiate="true"`',
    sample: `${toN}<eventBasedGateway id="n" eventGatewayType="Parallel"/><sequenceFlow id="g" sourceRef="n" targetRef="t"/>
      <receiveTask id="t">${SOURCE}</receiveTask>`,
  },
  {
    attribute: 'implementation',
    on: 'serviceTask',
    refused: `other values than ${IMPLEMENTATIONS}; ${WITHOUT_DATA}`,
    sample: `${toN}<serviceTask id="n" implementation="decision:price"/>`,
  },
  {
    attribute: 'implementation',
    on: 'businessRuleTask',
    refused: `other values than \`decision:<id or name>\`, ${IMPLEMENTATIONS}; ${WITHOUT_DATA}`,
    sample: `${toN}<businessRuleTask id="n" implementation="https://www.omg.org/spec/DMN/20191111/MODEL/"/>`,
  },
  {
    attribute: 'implementation',
    on: 'businessRuleTask',
    refused: '`decision:` with what is the id or the name of no decision of the package, or of several',
    sample: `${toN}<businessRuleTask id="n" implementation="decision:price"/>`,
  },
  {
    attribute: 'implementation',
    on: 'sendTask, receiveTask, userTask',
    refused: '`channel:<name>`, `registered:<name>` and `decision:<name>`, which other tasks call',
    sample: `${toN}<userTask id="n" implementation="channel:work"/>`,
  },
  {
    attribute: 'instantiate',
    on: 'receiveTask, eventBasedGateway',
    refused: '`true` with an incoming flow, inside a sub-process, in a loop or as compensation',
    sample: `${toN}<receiveTask id="n" instantiate="true">${SOURCE}</receiveTask>`,
  },
  {
    attribute: 'language, expressionLanguage',
    on: 'every expression, definitions',
    refused: 'a language other than FEEL',
    sample: `${toN}<task id="n"><standardLoopCharacteristics><loopCondition language="groovy">a</loopCondition></standardLoopCharacteristics></task>`,
  },
  {
    attribute: 'loopMaximum',
    on: 'standardLoopCharacteristics',
    refused: 'what is no whole number from 1',
    sample: `${toN}<task id="n"><standardLoopCharacteristics loopMaximum="0"/></task>`,
  },
  {
    attribute: 'parallelMultiple',
    on: 'startEvent',
    refused:
      '`true` at the start of a process with several definitions: use an event-based gateway with `instantiate`',
    sample: `<startEvent id="s" parallelMultiple="true">${SOURCE}<messageEventDefinition/><conditionalEventDefinition><condition>a</condition></conditionalEventDefinition></startEvent>`,
  },
  {
    attribute: 'scriptFormat',
    on: 'scriptTask',
    refused: 'a language other than FEEL',
    sample: `${toN}<scriptTask id="n" scriptFormat="groovy"><script>1</script></scriptTask>`,
  },
  {
    attribute: 'triggeredByEvent',
    on: 'transaction, adHocSubProcess',
    refused: '`true`: put it into an event sub-process',
    sample: `${toN}<task id="n"/><transaction id="t" triggeredByEvent="true"><startEvent id="i">${SOURCE}<messageEventDefinition/></startEvent></transaction>`,
  },
];
