/** Data objects, data inputs and outputs, properties, data stores. BPMN 2.0.2 §10.4.1, §10.4.2. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extensions, processWith } from './marked-file.ts';
import { mappingsOf, nodeIn, nodeOf, onlyProcess } from './model-of.ts';

const io = (inside: string): string => `<ioSpecification>${inside}<inputSet/><outputSet/></ioSpecification>`;
const input = (inside: string): string => `<dataInputAssociation>${inside}</dataInputAssociation>`;
const output = (inside: string): string => `<dataOutputAssociation>${inside}</dataOutputAssociation>`;
const copy = (source: string, target: string): string =>
  `<sourceRef>${source}</sourceRef><targetRef>${target}</targetRef>`;
const assign = (from: string, to: string): string =>
  `<assignment><from>${from}</from><to>${to}</to></assignment>`;

interface Expected {
  readonly locals?: readonly string[];
  readonly inputs?: readonly string[];
  readonly outputs?: readonly string[];
}

const OBJECTS =
  '<dataObject id="d1" name="order"/><dataObjectReference id="r2" name="bill" dataObjectRef="d2"/><dataObject id="d2"/>';
const STORE = `<dataStoreReference id="s1" name="stock" dataStoreRef="ds">${extensions('<q:store key="=order.item" forUpdate="true" field="count" expect="0"/>')}</dataStoreReference>`;
const ROOTS = '<dataStore id="ds" name="Warehouse 1"/>';

const cases: readonly (readonly [string, string, Expected])[] = [
  [
    'a data input is filled from a data object',
    io('<dataInput id="i" name="what"/>') + input(copy('d1', 'i')),
    { locals: ['what'], inputs: ['order -> what'] },
  ],
  [
    'a data output goes to a data object, through its reference',
    io('<dataOutput id="o"/>') + output(copy('o', 'r2')),
    { locals: ['o'], outputs: ['o -> bill'] },
  ],
  [
    'a data input can have the name of what fills it',
    io('<dataInput id="i" name="order"/>') + input(copy('d1', 'i')),
    { locals: ['order'], inputs: ['order -> order'] },
  ],
  [
    'a data input and output of one name are one variable',
    io('<dataInput id="i" name="x"/><dataOutput id="o" name="x"/>') +
      input(copy('d1', 'i')) +
      output(copy('o', 'd1')),
    { locals: ['x'], inputs: ['order -> x'], outputs: ['x -> order'] },
  ],
  [
    'what no association uses is documentation',
    io('<dataInput id="i" name="What is needed"/><dataOutput id="o" name="order"/>'),
    {},
  ],
  ['a property is local', '<property id="p1" name="temporary"/>', { locals: ['temporary'] }],
  [
    'a property can be filled',
    '<property id="p1" name="temporary"/>' + input(copy('d1', 'p1')),
    { locals: ['temporary'], inputs: ['order -> temporary'] },
  ],
  ['a property that is no variable is documentation', '<property id="p1" name="Internal note"/>', {}],
  [
    'a transformation makes one of several sources',
    io('<dataInput id="i"/>') +
      input(
        '<sourceRef>d1</sourceRef><sourceRef>r2</sourceRef><targetRef>i</targetRef><transformation>=order.total + bill.total</transformation>',
      ),
    { locals: ['i'], inputs: ['order.total + bill.total -> i'] },
  ],
  [
    'assignments are mappings, each with its own target',
    io('<dataInput id="i"/>') +
      input(copy('d1', 'i') + assign('=order.a', 'i') + assign('order.b', 'other.path')),
    { locals: ['i'], inputs: ['order.a -> i', 'order.b -> other.path'] },
  ],
  [
    'an assignment needs neither source nor target',
    input(assign('1', 'a')) + output(assign('2', 'b.c')),
    { inputs: ['1 -> a'], outputs: ['2 -> b.c'] },
  ],
  [
    'to names data by its id',
    output(`<targetRef>r2</targetRef>${assign('2', 'r2')}${assign('3', 'd1')}`),
    { outputs: ['2 -> bill', '3 -> order'] },
  ],
  [
    'a record of a data store is read',
    io('<dataInput id="i"/>') + input(copy('s1', 'i')),
    { locals: ['i'], inputs: ['Warehouse 1(order.item) -> i'] },
  ],
  [
    'a record of a data store is written',
    io('<dataOutput id="o"/>') + output(copy('o', 's1')),
    { locals: ['o'], outputs: ['o -> Warehouse 1(order.item)'] },
  ],
  [
    'expressions see a record under the name of its reference',
    io('<dataInput id="i"/>') + input(`${copy('s1', 'i')}<transformation>=stock > 0</transformation>`),
    { locals: ['i', 'stock'], inputs: ['Warehouse 1(order.item) -> stock', 'stock > 0 -> i'] },
  ],
  [
    'an assignment writes a record, by the name or the id of its reference',
    output(`<targetRef>s1</targetRef>${assign('1', 'stock')}${assign('2', 's1')}`),
    { outputs: ['1 -> Warehouse 1(order.item)', '2 -> Warehouse 1(order.item)'] },
  ],
];

describe('the data of an activity', () => {
  for (const [title, inside, expected] of cases) {
    test(title, () => {
      const node = nodeIn('task', `${OBJECTS}${STORE}<task id="n">${inside}</task>`, ROOTS);
      assert.deepEqual(mappingsOf(node), { locals: [], inputs: [], outputs: [], ...expected });
    });
  }

  for (const [kind, inside] of Object.entries({
    scriptTask: '<script>1</script>',
    sendTask: '',
    receiveTask: '',
    userTask: '',
    manualTask: '',
    serviceTask: '',
    businessRuleTask: '',
    callActivity: '',
    subProcess: '<startEvent id="in"/>',
  })) {
    test(`is read of a ${kind}`, () => {
      const q = { sendTask: '<q:send channel="a"/>', receiveTask: '<q:source channel="a"/>' }[kind] ?? '';
      const called = kind === 'callActivity' ? 'calledElement="x"' : '';
      const text = `<${kind} id="n" ${called}>${extensions(q)}${input(assign('1', 'a'))}${inside}</${kind}>`;
      const node = onlyProcess(processWith(text)).nodes.get('n');
      assert.ok(node !== undefined && 'data' in node);
      assert.deepEqual(mappingsOf(node).inputs, ['1 -> a']);
    });
  }

  test('a record says how it is read and written', () => {
    const node = nodeIn(
      'task',
      `${OBJECTS}${STORE}<task id="n">${output(`<targetRef>s1</targetRef>${assign('1', 's1')}`)}</task>`,
      ROOTS,
    );
    const to = node.data.outputs[0]?.to;
    assert.ok(to?.kind === 'store');
    const { store, isForUpdate, field, expect } = to.store;
    assert.deepEqual([store, isForUpdate, field, expect?.text], ['Warehouse 1', true, 'count', '0']);
  });

  test('a data store reference without a data store is the store itself', () => {
    const store = `<dataStoreReference id="s1">${extensions('<q:store key="1"/>')}</dataStoreReference>`;
    const node = nodeIn(
      'task',
      `${store}<task id="n">${output(`<targetRef>s1</targetRef>${assign('1', 's1')}`)}</task>`,
    );
    assert.deepEqual(mappingsOf(node).outputs, ['1 -> s1(1)']);
  });
});

describe('the variables of a scope', () => {
  test('are its properties, and the data that something uses', () => {
    const process = onlyProcess(
      processWith(`${OBJECTS}<dataObject id="d3" name="Only drawn"/><property id="p1" name="limit"/><property id="p2" name="Only text"/>
      <task id="n">${output(`<targetRef>r2</targetRef>${assign('1', 'r2')}`)}</task>`),
    );
    assert.deepEqual(
      [...process.variables.values()],
      [
        { name: 'bill', type: null, isSensitive: false, isTransient: false },
        { name: 'limit', type: null, isSensitive: false, isTransient: false },
      ],
    );
  });

  test('are declared further by q:variables', () => {
    const process = onlyProcess(
      processWith(`<property id="p1" name="limit"/><task id="n"/>`).replace(
        '<process id="p">',
        `<process id="p">${extensions('<q:variables><q:variable name="limit" type="number" sensitive="true"/></q:variables>')}`,
      ),
    );
    assert.deepEqual(process.variables.get('limit'), {
      name: 'limit',
      type: 'number',
      isSensitive: true,
      isTransient: false,
    });
  });

  test('of a sub-process are those inside it', () => {
    const process = onlyProcess(
      processWith(`<dataObject id="d1" name="outer"/><subProcess id="n"><property id="p1" name="limit"/><property id="p2" name="given"/>
      ${input(copy('d1', 'p2'))}
      <startEvent id="a"/><dataObject id="d2" name="inner"/><sequenceFlow id="g" sourceRef="a" targetRef="t"/>
      <task id="t">${output(`<targetRef>d2</targetRef>${assign('outer', 'd2')}`)}${output(`<targetRef>d1</targetRef>${assign('given', 'd1')}`)}</task></subProcess>`),
    );
    const node = nodeOf(process, 'n', 'subProcess');
    assert.deepEqual([...process.variables.keys()], ['outer']);
    assert.deepEqual([...node.variables.keys()], ['limit', 'inner']);
    assert.deepEqual(mappingsOf(node), { locals: ['given'], inputs: ['outer -> given'], outputs: [] });
  });

  test('of a process are its data inputs and outputs, when something uses them', () => {
    const process = onlyProcess(
      processWith(`${io('<dataInput id="i" name="given"/><dataInput id="j" name="Not used"/>')}
      <task id="n"><property id="x"/>${input(copy('i', 'x'))}</task>`),
    );
    assert.deepEqual([...process.variables.keys()], ['given']);
  });
});

describe('what is only drawn', () => {
  const drawn: readonly (readonly [string, string, string])[] = [
    [
      'an association to the placeholder of a modeler',
      '<dataObject id="d1" name="Employee number"/>',
      `<property id="x" name="__targetRef_placeholder"/>${input(copy('d1', 'x'))}`,
    ],
    [
      'an association to a data input that has no name',
      '<dataObject id="d1" name="Employee number"/>',
      `${io('<dataInput id="_4f-2"/>')}${input(copy('d1', '_4f-2'))}`,
    ],
    [
      'an association from a data output that has no name',
      '<dataObject id="d1" name="order"/>',
      `${io('<dataOutput id="_4f-2"/>')}${output(copy('_4f-2', 'd1'))}`,
    ],
    [
      'an association without a source',
      '<dataObject id="d1" name="Any name"/>',
      output('<targetRef>d1</targetRef>'),
    ],
    [
      'an association with a data store',
      '<dataStoreReference id="d1" name="Some system"/>',
      output('<targetRef>d1</targetRef>'),
    ],
  ];
  for (const [title, around, inside] of drawn) {
    test(`moves nothing, and a warning says so: ${title}`, () => {
      const text = processWith(`${around}<task id="n">${inside}</task>`);
      const process = onlyProcess(text, ['SUTRA.BPMN.DATA_ASSOCIATION_DRAWN']);
      assert.deepEqual(mappingsOf(nodeOf(process, 'n', 'task')), { locals: [], inputs: [], outputs: [] });
      assert.equal(process.variables.size, 0);
    });
  }

  test('needs no warning when nothing is joined to it', () => {
    const process = onlyProcess(
      processWith(
        '<dataObject id="d1" name="A b"/><dataObjectReference id="r" dataObjectRef="d1"/><dataStoreReference id="s1" name="C d"/><task id="n"/>',
      ),
    );
    assert.equal(process.variables.size, 0);
  });
});
