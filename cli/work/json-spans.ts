/**
 * Where the values in a JSON text are, so that one can be taken out as it was written: with its own spelling of numbers,
 * its white space, and keys that occur twice. The text must be valid JSON; nothing is checked here.
 */

export interface Span {
  readonly start: number;
  /** After its last character. */
  readonly end: number;
}

/** Of the members of the object that begins at `at`, by name. Of a name that occurs twice the last, as `JSON.parse` has it. */
export function memberSpans(text: string, at: number): ReadonlyMap<string, Span> {
  const members = new Map<string, Span>();
  for (let next = skipSpace(text, at + 1); text[next] !== '}';) {
    const nameEnd = skipString(text, next);
    const name = JSON.parse(text.slice(next, nameEnd)) as string;
    const start = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const end = skipValue(text, start);
    members.set(name, { start, end });
    next = afterSeparator(text, end);
  }
  return members;
}

/** Of the items of the list that begins at `at`. */
export function itemSpans(text: string, at: number): readonly Span[] {
  const items: Span[] = [];
  for (let next = skipSpace(text, at + 1); text[next] !== ']';) {
    const end = skipValue(text, next);
    items.push({ start: next, end });
    next = afterSeparator(text, end);
  }
  return items;
}

/** At the next member or item, or at the end of the object or list. */
function afterSeparator(text: string, at: number): number {
  const next = skipSpace(text, at);
  return text[next] === ',' ? skipSpace(text, next + 1) : next;
}

/** Without recursion: how deep it nests does not matter. */
function skipValue(text: string, at: number): number {
  let depth = 0;
  for (let next = at; next < text.length;) {
    const char = text[next] ?? '';
    if (char === '"') next = skipString(text, next);
    else {
      if (char === '{' || char === '[') depth += 1;
      else if (char === '}' || char === ']') {
        // The end of what a number or a word is in.
        if (depth === 0) return next;
        depth -= 1;
      } else if (depth === 0 && (char === ',' || isSpace(char))) return next;
      next += 1;
    }
    if (depth === 0 && /["}\]]/.test(char)) return next;
  }
  return text.length;
}

function skipString(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
  return text.length;
}

function skipSpace(text: string, at: number): number {
  let next = at;
  while (isSpace(text[next] ?? '')) next += 1;
  return next;
}

function isSpace(char: string): boolean {
  return char === ' ' || char === '\n' || char === '\r' || char === '\t';
}
