/** The library's tree: its types, which it does not export, and what it lacks. */
import type { parser } from 'lezer-feel';

export type SyntaxTree = ReturnType<typeof parser.parse>;
export type SyntaxNode = SyntaxTree['topNode'];

/** All children, also signs and keywords. */
export function childrenOf(node: SyntaxNode): readonly SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
}

export function childrenNamed(node: SyntaxNode, name: string): readonly SyntaxNode[] {
  return childrenOf(node).filter((child) => child.name === name);
}

/** The first child of that name, which the grammar promises. @throws TypeError when it has changed */
export function childNamed(node: SyntaxNode, name: string): SyntaxNode {
  const child = node.getChild(name);
  if (child === null) throw new TypeError(`the grammar of lezer-feel gives ${node.name} without ${name}`);
  return child;
}

/** The child at `index`, which the grammar promises; from the end when it is negative. @throws TypeError */
export function childAt(node: SyntaxNode, index: number): SyntaxNode {
  const child = childrenOf(node).at(index);
  if (child === undefined)
    throw new TypeError(`the grammar of lezer-feel gives ${node.name} without child ${index}`);
  return child;
}
