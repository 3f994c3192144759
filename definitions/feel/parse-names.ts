/**
 * Names: which words and signs are one, and how a name is spelled that may be written in several ways.
 *
 * W1 Words with white space between them are one name, up to a keyword or another sign.
 * W2 A name with one of the signs . / - + * ' or with a keyword among its words is one only where it is known: the
 *    caller knows it, or the text declares it (a key, a parameter, a variable of an iteration). Of several the longest.
 * W3 White space around a sign is nothing: `a - b` is the known name `a-b`, and is spelled as that one.
 * W4 So without names that the caller knows, the text alone tells how it is read.
 */
import type { Identifier } from './ast.ts';
import { SyntaxFault } from './check-text.ts';
import { childrenOf, type SyntaxNode } from './parse-nodes.ts';
import type { PreparedText } from './parse-text.ts';

/**
 * The names that a caller knows; for one that stands for a context, or for a list of contexts, or for a function that gives
 * one, with the names inside. May be recursive. `?` is one too, for the names inside of what is tested.
 */
export type KnownNames = ReadonlyMap<string, KnownNames | null>;

/** Words that are never a name of their own. */
const keywords: ReadonlySet<string> = new Set(
  [
    'for in return if then else some every satisfies or and between',
    'instance function external null true false',
  ].flatMap((line) => line.split(' ')),
);

const SIGNS = String.raw`[./\-+*'\u2019]`;
const sign = new RegExp(SIGNS);
const spacedSign = new RegExp(` ?(${SIGNS}) ?`, 'g');

/** Whether it is one name only where it is known (W2). */
export function isSpecialName(name: string): boolean {
  if (sign.test(name)) return true;
  const words = name.split(/\s+/);
  return words.length > 1 && words.some((word) => keywords.has(word));
}

function collapse(name: string): string {
  return name.trim().replace(/\s+/g, ' ');
}

/** Equal for all spellings of one name (W3). */
function bareForm(name: string): string {
  return typedName(collapse(name).replace(spacedSign, '$1'));
}

/** As it stands in the text that the parser reads (M2 of parse-text.ts). */
export function typedName(name: string): string {
  return name.replaceAll('\u2019', "'");
}

/** What stands between the words of names: white space, and signs but `?` and `_`. */
const wordBreak = /[\s!-/:->@[-^`{-~\u2019]+/;

/** The words of a text: a name with another one is not in it, and the parser need not know it. */
export class Words {
  readonly #words: ReadonlySet<string>;

  constructor(text: string) {
    this.#words = new Set(text.split(wordBreak));
  }

  mayHave(name: string): boolean {
    return name.split(wordBreak).every((word) => word === '' || this.#words.has(word));
  }
}

/** Reads the names of one text, in the order of the text. */
export class NameReader {
  readonly #prepared: PreparedText;
  /** Names that can be written in several ways, by their bare form. */
  readonly #spellings = new Map<string, string[]>();
  /** True when one is known that the parser must be told of (W2). */
  readonly hasSpecialNames: boolean;

  constructor(prepared: PreparedText, words: Words, knownNames: KnownNames) {
    this.#prepared = prepared;
    let hasSpecialNames = false;
    for (const name of allNames(knownNames)) {
      if (!words.mayHave(name)) continue;
      if (isSpecialName(name)) hasSpecialNames = true;
      this.#addSpelling(name);
    }
    this.hasSpecialNames = hasSpecialNames;
  }

  /** A variable, a parameter or a key without quotes. @throws SyntaxFault for a name that nothing may have */
  declared(node: SyntaxNode): Identifier {
    const identifier = { name: this.#written(node), from: node.from, to: this.#endOf(node) };
    this.declare(identifier);
    return identifier;
  }

  /** The same for one whose name is found out otherwise. @throws SyntaxFault */
  declare({ name, from }: Identifier): void {
    refuseReserved(name, from);
    this.#addSpelling(name);
  }

  /** A name that stands for a value. @throws SyntaxFault for one that nothing may have */
  reference(node: SyntaxNode): Identifier {
    const identifier = this.chosen(node);
    refuseReserved(identifier.name, node.from);
    return identifier;
  }

  /** A property, an argument, a type: what has it is told elsewhere. */
  chosen(node: SyntaxNode): Identifier {
    const name = this.#written(node);
    const spellings = this.#spellings.get(bareForm(name)) ?? [];
    const spelling = spellings.includes(name) ? name : (spellings[0] ?? name);
    return { name: spelling, from: node.from, to: this.#endOf(node) };
  }

  #addSpelling(name: string): void {
    const bare = bareForm(name);
    // Any other is found as it is.
    if (bare === name && !sign.test(name)) return;
    const spellings = this.#spellings.get(bare);
    if (spellings === undefined) this.#spellings.set(bare, [name]);
    else if (!spellings.includes(name)) spellings.push(name);
  }

  #written(node: SyntaxNode): string {
    const { written } = this.#prepared;
    let name = '';
    let end = node.from;
    for (const part of childrenOf(node)) {
      if (name !== '' && part.from > end) name += ' ';
      end = this.#endOf(part);
      name += written.slice(part.from, end);
    }
    return name;
  }

  /** Where `list ` stands for `range`, the name is a letter longer. */
  #endOf(node: SyntaxNode): number {
    const last = node.lastChild ?? node;
    return this.#prepared.isRangeAt(last.from) ? last.to + 1 : last.to;
  }
}

function* allNames(known: KnownNames): Iterable<string> {
  const seen = new Set<KnownNames>([known]);
  // Grows while it is gone through.
  for (const names of seen) {
    for (const [name, inside] of names) {
      yield name;
      if (inside !== null) seen.add(inside);
    }
  }
}

/** No prototype can be reached by a name, however it is written. */
function refuseReserved(name: string, offset: number): void {
  if (name.includes('__proto__')) throw new SyntaxFault("'__proto__' cannot be used as a name", offset);
}
