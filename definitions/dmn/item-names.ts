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

/** The type names of models that may import each other. */
export class TypeNames {
  readonly #byNamespace = new Map<string, DmnModel>();
  readonly #own = new Map<DmnModel, ReadonlyMap<string, ItemDefinition>>();

  /** Of two models of a namespace the first counts. */
  constructor(models: readonly DmnModel[]) {
    for (const model of models) {
      if (!this.#byNamespace.has(model.namespace)) this.#byNamespace.set(model.namespace, model);
      // Of two definitions of a name the first counts.
      this.#own.set(model, new Map([...model.items].reverse().map((item) => [item.name, item])));
    }
  }

  /** Null: there is no such type. */
  find({ text, namespace }: TypeReference, model: DmnModel): FoundType | null {
    const found = this.findName(text, model);
    const colon = text.indexOf(':');
    if (found !== null || colon === -1) return found;
    const prefix = text.slice(0, colon);
    const name = text.slice(colon + 1);
    if (namespace === undefined && prefix !== 'feel') {
      const named = model.imports.filter((imported) => imported.name === prefix);
      return this.#findImported(name, named);
    }
    if (namespace === undefined || isFeel(namespace)) return feelType(name);
    if (namespace === model.namespace) return this.#findOwn(name, model);
    return this.#findImported(
      name,
      model.imports.filter((imported) => imported.namespace === namespace),
    );
  }

  /** A name without a prefix of XML: also one that stands in an expression. */
  findName(name: string, model: DmnModel): FoundType | null {
    return (
      this.#findOwn(name, model) ??
      feelType(name) ??
      this.#findByImport(name, model) ??
      this.#findImported(
        name,
        model.imports.filter((imported) => imported.name === ''),
      )
    );
  }

  /** All that a model can name without a prefix, for who looks for what was meant. */
  namesIn(model: DmnModel): readonly string[] {
    return [...(this.#own.get(model)?.keys() ?? []), ...feelItems.keys()];
  }

  #findOwn(name: string, model: DmnModel): FoundType | null {
    const definition = this.#own.get(model)?.get(name);
    return definition === undefined ? null : { kind: 'defined', model, definition };
  }

  #findByImport(name: string, model: DmnModel): FoundType | null {
    const fitting = model.imports
      .filter((imported) => imported.name !== '' && name.startsWith(`${imported.name}.`))
      .sort((one, other) => other.name.length - one.name.length);
    for (const imported of fitting) {
      const found = this.#findImported(name.slice(imported.name.length + 1), [imported]);
      if (found !== null) return found;
    }
    return null;
  }

  #findImported(name: string, imports: DmnModel['imports']): FoundType | null {
    for (const { namespace } of imports) {
      const model = this.#byNamespace.get(namespace);
      const found =
        model === undefined ? null : (this.#findOwn(name, model) ?? this.#findByImport(name, model));
      if (model === undefined || found !== null) return found ?? { kind: 'uncertain' };
    }
    return null;
  }
}

function feelType(name: string): FoundType | null {
  const item = feelItems.get(name);
  return item === undefined ? null : { kind: 'feel', item };
}
