/** What the inputs of a file of jBPM are set to. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mappingsOf, nodeOf } from '../bpmn/model-of.ts';
import { compileVendor, node, zeebeFile } from './vendor-file.ts';

const association = (inside: string): string =>
  `<bpmn:ioSpecification><bpmn:dataInput id="i" name="given"/></bpmn:ioSpecification><bpmn:dataInputAssociation>${inside}</bpmn:dataInputAssociation>`;

const assigned = (from: string): string =>
  association(
    `<bpmn:targetRef>i</bpmn:targetRef><bpmn:assignment>${from}<bpmn:to>i</bpmn:to></bpmn:assignment>`,
  );

function jbpmFile(inside: string): string {
  return zeebeFile(node('userTask', '', '', inside)).replace(
    'targetNamespace',
    'xmlns:drools="http://www.jboss.org/drools" expressionLanguage="http://www.mvel.org/2.0" targetNamespace',
  );
}

function inputsOf(text: string): readonly string[] {
  const { processes, findings } = compileVendor(text);
  assert.deepEqual(findings, []);
  const [process] = processes;
  assert.ok(process !== undefined);
  return mappingsOf(nodeOf(process, 'n', 'userTask')).inputs;
}

describe('an input of jBPM', () => {
  const rows: readonly (readonly [from: string, input: string])[] = [
    ['<bpmn:from>Create Support</bpmn:from>', '"Create Support" -> given'],
    ['<bpmn:from><![CDATA[true]]></bpmn:from>', '"true" -> given'],
    ['<bpmn:from>"quoted"</bpmn:from>', '"quoted" -> given'],
    ['<bpmn:from>#{order.id}</bpmn:from>', 'order.id -> given'],
    ['<bpmn:from language="feel">1 + 1</bpmn:from>', '1 + 1 -> given'],
  ];
  for (const [from, input] of rows) {
    test(`of ${from} is ${input}`, () => {
      assert.deepEqual(inputsOf(jbpmFile(assigned(from))), [input]);
    });
  }

  test('may have an expression inside a text', () => {
    const text = jbpmFile(assigned('<bpmn:from>order-#{id}</bpmn:from>'));
    assert.deepEqual(inputsOf(text), ['string join(["order-", string(id)]) -> given']);
  });

  test('is refused where the expression is code', () => {
    const { findings } = compileVendor(jbpmFile(assigned('<bpmn:from>order-#{bean.next()}</bpmn:from>')));
    assert.ok(findings.some(({ code }) => code === 'SUTRA.DIALECT.EXPRESSION_REFUSED'));
  });

  test('is an expression in any other file, and in one of ours', () => {
    const text = jbpmFile(assigned('<bpmn:from>a</bpmn:from>'));
    const other = text.replace(/xmlns:drools="[^"]*" expressionLanguage="[^"]*"/, '');
    assert.deepEqual(inputsOf(other), ['a -> given']);
    const ours = text.replace(/expressionLanguage="[^"]*"/, 'xmlns:q="urn:sutra:q:1.0"');
    assert.deepEqual(inputsOf(ours), ['a -> given']);
  });
});
