/** What the parser could not read, as a fault with a sentence that helps. */
import { SyntaxFault } from './check-text.ts';
import type { SyntaxNode, SyntaxTree } from './parse-nodes.ts';

/** @throws SyntaxFault for the first place where the text is no FEEL */
export function refuseErrors(text: string, tree: SyntaxTree): void {
  tree.iterate({
    enter(node) {
      if (node.type.isError) throw errorFault(text, node.node);
    },
  });
}

function errorFault(text: string, node: SyntaxNode): SyntaxFault {
  const rest = text.slice(node.from).trimStart();
  const parent = node.parent?.name ?? '';
  if (rest === '') {
    const hint = partHints[parent] ?? bracketHint(node);
    return new SyntaxFault(`the expression is not complete${hint}`, text.length);
  }
  const from = text.length - rest.length;
  return unexpected(text, from, node.to, partHints[parent] ?? rowHint(text.slice(0, from)));
}

/** The library gives up on a row of operators that is long, somewhere after so many. */
const LONG_ROW = 200;

function rowHint(before: string): string {
  const count = before.match(/\b(?:and|or|in)\b|[-+*/]/g)?.length ?? 0;
  return count > LONG_ROW
    ? "; where there are hundreds of operators in a row, divide them, or use 'in (…)'"
    : '';
}

/** For what stands from `from` to `to`; where that is nothing, for the word or sign at `from`. */
export function unexpected(text: string, from: number, to: number, hint = ''): SyntaxFault {
  const found = text.slice(from, to).trim() || (/^(?:[\p{L}\p{N}_]+|.)/u.exec(text.slice(from))?.[0] ?? '');
  const signHint = signHints.find(([start]) => text.startsWith(start, from))?.[1];
  return new SyntaxFault(`unexpected '${found.slice(0, 40)}'${signHint ?? hint}`, from);
}

/** Signs of other languages. */
const signHints: readonly (readonly [string, string])[] = [
  ['&&', "; FEEL writes 'and'"],
  ['||', "; FEEL writes 'or'"],
  ['==', "; FEEL writes '='"],
  ['<>', "; FEEL writes '!='"],
  ['=>', "; FEEL writes '>='"],
  ['=<', "; FEEL writes '<='"],
  ['!', "; FEEL writes 'not(…)'"],
  ['$', "; FEEL has no '${…}'"],
  ["'", '; FEEL quotes strings with "'],
  ['`', '; names are written without quotes'],
  ['%', "; FEEL writes 'modulo(…, …)'"],
  ['^', "; FEEL writes '**'"],
  ['? ', "; FEEL writes 'if … then … else …'"],
];

/** What the expressions that consist of several parts are made of, by the node that could not be ended. */
const partHints: Readonly<Record<string, string>> = {
  IfExpression: "; 'if' goes with 'then' and 'else'",
  ForExpression: "; 'for' goes with 'in' and 'return'",
  QuantifiedExpression: "; 'some' and 'every' go with 'in' and 'satisfies'",
  FunctionDefinition: "; a function is written 'function(a, b) …'",
  InExpression: "; an iteration is written '… in …'",
  PathExpression: '; a name follows the dot, or get value(…, "…") where it is a keyword',
  AtLiteral: '; a date or time is written @"…"',
};

const brackets: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
]);

/** Names the innermost bracket around the end of the text that is not closed. */
function bracketHint(node: SyntaxNode): string {
  for (let outer = node.parent; outer !== null; outer = outer.parent) {
    const [open] = [...brackets.keys()].filter((bracket) => outer.getChild(bracket) !== null);
    if (open !== undefined && outer.getChild(brackets.get(open) ?? '') === null)
      return `; a '${open}' is not closed`;
  }
  return '';
}
