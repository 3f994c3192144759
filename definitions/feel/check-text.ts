/** What is refused before an expression is parsed, because the parser's time grows faster than the text. */

/** A longer text is refused. */
export const MAX_EXPRESSION_LENGTH = 10_000;
/** Brackets inside each other. */
export const MAX_BRACKET_DEPTH = 150;
/** Words of one name. */
export const MAX_NAME_WORDS = 50;
/** Words, numbers, strings and signs. */
export const MAX_TOKENS = 3_000;
/** Different words, those in strings left out. */
export const MAX_WORDS = 400;

/** A fault at an offset of the analysed text; the caller turns it into line and column. */
export class SyntaxFault extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** Words between which a name ends. */
const keywords: ReadonlySet<string> = new Set(
  'for in return if then else some every satisfies or and between instance of function'.split(' '),
);

/** Comments, strings (also those that do not end), brackets, words, and any other sign but a space. */
const token = /\/\/.*|\/\*[^]*?(?:\*\/|$)|"(?:\\[^]|[^"\\])*"?|[()[\]{}]|[\p{L}\p{N}_]+|\S/gu;

const halfPair = /\p{Surrogate}/u;

/** @throws SyntaxFault */
export function checkText(text: string): void {
  if (text === '') throw new SyntaxFault('the expression is empty', 0);
  if (text.length > MAX_EXPRESSION_LENGTH) {
    throw new SyntaxFault(`the expression is longer than ${MAX_EXPRESSION_LENGTH} characters`, 0);
  }
  if (!text.isWellFormed()) {
    throw new SyntaxFault('half of a surrogate pair is no character', text.search(halfPair));
  }
  let depth = 0;
  let wordCount = 0;
  let tokenCount = 0;
  const words = new Set<string>();
  for (const { 0: found, index } of text.matchAll(token)) {
    if (/^\/[/*]/.test(found)) continue;
    tokenCount += 1;
    const isWord = /^[\p{L}_]/u.test(found) && !keywords.has(found);
    wordCount = isWord ? wordCount + 1 : 0;
    if (isWord) words.add(found);
    if ('([{'.includes(found)) depth += 1;
    else if (')]}'.includes(found)) depth -= 1;
    if (depth > MAX_BRACKET_DEPTH) {
      throw new SyntaxFault(`the expression is nested deeper than ${MAX_BRACKET_DEPTH} levels`, index);
    }
    if (wordCount > MAX_NAME_WORDS) {
      throw new SyntaxFault(`a name has more than ${MAX_NAME_WORDS} words`, index);
    }
    if (tokenCount > MAX_TOKENS) {
      throw new SyntaxFault(`the expression has more than ${MAX_TOKENS} words and signs`, index);
    }
    if (words.size > MAX_WORDS) {
      throw new SyntaxFault(`the expression has more than ${MAX_WORDS} different names`, index);
    }
  }
}
