/**
 * What a decision or a function sees of other elements: what it requires, by name.
 *
 * V1 What comes from another model is in a context by the name of the import; where that is empty, as it is.
 *    Source: DMN 1.3, 6.3.3.
 */
import type { FeelContext, FeelValue } from '../feel/runtime.ts';
import { contextItem, type ItemType } from './item-types.ts';
import type { Element, Link } from './requirement-graph.ts';

/** What is required, by name. */
export type Visible = ReadonlyMap<string, Link | readonly Link[]>;

/** A list: a context of these. */
export function visibleBy(links: readonly Link[]): Visible {
  const visible = new Map<string, Link | Link[]>();
  for (const link of links) {
    const importName = link.via?.name ?? '';
    if (importName === '') {
      for (const name of namesOf(link.element)) visible.set(name, link);
      continue;
    }
    const known = visible.get(importName);
    if (known !== undefined && 'push' in known) known.push(link);
    else visible.set(importName, [link]);
  }
  return visible;
}

/** An element is known by its name, and its variable's where that is another one. */
function namesOf({ node }: Element): ReadonlySet<string> {
  return new Set([node.variable.name, node.name]);
}

export function typesOf(
  visible: Visible,
  typeOf: (element: Element) => ItemType,
): ReadonlyMap<string, ItemType> {
  return new Map(
    [...visible].map(([name, found]) => {
      if ('element' in found) return [name, typeOf(found.element)];
      const entries = found.map(({ element }) => [element.node.name, typeOf(element)] as const);
      return [name, contextItem(new Map(entries))];
    }),
  );
}

/** Undefined: nothing of that name is visible. */
export function valueIn(
  visible: Visible,
  name: string,
  valueOf: (link: Link) => FeelValue,
): FeelValue | undefined {
  const found = visible.get(name);
  if (found === undefined) return undefined;
  if ('element' in found) return valueOf(found);
  const context: FeelContext = Object.fromEntries(
    found.map((link) => [link.element.node.name, valueOf(link)]),
  );
  return context;
}
