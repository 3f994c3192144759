/**
 * The syntax tree of FEEL expressions and unary tests: what `parse-expression.ts` makes of a text.
 *
 * S1 A tree holds no value that was computed: a number is its text, a name is a name, whatever it stands for.
 *    A built-in function's name is a name like any other, also `date and time`.
 * S2 Parentheses leave no node behind; they count to the span of what is inside.
 * S3 At most MAX_EXPRESSION_DEPTH (parse-tree.ts) nodes inside each other, so a walk may be recursive.
 * Source: OMG DMN 1.5, 10.3.1.2 (grammar rules) and 10.3.1.3.
 */

/** Offsets into the text that was parsed; `to` is behind the last character. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A name that something is declared or chosen by: a variable, a parameter, a key, a property. */
export interface Identifier extends Span {
  /** Words with one space between them, `Monthly Salary`; as it is declared, where it is written otherwise (parse-names.ts). */
  readonly name: string;
}

export interface NumberLiteral extends Span {
  readonly kind: 'number';
  /** As written, with its sign and without spaces: `-1.50`, `.5`, `1e3`. */
  readonly text: string;
}

export interface StringLiteral extends Span {
  readonly kind: 'string';
  /** With its escapes undone. */
  readonly value: string;
}

export interface BooleanLiteral extends Span {
  readonly kind: 'boolean';
  readonly value: boolean;
}

export interface NullLiteral extends Span {
  readonly kind: 'null';
}

/** `@"2026-03-01"`. */
export interface AtLiteral extends Span {
  readonly kind: 'at';
  readonly text: string;
}

export interface NameReference extends Span, Identifier {
  readonly kind: 'name';
}

/** `?`: the value that unary tests are about. */
export interface InputValue extends Span {
  readonly kind: 'input';
}

/** `source.property`. */
export interface Path extends Span {
  readonly kind: 'path';
  readonly source: Expression;
  readonly property: Identifier;
}

/** `source[condition]`: by a condition or by an index, which only its value tells. */
export interface Filter extends Span {
  readonly kind: 'filter';
  readonly source: Expression;
  readonly condition: Expression;
}

export interface NamedArgument {
  readonly name: Identifier;
  readonly value: Expression;
}

export type Arguments =
  | { readonly kind: 'positional'; readonly values: readonly Expression[] }
  | { readonly kind: 'named'; readonly entries: readonly NamedArgument[] };

/** `callee(arguments)`. Without arguments they are positional. */
export interface Invocation extends Span {
  readonly kind: 'invocation';
  readonly callee: Expression;
  readonly arguments: Arguments;
}

export type ArithmeticOperator = '+' | '-' | '*' | '/' | '**';

/** Left-associative all, also `**`. */
export interface Arithmetic extends Span {
  readonly kind: 'arithmetic';
  readonly operator: ArithmeticOperator;
  readonly left: Expression;
  readonly right: Expression;
}

/** `-operand`; of a number without parentheses it is the number's sign. Binds tighter than `**`. */
export interface Negation extends Span {
  readonly kind: 'negation';
  readonly operand: Expression;
}

export type OrderOperator = '<' | '<=' | '>' | '>=';
export type EqualityOperator = '=' | '!=';
export type ComparisonOperator = EqualityOperator | OrderOperator;

/** Left-associative: `a = b = c` compares a truth value with `c`. */
export interface Comparison extends Span {
  readonly kind: 'comparison';
  readonly operator: ComparisonOperator;
  readonly left: Expression;
  readonly right: Expression;
}

/** `value between low and high`. */
export interface Between extends Span {
  readonly kind: 'between';
  readonly value: Expression;
  readonly low: Expression;
  readonly high: Expression;
}

/** `value in test` and `value in (test, test)`. */
export interface In extends Span {
  readonly kind: 'in';
  readonly value: Expression;
  /** One or more. */
  readonly tests: readonly Expression[];
}

/** `and`. */
export interface Conjunction extends Span {
  readonly kind: 'conjunction';
  /** Two or more: `a and b and c` is one node, `a and (b and c)` two. */
  readonly operands: readonly Expression[];
}

/** `or`. */
export interface Disjunction extends Span {
  readonly kind: 'disjunction';
  /** Two or more, as in a conjunction. */
  readonly operands: readonly Expression[];
}

export interface If extends Span {
  readonly kind: 'if';
  readonly condition: Expression;
  readonly consequent: Expression;
  readonly alternative: Expression;
}

/** `start..end` of an iteration: up or down, both ends included. */
export interface IterationRange extends Span {
  readonly kind: 'iteration-range';
  readonly start: Expression;
  readonly end: Expression;
}

/** `variable in domain`; it sees the variables before it. */
export interface Iteration {
  readonly variable: Identifier;
  readonly domain: Expression | IterationRange;
}

/** `for … return …`. */
export interface For extends Span {
  readonly kind: 'for';
  /** One or more. */
  readonly iterations: readonly Iteration[];
  readonly body: Expression;
}

/** `some … satisfies …` and `every … satisfies …`. */
export interface Quantified extends Span {
  readonly kind: 'quantified';
  readonly quantifier: 'some' | 'every';
  /** One or more. */
  readonly iterations: readonly Iteration[];
  readonly condition: Expression;
}

export interface ContextEntry {
  /** A string's text with its escapes undone, or a name. */
  readonly key: Identifier;
  readonly value: Expression;
}

/** `{key: value}`. A key may be there twice. */
export interface ContextLiteral extends Span {
  readonly kind: 'context';
  readonly entries: readonly ContextEntry[];
}

export interface ListLiteral extends Span {
  readonly kind: 'list';
  readonly items: readonly Expression[];
}

/** `[1..5]`, `(1..5)`, `]1..5[` and `< 5`, `>= 5`. */
export interface RangeLiteral extends Span {
  readonly kind: 'range';
  /** Null where nothing is written: `< 5` has no start, while that of `[null..5]` is the literal null. */
  readonly start: Expression | null;
  readonly end: Expression | null;
  /** False where there is no such end. */
  readonly isStartIncluded: boolean;
  readonly isEndIncluded: boolean;
}

/** `= 5` and `!= 5` without anything before. */
export interface EqualityTest extends Span {
  readonly kind: 'equality-test';
  readonly operator: EqualityOperator;
  readonly operand: Expression;
}

export interface FormalParameter {
  readonly name: Identifier;
  readonly type: TypeExpression | null;
}

/** `function(a, b: number) body`. */
export interface FunctionDefinition extends Span {
  readonly kind: 'function';
  readonly parameters: readonly FormalParameter[];
  readonly body: Expression;
}

/** `value instance of type`. */
export interface InstanceOf extends Span {
  readonly kind: 'instance-of';
  readonly value: Expression;
  readonly type: TypeExpression;
}

export type Expression =
  | NumberLiteral
  | StringLiteral
  | BooleanLiteral
  | NullLiteral
  | AtLiteral
  | NameReference
  | InputValue
  | Path
  | Filter
  | Invocation
  | Arithmetic
  | Negation
  | Comparison
  | Between
  | In
  | Conjunction
  | Disjunction
  | If
  | For
  | Quantified
  | ContextLiteral
  | ListLiteral
  | RangeLiteral
  | EqualityTest
  | FunctionDefinition
  | InstanceOf;

/** `number`, `days and time duration`, `tLoan.rate`; also `list` and `context` that say nothing of what is inside. */
export interface NamedType extends Span {
  readonly kind: 'named-type';
  /** One or more; the names that dots divide. */
  readonly path: readonly string[];
}

export interface ListType extends Span {
  readonly kind: 'list-type';
  readonly element: TypeExpression;
}

export interface RangeType extends Span {
  readonly kind: 'range-type';
  readonly element: TypeExpression;
}

export interface ContextType extends Span {
  readonly kind: 'context-type';
  /** One or more. */
  readonly entries: readonly { readonly name: Identifier; readonly type: TypeExpression }[];
}

export interface FunctionType extends Span {
  readonly kind: 'function-type';
  readonly parameters: readonly TypeExpression[];
  readonly result: TypeExpression;
}

/** What follows `instance of`, and the colon of a formal parameter. */
export type TypeExpression = NamedType | ListType | RangeType | ContextType | FunctionType;

/** `-`: every value passes. */
export interface AnyTest extends Span {
  readonly kind: 'any';
}

/** `test, test` and `not(test, test)`. */
export interface TestList extends Span {
  readonly kind: 'tests';
  readonly isNegated: boolean;
  /** One or more. */
  readonly tests: readonly Expression[];
}

export type UnaryTests = AnyTest | TestList;

/** The expressions directly inside of one, in the order of the text. */
export function childExpressions(node: Expression): readonly Expression[] {
  switch (node.kind) {
    case 'number':
    case 'string':
    case 'boolean':
    case 'null':
    case 'at':
    case 'name':
    case 'input':
      return [];
    case 'path':
      return [node.source];
    case 'filter':
      return [node.source, node.condition];
    case 'invocation':
      return [node.callee, ...argumentValues(node.arguments)];
    case 'arithmetic':
    case 'comparison':
      return [node.left, node.right];
    case 'negation':
    case 'equality-test':
      return [node.operand];
    case 'between':
      return [node.value, node.low, node.high];
    case 'in':
      return [node.value, ...node.tests];
    case 'conjunction':
    case 'disjunction':
      return node.operands;
    case 'if':
      return [node.condition, node.consequent, node.alternative];
    case 'for':
      return [...domainExpressions(node.iterations), node.body];
    case 'quantified':
      return [...domainExpressions(node.iterations), node.condition];
    case 'context':
      return node.entries.map(({ value }) => value);
    case 'list':
      return node.items;
    case 'range':
      return [node.start, node.end].filter((end) => end !== null);
    case 'function':
      return [node.body];
    case 'instance-of':
      return [node.value];
  }
}

/** In the order of the text, whether they are named or not. */
export function argumentValues(args: Arguments): readonly Expression[] {
  return args.kind === 'positional' ? args.values : args.entries.map(({ value }) => value);
}

function domainExpressions(iterations: readonly Iteration[]): readonly Expression[] {
  return iterations.flatMap(({ domain }) =>
    domain.kind === 'iteration-range' ? [domain.start, domain.end] : [domain],
  );
}
