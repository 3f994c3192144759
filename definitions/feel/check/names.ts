/**
 * Names, and what they stand for, as the compiler resolves them (compile/scope.ts).
 *
 * N1 The innermost declaration of a name holds.
 * N2 In a filter the properties that the element may have come first. Where it may have any, a name may stand for
 *    anything, also one that is known outside.
 */
import type { CheckScope } from './scope.ts';
import { anyType, membersOf, unionOf, type StaticType } from './static-type.ts';

export type Found =
  | { readonly kind: 'known'; readonly type: StaticType }
  | { readonly kind: 'unknown'; readonly as: CheckScope['unknownNames'] };

export abstract class Names {
  abstract find(name: string): Found;

  /** Whether the expression itself declares the name around here. */
  abstract declares(name: string): boolean;

  /** Names that are known, the nearest first. */
  abstract known(): Iterable<string>;

  /** What `?` stands for. Null: nothing. */
  abstract get input(): StaticType | null;
}

/** Outside of the expression. */
export class ScopeNames extends Names {
  readonly #scope: CheckScope;

  constructor(scope: CheckScope) {
    super();
    this.#scope = scope;
  }

  find(name: string): Found {
    const type = this.#scope.names.get(name);
    return type === undefined ? { kind: 'unknown', as: this.#scope.unknownNames } : { kind: 'known', type };
  }

  declares(): boolean {
    return false;
  }

  known(): Iterable<string> {
    return this.#scope.names.keys();
  }

  get input(): StaticType | null {
    return this.#scope.input ?? null;
  }
}

/** Names more. */
export class DeclaredNames extends Names {
  readonly #outer: Names;
  readonly #types: ReadonlyMap<string, StaticType>;

  constructor(outer: Names, types: ReadonlyMap<string, StaticType>) {
    super();
    this.#outer = outer;
    this.#types = types;
  }

  find(name: string): Found {
    const type = this.#types.get(name);
    return type === undefined ? this.#outer.find(name) : { kind: 'known', type };
  }

  declares(name: string): boolean {
    return this.#types.has(name) || this.#outer.declares(name);
  }

  *known(): Iterable<string> {
    yield* this.#types.keys();
    yield* this.#outer.known();
  }

  get input(): StaticType | null {
    return this.#outer.input;
  }
}

/** What `?` stands for in tests. */
export class InputNames extends Names {
  readonly #outer: Names;
  readonly input: StaticType;

  constructor(outer: Names, input: StaticType) {
    super();
    this.#outer = outer;
    this.input = input;
  }

  find(name: string): Found {
    return this.#outer.find(name);
  }

  declares(name: string): boolean {
    return this.#outer.declares(name);
  }

  known(): Iterable<string> {
    return this.#outer.known();
  }
}

/** A filter's condition: `item`, and the properties of the element (N2). */
export class ElementNames extends Names {
  readonly #outer: Names;
  readonly #element: StaticType;

  constructor(outer: Names, element: StaticType) {
    super();
    this.#outer = outer;
    this.#element = element;
  }

  find(name: string): Found {
    const outer: Found = name === 'item' ? { kind: 'known', type: this.#element } : this.#outer.find(name);
    const own = propertyIn(this.#element, name);
    switch (own) {
      case 'impossible':
        return outer;
      case 'unlikely':
        return outer.kind === 'unknown' && outer.as === 'error' ? { kind: 'unknown', as: 'warning' } : outer;
      default:
        // An element that does not have it leaves the name to what is outside.
        return { kind: 'known', type: outer.kind === 'known' ? unionOf([own, outer.type]) : own };
    }
  }

  declares(name: string): boolean {
    return name === 'item' || this.#outer.declares(name);
  }

  *known(): Iterable<string> {
    for (const member of membersOf(this.#element)) {
      if (member.kind === 'context') yield* member.entries.keys();
    }
    yield* this.#outer.known();
  }

  get input(): StaticType | null {
    return this.#outer.input;
  }
}

/**
 * The type of an element's property, or that it has none of that name. A context that cannot have it makes a name no more
 * than unlikely: without it the condition does not hold, and the filter gives an empty list.
 */
function propertyIn(element: StaticType, name: string): StaticType | 'impossible' | 'unlikely' {
  let isUnlikely = false;
  for (const member of membersOf(element)) {
    if (member.kind === 'any' || member.kind === 'null') return anyType;
    if (member.kind !== 'context') continue;
    const entry = member.entries.get(name);
    if (entry !== undefined) return entry;
    if (member.others === 'possible') return anyType;
    isUnlikely = true;
  }
  return isUnlikely ? 'unlikely' : 'impossible';
}
