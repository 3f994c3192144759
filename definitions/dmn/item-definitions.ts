/**
 * Item definitions to types.
 *
 * B1 Types may be in each other, in any order and in themselves. So each is made before what is in it is looked for, and
 *    filled later; what is still to be filled is in a queue, not on the stack.
 * B2 A definition that stands for another one is made after that. Those that stand only for each other are reported, and
 *    stand for `Any`.
 * B3 What is wrong is reported once, where it is written. A type that is not known is `Any`.
 */
import type { Finding } from '../../config/engine-error.ts';
import { anyType, type FeelType } from '../feel/compile/conformance.ts';
import type { TestProgram } from '../feel/compile/program.ts';
import type { TypeLookup } from '../feel/compile/scope.ts';
import type { KnownNames } from '../feel/parse-names.ts';
import { shown } from '../xml/shown.ts';
import { compileAllowedValues } from './allowed-values.ts';
import { anyItem, type ItemShape, type ItemType } from './item-types.ts';
import type { DmnModel, ItemDefinition, SourceText, TypeReference } from './model.ts';
import { findingOf, type TypeReferences } from './type-references.ts';

/** A type that is being made. */
interface Draft {
  readonly name: string;
  readonly feelType: FeelType;
  readonly shape: ItemShape;
  knownNames: KnownNames | null;
  checks: readonly TestProgram[];
  base: ItemType | null;
}

/** A part of a type that is being made. */
type Filled<Union extends { readonly kind: string }, Kind extends string> = {
  -readonly [Key in keyof Extract<Union, { readonly kind: Kind }>]: Extract<
    Union,
    { readonly kind: Kind }
  >[Key];
};

/** A definition, and the model in which its references are meant. */
interface Site {
  readonly definition: ItemDefinition;
  readonly model: DmnModel;
}

type Report = (finding: Finding) => void;

export class ItemDefinitions {
  readonly #references: TypeReferences;
  readonly #report: Report;
  readonly #byDefinition = new Map<ItemDefinition, ItemType>();
  /** All that were made: one that another one narrows is before that. */
  readonly #drafts: Draft[] = [];
  /** Fill the types that have been made (B1). Grows while it is gone through. */
  readonly #fillings: (() => void)[] = [];
  /** By a type the one whose names are its own: which it stands for, holds or gives. */
  readonly #nameSources = new Map<ItemType, { readonly draft: Draft; readonly source: ItemType }>();
  readonly #contexts: {
    readonly entries: ReadonlyMap<string, ItemType>;
    readonly names: Map<string, KnownNames | null>;
  }[] = [];
  readonly #tests: { readonly draft: Draft; readonly source: SourceText; readonly model: DmnModel }[] = [];

  constructor(references: TypeReferences, report: Report) {
    this.#references = references;
    this.#report = report;
  }

  /** To be called for all models before anything is asked. */
  add(model: DmnModel): void {
    for (const definition of model.items) this.#make({ definition, model });
  }

  /** Makes the types complete. @param lookupOf the types that expressions of a model can name */
  finish(lookupOf: (model: DmnModel) => TypeLookup): void {
    for (const fill of this.#fillings) fill();
    for (const draft of this.#drafts) this.#findNames(draft);
    for (const { entries, names } of this.#contexts) {
      for (const [name, { knownNames }] of entries) names.set(name, knownNames);
    }
    for (const { draft, source, model } of this.#tests) {
      const checks = compileAllowedValues(source, draft.knownNames, lookupOf(model), this.#report);
      draft.checks = [...draft.checks, ...checks];
    }
    for (const draft of this.#drafts) {
      if (draft.base?.checks.length === 0) draft.base = draft.base.base;
    }
  }

  /** `Any` for one that was not added. */
  typeOf(definition: ItemDefinition): ItemType {
    return this.#byDefinition.get(definition) ?? anyItem;
  }

  /** What it stands for is followed to its end, and made first (B2). */
  #make(site: Site): ItemType {
    const chain = new Map<ItemDefinition, Site>();
    let at = site;
    let base = this.#madeOrShell(at);
    while (base === null) {
      if (chain.has(at.definition)) {
        const message = `the item definition ${shown(at.definition.name)} stands, through others, only for itself; give one of them another type`;
        this.#report(findingOf('SUTRA.DMN.TYPE_CYCLIC', at.definition.place, message));
        base = anyItem;
        break;
      }
      chain.set(at.definition, at);
      const found = this.#references.find(at.definition.type, at.model, this.#report);
      if (found.kind === 'defined') {
        at = found;
        base = this.#madeOrShell(at);
      } else {
        base = found.item;
      }
    }
    for (const narrowing of [...chain.values()].reverse()) {
      base = this.#narrow(narrowing.definition.name, base, testsOf(narrowing.definition), narrowing.model);
      this.#byDefinition.set(narrowing.definition, base);
    }
    return base;
  }

  /** The type of a definition that is made, or that does not stand for another one. Null: it does. */
  #madeOrShell({ definition, model }: Site): ItemType | null {
    const made = this.#byDefinition.get(definition);
    if (made !== undefined) return made;
    const type = isAlias(definition) ? null : this.#makeShell(definition.name, { definition, model });
    if (type !== null) this.#byDefinition.set(definition, type);
    return type;
  }

  #makeShell(name: string, { definition, model }: Site): ItemType {
    const { isCollection, allowedValues, typeConstraint } = definition;
    if (!isCollection) return this.#makeCore(name, testsOf(definition), { definition, model });
    const shape: Filled<ItemShape, 'list'> = { kind: 'list', element: anyItem };
    const feelType: Filled<FeelType, 'list' | 'range'> = { kind: 'list', element: anyType };
    const draft = this.#draft({ name, feelType, shape }, [typeConstraint], model);
    this.#fillings.push(() => {
      const element = this.#makeElement({ definition, model }, [allowedValues]);
      shape.element = element;
      feelType.element = element.feelType;
      this.#nameSources.set(draft, { draft, source: element });
    });
    return draft;
  }

  #makeElement(site: Site, tests: readonly (SourceText | null)[]): ItemType {
    const { definition, model } = site;
    const isNamed = definition.components.length === 0 && definition.functionItem === null;
    if (!isNamed) return this.#makeCore(`element of ${definition.name}`, tests, site);
    const type = this.#resolve(definition.type, model);
    return tests.every((source) => source === null) ? type : this.#narrow(type.name, type, tests, model);
  }

  /** Of a definition without its being a collection, and with no type that it names. */
  #makeCore(name: string, tests: readonly (SourceText | null)[], { definition, model }: Site): Draft {
    const { components, functionItem } = definition;
    if (components.length > 0) return this.#makeContext(name, components, tests, model);
    if (functionItem !== null) return this.#makeFunction(name, functionItem, tests, model);
    return this.#draft({ name, feelType: anyType, shape: { kind: 'simple' } }, tests, model);
  }

  #makeContext(
    name: string,
    components: readonly ItemDefinition[],
    tests: readonly (SourceText | null)[],
    model: DmnModel,
  ): Draft {
    const entries = new Map<string, ItemType>();
    const feelTypes = new Map<string, FeelType>();
    const draft = this.#draft(
      { name, feelType: { kind: 'context', entries: feelTypes }, shape: { kind: 'context', entries } },
      tests,
      model,
    );
    const names = new Map<string, KnownNames | null>();
    draft.knownNames = names;
    this.#contexts.push({ entries, names });
    this.#fillings.push(() => {
      for (const component of components) {
        const type = this.#makeComponent({ definition: component, model });
        entries.set(component.name, type);
        feelTypes.set(component.name, type.feelType);
      }
    });
    return draft;
  }

  #makeComponent(site: Site): ItemType {
    const { definition } = site;
    if (isAlias(definition)) return this.#makeElement(site, testsOf(definition));
    const { name, type, isCollection } = definition;
    return this.#makeShell(isCollection ? `list of ${type?.text ?? name}` : name, site);
  }

  #makeFunction(
    name: string,
    { parameters, result }: NonNullable<ItemDefinition['functionItem']>,
    tests: readonly (SourceText | null)[],
    model: DmnModel,
  ): Draft {
    const parameterTypes: FeelType[] = [];
    const feelType: Filled<FeelType, 'function'> = {
      kind: 'function',
      parameters: parameterTypes,
      result: anyType,
    };
    const draft = this.#draft({ name, feelType, shape: { kind: 'simple' } }, tests, model);
    this.#fillings.push(() => {
      for (const { type } of parameters) parameterTypes.push(this.#resolve(type, model).feelType);
      const given = this.#resolve(result, model);
      feelType.result = given.feelType;
      this.#nameSources.set(draft, { draft, source: given });
    });
    return draft;
  }

  #narrow(name: string, base: ItemType, tests: readonly (SourceText | null)[], model: DmnModel): ItemType {
    const { feelType, shape } = base;
    const draft = this.#draft({ name, feelType, shape }, tests, model);
    draft.base = base;
    this.#nameSources.set(draft, { draft, source: base });
    return draft;
  }

  #draft(
    type: Pick<Draft, 'name' | 'feelType' | 'shape'>,
    tests: readonly (SourceText | null)[],
    model: DmnModel,
  ): Draft {
    const draft: Draft = { ...type, knownNames: null, checks: [], base: null };
    this.#drafts.push(draft);
    for (const source of tests) if (source !== null) this.#tests.push({ draft, source, model });
    return draft;
  }

  #resolve(reference: TypeReference | null, model: DmnModel): ItemType {
    const found = this.#references.find(reference, model, this.#report);
    return found.kind === 'defined' ? this.#make(found) : found.item;
  }

  /** Follows a type to the one whose names are known. A list of nothing but itself has none. */
  #findNames(draft: Draft): void {
    const path: Draft[] = [];
    let at: ItemType = draft;
    for (let next = this.#nameSources.get(at); next !== undefined; next = this.#nameSources.get(at)) {
      path.push(next.draft);
      this.#nameSources.delete(at);
      at = next.source;
    }
    for (const passed of path) passed.knownNames = at.knownNames;
  }
}

/** Whether it stands for another type, and is no list of it. */
function isAlias({ type, isCollection, components, functionItem }: ItemDefinition): boolean {
  return type !== null && !isCollection && components.length === 0 && functionItem === null;
}

/** What narrows a type that is no list. */
function testsOf({ allowedValues, typeConstraint }: ItemDefinition): readonly (SourceText | null)[] {
  return [allowedValues, typeConstraint];
}
