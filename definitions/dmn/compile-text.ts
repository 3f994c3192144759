/**
 * FEEL texts of a model: expressions and unary tests, each with its place.
 *
 * T1 A text that cannot be read is reported where it stands, and is null.
 * T2 A warning is about the text that is evaluated (feel/compile/evaluation.ts, V4).
 */
import type { Expression, UnaryTests } from '../feel/ast.ts';
import { SyntaxFault } from '../feel/check-text.ts';
import { constantOf } from '../feel/compile/constants.ts';
import { heightOf, heightOfAll, unitsOf } from '../feel/compile/cost.ts';
import type { Code, PlacedText } from '../feel/compile/evaluation.ts';
import { freeNamesOf } from '../feel/compile/free-names.ts';
import type { Test } from '../feel/compile/tests.ts';
import { compileUnaryTests } from '../feel/compile/unary-tests.ts';
import { nearestName } from '../nearest-name.ts';
import { parseExpression, parseUnaryTests } from '../feel/parse-expression.ts';
import { quoteText } from '../../config/quote-text.ts';
import type { BoxedScope, Compiled } from './compile-scope.ts';
import { fail } from './decision-run.ts';
import { inferredType } from './inferred-type.ts';
import { anyItem, type ItemType } from './item-types.ts';
import type { SourceText } from './model.ts';

/** What a text takes of the stack besides its tree. */
const TEXT_HEIGHT = 1;

export function compileText(source: SourceText, scope: BoxedScope): Compiled {
  const tree = readExpression(source, scope);
  if (tree === null)
    return { code: (frame) => unreadable(source, frame), type: anyItem, height: TEXT_HEIGHT };
  const type = inferredType(tree, scope.names);
  const height = TEXT_HEIGHT + heightOf(tree);
  const constant = constantOf(tree);
  if (constant !== undefined) return { code: () => constant, type, height };
  return { code: inText(source, unitsOf(tree), scope.scope.compile(tree)), type, height };
}

function unreadable(source: SourceText, frame: Parameters<Code>[0]): null {
  return fail(frame, 'SUTRA.FEEL.SYNTAX_INVALID', source.placeAt(0), 'the expression cannot be read');
}

/** Evaluates something of another text. @param units what that costs, each time */
export function inText(text: PlacedText, units: number, code: Code): Code {
  return (frame) => {
    const { run } = frame;
    const outer = run.text;
    run.meter.spend(units);
    run.text = text;
    const value = code(frame);
    run.text = outer;
    return value;
  };
}

/** Unary tests that can be run. */
export interface CompiledTests {
  readonly tree: UnaryTests;
  readonly test: Test;
  readonly units: number;
  readonly height: number;
}

/** Null: they cannot be read. @param input what is tested */
export function compileTestText(
  source: SourceText,
  input: ItemType,
  scope: BoxedScope,
): CompiledTests | null {
  const tree = readTests(source, input, scope);
  if (tree === null) return null;
  const nodes = tree.kind === 'any' ? [] : tree.tests;
  const test = compileUnaryTests(tree, scope.scope);
  return {
    tree,
    test: testInText(source, test),
    units: nodes.reduce((total, node) => total + unitsOf(node), 1),
    height: TEXT_HEIGHT + heightOfAll(nodes),
  };
}

/** Each of the tests by itself. */
export function compileEachTest(
  { tree }: CompiledTests,
  source: SourceText,
  scope: BoxedScope,
): readonly Test[] {
  if (tree.kind === 'any') return [];
  const parts = tree.isNegated ? [tree] : tree.tests.map((node) => ({ ...tree, tests: [node] }));
  return parts.map((part) => testInText(source, compileUnaryTests(part, scope.scope)));
}

function testInText(text: PlacedText, test: Test): Test {
  return (frame, value) => {
    const { run } = frame;
    const outer = run.text;
    run.text = text;
    const isPassed = test(frame, value);
    run.text = outer;
    return isPassed;
  };
}

function readExpression(source: SourceText, scope: BoxedScope): Expression | null {
  const { expressions } = scope.trees;
  const known = expressions.get(source.text);
  const tree = known ?? read(source, scope, parseExpression);
  expressions.set(source.text, tree);
  if (tree !== null) check(source, tree, null, scope);
  return tree;
}

function readTests(source: SourceText, input: ItemType, scope: BoxedScope): UnaryTests | null {
  const { tests } = scope.trees;
  const known = tests.get(source.text);
  const tree = known ?? read(source, scope, parseUnaryTests);
  tests.set(source.text, tree);
  if (tree !== null) check(source, tree, input, scope);
  return tree;
}

/** No letters outside of strings: no names, whatever is known. */
const nameless = /^(?:"(?:\\[^]|[^"\\])*"|[^"\p{L}_])*$/u;
const noNames = { knownNames: new Map<string, null>() };

/** Null: it was reported. */
function read<T>(
  source: SourceText,
  scope: BoxedScope,
  parse: (text: string, options: { readonly knownNames: BoxedScope['knownNames'] }) => T,
): T | null {
  try {
    return parse(source.text, nameless.test(source.text) ? noNames : { knownNames: scope.knownNames });
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error;
    scope.error('SUTRA.FEEL.SYNTAX_INVALID', source.placeAt(error.offset), error.message);
    return null;
  }
}

/** Reports names that nothing has. */
function check(
  source: SourceText,
  tree: Expression | UnaryTests,
  input: ItemType | null,
  scope: BoxedScope,
): void {
  const { names, isInFilter, compilation } = scope;
  compilation.onText({ source, tree, names, input, isInFilter });
  if (isInFilter) return;
  for (const { name, from, mayBeProperty } of freeNamesOf(tree)) {
    const isKnown = names.has(name) || compilation.builtins.has(name);
    if (isKnown || mayBeProperty || scope.reported.has(name)) continue;
    scope.reported.add(name);
    scope.error('SUTRA.FEEL.NAME_UNKNOWN', source.placeAt(from), unknownName(name, scope));
  }
}

function unknownName(name: string, { names }: BoxedScope): string {
  const near = nearestName(name, names.keys());
  const hint = near === null ? '' : `; did you mean ${quoteText(near)}?`;
  return `nothing that is required or declared here has the name ${quoteText(name)}${hint}`;
}
