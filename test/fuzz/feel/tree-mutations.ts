/** Parts of trees put in the places of others: what comes out is FEEL, and often means something. */
import type { Expression } from '../../../definitions/feel/ast.ts';
import { SyntaxFault } from '../../../definitions/feel/check-text.ts';
import { parseExpression, parseUnaryTests } from '../../../definitions/feel/parse-expression.ts';
import { printExpression } from '../../support/feel-print.ts';
import type { Random } from '../random.ts';

type Path = readonly (string | number)[];

/** Kinds of what has a kind and is no expression. */
const otherKinds: ReadonlySet<string> = new Set([
  ...['positional', 'named', 'iteration-range', 'named-type', 'list-type', 'range-type', 'context-type'],
  'function-type',
]);

/** Where there are expressions in a tree, itself among them. */
function pathsIn(tree: unknown, path: Path = [], found: Path[] = []): readonly Path[] {
  if (typeof tree !== 'object' || tree === null) return found;
  const kind: unknown = Reflect.get(tree, 'kind');
  if (typeof kind === 'string' && !otherKinds.has(kind)) found.push(path);
  const keys = Array.isArray(tree) ? tree.keys() : Object.keys(tree);
  for (const key of keys) pathsIn(Reflect.get(tree, key), [...path, key], found);
  return found;
}

function at(tree: unknown, path: Path): unknown {
  return path.reduce(
    (node, key) => (typeof node === 'object' && node !== null ? Reflect.get(node, key) : undefined),
    tree,
  );
}

function withPart(tree: unknown, [key, ...rest]: Path, part: unknown): unknown {
  if (key === undefined || typeof tree !== 'object' || tree === null) return part;
  const changed = withPart(Reflect.get(tree, key), rest, part);
  if (Array.isArray(tree)) return tree.map((item: unknown, index) => (index === key ? changed : item));
  return { ...tree, [key]: changed };
}

/** Expressions of a text, whichever way it can be read. None: it cannot. */
function treesOf(text: string): readonly Expression[] {
  for (const read of [
    () => [parseExpression(text)],
    () => {
      const tests = parseUnaryTests(text);
      return tests.kind === 'any' ? [] : tests.tests;
    },
  ]) {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof SyntaxFault)) throw error;
    }
  }
  return [];
}

/** One or more parts of `text` become parts of others. Null: it cannot be read. */
export function spliceTrees(text: string, random: Random, other: () => string): string | null {
  const trees = treesOf(text);
  if (trees.length === 0) return null;
  let tree = random.pick(trees);
  for (let left = random.between(1, 3); left > 0; left -= 1) {
    const donors = random.chance(0.3) ? [tree] : treesOf(other());
    if (donors.length === 0) continue;
    const donor = random.pick(donors);
    const part = at(donor, random.pick(pathsIn(donor)));
    // A tree with an expression in the place of one is a tree.
    tree = withPart(tree, random.pick(pathsIn(tree)), part) as Expression;
  }
  return printExpression(tree);
}
