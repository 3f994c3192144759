/**
 * FEEL evaluated straight from the syntax tree: what compiled code is compared with.
 *
 * It is written for being read. Names are looked up in a chain of maps while it runs, everything is copied, nothing
 * is known beforehand, nothing is paid for and nothing is warned of. Numbers and dates are those of the engine.
 */
import type {
  Arguments,
  Expression,
  Iteration,
  TypeExpression,
  UnaryTests,
} from '../../definitions/feel/ast.ts';
import { argumentValues, childExpressions } from '../../definitions/feel/ast.ts';
import { add, divide, multiply, negate, subtract } from '../../definitions/feel/number-arithmetic.ts';
import { power } from '../../definitions/feel/number-functions.ts';
import { fromText } from '../../definitions/feel/number-text.ts';
import { compare, equals, isFeelNumber } from '../../definitions/feel/number.ts';
import {
  FeelFunction,
  FeelRange,
  type FeelContext,
  type FeelValue,
  type Run,
} from '../../definitions/feel/runtime.ts';
import * as temporals from '../../definitions/feel/temporal/arithmetic.ts';
import { compareTemporals } from '../../definitions/feel/temporal/compare.ts';
import { dateTimeOf, temporalFromText, timeFrom } from '../../definitions/feel/temporal/functions.ts';
import { temporalProperty } from '../../definitions/feel/temporal/properties.ts';
import { Temporal } from '../../definitions/value.ts';

export interface Environment {
  /** Undefined: nothing has the name. */
  readonly get: (name: string) => FeelValue | undefined;
  /** Whether the expression itself declares it. */
  readonly declares: (name: string) => boolean;
}

export function environmentOf(variables: FeelContext): Environment {
  return {
    get: (name) => (Object.hasOwn(variables, name) ? variables[name] : undefined),
    declares: () => false,
  };
}

function withNames(outer: Environment, inner: FeelContext): Environment {
  const has = (name: string): boolean => Object.hasOwn(inner, name);
  return {
    get: (name) => (has(name) ? inner[name] : outer.get(name)),
    declares: (name) => has(name) || outer.declares(name),
  };
}

/** The properties of an element are there to be read, but declared by nobody. */
function withElement(outer: Environment, element: FeelValue): Environment {
  const around = withNames(outer, { item: element });
  return isContext(element) ? { ...withNames(around, element), declares: around.declares } : around;
}

const INPUT = '?';

export class Interpreter {
  readonly #builtins: ReadonlyMap<string, FeelFunction>;
  readonly #run: Run;
  readonly #onStep: () => void;

  /** @param onStep called for each node, each element and each comparison; what it throws ends the evaluation */
  constructor(builtins: ReadonlyMap<string, FeelFunction>, run: Run, onStep: () => void = () => undefined) {
    this.#builtins = builtins;
    this.#run = run;
    this.#onStep = onStep;
  }

  evaluate(node: Expression, names: Environment): FeelValue {
    this.#onStep();
    switch (node.kind) {
      case 'number':
        return fromText(node.text);
      case 'string':
      case 'boolean':
        return node.value;
      case 'null':
        return null;
      case 'at':
        return temporalFromText(node.text);
      case 'name':
        return orNull(names.get(node.name), this.#builtins.get(node.name));
      case 'input':
        return names.get(INPUT) ?? null;
      case 'path':
        return this.#path(this.evaluate(node.source, names), node.property.name, 0);
      case 'filter':
        return this.#filter(this.evaluate(node.source, names), node.condition, names);
      case 'invocation':
        return this.#invocation(node.callee, node.arguments, names);
      case 'arithmetic':
        return this.#arithmetic(
          node.operator,
          this.evaluate(node.left, names),
          this.evaluate(node.right, names),
        );
      case 'negation': {
        const operand = this.evaluate(node.operand, names);
        if (isFeelNumber(operand)) return negate(operand);
        return operand instanceof Temporal ? temporals.negateDuration(operand) : null;
      }
      case 'comparison': {
        const [left, right] = [this.evaluate(node.left, names), this.evaluate(node.right, names)];
        return this.#compare(node.operator, left, right);
      }
      case 'between': {
        const value = this.evaluate(node.value, names);
        const low = this.evaluate(node.low, names);
        const high = this.evaluate(node.high, names);
        return and([this.#compare('>=', value, low), this.#compare('<=', value, high)]);
      }
      case 'in':
        return this.tests(node.tests, this.evaluate(node.value, names), names);
      case 'conjunction':
        return and(node.operands.map((operand) => this.evaluate(operand, names)));
      case 'disjunction':
        return or(node.operands.map((operand) => this.evaluate(operand, names)));
      case 'if':
        return this.evaluate(
          this.evaluate(node.condition, names) === true ? node.consequent : node.alternative,
          names,
        );
      case 'for':
        return this.#for(node.iterations, node.body, names);
      case 'quantified': {
        const decisive = node.quantifier === 'some';
        const conditions: FeelValue[] = [];
        const isDone = this.#combinations(node.iterations, names, (inner) => {
          conditions.push(this.evaluate(node.condition, inner));
          return conditions.at(-1) !== decisive;
        });
        if (isDone === null) return null;
        return decisive ? or(conditions) : and(conditions);
      }
      case 'context':
        return this.#context(
          node.entries.map(({ key, value }) => [key.name, value]),
          names,
        );
      case 'list':
        return node.items.map((item) => this.evaluate(item, names));
      case 'range': {
        const start = node.start === null ? null : this.evaluate(node.start, names);
        const end = node.end === null ? null : this.evaluate(node.end, names);
        const ends = [...(node.start === null ? [] : [start]), ...(node.end === null ? [] : [end])];
        const orders = ends.map((value) => this.#order(value, value));
        if (orders.includes(null) || new Set(ends.map(typeName)).size > 1) return null;
        return new FeelRange(start, node.isStartIncluded, end, node.isEndIncluded);
      }
      case 'equality-test':
        return this.#compare(node.operator, names.get(INPUT) ?? null, this.evaluate(node.operand, names));
      case 'function':
        return this.#define(
          node.parameters.map(({ name, type }) => ({ name: name.name, type })),
          node.body,
          names,
        );
      case 'instance-of': {
        const value = this.evaluate(node.value, names);
        if (isUnknown(node.type)) return null;
        return value === null ? typeIs(node.type, 'Null') : hasType(value, node.type);
      }
    }
  }

  unaryTests(node: UnaryTests, value: FeelValue, names: Environment): boolean | null {
    if (node.kind === 'any') return true;
    const result = this.tests(node.tests, value, names);
    return node.isNegated && result !== null ? !result : result;
  }

  tests(nodes: readonly Expression[], value: FeelValue, names: Environment): boolean | null {
    return or(nodes.map((node) => this.#test(node, value, withNames(names, { [INPUT]: value }))));
  }

  #test(node: Expression, value: FeelValue, names: Environment): boolean | null {
    const expected = this.evaluate(node, names);
    if (node.kind === 'range' && expected === null) return null;
    if (isAboutInput(node) && (expected === null || typeof expected === 'boolean')) return expected;
    if (typeof expected === 'boolean' && typeof value !== 'boolean' && node.kind !== 'boolean')
      return expected;
    return this.#isWhat(value, expected);
  }

  #isWhat(value: FeelValue, expected: FeelValue): boolean | null {
    if (expected instanceof FeelFunction && !(value instanceof FeelFunction)) {
      if (
        !expected.signatures.some(
          ({ names, least, isVariadic }) => names.length === 1 && (least ?? 1) <= 1 && isVariadic !== true,
        )
      )
        return null;
      const result = expected.invoke([value], this.#run);
      return typeof result === 'boolean' ? result : null;
    }
    if (expected instanceof FeelRange && !(value instanceof FeelRange))
      return this.#isInRange(value, expected);
    if (this.#equal(value, expected) === true) return true;
    if (!isList(expected)) return false;
    return or(
      expected.map((element) =>
        element instanceof FeelRange && !(value instanceof FeelRange)
          ? this.#isInRange(value, element)
          : this.#equal(value, element) === true,
      ),
    );
  }

  #isInRange(value: FeelValue, range: FeelRange): boolean | null {
    return and([
      range.start === null || this.#compare(range.isStartIncluded ? '>=' : '>', value, range.start),
      range.end === null || this.#compare(range.isEndIncluded ? '<=' : '<', value, range.end),
    ]);
  }

  #path(value: FeelValue, name: string, depth: number): FeelValue {
    if (isList(value))
      return depth < 20 ? value.map((element) => this.#path(element, name, depth + 1)) : null;
    if (isContext(value)) return Object.hasOwn(value, name) ? (value[name] ?? null) : null;
    if (value instanceof Temporal) return temporalProperty(value, name, this.#run.meter.nowMs) ?? null;
    if (!(value instanceof FeelRange)) return null;
    if (name === 'start') return value.start;
    if (name === 'end') return value.end;
    if (name === 'start included') return value.isStartIncluded;
    return name === 'end included' ? value.isEndIncluded : null;
  }

  #filter(source: FeelValue, condition: Expression, names: Environment): FeelValue {
    if (source === null) return null;
    const list = isList(source) ? source : [source];
    const conditionOf = (element: FeelValue): FeelValue =>
      this.evaluate(condition, withElement(names, element));
    const first = conditionOf(list[0] ?? null);
    if (isFeelNumber(first)) {
      if (typeof first !== 'number' || first === 0 || !Number.isInteger(first)) return null;
      return list.at(first > 0 ? first - 1 : first) ?? null;
    }
    return list.filter((element) => conditionOf(element) === true);
  }

  #invocation(callee: Expression, args: Arguments, names: Environment): FeelValue {
    const called = this.#called(callee, names);
    if (!(called instanceof FeelFunction)) return null;
    const given = args.kind === 'named' ? args.entries.map(({ name }) => name.name) : null;
    const values = argumentValues(args);
    const exact = called.signatures;
    const loose = given === null ? [] : exact.map((signature) => ({ ...signature, least: 0 }));
    for (const { names: parameters, least = parameters.length, isVariadic = false } of [...exact, ...loose]) {
      const last = parameters.length - 1;
      const order =
        given?.map((name) => parameters.indexOf(name)) ??
        values.map((_, index) => (isVariadic ? Math.min(index, last) : index));
      const isTwice = given !== null && new Set(given).size < given.length;
      const isMissing = parameters.slice(0, least).some((_, index) => !order.includes(index));
      if (isTwice || isMissing || order.some((index) => index < 0 || index > last)) continue;
      const results = values.map((value) => this.evaluate(value, names));
      const ordered = parameters.map((_, parameter): FeelValue | undefined => {
        const own = results.filter((_result, index) => order[index] === parameter);
        return isVariadic && parameter === last && own.length > 0 ? own : own[0];
      });
      const byNames = given === null ? undefined : exact.find(({ names: own }) => own === parameters);
      return called.invoke(ordered, this.#run, byNames);
    }
    return null;
  }

  /** A built-in's name is hidden by what the expression declares, and by nothing else. */
  #called(callee: Expression, names: Environment): FeelValue {
    if (callee.kind !== 'name') return this.evaluate(callee, names);
    const builtin = names.declares(callee.name) ? undefined : this.#builtins.get(callee.name);
    return builtin ?? names.get(callee.name) ?? null;
  }

  #arithmetic(operator: string, left: FeelValue, right: FeelValue): FeelValue {
    if (isFeelNumber(left) && isFeelNumber(right)) return numberOperations[operator]?.(left, right) ?? null;
    if (typeof left === 'string' && typeof right === 'string') return operator === '+' ? left + right : null;
    if (left instanceof Temporal && right instanceof Temporal) {
      if (operator === '+') return temporals.addTemporals(left, right);
      if (operator === '-') return temporals.subtractTemporals(left, right, this.#run.meter.nowMs);
      return operator === '/' ? temporals.durationRatio(left, right) : null;
    }
    if (left instanceof Temporal && isFeelNumber(right)) {
      if (operator === '*') return temporals.multiplyDuration(left, right);
      return operator === '/' ? temporals.divideDuration(left, right) : null;
    }
    if (isFeelNumber(left) && right instanceof Temporal && operator === '*')
      return temporals.multiplyDuration(right, left);
    return null;
  }

  #compare(operator: string, left: FeelValue, right: FeelValue): boolean | null {
    if (operator === '=') return this.#equal(left, right);
    if (operator === '!=') {
      const isEqual = this.#equal(left, right);
      return isEqual === null ? null : !isEqual;
    }
    const order = this.#order(left, right);
    if (order === null) return null;
    return (
      (operator.startsWith('<') && order < 0) ||
      (operator.startsWith('>') && order > 0) ||
      (operator.endsWith('=') && order === 0)
    );
  }

  #order(left: FeelValue, right: FeelValue): number | null {
    if (isFeelNumber(left) && isFeelNumber(right)) return compare(left, right);
    if (left instanceof Temporal && right instanceof Temporal)
      return compareTemporals(left, right, this.#run.meter.nowMs);
    if (typeof left !== 'string' || typeof right !== 'string') return null;
    const [points, others] = [codePoints(left), codePoints(right)];
    for (const [index, point] of points.entries()) {
      const other = others[index] ?? -1;
      if (point !== other) return point - other;
    }
    return points.length - others.length;
  }

  #equal(left: FeelValue, right: FeelValue): boolean | null {
    this.#onStep();
    if (left === null || right === null) return left === right;
    if (typeName(left) !== typeName(right)) return null;
    if (isFeelNumber(left)) return isFeelNumber(right) && equals(left, right);
    if (left instanceof Temporal) return this.#order(left, right) === 0;
    if (isList(left) && isList(right)) {
      return (
        left.length === right.length &&
        and(left.map((item, index) => this.#nested(item, right[index] ?? null)))
      );
    }
    if (left instanceof FeelRange && right instanceof FeelRange) {
      if (left.isStartIncluded !== right.isStartIncluded || left.isEndIncluded !== right.isEndIncluded)
        return false;
      return and([this.#nested(left.start, right.start), this.#nested(left.end, right.end)]);
    }
    if (isContext(left) && isContext(right)) {
      const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
      if (keys.size !== Object.keys(left).length || keys.size !== Object.keys(right).length) return false;
      return and([...keys].map((key) => this.#nested(left[key] ?? null, right[key] ?? null)));
    }
    return left === right;
  }

  #nested(left: FeelValue, right: FeelValue): boolean | null {
    return this.#equal(left, right);
  }

  #for(iterations: readonly Iteration[], body: Expression, names: Environment): FeelValue {
    const results: FeelValue[] = [];
    const isHidden = iterations.some(({ variable }) => variable.name === 'partial');
    const isDone = this.#combinations(iterations, names, (inner) => {
      const partial = isHidden ? {} : { partial: [...results] };
      results.push(this.evaluate(body, withNames(inner, partial)));
      return true;
    });
    return isDone === null ? null : results;
  }

  /** Null: a domain is nothing that could be gone through. False: `visit` wants no more. */
  #combinations(
    [iteration, ...others]: readonly Iteration[],
    names: Environment,
    visit: (names: Environment) => boolean,
  ): boolean | null {
    if (iteration === undefined) return visit(names);
    const elements = this.#domain(iteration, names);
    if (elements === null) return null;
    for (const element of elements) {
      const inner = withNames(names, { [iteration.variable.name]: element });
      const goesOn = this.#combinations(others, inner, visit);
      if (goesOn !== true) return goesOn;
    }
    return true;
  }

  #domain({ domain }: Iteration, names: Environment): readonly FeelValue[] | null {
    if (domain.kind === 'iteration-range')
      return this.#steps(this.evaluate(domain.start, names), this.evaluate(domain.end, names));
    const value = this.evaluate(domain, names);
    if (isList(value) || value === null) return value;
    if (!(value instanceof FeelRange)) return [value];
    const order = this.#order(value.start, value.end);
    if (order === null || order > 0) return null;
    const all = this.#steps(value.start, value.end);
    const from = value.isStartIncluded ? 0 : 1;
    return all?.slice(from, value.isEndIncluded ? undefined : Math.max(from, all.length - 1)) ?? null;
  }

  #steps(start: FeelValue, end: FeelValue): FeelValue[] | null {
    const isNumbers = Number.isSafeInteger(start) && Number.isSafeInteger(end);
    const isDates =
      start instanceof Temporal && end instanceof Temporal && start.kind === 'date' && end.kind === 'date';
    if (!isNumbers && !isDates) return null;
    const isUp = (this.#order(start, end) ?? 0) <= 0;
    const step = isNumbers ? 1 : temporalFromText('P1D');
    const all: FeelValue[] = [start];
    for (let at: FeelValue = start; this.#order(at, end) !== 0; all.push(at)) {
      this.#onStep();
      at = this.#arithmetic(isUp ? '+' : '-', at, step);
    }
    return all;
  }

  #context(entries: readonly (readonly [string, Expression])[], names: Environment): FeelValue {
    if (new Set(entries.map(([key]) => key)).size < entries.length) return null;
    let inner = names;
    const values: [string, FeelValue][] = [];
    for (const [key, node] of entries) {
      const value = this.evaluate(node, inner);
      values.push([key, value]);
      inner = withNames(inner, { [key]: value });
    }
    return Object.fromEntries(values);
  }

  #define(
    parameters: readonly { readonly name: string; readonly type: TypeExpression | null }[],
    body: Expression,
    names: Environment,
  ): FeelFunction {
    return new FeelFunction([{ names: parameters.map(({ name }) => name) }], (args) => {
      const values = parameters.map(({ name, type }, index): [string, FeelValue] => {
        const value = args[index] ?? null;
        return [name, type === null ? value : coerce(value, type)];
      });
      return this.evaluate(body, withNames(names, Object.fromEntries(values)));
    });
  }
}

function codePoints(text: string): readonly number[] {
  return Array.from(text, (character) => character.codePointAt(0) ?? 0);
}

function orNull(value: FeelValue | undefined, otherwise: FeelValue | undefined): FeelValue {
  return value === undefined ? (otherwise ?? null) : value;
}

const numberOperations: Readonly<Record<string, typeof add>> = {
  '+': add,
  '-': subtract,
  '*': multiply,
  '/': divide,
  '**': power,
};

function isAboutInput(node: Expression): boolean {
  if (node.kind === 'in') return isAboutInput(node.value);
  return node.kind === 'input' || node.kind === 'equality-test' || childExpressions(node).some(isAboutInput);
}

function and(values: readonly FeelValue[]): boolean | null {
  if (values.includes(false)) return false;
  return values.every((value) => value === true) ? true : null;
}

function or(values: readonly FeelValue[]): boolean | null {
  if (values.includes(true)) return true;
  return values.every((value) => value === false) ? false : null;
}

function isList(value: FeelValue): value is readonly FeelValue[] {
  return Array.isArray(value);
}

function isContext(value: FeelValue): value is FeelContext {
  return typeName(value) === 'context';
}

function typeName(value: FeelValue): string {
  if (value === null) return 'Null';
  if (isFeelNumber(value)) return 'number';
  if (value instanceof Temporal) return temporalTypes[value.kind];
  if (Array.isArray(value)) return 'list';
  if (value instanceof FeelRange) return 'range';
  if (value instanceof FeelFunction) return 'function';
  return typeof value === 'object' ? 'context' : typeof value;
}

const temporalTypes = {
  date: 'date',
  time: 'time',
  'date-time': 'date and time',
  'days-time-duration': 'days and time duration',
  'years-months-duration': 'years and months duration',
} as const;

const typeNames: ReadonlySet<string> = new Set([
  ...['Any', 'Null', 'boolean', 'number', 'string', 'list', 'range', 'context'],
  ...Object.values(temporalTypes),
]);

function isUnknown(type: TypeExpression): boolean {
  switch (type.kind) {
    case 'named-type':
      return type.path.length > 1 || !typeNames.has(type.path[0] ?? '');
    case 'list-type':
    case 'range-type':
      return isUnknown(type.element);
    case 'context-type':
      return type.entries.some((entry) => isUnknown(entry.type));
    case 'function-type':
      return isUnknown(type.result) || type.parameters.some(isUnknown);
  }
}

function typeIs(type: TypeExpression, name: string): boolean {
  return type.kind === 'named-type' && type.path.length === 1 && type.path[0] === name;
}

/** Functions are left out: no function is made here that knows its type. */
function hasType(value: FeelValue, type: TypeExpression): boolean {
  if (value === null || typeIs(type, 'Any')) return true;
  switch (type.kind) {
    case 'named-type':
      return typeIs(type, typeName(value));
    case 'list-type':
      return isList(value) && value.every((element) => hasType(element, type.element));
    case 'range-type':
      return (
        value instanceof FeelRange && hasType(value.start, type.element) && hasType(value.end, type.element)
      );
    case 'context-type':
      return (
        isContext(value) &&
        type.entries.every(
          ({ name: { name }, type: entry }) =>
            Object.hasOwn(value, name) && hasType(value[name] ?? null, entry),
        )
      );
    case 'function-type':
      return value instanceof FeelFunction;
  }
}

function coerce(value: FeelValue, type: TypeExpression): FeelValue {
  if (isUnknown(type)) return null;
  if (hasType(value, type)) return value;
  const isListType = type.kind === 'list-type' || typeIs(type, 'list');
  if (isListType && !isList(value) && (type.kind !== 'list-type' || hasType(value, type.element)))
    return [value];
  if (isList(value) && value.length === 1 && hasType(value[0] ?? null, type)) return value[0] ?? null;
  const time = value instanceof Temporal && value.kind === 'date' ? timeFrom(value) : null;
  if (time !== null && value instanceof Temporal && typeIs(type, 'date and time'))
    return dateTimeOf(value, time);
  return null;
}
