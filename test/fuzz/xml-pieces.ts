/**
 * XML cut into tags, texts and elements, without any of the rules of XML: what a mutation left is cut too.
 * One linear scan; a tag ends at the first `>`, and tags without a partner belong to no element.
 */

export interface Element {
  readonly name: string;
  /** Indices of its first and its last token; equal for `<a/>`. */
  readonly from: number;
  readonly to: number;
}

export interface Pieces {
  readonly tokens: readonly string[];
  /** In the order of their beginnings. */
  readonly elements: readonly Element[];
}

const TOKEN = /<!--[\s\S]*?(?:-->|$)|<!\[CDATA\[[\s\S]*?(?:\]\]>|$)|<\?[\s\S]*?(?:\?>|$)|<[^<>]*>?|[^<]+/g;
const NAME = /^<\/?([^\s/>]+)/;

export function cut(text: string): Pieces {
  const tokens: readonly string[] = text.match(TOKEN) ?? [];
  const elements: { name: string; from: number; to: number }[] = [];
  const open: { name: string; from: number; to: number }[] = [];
  tokens.forEach((token, index) => {
    const name = /^<[!?]/.test(token) ? undefined : NAME.exec(token)?.[1];
    if (name === undefined) return;
    if (token.startsWith('</')) {
      const start = open.findLastIndex((candidate) => candidate.name === name);
      if (start < 0) return;
      const [element] = open.splice(start);
      if (element !== undefined) element.to = index;
    } else {
      const element = { name, from: index, to: token.endsWith('/>') ? index : -1 };
      elements.push(element);
      if (element.to < 0) open.push(element);
    }
  });
  return { tokens, elements: elements.filter(({ to }) => to >= 0) };
}

/** The text of tokens `from` to `to`, both included. */
export function textOf({ tokens }: Pieces, from: number, to: number): string {
  return tokens.slice(from, to + 1).join('');
}

/** The whole text with tokens `from` to `to` replaced; `to` below `from` inserts before `from`. */
export function replaced(pieces: Pieces, from: number, to: number, text: string): string {
  return textOf(pieces, 0, from - 1) + text + textOf(pieces, to + 1, pieces.tokens.length - 1);
}

export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** The prefix with its colon, or nothing. */
export function prefixOf(name: string): string {
  return name.slice(0, name.indexOf(':') + 1);
}

export interface AttributePiece {
  readonly name: string;
  /** Without its quotes, as written. */
  readonly value: string;
  /** Of the whole attribute in the tag's text. */
  readonly at: number;
  readonly length: number;
}

/** A name begins after a space or a quote: so a long run of letters is looked at once, not from each letter. */
const ATTRIBUTE = /(?<=[\s"'])([^\s=<>"'/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

export function attributesOf(tag: string): readonly AttributePiece[] {
  if (!tag.startsWith('<')) return [];
  return Array.from(tag.matchAll(ATTRIBUTE), (match) => ({
    name: match[1] ?? '',
    value: match[2] ?? match[3] ?? '',
    at: match.index,
    length: match[0].length,
  }));
}

export function attributeValue(tag: string, name: string): string | null {
  return attributesOf(tag).find((attribute) => attribute.name === name)?.value ?? null;
}

/** The tag with the attribute set, added when it is not there. The value is written as it is. */
export function withAttribute(tag: string, name: string, value: string): string {
  const present = attributesOf(tag).find((attribute) => attribute.name === name);
  const text = `${name}="${value}"`;
  if (present === undefined) return withInside(tag, ` ${text}`);
  return tag.slice(0, present.at) + text + tag.slice(present.at + present.length);
}

/** The tag with a text before its end. */
export function withInside(tag: string, added: string): string {
  const end = tag.endsWith('/>') ? '/>' : tag.endsWith('>') ? '>' : '';
  return tag.slice(0, tag.length - end.length).trimEnd() + added + end;
}

/** `<a/>` as `<a>`. */
export function opened(tag: string): string {
  return tag.endsWith('/>') ? `${tag.slice(0, -2).trimEnd()}>` : tag;
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
