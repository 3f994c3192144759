import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readMarks } from '../bpmn/marked-file.ts';
import { outlineOf } from './model-outline.ts';
import { decisionText, dmnNamespaces, literal, modelOf, modelText, readText } from './model-text.ts';

function logicOf(logic: string): string {
  return outlineOf(modelOf(decisionText(logic)).decisions[0]?.logic ?? null);
}

function entry(name: string, value: string): string {
  return `<contextEntry><variable name="${name}"/>${value}</contextEntry>`;
}

function part(name: string, text: string): string {
  return `<${name}>${literal(text)}</${name}>`;
}

describe('the logic of a decision is read:', () => {
  const rows: readonly (readonly [title: string, logic: string, outline: string])[] = [
    ['a literal expression', literal('1 &lt; 2'), '1 < 2'],
    [
      'its type',
      '<literalExpression typeRef=" date  and time "><text>x</text></literalExpression>',
      'x: date and time',
    ],
    ['a blank one is none', literal('\n '), '_'],
    ['one without a text is none', '<literalExpression/>', '_'],
    [
      'an invocation',
      `<invocation>${literal('f')}<binding><parameter name="a" typeRef="number"/>${literal('1')}</binding><binding><parameter name="b"/></binding></invocation>`,
      'invocation(f, a: number = 1, b = _)',
    ],
    [
      'an invocation of a function that is boxed',
      `<invocation><functionDefinition><formalParameter name="a"/>${literal('a')}</functionDefinition></invocation>`,
      'invocation(function(a) a)',
    ],
    [
      'a context',
      `<context typeRef="t">${entry('a', literal('1'))}${entry('b', '')}</context>`,
      'context(a = 1, b = _): t',
    ],
    [
      'a context with a result',
      `<context>${entry('a', '<list/>')}<contextEntry>${literal('a')}</contextEntry></context>`,
      'context(a = list(), = a)',
    ],
    [
      'a list with a blank item',
      `<list>${literal('1')}${literal('')}<context/></list>`,
      'list(1, _, context())',
    ],
    [
      'a relation with a blank cell',
      `<relation><column name="a" typeRef="number"/><column name="b"/><row>${literal('1')}${literal('')}</row></relation>`,
      'relation(a: number, b; 1, _)',
    ],
    [
      'a function',
      `<functionDefinition kind="FEEL"><formalParameter name=" first  name " typeRef="string"/>${literal('1')}</functionDefinition>`,
      'function(first name: string) 1',
    ],
    ['a function without a body', '<functionDefinition/>', 'function() _'],
    [
      'a conditional',
      `<conditional>${part('if', 'a')}${part('then', 'b')}${part('else', 'c')}</conditional>`,
      'if(a, b, c)',
    ],
    [
      'a filter',
      `<filter>${part('in', 'list')}${part('match', 'item > 1')}</filter>`,
      'filter(list, item > 1)',
    ],
    [
      'for',
      `<for iteratorVariable="x">${part('in', '1..3')}${part('return', 'x')}</for>`,
      'for(x in 1..3, x)',
    ],
    [
      'some',
      `<some iteratorVariable="x">${part('in', 'l')}${part('satisfies', 'x')}</some>`,
      'some(x in l, x)',
    ],
    [
      'every',
      `<every iteratorVariable="x">${part('in', 'l')}${part('satisfies', 'x')}</every>`,
      'every(x in l, x)',
    ],
    [
      'a decision table',
      `<decisionTable preferredOrientation="Rule-as-Column" outputLabel="R">
        <input label="X"><inputExpression typeRef="number"><text>x</text></inputExpression><inputValues><text>[1..9]</text></inputValues></input>
        <output typeRef="string"><outputValues><text>"a"</text></outputValues><defaultOutputEntry><text>"b"</text></defaultOutputEntry></output>
        <annotation name="why"/>
        <rule><inputEntry><text>&lt; 5</text></inputEntry><outputEntry><text>"a"</text></outputEntry><annotationEntry><text>so</text></annotationEntry></rule>
        <rule><inputEntry><text> </text></inputEntry><outputEntry><text/></outputEntry></rule>
        <rule><inputEntry/><outputEntry/></rule>
      </decisionTable>`,
      'UNIQUE(x: number [[1..9]] | _: string ["a"] = "b" | < 5 -> "a" | _ -> _ | _ -> _)',
    ],
    [
      'a table that collects two outputs, without inputs',
      `<decisionTable hitPolicy="COLLECT" aggregation="MAX"><output name="a"/><output name=" b "/>
        <rule><outputEntry><text>1</text></outputEntry><outputEntry><text>2</text></outputEntry></rule></decisionTable>`,
      'COLLECT MAX( | a, b |  -> 1, 2)',
    ],
    [
      'a table by the order of outputs',
      '<decisionTable hitPolicy="OUTPUT ORDER"><output/><rule><outputEntry><text>1</text></outputEntry></rule></decisionTable>',
      'OUTPUT ORDER( | _ |  -> 1)',
    ],
  ];
  for (const [title, logic, outline] of rows) {
    test(title, () => {
      assert.equal(logicOf(logic), outline);
    });
  }
});

describe('texts', () => {
  const rows: readonly (readonly [title: string, text: string, index: number])[] = [
    ['on one line', 'a + ▮b', 4],
    ['after references', '&quot;ü&#x1F600;&quot; &lt; ▮b', 8],
    ['on several lines, with blanks before', '\n   a +\n  ▮b', 10],
    ['in CDATA', '<![CDATA[a < ]]><![CDATA[▮b]]>', 4],
  ];
  for (const [title, marked, index] of rows) {
    test(`have the place of each character: ${title}`, () => {
      const { text, places } = readMarks(decisionText(literal(marked)));
      const logic = modelOf(text).decisions[0]?.logic;
      assert.ok(logic?.kind === 'literal');
      assert.equal(logic.source.text[index], 'b');
      assert.deepEqual(logic.source.placeAt(index), { file: 'rules/test.dmn', ...places[0], elementId: 'd' });
    });
  }

  test('have places in rules, and rules their own', () => {
    const { text, places } = readMarks(
      decisionText(`<decisionTable><input><inputExpression><text>▮x</text></inputExpression></input><output/>
      ▮<rule id="r"><inputEntry><text>▮1</text></inputEntry><outputEntry><text>▮2</text></outputEntry></rule></decisionTable>`),
    );
    const table = modelOf(text).decisions[0]?.logic;
    assert.ok(table?.kind === 'decision-table');
    const [rule] = table.rules;
    assert.equal(rule?.id, 'r');
    const found = [
      table.inputs[0]?.source.placeAt(0),
      rule.place,
      rule.inputs[0]?.placeAt(0),
      rule.outputs[0]?.placeAt(0),
    ];
    assert.deepEqual(
      found.map((place) => ({ line: place?.line, column: place?.column })),
      places,
    );
  });
});

describe('the parts of a model are read:', () => {
  test('inputs and decisions with their variables, and what they require', () => {
    const model = modelOf(
      modelText(`<inputData id="i" name=" Loan  amount "><variable name="" typeRef="number"/></inputData>
<inputData name="Other"/>
<decision id="d" name="D"><question>Q?</question><allowedAnswers>A</allowedAnswers><variable name="dVar" typeRef="tD"/>
  <informationRequirement><requiredInput href="#i"/></informationRequirement>
  <informationRequirement id="r"><requiredDecision href="#e"/></informationRequirement>
  <informationRequirement><requiredDecision href="urn:other#x"/></informationRequirement>
  <knowledgeRequirement><requiredKnowledge href="urn:test#k"/></knowledgeRequirement>
  <knowledgeRequirement><requiredKnowledge href="#s"/></knowledgeRequirement>
  <authorityRequirement><requiredAuthority href="#nothing"/></authorityRequirement>
  ${literal('1')}</decision>
<decision id="e" name="E">${literal('2')}</decision>
<businessKnowledgeModel id="k" name="K"><variable name="K" typeRef="tK"/><encapsulatedLogic><formalParameter name="p"/>${literal('p')}</encapsulatedLogic></businessKnowledgeModel>
<decisionService id="s" name="S"><outputDecision href="#d"/><encapsulatedDecision href="#e"/><inputData href="#i"/></decisionService>`),
    );
    assert.deepEqual(
      model.inputs.map(({ id, name, variable }) => [id, name, variable.name, variable.type?.text]),
      [
        ['i', 'Loan amount', 'Loan amount', 'number'],
        [null, 'Other', 'Other', undefined],
      ],
    );
    const [decision] = model.decisions;
    assert.deepEqual([decision?.variable.name, decision?.variable.type?.text], ['dVar', 'tD']);
    const written = (
      references: readonly { namespace: string | null; id: string }[] = [],
    ): readonly string[] => references.map(({ namespace, id }) => `${namespace ?? ''}#${id}`);
    assert.deepEqual(written(decision?.requires.inputs), ['#i']);
    assert.deepEqual(written(decision?.requires.decisions), ['#e', 'urn:other#x']);
    assert.deepEqual(written(decision?.requires.knowledge), ['#k', '#s']);
    const [knowledge] = model.knowledgeModels;
    assert.deepEqual([knowledge?.name, outlineOf(knowledge?.logic ?? null)], ['K', 'function(p) p']);
    const [service] = model.services;
    assert.deepEqual([written(service?.outputs), written(service?.encapsulated)], [['#d'], ['#e']]);
    assert.deepEqual([written(service?.inputs), written(service?.inputDecisions)], [['#i'], []]);
  });

  test('item definitions', () => {
    const { text, places } = readMarks(
      modelText(`▮<itemDefinition name="t" isCollection="true"><typeRef>
  ▮string</typeRef><allowedValues><text>▮"a"</text></allowedValues><typeConstraint><text>count(?) &lt; 3</text></typeConstraint></itemDefinition>
<itemDefinition name="u"><itemComponent name="a  b"><typeRef>t</typeRef></itemComponent><itemComponent name="c" isCollection="1"><itemComponent name="d"/></itemComponent></itemDefinition>
<itemDefinition name="f"><functionItem outputTypeRef="▮u"><parameters name="p" typeRef="t"/></functionItem></itemDefinition>`),
    );
    const [first, second, third] = modelOf(text).items;
    assert.ok(first !== undefined && second !== undefined && third !== undefined);
    assert.deepEqual([first.isCollection, first.type?.text], [true, 'string']);
    assert.equal(first.typeConstraint?.text, 'count(?) < 3');
    assert.deepEqual(
      second.components.map(({ name, isCollection, components }) => [name, isCollection, components.length]),
      [
        ['a b', false, 0],
        ['c', true, 1],
      ],
    );
    assert.deepEqual(
      third.functionItem?.parameters.map(({ name, type }) => [name, type?.text]),
      [['p', 't']],
    );
    const found = [
      first.place,
      first.type?.place,
      first.allowedValues?.placeAt(0),
      third.functionItem?.result?.place,
    ];
    assert.deepEqual(
      found.map((place) => ({ line: place?.line, column: place?.column })),
      places,
    );
  });

  test('imports, also one without a name', () => {
    const model = modelOf(
      modelText(`<import name="lib" namespace="urn:lib" locationURI="lib.dmn" importType="${dmnNamespaces['1.2']}"/>
<import namespace="urn:base" importType="${dmnNamespaces['1.1']}"/>`),
    );
    assert.deepEqual(
      model.imports.map(({ name, namespace }) => [name, namespace]),
      [
        ['lib', 'urn:lib'],
        ['', 'urn:base'],
      ],
    );
  });
});

describe('what has no meaning is accepted:', () => {
  const rows: readonly (readonly [title: string, inside: string])[] = [
    [
      'sources of knowledge',
      '<knowledgeSource name="K"><type>law</type><owner href="#o"/></knowledgeSource>',
    ],
    [
      'notes',
      '<textAnnotation><text>A note</text></textAnnotation><association><sourceRef href="#a"/></association>',
    ],
    ['groups', '<group name="G"/><elementCollection name="C"><drgElement href="#d"/></elementCollection>'],
    ['organisation', '<performanceIndicator name="P" URI="urn:p"/><organizationUnit name="O"/>'],
    [
      'a drawing',
      '<dmndi:DMNDI xmlns:dmndi="https://www.omg.org/spec/DMN/20230324/DMNDI/"><dmndi:DMNDiagram id="x"/></dmndi:DMNDI>',
    ],
    ['elements and attributes of vendors', '<camunda:x><y/></camunda:x><inputData name="A" camunda:z="1"/>'],
    [
      'extensions',
      '<inputData name="A"><description>a <b/></description><extensionElements><camunda:x>1</camunda:x></extensionElements></inputData>',
    ],
  ];
  for (const [title, inside] of rows) {
    test(title, () => {
      assert.deepEqual(readText(modelText(inside)).findings, []);
    });
  }
});

describe('all versions are read', () => {
  for (const [version, namespace] of Object.entries(dmnNamespaces)) {
    for (const prefix of ['', 'dmn:', 'semantic:']) {
      test(`DMN ${version} with the prefix "${prefix}"`, () => {
        const declaration = prefix === '' ? 'xmlns' : `xmlns:${prefix.slice(0, -1)}`;
        const text = `<definitions ${declaration}="${namespace}" name="N" namespace="urn:n">
          <decision name="D"><literalExpression><text>1</text></literalExpression></decision></definitions>`;
        const model = modelOf(text.replaceAll(/(<\/?)(?=[a-z])/gi, `$1${prefix}`));
        assert.equal(outlineOf(model.decisions[0]?.logic ?? null), '1');
      });
    }
  }

  test('the early namespace of DMN 1.1 too', () => {
    const model = modelOf(
      '<definitions xmlns="http://www.omg.org/spec/DMN/20151101/dmn11.xsd" name="N" namespace="urn:n"><inputData name="A"/></definitions>',
    );
    assert.equal(model.inputs.length, 1);
  });

  test('types of DMN 1.1 are qualified by prefixes of XML', () => {
    const model = modelOf(
      `<definitions xmlns="${dmnNamespaces['1.1']}" xmlns:feel="http://www.omg.org/spec/FEEL/20140401" xmlns:l="urn:lib" name="N" namespace="urn:n"
  expressionLanguage="http://www.omg.org/spec/FEEL/20140401" typeLanguage="http://www.omg.org/spec/FEEL/20140401">
<itemDefinition name="t"><typeRef>feel:string</typeRef></itemDefinition>
<inputData name="A"><variable name="A" typeRef="l:tA"/></inputData>
<inputData name="B"><variable name="B" typeRef="none:tB"/></inputData>
<businessKnowledgeModel name="K"><encapsulatedLogic xmlns:drools="urn:drools" drools:kind="F"><literalExpression><text>1</text></literalExpression></encapsulatedLogic></businessKnowledgeModel>
</definitions>`,
    );
    assert.deepEqual(
      [model.items[0]?.type, ...model.inputs.map(({ variable }) => variable.type)].map((type) => [
        type?.text,
        type?.namespace,
      ]),
      [
        ['feel:string', 'http://www.omg.org/spec/FEEL/20140401'],
        ['l:tA', 'urn:lib'],
        ['none:tB', undefined],
      ],
    );
    assert.equal(outlineOf(model.knowledgeModels[0]?.logic ?? null), 'function() 1');
  });

  for (const language of [
    'feel',
    'FEEL',
    'http://www.omg.org/spec/FEEL/20140401',
    'http://www.omg.org/spec/DMN/20180521/FEEL/',
    'https://www.omg.org/spec/DMN/20191111/FEEL/',
    '',
  ]) {
    test(`the language "${language}" is FEEL`, () => {
      const logic = `<literalExpression expressionLanguage="${language}"><text>1</text></literalExpression>`;
      const text = modelText(`<decision name="D">${logic}</decision>`, ` expressionLanguage="${language}"`);
      assert.deepEqual(readText(text).findings, []);
    });
  }
});

test('a model is frozen to the leaves', () => {
  const model = modelOf(decisionText(`<list>${literal('1')}</list>`));
  assert.ok(Object.isFrozen(model) && Object.isFrozen(model.decisions[0]?.logic));
});
