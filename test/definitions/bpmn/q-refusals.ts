/** One row for every way in which q: elements are refused: `▮` marks where each finding must point. */
import type { RefusalRow } from './refusal-row.ts';
import { definitions, extensions, processWith } from './marked-file.ts';

/** A channel call with `inside` in its extension elements. */
const call = (inside: string): string =>
  processWith(`<serviceTask id="n" implementation="channel:work">${extensions(inside)}</serviceTask>`);

const receive = (inside: string): string =>
  processWith(`<receiveTask id="n">${extensions(inside)}</receiveTask>`);

const throwing = (inside: string): string =>
  processWith(
    `<intermediateThrowEvent id="n">${extensions(inside)}<messageEventDefinition/></intermediateThrowEvent>`,
  );

const row = (title: string, text: string, ...codes: readonly RefusalRow['codes'][number][]): RefusalRow => ({
  title,
  text,
  codes,
});

const invalid = (text: string): RefusalRow =>
  row(`${/<q:[^>]*▮[^>]*>/.exec(text)?.[0] ?? text} is refused`, text, 'SUTRA.Q.VALUE_INVALID');

const misplaced = (title: string, text: string): RefusalRow => row(title, text, 'SUTRA.Q.ELEMENT_MISPLACED');

const names: readonly RefusalRow[] = [
  row(
    'an unknown q element is refused',
    call('▮<q:parm name="a" expression="b"/>'),
    'SUTRA.Q.ELEMENT_UNKNOWN',
  ),
  row(
    'an unknown attribute of a q element is refused',
    call('<q:param name="a" ▮expresion="b" expression="b"/>'),
    'SUTRA.Q.ATTRIBUTE_UNKNOWN',
  ),
  row(
    'an attribute of a q element with a prefix is refused',
    call('<q:param name="a" ▮q:expression="b" expression="b"/>'),
    'SUTRA.Q.ATTRIBUTE_UNKNOWN',
  ),
  row(
    'an attribute in the q namespace on a BPMN element is refused',
    processWith('<task id="n" ▮q:channel="c"/>'),
    'SUTRA.Q.ATTRIBUTE_UNKNOWN',
  ),
  row(
    'another version of the q namespace is refused',
    processWith(`<task id="n">${extensions('▮<z:reply xmlns:z="urn:sutra:q:2.0"/>')}</task>`),
    'SUTRA.Q.NAMESPACE_UNKNOWN',
  ),
  row(
    'an attribute of another version of the q namespace is refused',
    processWith('<task id="n" xmlns:z="urn:sutra:q" ▮z:channel="c"/>'),
    'SUTRA.Q.NAMESPACE_UNKNOWN',
  ),
  row(
    'text in a q element is refused',
    call('▮<q:param name="a" expression="b">c</q:param>'),
    'SUTRA.BPMN.TEXT_UNEXPECTED',
  ),
];

const required: readonly RefusalRow[] = [
  ...(
    [
      [receive('▮<q:source/>'), 1],
      [receive('<q:source channel="in"/>▮<q:alias name="a"/>'), 1],
      [receive('<q:source channel="in"/>▮<q:alias expression="a"/>'), 1],
      [call('▮<q:param name="a"/>'), 1],
      [call('▮<q:header value="1"/>'), 1],
      [call('▮<q:output/>'), 1],
      [call('▮<q:timeout/>'), 1],
      [throwing('▮<q:send/>'), 1],
    ] as const
  ).map(([text]) =>
    row(`${/▮(<q:[^>]*>)/.exec(text)?.[1] ?? ''} lacks an attribute`, text, 'SUTRA.Q.ATTRIBUTE_MISSING'),
  ),
  row(
    'both message types of a source are refused',
    receive('<q:source channel="in" messageTypeValue="a" ▮messageTypePattern="b*"/>'),
    'SUTRA.Q.ATTRIBUTES_EXCLUSIVE',
  ),
  row(
    'a channel and a destination of a send are refused',
    throwing('<q:send channel="a" ▮destination="b"/>'),
    'SUTRA.Q.ATTRIBUTES_EXCLUSIVE',
  ),
  row(
    'an alias that is unique and multi is refused',
    receive('<q:source channel="in"/>▮<q:alias name="a" expression="b" unique="true" multi="true"/>'),
    'SUTRA.Q.ATTRIBUTES_EXCLUSIVE',
  ),
];

const values: readonly RefusalRow[] = [
  invalid(receive('<q:source ▮channel=" "/>')),
  invalid(receive('<q:source ▮channel="a b"/>')),
  invalid(receive(`<q:source ▮channel="${'c'.repeat(256)}"/>`)),
  invalid(receive('<q:source channel="in" ▮name="a.b"/>')),
  invalid(receive('<q:source channel="in" ▮messageTypeValue=""/>')),
  invalid(receive('<q:source channel="in" ▮dedupKey=" "/>')),
  invalid(receive('<q:source channel="in" ▮ack="always"/>')),
  invalid(receive('<q:source channel="in"/><q:alias name="a" expression="b" ▮unique="1"/>')),
  invalid(receive('<q:source channel="in"/><q:alias name="a" expression="b" ▮onConflict="merge"/>')),
  invalid(call('<q:timeout ▮duration="5m"/>')),
  invalid(call('<q:timeout ▮duration="P1M"/>')),
  invalid(call('<q:timeout ▮duration="PT0S"/>')),
  invalid(call('<q:output ▮variable="a-b"/>')),
  invalid(call('<q:header ▮name="a:b" value="1"/>')),
  invalid(throwing('<q:send channel="a" ▮contentType="json"/>')),
  invalid(processWith(`<task id="n">${extensions('<q:reply ▮continue="yes"/>')}</task>`)),
];

/** A call activity with `inside` in its extension elements. */
const calling = (inside: string): string =>
  processWith(`<callActivity id="n" calledElement="x">${extensions(inside)}</callActivity>`);

const dispatching = (attributes: string, cases: string): string =>
  processWith(
    `<callActivity id="n">${extensions(`<q:dispatch ${attributes}>${cases}</q:dispatch>`)}</callActivity>`,
  );

const looping = (attributes: string): string =>
  processWith(
    `<task id="n"><multiInstanceLoopCharacteristics>${extensions(`<q:loop ${attributes}/>`)}</multiInstanceLoopCharacteristics></task>`,
  );

const record = (attributes: string): string =>
  processWith(
    `<task id="n"/><dataStoreReference id="d" name="stock">${extensions(`<q:store ${attributes}/>`)}</dataStoreReference>`,
  );

const signalling = (inside: string): string =>
  processWith(
    `<endEvent id="n">${extensions(inside)}<signalEventDefinition signalRef="sig"/></endEvent>`,
    '<signal id="sig" name="stock"/>',
  );

/** What calls, loops, stores and signals add to the vocabulary. */
const execution: readonly RefusalRow[] = [
  invalid(calling('<q:call ▮binding="newest"/>')),
  invalid(calling('<q:output ▮variable="a b"/>')),
  invalid(calling('<q:output variable="a" ▮expression=" "/>')),
  invalid(dispatching('▮onNoMatch="ignore"', '<q:case when="a" calledElement="x"/>')),
  invalid(dispatching('▮default=" "', '<q:case when="a" calledElement="x"/>')),
  invalid(dispatching('', '<q:case when="a" ▮calledElement=""/>')),
  invalid(looping('▮collection=" "')),
  invalid(looping('collection="a" ▮item="a.b"')),
  invalid(looping('collection="a" ▮output="1" outputItem="b"')),
  invalid(looping('collection="a" output="b" ▮outputItem="c d"')),
  invalid(record('▮key=" "')),
  invalid(record('key="a" ▮forUpdate="1"')),
  invalid(record('key="a" ▮field=" "')),
  invalid(record('key="a" ▮expect=" "')),
  invalid(signalling('<q:signal ▮body=" "/>')),
  row(
    'q:store without a key is refused',
    record('').replace('<q:store', '▮<q:store'),
    'SUTRA.Q.ATTRIBUTE_MISSING',
  ),
  row('q:signal without a body is refused', signalling('▮<q:signal/>'), 'SUTRA.Q.ATTRIBUTE_MISSING'),
  row(
    'the expression of a result is refused on a task that calls no process',
    call('<q:output variable="a" ▮expression="b"/>'),
    'SUTRA.Q.ATTRIBUTE_UNKNOWN',
  ),
  row(
    'a second result is refused on a task that calls no process',
    call('<q:output variable="a"/>▮<q:output variable="b"/>'),
    'SUTRA.Q.ELEMENT_REPEATED',
  ),
  row(
    'an unknown attribute of q:loop is refused',
    looping('collection="a" ▮elementVariable="b"'),
    'SUTRA.Q.ATTRIBUTE_UNKNOWN',
  ),
  misplaced(
    'q:loop on the activity is refused',
    processWith(`<task id="n">${extensions('▮<q:loop collection="a"/>')}</task>`),
  ),
  misplaced(
    'q:loop on a standard loop is refused',
    processWith(
      `<task id="n"><standardLoopCharacteristics loopMaximum="2">${extensions('▮<q:loop collection="a"/>')}</standardLoopCharacteristics></task>`,
    ),
  ),
  misplaced('q:call on a service task is refused', call('▮<q:call/>')),
  misplaced('q:dispatch on a service task is refused', call('▮<q:dispatch/>')),
  misplaced('q:case outside q:dispatch is refused', calling('▮<q:case when="a" calledElement="b"/>')),
  misplaced(
    'q:store on a data object is refused',
    processWith(`<task id="n"/><dataObject id="d">${extensions('▮<q:store key="a"/>')}</dataObject>`),
  ),
  misplaced('q:source on a call activity is refused', calling('▮<q:source channel="a"/>')),
  misplaced('q:timeout on a call activity is refused', calling('▮<q:timeout duration="PT1S"/>')),
  misplaced(
    'q:output on a timer is refused',
    processWith(
      `<intermediateCatchEvent id="n">${extensions('▮<q:output variable="a"/>')}<timerEventDefinition><timeDuration>PT1S</timeDuration></timerEventDefinition></intermediateCatchEvent>`,
    ),
  ),
  misplaced(
    'q:signal on an event that throws a message is refused',
    throwing('<q:send channel="a"/>▮<q:signal body="1"/>'),
  ),
];

const expressions: readonly RefusalRow[] = [
  row(
    'FEEL in an attribute is refused at the character that is wrong, references counted as written',
    call('<q:param name="a" expression="a &lt; ▮)"/>'),
    'SUTRA.FEEL.SYNTAX_INVALID',
  ),
  row(
    'FEEL on a later line of an attribute is refused at its line and column',
    call('<q:param name="a"\n   expression="a +\n   ▮)"/>').replace('\n   ▮', '&#10;▮'),
    'SUTRA.FEEL.SYNTAX_INVALID',
  ),
  row(
    'FEEL in CDATA is refused at its line and column',
    processWith('<scriptTask id="n"><script><!-- sum --><![CDATA[\n  a +\n  ▮)]]></script></scriptTask>'),
    'SUTRA.FEEL.SYNTAX_INVALID',
  ),
  row(
    'a parameter in the syntax of another engine is refused',
    call('<q:param name="a" expression="▮${order}"/>'),
    'SUTRA.BPMN.EXPRESSION_LANGUAGE_UNSUPPORTED',
  ),
];

const places: readonly RefusalRow[] = [
  misplaced('q:send on a receive task is refused', receive('<q:source channel="in"/>▮<q:send channel="a"/>')),
  misplaced(
    'q:source on a gateway is refused',
    processWith(`<parallelGateway id="n">${extensions('▮<q:source channel="a"/>')}</parallelGateway>`),
  ),
  misplaced(
    'q:header outside a send is refused',
    receive('<q:source channel="in"/>▮<q:header name="a" value="1"/>'),
  ),
  misplaced('q:variable outside q:variables is refused', call('▮<q:variable name="a"/>')),
  misplaced(
    'q:param inside q:send is refused',
    throwing('<q:send channel="a">▮<q:param name="a" expression="b"/></q:send>'),
  ),
  misplaced(
    'a q element outside extensionElements is refused',
    processWith('<task id="n">▮<q:reply/></task>'),
  ),
  misplaced(
    'a q element in an element of another vendor is refused',
    processWith(`<task id="n">${extensions('<camunda:x>▮<q:reply/></camunda:x>')}</task>`),
  ),
  misplaced(
    'q:source of an event whose definition has its own is refused',
    processWith(
      `<intermediateCatchEvent id="n">${extensions('▮<q:source channel="in"/>')}<messageEventDefinition>${extensions('<q:source channel="in"/>')}</messageEventDefinition></intermediateCatchEvent>`,
    ),
  ),
  misplaced(
    'q:send on the definition of an event that catches is refused',
    processWith(
      `<intermediateCatchEvent id="n"><messageEventDefinition>${extensions('<q:source channel="in"/>▮<q:send channel="a"/>')}</messageEventDefinition></intermediateCatchEvent>`,
    ),
  ),
  misplaced(
    'q:output on the definition of an event that throws is refused',
    signalling('').replace(
      '<signalEventDefinition signalRef="sig"/>',
      `<signalEventDefinition signalRef="sig">${extensions('▮<q:output variable="a"/>')}</signalEventDefinition>`,
    ),
  ),
  misplaced(
    'q:source on a timer is refused',
    processWith(
      `<intermediateCatchEvent id="n">${extensions('▮<q:source channel="in"/>')}<timerEventDefinition><timeDuration>PT1S</timeDuration></timerEventDefinition></intermediateCatchEvent>`,
    ),
  ),
  misplaced(
    'q:alias on the start event of a sub-process is refused',
    processWith(
      `<subProcess id="n"><startEvent id="a">${extensions('▮<q:alias name="a" expression="b"/>')}</startEvent></subProcess>`,
    ),
  ),
  misplaced(
    'q:alias on a user task without a source is refused',
    processWith(`<userTask id="n">${extensions('▮<q:alias name="a" expression="b"/>')}</userTask>`),
  ),
  misplaced(
    'q:send on a terminate end event is refused',
    processWith(
      `<endEvent id="n">${extensions('▮<q:send channel="a"/>')}<terminateEventDefinition/></endEvent>`,
    ),
  ),
  misplaced(
    'q:timeout on a registered function is refused',
    processWith(
      `<serviceTask id="n" implementation="registered:f">${extensions('▮<q:timeout duration="PT1S"/>')}</serviceTask>`,
    ),
  ),
  misplaced(
    'q:param on a data task is refused',
    processWith(
      `<serviceTask id="n">${extensions('▮<q:param name="a" expression="b"/>')}<dataOutputAssociation><assignment><from>1</from><to>a</to></assignment></dataOutputAssociation></serviceTask>`,
    ),
  ),
  row('an audit that says nothing is refused', call('▮<q:audit/>'), 'SUTRA.Q.ATTRIBUTE_MISSING'),
  row('an audit of something else is refused', call('<q:audit ▮payload="yes"/>'), 'SUTRA.Q.VALUE_INVALID'),
  misplaced(
    'an audit of a gateway is refused',
    processWith(`<exclusiveGateway id="n">${extensions('▮<q:audit payload="true"/>')}</exclusiveGateway>`),
  ),
  row(
    'a second source is refused',
    receive('<q:source channel="in"/>▮<q:source channel="in"/>'),
    'SUTRA.Q.ELEMENT_REPEATED',
  ),
  row(
    'a second parameter of a name is refused',
    call('<q:param name="a" expression="b"/><q:param ▮name="a" expression="c"/>'),
    'SUTRA.Q.NAME_DUPLICATE',
  ),
  row(
    'a second header of a name is refused whatever its case',
    throwing(
      '<q:send channel="a"><q:header name="X-A" value="1"/><q:header ▮name="x-a" value="2"/></q:send>',
    ),
    'SUTRA.Q.NAME_DUPLICATE',
  ),
];

const LATER: readonly (readonly [string, string])[] = [
  ...['validators', 'redactors', 'onValidation', 'process', 'coverage'].map(
    (name) => [name, call(`▮<q:${name} any="thing"><q:whatever/></q:${name}>`)] as const,
  ),
];

const later: readonly RefusalRow[] = [
  ...LATER.map(([name, text]) => row(`q:${name} is refused`, text, 'SUTRA.Q.ELEMENT_NOT_EXECUTED')),
  row(
    'the schema and the source of a variable are refused',
    definitions(
      `<process id="p">${extensions('<q:variables><q:variable name="a" ▮schema="b" ▮source="c"/></q:variables>')}<startEvent id="s"/></process>`,
    ),
    'SUTRA.Q.ATTRIBUTE_NOT_EXECUTED',
    'SUTRA.Q.ATTRIBUTE_NOT_EXECUTED',
  ),
  row(
    'a retry that allows one attempt is refused',
    call('▮<q:retry maxAttempts="1"/>'),
    'SUTRA.Q.RETRY_CONTRADICTORY',
  ),
  row(
    'a retry whose longest delay is shorter than its first is refused',
    call('▮<q:retry maxAttempts="3" initialDelay="PT1M" maxDelay="PT59S"/>'),
    'SUTRA.Q.RETRY_CONTRADICTORY',
  ),
  row(
    'a retry without attempts and with bad numbers is refused for each',
    call('▮<q:retry ▮initialDelay="1s" ▮backoffCoefficient="0"/>'),
    'SUTRA.Q.ATTRIBUTE_MISSING',
    'SUTRA.Q.VALUE_INVALID',
    'SUTRA.Q.VALUE_INVALID',
  ),
];

const warnings: readonly RefusalRow[] = [
  {
    ...row(
      'a reserved header is a warning',
      call('▮<q:header name="Sutra-Park-Instance" value="1"/>'),
      'SUTRA.Q.HEADER_RESERVED',
    ),
    severity: 'warning',
  },
];

export const qRefusals: readonly RefusalRow[] = [
  ...names,
  ...required,
  ...values,
  ...execution,
  ...expressions,
  ...places,
  ...later,
  ...warnings,
];
