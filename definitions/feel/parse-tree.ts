/** The library's tree to ours: what is no operator (parse-infix.ts has those) and no type. */
import type {
  Arguments,
  ContextEntry,
  Expression,
  FormalParameter,
  Identifier,
  Iteration,
  RangeLiteral,
  TypeExpression,
  UnaryTests,
} from './ast.ts';
import { SyntaxFault } from './check-text.ts';
import { itemsOf, readInfix, type OperandReader } from './parse-infix.ts';
import { unescapeString } from './parse-literals.ts';
import type { NameReader } from './parse-names.ts';
import { childAt, childNamed, childrenNamed, childrenOf, type SyntaxNode } from './parse-nodes.ts';
import type { PreparedText } from './parse-text.ts';
import { TypeReader } from './parse-types.ts';

/** Nodes inside each other. Deeper nesting is refused, so that evaluation cannot exhaust the stack. */
export const MAX_EXPRESSION_DEPTH = 150;

export function tooDeep(offset: number): SyntaxFault {
  return new SyntaxFault(`the expression is nested deeper than ${MAX_EXPRESSION_DEPTH} levels`, offset);
}

/** Reads the tree of one text, which has no error nodes, in the order of the text. */
export class TreeReader implements OperandReader {
  readonly text: string;
  readonly names: NameReader;
  readonly #types: TypeReader;
  /** Nodes that are known to be around what is read: no more than there will be. */
  #depth = 0;

  constructor(prepared: PreparedText, names: NameReader) {
    this.text = prepared.text;
    this.names = names;
    this.#types = new TypeReader(prepared, names);
  }

  /** @throws SyntaxFault */
  expression(node: SyntaxNode): Expression {
    return this.#read(node, 1);
  }

  /** What stands in parentheses, which leave no node. @throws SyntaxFault */
  inner(node: SyntaxNode): Expression {
    return this.#read(node, 0);
  }

  /** An operator has its operands one level further in. */
  #read(node: SyntaxNode, ownLevels: number): Expression {
    const items = itemsOf(this.text, node);
    const levels = items.length > 1 ? ownLevels + 1 : ownLevels;
    this.#depth += levels;
    if (this.#depth > MAX_EXPRESSION_DEPTH) throw tooDeep(node.from);
    const expression = readInfix(this, items);
    this.#depth -= levels;
    return expression;
  }

  operand(node: SyntaxNode): Expression {
    const read = readers[node.name];
    if (read === undefined) throw new TypeError(`the grammar of lezer-feel gives an unknown ${node.name}`);
    return read(this, node);
  }

  type(node: SyntaxNode): TypeExpression {
    return this.#types.read(node);
  }

  /** What a node spells, with single spaces. */
  wordsOf({ from, to }: SyntaxNode): string {
    return this.text.slice(from, to).replace(/ +/g, ' ');
  }

  string({ from, to }: SyntaxNode): string {
    return unescapeString(this.text.slice(from, to), from);
  }

  /** @param node a `UnaryTests` */
  unaryTests(node: SyntaxNode): UnaryTests {
    const span = { from: node.from, to: node.to };
    if (node.getChild('Wildcard') !== null) return { kind: 'any', ...span };
    return {
      kind: 'tests',
      isNegated: node.getChild('not') !== null,
      tests: this.expressions(childNamed(node, 'PositiveUnaryTests')),
      ...span,
    };
  }

  /** Those that commas divide. */
  expressions(node: SyntaxNode): readonly Expression[] {
    return childrenOf(node)
      .filter(({ name }) => !signs.has(name))
      .map((child) => this.expression(child));
  }
}

const signs: ReadonlySet<string> = new Set(['[', ']', ',']);

type Read = (reader: TreeReader, node: SyntaxNode) => Expression;

/** By the library's names of nodes. */
const readers: Readonly<Record<string, Read | undefined>> = {
  NumericLiteral: (reader, { from, to }) => ({
    kind: 'number',
    text: reader.text.slice(from, to).replace(/ +/g, ''),
    from,
    to,
  }),
  StringLiteral: (reader, node) => ({
    kind: 'string',
    value: reader.string(node),
    from: node.from,
    to: node.to,
  }),
  BooleanLiteral: (reader, { from, to }) => ({
    kind: 'boolean',
    value: reader.text.slice(from, to) === 'true',
    from,
    to,
  }),
  null: (_, { from, to }) => ({ kind: 'null', from, to }),
  '?': (_, { from, to }) => ({ kind: 'input', from, to }),
  VariableName: readName,
  ParenthesizedExpression: (reader, node) => ({
    ...reader.inner(childAt(node, 1)),
    from: node.from,
    to: node.to,
  }),
  DateTimeLiteral: (reader, node) =>
    node.getChild('AtLiteral') === null ? readInvocation(reader, node) : readAtLiteral(reader, node),
  FunctionInvocation: readInvocation,
  PathExpression: (reader, node) => ({
    kind: 'path',
    source: reader.expression(childAt(node, 0)),
    property: reader.names.chosen(childNamed(node, 'PathName')),
    from: node.from,
    to: node.to,
  }),
  FilterExpression: (reader, node) => ({
    kind: 'filter',
    source: reader.expression(childAt(node, 0)),
    condition: reader.expression(childAt(node, 2)),
    from: node.from,
    to: node.to,
  }),
  IfExpression: (reader, node) => ({
    kind: 'if',
    condition: reader.expression(childAt(node, 1)),
    consequent: reader.expression(childAt(node, 3)),
    alternative: reader.expression(childAt(node, 5)),
    from: node.from,
    to: node.to,
  }),
  ForExpression: (reader, node) => ({
    kind: 'for',
    iterations: readIterations(reader, node),
    body: reader.expression(childAt(node, 3)),
    from: node.from,
    to: node.to,
  }),
  QuantifiedExpression: (reader, node) => ({
    kind: 'quantified',
    quantifier: childAt(node, 0).name === 'some' ? 'some' : 'every',
    iterations: readIterations(reader, node),
    condition: reader.expression(childAt(node, 3)),
    from: node.from,
    to: node.to,
  }),
  List: (reader, node) => ({ kind: 'list', items: reader.expressions(node), from: node.from, to: node.to }),
  Context: (reader, node) => ({
    kind: 'context',
    entries: childrenNamed(node, 'ContextEntry').map((entry) => readEntry(reader, entry)),
    from: node.from,
    to: node.to,
  }),
  Interval: readInterval,
  FunctionDefinition(reader, node) {
    const external = node.getChild('external');
    if (external !== null) throw new SyntaxFault('external functions are not supported', external.from);
    const parameters = childrenNamed(childNamed(node, 'FormalParameters'), 'FormalParameter');
    return {
      kind: 'function',
      parameters: parameters.map((parameter) => readParameter(reader, parameter)),
      body: reader.expression(childAt(childNamed(node, 'FunctionBody'), 0)),
      from: node.from,
      to: node.to,
    };
  },
};

/** A key may be a keyword, but a keyword is not to be hidden by it: the library reads a known `null` as a name. */
function readName(reader: TreeReader, node: SyntaxNode): Expression {
  const identifier = reader.names.reference(node);
  const { name, from, to } = identifier;
  if (name === 'null') return { kind: 'null', from, to };
  if (name === 'true' || name === 'false') return { kind: 'boolean', value: name === 'true', from, to };
  if (name === '?') return { kind: 'input', from, to };
  return { kind: 'name', ...identifier };
}

function readAtLiteral(reader: TreeReader, node: SyntaxNode): Expression {
  const string = childNamed(childNamed(node, 'AtLiteral'), 'StringLiteral');
  return { kind: 'at', text: reader.string(string), from: node.from, to: node.to };
}

/** Some built-in functions have nodes of their own, because there are keywords in their names. */
const builtinNodes: ReadonlySet<string> = new Set(['DateTimeConstructor', 'SpecialFunctionName']);

function readInvocation(reader: TreeReader, node: SyntaxNode): Expression {
  const called = childAt(node, 0);
  const callee: Expression = builtinNodes.has(called.name)
    ? { kind: 'name', name: reader.wordsOf(called), from: called.from, to: called.to }
    : reader.expression(called);
  return { kind: 'invocation', callee, arguments: readArguments(reader, node), from: node.from, to: node.to };
}

function readArguments(reader: TreeReader, node: SyntaxNode): Arguments {
  const named = node.getChild('NamedParameters');
  if (named === null)
    return { kind: 'positional', values: reader.expressions(childNamed(node, 'PositionalParameters')) };
  const entries = childrenNamed(named, 'NamedParameter').map((argument) => ({
    name: reader.names.chosen(childNamed(childNamed(argument, 'ParameterName'), 'Name')),
    value: reader.expression(childAt(argument, -1)),
  }));
  return { kind: 'named', entries };
}

function readIterations(reader: TreeReader, node: SyntaxNode): readonly Iteration[] {
  return childrenNamed(childNamed(node, 'InExpressions'), 'InExpression').map((iteration) => {
    const variable = reader.names.declared(childNamed(iteration, 'Name'));
    const domain = childNamed(iteration, 'IterationContext');
    const start = reader.expression(childAt(domain, 0));
    if (domain.getChild('..') === null) return { variable, domain: start };
    const end = reader.expression(childAt(domain, -1));
    return { variable, domain: { kind: 'iteration-range', start, end, from: domain.from, to: domain.to } };
  });
}

function readEntry(reader: TreeReader, entry: SyntaxNode): ContextEntry {
  const key = readKey(reader, childNamed(entry, 'Key'));
  return { key, value: reader.expression(childAt(entry, -1)) };
}

/** Escapes are undone first, so that no spelling of a reserved name gets by. */
function readKey(reader: TreeReader, node: SyntaxNode): Identifier {
  const string = node.getChild('StringLiteral');
  if (string === null) return reader.names.declared(childNamed(node, 'Name'));
  const key = { name: reader.string(string), from: string.from, to: string.to };
  reader.names.declare(key);
  return key;
}

/** `[` and `]` at the side where they look like a bracket of a list mean that the end is included. */
function readInterval(reader: TreeReader, node: SyntaxNode): RangeLiteral {
  return {
    kind: 'range',
    start: reader.expression(childAt(node, 1)),
    end: reader.expression(childAt(node, 3)),
    isStartIncluded: childAt(node, 0).name === '[',
    isEndIncluded: childAt(node, 4).name === ']',
    from: node.from,
    to: node.to,
  };
}

function readParameter(reader: TreeReader, parameter: SyntaxNode): FormalParameter {
  const type = parameter.getChild('Type');
  return {
    name: reader.names.declared(childNamed(childNamed(parameter, 'ParameterName'), 'Name')),
    type: type === null ? null : reader.type(type),
  };
}
