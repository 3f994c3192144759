/** What must hold of a text before it runs: that it is read, or refused with its place; and that a tree prints itself. */
import { isDeepStrictEqual } from 'node:util';
import { compileExpression, FeelSyntaxError, type CompiledExpression } from '../../../definitions/feel.ts';
import { childExpressions, type Expression, type UnaryTests } from '../../../definitions/feel/ast.ts';
import { SyntaxFault } from '../../../definitions/feel/check-text.ts';
import { parseExpression, parseUnaryTests } from '../../../definitions/feel/parse-expression.ts';
import { printExpression, printUnaryTests, withoutSpans } from '../../support/feel-print.ts';
import type { CallWatch } from '../call-watch.ts';
import { FuzzFailure } from '../fuzz-failure.ts';

/** Null: it is refused. */
export function checkCompileExpression(text: string, watch: CallWatch): CompiledExpression | null {
  let compiled: CompiledExpression;
  try {
    compiled = watch.time('compile', () => compileExpression(text));
  } catch (error) {
    if (!(error instanceof FeelSyntaxError)) throw error;
    checkPlace(error, text);
    return null;
  }
  checkSpans(compiled.tree, compiled.text.length);
  checkPrinted(compiled.tree, printExpression, parseExpression);
  return compiled;
}

/** Null: it is refused. */
export function checkParseTests(text: string, watch: CallWatch): UnaryTests | null {
  let tests: UnaryTests;
  try {
    tests = watch.time('parse tests', () => parseUnaryTests(text));
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error;
    const { offset, message } = error;
    if (!(offset >= 0 && offset <= text.length))
      throw new FuzzFailure('a fault is outside of the text', `at ${offset}`);
    checkMessage(message);
    return null;
  }
  if (tests.kind === 'tests') tests.tests.forEach((test) => checkSpans(test, text.length));
  checkPrinted(tests, printUnaryTests, parseUnaryTests);
  return tests;
}

function checkPlace({ line, column, message }: FeelSyntaxError, text: string): void {
  const lines = text.split(/\r\n|\r|\n/);
  const length = lines[line - 1]?.length;
  if (length === undefined || column < 1 || column > length + 1)
    throw new FuzzFailure('a syntax error is outside of the text', `${line}:${column}: ${message}`);
  checkMessage(message);
}

function checkMessage(message: string): void {
  if (!/^\S[^]*\S$/.test(message) || /undefined|\[object|NaN/.test(message.replace(/'[^]*?'/g, '')))
    throw new FuzzFailure('a message of a syntax error is no sentence', message);
}

function checkSpans(root: Expression, length: number): void {
  const pending = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const { from, to, kind } = node;
    if (!(from >= 0 && from < to && to <= length))
      throw new FuzzFailure('a node is outside of the text', `${kind} ${from}-${to} of ${length}`);
    for (const child of childExpressions(node)) {
      if (child.from < from || child.to > to)
        throw new FuzzFailure('a node is outside of the one around it', `${child.kind} in ${kind}`);
      pending.push(child);
    }
  }
}

/** Bounds that a printed tree may be over, which has more brackets and spaces. */
const BOUNDS = /deeper than|longer than|more than|too many|too often|hundreds of operators/;

function checkPrinted<Tree>(tree: Tree, print: (tree: Tree) => string, parse: (text: string) => Tree): void {
  const text = print(tree);
  let again: Tree;
  try {
    again = parse(text);
  } catch (error) {
    if (error instanceof SyntaxFault && BOUNDS.test(error.message)) return;
    if (error instanceof SyntaxFault)
      throw new FuzzFailure('a printed tree is refused', `${text}: ${error.message}`);
    throw error;
  }
  if (!isDeepStrictEqual(withoutSpans(again), withoutSpans(tree)))
    throw new FuzzFailure('a printed tree is read as another', text);
}
