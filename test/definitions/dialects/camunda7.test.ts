/** What a file of Camunda 7 or a fork means. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compileExpression, TurnBudget } from '../../../definitions/feel.ts';
import type { Value } from '../../../definitions/value.ts';
import { mappingsOf, nodeOf } from '../bpmn/model-of.ts';
import { assertCalls, compileVendor, node, vendorFile, vendorProcess } from './vendor-file.ts';

const external = 'camunda:type="external" camunda:topic="pay"';

describe('an external task of Camunda 7', () => {
  const definition = (attributes: string): string => `<bpmn:messageEventDefinition ${attributes}/>`;
  const rows: readonly (readonly [kind: string, inside: string])[] = [
    ['service task', node('serviceTask', external)],
    ['send task', node('sendTask', external)],
    ['throw event', node('intermediateThrowEvent', '', '', definition(external))],
    ['end event', node('endEvent', '', '', definition(external))],
  ];
  for (const [kind, inside] of rows) {
    test(`of a ${kind} is a call of the channel of its topic`, () => {
      assertCalls(vendorFile(inside), 'pay');
    });
  }

  test('gives its priority and its fields as headers', () => {
    const field = '<camunda:field name="to" stringValue="Ann"/>';
    const inside = node('serviceTask', `${external} camunda:taskPriority="5"`, field);
    const { headers } = nodeOf(vendorProcess(vendorFile(inside)), 'n', 'serviceTask');
    assert.deepEqual(
      headers.map(({ name, value }) => [name, value.text]),
      [
        ['priority', '"5"'],
        ['to', '"Ann"'],
      ],
    );
  });

  const priorityOf = (text: string): string | undefined => {
    const { headers } = nodeOf(vendorProcess(text), 'n', 'serviceTask');
    return headers.find(({ name }) => name === 'priority')?.value.text;
  };
  const ofProcess = (text: string, priority: string): string =>
    text.replace('<bpmn:process ', `<bpmn:process camunda:taskPriority="${priority}" `);

  test('has the priority of its process when it says none itself', () => {
    assert.equal(priorityOf(ofProcess(vendorFile(node('serviceTask', external)), '7')), '"7"');
    const own = vendorFile(node('serviceTask', `${external} camunda:taskPriority=" 5 "`));
    assert.equal(priorityOf(ofProcess(own, '7')), '"5"');
    assert.equal(priorityOf(vendorFile(node('serviceTask', external))), undefined);
  });

  test('has a priority that is a number or an expression', () => {
    const text = priorityOf(vendorFile(node('serviceTask', `${external} camunda:taskPriority="\${rank}"`)));
    const value = (rank: Value): Value =>
      compileExpression(text ?? '').evaluate(
        (name) => (name === 'rank' ? rank : undefined),
        new TurnBudget(0),
      );
    assert.deepEqual(
      [value(7), value('x'), value(null)],
      [7, 'x', 'null'],
      'one that is null is not left out',
    );
    for (const wrong of ['high', '1.5', '2147483648', '']) {
      const file = vendorFile(node('serviceTask', `${external} camunda:taskPriority="${wrong}"`));
      const [finding] = compileVendor(file).findings;
      assert.equal(finding?.code, 'SUTRA.DIALECT.VALUE_INVALID', wrong);
      assert.match(finding.message, /is no whole number from -2147483648 to 2147483647/);
    }
  });

  test('needs a topic that is known', () => {
    for (const attributes of ['camunda:type="external"', 'camunda:type="external" camunda:topic="${a}"']) {
      const { findings } = compileVendor(vendorFile(node('serviceTask', attributes)));
      assert.equal(findings[0]?.code, 'SUTRA.DIALECT.VALUE_INVALID', JSON.stringify(findings));
    }
  });
});

describe('code of Camunda 7', () => {
  const rows: readonly (readonly [attributes: string, channel: string])[] = [
    ['camunda:class="org.example.Pay"', 'org.example.Pay'],
    ['camunda:delegateExpression="${payBean}"', 'payBean'],
    ['camunda:expression="${payBean.pay(order)}"', 'p.n'],
    ['flowable:type="mail"', 'p.n'],
    ['', 'p.n'],
    ['implementation="Java"', 'p.n'],
  ];
  for (const [attributes, channel] of rows) {
    test(`as ${attributes === '' ? 'nothing' : attributes} is an external task when the package says so`, () => {
      const text = vendorFile(node('serviceTask', attributes));
      const process = vendorProcess(text, { unboundTasks: 'external-task' }, ['SUTRA.DIALECT.TASK_UNBOUND']);
      assert.deepEqual(nodeOf(process, 'n', 'serviceTask').implementation, { kind: 'channel', channel });
    });
    test(`as ${attributes === '' ? 'nothing' : attributes} is refused otherwise`, () => {
      const { processes, findings } = compileVendor(vendorFile(node('serviceTask', attributes)));
      assert.deepEqual(processes, []);
      assert.equal(findings.length, 1, JSON.stringify(findings));
      assert.match(findings[0]?.message ?? '', /channel:|external task/);
    });
  }

  test('takes along fields that are code themselves, and the worker gets the others', () => {
    const fields =
      '<camunda:field name="a" stringValue="x"/><camunda:field name="b"><camunda:expression>${bean.next()}</camunda:expression></camunda:field><camunda:field name="c" expression="${bean.x()}"/>';
    const text = vendorFile(node('serviceTask', 'camunda:class="org.example.Pay"', fields));
    const unbound = 'SUTRA.DIALECT.TASK_UNBOUND';
    const process = vendorProcess(text, { unboundTasks: 'external-task' }, [unbound, unbound, unbound]);
    assert.deepEqual(
      nodeOf(process, 'n', 'serviceTask').headers.map(({ name }) => name),
      ['a'],
    );
    const external = vendorFile(node('serviceTask', 'camunda:type="external" camunda:topic="pay"', fields));
    assert.equal(compileVendor(external).findings[0]?.code, 'SUTRA.DIALECT.EXPRESSION_REFUSED');
  });

  test('a script in another language too', () => {
    const text = vendorFile(
      node('scriptTask', 'scriptFormat="groovy"', '', '<bpmn:script>x = 1</bpmn:script>'),
    );
    assert.equal(compileVendor(text).findings[0]?.code, 'SUTRA.DIALECT.CODE_NOT_EXECUTED');
    const process = vendorProcess(text, { unboundTasks: 'external-task' }, ['SUTRA.DIALECT.TASK_UNBOUND']);
    assert.equal(nodeOf(process, 'n', 'serviceTask').implementation.kind, 'channel');
  });

  test('a listener is refused, or left out when the package says so', () => {
    const listener = '<camunda:executionListener class="org.example.Log" event="start"/>';
    const text = vendorFile(node('task', '', listener));
    assert.equal(compileVendor(text).findings[0]?.code, 'SUTRA.DIALECT.CODE_NOT_EXECUTED');
    vendorProcess(text, { listeners: 'ignore' }, ['SUTRA.DIALECT.LISTENER_IGNORED']);
  });

  test('an expression that FEEL can say is evaluated', () => {
    const text = vendorFile(
      node('serviceTask', 'camunda:expression="${amount + 1}" camunda:resultVariable="next"'),
    );
    const task = nodeOf(vendorProcess(text), 'n', 'scriptTask');
    assert.deepEqual([task.script.text, task.outputVariable], ['amount + 1', 'next']);
  });
});

describe('data of Camunda 7', () => {
  const io = (inside: string): string => `<camunda:inputOutput>${inside}</camunda:inputOutput>`;

  test('texts, expressions, lists and maps go in', () => {
    const inputs = [
      '<camunda:inputParameter name="a">text</camunda:inputParameter>',
      '<camunda:inputParameter name="b">${x.y}</camunda:inputParameter>',
      '<camunda:inputParameter name="c"><camunda:list><camunda:value>1</camunda:value><camunda:value>${z}</camunda:value></camunda:list></camunda:inputParameter>',
      '<camunda:inputParameter name="d"><camunda:map><camunda:entry key="k">v</camunda:entry></camunda:map></camunda:inputParameter>',
      '<camunda:inputParameter name="e"/>',
    ];
    const task = nodeOf(
      vendorProcess(vendorFile(node('userTask', '', io(inputs.join(''))))),
      'n',
      'userTask',
    );
    assert.deepEqual(mappingsOf(task), {
      locals: ['a', 'b', 'c', 'd', 'e'],
      inputs: ['"text" -> a', 'x.y -> b', '["1", z] -> c', '{"k": "v"} -> d', 'null -> e'],
      outputs: [],
    });
  });

  test('outputs go out', () => {
    const output = '<camunda:outputParameter name="out">${in}</camunda:outputParameter>';
    const task = nodeOf(
      vendorProcess(vendorFile(node('userTask', '', io(output.replace('${in}', '${given}'))))),
      'n',
      'userTask',
    );
    assert.deepEqual(mappingsOf(task).outputs, ['given -> out']);
    assert.equal(task.data.isClosed, false);
  });

  test('a none event with mappings is a task', () => {
    const output = '<camunda:outputParameter name="out">1</camunda:outputParameter>';
    const process = vendorProcess(vendorFile(node('intermediateThrowEvent', '', io(output))));
    assert.deepEqual(mappingsOf(nodeOf(process, 'n', 'task')).outputs, ['"1" -> out']);
  });

  test('a script is refused', () => {
    const input =
      '<camunda:inputParameter name="a"><camunda:script scriptFormat="groovy">1</camunda:script></camunda:inputParameter>';
    const { processes, findings } = compileVendor(vendorFile(node('userTask', '', io(input))));
    assert.deepEqual(processes, []);
    assert.ok(findings.every(({ code }) => code.startsWith('SUTRA.DIALECT.')));
  });
});

describe('a call of Camunda 7', () => {
  const callOf = (extensions: string, attributes = ''): readonly unknown[] => {
    const process = vendorProcess(
      vendorFile(node('callActivity', `calledElement="other" ${attributes}`, extensions)),
    );
    const call = nodeOf(process, 'n', 'callActivity');
    const params = call.params?.map(({ name, expression }) => `${expression.text} -> ${name}`) ?? null;
    const results =
      call.results?.map(({ variable, expression }) => `${expression?.text ?? ''} -> ${variable}`) ?? null;
    return [params, results, mappingsOf(call), call.binding];
  };
  const noData = { locals: [], inputs: [], outputs: [] };

  test('without mappings gives and takes nothing', () => {
    assert.deepEqual(callOf(''), [[], [], noData, 'caller']);
  });

  test('gives and takes what it maps, and the business key', () => {
    const mapped =
      '<camunda:in source="a" target="b"/><camunda:in sourceExpression="${a + 1}" target="c"/>' +
      '<camunda:in businessKey="#{execution.processBusinessKey}"/><camunda:out source="d" target="e"/>';
    assert.deepEqual(callOf(mapped), [
      ['a -> b', 'a + 1 -> c', 'businessKey -> businessKey'],
      ['d -> e'],
      noData,
      'caller',
    ]);
  });

  test('gives everything, and what it maps besides', () => {
    const all =
      '<camunda:in variables="all"/><camunda:in source="a" target="b"/><camunda:out variables="all"/>';
    const data = { locals: ['b'], inputs: ['a -> b'], outputs: [] };
    assert.deepEqual(callOf(all, 'camunda:calledElementBinding="latest"'), [null, null, data, 'latest']);
  });

  test('may name the process by an expression', () => {
    const process = vendorProcess(vendorFile(node('callActivity', 'calledElement="${next}"')));
    const { called } = nodeOf(process, 'n', 'callActivity');
    assert.ok(called.kind === 'expression');
    assert.equal(called.expression.text, 'next');
  });
});

describe('a loop of Camunda 7', () => {
  const loop = (attributes: string, inside = ''): string =>
    `<bpmn:multiInstanceLoopCharacteristics ${attributes}>${inside}</bpmn:multiInstanceLoopCharacteristics>`;
  const rows: readonly (readonly [attributes: string, inside: string, collection: string])[] = [
    ['camunda:collection="items" camunda:elementVariable="item"', '', 'items'],
    ['flowable:collection="${order.items}" flowable:elementVariable="item"', '', 'order.items'],
    ['camunda:elementVariable="item"', '<bpmn:loopDataInputRef>items</bpmn:loopDataInputRef>', 'items'],
    [
      'camunda:collection="items"',
      '<bpmn:loopDataInputRef>items</bpmn:loopDataInputRef><bpmn:inputDataItem name="item"/>',
      'items',
    ],
  ];
  for (const [attributes, inside, collection] of rows) {
    test(`over ${attributes}${inside}`, () => {
      const text = vendorFile(node('userTask', '', '', loop(attributes, inside)));
      const task = nodeOf(vendorProcess(text), 'n', 'userTask');
      assert.ok(task.loop?.kind === 'multiInstance');
      assert.deepEqual([task.loop.collection?.text, task.loop.itemVariable], [collection, 'item']);
    });
  }

  const counted: readonly (readonly [cardinality: string, items: readonly unknown[]])[] = [
    ['2', ['a', 'b']],
    ['${size}', ['a', 'b', 'c']],
    ['0', []],
    ['4', ['a', 'b', 'c', null]],
  ];
  for (const [cardinality, items] of counted) {
    test(`over a collection, ${cardinality} times, takes as many items`, () => {
      const attributes = 'camunda:collection="items" camunda:elementVariable="item"';
      const inside = `<bpmn:loopCardinality>${cardinality}</bpmn:loopCardinality>`;
      const task = nodeOf(
        vendorProcess(vendorFile(node('userTask', '', '', loop(attributes, inside)))),
        'n',
        'userTask',
      );
      assert.ok(task.loop?.kind === 'multiInstance' && task.loop.collection !== null);
      assert.equal(task.loop.cardinality, null);
      const variables = new Map<string, Value>([
        ['items', ['a', 'b', 'c']],
        ['size', 3],
      ]);
      const value = task.loop.collection.evaluate((name) => variables.get(name), new TurnBudget(0));
      assert.deepEqual(value, items);
    });
  }

  test('counts as BPMN does', () => {
    const condition =
      '<bpmn:completionCondition>${nrOfCompletedInstances/nrOfInstances >= 0.5}</bpmn:completionCondition>';
    const text = vendorFile(
      node('userTask', '', '', loop('', `<bpmn:loopCardinality>\${4}</bpmn:loopCardinality>${condition}`)),
    );
    const task = nodeOf(vendorProcess(text), 'n', 'userTask');
    assert.ok(task.loop?.kind === 'multiInstance');
    assert.match(task.loop.completionCondition?.text ?? '', /numberOfCompletedInstances.*numberOfInstances/);
  });
});

describe('smaller things of Camunda 7', () => {
  test('the code and the message of a caught error go to variables', () => {
    const boundary =
      '<bpmn:boundaryEvent id="b" attachedToRef="n"><bpmn:errorEventDefinition camunda:errorCodeVariable="code" camunda:errorMessageVariable="message"/></bpmn:boundaryEvent>';
    const process = vendorProcess(vendorFile(`${node('userTask', '')}${boundary}`));
    const [trigger] = nodeOf(process, 'b', 'boundaryEvent').triggers;
    assert.deepEqual(trigger, {
      kind: 'error',
      errorCode: null,
      codeVariable: 'code',
      messageVariable: 'message',
    });
  });

  test('a receive task without a message waits until somebody completes it', () => {
    nodeOf(vendorProcess(vendorFile(node('receiveTask', ''))), 'n', 'userTask');
  });

  test('XPath as the language of the file is not heeded', () => {
    const flow =
      '<bpmn:exclusiveGateway id="n" default="no"/><bpmn:sequenceFlow id="yes" sourceRef="n" targetRef="a"><bpmn:conditionExpression>${ok == true}</bpmn:conditionExpression></bpmn:sequenceFlow><bpmn:sequenceFlow id="no" sourceRef="n" targetRef="a"/><bpmn:task id="a"/>';
    const text = vendorFile(flow).replace(
      'targetNamespace=',
      'expressionLanguage="http://www.w3.org/1999/XPath" targetNamespace=',
    );
    const { flows } = vendorProcess(text);
    assert.match(flows.get('yes')?.condition?.text ?? '', /ok/);
  });

  test('a decision is one of the package', () => {
    const attributes =
      'camunda:decisionRef="Risk" camunda:resultVariable="risk" camunda:mapDecisionResult="singleEntry"';
    const task = nodeOf(
      vendorProcess(vendorFile(node('businessRuleTask', attributes))),
      'n',
      'businessRuleTask',
    );
    assert.equal(task.implementation.kind, 'decision');
    assert.equal(task.outputVariable, 'risk');
  });
});
