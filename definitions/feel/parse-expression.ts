/**
 * FEEL text to a syntax tree (ast.ts), read with the grammar of `lezer-feel`.
 *
 * P1 What is read depends on the text and on `knownNames` alone (W4 of parse-names.ts).
 * P2 A text is refused by a SyntaxFault with an offset, and by nothing else. Length, brackets and words are counted before
 *    the parser runs (check-text.ts), depth before anything walks the tree.
 *    The library goes through its own tree by recursion, a thousand levels in the worst of texts: where there is not enough
 *    of the stack left for that, it is a fault too (`withinStack`).
 * P3 Where the library reads a text otherwise than the standard, the standard holds: white space and types of ranges
 *    (parse-text.ts), precedence (parse-infix.ts).
 */
import { parser } from 'lezer-feel';
import { childExpressions, type Arguments, type Expression, type UnaryTests } from './ast.ts';
import { checkText, SyntaxFault } from './check-text.ts';
import { refuseErrors, unexpected } from './parse-faults.ts';
import { parseToFirstFault } from './parse-first-fault.ts';
import { isSpecialName, NameReader, Words, type KnownNames } from './parse-names.ts';
import { childAt, type SyntaxNode, type SyntaxTree } from './parse-nodes.ts';
import { createNameTracker, plainTracker } from './parse-scope.ts';
import { prepareText } from './parse-text.ts';
import { MAX_EXPRESSION_DEPTH, tooDeep, TreeReader } from './parse-tree.ts';

export type { KnownNames } from './parse-names.ts';
export { MAX_EXPRESSION_DEPTH } from './parse-tree.ts';

export interface ParseOptions {
  /**
   * Names that may hold `- + * / .` or keywords. Without them only those that the text declares may.
   * Default: none. A name more than the expression needs costs little, and may change how it is read: with `a-b`, that
   * is no difference any more.
   */
  readonly knownNames?: Iterable<string> | KnownNames;
}

type Top = 'Expression' | 'UnaryTests';

/** Reads an expression. A leading `=` is not part of one. @throws SyntaxFault */
export function parseExpression(text: string, options: ParseOptions = {}): Expression {
  return withinStack(() => {
    const { root, reader } = parse(text, 'Expression', options);
    return withinDepth(reader.expression(childAt(root, 0)));
  });
}

/** Reads unary tests: an input entry of a decision table, or allowed values. @throws SyntaxFault */
export function parseUnaryTests(text: string, options: ParseOptions = {}): UnaryTests {
  return withinStack(() => {
    const { root, reader } = parse(text, 'UnaryTests', options);
    const tests = reader.unaryTests(root);
    if (tests.kind === 'tests') tests.tests.forEach(withinDepth);
    return tests;
  });
}

/** Reads expressions with commas between them; one or more. @throws SyntaxFault */
export function parseExpressionList(text: string, options: ParseOptions = {}): readonly Expression[] {
  return withinStack(() => {
    const { root, reader } = parse(text, 'UnaryTests', options);
    const tests = reader.unaryTests(root);
    if (tests.kind === 'any') throw unexpected(text, tests.from, tests.to);
    if (!tests.isNegated) return tests.tests.map(withinDepth);
    // What negates tests is a call of a function in an expression.
    const { from, to } = childAt(root, 0);
    const callee: Expression = { kind: 'name', name: 'not', from, to };
    const args: Arguments = { kind: 'positional', values: tests.tests };
    return [withinDepth({ kind: 'invocation', callee, arguments: args, from, to: tests.to })];
  });
}

/** @throws SyntaxFault also where the stack does not last */
function withinStack<Tree>(read: () => Tree): Tree {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError && /call stack/.test(error.message))
      throw new SyntaxFault('the expression is nested too deep to be read', 0);
    throw error;
  }
}

interface Parsed {
  readonly root: SyntaxNode;
  readonly reader: TreeReader;
}

function parse(text: string, top: Top, { knownNames = [] }: ParseOptions): Parsed {
  if (text.trim() === '') throw new SyntaxFault('the expression is empty', 0);
  checkText(text);
  const prepared = prepareText(text);
  const known = namesOf(knownNames);
  const words = new Words(prepared.text);
  const names = new NameReader(prepared, words, known);
  const parseWithNames = (): SyntaxTree => {
    const contextTracker = createNameTracker(words, known);
    return parseToFirstFault(parser.configure({ top, contextTracker }), prepared.text);
  };
  let tree = names.hasSpecialNames ? parseWithNames() : parseToFirstFault(plainParsers[top], prepared.text);
  if (!names.hasSpecialNames && declaresSpecialNames(prepared.text, tree)) tree = parseWithNames();
  refuseErrors(text, tree);
  return { root: tree.topNode, reader: new TreeReader(prepared, names) };
}

const plainParsers = {
  Expression: parser.configure({ top: 'Expression', contextTracker: plainTracker }),
  UnaryTests: parser.configure({ top: 'UnaryTests', contextTracker: plainTracker }),
} satisfies Record<Top, typeof parser>;

function namesOf(knownNames: Iterable<string> | KnownNames): KnownNames {
  return isKnownNames(knownNames) ? knownNames : new Map([...knownNames].map((name) => [name, null]));
}

function isKnownNames(names: Iterable<string> | KnownNames): names is KnownNames {
  return names instanceof Map;
}

/** Whether the text itself makes a name known that must be (W2 of parse-names.ts): it is read again then. */
function declaresSpecialNames(text: string, tree: SyntaxTree): boolean {
  let isFound = false;
  tree.iterate({
    enter({ name, from, to, node }) {
      if (name === 'Name') isFound ||= isSpecialName(text.slice(from, to));
      if (name === 'StringLiteral' && node.parent?.name === 'Key')
        isFound ||= isSpecialName(text.slice(from + 1, to - 1));
      return !isFound;
    },
  });
  return isFound;
}

/** @throws SyntaxFault for the first node that is too deep */
function withinDepth(root: Expression): Expression {
  const pending: (readonly [Expression, number])[] = [[root, 1]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [node, depth] = next;
    if (depth > MAX_EXPRESSION_DEPTH) throw tooDeep(node.from);
    for (const child of childExpressions(node)) pending.push([child, depth + 1]);
  }
  return root;
}
