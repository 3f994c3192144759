/** What a file of Camunda 8 (Zeebe) means. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mappingsOf, nodeOf } from '../bpmn/model-of.ts';
import { assertCalls, compileVendor, node, vendorProcess, zeebeFile } from './vendor-file.ts';

const job = (type: string, more = ''): string => `<zeebe:taskDefinition type="${type}"/>${more}`;

describe('a job of Zeebe', () => {
  for (const kind of ['serviceTask', 'sendTask', 'scriptTask', 'intermediateThrowEvent', 'endEvent']) {
    test(`of a ${kind} is a call of the channel of its type`, () => {
      assertCalls(zeebeFile(node(kind, '', job('pay'))), 'pay');
    });
  }

  test('may stand on the message definition of an event', () => {
    const definition = `<bpmn:messageEventDefinition><bpmn:extensionElements>${job('notify')}</bpmn:extensionElements></bpmn:messageEventDefinition>`;
    const process = vendorProcess(zeebeFile(node('endEvent', '', '', definition)));
    assert.deepEqual(nodeOf(process, 'n', 'serviceTask').implementation, {
      kind: 'channel',
      channel: 'notify',
    });
  });

  test('may have a type that is a constant in FEEL', () => {
    const { wishes } = compileVendor(zeebeFile(node('serviceTask', '', job('=&quot;pay&quot;'))));
    assert.deepEqual(
      wishes.map(({ name }) => name),
      ['pay'],
    );
  });

  test('has its priority, or that of its process', () => {
    const priority = (text: string): string => `<zeebe:jobPriorityDefinition priority="${text}"/>`;
    const headerOf = (more: string, process = ''): string | undefined => {
      const file = zeebeFile(node('serviceTask', '', job('pay', more))).replace(
        '<bpmn:startEvent',
        `${process === '' ? '' : `<bpmn:extensionElements>${process}</bpmn:extensionElements>`}<bpmn:startEvent`,
      );
      const { headers } = nodeOf(vendorProcess(file), 'n', 'serviceTask');
      return headers.find(({ name }) => name === 'priority')?.value.text;
    };
    assert.equal(headerOf(priority('42')), '"42"');
    assert.match(headerOf(priority('= order.rank')) ?? '', /order\.rank/);
    assert.equal(headerOf('', priority('7')), '"7"');
    assert.equal(headerOf(priority('-5'), priority('7')), '"-5"');
    assert.equal(headerOf(''), undefined);
    const [finding] = compileVendor(
      zeebeFile(node('serviceTask', '', job('pay', priority('high')))),
    ).findings;
    assert.equal(finding?.code, 'SUTRA.DIALECT.VALUE_INVALID');
  });

  test('has its headers', () => {
    const headers = '<zeebe:taskHeaders><zeebe:header key="to" value="a &quot;b&quot;"/></zeebe:taskHeaders>';
    const process = vendorProcess(zeebeFile(node('serviceTask', '', job('pay', headers))));
    const { headers: read } = nodeOf(process, 'n', 'serviceTask');
    assert.deepEqual(
      read.map(({ name, value }) => [name, value.text]),
      [['to', '"a \\"b\\""']],
    );
  });
});

describe("data of Zeebe's activities", () => {
  const io = (inside: string): string => `<zeebe:ioMapping>${inside}</zeebe:ioMapping>`;

  test('input mappings are variables of the activity, with texts and paths', () => {
    const mapping = io(
      '<zeebe:input source="=order.id" target="id"/><zeebe:input source="fast" target="how.speed"/>',
    );
    const task = nodeOf(
      vendorProcess(zeebeFile(node('serviceTask', '', job('pay', mapping)))),
      'n',
      'serviceTask',
    );
    assert.deepEqual(mappingsOf(task), {
      locals: ['id', 'how'],
      inputs: ['order.id -> id', '"fast" -> how.speed'],
      outputs: [],
    });
    assert.equal(task.data.isClosed, false);
  });

  test('output mappings alone go out', () => {
    const mapping = io('<zeebe:output source="=result.ok" target="paid"/>');
    const task = nodeOf(
      vendorProcess(zeebeFile(node('serviceTask', '', job('pay', mapping)))),
      'n',
      'serviceTask',
    );
    assert.deepEqual(mappingsOf(task).outputs, ['result.ok -> paid']);
    assert.equal(task.data.isClosed, true);
  });

  test('a sub-process lets out what its activities give, beside its output mappings', () => {
    const mapping = io('<zeebe:output source="=a" target="b"/>');
    const inside = '<bpmn:startEvent id="i"/>';
    const process = vendorProcess(zeebeFile(node('subProcess', '', mapping, inside)));
    assert.equal(nodeOf(process, 'n', 'subProcess').data.isClosed, false);
  });
});

test("Zeebe's script is a script", () => {
  const script = '<zeebe:script expression="=a + 1" resultVariable="b"/>';
  const task = nodeOf(vendorProcess(zeebeFile(node('scriptTask', '', script))), 'n', 'scriptTask');
  assert.deepEqual([task.script.text, task.outputVariable], ['a + 1', 'b']);
});

describe("Zeebe's call", () => {
  const called = (attributes: string): string => `<zeebe:calledElement processId="other" ${attributes}/>`;
  const callOf = (extensions: string): readonly unknown[] => {
    const {
      called: what,
      params,
      results,
      binding,
    } = nodeOf(vendorProcess(zeebeFile(node('callActivity', '', extensions))), 'n', 'callActivity');
    return [what, params, results, binding];
  };
  const other = { kind: 'process', processId: 'other' };

  test('gives and takes everything', () => {
    assert.deepEqual(callOf(called('')), [other, null, null, 'caller']);
  });

  test('takes nothing back when it says so', () => {
    assert.deepEqual(callOf(called('propagateAllChildVariables="false"')), [other, null, [], 'caller']);
  });

  test('gives nothing when it says so, and may bind the latest', () => {
    const attributes = 'propagateAllParentVariables="false" bindingType="latest"';
    assert.deepEqual(callOf(called(attributes)), [other, [], null, 'latest']);
  });

  test('may name the process in FEEL', () => {
    const [what] = callOf('<zeebe:calledElement processId="=next"/>');
    assert.equal((what as { kind: string }).kind, 'expression');
  });
});

describe("Zeebe's loop", () => {
  const loop = (attributes: string): string =>
    `<bpmn:multiInstanceLoopCharacteristics><bpmn:extensionElements><zeebe:loopCharacteristics ${attributes}/></bpmn:extensionElements></bpmn:multiInstanceLoopCharacteristics>`;

  test('collects a variable', () => {
    const attributes =
      'inputCollection="=items" inputElement="item" outputCollection="results" outputElement="=result"';
    const task = nodeOf(
      vendorProcess(zeebeFile(node('serviceTask', '', job('pay'), loop(attributes)))),
      'n',
      'serviceTask',
    );
    assert.ok(task.loop?.kind === 'multiInstance');
    const { collection, itemVariable, outputCollection, outputItemVariable } = task.loop;
    assert.deepEqual(
      [collection?.text, itemVariable, outputCollection, outputItemVariable],
      ['items', 'item', 'results', 'result'],
    );
    assert.deepEqual(mappingsOf(task).outputs, []);
  });

  test('collects the value of an expression', () => {
    const attributes =
      'inputCollection="=items" inputElement="item" outputCollection="sums" outputElement="=item.a + 1"';
    const task = nodeOf(
      vendorProcess(zeebeFile(node('serviceTask', '', job('pay'), loop(attributes)))),
      'n',
      'serviceTask',
    );
    assert.ok(task.loop?.kind === 'multiInstance');
    assert.deepEqual(mappingsOf(task).outputs, [`item.a + 1 -> ${task.loop.outputItemVariable ?? ''}`]);
  });
});

describe("Zeebe's message", () => {
  const message =
    '<bpmn:message id="m" name="money came"><bpmn:extensionElements><zeebe:subscription correlationKey="=order.id"/></bpmn:extensionElements></bpmn:message>';
  const waits = node('receiveTask', 'messageRef="m"');

  test('is waited for on the channel of its name, by the key of its subscription', () => {
    const { processes, wishes } = compileVendor(zeebeFile(waits, message));
    assert.deepEqual(
      wishes.map(({ name, use }) => [name, use]),
      [['money-came', 'catch']],
    );
    const [process] = processes;
    assert.ok(process !== undefined);
    const { source, aliases } = nodeOf(process, 'n', 'receiveTask');
    assert.deepEqual([source.channel, source.mergesPayload], ['money-came', true]);
    assert.deepEqual(
      aliases.map(({ name, expression }) => [name, expression.text]),
      [['money-came', 'order.id']],
    );
    assert.match(aliases[0]?.messageExpression?.text ?? '', /correlation-key/);
  });

  test('starts a process without a key', () => {
    const start =
      '<bpmn:startEvent id="by"><bpmn:messageEventDefinition messageRef="m"/></bpmn:startEvent><bpmn:sequenceFlow id="g" sourceRef="by" targetRef="n"/>';
    const process = vendorProcess(zeebeFile(`${start}${node('task', '')}`, message));
    const [trigger] = nodeOf(process, 'by', 'startEvent').triggers;
    assert.ok(trigger?.kind === 'message');
    assert.deepEqual(trigger.aliases, []);
  });
});

describe('what Zeebe has and we have not is refused', () => {
  const refused: readonly (readonly [what: string, file: string, code: string])[] = [
    ['a type that is not known', zeebeFile(node('serviceTask', '', job('=type'))), 'VALUE_INVALID'],
    [
      'an execution listener',
      zeebeFile(
        node(
          'serviceTask',
          '',
          job(
            'pay',
            '<zeebe:executionListeners><zeebe:executionListener eventType="start" type="a"/></zeebe:executionListeners>',
          ),
        ),
      ),
      'CODE_NOT_EXECUTED',
    ],
    [
      'a version of a called process',
      zeebeFile(node('callActivity', '', '<zeebe:calledElement processId="other" versionTag="v1"/>')),
      'EXTENSION_REFUSED',
    ],
    [
      'a mapping of a gateway',
      zeebeFile(
        node(
          'parallelGateway',
          '',
          '<zeebe:ioMapping><zeebe:output source="=1" target="a"/></zeebe:ioMapping>',
        ),
      ),
      'EXTENSION_REFUSED',
    ],
    [
      'a target that is no variable',
      zeebeFile(
        node(
          'serviceTask',
          '',
          job('pay', '<zeebe:ioMapping><zeebe:input source="=1" target="$.a"/></zeebe:ioMapping>'),
        ),
      ),
      'VALUE_INVALID',
    ],
  ];
  for (const [what, file, code] of refused) {
    test(what, () => {
      const { processes, findings } = compileVendor(file);
      assert.deepEqual(processes, []);
      assert.deepEqual(
        findings.map((finding) => finding.code),
        [`SUTRA.DIALECT.${code}`],
      );
    });
  }
});
