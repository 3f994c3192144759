/**
 * What the parser knows of names while it reads: the library asks a context tracker at every word.
 *
 * K1 Most texts have no name that must be known (W2 of parse-names.ts). They are parsed with a tracker of two states, in
 *    time linear in the text. To the library's own tracker every known name costs time at every word, and a list of
 *    1,500 items half a second.
 * K2 Both read a text without such names alike.
 * K3 To the library's own a known name hides a keyword, also the key `if`. Only texts with special names can do that.
 * K4 What contexts hold is merged only as far as it is asked for, and what is in another twice only once.
 */
import { parser, trackVariables, VariableContext } from 'lezer-feel';
import { SyntaxFault } from './check-text.ts';
import { isSpecialName, typedName, type KnownNames, type Words } from './parse-names.ts';

function termsOf(...names: readonly string[]): ReadonlySet<number> {
  return new Set(parser.nodeSet.types.filter(({ name }) => names.includes(name)).map(({ id }) => id));
}

const wordTerms = termsOf('Identifier');
const nameTerms = termsOf('Name', 'VariableName', 'PathName', 'PropertyName');
const filterTerms = termsOf('FilterExpression');
const parameterTerms = termsOf('ParameterName');

/** What the library's tokenizer reads of a state. That it has words matters, which they are does not. */
function plainState(tokens: readonly string[]): object {
  const nothing = { keys: new Set(), prefixes: new Set(), originalMap: new Map() };
  return { tokens, contextCache: () => nothing };
}

const betweenNames = plainState([]);
const insideName = plainState(['-']);

/** For a text without names that must be known (K1). Begins a name at its first word, and ends it with its node. */
export const plainTracker = Object.assign(trackVariables(), {
  start: betweenNames,
  reduce(state: unknown, term: number): unknown {
    if (wordTerms.has(term)) return insideName;
    return nameTerms.has(term) ? betweenNames : state;
  },
});

/** Names that may be looked at in one text while merging: it has a tenth of a second for them. */
const MAX_MERGED_NAMES = 200_000;

/** The library's own, with the names that the caller knows and the text may mean. It serves one parse. */
export function createNameTracker(words: Words, knownNames: KnownNames): object {
  const Scope = createScopeClass();
  const scopes = new Map<KnownNames, VariableContext>();
  const scopeOf = (known: KnownNames): VariableContext => {
    const made = scopes.get(known);
    if (made !== undefined) return made;
    const names = new Map<string, () => unknown>();
    for (const [name, inside] of known) {
      if (!words.mayHave(name) || (inside === null && !isSpecialName(name))) continue;
      names.set(typedName(name), inside === null ? () => true : () => scopeOf(inside));
    }
    const scope = new Scope(lazyRecord(names));
    scopes.set(known, scope);
    return scope;
  };
  return corrected(trackVariables(scopeOf(knownNames), Scope));
}

/** A record whose values are made when they are asked for: what is known may be recursive. */
function lazyRecord(values: ReadonlyMap<string, () => unknown>): object {
  const record: object = {};
  for (const [name, make] of values) {
    let made: { readonly value: unknown } | null = null;
    const get = (): unknown => (made ??= { value: make() }).value;
    Object.defineProperty(record, name, { get, enumerable: true });
  }
  return record;
}

/** The library's contexts, but for the merging (K4). */
function createScopeClass(): typeof VariableContext {
  let namesLeft = MAX_MERGED_NAMES;
  const spend = (count: number): void => {
    namesLeft -= count;
    if (namesLeft >= 0) return;
    const message = 'the contexts in this expression have too many keys, or hold each other too often';
    throw new SyntaxFault(message, 0);
  };
  return class Scope extends VariableContext {
    /** The names of all of `values` that are contexts. */
    static override of(...values: unknown[]): VariableContext {
      const scopes = [...new Set(values.filter((value) => value instanceof VariableContext))];
      const [first, ...others] = scopes;
      if (first === undefined) return new Scope({});
      if (others.length === 0) return first;
      const owners = new Map<string, VariableContext[]>();
      for (const scope of scopes) {
        const names = scope.getKeys();
        spend(1 + names.length);
        for (const name of names) {
          const having = owners.get(name);
          if (having === undefined) owners.set(name, [scope]);
          else having.push(scope);
        }
      }
      const merged = [...owners].map(([name, having]) => [name, () => Scope.valueIn(having, name)] as const);
      return new Scope(lazyRecord(new Map(merged)));
    }

    static valueIn(scopes: readonly VariableContext[], name: string): unknown {
      const values: readonly unknown[] = scopes.map((scope): unknown => scope.get(name));
      return values.some((value) => value instanceof VariableContext) ? Scope.of(...values) : values[0];
    }
  };
}

/**
 * The library's tracker without two of its faults:
 * - To it a filter's value is what stands before the last part of its condition: nothing that has names, where the
 *   condition has several. It is what is filtered.
 * - To it an argument's name is a variable from there on. A parameter of a definition is.
 */
function corrected(tracker: object): object {
  const reduce: unknown = Reflect.get(tracker, 'reduce');
  if (typeof reduce !== 'function') throw new TypeError('the context tracker of lezer-feel has no reduce');
  return Object.assign(tracker, {
    reduce(state: unknown, term: number, ...rest: readonly unknown[]): unknown {
      if (!isParserState(state)) throw new TypeError('the context tracker of lezer-feel has other states');
      if (parameterTerms.has(term) && state.name !== 'FunctionDefinition') return state;
      const { children } = state;
      const isLongFilter = filterTerms.has(term) && children.length > 2;
      const given = isLongFilter ? state.assign({ children: [children[0], children.at(-1)] }) : state;
      return Reflect.apply(reduce, tracker, [given, term, ...rest]);
    },
  });
}

interface ParserState {
  /** What the scope belongs to. */
  readonly name: unknown;
  /** What was read in it. */
  readonly children: readonly unknown[];
  readonly assign: (changes: { readonly children: readonly unknown[] }) => unknown;
}

function isParserState(state: unknown): state is ParserState {
  return (
    typeof state === 'object' &&
    state !== null &&
    'name' in state &&
    'children' in state &&
    Array.isArray(state.children) &&
    'assign' in state &&
    typeof state.assign === 'function'
  );
}
