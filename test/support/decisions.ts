/** Small decision models for tests, written as text and compiled by the real compiler. */
import assert from 'node:assert/strict';
import { compileDecisions, type Decision } from '../../definitions/dmn/decisions.ts';

/** A model with `inside`. */
export function decisionModel(inside: string, name = 'test'): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="model-${name}" name="${name}" namespace="urn:test:${name}">
${inside}
</definitions>`;
}

/** The id that an element of this name gets. */
export function idOfName(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-');
}

/** Input data, of any type unless one is given: `Credit Score: number`. */
export function inputData(...inputs: readonly string[]): string {
  const elements = inputs.map((input) => {
    const [name = '', type] = input.split(': ');
    return `<inputData id="${idOfName(name)}" name="${name}"><variable name="${name}"${typeRef(type)}/></inputData>`;
  });
  return elements.join('\n');
}

interface DecisionOptions {
  readonly type?: string;
  /** Names of input data. */
  readonly inputs?: readonly string[];
  /** Names of other decisions. */
  readonly decisions?: readonly string[];
}

function decision(
  name: string,
  logic: string,
  { type, inputs = [], decisions = [] }: DecisionOptions,
): string {
  const requirement = (kind: string, required: string): string =>
    `<informationRequirement><${kind} href="#${idOfName(required)}"/></informationRequirement>`;
  const requirements = [
    ...inputs.map((input) => requirement('requiredInput', input)),
    ...decisions.map((required) => requirement('requiredDecision', required)),
  ];
  return `<decision id="${idOfName(name)}" name="${name}"><variable name="${name}"${typeRef(type)}/>${requirements.join('')}
${logic}
</decision>`;
}

/** A decision that is one FEEL expression. */
export function literal(name: string, text: string, options: DecisionOptions = {}): string {
  return decision(name, `<literalExpression><text>${escaped(text)}</text></literalExpression>`, options);
}

/** A decision table with one output without a name; each rule is a line of `test | test -> output`. */
export function table(
  name: string,
  rules: readonly string[],
  options: DecisionOptions & { readonly hitPolicy?: string } = {},
): string {
  const { hitPolicy = 'UNIQUE', inputs = [], decisions = [] } = options;
  const columns = [...inputs, ...decisions].map(
    (column) => `<input><inputExpression><text>${column}</text></inputExpression></input>`,
  );
  const rows = rules.map((rule) => {
    const [tests = '', output = ''] = rule.split(' -> ');
    const entries = tests
      .split(' | ')
      .map((test) => `<inputEntry><text>${escaped(test)}</text></inputEntry>`);
    return `<rule>${entries.join('')}<outputEntry><text>${escaped(output)}</text></outputEntry></rule>`;
  });
  const logic = `<decisionTable hitPolicy="${hitPolicy}">${columns.join('')}<output/>\n${rows.join('\n')}</decisionTable>`;
  return decision(name, logic, options);
}

/** A decision service that gives what the one decision does. */
export function service(name: string, output: string, inputs: readonly string[]): string {
  const data = inputs.map((input) => `<inputData href="#${idOfName(input)}"/>`);
  return `<decisionService id="${idOfName(name)}" name="${name}"><variable name="${name}"/><outputDecision href="#${idOfName(output)}"/>${data.join('')}</decisionService>`;
}

/** The decisions of a model with `inside`, by name. */
export function decisionsOf(...inside: readonly string[]): (name: string) => Decision {
  const content = new TextEncoder().encode(decisionModel(inside.join('\n')));
  const { models, findings } = compileDecisions([{ path: 'rules/test.dmn', content }]);
  assert.deepEqual(findings, []);
  return (name) => {
    const found = models.flatMap(({ decisions }) => decisions).find((one) => one.name === name);
    assert.ok(found, `the model has a decision ${name}`);
    return found;
  };
}

function typeRef(type: string | undefined): string {
  return type === undefined ? '' : ` typeRef="${type}"`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
