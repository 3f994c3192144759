/** What is known around an expression before it runs. */
import type { TypeLookup } from '../compile/scope.ts';
import type { StaticType } from './static-type.ts';

/** Names and their types, as a map has them. */
export interface KnownTypes {
  get(name: string): StaticType | undefined;
  keys(): Iterable<string>;
}

export interface CheckScope {
  /** The variables that there may be. */
  readonly names: KnownTypes;
  /** What it is that a name is none of them; `nothing` where there may be others. */
  readonly unknownNames: 'error' | 'warning' | 'nothing';
  /** A variable may be a function, as in decision models. In processes none is. Default: false. */
  readonly mayHoldFunctions?: boolean;
  /** What `?` stands for. Null: nothing. Default: null. */
  readonly input?: StaticType | null;
  /** The types of a model. Default: only those of the standard. */
  readonly types?: TypeLookup;
}
