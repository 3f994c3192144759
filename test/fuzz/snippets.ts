/**
 * Pieces of BPMN that are put into a model, so that an input reaches what the file itself does not use.
 * Those that the engine refuses are here too: they are inputs like any other.
 *
 * In a text `@` stands for an id of its own, `$E` for an expression, `$D`, `$T` and `$C` for a duration, a
 * date and a cycle. Names get the file's prefix where it is put in; `q` is declared where it is used.
 */

export interface Snippet {
  /** Flow nodes, and what joins them inside. */
  readonly text: string;
  /** Root elements that it refers to. */
  readonly roots?: string;
  /** Suffix to `@` of the node where it is left, by the flow `@-on`; it is entered at `@`. */
  readonly exit?: string;
}

const flow = (from: string, to: string, inside = ''): string =>
  `<sequenceFlow id="@${from}-${to}" sourceRef="@${from}" targetRef="@${to}">${inside}</sequenceFlow>`;
const when = (expression: string): string => `<conditionExpression>${expression}</conditionExpression>`;
const q = (inside: string): string => `<extensionElements>${inside}</extensionElements>`;
const source = q('<q:source channel="in" name="m"/><q:alias name="key" expression="$E"/>');
const timer = '<timerEventDefinition><timeDuration>$D</timeDuration></timerEventDefinition>';
const send = q('<q:send channel="out" body="$E"><q:header name="X-A" value="$E"/></q:send>');

const roots = [
  '<message id="@msg" name="note"/>',
  '<error id="@err" errorCode="E1"/>',
  '<signal id="@sig" name="alarm"/>',
  '<escalation id="@esc" escalationCode="C1"/>',
].join('');

/** One node that a sequence flow leads to and leaves. */
const nodes: readonly string[] = [
  '<task id="@"/>',
  '<manualTask id="@"/>',
  '<userTask id="@"/>',
  `<userTask id="@">${source}</userTask>`,
  `<scriptTask id="@">${q('<q:output variable="x"/>')}<script>$E</script></scriptTask>`,
  '<scriptTask id="@"><script>{n: $E}</script></scriptTask>',
  `<serviceTask id="@" implementation="channel:work">${q('<q:param name="p" expression="$E"/><q:timeout duration="PT1H"/><q:output variable="x"/>')}</serviceTask>`,
  `<serviceTask id="@" implementation="registered:price">${q('<q:param name="p" expression="$E"/><q:reply body="$E"/>')}</serviceTask>`,
  `<businessRuleTask id="@" implementation="channel:work"/>`,
  '<serviceTask id="@"><property id="@p" name="x"/><dataInputAssociation><targetRef>@p</targetRef><assignment><from>$E</from><to>x.y</to></assignment></dataInputAssociation></serviceTask>',
  `<sendTask id="@">${send}</sendTask>`,
  `<receiveTask id="@">${source}</receiveTask>`,
  '<callActivity id="@" calledElement="p"/>',
  '<callActivity id="@" calledElement="=$E"/>',
  `<intermediateCatchEvent id="@">${timer}</intermediateCatchEvent>`,
  '<intermediateCatchEvent id="@"><timerEventDefinition><timeDate>$T</timeDate></timerEventDefinition></intermediateCatchEvent>',
  '<intermediateCatchEvent id="@"><timerEventDefinition><timeCycle>$C</timeCycle></timerEventDefinition></intermediateCatchEvent>',
  `<intermediateCatchEvent id="@">${source}<messageEventDefinition messageRef="@msg"/></intermediateCatchEvent>`,
  '<intermediateCatchEvent id="@"><signalEventDefinition signalRef="@sig"/></intermediateCatchEvent>',
  '<intermediateCatchEvent id="@"><conditionalEventDefinition><condition>$E</condition></conditionalEventDefinition></intermediateCatchEvent>',
  `<intermediateCatchEvent id="@" parallelMultiple="true">${source}<messageEventDefinition/>${timer}</intermediateCatchEvent>`,
  '<intermediateThrowEvent id="@"/>',
  `<intermediateThrowEvent id="@">${send}<messageEventDefinition/></intermediateThrowEvent>`,
  '<intermediateThrowEvent id="@"><signalEventDefinition signalRef="@sig"/></intermediateThrowEvent>',
  '<intermediateThrowEvent id="@"><escalationEventDefinition escalationRef="@esc"/></intermediateThrowEvent>',
  '<intermediateThrowEvent id="@"><compensateEventDefinition/></intermediateThrowEvent>',
  '<exclusiveGateway id="@"/>',
  '<inclusiveGateway id="@"/>',
  '<parallelGateway id="@"/>',
  '<complexGateway id="@"><activationCondition>$E</activationCondition></complexGateway>',
  '<userTask id="@"><multiInstanceLoopCharacteristics><loopCardinality>$E</loopCardinality></multiInstanceLoopCharacteristics></userTask>',
  '<scriptTask id="@"><multiInstanceLoopCharacteristics isSequential="true"><loopCardinality>3</loopCardinality><completionCondition>$E</completionCondition></multiInstanceLoopCharacteristics><script>$E</script></scriptTask>',
  '<task id="@"><multiInstanceLoopCharacteristics><loopCardinality>2000</loopCardinality></multiInstanceLoopCharacteristics></task>',
  '<userTask id="@"><standardLoopCharacteristics testBefore="true" loopMaximum="5"><loopCondition>$E</loopCondition></standardLoopCharacteristics></userTask>',
];

/** Several nodes with flows of their own. */
const blocks: readonly Snippet[] = [
  {
    text: `<parallelGateway id="@"/>${flow('', 'a')}${flow('', 'b')}<userTask id="@a"/><userTask id="@b"/>${flow('a', 'x')}${flow('b', 'x')}<parallelGateway id="@x"/>`,
    exit: 'x',
  },
  {
    text: `<inclusiveGateway id="@"/>${flow('', 'a', when('$E'))}${flow('', 'b', when('=true'))}<userTask id="@a"/><task id="@b"/>${flow('a', 'x')}${flow('b', 'x')}<inclusiveGateway id="@x"/>`,
    exit: 'x',
  },
  {
    text: `<exclusiveGateway id="@" default="@-b"/>${flow('', 'a', when('$E'))}${flow('', 'b')}<task id="@a"/><task id="@b"/>${flow('a', 'x')}${flow('b', 'x')}<exclusiveGateway id="@x"/>`,
    exit: 'x',
  },
  // A loop that its data, or nothing at all, ends.
  {
    text: `<exclusiveGateway id="@"/>${flow('', 'a')}<scriptTask id="@a">${q('<q:output variable="x"/>')}<script>$E</script></scriptTask>${flow('a', 'x')}<exclusiveGateway id="@x" default="@-on"/>${flow('x', '', when('$E'))}`,
    exit: 'x',
  },
  {
    text: `<inclusiveGateway id="@"/>${flow('', 'a')}<userTask id="@a"/>${flow('a', 'x')}<inclusiveGateway id="@x" default="@-on"/>${flow('x', '', when('$E'))}`,
    exit: 'x',
  },
  {
    text: `<eventBasedGateway id="@"/>${flow('', 'a')}${flow('', 'b')}<intermediateCatchEvent id="@a">${timer}</intermediateCatchEvent><receiveTask id="@b">${source}</receiveTask>${flow('a', 'x')}${flow('b', 'x')}<exclusiveGateway id="@x"/>`,
    exit: 'x',
  },
  {
    text: `<subProcess id="@"><startEvent id="@a"/>${flow('a', 'b')}<userTask id="@b"/>${flow('b', 'c')}<endEvent id="@c"/></subProcess>`,
  },
  {
    text: `<subProcess id="@"><startEvent id="@a"/>${flow('a', 'c')}<endEvent id="@c"><errorEventDefinition errorRef="@err"/></endEvent></subProcess><boundaryEvent id="@d" attachedToRef="@"><errorEventDefinition errorRef="@err"/></boundaryEvent>`,
    roots,
  },
  {
    text: `<subProcess id="@"><startEvent id="@a"/>${flow('a', 'b')}<userTask id="@b"/><subProcess id="@v" triggeredByEvent="true"><startEvent id="@w" isInterrupting="false">${timer}</startEvent>${flow('w', 'y')}<userTask id="@y"/></subProcess></subProcess>`,
  },
  {
    text: `<transaction id="@"><startEvent id="@a"/>${flow('a', 'b')}<task id="@b"/><boundaryEvent id="@d" attachedToRef="@b"><compensateEventDefinition/></boundaryEvent><task id="@h" isForCompensation="true"/><association id="@as" associationDirection="One" sourceRef="@d" targetRef="@h"/>${flow('b', 'c')}<endEvent id="@c"><cancelEventDefinition/></endEvent></transaction><boundaryEvent id="@k" attachedToRef="@"><cancelEventDefinition/></boundaryEvent>`,
  },
  {
    text: `<adHocSubProcess id="@"><userTask id="@a"/><task id="@b"/><completionCondition>$E</completionCondition></adHocSubProcess>`,
  },
  {
    text: `<subProcess id="@"><multiInstanceLoopCharacteristics><loopCardinality>3</loopCardinality></multiInstanceLoopCharacteristics><startEvent id="@a"/>${flow('a', 'b')}<userTask id="@b"/></subProcess>`,
  },
  {
    text: `<task id="@"/>${flow('', 'l')}<intermediateThrowEvent id="@l"><linkEventDefinition name="@link"/></intermediateThrowEvent><intermediateCatchEvent id="@x"><linkEventDefinition name="@link"/></intermediateCatchEvent>`,
    exit: 'x',
  },
];

export const flowSnippets: readonly Snippet[] = [...nodes.map((text) => ({ text, roots })), ...blocks];

const boundary = (event: string): string =>
  `<boundaryEvent id="@" attachedToRef="$H" cancelActivity="$I">${event}</boundaryEvent>${flow('', 'z')}<endEvent id="@z"/>`;

/** Attached to the activity `$H`; `$I` says whether it interrupts. */
export const boundarySnippets: readonly string[] = [
  boundary(timer),
  boundary('<timerEventDefinition><timeCycle>$C</timeCycle></timerEventDefinition>'),
  boundary(`${source}<messageEventDefinition/>`),
  boundary('<errorEventDefinition/>'),
  boundary('<errorEventDefinition errorRef="@err"/>'),
  boundary('<signalEventDefinition signalRef="@sig"/>'),
  boundary('<escalationEventDefinition escalationRef="@esc"/>'),
  boundary('<conditionalEventDefinition><condition>$E</condition></conditionalEventDefinition>'),
  '<boundaryEvent id="@" attachedToRef="$H"><compensateEventDefinition/></boundaryEvent><userTask id="@h" isForCompensation="true"/><association id="@as" associationDirection="One" sourceRef="@" targetRef="@h"/>',
];

/** Put into an end event instead of what it does. */
export const endSnippets: readonly string[] = [
  '',
  '<terminateEventDefinition/>',
  '<errorEventDefinition errorRef="@err"/>',
  '<escalationEventDefinition escalationRef="@esc"/>',
  '<signalEventDefinition signalRef="@sig"/>',
  '<compensateEventDefinition/>',
  `${send}<messageEventDefinition/>`,
  q('<q:reply contentType="application/json" body="$E"/>'),
];

/** Put into an activity. */
export const loopSnippets: readonly string[] = [
  '<multiInstanceLoopCharacteristics><loopCardinality>3</loopCardinality></multiInstanceLoopCharacteristics>',
  '<multiInstanceLoopCharacteristics isSequential="true"><loopCardinality>$E</loopCardinality></multiInstanceLoopCharacteristics>',
  '<multiInstanceLoopCharacteristics><loopDataInputRef>x</loopDataInputRef><inputDataItem name="item"/><completionCondition>$E</completionCondition></multiInstanceLoopCharacteristics>',
  '<standardLoopCharacteristics loopMaximum="4"/>',
  '<standardLoopCharacteristics testBefore="true"><loopCondition>$E</loopCondition></standardLoopCharacteristics>',
];

export const snippetRoots = roots;
