/**
 * The decisions of a package, as business rule tasks name them.
 *
 * D1 A decision or a decision service is found by its id and by its name. Which file has it does not matter, so what
 *    two of them share names neither.
 * D2 When a decision model has a fault, nothing is said about names that are not found: it may be what has them.
 * D3 Without the rest of the package any name may be that of a decision, with any inputs. What is compiled with such a
 *    one shows its other faults, and is never run.
 */
import type { Place } from '../config/engine-error.ts';
import type { Decision, DecisionModel } from './dmn/decisions.ts';
import { anyType } from './feel/compile/conformance.ts';

export type FoundDecision =
  | { readonly kind: 'found'; readonly decision: Decision }
  /** `known`: what could have been meant. */
  | { readonly kind: 'unknown'; readonly known: readonly string[] }
  | { readonly kind: 'ambiguous'; readonly places: readonly Place[] }
  /** A business knowledge model: a function that decisions call. */
  | { readonly kind: 'not-callable' }
  /** Nothing can be said (D2). */
  | { readonly kind: 'uncertain' }
  /** Stands in for one that may be elsewhere (D3). */
  | { readonly kind: 'assumed'; readonly decision: Decision };

export class DecisionDirectory {
  static readonly empty = new DecisionDirectory([], true);

  readonly #byReference = new Map<string, Set<Decision>>();
  readonly #isComplete: boolean;

  /** @param isComplete no decision model of the package has a fault */
  constructor(models: readonly DecisionModel[], isComplete: boolean) {
    this.#isComplete = isComplete;
    for (const decision of models.flatMap(({ decisions }) => decisions)) {
      this.#add(decision.name, decision);
      if (decision.id !== null) this.#add(decision.id, decision);
    }
  }

  #add(reference: string, decision: Decision): void {
    const known = this.#byReference.get(normalised(reference)) ?? new Set();
    this.#byReference.set(normalised(reference), known.add(decision));
  }

  /** @param reference an id or a name; blanks around it, and how many are in it, do not matter */
  find(reference: string): FoundDecision {
    const all = [...(this.#byReference.get(normalised(reference)) ?? [])];
    const [decision, other] = all.filter(isCallable);
    if (decision !== undefined && other !== undefined) {
      return { kind: 'ambiguous', places: all.filter(isCallable).map(({ place }) => place) };
    }
    if (decision !== undefined) return { kind: 'found', decision };
    if (!this.#isComplete) return { kind: 'uncertain' };
    return all.length > 0 ? { kind: 'not-callable' } : { kind: 'unknown', known: this.#callableNames() };
  }

  #callableNames(): readonly string[] {
    return [...this.#byReference].flatMap(([reference, decisions]) =>
      [...decisions].some(isCallable) ? [reference] : [],
    );
  }
}

function isCallable({ kind }: Decision): boolean {
  return kind !== 'knowledge-model';
}

/** D3 */
export class AnyDecision extends DecisionDirectory {
  constructor() {
    super([], false);
  }

  override find(reference: string): FoundDecision {
    const evaluate = (): never => {
      throw new Error(`the decision ${reference} stands in for one of another file`);
    };
    const decision: Decision = {
      ...{ kind: 'decision', id: null, name: reference, place: {} },
      ...{ inputs: [], resultType: anyType, evaluate },
    };
    return { kind: 'assumed', decision };
  }
}

/** As FEEL reads names: the kind and number of blanks between words mean nothing. */
function normalised(reference: string): string {
  return reference.trim().replace(/\s+/g, ' ');
}
