/** One row for every way in which data, loops and calls are refused: `▮` marks where each finding must point. */
import type { RefusalRow } from './refusal-row.ts';
import { definitions, extensions, processWith } from './marked-file.ts';

type Code = RefusalRow['codes'][number];

const row = (title: string, text: string, ...codes: readonly Code[]): RefusalRow => ({ title, text, codes });

/** A task with `inside`, beside `around` in the process. */
const task = (inside: string, around = ''): string => processWith(`${around}<task id="n">${inside}</task>`);
const input = (inside: string): string => `<dataInputAssociation>${inside}</dataInputAssociation>`;
const output = (inside: string): string => `<dataOutputAssociation>${inside}</dataOutputAssociation>`;
const assign = (from: string, to: string): string =>
  `<assignment><from>${from}</from><to>${to}</to></assignment>`;

const OBJECTS = '<dataObject id="d1" name="order"/><dataObject id="d2" name="bill"/>';
const STORE = `<dataStoreReference id="s1" name="stock">${extensions('<q:store key="order.item"/>')}</dataStoreReference>`;
const DRAWN_STORE = '<dataStoreReference id="s1" name="Some system"/>';

const ASSOCIATION = 'SUTRA.BPMN.DATA_ASSOCIATION_INVALID';
const NAME = 'SUTRA.BPMN.DATA_NAME_INVALID';
const DANGLING = 'SUTRA.BPMN.REFERENCE_DANGLING';
const LOOP = 'SUTRA.BPMN.LOOP_INVALID';

const data: readonly RefusalRow[] = [
  row(
    'several sources without a transformation are refused',
    task(
      `▮${input('<sourceRef>d1</sourceRef><sourceRef>d2</sourceRef><targetRef>p1</targetRef>')}<property id="p1"/>`,
      OBJECTS,
    ),
    ASSOCIATION,
  ),
  row(
    'several targets are refused',
    task(
      `▮${output('<sourceRef>p1</sourceRef><targetRef>d1</targetRef><targetRef>d2</targetRef>')}<property id="p1"/>`,
      OBJECTS,
    ),
    ASSOCIATION,
  ),
  row(
    'a transformation beside an assignment is refused',
    task(
      `▮${output(`<targetRef>d1</targetRef><transformation>1</transformation>${assign('1', 'a')}`)}`,
      OBJECTS,
    ),
    ASSOCIATION,
  ),
  row(
    'a transformation without a target is refused',
    task(`▮${output('<transformation>1</transformation>')}`),
    ASSOCIATION,
  ),
  row(
    'a transformation in the syntax of another engine is refused',
    task(output('<targetRef>d1</targetRef><transformation>${b.▮c()}</transformation>'), OBJECTS),
    'SUTRA.DIALECT.EXPRESSION_REFUSED',
  ),
  row(
    'a source that does not exist is refused',
    task(input(`▮<sourceRef>nothing</sourceRef><targetRef>p1</targetRef>`) + '<property id="p1"/>'),
    DANGLING,
  ),
  row(
    'the data of another activity is refused',
    task(
      input(`▮<sourceRef>p2</sourceRef><targetRef>p1</targetRef>`) + '<property id="p1"/>',
      '<sequenceFlow id="g" sourceRef="n" targetRef="m"/><task id="m"><property id="p2"/></task>',
    ),
    DANGLING,
  ),
  row(
    'a reference to a data object that does not exist is refused where it is used',
    task(
      output(`▮<targetRef>r1</targetRef>${assign('1', 'r1')}`).replace('<to>r1', '▮<to>r1'),
      '<dataObjectReference id="r1" dataObjectRef="gone"/>',
    ),
    DANGLING,
    DANGLING,
  ),
  ...['Order to pay', 'null', 'for', '1st'].map((name) =>
    row(
      `a data object called ${JSON.stringify(name)} is refused where it is used`,
      task(
        input('▮<sourceRef>d1</sourceRef><targetRef>p1</targetRef>') + '<property id="p1"/>',
        `<dataObject id="d1" name="${name}"/>`,
      ),
      NAME,
    ),
  ),
  row(
    'a data store reference without q:store is refused where it is used',
    task(
      input('<sourceRef>s1</sourceRef><targetRef>p1</targetRef>') + '<property id="p1"/>',
      `▮${DRAWN_STORE}`,
    ),
    'SUTRA.BPMN.STORE_MISSING',
  ),
  row(
    'a data store reference with q:store that is only drawn is refused',
    task(`▮${output('<targetRef>s1</targetRef>')}`, STORE),
    ASSOCIATION,
  ),
  row(
    'the key of a record is checked although nothing uses it',
    task('', STORE.replace('key="order.item"', 'key="order.▮)"')),
    'SUTRA.FEEL.SYNTAX_INVALID',
  ),
  row(
    'a data store that does not exist is refused',
    task('', STORE.replace('name="stock"', 'name="stock" ▮dataStoreRef="gone"')),
    DANGLING,
  ),
  row(
    'a data store with a blank name is refused',
    task('', `▮${STORE.replace('name="stock"', 'name=" "')}`),
    NAME,
  ),
  row(
    'a record that is read after the activity is refused',
    task(output('▮<sourceRef>s1</sourceRef><targetRef>d1</targetRef>'), STORE + OBJECTS),
    ASSOCIATION,
  ),
  row(
    'a record that is written before the activity is refused',
    task(input('<sourceRef>d1</sourceRef>▮<targetRef>s1</targetRef>'), STORE + OBJECTS),
    ASSOCIATION,
  ),
  row(
    'a record that an expression cannot name is refused',
    task(
      `▮${input('<sourceRef>s1</sourceRef><targetRef>p1</targetRef><transformation>1</transformation>')}<property id="p1"/>`,
      STORE.replace('"stock"', '"The stock"'),
    ),
    NAME,
  ),
  row(
    'an assignment to something else than the store that is its target is refused',
    task(output(`<targetRef>s1</targetRef>${assign('1', 'a.b').replace('<to>', '▮<to>')}`), STORE),
    'SUTRA.BPMN.ASSIGNMENT_INVALID',
  ),
  ...(
    [
      ['startEvent', 'output', '<startEvent id="x">', 'endEvent'],
      ['endEvent', 'input', '<endEvent id="x">', 'startEvent'],
    ] as const
  ).map(([event, direction, open, other]) => {
    const source = '<sourceRef>o</sourceRef>';
    const association = direction === 'input' ? input(assign('1', 'a')) : output(source + assign('1', 'a'));
    return row(
      `a data association of a ${event} is refused`,
      definitions(
        `<process id="p">${open}▮${association}</${event}><${other} id="y"/><sequenceFlow id="f" ${event === 'startEvent' ? 'sourceRef="x" targetRef="y"' : 'sourceRef="y" targetRef="x"'}/></process>`,
      ),
      'SUTRA.BPMN.ASSIGNMENT_NOT_EXECUTED',
    );
  }),
  {
    ...row(
      'a data association that is only drawn is a warning',
      task(`▮${output('<targetRef>d1</targetRef>')}`, '<dataObject id="d1" name="Any name"/>'),
      'SUTRA.BPMN.DATA_ASSOCIATION_DRAWN',
    ),
    severity: 'warning',
  },
];

const multi = (inside: string, attributes = ''): string =>
  `<multiInstanceLoopCharacteristics ${attributes}>${inside}</multiInstanceLoopCharacteristics>`;
const cardinality = '<loopCardinality>2</loopCardinality>';
const items = '<inputDataItem name="item"/>';
const io =
  '<ioSpecification><dataInput id="i"/><dataOutput id="o"/><inputSet/><outputSet/></ioSpecification>';

const loops: readonly RefusalRow[] = [
  row(
    'a standard loop that says nothing is refused',
    task('▮<standardLoopCharacteristics testBefore="true"/>'),
    LOOP,
  ),
  ...['0', '-1', '1.5', 'many', ''].map((value) =>
    row(
      `a standard loop of at most ${JSON.stringify(value)} runs is refused`,
      task(`<standardLoopCharacteristics ▮loopMaximum="${value}"/>`),
      'SUTRA.BPMN.VALUE_INVALID',
    ),
  ),
  row(
    'testBefore that is no boolean is refused',
    task('<standardLoopCharacteristics loopMaximum="2" ▮testBefore="never"/>'),
    'SUTRA.BPMN.VALUE_INVALID',
  ),
  row('a multi-instance activity that says nothing is refused', task(`▮${multi('')}`), LOOP),
  row(
    'a multi-instance activity with the collection of another engine that is no variable is refused',
    task(multi('', '▮camunda:collection="or ders"')),
    'SUTRA.DIALECT.VALUE_INVALID',
  ),
  row(
    'isSequential that is no boolean is refused',
    task(multi(cardinality, '▮isSequential="yes"')),
    'SUTRA.BPMN.VALUE_INVALID',
  ),
  row(
    'a number and a collection are refused',
    task(multi(`▮${cardinality}<loopDataInputRef>orders</loopDataInputRef>`)),
    LOOP,
  ),
  row(
    'a number and the collection of q:loop are refused',
    task(multi(`${extensions('<q:loop collection="orders"/>')}▮${cardinality}`)),
    LOOP,
  ),
  row(
    'q:loop beside a reference is refused',
    task(multi(`${extensions('<q:loop collection="orders"/>')}▮<loopDataInputRef>orders</loopDataInputRef>`)),
    LOOP,
  ),
  row('an input item without a collection is refused', task(multi(`${cardinality}▮${items}`)), LOOP),
  row(
    'an output item without a collection is refused',
    task(multi(`${cardinality}▮<outputDataItem name="x"/>`)),
    LOOP,
  ),
  row(
    'an output collection without an item is refused',
    task(multi(`${cardinality}▮<loopDataOutputRef>x</loopDataOutputRef>`)),
    LOOP,
  ),
  row(
    'an item that is no variable is refused',
    task(multi('<loopDataInputRef>orders</loopDataInputRef>▮<inputDataItem name="an order"/>')),
    NAME,
  ),
  row(
    'a collection that is no variable is refused',
    task(multi('▮<loopDataInputRef>all orders</loopDataInputRef>')),
    DANGLING,
  ),
  row(
    'a collection in a data store is refused',
    task(multi('▮<loopDataInputRef>s1</loopDataInputRef>'), STORE),
    LOOP,
  ),
  row(
    'a data input that a data store fills is refused',
    task(
      `${io}▮${input('<sourceRef>s1</sourceRef><targetRef>i</targetRef>')}${multi('<loopDataInputRef>i</loopDataInputRef>')}`,
      STORE,
    ),
    LOOP,
  ),
  row(
    'an output collection in a data store is refused',
    task(multi(`${cardinality}▮<loopDataOutputRef>s1</loopDataOutputRef><outputDataItem name="x"/>`), STORE),
    LOOP,
  ),
  row(
    'a data input that several sources fill is refused',
    task(
      `${io}▮${input('<sourceRef>d1</sourceRef><sourceRef>d2</sourceRef><targetRef>i</targetRef>')}${multi('<loopDataInputRef>i</loopDataInputRef>')}`,
      OBJECTS,
    ),
    LOOP,
  ),
  row(
    'a data input whose association assigns to something else is refused',
    task(
      `${io}▮${input(`<targetRef>i</targetRef>${assign('1', 'other')}`)}${multi('<loopDataInputRef>i</loopDataInputRef>')}`,
    ),
    LOOP,
  ),
  row(
    'a data input that is filled twice is refused',
    task(
      `${io}${input('<sourceRef>d1</sourceRef><targetRef>i</targetRef>')}▮${input('<sourceRef>d2</sourceRef><targetRef>i</targetRef>')}${multi('<loopDataInputRef>i</loopDataInputRef>')}`,
      OBJECTS,
    ),
    LOOP,
  ),
  row(
    'a data output that is transformed is refused',
    task(
      `${io}▮${output('<sourceRef>o</sourceRef><targetRef>d1</targetRef><transformation>1</transformation>')}${multi(`${cardinality}<loopDataOutputRef>o</loopDataOutputRef><outputDataItem name="x"/>`)}`,
      OBJECTS,
    ),
    LOOP,
  ),
  row(
    'two loops are refused',
    task(`${multi(cardinality)}▮<standardLoopCharacteristics loopMaximum="2"/>`),
    'SUTRA.BPMN.ELEMENT_REPEATED',
  ),
  row(
    'two completion conditions are refused',
    task(
      multi(
        `${cardinality}<completionCondition>a</completionCondition>▮<completionCondition>b</completionCondition>`,
      ),
    ),
    'SUTRA.BPMN.ELEMENT_REPEATED',
  ),
  ...['None', 'One', 'Complex'].map((behavior) =>
    row(
      `the behavior ${behavior} is refused`,
      task(multi(cardinality, `▮behavior="${behavior}"`)),
      'SUTRA.BPMN.ATTRIBUTE_NOT_EXECUTED',
    ),
  ),
  ...['oneBehaviorEventRef', 'noneBehaviorEventRef'].map((attribute) =>
    row(
      `${attribute} is refused`,
      task(multi(cardinality, `▮${attribute}="event"`)),
      'SUTRA.BPMN.ATTRIBUTE_NOT_EXECUTED',
    ),
  ),
  row(
    'a complex behavior is refused',
    task(multi(`${cardinality}▮<complexBehaviorDefinition/>`)),
    'SUTRA.BPMN.ELEMENT_NOT_EXECUTED',
  ),
  ...(
    [
      ['item="a"', cardinality],
      ['collection="a" output="b"', ''],
      ['collection="a" outputItem="b"', ''],
    ] as const
  ).map(([attributes, number]) =>
    row(
      `q:loop with only ${attributes} is refused`,
      task(multi(`${extensions(`▮<q:loop ${attributes}/>`)}${number}`)),
      'SUTRA.Q.ATTRIBUTE_MISSING',
    ),
  ),
];

const call = (attributes: string, q = ''): string =>
  processWith(`<callActivity id="n" ${attributes}>${extensions(q)}</callActivity>`);
const oneCase = '<q:case when="a" calledElement="x"/>';

const calls: readonly RefusalRow[] = [
  row(
    'a call activity that calls nothing is refused',
    processWith('▮<callActivity id="n"/>'),
    'SUTRA.BPMN.CALLED_ELEMENT_MISSING',
  ),
  row(
    'a call activity that calls a case of another engine is refused',
    processWith('▮<callActivity id="n" ▮camunda:caseRef="x"/>'),
    'SUTRA.BPMN.CALLED_ELEMENT_MISSING',
    'SUTRA.DIALECT.EXTENSION_REFUSED',
  ),
  row(
    'a called element that is no id is refused',
    call('▮calledElement="my process"'),
    'SUTRA.BPMN.CALLED_ELEMENT_INVALID',
  ),
  row(
    'a called element in the syntax of another engine is refused',
    call('calledElement="${b.▮c()}"'),
    'SUTRA.DIALECT.EXPRESSION_REFUSED',
  ),
  row(
    'a called element that is no FEEL is refused',
    call('calledElement="=a ▮)"'),
    'SUTRA.FEEL.SYNTAX_INVALID',
  ),
  row(
    'a global task that is called is refused',
    processWith('<callActivity id="n" ▮calledElement="g"/>', '▮<globalUserTask id="g"/>'),
    'SUTRA.BPMN.ELEMENT_NOT_EXECUTED',
    'SUTRA.BPMN.CALLED_ELEMENT_INVALID',
  ),
  row(
    'a called element beside q:dispatch is refused',
    call('▮calledElement="x"', `<q:dispatch>${oneCase}</q:dispatch>`),
    'SUTRA.BPMN.CALLED_ELEMENT_INVALID',
  ),
  row(
    'q:dispatch without a case is refused',
    call('', '▮<q:dispatch default="x"/>'),
    'SUTRA.BPMN.CALLED_ELEMENT_MISSING',
  ),
  row(
    'a case without a condition is refused',
    call('', `<q:dispatch>▮<q:case calledElement="x"/></q:dispatch>`),
    'SUTRA.Q.ATTRIBUTE_MISSING',
  ),
  row(
    'a case that calls an expression is refused',
    call('', `<q:dispatch><q:case when="a" ▮calledElement="=x"/></q:dispatch>`),
    'SUTRA.BPMN.CALLED_ELEMENT_INVALID',
  ),
  row(
    'a default that is no id is refused',
    call('', `<q:dispatch ▮default="a b">${oneCase}</q:dispatch>`),
    'SUTRA.BPMN.CALLED_ELEMENT_INVALID',
  ),
  row(
    'a default beside onNoMatch is refused',
    call('', `<q:dispatch default="x" ▮onNoMatch="skip">${oneCase}</q:dispatch>`),
    'SUTRA.Q.ATTRIBUTES_EXCLUSIVE',
  ),
  row(
    'two results of one name are refused',
    call('calledElement="x"', '<q:output variable="a"/><q:output ▮variable="a" expression="b"/>'),
    'SUTRA.Q.NAME_DUPLICATE',
  ),
];

const rules: readonly RefusalRow[] = [
  row(
    'a business rule task that does not say what decides is refused',
    processWith('▮<businessRuleTask id="n"/>'),
    'SUTRA.BPMN.IMPLEMENTATION_MISSING',
  ),
  row(
    'a business rule task with a decision of another engine that is not there is refused',
    processWith('<businessRuleTask id="n" ▮camunda:decisionRef="d"/>'),
    'SUTRA.BPMN.DECISION_UNKNOWN',
  ),
  ...['dmn:Risk', 'Decision:Risk', 'https://www.omg.org/spec/DMN/20191111/MODEL/'].map((implementation) =>
    row(
      `a business rule task on ${implementation} is refused`,
      processWith(`<businessRuleTask id="n" ▮implementation="${implementation}"/>`),
      'SUTRA.BPMN.IMPLEMENTATION_UNSUPPORTED',
    ),
  ),
  ...['serviceTask', 'userTask', 'sendTask'].map((kind) =>
    row(
      `a ${kind} on a decision is refused`,
      processWith(
        `<${kind} id="n" ▮implementation="decision:Risk">${kind === 'sendTask' ? extensions('<q:send channel="c"/>') : ''}</${kind}>`,
      ),
      'SUTRA.BPMN.IMPLEMENTATION_UNSUPPORTED',
    ),
  ),
  ...['Rsik', '', 'Margin Function'].map((reference) =>
    row(
      `a business rule task on the decision '${reference}' is refused, of which there is none`,
      processWith(`<businessRuleTask id="n" ▮implementation="decision:${reference}"/>`),
      'SUTRA.BPMN.DECISION_UNKNOWN',
    ),
  ),
  ...['Shared', 'shared-id'].map((reference) =>
    row(
      `a business rule task on the decision ${reference} is refused, which two files have`,
      processWith(`<businessRuleTask id="n" ▮implementation="decision:${reference}"/>`),
      'SUTRA.BPMN.DECISION_AMBIGUOUS',
    ),
  ),
  row(
    'a parameter that the decision does not take is refused',
    processWith(
      `<businessRuleTask id="n" implementation="decision:Risk">${extensions('<q:param name="score" expression="1"/><q:param ▮name="scor" expression="1"/>')}</businessRuleTask>`,
    ),
    'SUTRA.BPMN.DECISION_INPUT_UNKNOWN',
  ),
  row(
    'what only calls have is refused on a decision',
    processWith(
      `<businessRuleTask id="n" implementation="decision:Risk">${extensions(
        [
          'source channel="c"',
          'alias name="a" expression="1"',
          'header name="h" value="1"',
          'timeout duration="PT1S"',
        ]
          .map((inside) => `▮<q:${inside}/>`)
          .join(''),
      )}</businessRuleTask>`,
    ),
    ...Array.from({ length: 4 }, () => 'SUTRA.Q.ELEMENT_MISPLACED' as const),
  ),
];

export const activityRefusals: readonly RefusalRow[] = [...data, ...loops, ...calls, ...rules];
