/**
 * The types of decision models: those of FEEL, narrowed by allowed values.
 *
 * I1 A type may be in itself, as that of a tree is: then so are `feelType`, `knownNames` and `shape`. Nobody goes through
 *    one without a value that ends it, or without keeping where it has been.
 * I2 A type that stands for another has its `feelType`, `shape` and `knownNames`, and the other one as its `base`.
 */
import { anyType, namedTypes, type FeelType } from '../feel/compile/conformance.ts';
import type { TestProgram } from '../feel/compile/program.ts';
import type { TypeLookup } from '../feel/compile/scope.ts';
import type { KnownNames } from '../feel/parse-names.ts';
import type { Finding } from '../../config/engine-error.ts';
import type { TypeReference } from './model.ts';

export interface ItemType {
  /** For messages: `tLoan`, `number`, `list of tLoan`. */
  readonly name: string;
  /** Without the allowed values. */
  readonly feelType: FeelType;
  /** The names inside, for the parser. Null: there are none. */
  readonly knownNames: KnownNames | null;
  readonly shape: ItemShape;
  /** Unary tests that a value must pass, besides those of `base`. */
  readonly checks: readonly TestProgram[];
  /** The type that this one narrows (I2). Null: none, or one that has no checks. */
  readonly base: ItemType | null;
}

export type ItemShape =
  /** `feelType` says all of it. */
  | { readonly kind: 'simple' }
  | { readonly kind: 'list'; readonly element: ItemType }
  | { readonly kind: 'context'; readonly entries: ReadonlyMap<string, ItemType> };

/** The types that one model can name. */
export interface ItemTypes {
  /** What the reference stands for; `Any` for none, and for one that was reported. */
  readonly resolve: (reference: TypeReference | null, report: (finding: Finding) => void) => ItemType;
  /** For `instance of`. */
  readonly lookup: TypeLookup;
}

export const anyItem: ItemType = simpleItem('Any', anyType);

export function simpleItem(name: string, feelType: FeelType): ItemType {
  return { name, feelType, knownNames: null, shape: { kind: 'simple' }, checks: [], base: null };
}

/** A list of the type. */
export function listItem(element: ItemType): ItemType {
  return {
    name: `list of ${element.name}`,
    feelType: { kind: 'list', element: element.feelType },
    knownNames: element.knownNames,
    shape: { kind: 'list', element },
    checks: [],
    base: null,
  };
}

/** A context with these entries: of a boxed context, of what an import makes visible. */
export function contextItem(entries: ReadonlyMap<string, ItemType>): ItemType {
  const feelTypes = new Map([...entries].map(([name, { feelType }]) => [name, feelType]));
  return {
    name: 'context',
    feelType: { kind: 'context', entries: feelTypes },
    knownNames: new Map([...entries].map(([name, { knownNames }]) => [name, knownNames])),
    shape: { kind: 'context', entries },
    checks: [],
    base: null,
  };
}

/** A function. The names inside are those of its result. */
export function functionItem(parameters: readonly ItemType[], result: ItemType): ItemType {
  const feelType: FeelType = {
    kind: 'function',
    parameters: parameters.map((parameter) => parameter.feelType),
    result: result.feelType,
  };
  return { ...simpleItem('function', feelType), knownNames: result.knownNames };
}

/** The same type by other names than FEEL's: DMN 1.1 called them so, and tools went on with it. */
const olderNames: Readonly<Record<string, string>> = {
  any: 'Any',
  dateTime: 'date and time',
  dayTimeDuration: 'days and time duration',
  yearMonthDuration: 'years and months duration',
};

function namedItems(): ReadonlyMap<string, ItemType> {
  const items = new Map<string, ItemType>();
  for (const [name, feelType] of namedTypes) {
    const simple = name === 'Any' ? anyItem : simpleItem(name, feelType);
    items.set(name, name === 'list' ? { ...simple, shape: { kind: 'list', element: anyItem } } : simple);
  }
  for (const [older, name] of Object.entries(olderNames)) items.set(older, items.get(name) ?? anyItem);
  return items;
}

/** FEEL's own types, by all of their names. */
export const feelItems: ReadonlyMap<string, ItemType> = namedItems();
