/** The types of expressions, as far as their text tells: what the parser must know of the names inside of values. */
import type { Expression, Path } from '../feel/ast.ts';
import { givesTruth } from '../feel/compile/filter.ts';
import { anyItem, contextItem, listItem, type ItemType } from './item-types.ts';

type Names = ReadonlyMap<string, ItemType>;

const truth: ItemType = { ...anyItem, name: 'boolean', feelType: { kind: 'boolean' } };

/** `Any` where the text does not tell. All values are of the type, or null. */
export function inferredType(node: Expression, names: Names): ItemType {
  switch (node.kind) {
    case 'name':
      return names.get(node.name) ?? anyItem;
    case 'path':
      return typeOfPath(node, names);
    case 'filter':
      return namesOnly(inferredType(node.source, names));
    case 'invocation':
      return namesOnly(inferredType(node.callee, names));
    case 'context': {
      const entries = new Map<string, ItemType>();
      for (const { key, value } of node.entries)
        entries.set(key.name, inferredType(value, new Map([...names, ...entries])));
      return contextItem(entries);
    }
    case 'list':
      return listItem(commonItem(node.items.map((item) => inferredType(item, names))));
    case 'if':
      return commonItem([inferredType(node.consequent, names), inferredType(node.alternative, names)]);
    default:
      return givesTruth(node) ? truth : anyItem;
  }
}

function typeOfPath({ source, property }: Path, names: Names): ItemType {
  const type = inferredType(source, names);
  const { shape } = type;
  if (shape.kind === 'context') return shape.entries.get(property.name) ?? anyItem;
  if (shape.kind !== 'list' || shape.element.shape.kind !== 'context') return anyItem;
  return namesOnly(shape.element.shape.entries.get(property.name) ?? anyItem);
}

/** Of something that may be an element or a list, or what a function gives, no more is known than the names inside. */
export function namesOnly({ knownNames }: ItemType): ItemType {
  return knownNames === null ? anyItem : { ...anyItem, knownNames };
}

/** One that all values of the types are of. */
export function commonItem(types: readonly ItemType[]): ItemType {
  const [first = anyItem, ...others] = types;
  return others.every((type) => type === first) ? first : anyItem;
}
