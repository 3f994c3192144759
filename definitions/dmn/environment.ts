/**
 * Where one evaluation has the values of input data and decisions.
 *
 * E1 A value is computed when it is first asked for, and once.
 * E2 What a decision service is given stands for the elements of its parameters, and nothing else is given to it.
 * E3 The input data of an imported model is in a context by the name of the import, as it is seen from the model that is
 *    evaluated; a model that is imported in two ways has two sets of data.
 */
import type { Evaluation } from '../feel/compile/evaluation.ts';
import type { FeelValue } from '../feel/runtime.ts';
import { isFeelContext, propertyOf } from '../feel/value-kind.ts';
import type { ModelImport } from './model.ts';
import type { Element, Link } from './requirement-graph.ts';

/** Undefined: it is not given. */
export type InputLookup = (name: string) => FeelValue | undefined;

/** What computes an element, in an environment of its model. */
export type Compute = (environment: Environment) => FeelValue;

type Computes = (element: Element) => Compute | undefined;

export class Environment {
  readonly run: Evaluation;
  readonly lookup: InputLookup;
  readonly #computes: Computes;
  readonly #given: ReadonlyMap<Element, FeelValue>;
  readonly #values = new Map<Element, FeelValue>();
  readonly #imported = new Map<ModelImport, Environment>();

  /** @param given parameters of a decision service (E2) */
  constructor(
    run: Evaluation,
    computes: Computes,
    lookup: InputLookup,
    given: ReadonlyMap<Element, FeelValue> = new Map(),
  ) {
    this.run = run;
    this.lookup = lookup;
    this.#computes = computes;
    this.#given = given;
  }

  valueOf({ element, via }: Link): FeelValue {
    return via === null ? this.valueOfOwn(element) : this.#of(via).valueOfOwn(element);
  }

  /** Of an element of this model. */
  valueOfOwn(element: Element): FeelValue {
    const given = this.#given.get(element);
    if (given !== undefined) return given;
    const known = this.#values.get(element);
    if (known !== undefined) return known;
    const value = this.#computes(element)?.(this) ?? null;
    this.#values.set(element, value);
    return value;
  }

  #of(via: ModelImport): Environment {
    const known = this.#imported.get(via);
    if (known !== undefined) return known;
    const { name } = via;
    const lookup: InputLookup = name === '' ? this.lookup : (entry) => entryOf(this.lookup(name), entry);
    const made = new Environment(this.run, this.#computes, lookup, this.#given);
    this.#imported.set(via, made);
    return made;
  }
}

function entryOf(context: FeelValue | undefined, name: string): FeelValue | undefined {
  return context !== undefined && isFeelContext(context) ? propertyOf(context, name) : undefined;
}
