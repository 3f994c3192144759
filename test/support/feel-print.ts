/**
 * Syntax trees as text: as FEEL, which is read back to the same tree, and as a form that shows what is inside what.
 */
import type {
  Arguments,
  Expression,
  FunctionDefinition,
  Iteration,
  RangeLiteral,
  TypeExpression,
  UnaryTests,
} from '../../definitions/feel/ast.ts';

/** From loose to tight. What is open-ended (`if`) stands without parentheses only where nothing can follow. */
const tightness = {
  open: 0,
  or: 1,
  and: 2,
  comparison: 3,
  sum: 4,
  product: 5,
  power: 6,
  negation: 7,
  postfix: 8,
} as const;
type Tightness = (typeof tightness)[keyof typeof tightness];

const arithmeticTightness = {
  '+': tightness.sum,
  '-': tightness.sum,
  '*': tightness.product,
  '/': tightness.product,
  '**': tightness.power,
} as const;

function tightnessOf(node: Expression): Tightness {
  switch (node.kind) {
    case 'if':
    case 'for':
    case 'quantified':
    case 'function':
      return tightness.open;
    case 'disjunction':
      return tightness.or;
    case 'conjunction':
    case 'instance-of': // A type may go on with `<`.
      return tightness.and;
    case 'comparison':
    case 'between':
    case 'in':
    case 'equality-test':
      return tightness.comparison;
    case 'range':
      return isOneSided(node) ? tightness.comparison : tightness.postfix;
    case 'arithmetic':
      return arithmeticTightness[node.operator];
    case 'negation':
      return tightness.negation;
    case 'number':
    case 'string':
    case 'boolean':
    case 'null':
    case 'at':
    case 'name':
    case 'input':
    case 'path':
    case 'filter':
    case 'invocation':
    case 'context':
    case 'list':
      return tightness.postfix;
  }
}

function isOneSided(node: RangeLiteral): boolean {
  return node.start === null || node.end === null;
}

function isTest(node: Expression): boolean {
  return node.kind === 'equality-test' || (node.kind === 'range' && isOneSided(node));
}

/** The tree as FEEL. `parseExpression` reads it back, given the names of the tree that must be known. */
export function printExpression(node: Expression): string {
  return print(node, tightness.open);
}

export function printUnaryTests(tests: UnaryTests): string {
  if (tests.kind === 'any') return '-';
  if (tests.isNegated) return `not(${printList(tests.tests)})`;
  const [first = '', ...others] = tests.tests.map(printExpression);
  // A call of `not` would negate all tests.
  return [first.startsWith('not(') ? `(${first})` : first, ...others].join(', ');
}

function print(node: Expression, least: number): string {
  const text = printBare(node);
  return tightnessOf(node) < least ? `(${text})` : text;
}

function printList(nodes: readonly Expression[]): string {
  return nodes.map(printExpression).join(', ');
}

function printBare(node: Expression): string {
  switch (node.kind) {
    case 'number':
      return node.text;
    case 'string':
      return quote(node.value);
    case 'boolean':
      return String(node.value);
    case 'null':
      return 'null';
    case 'at':
      return `@${quote(node.text)}`;
    case 'name':
      return node.name;
    case 'input':
      return '?';
    case 'path':
      return `${print(node.source, tightness.postfix)}.${node.property.name}`;
    case 'filter':
      return `${print(node.source, tightness.postfix)}[${printExpression(node.condition)}]`;
    case 'invocation':
      return `${print(node.callee, tightness.postfix)}(${printArguments(node.arguments)})`;
    case 'instance-of':
      return `${print(node.value, tightness.postfix)} instance of ${printType(node.type)}`;
    case 'context':
      return `{${node.entries.map(({ key, value }) => `${printKey(key.name)}: ${printExpression(value)}`).join(', ')}}`;
    case 'list':
      return `[${printList(node.items)}]`;
    case 'range':
      return printRange(node);
    case 'function':
      return printFunction(node);
    case 'if':
      return `if ${printExpression(node.condition)} then ${printExpression(node.consequent)} else ${printExpression(node.alternative)}`;
    case 'for':
      return `for ${printIterations(node.iterations)} return ${printExpression(node.body)}`;
    case 'quantified':
      return `${node.quantifier} ${printIterations(node.iterations)} satisfies ${printExpression(node.condition)}`;
    case 'arithmetic':
    case 'negation':
    case 'comparison':
    case 'between':
    case 'in':
    case 'conjunction':
    case 'disjunction':
    case 'equality-test':
      return printOperator(node);
  }
}

type Operator = Extract<
  Expression,
  {
    readonly kind:
      | 'arithmetic'
      | 'negation'
      | 'comparison'
      | 'between'
      | 'in'
      | 'conjunction'
      | 'disjunction'
      | 'equality-test';
  }
>;

/** What with `and` in between would be one name. */
const nameAroundAnd = /\b(?:date and time|days and time duration|years and months duration)\b/;

function joinedByAnd(left: string, right: string): string {
  const lastWord = /\w*$/.exec(left)?.[0] ?? '';
  return nameAroundAnd.test(`${lastWord} and ${right.slice(0, 20)}`)
    ? `${left} and (${right})`
    : `${left} and ${right}`;
}

function printOperator(node: Operator): string {
  const least = tightnessOf(node);
  switch (node.kind) {
    case 'arithmetic':
      return `${print(node.left, least)} ${node.operator} ${print(node.right, least + 1)}`;
    case 'comparison':
      return `${print(node.left, least)} ${node.operator} ${print(node.right, least + 1)}`;
    case 'between':
      return `${print(node.value, least)} between ${joinedByAnd(print(node.low, least + 1), print(node.high, least + 1))}`;
    case 'in': {
      const [test] = node.tests;
      const isBare =
        node.tests.length === 1 && test !== undefined && (isTest(test) || tightnessOf(test) > least);
      return `${print(node.value, least)} in ${isBare ? printExpression(test) : `(${printList(node.tests)})`}`;
    }
    case 'conjunction':
      return node.operands.map((operand) => print(operand, least + 1)).reduce(joinedByAnd);
    case 'disjunction':
      return node.operands.map((operand) => print(operand, least + 1)).join(' or ');
    case 'equality-test':
      return `${node.operator} ${print(node.operand, least + 1)}`;
    case 'negation': {
      const operand = print(node.operand, least);
      // What begins with digits would take the sign.
      return /^[\d.]/.test(operand) ? `-(${operand})` : `-${operand}`;
    }
  }
}

function printRange({ start, end, isStartIncluded, isEndIncluded }: RangeLiteral): string {
  if (start === null) return end === null ? '' : `${isEndIncluded ? '<=' : '<'} ${print(end, tightness.sum)}`;
  if (end === null) return `${isStartIncluded ? '>=' : '>'} ${print(start, tightness.sum)}`;
  const [open, close] = [isStartIncluded ? '[' : '(', isEndIncluded ? ']' : ')'];
  return `${open}${printExpression(start)} .. ${printExpression(end)}${close}`;
}

function printArguments(args: Arguments): string {
  return args.kind === 'positional'
    ? printList(args.values)
    : args.entries.map(({ name, value }) => `${name.name}: ${printExpression(value)}`).join(', ');
}

function printIterations(iterations: readonly Iteration[]): string {
  return iterations
    .map(({ variable, domain }) =>
      domain.kind === 'iteration-range'
        ? `${variable.name} in ${printExpression(domain.start)} .. ${printExpression(domain.end)}`
        : `${variable.name} in ${printExpression(domain)}`,
    )
    .join(', ');
}

function printFunction({ parameters, body }: FunctionDefinition): string {
  const list = parameters.map(({ name, type }) =>
    type === null ? name.name : `${name.name}: ${printType(type)}`,
  );
  return `function(${list.join(', ')}) ${printExpression(body)}`;
}

/** Without quotes where a key is made of words. */
function printKey(key: string): string {
  return /^\p{L}+(?: \p{L}+)*$/u.test(key) ? key : quote(key);
}

function quote(text: string): string {
  const escaped = text.replace(
    /["\\]|\p{Cc}/gu,
    (sign) => signs[sign] ?? `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `"${escaped}"`;
}

const signs: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\t': '\\t' };

export function printType(type: TypeExpression): string {
  switch (type.kind) {
    case 'named-type':
      return type.path.join('.');
    case 'list-type':
      return `list<${printType(type.element)}>`;
    case 'range-type':
      return `range<${printType(type.element)}>`;
    case 'context-type':
      return `context<${type.entries.map((entry) => `${entry.name.name}: ${printType(entry.type)}`).join(', ')}>`;
    case 'function-type':
      return `function<${type.parameters.map(printType).join(', ')}> -> ${printType(type.result)}`;
  }
}

/**
 * What is inside what, for tables of tests: `(+ a (* b 2))`. Names with spaces or signs stand between `'`; what a range
 * does not say is missing, `(..5]`.
 */
export function showExpression(node: Expression): string {
  switch (node.kind) {
    case 'name':
      return showName(node.name);
    case 'path':
      return `(. ${showExpression(node.source)} ${showName(node.property.name)})`;
    case 'filter':
      return show('filter', node.source, node.condition);
    case 'invocation':
      return node.arguments.kind === 'positional'
        ? show('call', node.callee, ...node.arguments.values)
        : `(call ${showExpression(node.callee)}${node.arguments.entries
            .map(({ name, value }) => ` ${showName(name.name)}: ${showExpression(value)}`)
            .join('')})`;
    case 'arithmetic':
    case 'comparison':
      return show(node.operator, node.left, node.right);
    case 'negation':
      return show('neg', node.operand);
    case 'between':
      return show('between', node.value, node.low, node.high);
    case 'in':
      return show('in', node.value, ...node.tests);
    case 'conjunction':
      return show('and', ...node.operands);
    case 'disjunction':
      return show('or', ...node.operands);
    case 'equality-test':
      return show(`test${node.operator}`, node.operand);
    case 'if':
      return show('if', node.condition, node.consequent, node.alternative);
    case 'for':
      return `(for ${showIterations(node.iterations)} ${showExpression(node.body)})`;
    case 'quantified':
      return `(${node.quantifier} ${showIterations(node.iterations)} ${showExpression(node.condition)})`;
    case 'context':
      return `{${node.entries.map(({ key, value }) => `${showName(key.name)}: ${showExpression(value)}`).join(' ')}}`;
    case 'list':
      return `[${node.items.map(showExpression).join(' ')}]`;
    case 'range': {
      const [start, end] = [node.start, node.end].map((side) => (side === null ? '' : showExpression(side)));
      return `${node.isStartIncluded ? '[' : '('}${start ?? ''}..${end ?? ''}${node.isEndIncluded ? ']' : ')'}`;
    }
    case 'function': {
      const parameters = node.parameters.map(
        ({ name, type }) => showName(name.name) + (type === null ? '' : `:${printType(type)}`),
      );
      return `(function (${parameters.join(' ')}) ${showExpression(node.body)})`;
    }
    case 'instance-of':
      return `(instance ${showExpression(node.value)} ${printType(node.type)})`;
    case 'number':
    case 'string':
    case 'boolean':
    case 'null':
    case 'at':
    case 'input':
      return printBare(node);
  }
}

export function showUnaryTests(tests: UnaryTests): string {
  return tests.kind === 'any' ? '-' : show(tests.isNegated ? 'not' : 'tests', ...tests.tests);
}

function show(what: string, ...nodes: readonly Expression[]): string {
  return `(${[what, ...nodes.map(showExpression)].join(' ')})`;
}

function showName(name: string): string {
  return /^[\p{L}\p{N}_]+$/u.test(name) ? name : `'${name}'`;
}

function showIterations(iterations: readonly Iteration[]): string {
  return iterations
    .map(({ variable, domain }) =>
      domain.kind === 'iteration-range'
        ? `(${showName(variable.name)} ${showExpression(domain.start)}..${showExpression(domain.end)})`
        : `(${showName(variable.name)} ${showExpression(domain)})`,
    )
    .join(' ');
}

/** Without the offsets, which a printed tree does not keep. */
export function withoutSpans(tree: unknown): unknown {
  if (Array.isArray(tree)) return tree.map(withoutSpans);
  if (typeof tree !== 'object' || tree === null) return tree;
  return Object.fromEntries(
    Object.entries(tree)
      .filter(([key]) => key !== 'from' && key !== 'to')
      .map(([key, value]): [string, unknown] => [key, withoutSpans(value)]),
  );
}
