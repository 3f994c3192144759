/**
 * Which nodes of a graph reach each other.
 *
 * Source: R. Tarjan, Depth-first search and linear graph algorithms, 1972; without recursion, since paths may be long.
 */

interface State<Node> {
  readonly node: Node;
  readonly targets: readonly Node[];
  next: number;
  readonly index: number;
  /** The lowest index that is known to be reached. */
  low: number;
}

/** The components, each after those that it reaches. A node that is in no cycle is one by itself. */
export function strongComponents<Node>(
  nodes: readonly Node[],
  targetsOf: (node: Node) => readonly Node[],
): readonly (readonly Node[])[] {
  const components: Node[][] = [];
  const states = new Map<Node, State<Node>>();
  const open = new Set<Node>();
  const opened: Node[] = [];
  const path: State<Node>[] = [];

  const enter = (node: Node): void => {
    const state: State<Node> = {
      node,
      targets: targetsOf(node),
      next: 0,
      index: states.size,
      low: states.size,
    };
    states.set(node, state);
    open.add(node);
    opened.push(node);
    path.push(state);
  };

  const closeUpTo = (node: Node): Node[] => {
    const component = opened.splice(opened.lastIndexOf(node));
    for (const member of component) open.delete(member);
    return component;
  };

  for (const root of nodes) {
    if (!states.has(root)) enter(root);
    for (let state = path.at(-1); state !== undefined; state = path.at(-1)) {
      const target = state.targets[state.next];
      if (state.next < state.targets.length && target !== undefined) {
        state.next += 1;
        const known = states.get(target);
        if (known === undefined) enter(target);
        else if (open.has(target)) state.low = Math.min(state.low, known.index);
        continue;
      }
      path.pop();
      const outer = path.at(-1);
      if (outer !== undefined) outer.low = Math.min(outer.low, state.low);
      if (state.low === state.index) components.push(closeUpTo(state.node));
    }
  }
  return components;
}
