/** What the reader reports, as a table. `▮` in a text marks where a finding points. */
import type { DmnCode } from '../../../definitions/dmn/codes.ts';
import { decisionText, literal, modelText } from './model-text.ts';

export interface RefusalRow {
  readonly title: string;
  readonly text: string;
  /** In the order of the marks. */
  readonly codes: readonly DmnCode[];
  readonly severity?: 'warning';
}

function row(title: string, text: string, ...codes: readonly DmnCode[]): RefusalRow {
  return { title, text, codes };
}

function warningRow(title: string, text: string, code: DmnCode): RefusalRow {
  return { title, text, codes: [code], severity: 'warning' };
}

const NEWER = 'https://www.omg.org/spec/DMN/20991231/MODEL/';

const files: readonly RefusalRow[] = [
  row(
    'a BPMN file',
    '▮<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"/>',
    'SUTRA.DMN.ROOT_INVALID',
  ),
  row('a version that there is not', `▮<definitions xmlns="${NEWER}"/>`, 'SUTRA.DMN.ROOT_INVALID'),
  row(
    'http instead of https',
    '▮<definitions xmlns="http://www.omg.org/spec/DMN/20191111/MODEL/"/>',
    'SUTRA.DMN.ROOT_INVALID',
  ),
  row(
    'another root element',
    '▮<decision xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/"/>',
    'SUTRA.DMN.ROOT_INVALID',
  ),
  row(
    'an element of another version than the file',
    modelText('▮<decision xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" name="D"/>'),
    'SUTRA.DMN.NAMESPACE_INVALID',
  ),
  row(
    'an element of a namespace that resembles that of DMN',
    modelText(`▮<m:decision xmlns:m="${NEWER}" name="D"/>`),
    'SUTRA.DMN.NAMESPACE_INVALID',
  ),
  row(
    'an element without a namespace',
    modelText('▮<decision xmlns="" name="D"/>'),
    'SUTRA.DMN.NAMESPACE_INVALID',
  ),
  row(
    'a model without name and namespace',
    '▮▮<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" name=" "/>',
    'SUTRA.DMN.ATTRIBUTE_MISSING',
    'SUTRA.DMN.ATTRIBUTE_MISSING',
  ),
];

const elements: readonly RefusalRow[] = [
  row('an unknown element', modelText('▮<decison id="d"/>'), 'SUTRA.DMN.ELEMENT_UNKNOWN'),
  row('an element in a wrong place', modelText('▮<rule/>'), 'SUTRA.DMN.ELEMENT_MISPLACED'),
  row(
    'an element inside of a text',
    decisionText('<literalExpression><text>1▮<text>2</text></text></literalExpression>'),
    'SUTRA.DMN.ELEMENT_MISPLACED',
  ),
  row(
    'a second variable',
    modelText('<inputData name="A"><variable name="A"/>▮<variable name="A"/></inputData>'),
    'SUTRA.DMN.ELEMENT_REPEATED',
  ),
  row(
    'a second text',
    decisionText('<literalExpression><text>1</text>▮<text>2</text></literalExpression>'),
    'SUTRA.DMN.ELEMENT_REPEATED',
  ),
  row('a second expression', decisionText(`${literal('1')}▮${literal('2')}`), 'SUTRA.DMN.ELEMENT_REPEATED'),
  row('an unknown attribute', modelText('<inputData name="A" ▮nmae="B"/>'), 'SUTRA.DMN.ATTRIBUTE_UNKNOWN'),
  row('an element without a name', modelText('▮<inputData id="a"/>'), 'SUTRA.DMN.ATTRIBUTE_MISSING'),
  row('a blank name', modelText('▮<inputData name=" \n"/>'), 'SUTRA.DMN.ATTRIBUTE_MISSING'),
  row(
    'a text where nothing reads it',
    decisionText('▮<literalExpression>1 + 1</literalExpression>'),
    'SUTRA.DMN.TEXT_UNEXPECTED',
  ),
  row(
    'an id that is used twice',
    modelText('<inputData id="a" name="A"/>\n<decision ▮id="a" name="B"/>'),
    'SUTRA.DMN.ID_DUPLICATE',
  ),
  row(
    'a name that an input and a decision have, with other blanks',
    modelText('<decision name="A  b"/><inputData name="B"/>▮<inputData name=" A b "/>'),
    'SUTRA.DMN.NAME_DUPLICATE',
  ),
  row(
    'a name that an import and a decision have',
    modelText(
      '<import name="A" namespace="urn:a" importType="https://www.omg.org/spec/DMN/20191111/MODEL/"/>▮<decision name="A"/>',
    ),
    'SUTRA.DMN.NAME_DUPLICATE',
  ),
  row(
    'an import without a namespace',
    modelText('▮<import name="A" importType="https://www.omg.org/spec/DMN/20191111/MODEL/"/>'),
    'SUTRA.DMN.ATTRIBUTE_MISSING',
  ),
  warningRow(
    'an import that is no decision model',
    modelText('▮<import name="A" namespace="urn:a" importType="http://www.w3.org/2001/XMLSchema"/>'),
    'SUTRA.DMN.IMPORT_UNREAD',
  ),
];

function requiring(requirement: string): string {
  return modelText(`<inputData id="a" name="A"/><knowledgeSource id="k" name="K"/><decision id="b" name="B">${literal('1')}</decision>
<decision id="d" name="D">${requirement}${literal('1')}</decision>`);
}

function information(inside: string): string {
  return `<informationRequirement>${inside}</informationRequirement>`;
}

const requirements: readonly RefusalRow[] = [
  row(
    'a reference without #',
    requiring(information('<requiredInput ▮href="a"/>')),
    'SUTRA.DMN.REFERENCE_INVALID',
  ),
  row(
    'a reference to nothing',
    requiring(information('<requiredInput ▮href="#"/>')),
    'SUTRA.DMN.REFERENCE_INVALID',
  ),
  row(
    'a reference that is missing',
    requiring(information('▮<requiredInput/>')),
    'SUTRA.DMN.ATTRIBUTE_MISSING',
  ),
  row(
    'a reference to an id that there is not',
    requiring(information('<requiredInput ▮href="#x"/>')),
    'SUTRA.DMN.REFERENCE_DANGLING',
  ),
  row(
    'a reference to an id that there is not, with the namespace of the model',
    requiring(information('<requiredInput ▮href="urn:test#x"/>')),
    'SUTRA.DMN.REFERENCE_DANGLING',
  ),
  row(
    'an input that is required as a decision',
    requiring(information('<requiredDecision ▮href="#a"/>')),
    'SUTRA.DMN.REFERENCE_DANGLING',
  ),
  row(
    'a decision that is required as knowledge',
    requiring('<knowledgeRequirement><requiredKnowledge ▮href="#b"/></knowledgeRequirement>'),
    'SUTRA.DMN.REFERENCE_DANGLING',
  ),
  row('a requirement of nothing', requiring(`▮${information('')}`), 'SUTRA.DMN.ELEMENT_MISSING'),
  row(
    'a requirement of two things',
    requiring(information('<requiredInput href="#a"/>▮<requiredDecision href="#b"/>')),
    'SUTRA.DMN.ELEMENT_REPEATED',
  ),
  row(
    'a decision service that gives nothing',
    modelText('▮<decisionService name="S"/>'),
    'SUTRA.DMN.ELEMENT_MISSING',
  ),
];

const expressions: readonly RefusalRow[] = [
  row(
    'an expression in another language',
    decisionText('<literalExpression ▮expressionLanguage="groovy"><text>1</text></literalExpression>'),
    'SUTRA.DMN.LANGUAGE_UNSUPPORTED',
  ),
  row(
    'an expression in the other language of the model',
    modelText(`<decision name="D">▮${literal('1')}</decision>`, ' expressionLanguage="juel"'),
    'SUTRA.DMN.LANGUAGE_UNSUPPORTED',
  ),
  row(
    'types in another language',
    modelText('', ' ▮typeLanguage="http://www.w3.org/2001/XMLSchema"'),
    'SUTRA.DMN.LANGUAGE_UNSUPPORTED',
  ),
  row(
    'a type in another language',
    modelText('<itemDefinition name="t" ▮typeLanguage="xsd"><typeRef>x</typeRef></itemDefinition>'),
    'SUTRA.DMN.LANGUAGE_UNSUPPORTED',
  ),
  row(
    'imported values',
    decisionText(
      '<literalExpression>▮<importedValues namespace="urn:x" importType="y"><importedElement>z</importedElement></importedValues></literalExpression>',
    ),
    'SUTRA.DMN.VALUES_NOT_IMPORTED',
  ),
  row(
    'an import of DMN 1.1 in an expression',
    decisionText('<literalExpression>▮<import namespace="urn:x" importType="y"/></literalExpression>'),
    'SUTRA.DMN.VALUES_NOT_IMPORTED',
  ),
  row(
    'a function in Java',
    decisionText('<functionDefinition ▮kind="Java"><context/></functionDefinition>'),
    'SUTRA.DMN.FUNCTION_KIND_UNSUPPORTED',
  ),
  row(
    'a knowledge model in PMML, as DMN 1.1 has it',
    modelText(
      '<businessKnowledgeModel name="K">▮<encapsulatedLogic xmlns:drools="urn:drools" drools:kind="P"/></businessKnowledgeModel>',
    ),
    'SUTRA.DMN.FUNCTION_KIND_UNSUPPORTED',
  ),
  row(
    'an invocation of nothing',
    decisionText('▮<invocation><binding><parameter name="a"/></binding></invocation>'),
    'SUTRA.DMN.EXPRESSION_MISSING',
  ),
  row(
    'a binding without a parameter',
    decisionText(`<invocation>${literal('f')}▮<binding>${literal('1')}</binding></invocation>`),
    'SUTRA.DMN.ELEMENT_MISSING',
  ),
  row(
    'two bindings of a parameter',
    decisionText(
      `<invocation>${literal('f')}<binding><parameter name="a"/></binding><binding>▮<parameter name="a"/></binding></invocation>`,
    ),
    'SUTRA.DMN.NAME_DUPLICATE',
  ),
  row(
    'two entries of a context of the same name',
    decisionText(
      '<context><contextEntry><variable name="a"/></contextEntry><contextEntry>▮<variable name="a"/></contextEntry></context>',
    ),
    'SUTRA.DMN.NAME_DUPLICATE',
  ),
  row(
    'the result of a context before its end',
    decisionText(
      `<context>▮<contextEntry>${literal('1')}</contextEntry><contextEntry><variable name="a"/>${literal('2')}</contextEntry></context>`,
    ),
    'SUTRA.DMN.CONTEXT_RESULT_MISPLACED',
  ),
  row(
    'a row with too few cells',
    decisionText(
      `<relation><column name="a"/><column name="b"/>▮<row>${literal('1')}</row><row>${literal('1')}${literal('2')}</row></relation>`,
    ),
    'SUTRA.DMN.RELATION_ROW_INVALID',
  ),
  row(
    'a conditional without else and with a blank then',
    decisionText(`▮<conditional><if>${literal('true')}</if>▮<then>${literal(' ')}</then></conditional>`),
    'SUTRA.DMN.ELEMENT_MISSING',
    'SUTRA.DMN.EXPRESSION_MISSING',
  ),
  row(
    'a filter without a condition',
    decisionText(`▮<filter><in>${literal('[1]')}</in></filter>`),
    'SUTRA.DMN.ELEMENT_MISSING',
  ),
  row(
    'an iteration without a variable',
    decisionText(`▮<for><in>${literal('[1]')}</in><return>${literal('1')}</return></for>`),
    'SUTRA.DMN.ATTRIBUTE_MISSING',
  ),
  row(
    'an iteration with the body of another',
    decisionText(
      `▮<for iteratorVariable="x"><in>${literal('[1]')}</in><satisfies>${literal('true')}</satisfies></for>`,
    ),
    'SUTRA.DMN.ELEMENT_MISSING',
  ),
  warningRow('a decision without logic', modelText('▮<decision name="D"/>'), 'SUTRA.DMN.LOGIC_MISSING'),
  warningRow(
    'a decision with a blank expression',
    modelText(`▮<decision name="D">${literal(' ')}</decision>`),
    'SUTRA.DMN.LOGIC_MISSING',
  ),
  warningRow(
    'a knowledge model without a body',
    modelText('▮<businessKnowledgeModel name="K"><encapsulatedLogic/></businessKnowledgeModel>'),
    'SUTRA.DMN.LOGIC_MISSING',
  ),
];

const input = '<input><inputExpression><text>x</text></inputExpression></input>';
const rule = '<rule><inputEntry><text>1</text></inputEntry><outputEntry><text>1</text></outputEntry></rule>';

function table(inside: string, attributes = ''): string {
  return decisionText(`<decisionTable${attributes}>${inside}</decisionTable>`);
}

const tables: readonly RefusalRow[] = [
  row(
    'a hit policy that there is not',
    table(`${input}<output/>${rule}`, ' ▮hitPolicy="Unique"'),
    'SUTRA.DMN.VALUE_INVALID',
  ),
  row(
    'an aggregation that there is not',
    table(`${input}<output/>${rule}`, ' hitPolicy="COLLECT" ▮aggregation="AVG"'),
    'SUTRA.DMN.VALUE_INVALID',
  ),
  row(
    'an orientation that there is not',
    table(`${input}<output/>${rule}`, ' ▮preferredOrientation="Rule as Row"'),
    'SUTRA.DMN.VALUE_INVALID',
  ),
  row(
    'an aggregation of one rule',
    table(`${input}<output/>${rule}`, ' ▮aggregation="SUM"'),
    'SUTRA.DMN.AGGREGATION_INVALID',
  ),
  row(
    'a table without an output',
    decisionText(`▮<decisionTable>${input}</decisionTable>`),
    'SUTRA.DMN.ELEMENT_MISSING',
  ),
  row('an input without an expression', table(`▮<input/><output/>${rule}`), 'SUTRA.DMN.EXPRESSION_MISSING'),
  row(
    'an input with a blank expression',
    table(
      `<input>▮<inputExpression camunda:inputVariable="x"><text/></inputExpression></input><output/>${rule}`,
    ),
    'SUTRA.DMN.EXPRESSION_MISSING',
  ),
  row(
    'one of two outputs without a name',
    table(
      '<output name="a"/>▮<output/><rule><outputEntry><text>1</text></outputEntry><outputEntry><text>2</text></outputEntry></rule>',
    ),
    'SUTRA.DMN.OUTPUT_NAME_MISSING',
  ),
  row(
    'two outputs of a name',
    table(
      '<output name="a"/>▮<output name="a"/><rule><outputEntry><text>1</text></outputEntry><outputEntry><text>2</text></outputEntry></rule>',
    ),
    'SUTRA.DMN.NAME_DUPLICATE',
  ),
  row(
    'a rule with too many input entries and no output entry',
    table(
      `${input}<output/>▮▮<rule><inputEntry><text>1</text></inputEntry><inputEntry><text>1</text></inputEntry></rule>`,
    ),
    'SUTRA.DMN.RULE_INVALID',
    'SUTRA.DMN.RULE_INVALID',
  ),
  row(
    'an input entry in another language',
    table(
      `${input}<output/><rule><inputEntry ▮expressionLanguage="juel"><text>1</text></inputEntry><outputEntry><text>1</text></outputEntry></rule>`,
    ),
    'SUTRA.DMN.LANGUAGE_UNSUPPORTED',
  ),
  warningRow(
    'a table without rules',
    decisionText(`▮<decisionTable>${input}<output/></decisionTable>`),
    'SUTRA.DMN.RULES_MISSING',
  ),
];

const items: readonly RefusalRow[] = [
  row(
    'a type and components at once',
    modelText(
      '▮<itemDefinition name="t"><typeRef>string</typeRef><itemComponent name="a"/></itemDefinition>',
    ),
    'SUTRA.DMN.ITEM_DEFINITION_INVALID',
  ),
  row(
    'two item definitions of a name',
    modelText('<itemDefinition name="t"/>▮<itemDefinition name="t"/>'),
    'SUTRA.DMN.NAME_DUPLICATE',
  ),
  row(
    'two components of a name',
    modelText(
      '<itemDefinition name="t"><itemComponent name="a"/>▮<itemComponent name="a"/></itemDefinition>',
    ),
    'SUTRA.DMN.NAME_DUPLICATE',
  ),
  row(
    'a collection that is neither',
    modelText('<itemDefinition name="t" ▮isCollection="yes"><typeRef>string</typeRef></itemDefinition>'),
    'SUTRA.DMN.VALUE_INVALID',
  ),
  row(
    'a component without a name',
    modelText('<itemDefinition name="t">▮<itemComponent/></itemDefinition>'),
    'SUTRA.DMN.ATTRIBUTE_MISSING',
  ),
];

export const readRefusals: readonly RefusalRow[] = [
  ...files,
  ...elements,
  ...requirements,
  ...expressions,
  ...tables,
  ...items,
];
