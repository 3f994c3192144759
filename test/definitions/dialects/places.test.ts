/** Findings about what a translation made point at what the author wrote. `▮` marks where. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { outline, readMarks } from '../bpmn/marked-file.ts';
import { compileVendor, node, vendorFile } from './vendor-file.ts';

const flow = (text: string): string =>
  `<bpmn:exclusiveGateway id="n" default="no"/><bpmn:sequenceFlow id="yes" sourceRef="n" targetRef="a"><bpmn:conditionExpression>${text}</bpmn:conditionExpression></bpmn:sequenceFlow><bpmn:sequenceFlow id="no" sourceRef="n" targetRef="a"/><bpmn:task id="a"/>`;
const external = 'camunda:type="external" camunda:topic="pay"';
const io = (inside: string): string => `<camunda:inputOutput>${inside}</camunda:inputOutput>`;

const rows: readonly (readonly [what: string, inside: string, code: string])[] = [
  ['JUEL in a condition', flow('\n  ${ok &amp;&amp; bean.▮call(ok)}'), 'SUTRA.DIALECT.EXPRESSION_REFUSED'],
  [
    'JUEL in a parameter',
    node(
      'serviceTask',
      external,
      io('<camunda:inputParameter name="a">${x + bean.▮y()}</camunda:inputParameter>'),
    ),
    'SUTRA.DIALECT.EXPRESSION_REFUSED',
  ],
  ['a class', node('serviceTask', '▮camunda:class="org.example.Pay"'), 'SUTRA.DIALECT.CODE_NOT_EXECUTED'],
  [
    'FEEL of Zeebe that is wrong, found by the reader',
    node(
      'serviceTask',
      '',
      '<zeebe:taskDefinition type="pay"/><zeebe:ioMapping><zeebe:input target="a" source="=1 + ▮)"/></zeebe:ioMapping>',
    ),
    'SUTRA.FEEL.SYNTAX_INVALID',
  ],
  [
    'the name of a variable, found by the reader',
    node('scriptTask', '', '<zeebe:script expression="=1" ▮resultVariable="a b"/>'),
    'SUTRA.Q.VALUE_INVALID',
  ],
  [
    'a decision that is not there',
    node('businessRuleTask', '', '<zeebe:calledDecision ▮decisionId="nowhere" resultVariable="a"/>'),
    'SUTRA.BPMN.DECISION_UNKNOWN',
  ],
];

describe('the place of a fault', () => {
  for (const [what, inside, code] of rows) {
    test(`of ${what}`, () => {
      const { text, places } = readMarks(vendorFile(inside));
      const found = outline(compileVendor(text).findings, 'error');
      assert.equal(places.length, 1);
      assert.deepEqual(
        found.filter((finding) => finding.code === code),
        [{ code, ...places[0] }],
        JSON.stringify(found),
      );
    });
  }

  test('of a name that a vendor does not know is a warning with what may be meant', () => {
    const { text, places } = readMarks(vendorFile(node('userTask', '▮camunda:asignee="ann"')));
    const { findings, processes } = compileVendor(text);
    assert.deepEqual(outline(findings, 'warning'), [{ code: 'SUTRA.DIALECT.NAME_UNKNOWN', ...places[0] }]);
    assert.match(findings[0]?.message ?? '', /did you mean "assignee"/);
    assert.equal(processes.length, 1);
  });

  test('of a name that means nothing there is a warning too', () => {
    const { text, places } = readMarks(vendorFile(node('task', '▮camunda:topic="a"')));
    assert.deepEqual(outline(compileVendor(text).findings, 'warning'), [
      { code: 'SUTRA.DIALECT.NAME_MISPLACED', ...places[0] },
    ]);
  });
});
