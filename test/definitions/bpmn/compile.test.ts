import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { compileBpmn } from '../../../definitions/bpmn/compile.ts';
import type { FlowNode, FlowNodeKind, ProcessDefinition } from '../../../definitions/model.ts';
import { compileText, definitions, extensions, processWith } from './marked-file.ts';

const orderFile = new URL('../../fixtures/bpmn/order.bpmn', import.meta.url);
const orderText = readFileSync(orderFile, 'utf8');

/** Some types of the model stand for two kinds. */
type NodeOf<K extends FlowNodeKind, N = FlowNode> = N extends { readonly kind: infer Kinds }
  ? K extends Kinds
    ? N
    : never
  : never;

function onlyProcess(text: string): ProcessDefinition {
  const { processes, findings } = compileText(text);
  assert.deepEqual(findings, []);
  const [process] = processes;
  assert.ok(process !== undefined && processes.length === 1);
  return process;
}

function nodeOf<K extends FlowNodeKind>(process: ProcessDefinition, id: string, kind: K): NodeOf<K> {
  const node = process.nodes.get(id);
  assert.equal(node?.kind, kind);
  return node as NodeOf<K>;
}

/** The node `n` of a process that holds `inside`. */
function nodeIn<K extends FlowNodeKind>(kind: K, inside: string, roots = ''): NodeOf<K> {
  return nodeOf(onlyProcess(processWith(inside, roots)), 'n', kind);
}

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
      condition?.evaluate(() => 50, 0),
      true,
    );
    assert.equal(
      condition.evaluate(() => 49, 0),
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
    assert.deepEqual(
      task.assignments.map(({ from, to }) => [from.text, to]),
      [['answer.total', ['order', 'total']]],
    );
    assert.deepEqual([task.contentType, task.timeoutMs, task.retry], [null, null, null]);
  });

  test('a task without an implementation and with assignments is a data task', () => {
    for (const implementation of ['', 'implementation="##unspecified"', 'implementation="##WebService"']) {
      const task = nodeIn(
        'serviceTask',
        `<serviceTask id="n" ${implementation}><dataInputAssociation><targetRef>x</targetRef>
        <assignment><from>1</from><to>a</to></assignment><assignment><from>2</from><to>b</to></assignment></dataInputAssociation></serviceTask>`,
      );
      assert.deepEqual(task.implementation, { kind: 'data' });
      assert.deepEqual(
        task.assignments.map(({ to }) => to),
        [['a'], ['b']],
      );
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
    assert.deepEqual(nodeIn('task', '<task id="n"/>').assignments, []);
    assert.equal(nodeIn('manualTask', '<manualTask id="n"/>').reply, null);
  });

  test('a sub-process holds its nodes', () => {
    const process = onlyProcess(
      processWith(`<subProcess id="n"><startEvent id="a"/><sequenceFlow id="g" sourceRef="a" targetRef="b"/>
      <subProcess id="b"><startEvent id="c"/></subProcess></subProcess>`),
    );
    const outer = nodeOf(process, 'n', 'subProcess');
    assert.deepEqual([outer.parentId, outer.children, outer.startEventId], ['p', ['a', 'b'], 'a']);
    assert.deepEqual(process.children, ['s', 'n']);
    assert.equal(process.nodes.get('c')?.parentId, 'b');
    assert.equal(process.flows.get('g')?.targetId, 'b');
  });

  test('a default flow of an activity is kept', () => {
    const task = nodeIn(
      'task',
      `<task id="n" default="h"/><task id="x"/><sequenceFlow id="g" sourceRef="n" targetRef="x"><conditionExpression>a</conditionExpression></sequenceFlow><sequenceFlow id="h" sourceRef="n" targetRef="x"/>`,
    );
    assert.equal(task.defaultFlowId, 'h');
  });
});

describe('events', () => {
  test('a start event with a source is a message start, with or without the definition', () => {
    for (const definition of [
      '',
      '<messageEventDefinition/>',
      '<eventDefinitionRef>t:d</eventDefinitionRef>',
    ]) {
      const process = onlyProcess(
        definitions(
          `<messageEventDefinition id="d"/><process id="p"><startEvent id="s">${extensions(source())}${definition}</startEvent></process>`,
        ),
      );
      assert.equal(nodeOf(process, 's', 'startEvent').source?.channel, 'in');
    }
  });

  test('a start event without a source is a none start, which may register a key', () => {
    const alias = extensions('<q:alias name="order" expression="order.id"/>');
    const process = onlyProcess(
      definitions(`<process id="p"><startEvent id="s">${alias}</startEvent></process>`),
    );
    const { source: noSource, aliases } = nodeOf(process, 's', 'startEvent');
    assert.equal(noSource, null);
    assert.equal(aliases[0]?.expression.text, 'order.id');
  });

  const ends: readonly (readonly [string, string, unknown])[] = [
    ['none', '', { kind: 'none' }],
    ['terminate', '<terminateEventDefinition/>', { kind: 'terminate' }],
    ['error', '<errorEventDefinition errorRef="e"/>', { kind: 'error', errorCode: 'E1' }],
  ];
  for (const [kind, definition, result] of ends) {
    test(`a ${kind} end event`, () => {
      const end = nodeIn(
        'endEvent',
        `<endEvent id="n">${definition}</endEvent>`,
        '<error id="e" errorCode="E1"/>',
      );
      assert.deepEqual(end.result, result);
    });
  }

  test('a message end event and a message throw event send', () => {
    const inside = `${extensions('<q:send channel="out"/><q:reply body="1"/>')}<messageEventDefinition/>`;
    const end = nodeIn('endEvent', `<endEvent id="n">${inside}</endEvent>`);
    assert.equal(end.result.kind === 'message' ? end.result.send.channel : null, 'out');
    assert.equal(end.reply?.body?.text, '1');
    const { event } = nodeIn(
      'intermediateThrowEvent',
      `<intermediateThrowEvent id="n">${inside}</intermediateThrowEvent>`,
    );
    assert.equal(event.kind === 'message' ? event.send.channel : null, 'out');
  });

  test('a none throw event', () => {
    const node = nodeIn('intermediateThrowEvent', '<intermediateThrowEvent id="n"/>');
    assert.deepEqual(node.event, { kind: 'none' });
  });

  const times: readonly (readonly [string, string, Record<string, unknown>])[] = [
    [
      'a written duration',
      '<timeDuration>\n PT1H30M </timeDuration>',
      { kind: 'duration', durationMs: 5_400_000, expression: null },
    ],
    [
      'no time at all',
      '<timeDuration>PT0S</timeDuration>',
      { kind: 'duration', durationMs: 0, expression: null },
    ],
    [
      'a duration in FEEL',
      '<timeDuration>=duration("PT1S")</timeDuration>',
      { kind: 'duration', durationMs: null, expression: 'duration("PT1S")' },
    ],
    [
      'a duration of a variable that starts with P',
      '<timeDuration>Pause.time</timeDuration>',
      { kind: 'duration', durationMs: null, expression: 'Pause.time' },
    ],
    [
      'a written date',
      '<timeDate>2026-05-01T02:00:00+02:00</timeDate>',
      { kind: 'date', dueAtMs: Date.UTC(2026, 4, 1), expression: null },
    ],
    [
      'a date in FEEL',
      '<timeDate>order.due</timeDate>',
      { kind: 'date', dueAtMs: null, expression: 'order.due' },
    ],
  ];
  for (const [title, time, expected] of times) {
    test(`a timer with ${title}`, () => {
      const { event } = nodeIn(
        'intermediateCatchEvent',
        `<intermediateCatchEvent id="n"><timerEventDefinition>${time}</timerEventDefinition></intermediateCatchEvent>`,
      );
      assert.ok(event.kind === 'timer');
      const { place, expression, ...timer } = event.timer;
      assert.deepEqual({ ...timer, expression: expression?.text ?? null }, expected);
      assert.equal(place.elementId, 'n');
    });
  }

  test('boundary events are attached, interrupting or not', () => {
    const process = onlyProcess(
      processWith(
        `<userTask id="n"/>
        <boundaryEvent id="a" attachedToRef="n"><errorEventDefinition errorRef="e"/></boundaryEvent>
        <boundaryEvent id="b" attachedToRef="n"><errorEventDefinition/></boundaryEvent>
        <boundaryEvent id="c" attachedToRef="n" cancelActivity="0"><timerEventDefinition><timeDuration>PT1S</timeDuration></timerEventDefinition></boundaryEvent>
        <boundaryEvent id="d" attachedToRef="n" cancelActivity="false">${extensions(source())}<messageEventDefinition/></boundaryEvent>`,
        '<error id="e" errorCode="E1"/>',
      ),
    );
    assert.deepEqual(nodeOf(process, 'n', 'userTask').boundaryEventIds, ['a', 'b', 'c', 'd']);
    const caught = { kind: 'error', codeVariable: null, messageVariable: null };
    assert.deepEqual(nodeOf(process, 'a', 'boundaryEvent').event, { ...caught, errorCode: 'E1' });
    assert.deepEqual(nodeOf(process, 'b', 'boundaryEvent').event, { ...caught, errorCode: null });
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((id) => nodeOf(process, id, 'boundaryEvent').isInterrupting),
      [true, true, false, false],
    );
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
        <task id="n" camunda:asyncBefore="true">${extensions('<camunda:inputOutput/>')}<dataInputAssociation><sourceRef>r</sourceRef><targetRef>x</targetRef></dataInputAssociation></task>`,
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
