/** What literals spell. Source: OMG DMN 1.5, 10.3.1.2 (string literal, string escape sequence, numeric literal). */
import { SyntaxFault } from './check-text.ts';

/** `\u` and `\U` first with their digits, then without: those are faults. */
const escape = /\\(?:u([\da-fA-F]{4})|U([\da-fA-F]{6})|([uU])|(["'\\nrt]))/g;

const signs: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/**
 * A string literal's text, from quote to quote, with its escapes undone. A backslash before anything else stays, as in
 * `matches(x, "\d")`: to the grammar it is a character like any other.
 * @param offset where the literal begins
 * @throws SyntaxFault for a character that does not exist, and half of a surrogate pair
 */
export function unescapeString(literal: string, offset: number): string {
  const text = literal
    .slice(1, -1)
    .replace(
      escape,
      (
        found: string,
        four: string | undefined,
        six: string | undefined,
        bare: string | undefined,
        sign: string | undefined,
        at: number,
      ) => {
        if (sign !== undefined) return signs[sign] ?? sign;
        const code = parseInt(four ?? six ?? '', 16);
        if (bare !== undefined || !(code <= 0x10ffff)) throw badCode(found, bare, offset + 1 + at);
        return String.fromCodePoint(code);
      },
    );
  if (!text.isWellFormed())
    throw new SyntaxFault('this string has half of a surrogate pair; write both, or one \\U', offset);
  return text;
}

function badCode(found: string, bare: string | undefined, offset: number): SyntaxFault {
  const message =
    bare === undefined
      ? `there is no character ${found}`
      : `\\${bare} takes ${bare === 'u' ? 'four' : 'six'} hexadecimal digits`;
  return new SyntaxFault(message, offset);
}
