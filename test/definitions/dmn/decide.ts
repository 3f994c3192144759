/** Writes decision models for tests of what they give, and makes their decisions. */
import assert from 'node:assert/strict';
import { compileDecisions, type Decision } from '../../../definitions/dmn/decisions.ts';
import { TurnBudget } from '../../../definitions/feel/budget.ts';
import type { FeelContext, FeelValue } from '../../../definitions/feel/runtime.ts';
import { decisionModel, inputData } from '../../support/decisions.ts';
import { lookupIn, NOW_MS, show } from '../feel/compile-run.ts';

export interface Decided {
  /** As `show` writes it. */
  readonly value: string;
  /** `CODE line`, of problems in the order in which they came up. */
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/** Makes a decision of the model with `inside`, which has no faults. */
export function decide(inside: string, name: string, inputs: FeelContext = {}): Decided {
  return made(find(inside, name), lookupIn(inputs));
}

export function made(decision: Decision, lookup: (name: string) => FeelValue | undefined): Decided {
  const { value, problems } = decision.evaluate(lookup, new TurnBudget(NOW_MS));
  const ofSeverity = (wanted: string): readonly string[] =>
    problems
      .filter(({ severity }) => severity === wanted)
      .map(({ code, place }) => `${code} ${String(place.line ?? '?')}`);
  return { value: show(value), errors: ofSeverity('error'), warnings: ofSeverity('warning') };
}

/** A decision of the model with `inside`, which has no faults. */
export function find(inside: string, name: string): Decision {
  const { models, findings } = compiled(decisionModel(inside));
  assert.deepEqual(findings, []);
  const found = models.flatMap(({ decisions }) => decisions).find((decision) => decision.name === name);
  assert.ok(found, `the model has ${name}`);
  return found;
}

export function compiled(...models: readonly string[]): ReturnType<typeof compileDecisions> {
  const files = models.map((text, index) => ({
    path: `rules/${index + 1}.dmn`,
    content: new TextEncoder().encode(text),
  }));
  return compileDecisions(files);
}

/** `CODE line:column` of what is wrong with the model with `inside`. */
export function faultsOf(inside: string): readonly string[] {
  return compiled(decisionModel(inside)).findings.map(
    ({ code, place }) => `${code} ${String(place.line ?? '?')}:${String(place.column ?? '?')}`,
  );
}

/** A decision `it` with this logic, that needs this input data: `Age`, `Age: number`. */
export function it(logic: string, inputs: readonly string[] = [], type?: string): string {
  const requirements = inputs.map((input) => {
    const name = input.split(': ')[0] ?? '';
    return `<informationRequirement><requiredInput href="#${idOf(name)}"/></informationRequirement>`;
  });
  return `${inputData(...inputs)}
<decision id="it" name="it"><variable name="it"${typeRef(type)}/>${requirements.join('')}
${logic}
</decision>`;
}

function idOf(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-');
}

export function literal(text: string, type?: string): string {
  return `<literalExpression${typeRef(type)}>${textOf(text)}</literalExpression>`;
}

export function textOf(text: string): string {
  return `<text>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>`;
}

export function typeRef(type: string | undefined): string {
  return type === undefined ? '' : ` typeRef="${type}"`;
}

/** An entry of a context: `name`, `name: type`, or nothing for the result. */
export function entry(variable: string | null, logic: string): string {
  const [name = '', type] = (variable ?? '').split(': ');
  const head = variable === null ? '' : `<variable name="${name}"${typeRef(type)}/>`;
  return `<contextEntry>${head}${logic}</contextEntry>`;
}

export function context(...entries: readonly string[]): string {
  return `<context>${entries.join('\n')}</context>`;
}

/** Parameters as `name` or `name: type`. */
export function parameters(...names: readonly string[]): string {
  return names
    .map((parameter) => {
      const [name = '', type] = parameter.split(': ');
      return `<formalParameter name="${name}"${typeRef(type)}/>`;
    })
    .join('');
}

export function invocation(callee: string, bindings: Readonly<Record<string, string>>): string {
  const bound = Object.entries(bindings).map(
    ([name, logic]) => `<binding><parameter name="${name}"/>${logic}</binding>`,
  );
  return `<invocation>${literal(callee)}${bound.join('')}</invocation>`;
}

/** A business knowledge model. */
export function knowledge(
  name: string,
  names: readonly string[],
  logic: string,
  requires: readonly string[] = [],
): string {
  const required = requires.map(
    (id) => `<knowledgeRequirement><requiredKnowledge href="#${id}"/></knowledgeRequirement>`,
  );
  return `<businessKnowledgeModel id="${idOf(name)}" name="${name}"><variable name="${name}"/><encapsulatedLogic>${parameters(...names)}${logic}</encapsulatedLogic>${required.join('')}</businessKnowledgeModel>`;
}

export interface TableOptions {
  readonly hitPolicy?: string;
  readonly aggregation?: string;
  /** `Age`, `Age: number`. */
  readonly inputs: readonly string[];
  /** For inputs by their numbers. */
  readonly inputValues?: Readonly<Record<number, string>>;
  /** `name`, `name: type`; the empty name for one without. */
  readonly outputs?: readonly string[];
  readonly outputValues?: Readonly<Record<number, string>>;
  readonly defaults?: Readonly<Record<number, string>>;
  /** `test | test -> output | output`. */
  readonly rules: readonly string[];
}

export function table({ inputs, outputs = [''], rules, ...options }: TableOptions): string {
  const attributes = [
    ` hitPolicy="${options.hitPolicy ?? 'UNIQUE'}"`,
    options.aggregation === undefined ? '' : ` aggregation="${options.aggregation}"`,
  ];
  const inputClauses = inputs.map((input, index) => {
    const [text = '', type] = input.split(': ');
    const values = valuesOf('inputValues', options.inputValues?.[index]);
    return `<input><inputExpression${typeRef(type)}>${textOf(text)}</inputExpression>${values}</input>`;
  });
  const outputClauses = outputs.map((output, index) => {
    const [name = '', type] = output.split(': ');
    const head = name === '' ? '' : ` name="${name}"`;
    const values = valuesOf('outputValues', options.outputValues?.[index]);
    return `<output${head}${typeRef(type)}>${values}${valuesOf('defaultOutputEntry', options.defaults?.[index])}</output>`;
  });
  const rows = rules.map((rule) => {
    const [tests = '', values = ''] = rule.split(' -> ');
    const cells = (tag: string, texts: string): string =>
      texts
        .split(' | ')
        .map((text) => `<${tag}>${textOf(text)}</${tag}>`)
        .join('');
    return `<rule>${cells('inputEntry', tests)}${cells('outputEntry', values)}</rule>`;
  });
  return `<decisionTable${attributes.join('')}>${[...inputClauses, ...outputClauses, ...rows].join('\n')}</decisionTable>`;
}

function valuesOf(tag: string, text: string | undefined): string {
  return text === undefined ? '' : `<${tag}>${textOf(text)}</${tag}>`;
}
