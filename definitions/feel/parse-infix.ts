/**
 * Operators: what binds tighter, and to which side.
 *
 * The library reads what follows `in`, `<` and their like to the end: `a in b and c` as `a in (b and c)`. So its order is
 * not kept: the operands and operators of one expression without brackets are put in a row, and that row is read anew.
 *
 * O1 From loose to tight: or; and; comparisons, between, in; + -; * /; **; negation; instance of. Source: OMG DMN 1.5,
 *    10.3.1.2: the order of the alternatives is that of precedence, and all infix operators are left-associative.
 * O2 A comparison without a left side (`< 5`) stands where a comparison may, and takes sums: `< a + 1 and b`.
 */
import type {
  ArithmeticOperator,
  ComparisonOperator,
  EqualityTest,
  Expression,
  RangeLiteral,
  TypeExpression,
} from './ast.ts';
import { SyntaxFault } from './check-text.ts';
import { unexpected } from './parse-faults.ts';
import { childrenOf, type SyntaxNode } from './parse-nodes.ts';

/** Reads what is no operator. */
export interface OperandReader {
  readonly text: string;
  readonly operand: (node: SyntaxNode) => Expression;
  /** Reads what is as deep as an operand of the row: a test that follows `in`. */
  readonly inner: (node: SyntaxNode) => Expression;
  readonly type: (node: SyntaxNode) => TypeExpression;
}

/** What stands in a row. */
export type Item =
  | { readonly kind: 'operand'; readonly node: SyntaxNode }
  | { readonly kind: 'operator'; readonly sign: string; readonly node: SyntaxNode }
  /** What follows `in` in parentheses. */
  | { readonly kind: 'tests'; readonly node: SyntaxNode; readonly to: number }
  /** What follows `instance of`. */
  | { readonly kind: 'type'; readonly node: SyntaxNode };

/** The nodes that are parts of a row. */
const rowNodes: ReadonlySet<string> = new Set([
  'Disjunction',
  'Conjunction',
  'Comparison',
  'ArithmeticExpression',
  'InstanceOfExpression',
  'SimplePositiveUnaryTest',
  'PositiveUnaryTest',
]);
const operatorNodes: ReadonlySet<string> = new Set([
  'or',
  'and',
  'between',
  'in',
  'instance',
  'ArithOp',
  'CompareOp',
]);
/** Their meaning is in the nodes beside them. */
const silentNodes: ReadonlySet<string> = new Set(['of', '(', ')']);

/** These go on as far as they can, so nothing follows them in a row. */
const openEndedNodes: ReadonlySet<string> = new Set([
  'IfExpression',
  'ForExpression',
  'QuantifiedExpression',
  'FunctionDefinition',
]);

/** @param items those of the row. @throws SyntaxFault */
export function readInfix(reader: OperandReader, items: readonly Item[]): Expression {
  const [only] = items;
  // Most rows are one operand. The others take much of the stack.
  if (items.length === 1 && only?.kind === 'operand') return reader.operand(only.node);
  return new Row(reader, items).read();
}

/** Without recursion: a long sum is as deep as it is long. */
export function itemsOf(text: string, root: SyntaxNode): readonly Item[] {
  const items: Item[] = [];
  const pending = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const { name, from, to } = node;
    if (rowNodes.has(name)) pending.push(...childrenOf(node).toReversed());
    else if (operatorNodes.has(name)) items.push({ kind: 'operator', sign: text.slice(from, to), node });
    else if (name === 'PositiveUnaryTests')
      items.push({ kind: 'tests', node, to: node.nextSibling?.to ?? to });
    else if (name === 'Type') items.push({ kind: 'type', node });
    else if (!silentNodes.has(name)) items.push({ kind: 'operand', node });
  }
  return items;
}

const comparisonSigns: ReadonlySet<string> = new Set<ComparisonOperator>(['=', '!=', '<', '<=', '>', '>=']);

function isComparisonSign(sign: string | null): sign is ComparisonOperator {
  return sign !== null && comparisonSigns.has(sign);
}

/** What was meant, where a second comparison follows the first. */
const pairHints: Readonly<Record<string, string>> = {
  '==': "; FEEL writes '='",
  '<>': "; FEEL writes '!='",
  '=>': "; FEEL writes '>='",
  '=<': "; FEEL writes '<='",
};

class Row {
  readonly #reader: OperandReader;
  readonly #items: readonly Item[];
  #at = 0;

  constructor(reader: OperandReader, items: readonly Item[]) {
    this.#reader = reader;
    this.#items = items;
  }

  read(): Expression {
    const expression = this.#disjunction();
    const left = this.#items[this.#at];
    if (left !== undefined) throw this.#unexpected(left.node);
    return expression;
  }

  #disjunction(): Expression {
    return this.#chain('disjunction', 'or', () => this.#conjunction());
  }

  #conjunction(): Expression {
    return this.#chain('conjunction', 'and', () => this.#comparison());
  }

  #chain(kind: 'conjunction' | 'disjunction', sign: string, read: () => Expression): Expression {
    const first = read();
    let last = first;
    const operands = [first];
    while (this.#takes(sign)) {
      last = read();
      operands.push(last);
    }
    return operands.length === 1 ? first : { kind, operands, from: first.from, to: last.to };
  }

  #comparison(): Expression {
    let left = this.#test();
    while (true) {
      const { from } = left;
      const sign = this.#sign();
      if (isComparisonSign(sign)) {
        this.#at += 1;
        this.#refuseSecond(sign);
        const right = this.#sum();
        left = { kind: 'comparison', operator: sign, left, right, from, to: right.to };
      } else if (this.#takes('between')) {
        const low = this.#sum();
        this.#expectAnd();
        const high = this.#sum();
        left = { kind: 'between', value: left, low, high, from, to: high.to };
      } else if (this.#takes('in')) {
        const { tests, to } = this.#tests();
        left = { kind: 'in', value: left, tests, from, to };
      } else {
        return left;
      }
    }
  }

  #tests(): { readonly tests: readonly Expression[]; readonly to: number } {
    const item = this.#items[this.#at];
    if (item?.kind === 'tests') {
      this.#at += 1;
      const tests = childrenOf(item.node).filter(({ name }) => name === 'PositiveUnaryTest');
      return { tests: tests.map((test) => this.#reader.inner(test)), to: item.to };
    }
    const test = this.#test();
    return { tests: [test], to: test.to };
  }

  /** A sum, or a comparison without a left side (O2). */
  #test(): Expression {
    const item = this.#items[this.#at];
    const sign = this.#sign();
    if (item === undefined || !isComparisonSign(sign)) return this.#sum();
    this.#at += 1;
    return oneSided(sign, item.node.from, this.#sum());
  }

  #refuseSecond(first: ComparisonOperator): void {
    const item = this.#items[this.#at];
    const second = this.#sign();
    if (item === undefined || !isComparisonSign(second)) return;
    const hint = pairHints[`${first}${second}`] ?? '';
    throw new SyntaxFault(`unexpected '${second}' after a comparison${hint}`, item.node.from);
  }

  #expectAnd(): void {
    if (this.#takes('and')) return;
    const item = this.#items[this.#at];
    const { text } = this.#reader;
    const hint = "; 'between' goes with 'and'";
    if (item === undefined) throw new SyntaxFault(`the expression is not complete${hint}`, text.length);
    throw unexpected(text, item.node.from, item.node.to, hint);
  }

  #sum(): Expression {
    return this.#arithmetic(['+', '-'], () => this.#product());
  }

  #product(): Expression {
    return this.#arithmetic(['*', '/'], () => this.#power());
  }

  #power(): Expression {
    return this.#arithmetic(['**'], () => this.#negation());
  }

  #arithmetic(operators: readonly ArithmeticOperator[], read: () => Expression): Expression {
    let left = read();
    while (true) {
      const operator = operators.find((sign) => this.#takes(sign));
      if (operator === undefined) return left;
      const right = read();
      left = { kind: 'arithmetic', operator, left, right, from: left.from, to: right.to };
    }
  }

  #negation(): Expression {
    const signs: number[] = [];
    const isSign = (item: Item | undefined): item is Item => item?.kind === 'operator' && item.sign === '-';
    for (let item = this.#items[this.#at]; isSign(item); item = this.#items[this.#at]) {
      signs.push(item.node.from);
      this.#at += 1;
    }
    return signs.reduceRight<Expression>(
      (operand, from) => ({ kind: 'negation', operand, from, to: operand.to }),
      this.#instance(),
    );
  }

  #instance(): Expression {
    let value = this.#operand();
    while (this.#takes('instance')) {
      const item = this.#items[this.#at];
      if (item?.kind !== 'type') break;
      this.#at += 1;
      const { from } = value;
      value = { kind: 'instance-of', value, type: this.#reader.type(item.node), from, to: item.node.to };
    }
    return value;
  }

  #operand(): Expression {
    const item = this.#items[this.#at];
    const { text } = this.#reader;
    if (item === undefined) throw new SyntaxFault('the expression is not complete', text.length);
    if (item.kind !== 'operand') throw this.#unexpected(item.node);
    this.#at += 1;
    const next = this.#items[this.#at];
    if (next !== undefined && openEndedNodes.has(item.node.name)) {
      throw unexpected(text, next.node.from, next.node.to, '; put what is before it in parentheses');
    }
    return this.#reader.operand(item.node);
  }

  #unexpected({ from, to }: SyntaxNode): SyntaxFault {
    return unexpected(this.#reader.text, from, to);
  }

  /** The operator that is next, or null. */
  #sign(): string | null {
    const item = this.#items[this.#at];
    return item?.kind === 'operator' ? item.sign : null;
  }

  #takes(sign: string): boolean {
    if (this.#sign() !== sign) return false;
    this.#at += 1;
    return true;
  }
}

function oneSided(sign: ComparisonOperator, from: number, operand: Expression): RangeLiteral | EqualityTest {
  const { to } = operand;
  if (sign === '=' || sign === '!=') return { kind: 'equality-test', operator: sign, operand, from, to };
  const isIncluded = sign.endsWith('=');
  return sign.startsWith('<')
    ? {
        kind: 'range',
        start: null,
        end: operand,
        isStartIncluded: false,
        isEndIncluded: isIncluded,
        from,
        to,
      }
    : {
        kind: 'range',
        start: operand,
        end: null,
        isStartIncluded: isIncluded,
        isEndIncluded: false,
        from,
        to,
      };
}
