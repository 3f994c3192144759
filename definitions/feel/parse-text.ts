/**
 * The text that the library is given: as long as the one that was written, with the same offsets, and without what it
 * reads otherwise than the standard.
 *
 * M1 Comments and all kinds of white space are spaces. (To the library a name ends with its line, unless the next is
 *    indented.)
 * M2 The apostrophe of typesetters is that of typewriters: to the library it is no sign of a name.
 * M3 `range<` in a type is `list <`, because it knows no ranges there. `isRangeAt` tells them apart.
 */
import { SyntaxFault } from './check-text.ts';

export interface PreparedText {
  readonly written: string;
  readonly text: string;
  /** Whether `range` was written where `list ` stands. */
  readonly isRangeAt: (offset: number) => boolean;
}

/** Comments and strings, also those that do not end, apostrophes and white space. */
const piece = /\/\/.*|\/\*[^]*?(?:\*\/|$)|"(?:\\.|[^"\\\n-\r])*("?)|\u2019|[\s\u0085\u180e\u200b]+/gu;

/** `range<` where only a type can be, and where nothing else makes sense: `{a: range < 5}` is read back as it was. */
const rangeType = /"(?:\\.|[^"\\])*"|((?:\binstance +of|->|[:<,]) *)range(?= *<)/g;

/** @throws SyntaxFault for a comment or a string that does not end */
export function prepareText(written: string): PreparedText {
  const plain = written.replace(piece, (found: string, close: string | undefined, offset: number) => {
    if (close === '') throw unendedString(written[offset + found.length], offset);
    if (close !== undefined) return found;
    if (found === '\u2019') return "'";
    if (found.startsWith('/*') && !/^\/\*[^]*\*\/$/.test(found))
      throw new SyntaxFault('this comment does not end; close it with */', offset);
    return ' '.repeat(found.length);
  });
  const ranges = new Set<number>();
  const text = plain.replace(rangeType, (found: string, before: string | undefined, offset: number) => {
    if (before === undefined) return found;
    ranges.add(offset + before.length);
    return `${before}list `;
  });
  return { written, text, isRangeAt: (offset) => ranges.has(offset) };
}

function unendedString(next: string | undefined, offset: number): SyntaxFault {
  const message =
    next === undefined || next === '\\'
      ? 'this string does not end; close it with "'
      : 'a string ends on its line; write \\n for a line break';
  return new SyntaxFault(message, offset);
}
