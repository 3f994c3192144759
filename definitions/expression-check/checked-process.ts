/**
 * The expressions of one process, each checked in the scope that it is evaluated in.
 *
 * U1 Over a message alone everything is known: a name that a message does not have, and whatever does not go together with
 *    its channel's schema, is an error.
 * U2 In a process a name is unknown only where nothing in it can have made the variable, and that is a warning; so is
 *    what rests on the types of variables. Where variables of any name can be made, names say nothing.
 * U3 What is wrong whatever the variables are is an error everywhere.
 */
import type { Finding } from '../../config/engine-error.ts';
import { checkExpression, type CheckScope, type FeelFinding } from '../feel/check/check-expression.ts';
import type { KnownTypes } from '../feel/check/scope.ts';
import { anyType, simple, unionOf, type StaticType } from '../feel/check/static-type.ts';
import {
  messageTriggersOf,
  type FlowNode,
  type MessageTrigger,
  type ProcessDefinition,
  type SourceDefinition,
} from '../model.ts';
import { expectations, type ExpressionRole, type ModelExpression } from './expression-use.ts';
import { messageNames, type PayloadTypes } from './payload-types.ts';
import { variablesOf, type ProcessVariables } from './process-variables.ts';

/** One process, and what is known of its variables. */
export class CheckedProcess {
  readonly process: ProcessDefinition;
  readonly #payloads: PayloadTypes;
  readonly #variables: ProcessVariables;
  /** There may be thousands of names and of expressions. */
  readonly #scopes = new Map<ExpressionRole, CheckScope>();

  constructor(process: ProcessDefinition, payloads: PayloadTypes) {
    this.process = process;
    this.#payloads = payloads;
    this.#variables = variablesOf(process, payloads);
  }

  /** @param elementId of the node or flow that it belongs to */
  check(use: ModelExpression, elementId: string): readonly Finding[] {
    return this.#check(use, this.process.nodes.get(elementId)).map(({ code, severity, message, from }) => ({
      code,
      severity,
      message,
      place: use.placeAt(from),
    }));
  }

  #check({ expression, role }: ModelExpression, node: FlowNode | undefined): readonly FeelFinding[] {
    const { tree } = expression;
    const expected = expectations[role];
    const overMessage = node === undefined ? null : this.#messageScope(role, node, expression);
    if (overMessage !== null) return checkExpression(tree, overMessage, expected).findings;
    const untyped = checkExpression(tree, openScope, expected).findings;
    const typed = checkExpression(tree, this.#processScope(role), expected).findings;
    return typed.map((finding) =>
      isAmong(finding, untyped) ? finding : { ...finding, severity: 'warning' },
    );
  }

  /** What a message alone is looked at with: a dedup key, and what is registered of the message that starts it. */
  #messageScope(
    role: ExpressionRole,
    node: FlowNode,
    expression: ModelExpression['expression'],
  ): CheckScope | null {
    const triggers = messageTriggersOf(node);
    if (role === 'dedupKey') {
      const sources = triggers.map(({ source }) => source).filter(({ dedupKey }) => dedupKey === expression);
      return sources.length === 0 ? null : { names: this.#namesOf(sources), unknownNames: 'error' };
    }
    const isStart = node.kind === 'startEvent' && node.parentId === this.process.id;
    if (role !== 'alias' || !isStart) return null;
    const sources = sourcesOf(triggers, expression);
    if (sources.length === 0) return null;
    return { names: this.#withDeclared(this.#namesOf(sources)), unknownNames: 'error' };
  }

  /** The variables that the process declares are there when it starts. */
  #withDeclared(names: ReadonlyMap<string, StaticType>): KnownTypes {
    const { variables } = this.process;
    return {
      get: (name) => names.get(name) ?? (variables.has(name) ? anyType : undefined),
      *keys() {
        yield* names.keys();
        yield* variables.keys();
      },
    };
  }

  #namesOf(sources: readonly SourceDefinition[]): Map<string, StaticType> {
    const payload = unionOf(sources.map((source) => this.#payloads.ofSource(source)));
    const names = messageNames(payload);
    for (const { variable } of sources) names.set(variable, payload);
    return names;
  }

  #processScope(role: ExpressionRole): CheckScope {
    // Of a called process all variables are there, whatever they are.
    if (!this.#variables.isComplete || role === 'calledResult') return openScope;
    const known = this.#scopes.get(role) ?? this.#newScope(role);
    this.#scopes.set(role, known);
    return known;
  }

  #newScope(role: ExpressionRole): CheckScope {
    const names = new Map([...messageNames(anyType), ...this.#variables.types, ...this.#namesFor(role)]);
    return { names, unknownNames: 'warning' };
  }

  /** What only expressions of one kind see. */
  #namesFor(role: ExpressionRole): readonly (readonly [string, StaticType])[] {
    switch (role) {
      case 'completionCondition':
        return loopCounts.map((name) => [name, simple('number')]);
      case 'loopCondition':
        return [['loopCounter', simple('number')]];
      case 'activationCondition':
        return ['activationCount', ...this.process.flows.keys()].map((name) => [name, simple('number')]);
      default:
        return [];
    }
  }
}

const loopCounts = [
  'numberOfInstances',
  'numberOfActiveInstances',
  'numberOfCompletedInstances',
  'numberOfTerminatedInstances',
];

const openScope: CheckScope = { names: new Map(), unknownNames: 'nothing' };

function sourcesOf(
  triggers: readonly MessageTrigger[],
  expression: ModelExpression['expression'],
): readonly SourceDefinition[] {
  return triggers
    .filter(({ aliases }) => aliases.some((alias) => alias.expression === expression))
    .map(({ source }) => source);
}

function isAmong(finding: FeelFinding, others: readonly FeelFinding[]): boolean {
  return others.some(
    ({ code, from, to, severity }) =>
      code === finding.code && from === finding.from && to === finding.to && severity === finding.severity,
  );
}
