/**
 * Reads the syntax tree of an expression: its syntax errors, its free variables, and what the library
 * would compute wrongly without saying so.
 *
 * The tree is made without any variable known, so the meaning of a text never depends on data:
 * A1 Words separated by spaces are one name (`order total`); `- + * /` are always operators.
 * A2 A key with such signs is read by `get value(payload, "a-b")`.
 */
import { normalizeContextKey, parser, trackVariables } from 'lezer-feel';
import { isExactNumberLiteral } from '../number-literal.ts';
import { builtinNames, missingBuiltinNames } from './builtins.ts';
import { ITERATION_FUNCTION } from './iteration.ts';

export type Tree = ReturnType<typeof parser.parse>;
export type SyntaxNode = Tree['topNode'];

/** A longer text is refused: the parser's time grows faster than the text (10,000 took 0.5 s). */
export const MAX_EXPRESSION_LENGTH = 10_000;
/** Deeper nesting is refused, so that evaluation cannot exhaust the stack. */
export const MAX_EXPRESSION_DEPTH = 150;

/** A fault at an offset of the analysed text; the caller turns it into line and column. */
export class SyntaxFault extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** Puts `text` in the place of what stands from `from` to `to`. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

export interface Analysis {
  /** Free variables in order of appearance. */
  readonly names: readonly string[];
  /** True when the result depends on nothing but the names: neither `now()` nor `today()` is called. */
  readonly isTimeless: boolean;
  /** What to change in the text before the library runs it. None overlaps another. */
  readonly edits: readonly Edit[];
  /** The tree's nodes as comparable text, relative to offset 0. */
  readonly shape: string;
}

export function parseTree(text: string, knownNames: Readonly<Record<string, unknown>>): Tree {
  return parser.configure({ top: 'Expression', contextTracker: trackVariables(knownNames) }).parse(text);
}

/** The nodes below `root` with their offsets less `base`: equal for texts that are read alike. */
export function shapeOf(root: SyntaxNode, base: number): string {
  const parts: string[] = [];
  root.cursor().iterate((node) => {
    if (node.from === root.from && node.to === root.to && node.name === root.name) return;
    if (!node.type.isSkipped) parts.push(`${node.name}:${node.from - base}:${node.to - base}`);
  });
  return parts.join(' ');
}

/** @throws SyntaxFault */
export function analyse(text: string, tree: Tree): Analysis {
  const iterationCount = checkShape(text, tree);
  const analyser = new Analyser(text);
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
    edits: analyser.edits,
    shape: shapeOf(tree.topNode, 0),
  };
}

/** Refuses the parser's error nodes, and nesting beyond the bound, without recursion. Counts iterations. */
function checkShape(text: string, tree: Tree): number {
  let depth = 0;
  let iterationCount = 0;
  tree.iterate({
    enter(node) {
      if (node.type.isError) throw errorNodeFault(text, node.node);
      depth += 1;
      if (node.name === 'IterationContext') iterationCount += 1;
      if (depth > MAX_EXPRESSION_DEPTH) {
        throw new SyntaxFault(
          `the expression is nested deeper than ${MAX_EXPRESSION_DEPTH} levels`,
          node.from,
        );
      }
    },
    leave() {
      depth -= 1;
    },
  });
  return iterationCount;
}

function errorNodeFault(text: string, node: SyntaxNode): SyntaxFault {
  const found = text.slice(node.from, node.to === node.from ? node.from + 1 : node.to).trim();
  const rest = text.slice(node.from).trim();
  if (rest === '') return new SyntaxFault('the expression is not complete', text.length);
  const shown = (found === '' ? (rest[0] ?? '') : found).slice(0, 40);
  const hint = operatorHints.find(([sign]) => rest.startsWith(sign))?.[1] ?? '';
  return new SyntaxFault(
    `unexpected '${shown}'${hint}`,
    text.length - text.slice(node.from).trimStart().length,
  );
}

const operatorHints: readonly (readonly [string, string])[] = [
  ['&&', "; FEEL writes 'and'"],
  ['||', "; FEEL writes 'or'"],
  ['!', "; FEEL writes 'not(…)'"],
  ['$', "; FEEL has no '${…}'"],
  ["'", '; FEEL quotes strings with "'],
  ['`', '; names are written without quotes'],
];

type Bound = ReadonlySet<string>;

/** Walks the tree once with the names bound so far. */
class Analyser {
  readonly #text: string;
  readonly freeNames = new Map<string, number>();
  readonly calledNames = new Set<string>();
  readonly edits: Edit[] = [];
  iterationCount = 0;

  constructor(text: string) {
    this.#text = text;
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
    const reserved = /(?:^|\W)(__proto__|iteration__)(?:$|\W)/.exec(name)?.[1];
    if (reserved !== undefined) throw new SyntaxFault(`'${reserved}' cannot be used as a name`, node.from);
    return name;
  }

  /** Has the library count and bound what `node` iterates over (feel/iteration.ts). */
  bound(node: SyntaxNode): void {
    this.edits.push({ from: node.from, to: node.from, text: `${ITERATION_FUNCTION}(` });
    this.edits.push({ from: node.to, to: node.to, text: ')' });
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

type Visitor = (analyser: Analyser, node: SyntaxNode, bound: Bound) => void;

const visitors: Readonly<Record<string, Visitor>> = {
  VariableName: (analyser, node, bound) => analyser.use(node, bound),
  // Types (`x instance of number`) and property names are no variables.
  Type: () => undefined,
  PathName: () => undefined,
  ParameterName: () => undefined,
  NumericLiteral: visitNumber,
  FunctionInvocation(analyser, node, bound) {
    const [callee, ...rest] = childrenOf(node);
    if (callee?.name === 'VariableName') analyser.call(callee, bound);
    else if (callee !== undefined) analyser.visit(callee, bound);
    for (const child of rest) analyser.visit(child, bound);
  },
  FilterExpression(analyser, node, bound) {
    const [target, ...rest] = childrenOf(node);
    if (target !== undefined) analyser.visit(target, bound);
    const inside = new Set([...bound, 'item']);
    for (const child of rest) analyser.visit(child, inside);
    // An index takes one element; only a condition is run for each of them.
    if (target !== undefined && rest.some(({ name }) => conditions.has(name))) analyser.bound(target);
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
    if (body !== null) analyser.visit(body, inside);
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
  },
};

/** The nodes that, as a filter, are run for every element. */
const conditions: ReadonlySet<string> = new Set([
  'Comparison',
  'Conjunction',
  'Disjunction',
  'FunctionInvocation',
  'InstanceOfExpression',
  'ParenthesizedExpression',
  'QuantifiedExpression',
  'SimplePositiveUnaryTest',
]);

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (!child.type.isSkipped) children.push(child);
  }
  return children;
}

/** Each `x in list` sees the names before it; the body sees all of them and `bodyNames`. */
function visitIteration(
  analyser: Analyser,
  node: SyntaxNode,
  bound: Bound,
  bodyNames: readonly string[],
): void {
  const inside = new Set(bound);
  const [, iterations, , body] = childrenOf(node);
  for (const iteration of iterations === undefined ? [] : childrenOf(iterations)) {
    const [name, ...rest] = childrenOf(iteration);
    for (const child of rest) {
      analyser.visit(child, inside);
      if (child.name === 'IterationContext') boundIteration(analyser, child);
    }
    if (name !== undefined) inside.add(analyser.nameOf(name));
  }
  for (const name of bodyNames) inside.add(name);
  if (body !== undefined) analyser.visit(body, inside);
}

/** `1..n` becomes the two arguments of the function, anything else its one. */
function boundIteration(analyser: Analyser, context: SyntaxNode): void {
  const dots = childrenOf(context).find(({ name }) => name === '..');
  if (dots !== undefined) analyser.edits.push({ from: dots.from, to: dots.to, text: ', ' });
  analyser.bound(context);
  analyser.iterationCount += 1;
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
    analyser.edits.push({ from: node.from, to: node.to, text: literal.replace(/e/i, '.0e') });
  }
}
