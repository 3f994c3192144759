/**
 * Regular expressions of `matches`, `replace` and `split`, in time linear in the text (library: re2js).
 *
 * R1 A search never backtracks. What it reads is paid for as it is read, so that searching on and on over the same
 *    text (`a.*b|a`: each match looks as far as the end) ends by the budget too.
 * R2 A pattern is measured before it is compiled: counted repetitions multiply (`(a{100}){100}`).
 * R3 What is no pattern, no set of flags or no replacement gives null, as wrong arguments do everywhere in FEEL.
 *    What may well be a pattern and cannot be searched for in linear time (a back-reference, looking ahead or
 *    behind), or is too large, is an error that says so.
 *
 * Source: XPath and XQuery Functions 3.1, 5.6. Differences: `\d`, `\w`, `\s` and `\b` are those of ASCII, named groups
 * are understood, classes cannot be subtracted, and a pattern that matches nothing at all may be replaced.
 */
import { MatcherInput, RE2JS, RE2JSException, type Matcher } from 're2js';
import { readPattern } from './pattern.ts';

/** Who pays for what is searched. */
export interface Payer {
  /** @throws when that is more than is left */
  spend(units: number): void;
  spendCharacters(count: number): void;
}

/** Units for compiling one instruction. */
const COMPILE_UNITS = 20;
/** A pattern up to this size that the expression spells out is compiled once, for nothing. */
const SMALL_SIZE = 100;
/** Patterns that one evaluation makes and keeps. */
const MAX_MADE = 100;
const MATCH_UNITS = 14;
/** Units for each character that is read, and for each instruction that may look at it. */
const READ_UNITS = 0.5;
const INSTRUCTION_UNITS = 0.03;

/** The patterns of one expression. */
export class RegularExpressions {
  readonly #literals: ReadonlySet<string>;
  readonly #kept = new Map<string, RegularExpression | null>();
  readonly #made = new Map<string, RegularExpression | null>();

  /** @param literals texts that the expression spells out: what of them is a pattern stays compiled */
  constructor(literals: ReadonlySet<string>) {
    this.#literals = literals;
  }

  /** Forgets what the evaluation before has made, so that each costs the same. */
  beginEvaluation(): void {
    if (this.#made.size > 0) this.#made.clear();
  }

  /** Null: it is none (R3). @throws FeelEvaluationError, and as `payer` does */
  get(pattern: string, flags: string, payer: Payer): RegularExpression | null {
    if (!/^[smix]*$/.test(flags)) return null;
    const key = `${flags} ${pattern}`;
    for (const patterns of [this.#kept, this.#made]) {
      const known = patterns.get(key);
      if (known !== undefined) return known;
    }
    const { source, size } = readPattern(pattern, flags);
    const isKept = size <= SMALL_SIZE && this.#literals.has(pattern);
    if (!isKept) payer.spend(size * COMPILE_UNITS);
    const compiled = compile(source, flags);
    const patterns = isKept ? this.#kept : this.#made;
    if (this.#made.size >= MAX_MADE) this.#made.clear();
    patterns.set(key, compiled);
    return compiled;
  }
}

function compile(source: string, flags: string): RegularExpression | null {
  const isFolded = flags.includes('i') ? RE2JS.CASE_INSENSITIVE : 0;
  const hasLines = flags.includes('m') ? RE2JS.MULTILINE : 0;
  const dotIsAll = flags.includes('s') ? RE2JS.DOTALL : 0;
  try {
    return new RegularExpression(RE2JS.compile(source, isFolded | hasLines | dotIsAll));
  } catch (error) {
    if (error instanceof RE2JSException) return null;
    throw error;
  }
}

export class RegularExpression {
  readonly #compiled: RE2JS;

  constructor(compiled: RE2JS) {
    this.#compiled = compiled;
  }

  /** Whether it is found anywhere. */
  isIn(text: string, payer: Payer): boolean {
    return this.#matcher(text, payer).find();
  }

  /** `text` with every match replaced; null: the replacement is none (R3). */
  replaceIn(text: string, replacement: string, payer: Payer): string | null {
    const template = readReplacement(replacement, this.#compiled.groupCount());
    if (template === null) return null;
    const matcher = this.#matcher(text, payer);
    let result = '';
    let end = 0;
    while (matcher.find()) {
      const before = result.length;
      result += text.slice(end, matcher.start());
      for (const part of template) result += typeof part === 'string' ? part : (matcher.group(part) ?? '');
      end = matcher.end();
      payer.spend(MATCH_UNITS);
      payer.spendCharacters(result.length - before);
    }
    return result + text.slice(end);
  }

  /** What is between the matches. A match of nothing splits between two characters. */
  split(text: string, payer: Payer): readonly string[] {
    if (text === '' && this.isIn(text, payer)) return [];
    const matcher = this.#matcher(text, payer);
    const parts: string[] = [];
    let end = 0;
    while (matcher.find()) {
      payer.spend(MATCH_UNITS);
      const [from, to] = [matcher.start(), matcher.end()];
      if (to === end || from === text.length) continue;
      parts.push(text.slice(end, from));
      end = to;
    }
    parts.push(text.slice(end));
    return parts;
  }

  #matcher(text: string, payer: Payer): Matcher {
    const unitsPerRead = READ_UNITS + this.#compiled.programSize() * INSTRUCTION_UNITS;
    return this.#compiled.matcher(MatcherInput.utf16(new PaidText(text, payer, unitsPerRead)));
  }
}

/** The text as the library reads it (R1). */
class PaidText extends String {
  readonly #text: string;
  readonly #payer: Payer;
  readonly #unitsPerRead: number;
  /** Less than a unit: sums of fractions would depend on what was paid before. */
  #unpaid = 0;

  constructor(text: string, payer: Payer, unitsPerRead: number) {
    super(text);
    this.#text = text;
    this.#payer = payer;
    this.#unitsPerRead = unitsPerRead;
  }

  override charCodeAt(index: number): number {
    this.#unpaid += this.#unitsPerRead;
    if (this.#unpaid >= 1) {
      const units = Math.floor(this.#unpaid);
      this.#unpaid -= units;
      this.#payer.spend(units);
    }
    return this.#text.charCodeAt(index);
  }

  override indexOf(searched: string, from = 0): number {
    const found = this.#text.indexOf(searched, from);
    this.#payer.spendCharacters((found < 0 ? this.#text.length : found) - from);
    return found;
  }
}

/**
 * A replacement as its texts and the numbers of its groups: `$1` is a group, `$0` all that matched, `\$` a dollar,
 * `\\` a backslash. As many digits are read as make the number of a group. Null: it is none.
 */
function readReplacement(replacement: string, groupCount: number): readonly (string | number)[] | null {
  const parts: (string | number)[] = [];
  let at = 0;
  for (const match of replacement.matchAll(/\\(.?)|\$(\d*)/gs)) {
    const [whole, escaped, digits] = match;
    parts.push(replacement.slice(at, match.index));
    at = match.index + whole.length;
    if (escaped !== undefined) {
      if (escaped !== '\\' && escaped !== '$') return null;
      parts.push(escaped);
    } else {
      if (digits === undefined || digits === '') return null;
      let length = digits.length;
      while (length > 1 && Number(digits.slice(0, length)) > groupCount) length -= 1;
      const number = Number(digits.slice(0, length));
      if (number <= groupCount) parts.push(number);
      parts.push(digits.slice(length));
    }
  }
  parts.push(replacement.slice(at));
  return parts.filter((part) => part !== '');
}
