/**
 * Reads the syntax tree of an expression: its free variables, what it costs, and what the library would compute
 * wrongly without saying so.
 */
import { normalizeContextKey } from 'lezer-feel';
import { isExactNumberLiteral } from '../number-literal.ts';
import { builtinNames, missingBuiltinNames } from './builtins.ts';
import { SyntaxFault } from './check-text.ts';
import type { Edits, Replacement, Wrapping } from './edits.ts';
import { meteringNames } from './metering.ts';
import { checkShape, childrenOf, shapeOf, type SyntaxNode, type Tree } from './library-tree.ts';

/** Units (budget.ts) for each node of a syntax tree that is evaluated, and for each name that a scope holds. */
const NODE_UNITS = 2;
const NAME_UNITS = 2;
/** And for a call of `date`, `time` or `date and time`, and of `duration`, which read texts. */
const DATE_UNITS = 200;
const DURATION_UNITS = 1_500;
/** And for each time that a part of the expression is evaluated. */
const PART_UNITS = 20;

export interface Analysis {
  /** Free variables in order of appearance. */
  readonly names: readonly string[];
  /** True when the result depends on nothing but the names: neither `now()` nor `today()` is called. */
  readonly isTimeless: boolean;
  /** The built-in functions that are called. */
  readonly calledNames: ReadonlySet<string>;
  /** The texts that the expression spells out. */
  readonly literals: ReadonlySet<string>;
  /** What one evaluation costs that iterates over nothing and calls nothing. */
  readonly units: number;
  /** What to change in the text before the library runs it. */
  readonly edits: Edits;
  /** The tree's nodes as comparable text, relative to offset 0. */
  readonly shape: string;
}

/** @throws SyntaxFault */
export function analyse(text: string, tree: Tree): Analysis {
  const { iterationCount, nameCount } = checkShape(text, tree);
  const analyser = new Analyser(text, nameCount);
  analyser.visit(tree.topNode, new Set());
  // One that got by would be unbounded.
  if (analyser.iterationCount !== iterationCount)
    throw new SyntaxFault('an iteration stands where it is not supported', 0);
  const calledNames = analyser.calledNames;
  for (const [name, offset] of analyser.freeNames) {
    if (calledNames.has(name)) {
      throw new SyntaxFault(
        `'${name}' is used both as a function and as a variable; rename the variable`,
        offset,
      );
    }
  }
  return {
    names: [...analyser.freeNames.keys()],
    isTimeless: !calledNames.has('now') && !calledNames.has('today'),
    calledNames,
    literals: analyser.literals,
    units: analyser.unitsOf(tree.topNode),
    edits: analyser,
    shape: shapeOf(tree.topNode, 0),
  };
}

type Bound = ReadonlySet<string>;

const reservedName = new RegExp(`(?:^|\\W)(__proto__|${Object.values(meteringNames).join('|')})(?:$|\\W)`);

/** Walks the tree once with the names bound so far. */
class Analyser implements Edits {
  readonly #text: string;
  /** Different names that the expression has. */
  readonly #nameCount: number;
  readonly freeNames = new Map<string, number>();
  readonly calledNames = new Set<string>();
  readonly literals = new Set<string>();
  readonly replacements: Replacement[] = [];
  readonly wrappings: Wrapping[] = [];
  iterationCount = 0;

  constructor(text: string, nameCount: number) {
    this.#text = text;
    this.#nameCount = nameCount;
  }

  visit(node: SyntaxNode, bound: Bound): void {
    const special = visitors[node.name];
    if (special === undefined) this.visitChildren(node, bound);
    else special(this, node, bound);
  }

  visitChildren(node: SyntaxNode, bound: Bound): void {
    for (const child of childrenOf(node)) this.visit(child, bound);
  }

  textOf(node: SyntaxNode): string {
    return this.#text.slice(node.from, node.to);
  }

  /** The name that a `Name`, `VariableName` or `Key` spells, as the library compares names. */
  nameOf(node: SyntaxNode): string {
    const name = normalizeContextKey(this.textOf(node).replace(/\s+/g, ' '));
    const reserved = reservedName.exec(name)?.[1];
    if (reserved !== undefined) throw new SyntaxFault(`'${reserved}' cannot be used as a name`, node.from);
    return name;
  }

  /**
   * What it costs to evaluate `node` once. Whatever is inside counts, whether it is evaluated or not; what it
   * iterates over and calls pays for itself.
   */
  unitsOf(node: SyntaxNode): number {
    const scopeUnits = this.#nameCount * NAME_UNITS;
    let units = PART_UNITS + scopeUnits;
    node.cursor().iterate((inner) => {
      const { name } = inner;
      units += copyingNodes.has(name) ? NODE_UNITS + scopeUnits : NODE_UNITS;
      if (name === 'DateTimeLiteral') units += this.#unitsOfDate(inner.node);
    });
    return units;
  }

  /** The library makes a date of nothing but literals once. */
  #unitsOfDate(node: SyntaxNode): number {
    const [constructor, , parameters] = childrenOf(node);
    const isConstant =
      parameters === undefined || childrenOf(parameters).every(({ name }) => scalars.has(name));
    if (constructor === undefined || isConstant) return 0;
    return this.textOf(constructor) === 'duration' ? DURATION_UNITS : DATE_UNITS;
  }

  /** Hands `node` to a function of metering.ts, as the last of its arguments. */
  meter(node: SyntaxNode, functionName: string, ...args: readonly (string | number)[]): void {
    this.wrap(node, `${functionName}(${args.map((arg) => `${arg}, `).join('')}`, ')');
  }

  wrap({ from, to }: SyntaxNode, open: string, close: string): void {
    this.wrappings.push({ from, to, open, close });
  }

  use(node: SyntaxNode, bound: Bound): void {
    const name = this.nameOf(node);
    if (!bound.has(name) && !this.freeNames.has(name)) this.freeNames.set(name, node.from);
  }

  call(node: SyntaxNode, bound: Bound): void {
    const name = this.nameOf(node);
    if (bound.has(name)) return;
    if (missingBuiltinNames.has(name))
      throw new SyntaxFault(`the function '${name}' is not supported`, node.from);
    if (!builtinNames.has(name)) throw new SyntaxFault(`there is no function '${name}'`, node.from);
    this.calledNames.add(name);
  }
}

/** The nodes that copy all variables in scope when they are evaluated. */
const copyingNodes: ReadonlySet<string> = new Set(['Context', 'FunctionDefinition', 'FilterExpression']);

type Visitor = (analyser: Analyser, node: SyntaxNode, bound: Bound) => void;

const visitors: Readonly<Record<string, Visitor>> = {
  VariableName: (analyser, node, bound) => analyser.use(node, bound),
  // Types (`x instance of number`) and property names are no variables.
  Type: () => undefined,
  PathName: () => undefined,
  ParameterName: () => undefined,
  NumericLiteral: visitNumber,
  StringLiteral: (analyser, node) => void analyser.literals.add(literalText(analyser.textOf(node))),
  FunctionInvocation(analyser, node, bound) {
    const [callee, ...rest] = childrenOf(node);
    if (callee?.name === 'VariableName') analyser.call(callee, bound);
    else if (callee !== undefined) analyser.visit(callee, bound);
    if (callee !== undefined && (callee.name !== 'VariableName' || bound.has(analyser.nameOf(callee))))
      analyser.meter(callee, meteringNames.sized);
    for (const child of rest) analyser.visit(child, bound);
  },
  DateTimeLiteral(analyser, node, bound) {
    analyser.visitChildren(node, bound);
    for (const parameters of childrenOf(node)) {
      if (!/^(?:Named|Positional)Parameters$/.test(parameters.name)) continue;
      for (const parameter of childrenOf(parameters)) {
        const value = parameter.name === 'NamedParameter' ? parameter.lastChild : parameter;
        if (value !== null && !scalars.has(value.name)) analyser.meter(value, meteringNames.sized);
      }
    }
  },
  PathExpression(analyser, node, bound) {
    analyser.visitChildren(node, bound);
    const [target, , property] = childrenOf(node);
    if (target !== undefined && property !== undefined)
      analyser.meter(
        target,
        meteringNames.read,
        JSON.stringify(normalizeContextKey(analyser.textOf(property))),
      );
  },
  ArithmeticExpression(analyser, node, bound) {
    analyser.visitChildren(node, bound);
    for (const operand of childrenOf(node)) {
      if (operand.name !== 'ArithOp' && operand.name !== 'NumericLiteral')
        analyser.meter(operand, meteringNames.sized);
    }
  },
  Interval(analyser, node, bound) {
    analyser.visitChildren(node, bound);
    for (const end of childrenOf(node)) {
      if (!/^(?:\W+|NumericLiteral)$/.test(end.name)) analyser.meter(end, meteringNames.walked);
    }
  },
  InstanceOfExpression(analyser, node, bound) {
    analyser.visitChildren(node, bound);
    const [value, , , type] = childrenOf(node);
    const isDeep = type?.firstChild?.name === 'ListType' || type?.firstChild?.name === 'ContextType';
    if (value !== undefined && isDeep) analyser.meter(value, meteringNames.walked);
  },
  FilterExpression(analyser, node, bound) {
    const [target, ...rest] = childrenOf(node);
    if (target !== undefined) analyser.visit(target, bound);
    const inside = new Set([...bound, 'item']);
    for (const child of rest) analyser.visit(child, inside);
    // An index takes one element; only a condition is run for each of them.
    const condition = rest.find(({ name }) => conditions.has(name));
    if (target !== undefined && condition !== undefined)
      analyser.meter(target, meteringNames.filtered, analyser.unitsOf(condition));
  },
  ForExpression: (analyser, node, bound) => visitIteration(analyser, node, bound, ['partial']),
  QuantifiedExpression: (analyser, node, bound) => visitIteration(analyser, node, bound, []),
  Context(analyser, node, bound) {
    const inside = new Set(bound);
    for (const entry of childrenOf(node)) {
      const [key, ...rest] = childrenOf(entry);
      for (const child of rest) analyser.visit(child, inside);
      if (key !== undefined) inside.add(keyName(analyser, key));
    }
  },
  FunctionDefinition(analyser, node, bound) {
    const inside = new Set(bound);
    node.cursor().iterate((child) => {
      if (child.name === 'FunctionBody') return false;
      if (child.name === 'ParameterName') inside.add(analyser.nameOf(child.node));
      return undefined;
    });
    const body = node.getChild('FunctionBody');
    if (body === null) return;
    analyser.visit(body, inside);
    // Paid for at each call: a function may call another that it is given, and that one itself.
    const call = `${meteringNames.called}(${analyser.unitsOf(body)})`;
    if (node.getChild('external') === null) analyser.wrap(body, `if ${call} then (`, ') else null');
  },
  Comparison(analyser, node, bound) {
    const [, operator, right] = childrenOf(node);
    // `a == b` is read as `a = (= b)`, which is never what was meant.
    if (
      operator?.name === 'CompareOp' &&
      right?.name === 'SimplePositiveUnaryTest' &&
      right.firstChild?.name === 'CompareOp'
    ) {
      throw new SyntaxFault(
        `unexpected '${analyser.textOf(right.firstChild)}' after a comparison`,
        right.from,
      );
    }
    analyser.visitChildren(node, bound);
    visitOperands(
      analyser,
      childrenOf(node),
      operator?.name === 'CompareOp' && /^!?=$/.test(analyser.textOf(operator)),
    );
  },
};

/** What is compared to something other than a literal may be compared to the leaves, or written out for a message. */
function visitOperands(analyser: Analyser, parts: readonly SyntaxNode[], isEquality: boolean): void {
  const operands = parts.flatMap((part) => {
    if (part.name === 'PositiveUnaryTests') return childrenOf(part);
    return /^\W+$|^CompareOp$|^(?:in|between|and)$/.test(part.name) ? [] : [part];
  });
  if (isEquality && operands.some(({ name }) => scalars.has(name))) return;
  for (const operand of operands) {
    const inner = operand.name === 'PositiveUnaryTest' ? operand.firstChild : operand;
    if (inner !== null && inner.name !== 'SimplePositiveUnaryTest' && !scalars.has(inner.name))
      analyser.meter(inner, meteringNames.walked);
  }
}

/** To be equal to one of these, nothing but a type is looked at. */
const scalars: ReadonlySet<string> = new Set(['null', 'NumericLiteral', 'StringLiteral', 'BooleanLiteral']);

/** The nodes that, as a filter, are run for every element, or compared to it. */
const conditions: ReadonlySet<string> = new Set([
  'Comparison',
  'Conjunction',
  'Disjunction',
  'FunctionInvocation',
  'IfExpression',
  'InstanceOfExpression',
  'ParenthesizedExpression',
  'QuantifiedExpression',
  'SimplePositiveUnaryTest',
  'StringLiteral',
]);

/** Each `x in list` sees the names before it; the body sees all of them and `bodyNames`. */
function visitIteration(
  analyser: Analyser,
  node: SyntaxNode,
  bound: Bound,
  bodyNames: readonly string[],
): void {
  const inside = new Set(bound);
  const [, iterations, , body] = childrenOf(node);
  const all = iterations === undefined ? [] : childrenOf(iterations);
  for (const [index, iteration] of all.entries()) {
    const [name, ...rest] = childrenOf(iteration);
    for (const child of rest) {
      analyser.visit(child, inside);
      const repeated = all[index + 1] ?? body ?? iteration;
      if (child.name !== 'IterationContext') continue;
      const slower = node.name === 'QuantifiedExpression' ? PART_UNITS : 0;
      visitIterated(analyser, child, analyser.unitsOf(repeated) + slower);
    }
    if (name !== undefined) inside.add(analyser.nameOf(name));
  }
  for (const name of bodyNames) inside.add(name);
  if (body !== undefined) analyser.visit(body, inside);
}

/** `1..n` becomes the two arguments of the function, anything else its one. */
function visitIterated(analyser: Analyser, context: SyntaxNode, units: number): void {
  const dots = childrenOf(context).find(({ name }) => name === '..');
  if (dots !== undefined) analyser.replacements.push({ from: dots.from, to: dots.to, text: ', ' });
  analyser.meter(context, meteringNames.iterated, units);
  analyser.iterationCount += 1;
}

/** The text of a string literal, but for characters that are written by their numbers. */
function literalText(literal: string): string {
  return literal
    .slice(1, -1)
    .replace(/\\(["\\nrt])/g, (_, sign: string) => ({ n: '\n', r: '\r', t: '\t' })[sign] ?? sign);
}

/** A context literal's key. Escapes are undone first, so that no spelling of `__proto__` gets by. */
function keyName(analyser: Analyser, key: SyntaxNode): string {
  const literal = key.getChild('StringLiteral');
  if (literal === null) return analyser.nameOf(key);
  const decoded = analyser
    .textOf(literal)
    .slice(1, -1)
    .replace(/\\u([0-9a-f]{1,6})/gi, (_, hex: string) =>
      String.fromCodePoint(Math.min(parseInt(hex, 16), 0x10ffff)),
    );
  if (decoded.includes('__proto__')) {
    throw new SyntaxFault("'__proto__' cannot be used as a name", key.from);
  }
  return normalizeContextKey(decoded);
}

/** The library reads `1e3` as 1, and rounds what a double cannot hold. */
function visitNumber(analyser: Analyser, node: SyntaxNode): void {
  const literal = analyser.textOf(node);
  if (!isExactNumberLiteral(literal.startsWith('.') ? `0${literal}` : literal)) {
    throw new SyntaxFault(`the number ${literal.slice(0, 60)} cannot be kept exactly`, node.from);
  }
  if (/e/i.test(literal) && !literal.includes('.')) {
    analyser.replacements.push({ from: node.from, to: node.to, text: literal.replace(/e/i, '.0e') });
  }
}
