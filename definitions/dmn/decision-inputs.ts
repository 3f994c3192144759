/** What decisions need from outside, also through others. */
import type { FeelType } from '../feel/compile/conformance.ts';
import type { Element, Link } from './requirement-graph.ts';
import type { ItemType } from './item-types.ts';

export interface NeededInput {
  readonly name: string;
  readonly type: FeelType;
}

/** Types of input data by name; a map: a context of what an imported model needs, by the name of the import. */
type InputTree = Map<string, ItemType | InputTree>;

/** Of elements one after the other, each after those that it refers to. */
export class InputCollector {
  readonly #trees = new Map<Element, InputTree>();

  /** @param links what the element is computed from; @param typeOf of input data */
  add(element: Element, links: readonly Link[], typeOf: (element: Element) => ItemType): void {
    const tree: InputTree = new Map();
    for (const { element: source, via } of links) {
      const own: InputTree =
        source.kind === 'input'
          ? new Map([[source.node.name, typeOf(source)]])
          : (this.#trees.get(source) ?? new Map<string, InputTree>());
      const importName = via?.name ?? '';
      merge(tree, importName === '' ? own : new Map([[importName, own]]));
    }
    this.#trees.set(element, tree);
  }

  inputsOf(element: Element): readonly NeededInput[] {
    const tree = this.#trees.get(element) ?? new Map<string, InputTree>();
    return [...tree].map(([name, found]) => ({ name, type: typeIn(found) }));
  }
}

function merge(tree: InputTree, other: InputTree): void {
  for (const [name, found] of other) {
    const known = tree.get(name);
    if (!(found instanceof Map)) tree.set(name, known ?? found);
    else if (known instanceof Map) merge(known, found);
    else {
      const copy: InputTree = new Map();
      merge(copy, found);
      tree.set(name, copy);
    }
  }
}

function typeIn(found: ItemType | InputTree): FeelType {
  if (!(found instanceof Map)) return found.feelType;
  return { kind: 'context', entries: new Map([...found].map(([name, inner]) => [name, typeIn(inner)])) };
}
