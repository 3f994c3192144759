/**
 * How the arguments of a call fit the signatures of what is called.
 *
 * A1 Of a function's signatures the first one holds that the arguments fit, by their number or by their names.
 * A2 By position all must be there that a signature asks for. By name some may be left out: they are undefined, unless
 *    another signature asks for none but those that are there.
 *
 * Source: DMN 1.5, 10.3.2.13 (positional and named parameters).
 */
import type { Arguments } from '../ast.ts';
import type { FeelValue, Signature } from '../runtime.ts';

/** Which argument, by its number, goes where. */
interface Places {
  /** For each parameter; null: none. */
  readonly ofParameters: readonly (number | null)[];
  /** What goes, as a list, to the parameter after those. Null: there is none. */
  readonly ofList: readonly number[] | null;
  /** The signature that has the names of the arguments. Undefined: they have none. */
  readonly byNames: Signature | undefined;
}

/** `in order`: the arguments are those of the first parameters. */
export type Arrangement = Places | 'in order';

/** How many arguments there are, or which names they have. */
export type GivenArguments = number | readonly string[];

/** How one call's arguments fit the functions that it calls, nearly always the same one. */
export class CallArguments {
  readonly #given: GivenArguments;
  #last: { readonly signatures: readonly Signature[]; readonly found: Arrangement | null } | null = null;

  constructor(given: GivenArguments) {
    this.#given = given;
  }

  static of(args: Arguments): CallArguments {
    return new CallArguments(
      args.kind === 'positional' ? args.values.length : args.entries.map(({ name }) => name.name),
    );
  }

  /** Null: none of the signatures fits. */
  placesIn(signatures: readonly Signature[]): Arrangement | null {
    if (this.#last?.signatures !== signatures) this.#last = { signatures, found: this.#find(signatures) };
    return this.#last.found;
  }

  #find(signatures: readonly Signature[]): Arrangement | null {
    const given = this.#given;
    if (typeof given === 'number') return firstOf(signatures, (signature) => positional(signature, given));
    return (
      firstOf(signatures, (signature) =>
        named(signature, given, signature.least ?? signature.names.length),
      ) ?? firstOf(signatures, (signature) => named(signature, given, 0))
    );
  }
}

function firstOf(
  signatures: readonly Signature[],
  find: (signature: Signature) => Arrangement | null,
): Arrangement | null {
  for (const signature of signatures) {
    const found = find(signature);
    if (found !== null) return found;
  }
  return null;
}

function positional(signature: Signature, count: number): Arrangement | null {
  const { names, least = names.length, isVariadic = false } = signature;
  if (count < least || (count > names.length && !isVariadic)) return null;
  if (!isVariadic) return 'in order';
  const all = Array.from({ length: count }, (_, index) => index);
  const fixed = names.slice(0, -1).map((_, index) => all[index] ?? null);
  const ofList = count < names.length ? null : all.slice(names.length - 1);
  return { ofParameters: fixed, ofList, byNames: undefined };
}

/** By its name the list of a variadic signature gets one argument. */
function named(signature: Signature, given: readonly string[], least: number): Places | null {
  const { names, isVariadic = false } = signature;
  if (new Set(given).size < given.length || !given.every((name) => names.includes(name))) return null;
  const ofParameters = names.map((name) => (given.includes(name) ? given.indexOf(name) : null));
  if (ofParameters.slice(0, least).includes(null)) return null;
  if (!isVariadic) return { ofParameters, ofList: null, byNames: signature };
  const last = ofParameters.at(-1) ?? null;
  return {
    ofParameters: ofParameters.slice(0, -1),
    ofList: last === null ? null : [last],
    byNames: signature,
  };
}

/** The arguments in the order of the parameters. */
export function arranged(
  places: Arrangement,
  values: readonly FeelValue[],
): readonly (FeelValue | undefined)[] {
  if (places === 'in order') return values;
  const args = places.ofParameters.map((index) => (index === null ? undefined : values[index]));
  if (places.ofList !== null) args.push(places.ofList.map((index) => values[index] ?? null));
  return args;
}
