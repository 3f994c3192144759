/**
 * Names, resolved while compiling.
 *
 * N1 The innermost declaration of a name holds: a variable of an iteration, an entry of a context, a parameter, `item`,
 *    `partial`, `?`. What is not declared is a variable of the program.
 * N2 In a filter the properties of the element come before all that is outside of it. Which those are is known only when
 *    it runs.
 * N3 A function has a frame of its own. Of what is declared around it, it gets the values that it uses when it is made;
 *    they cannot change afterwards.
 */
import type { Expression, Span } from '../ast.ts';
import type { FeelFunction, FeelValue } from '../runtime.ts';
import { isFeelContext, isList, propertyOf } from '../value-kind.ts';
import type { Code, Frame } from './evaluation.ts';
import type { FeelType } from './conformance.ts';

/** What a name of a type stands for, by the names that dots divide. Null: there is none. */
export type TypeLookup = (path: readonly string[]) => FeelType | null;

/** The name that `?` is declared by. No other can be written so. */
export const INPUT_NAME = '?';

/** Where the value of a name is found. */
export type Location =
  /** `isGrowing`: the list in it is still added to, and must be copied before anything keeps it. */
  | {
      readonly kind: 'slot';
      readonly slot: number;
      readonly isGrowing: boolean;
      readonly mayBeAbsent: boolean;
    }
  /** A property of the element in the slot, when it has one (N2). */
  | { readonly kind: 'element'; readonly slot: number; readonly name: string; readonly otherwise: Location }
  | { readonly kind: 'variable'; readonly index: number };

/** Undefined: nothing has that name. */
export type Read = (frame: Frame) => FeelValue | undefined;

/** What all scopes of a program share. */
export class ProgramScope {
  readonly builtins: ReadonlyMap<string, FeelFunction>;
  readonly types: TypeLookup;
  readonly compile: (node: Expression, scope: Scope) => Code;
  readonly #indexes = new Map<string, number>();
  readonly #called = new Map<string, Span>();

  constructor(
    builtins: ReadonlyMap<string, FeelFunction>,
    types: TypeLookup,
    compile: (node: Expression, scope: Scope) => Code,
  ) {
    this.builtins = builtins;
    this.types = types;
    this.compile = compile;
  }

  /** The variables, in order of appearance. */
  get names(): readonly string[] {
    return [...this.#indexes.keys()];
  }

  /** Those of them that are called, and where they are first. */
  get calledNames(): ReadonlyMap<string, Span> {
    return this.#called;
  }

  variable(name: string): Location {
    const index = this.#indexes.get(name) ?? this.#indexes.size;
    this.#indexes.set(name, index);
    return { kind: 'variable', index };
  }

  call(name: string, place: Span): void {
    if (!this.#called.has(name)) this.#called.set(name, place);
  }
}

/** The slots of one frame. */
export class Layout {
  size = 0;

  add(): number {
    this.size += 1;
    return this.size - 1;
  }
}

/** What an expression sees of names. */
export abstract class Scope {
  readonly program: ProgramScope;
  readonly layout: Layout;

  constructor(program: ProgramScope, layout: Layout) {
    this.program = program;
    this.layout = layout;
  }

  abstract find(name: string): Location;

  /** Whether the expression itself declares the name around here. */
  abstract declares(name: string): boolean;

  compile(node: Expression): Code {
    return this.program.compile(node, this);
  }
}

/** Outside of everything. */
export class RootScope extends Scope {
  constructor(program: ProgramScope) {
    super(program, new Layout());
  }

  find(name: string): Location {
    return this.program.variable(name);
  }

  declares(): boolean {
    return false;
  }
}

/** One name more. It has a slot from when it is first used. */
export class NameScope extends Scope {
  readonly #outer: Scope;
  readonly #name: string;
  readonly #isGrowing: boolean;
  #slot: number | null = null;

  constructor(outer: Scope, name: string, { isGrowing = false } = {}) {
    super(outer.program, outer.layout);
    this.#outer = outer;
    this.#name = name;
    this.#isGrowing = isGrowing;
  }

  /** Null: nobody uses the name. To be asked when all that may use it is compiled. */
  get slot(): number | null {
    return this.#slot;
  }

  find(name: string): Location {
    if (name !== this.#name) return this.#outer.find(name);
    this.#slot ??= this.layout.add();
    return { kind: 'slot', slot: this.#slot, isGrowing: this.#isGrowing, mayBeAbsent: false };
  }

  declares(name: string): boolean {
    return name === this.#name || this.#outer.declares(name);
  }
}

/** A filter's condition: `item`, and the properties of the element. */
export class ElementScope extends Scope {
  readonly #outer: Scope;
  readonly slot: number;

  constructor(outer: Scope) {
    super(outer.program, outer.layout);
    this.#outer = outer;
    this.slot = this.layout.add();
  }

  find(name: string): Location {
    const { slot } = this;
    const otherwise: Location =
      name === 'item' ? { kind: 'slot', slot, isGrowing: false, mayBeAbsent: false } : this.#outer.find(name);
    // An input is no name.
    return name === INPUT_NAME ? otherwise : { kind: 'element', slot, name, otherwise };
  }

  declares(name: string): boolean {
    return name === 'item' || this.#outer.declares(name);
  }
}

/** A value of the frame around a function that goes into a slot of the function's own. */
export interface Capture {
  readonly read: Read;
  readonly slot: number;
}

/** The parameters of a function, and what it captures (N3). */
export class FunctionScope extends Scope {
  readonly #outer: Scope;
  readonly #parameters: readonly string[];
  readonly #locations = new Map<string, Location>();
  readonly #captures: Capture[] = [];

  /** The parameters have the slots from 0. Of two of the same name the last counts. */
  constructor(outer: Scope, parameters: readonly string[]) {
    super(outer.program, new Layout());
    this.#outer = outer;
    this.#parameters = parameters;
    for (const name of parameters) this.#locations.set(name, this.#declare(false));
  }

  get captures(): readonly Capture[] {
    return this.#captures;
  }

  get parameters(): readonly string[] {
    return this.#parameters;
  }

  find(name: string): Location {
    const known = this.#locations.get(name);
    if (known !== undefined) return known;
    const outer = this.#outer.find(name);
    if (outer.kind === 'variable') return outer;
    const location = this.#declare(mayBeAbsent(outer));
    this.#captures.push({ read: readerOf(outer), slot: location.slot });
    this.#locations.set(name, location);
    return location;
  }

  declares(name: string): boolean {
    return this.#parameters.includes(name) || this.#outer.declares(name);
  }

  #declare(isAbsentAllowed: boolean): Extract<Location, { kind: 'slot' }> {
    return { kind: 'slot', slot: this.layout.add(), isGrowing: false, mayBeAbsent: isAbsentAllowed };
  }
}

/** Whether it may turn out that nothing has the name. */
export function mayBeAbsent(location: Location): boolean {
  switch (location.kind) {
    case 'slot':
      return location.mayBeAbsent;
    case 'element':
      return mayBeAbsent(location.otherwise);
    case 'variable':
      return true;
  }
}

export function readerOf(location: Location): Read {
  switch (location.kind) {
    case 'slot':
      return location.isGrowing ? copyOf(location.slot) : borrowerOf(location);
    case 'element': {
      const { slot, name } = location;
      const otherwise = readerOf(location.otherwise);
      return (frame) => {
        const element = frame.slots[slot] ?? null;
        const own = isFeelContext(element) ? propertyOf(element, name) : undefined;
        return own === undefined ? otherwise(frame) : own;
      };
    }
    case 'variable': {
      const { index } = location;
      return (frame) => frame.variables.read(index);
    }
  }
}

/** As `readerOf`, for who looks at the value at once and keeps nothing but its elements. */
export function borrowerOf(location: Location): Read {
  if (location.kind !== 'slot') return readerOf(location);
  const { slot } = location;
  return (frame) => frame.slots[slot];
}

function copyOf(slot: number): Read {
  return (frame) => {
    const list = frame.slots[slot] ?? null;
    if (!isList(list)) return list;
    frame.run.meter.spend(list.length);
    return list.slice();
  };
}
