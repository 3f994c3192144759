/**
 * The decision models of a package, compiled: what may be decided, by name, and what it takes.
 *
 * D1 Models that refer to each other are compiled together. A model with faults is compiled as far as it goes: what
 *    cannot be computed is null. Whoever has findings of severity `error` does not use it.
 * D2 Data never throws. Where the rules say that there is no result the value is null, with a problem that says why.
 *    Only what costs too much, or calls itself too deep, ends an evaluation.
 * D3 A decision is made at most once in one evaluation, and only when its value is asked for.
 *
 * Source: OMG DMN 1.5, 10.4 (execution semantics).
 */
import type { Finding, Place } from '../../config/engine-error.ts';
import { Meter, type TurnBudget } from '../feel/budget.ts';
import type { FeelType } from '../feel/compile/conformance.ts';
import type { FeelValue } from '../feel/runtime.ts';
import type { PackageFile } from '../package-file.ts';
import { checkTexts } from './check-texts.ts';
import { compileModels, type CompiledModels } from './compile-models.ts';
import type { Callable } from './compile-elements.ts';
import { faulty } from './compile-typed.ts';
import { DecisionRun, type DecisionProblem } from './decision-run.ts';
import type { NeededInput } from './decision-inputs.ts';
import { Environment, type InputLookup } from './environment.ts';
import { TypeFault } from './item-conformance.ts';
import { readInput } from './read-input.ts';
import type { DmnModel } from './model.ts';
import { readDmn } from './read-dmn.ts';
import type { Element } from './requirement-graph.ts';

export type { DecisionProblem } from './decision-run.ts';

export interface CompiledDecisions {
  readonly models: readonly DecisionModel[];
  readonly findings: readonly Finding[];
}

export interface DecisionModel {
  readonly file: string;
  readonly namespace: string;
  readonly name: string;
  /** Decisions, decision services and knowledge models, in the order of the file. */
  readonly decisions: readonly Decision[];
}

export interface Decision {
  readonly kind: 'decision' | 'decision-service' | 'knowledge-model';
  /** Null: it has none. */
  readonly id: string | null;
  readonly name: string;
  readonly place: Place;
  /**
   * What it needs from outside, also through other decisions: of a decision input data, of a service its input data and
   * input decisions, of a knowledge model its parameters. What comes from an imported model is in a context by the
   * import's name.
   */
  readonly inputs: readonly NeededInput[];
  readonly resultType: FeelType;
  /** What is undefined is null. @throws FeelEvaluationError, TurnBudgetError */
  readonly evaluate: (lookup: InputLookup, turn: TurnBudget) => DecisionResult;
}

export interface DecisionResult {
  readonly value: FeelValue;
  /** A bounded number of them. */
  readonly problems: readonly DecisionProblem[];
}

/** Compiles the decision models of a package; they may import each other by namespace. Never throws for what is in them. */
export function compileDecisions(files: readonly PackageFile[]): CompiledDecisions {
  const findings: Finding[] = [];
  const models: DmnModel[] = [];
  for (const { path, content } of files) {
    const reading = readDmn(path, content);
    findings.push(...reading.findings);
    if (reading.model !== null) models.push(reading.model);
  }
  const compiled = compileModels(models);
  findings.push(...compiled.findings, ...checkTexts(compiled.texts));
  return { models: models.map((model) => decisionModelOf(model, compiled)), findings };
}

function decisionModelOf(model: DmnModel, compiled: CompiledModels): DecisionModel {
  const { file, namespace, name } = model;
  const decisions = compiled.elements
    .filter((element) => element.model === model)
    .flatMap((element) => decisionOf(element, compiled) ?? []);
  return { file, namespace, name, decisions: decisions.toSorted(byPlace) };
}

function byPlace({ place: one }: Decision, { place: other }: Decision): number {
  return (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0);
}

const kinds = { decision: 'decision', knowledge: 'knowledge-model', service: 'decision-service' } as const;

/** Null: it is nothing that decides. */
function decisionOf(element: Element, { known, inputs }: CompiledModels): Decision | null {
  const compiled = known(element);
  if (element.kind === 'input' || compiled === undefined) return null;
  const { id, name, place } = element.node;
  const { callable, type } = compiled;
  const decide = callable === null ? ofElement(element, known) : ofCall(callable, place);
  return {
    kind: kinds[element.kind],
    id,
    name,
    place,
    inputs: callable === null ? inputs.inputsOf(element) : callable.parameters.map(neededBy),
    resultType: (callable?.result ?? type).feelType,
    evaluate: (lookup, turn) => evaluate(decide, lookup, turn),
  };
}

function neededBy({ name, type }: Callable['parameters'][number]): NeededInput {
  return { name, type: type.feelType };
}

type Decide = (lookup: InputLookup, run: DecisionRun) => FeelValue;

function evaluate(decide: Decide, lookup: InputLookup, turn: TurnBudget): DecisionResult {
  const meter = new Meter(turn);
  const run = new DecisionRun(meter);
  try {
    const value = decide(lookup, run);
    return { value, problems: run.problems.all };
  } finally {
    meter.end();
  }
}

function ofElement(element: Element, known: CompiledModels['known']): Decide {
  return (lookup, run) => new Environment(run, (one) => known(one)?.compute, lookup).valueOfOwn(element);
}

/** An argument that is not of its type leaves the function without a result. */
function ofCall({ fn, parameters }: Callable, place: Place): Decide {
  return (lookup, run) => {
    const args = parameters.map(({ name, type }) => readInput(lookup(name) ?? null, type, run));
    const values: FeelValue[] = [];
    for (const [index, value] of args.entries()) {
      if (value instanceof TypeFault)
        faulty(value, `the input "${parameters[index]?.name ?? ''}"`, place, { run });
      else values.push(value);
    }
    return values.length === args.length ? fn.invoke(values, run) : null;
  };
}
