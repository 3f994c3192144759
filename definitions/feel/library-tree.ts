/**
 * Syntax trees that the parser of the library makes, and what is wrong with one.
 *
 * The tree is made without any variable known, so the meaning of a text never depends on data:
 * A1 Words separated by spaces are one name (`order total`); `- + * /` are always operators.
 * A2 A key with such signs is read by `get value(payload, "a-b")`.
 */
import { parser, trackVariables, VariableContext } from 'lezer-feel';
import { SyntaxFault } from './check-text.ts';

export type Tree = ReturnType<typeof parser.parse>;
export type SyntaxNode = Tree['topNode'];

/** Deeper nesting is refused, so that evaluation cannot exhaust the stack. */
export const MAX_EXPRESSION_DEPTH = 150;

/** Nodes of contexts that the parser may look at: it has a tenth of a second for them. */
const MAX_MERGED_NODES = 200_000;

/** @throws SyntaxFault when the parser would have to know too much of what contexts hold */
export function parseTree(text: string, knownNames: Readonly<Record<string, unknown>>): Tree {
  const contextTracker = trackVariables(knownNames, countingContext());
  return parser.configure({ top: 'Expression', contextTracker }).parse(text);
}

/**
 * The parser follows which contexts hold which, for the sake of their names, and merges those that one value may be.
 * A context that is in another twice is merged twice, and so on inside: that is counted, and ends.
 */
function countingContext(): typeof VariableContext {
  let nodesLeft = MAX_MERGED_NODES;
  return class extends VariableContext {
    static override of(...values: unknown[]): VariableContext {
      const pending = [...values];
      while (pending.length > 0) {
        const next = pending.pop();
        if (typeof next !== 'object' || next === null) continue;
        const items: unknown[] = Object.values(
          next instanceof VariableContext ? (next.value as object) : next,
        );
        nodesLeft -= 1 + items.length;
        if (nodesLeft < 0)
          throw new SyntaxFault(
            'the contexts in this expression have too many keys, or hold each other too often',
            0,
          );
        pending.push(...items);
      }
      return super.of(...values);
    }
  };
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

export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (!child.type.isSkipped) children.push(child);
  }
  return children;
}

/** Refuses the parser's error nodes, and nesting beyond the bound, without recursion. Counts iterations and names. */
export function checkShape(
  text: string,
  tree: Tree,
): { readonly iterationCount: number; readonly nameCount: number } {
  let depth = 0;
  let iterationCount = 0;
  const names = new Set<string>();
  tree.iterate({
    enter(node) {
      if (node.type.isError) throw errorNodeFault(text, node.node);
      depth += 1;
      if (node.name === 'IterationContext') iterationCount += 1;
      if (nameNodes.has(node.name)) names.add(text.slice(node.from, node.to));
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
  return { iterationCount, nameCount: names.size };
}

const nameNodes: ReadonlySet<string> = new Set(['VariableName', 'Name', 'Key']);

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
