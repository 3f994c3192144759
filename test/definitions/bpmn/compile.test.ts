import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { compileBpmn } from '../../../definitions/bpmn/compile.ts';
import { TurnBudget } from '../../../definitions/feel.ts';
import type { ProcessDefinition } from '../../../definitions/model.ts';
import { compileText, definitions, extensions, processWith } from './marked-file.ts';
import { mappingsOf, nodeIn, nodeOf, onlyProcess } from './model-of.ts';

const orderFile = new URL('../../fixtures/bpmn/order.bpmn', import.meta.url);
const orderText = readFileSync(orderFile, 'utf8');

const source = (attributes = ''): string => `<q:source channel="in" ${attributes}/>`;

describe('the order process', () => {
  const process = onlyProcess(orderText);

  test('has its nodes, flows and variables', () => {
    assert.equal(process.id, 'order');
    assert.equal(process.name, 'Score an order');
    assert.deepEqual([...process.children], [...process.nodes.keys()]);
    assert.deepEqual(
      [...process.nodes.values()].map(({ kind }) => kind),
      ['startEvent', 'serviceTask', 'exclusiveGateway', 'intermediateCatchEvent', 'endEvent', 'endEvent'],
    );
    assert.deepEqual(
      [...process.flows.keys()],
      ['to-score', 'to-decide', 'to-cool-off', 'to-reject', 'to-accept'],
    );
    assert.deepEqual(process.variables.get('score'), {
      name: 'score',
      type: 'number',
      isSensitive: false,
      isTransient: false,
    });
  });

  test('calls the channel with its parameters and its timeout', () => {
    const task = nodeOf(process, 'score-order', 'serviceTask');
    assert.deepEqual(task.implementation, { kind: 'channel', channel: 'score-request' });
    assert.deepEqual(
      task.params.map(({ name, expression }) => [name, expression.text]),
      [
        ['orderId', 'order.id'],
        ['amount', 'order.amount'],
      ],
    );
    assert.equal(task.timeoutMs, 3_600_000);
  });

  test('decides by FEEL', () => {
    const gateway = nodeOf(process, 'decide', 'exclusiveGateway');
    assert.equal(gateway.defaultFlowId, 'to-reject');
    assert.deepEqual(gateway.outgoing, ['to-cool-off', 'to-reject']);
    const condition = process.flows.get('to-cool-off')?.condition;
    assert.equal(
      condition?.evaluate(() => 50, new TurnBudget(0)),
      true,
    );
    assert.equal(
      condition.evaluate(() => 49, new TurnBudget(0)),
      false,
    );
  });

  test('knows the place of everything', () => {
    assert.deepEqual(process.nodes.get('decide')?.place, {
      file: 'bpmn/test.bpmn',
      line: 31,
      column: 5,
      elementId: 'decide',
    });
  });

  test('is frozen to the leaves', () => {
    const task = nodeOf(process, 'score-order', 'serviceTask');
    assert.ok(Object.isFrozen(process) && Object.isFrozen(process.children));
    assert.ok(Object.isFrozen(task) && Object.isFrozen(task.params) && Object.isFrozen(task.params[0]));
    assert.ok(Object.isFrozen(task.outgoing) && Object.isFrozen(process.flows.get('to-score')));
  });

  const rewritings: readonly (readonly [string, (text: string) => string])[] = [
    ['another prefix', (text) => text.replaceAll('bpmn:', 'b-2:').replace('xmlns:bpmn', 'xmlns:b-2')],
    [
      'the default namespace',
      (text) => text.replaceAll('bpmn:', '').replace('xmlns:bpmn', 'xmlns').replace('"tFormal', '"tFormal'),
    ],
    [
      'another prefix for the vocabulary',
      (text) =>
        text.replaceAll('<q:', '<sutra:').replaceAll('</q:', '</sutra:').replace('xmlns:q', 'xmlns:sutra'),
    ],
    [
      'the namespace declared where it is used',
      (text) =>
        text.replace(/\s+xmlns:q="[^"]*"/, '').replaceAll(/<q:(\w+)/g, '<q:$1 xmlns:q="urn:sutra:q:1.0"'),
    ],
    ['line ends of another system', (text) => text.replaceAll('\n', '\r\n')],
  ];
  for (const [title, rewrite] of rewritings) {
    test(`is the same with ${title}`, () => {
      const withoutPlaces = (definition: ProcessDefinition): unknown =>
        JSON.parse(
          JSON.stringify(
            [[...definition.nodes], [...definition.flows], [...definition.variables]],
            (key, value) => (key === 'place' ? undefined : (value as unknown)),
          ),
        );
      assert.deepEqual(withoutPlaces(onlyProcess(rewrite(orderText))), withoutPlaces(process));
    });
  }
});

describe('activities', () => {
  test('a channel call takes everything that it may have', () => {
    const task = nodeIn(
      'serviceTask',
      `<serviceTask id="n" name="N" implementation="channel:work">${extensions(`
        <q:source channel="answers" name="answer"/><q:alias name="order" expression="order.id" unique="true" onConflict="correlate"/>
        <q:header name="X-Kind" value="&quot;a&quot;"/><q:output variable="result"/><q:reply contentType="text/plain" body="&quot;ok&quot;" continue="true"/>`)}
        <dataOutputAssociation><assignment><from>=answer.total</from><to>order.total</to></assignment></dataOutputAssociation>
      </serviceTask>`,
    );
    assert.equal(task.name, 'N');
    assert.equal(task.responseSource?.channel, 'answers');
    assert.equal(task.responseSource.variable, 'answer');
    assert.deepEqual(
      task.aliases.map(({ name, isUnique, onConflict, isMulti }) => ({
        name,
        isUnique,
        onConflict,
        isMulti,
      })),
      [{ name: 'order', isUnique: true, onConflict: 'correlate', isMulti: false }],
    );
    assert.equal(task.outputVariable, 'result');
    assert.equal(task.headers[0]?.name, 'X-Kind');
    assert.equal(task.reply?.isContinued, true);
    assert.deepEqual(mappingsOf(task).outputs, ['answer.total -> order.total']);
    assert.deepEqual([task.contentType, task.timeoutMs, task.retry], [null, null, null]);
  });

  test('q:retry is read, with its defaults', () => {
    const retries: readonly (readonly [string, object])[] = [
      [
        'maxAttempts="3"',
        { initialDelayMs: 1_000, backoffCoefficient: 2, maxDelayMs: 300_000, nonRetryableCodes: [] },
      ],
      [
        'maxAttempts="3" initialDelay="PT10M" backoffCoefficient="1.5" nonRetryableCodes="A.B, C  D"',
        {
          initialDelayMs: 600_000,
          backoffCoefficient: 1.5,
          maxDelayMs: 600_000,
          nonRetryableCodes: ['A.B', 'C', 'D'],
        },
      ],
      [
        'maxAttempts="3" initialDelay="PT2S" maxDelay="PT2S"',
        { initialDelayMs: 2_000, backoffCoefficient: 2, maxDelayMs: 2_000, nonRetryableCodes: [] },
      ],
    ];
    for (const [attributes, expected] of retries) {
      const task = nodeIn(
        'serviceTask',
        `<serviceTask id="n" implementation="registered:price"><extensionElements><q:retry ${attributes}/></extensionElements></serviceTask>`,
      );
      assert.deepEqual(task.retry, { maxAttempts: 3, ...expected });
    }
  });

  test('a task without an implementation and with assignments is a data task', () => {
    for (const implementation of ['', 'implementation="##unspecified"', 'implementation="##WebService"']) {
      const task = nodeIn(
        'serviceTask',
        `<serviceTask id="n" ${implementation}><dataInputAssociation>
        <assignment><from>1</from><to>a</to></assignment><assignment><from>2</from><to>b</to></assignment></dataInputAssociation></serviceTask>`,
      );
      assert.deepEqual(task.implementation, { kind: 'data' });
      assert.deepEqual(mappingsOf(task).inputs, ['1 -> a', '2 -> b']);
    }
  });

  test('a registered function is named', () => {
    const task = nodeIn('serviceTask', '<serviceTask id="n" implementation="registered:price"/>');
    assert.deepEqual(task.implementation, { kind: 'registered', name: 'price' });
  });

  test('a send task sends', () => {
    const { send } = nodeIn(
      'sendTask',
      `<sendTask id="n">${extensions('<q:send destination="target" contentType="application/json; charset=utf-8" body="{a: 1}"><q:header name="a" value="b"/></q:send>')}</sendTask>`,
    );
    assert.equal(send.channel, null);
    assert.equal(send.destination?.text, 'target');
    assert.equal(send.contentType, 'application/json; charset=utf-8');
    assert.deepEqual(
      send.headers.map(({ name, value }) => [name, value.text]),
      [['a', 'b']],
    );
  });

  test('a receive task receives', () => {
    const task = nodeIn(
      'receiveTask',
      `<receiveTask id="n" messageRef="t:m">${extensions(source('messageTypePattern="order.*" dedupKey="header.id" ack="on-persist" dataClass="personal"'))}</receiveTask>`,
      '<message id="m"/>',
    );
    assert.deepEqual(task.source.messageType, { kind: 'pattern', pattern: 'order.*' });
    assert.equal(task.source.dedupKey?.text, 'header.id');
    assert.equal(task.source.ack, 'on-persist');
    assert.equal(task.source.dataClass, 'personal');
    assert.equal(task.source.variable, 'payload');
  });

  test('a user task has a source only if it says so', () => {
    assert.equal(nodeIn('userTask', '<userTask id="n"/>').source, null);
    const task = nodeIn(
      'userTask',
      `<userTask id="n">${extensions(source('messageTypeValue="done"'))}</userTask>`,
    );
    assert.deepEqual(task.source?.messageType, { kind: 'exact', value: 'done' });
  });

  test('a script runs FEEL, in CDATA too', () => {
    for (const format of [
      '',
      'scriptFormat="FEEL"',
      'scriptFormat="https://www.omg.org/spec/DMN/20191111/FEEL/"',
    ]) {
      const task = nodeIn(
        'scriptTask',
        `<scriptTask id="n" ${format}>${extensions('<q:output variable="sum"/>')}<script><![CDATA[ = 1 < 2 ]]></script></scriptTask>`,
      );
      assert.equal(task.script.text, '1 < 2');
      assert.equal(task.outputVariable, 'sum');
    }
  });

  test('tasks and manual tasks pass through', () => {
    const task = nodeIn('task', '<task id="n"/>');
    assert.deepEqual(mappingsOf(task), { locals: [], inputs: [], outputs: [] });
    assert.deepEqual([task.loop, task.isForCompensation, task.boundaryEventIds], [null, false, []]);
    assert.equal(nodeIn('manualTask', '<manualTask id="n"/>').reply, null);
  });

  test('a default flow of an activity is kept', () => {
    const task = nodeIn(
      'task',
      `<task id="n" default="h"/><task id="x"/><sequenceFlow id="g" sourceRef="n" targetRef="x"><conditionExpression>a</conditionExpression></sequenceFlow><sequenceFlow id="h" sourceRef="n" targetRef="x"/>`,
    );
    assert.equal(task.defaultFlowId, 'h');
  });
});

describe('the graph', () => {
  test('a flow without an id gets one from its ends', () => {
    const process = onlyProcess(
      processWith(
        '<task id="n"/><task id="x"/><sequenceFlow sourceRef="n" targetRef="x"/><sequenceFlow sourceRef="n" targetRef="x"/>',
      ),
    );
    assert.deepEqual([...process.flows.keys()], ['f', 'n->x', 'n->x#2']);
    assert.deepEqual(process.nodes.get('x')?.incoming, ['n->x', 'n->x#2']);
  });

  test('loops and event-based gateways are taken', () => {
    const process = onlyProcess(
      processWith(`<eventBasedGateway id="n"/><sequenceFlow id="g" sourceRef="n" targetRef="t"/>
      <intermediateCatchEvent id="t"><timerEventDefinition><timeDuration>PT1S</timeDuration></timerEventDefinition></intermediateCatchEvent>
      <sequenceFlow id="h" sourceRef="n" targetRef="r"/><receiveTask id="r">${extensions(source())}</receiveTask>
      <sequenceFlow id="i" sourceRef="t" targetRef="n"/><sequenceFlow id="j" sourceRef="r" targetRef="n"/>`),
    );
    assert.deepEqual(process.nodes.get('n')?.incoming, ['f', 'i', 'j']);
  });

  test('everything that only documents is taken and changes nothing', () => {
    const process = onlyProcess(
      processWith(
        `<documentation>a <b xmlns="http://www.w3.org/1999/xhtml">b</b></documentation>
        <laneSet id="l"><lane id="l1"><flowNodeRef>n</flowNodeRef></lane></laneSet>
        <dataObject id="o"/><dataObjectReference id="r" dataObjectRef="o"/><dataStoreReference id="d"/>
        <textAnnotation id="t"><text>hi</text></textAnnotation><association id="a" sourceRef="n" targetRef="t"/><group id="g"/>
        <task id="n" camunda:asyncBefore="true">${extensions('<camunda:inputOutput/>')}</task>`,
        `<import importType="x" location="y" namespace="z"/><itemDefinition id="i"/><signal id="sig"/><category id="c"/>
        <collaboration id="k"><participant id="k1" processRef="p"/></collaboration>
        <signalEventDefinition id="unused"/>
        <di:BPMNDiagram xmlns:di="http://www.omg.org/spec/BPMN/20100524/DI"/>`,
      ),
    );
    assert.deepEqual([...process.nodes.keys()], ['s', 'n']);
  });

  test('several processes of a file are compiled, and documentation beside them is not', () => {
    const { processes, findings } = compileText(
      definitions(`<process id="a" isExecutable="true"><startEvent id="s"/></process>
      <process id="b" isExecutable="false"><callActivity id="c"/></process><process id="d"><startEvent id="t"/></process>`),
    );
    assert.deepEqual(
      processes.map(({ id }) => id),
      ['a', 'd'],
    );
    assert.deepEqual(
      findings.map(({ severity }) => severity),
      ['warning'],
    );
  });

  test('a name like a member of every object is a name like any other', () => {
    const process = onlyProcess(
      processWith(
        `<task id="n"/><task id="__proto__"/><sequenceFlow id="constructor" sourceRef="n" targetRef="__proto__"/>`,
      ),
    );
    assert.equal(process.flows.get('constructor')?.targetId, '__proto__');
    assert.equal(process.nodes.get('__proto__')?.kind, 'task');
  });
});

describe('any bytes', () => {
  test('give findings and no process', () => {
    for (const content of [new Uint8Array(), new Uint8Array([0, 1, 2]), new TextEncoder().encode('order')]) {
      const { processes, findings } = compileBpmn({ path: 'x.bpmn', content });
      assert.deepEqual(processes, []);
      assert.ok(findings.length > 0);
    }
  });
});
