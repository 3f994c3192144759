/** Public models of other engines, what starts them, and what workers, people and senders do in them. */

export interface VendorModel {
  /** Paths in the corpus; the first is the model, the others are what it calls. */
  readonly files: readonly string[];
  /** What the corpus does not have of it: decisions, called processes. */
  readonly added?: Readonly<Record<string, string>>;
  /** More of package.yaml. */
  readonly allowed?: string;
  /** A process by its id, or the message that starts it. */
  readonly start: { readonly process: string } | { readonly message: string };
  readonly variables?: Readonly<Record<string, unknown>>;
  /** What workers answer, by channel; of several answers the last one stays. */
  readonly answers: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
  /** What people complete their tasks with, by element. */
  readonly people?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** What is sent when a token stands at an element. */
  readonly messages?: Readonly<Record<string, SentMessage>>;
  /** Default: `completed`. */
  readonly status?: string;
  /** Variables at the end. */
  readonly ends: Readonly<Record<string, unknown>>;
  /** What workers get, by channel: some of its properties, at the first time. */
  readonly gets?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface SentMessage {
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

function decision(id: string, inputs: readonly string[], output: string, feel: string): string {
  const requirements = inputs
    .map((input) => `<informationRequirement><requiredInput href="#${input}"/></informationRequirement>`)
    .join('');
  const data = inputs
    .map((input) => `<inputData id="${input}" name="${input}"><variable name="${input}"/></inputData>`)
    .join('');
  return `<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="${id}-file" name="${id}" namespace="urn:${id}">
${data}<decision id="${id}" name="${id}"><variable name="${output}"/>${requirements}<literalExpression><text>${feel}</text></literalExpression></decision>
</definitions>`;
}

function process(id: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="urn:added"><process id="${id}" isExecutable="true"><startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="e"/><endEvent id="e"/></process></definitions>`;
}

const external = 'camunda-bpm-platform/api/externaltask';
const operaton = 'operaton/dev-fixtures/processes';
const topic = 'externalTaskTopic';

export const camunda7Models: readonly VendorModel[] = [
  {
    files: [`${external}/oneExternalTaskProcess.bpmn20.xml`],
    start: { process: 'oneExternalTaskProcess' },
    variables: { a: 1 },
    answers: { [topic]: [{ b: 2 }] },
    ends: { a: 1, b: 2 },
    gets: { [topic]: { a: 1 } },
  },
  {
    files: [`${external}/twoExternalTaskProcess.bpmn20.xml`],
    start: { process: 'twoExternalTaskProcess' },
    answers: { [topic]: [{ b: 2 }] },
    people: { afterExternalTask: { done: true } },
    ends: { b: 2, done: true },
  },
  {
    files: [`${external}/ExternalTaskSupportTest.sendTask.bpmn20.xml`],
    start: { process: 'oneExternalTaskProcess' },
    answers: { [topic]: [{ sent: true }] },
    ends: { sent: true },
  },
  {
    files: [`${external}/ExternalTaskSupportTest.businessRuleTask.bpmn20.xml`],
    start: { process: 'oneExternalTaskProcess' },
    answers: { [topic]: [{ decided: 'yes' }] },
    ends: { decided: 'yes' },
  },
  {
    files: [`${external}/ExternalTaskServiceTest.externalTaskWithNestedErrorEventDefinition.bpmn20.xml`],
    start: { process: 'oneExternalTaskWithNestedErrorEventDefinition' },
    answers: { [topic]: [{}] },
    people: { Activity_01dmeca: { afterError: true } },
    ends: { afterError: true },
  },
  {
    files: [
      'camunda-bpm-platform/io/SkipOutputMappingOnCanceledActitivitesTest.oneExternalTaskWithOutputMappingAndCatchingErrorBoundaryEvent.bpmn',
    ],
    start: { process: 'externalTaskProcess' },
    answers: { [topic]: [{ bar: 7 }] },
    ends: { bar: 7, foo: 7 },
  },
  {
    files: ['flowable-engine/externalworker/ExternalWorkerServiceTaskTest.testWithExpressions.bpmn20.xml'],
    start: { process: 'simpleExternalWorker' },
    variables: { anotherVar: 3, anotherVar2: 4 },
    answers: { simple: [{ resultVar1: 5, resultVar2: 6 }] },
    people: { taskAfter: {} },
    ends: { anotherVar: 3, anotherVar2: 4, sum: 11, product: 30 },
    gets: { simple: { theSum: 7, theProduct: 12 } },
  },
  {
    files: [`${operaton}/risk-assessment.bpmn`],
    start: { process: 'riskAssessment' },
    answers: { 'risk-assess': [{ risk: 'high' }] },
    people: { UserTask_HighRiskReview: { reviewed: true } },
    ends: { risk: 'high', reviewed: true },
  },
  {
    files: [`${operaton}/loan-approval.bpmn`, `${operaton}/risk-assessment.bpmn`],
    start: { message: 'loan-application-received' },
    variables: { amount: 500, secret: 'kept' },
    answers: { 'credit-check': [{ credit: 'good' }], 'risk-assess': [{ risk: 'low', other: 1 }] },
    people: { UserTask_Reviewer: {}, UserTask_FinalDecision: { decided: true } },
    ends: { amount: 500, secret: 'kept', credit: 'good', risk: 'low', decided: true },
    gets: { 'risk-assess': { amount: 500, credit: 'good' } },
  },
  {
    files: [`${operaton}/insurance-claim.bpmn`],
    added: {
      'rules/routing.dmn': decision(
        'claimRouting',
        ['damage'],
        'routing',
        'if damage &lt; 10 then "fast-track" else "slow"',
      ),
    },
    start: { process: 'insuranceClaim' },
    answers: { 'compute-damage': [{ computed: 12 }] },
    people: { UserTask_Submit: { damage: 12 }, UserTask_Assess: {}, UserTask_Decision: { approved: true } },
    ends: { damage: 12, routing: 'slow', computed: 12, approved: true },
  },
  {
    files: [`${operaton}/kyc-agent.bpmn`],
    added: {
      'rules/policy.dmn': decision(
        'tool-policy',
        ['nextAction'],
        'policy',
        '{verdict: if nextAction = "bribe" then "deny" else "allow"}',
      ),
    },
    start: { process: 'kyc-agent' },
    variables: { fullName: 'Erika' },
    answers: {
      'agent-decide': [{ nextAction: 'bribe' }, { nextAction: 'check_sanctions' }, { nextAction: 'done' }],
      'policy-denied': [{ denied: true }],
      'check-sanctions': [{ sanctions: 'none' }],
    },
    people: { approve: { approved: true } },
    ends: {
      fullName: 'Erika',
      nextAction: 'done',
      policy: { verdict: 'allow' },
      denied: true,
      sanctions: 'none',
      approved: true,
    },
  },
];

const zeebe8 = 'bpmn-driven-testing/integration-tests-8';
const zeebeTest = 'zeebe-process-test';

export const zeebeModels: readonly VendorModel[] = [
  {
    files: [`${zeebe8}/simple/simpleMessageThrowEvent.bpmn`],
    start: { process: 'simpleMessageThrowEvent' },
    answers: { messageThrowEventType: [{ thrown: true }] },
    ends: { thrown: true },
  },
  {
    files: [`${zeebe8}/simple/simpleOutboundConnector.bpmn`],
    start: { process: 'simpleOutboundConnector' },
    variables: { headers: { a: 'b' }, queryParameters: null },
    answers: { 'io.camunda:http-json:1': [{ responseBody: 'ok' }] },
    ends: { responseBody: 'ok', headers: { a: 'b' }, queryParameters: null },
    gets: {
      'io.camunda:http-json:1': {
        method: 'GET',
        url: 'https://example.org',
        authentication: { type: 'noAuth' },
        connectionTimeoutInSeconds: '20',
      },
    },
  },
  {
    files: [`${zeebe8}/advanced/outboundConnectorError.bpmn`],
    start: { process: 'outboundConnectorError' },
    answers: { 'io.camunda:http-json:1': [{}] },
    ends: {},
  },
  {
    files: [`${zeebe8}/advanced/callActivitySubProcess.bpmn`],
    start: { message: 'messageStart' },
    variables: { a: 1 },
    answers: { advanced: [{ end: 'signal' }] },
    ends: { a: 1, end: 'signal' },
  },
  {
    files: [`${zeebe8}/advanced-multi-instance/scopeSequential.bpmn`],
    added: { 'bpmn/advanced.bpmn': process('advanced') },
    start: { process: 'scopeSequential' },
    variables: { elements: [1, 2] },
    answers: { advanced: [{ worked: true }] },
    people: { userTask: {} },
    messages: {
      messageCatchEvent: {
        message: 'advancedMessage',
        headers: { 'correlation-key': 'advancedMessageKey' },
        body: { came: true },
      },
    },
    ends: { elements: [1, 2], worked: true, came: true },
  },
  {
    files: ['bpmn-miwg-test-suite/Reference/C.9.1.bpmn'],
    start: { process: 'requestDocument_en' },
    variables: { documentReferenceId: 'D-1' },
    answers: { email: [{}] },
    messages: {
      ReceiveTask_WaitForDocument: {
        message: 'MESSAGE_documentReceived',
        body: { correlationKey: 'D-1', pages: 3 },
      },
    },
    ends: { documentReferenceId: 'D-1', correlationKey: 'D-1', pages: 3 },
  },
  {
    files: [`${zeebeTest}/examples/pr-created.bpmn`, `${zeebeTest}/examples/automated-tests.bpmn`],
    start: { message: 'prCreated' },
    variables: { prId: 'P-1' },
    answers: { runTests: [{}], deploySnapshot: [{}] },
    people: { requestReview: {}, mergeCode: {} },
    messages: {
      Gateway_1wymgxc: {
        message: 'reviewReceived',
        headers: { 'correlation-key': 'P-1' },
        body: { reviewResult: 'approved' },
      },
    },
    ends: { prId: 'P-1', reviewResult: 'approved' },
  },
  {
    files: [`${zeebeTest}/examples/automated-tests.bpmn`],
    start: { process: 'automatedTestsProcess' },
    answers: { runTests: [{ passed: true }] },
    ends: { passed: true },
    gets: { runTests: { operatingSystem: 'ubuntu' } },
  },
  {
    files: [`${zeebeTest}/qa/abstracts/test_timer_events.bpmn`],
    start: { process: 'Process_Timer_Test_01' },
    answers: { SimpleLog01: [{ logged: true }] },
    status: 'terminated',
    ends: { logged: true },
  },
  {
    files: [`${zeebeTest}/qa/abstracts/looping-servicetask.bpmn`],
    start: { process: 'looping-servicetask' },
    variables: { totalLoops: 3 },
    answers: { test: [{ dropped: true }] },
    ends: { totalLoops: 3, loopAmount: 3, dropped: undefined },
  },
  {
    files: ['zeebe/instance/zeebe/ZeebeExecutionListenersTest.bpmn'],
    allowed: 'listeners: ignore',
    start: { process: 'Process_1a53s9c' },
    answers: { task_type: [{ worked: true }] },
    ends: { worked: true },
  },
];
