/**
 * What the type names of decision models stand for.
 *
 * N1 A name is looked for as it is written: in the model, then among the types of FEEL. Then its prefix tells where.
 * N2 A prefix is one of XML, as DMN 1.1 has it (`ns1:tLoan`), or the name of an import and a dot (`loans.tLoan`). Of the
 *    names of imports that fit, the longest counts. What is imported there is reached by both names.
 * N3 An import without a name makes the types of the imported model known by their own names.
 */
import type { DmnModel, ItemDefinition, TypeReference } from './model.ts';
import { isFeel } from './namespaces.ts';
import { feelItems, type ItemType } from './item-types.ts';

export type FoundType =
  | { readonly kind: 'feel'; readonly item: ItemType }
  | { readonly kind: 'defined'; readonly model: DmnModel; readonly definition: ItemDefinition }
  /** It would be of a model that is imported and is not there, which is for others to report. */
  | { readonly kind: 'uncertain' };

/** What a model knows types by. */
interface Known {
  /** Its own, by name. Of two of a name the first counts. */
  readonly own: ReadonlyMap<string, ItemDefinition>;
  /** Namespaces of its imports, by their names. Of two of a name the first counts. */
  readonly named: ReadonlyMap<string, string>;
  /** Namespaces of those without a name. */
  readonly unnamed: ReadonlySet<string>;
  readonly imported: ReadonlySet<string>;
}

/** Longer names are not looked for behind those of imports: each of their dots may be where one ends. */
const MAX_IMPORTED_LENGTH = 1_000;

/** The type names of models that may import each other. */
export class TypeNames {
  readonly #byNamespace = new Map<string, DmnModel>();
  readonly #known = new Map<DmnModel, Known>();

  /** Of two models of a namespace the first counts. */
  constructor(models: readonly DmnModel[]) {
    for (const model of models) {
      if (!this.#byNamespace.has(model.namespace)) this.#byNamespace.set(model.namespace, model);
      this.#known.set(model, knownIn(model));
    }
  }

  /** Null: there is no such type. */
  find({ text, namespace }: TypeReference, model: DmnModel): FoundType | null {
    const found = this.findName(text, model);
    const colon = text.indexOf(':');
    if (found !== null || colon === -1) return found;
    const prefix = text.slice(0, colon);
    const name = text.slice(colon + 1);
    const known = this.#known.get(model);
    if (namespace === undefined) {
      const imported = known?.named.get(prefix);
      if (imported !== undefined) return this.#findImported(name, imported);
      return prefix === 'feel' ? feelType(name) : null;
    }
    if (isFeel(namespace)) return feelType(name);
    if (namespace === model.namespace) return this.#findOwn(name, model);
    return known?.imported.has(namespace) === true ? this.#findImported(name, namespace) : null;
  }

  /** A name without a prefix of XML: also one that stands in an expression. */
  findName(name: string, model: DmnModel): FoundType | null {
    return (
      this.#findOwn(name, model) ??
      feelType(name) ??
      this.#findByImport(name, model) ??
      this.#findUnnamed(name, model)
    );
  }

  /** All that a model can name without a prefix, for who looks for what was meant. */
  namesIn(model: DmnModel): readonly string[] {
    return [...(this.#known.get(model)?.own.keys() ?? []), ...feelItems.keys()];
  }

  #findOwn(name: string, model: DmnModel): FoundType | null {
    const definition = this.#known.get(model)?.own.get(name);
    return definition === undefined ? null : { kind: 'defined', model, definition };
  }

  #findByImport(name: string, model: DmnModel): FoundType | null {
    const named = this.#known.get(model)?.named;
    if (named === undefined || named.size === 0 || name.length > MAX_IMPORTED_LENGTH) return null;
    for (let dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
      const namespace = named.get(name.slice(0, dot));
      const found = namespace === undefined ? null : this.#findImported(name.slice(dot + 1), namespace);
      if (found !== null) return found;
    }
    return null;
  }

  #findUnnamed(name: string, model: DmnModel): FoundType | null {
    for (const namespace of this.#known.get(model)?.unnamed ?? []) {
      const found = this.#findImported(name, namespace);
      if (found !== null) return found;
    }
    return null;
  }

  #findImported(name: string, namespace: string): FoundType | null {
    const model = this.#byNamespace.get(namespace);
    if (model === undefined) return { kind: 'uncertain' };
    return this.#findOwn(name, model) ?? this.#findByImport(name, model);
  }
}

function knownIn({ items, imports }: DmnModel): Known {
  const named = imports.filter(({ name }) => name !== '').reverse();
  const unnamed = imports.filter(({ name }) => name === '');
  return {
    own: new Map([...items].reverse().map((item) => [item.name, item])),
    named: new Map(named.map(({ name, namespace }) => [name, namespace])),
    unnamed: new Set(unnamed.map(({ namespace }) => namespace)),
    imported: new Set(imports.map(({ namespace }) => namespace)),
  };
}

function feelType(name: string): FoundType | null {
  const item = feelItems.get(name);
  return item === undefined ? null : { kind: 'feel', item };
}
