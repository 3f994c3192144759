/** Loop characteristics. BPMN 2.0.2 §10.3.8. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LoopDefinition, MultiInstanceLoop } from '../../../definitions/model.ts';
import { extensions, processWith } from './marked-file.ts';
import { mappingsOf, nodeIn, nodeOf, onlyProcess } from './model-of.ts';

const taskWith = (inside: string): string => `<task id="n">${inside}</task>`;
const multi = (inside: string, attributes = ''): string =>
  `<multiInstanceLoopCharacteristics ${attributes}>${inside}</multiInstanceLoopCharacteristics>`;

function loopOf(inside: string): LoopDefinition {
  const { loop } = nodeIn('task', taskWith(inside));
  assert.ok(loop !== null);
  return loop;
}

/** The loop without places and with expressions as texts. */
function inWords(loop: LoopDefinition | null): unknown {
  return JSON.parse(
    JSON.stringify(loop, (key, value: unknown) => {
      const isExpression =
        typeof value === 'object' && value !== null && 'evaluate' in value && 'text' in value;
      return key === 'place' ? undefined : isExpression ? value.text : value;
    }),
  );
}

const NO_DATA = {
  kind: 'multiInstance',
  isSequential: false,
  cardinality: null,
  collection: null,
  itemVariable: null,
  outputItemVariable: null,
  outputCollection: null,
  completionCondition: null,
};

describe('standard loops', () => {
  const cases: readonly (readonly [string, unknown])[] = [
    [
      '<standardLoopCharacteristics><loopCondition>=loopCounter &lt; 3</loopCondition></standardLoopCharacteristics>',
      { kind: 'standard', isTestedBefore: false, condition: 'loopCounter < 3', maximum: null },
    ],
    [
      '<standardLoopCharacteristics testBefore="1" loopMaximum="5"/>',
      { kind: 'standard', isTestedBefore: true, condition: null, maximum: 5 },
    ],
    [
      '<standardLoopCharacteristics testBefore="false" loopMaximum="2"><loopCondition>again</loopCondition></standardLoopCharacteristics>',
      { kind: 'standard', isTestedBefore: false, condition: 'again', maximum: 2 },
    ],
  ];
  for (const [text, expected] of cases) {
    test(text, () => {
      assert.deepEqual(inWords(loopOf(text)), expected);
    });
  }
});

describe('multi-instance activities', () => {
  test('take their number from an expression', () => {
    const loop = loopOf(
      multi(
        '<loopCardinality>=count(orders)</loopCardinality><completionCondition>numberOfCompletedInstances >= 2</completionCondition>',
        'isSequential="true" behavior="All"',
      ),
    );
    assert.deepEqual(inWords(loop), {
      ...NO_DATA,
      isSequential: true,
      cardinality: 'count(orders)',
      completionCondition: 'numberOfCompletedInstances >= 2',
    });
  });

  const short: readonly (readonly [string, object])[] = [
    ['<q:loop collection="=orders"/>', { collection: 'orders' }],
    ['<q:loop collection="order.lines" item="line"/>', { collection: 'order.lines', itemVariable: 'line' }],
    [
      '<q:loop collection="=orders" item="order" output="results" outputItem="score"/>',
      {
        collection: 'orders',
        itemVariable: 'order',
        outputCollection: 'results',
        outputItemVariable: 'score',
      },
    ],
  ];
  for (const [text, expected] of short) {
    test(`are written as ${text}`, () => {
      assert.deepEqual(inWords(loopOf(multi(extensions(text)))), { ...NO_DATA, ...expected });
    });
  }

  test('collect what instances put out when only their number is given', () => {
    const loop = loopOf(
      multi(`${extensions('<q:loop output="dice" outputItem="die"/>')}<loopCardinality>2</loopCardinality>`),
    );
    assert.deepEqual(inWords(loop), {
      ...NO_DATA,
      cardinality: '2',
      outputCollection: 'dice',
      outputItemVariable: 'die',
    });
  });

  test('know their place', () => {
    assert.equal(loopOf(multi('<loopCardinality>2</loopCardinality>')).place.elementId, 'n');
  });

  for (const [activity, text] of Object.entries({
    subProcess: '<startEvent id="in"/>',
    callActivity: '',
    receiveTask: extensions('<q:source channel="in"/>'),
    userTask: '',
    manualTask: '',
  })) {
    test(`can be of the kind ${activity}`, () => {
      const called = activity === 'callActivity' ? 'calledElement="x"' : '';
      const process = onlyProcess(
        processWith(
          `<${activity} id="n" ${called}>${text}${multi('<loopCardinality>2</loopCardinality>')}</${activity}>`,
        ),
      );
      const node = process.nodes.get('n');
      assert.equal(node !== undefined && 'loop' in node ? node.loop?.kind : null, 'multiInstance');
    });
  }
});

describe('the references of a multi-instance activity', () => {
  const references = (input: string, output = ''): string =>
    multi(`<loopDataInputRef>${input}</loopDataInputRef>
      ${output === '' ? '' : `<loopDataOutputRef>${output}</loopDataOutputRef>`}
      <inputDataItem id="i" name="order"/>${output === '' ? '' : '<outputDataItem id="score"/>'}`);

  /** The loop of the sub-process or task `n`. */
  function loopAt(kind: 'subProcess' | 'task', inside: string, around = ''): MultiInstanceLoop {
    const node = nodeIn(
      kind,
      `${around}<${kind} id="n">${inside}${kind === 'subProcess' ? '<startEvent id="in"/>' : ''}</${kind}>`,
    );
    assert.ok(node.loop?.kind === 'multiInstance');
    return node.loop;
  }

  const expected = {
    ...NO_DATA,
    collection: 'orders',
    itemVariable: 'order',
    outputCollection: 'results',
    outputItemVariable: 'score',
  };

  test('name data objects, by their references or themselves', () => {
    const around =
      '<dataObject id="d1" name="orders"/><dataObjectReference id="r2" name="results" dataObjectRef="d2"/><dataObject id="d2"/>';
    assert.deepEqual(inWords(loopAt('subProcess', references('d1', 'r2'), around)), expected);
  });

  test('name properties', () => {
    const around = '<property id="p1" name="orders"/><property id="results"/>';
    assert.deepEqual(inWords(loopAt('task', references('p1', 'results'), around)), expected);
  });

  test('name variables, where BPMN wants data', () => {
    assert.deepEqual(inWords(loopAt('task', references('orders', 'results'))), expected);
  });

  const io = (inputs: string, outputs: string): string =>
    `<ioSpecification><dataInput id="all" name="allOrders"/><dataInput id="one"/><dataOutput id="out" name="scores"/><inputSet/><outputSet/></ioSpecification>
     <dataInputAssociation>${inputs}<targetRef>all</targetRef></dataInputAssociation>
     <dataInputAssociation><sourceRef>i</sourceRef><targetRef>one</targetRef></dataInputAssociation>
     <dataOutputAssociation><sourceRef>out</sourceRef><targetRef>${outputs}</targetRef></dataOutputAssociation>`;
  const around = '<dataObject id="d1" name="orders"/><dataObject id="d2" name="results"/>';

  const collections: readonly (readonly [string, string, string])[] = [
    ['a copy of data', '<sourceRef>d1</sourceRef>', 'orders'],
    [
      'a transformation',
      '<sourceRef>d1</sourceRef><transformation>=orders[total > 5]</transformation>',
      'orders[total > 5]',
    ],
    ['an assignment', '<assignment><from>orders.lines</from><to>all</to></assignment>', 'orders.lines'],
  ];
  for (const [title, inputs, collection] of collections) {
    test(`reach through a data input of the task that ${title} fills, and leave it to the whole activity`, () => {
      const inputsFirst = inputs.replace(/<assignment>.*<\/assignment>/, '');
      const assignment = /<assignment>.*<\/assignment>/.exec(inputs)?.[0] ?? '';
      const text = io(inputsFirst, 'd2').replace(
        '<targetRef>all</targetRef>',
        `<targetRef>all</targetRef>${assignment}`,
      );
      const node = nodeIn('task', `${around}<task id="n">${text}${references('all', 'out')}</task>`);
      assert.deepEqual(inWords(node.loop), { ...expected, collection });
      assert.deepEqual(mappingsOf(node), { locals: ['one'], inputs: ['order -> one'], outputs: [] });
    });
  }

  test('read a data input that nothing fills as the variable of its name', () => {
    const loop = loopAt(
      'task',
      `<ioSpecification><dataInput id="all" name="orders"/><inputSet/><outputSet/></ioSpecification>${references('all')}`,
    );
    assert.equal(loop.collection?.text, 'orders');
  });

  test('take the output item from a data output of the task', () => {
    const node = nodeIn(
      'task',
      `${around}<task id="n"><ioSpecification><dataOutput id="o" name="answer"/><inputSet/><outputSet/></ioSpecification>
       <dataOutputAssociation><sourceRef>o</sourceRef><targetRef>score</targetRef></dataOutputAssociation>${references('d1', 'd2')}</task>`,
    );
    assert.deepEqual(mappingsOf(node), { locals: ['answer'], inputs: [], outputs: ['answer -> score'] });
  });

  test('declare the data that they name', () => {
    const process = onlyProcess(
      processWith(
        `${around}<dataObject id="d3" name="unused"/><task id="n">${references('d1', 'd2')}</task>`,
      ),
    );
    assert.deepEqual([...process.variables.keys()], ['orders', 'results']);
    assert.equal(nodeOf(process, 'n', 'task').data.locals.length, 0);
  });
});
