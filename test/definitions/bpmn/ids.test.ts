/** Ids, references and booleans are read without the spaces around them, as XML schema reads them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compileText, definitions, outline, readMarks } from './marked-file.ts';
import { nodeOf, onlyProcess } from './model-of.ts';

const model = (id: (text: string) => string): string =>
  definitions(`
<error id="${id('bad')}" errorCode="E1"/>
<signal id="${id('signal')}" name="Signal"/>
<process id="${id('p')}" isExecutable="${id('true')}">
  <startEvent id="${id('s')}"><outgoing>${id('f')}</outgoing></startEvent>
  <sequenceFlow id="${id('f')}" sourceRef="${id('s')}" targetRef="${id('choice')}"/>
  <exclusiveGateway id="${id('choice')}" default="${id('no')}"/>
  <sequenceFlow id="${id('yes')}" sourceRef="${id('choice')}" targetRef="${id('task')}">
    <conditionExpression>ok</conditionExpression>
  </sequenceFlow>
  <sequenceFlow id="${id('no')}" sourceRef="${id('choice')}" targetRef="${id('end')}"/>
  <userTask id="${id('task')}">
    <ioSpecification><dataInput id="${id('in')}" name="given"/></ioSpecification>
    <dataInputAssociation><sourceRef>${id('data')}</sourceRef><targetRef>${id('in')}</targetRef></dataInputAssociation>
  </userTask>
  <dataObject id="${id('object')}" name="order"/>
  <dataObjectReference id="${id('data')}" dataObjectRef="${id('object')}"/>
  <boundaryEvent id="${id('late')}" attachedToRef="${id('task')}" cancelActivity="${id('false')}">
    <signalEventDefinition signalRef="${id('signal')}"/>
  </boundaryEvent>
  <endEvent id="${id('end')}"><incoming>${id('no')}</incoming>
    <errorEventDefinition errorRef="${id('bad')}"/>
  </endEvent>
</process>`);

const SPACES: readonly (readonly [what: string, before: string, after: string])[] = [
  ['a space behind', '', ' '],
  ['spaces around', '  ', '  '],
  ['a line break and a tab around', '\n\t', '\t\n'],
  ['tabs as references around', '&#9;', '&#9;'],
];

/** As text: the model has maps, and places, which spaces move. */
const withoutPlaces = (value: unknown): string =>
  JSON.stringify(value, (key, part: unknown) =>
    key === 'place' || key === 'places' ? undefined : part instanceof Map ? [...part] : part,
  );

describe('ids and references', () => {
  const bare = withoutPlaces(onlyProcess(model((text) => text)));
  for (const [what, before, after] of SPACES) {
    test(`with ${what} are those without`, () => {
      const process = onlyProcess(model((text) => `${before}${text}${after}`));
      assert.equal(withoutPlaces(process), bare);
      nodeOf(process, 'task', 'userTask');
    });
  }

  test('with a space inside are refused', () => {
    const { text, places } = readMarks(definitions('<process id="p"><startEvent ▮id=" a  b "/></process>'));
    assert.deepEqual(outline(compileText(text).findings, 'error'), [
      { code: 'SUTRA.BPMN.ID_INVALID', ...places[0] },
    ]);
  });

  test('that are the same but for spaces are the same', () => {
    const { text, places } = readMarks(
      definitions('<process id="p"><startEvent id="a"/><task ▮id="a "/></process>'),
    );
    assert.deepEqual(outline(compileText(text).findings, 'error'), [
      { code: 'SUTRA.BPMN.ID_DUPLICATE', ...places[0] },
    ]);
  });

  test('with a space that XML does not know keep it', () => {
    const found = compileText(definitions('<process id="p"><startEvent id="a\u00A0"/></process>')).findings;
    assert.deepEqual(
      found.map(({ code }) => code),
      ['SUTRA.BPMN.ID_INVALID'],
    );
  });

  test('are none of the words of other attributes', () => {
    const { flows } = onlyProcess(
      definitions(
        '<process id="p"><startEvent id="s"/><sequenceFlow id="f" name=" two  words " sourceRef="s" targetRef="n"/><task id="n"/></process>',
      ),
    );
    assert.equal(flows.get('f')?.name, ' two  words ');
  });
});
