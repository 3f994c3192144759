/**
 * An XML document as a tree with namespaces resolved, and the exact place of everything in it.
 */
import type { Place } from '../../config/engine-error.ts';
import { decodeAttribute, decodeText, rawIndex } from './entities.ts';
import type { LineIndex } from './line-index.ts';

export interface XmlAttribute {
  /** As written, prefix included. */
  readonly name: string;
  /** Empty for an attribute without a prefix: it belongs to its element. */
  readonly namespace: string;
  readonly localName: string;
  readonly value: string;
}

export interface XmlElement {
  /** As written, prefix included. */
  readonly name: string;
  /** Empty when no namespace is declared. */
  readonly namespace: string;
  readonly localName: string;
  /** Namespace declarations excluded. */
  readonly attributes: readonly XmlAttribute[];
  readonly children: readonly XmlElement[];
  /** The text directly inside, CDATA included, spaces kept. Empty when it is only space between elements. */
  readonly text: string;
  /** Where the start tag's `<` stands in the decoded file. */
  readonly offset: number;
  /** Namespaces by the prefixes that hold inside; empty for the default one. For values that are QNames. */
  readonly prefixes: ReadonlyMap<string, string>;
}

/** The value of the attribute without a namespace, or null. */
export function attributeOf(element: XmlElement, localName: string): string | null {
  return findAttribute(element, localName)?.value ?? null;
}

export function findAttribute(element: XmlElement, localName: string): XmlAttribute | null {
  return (
    element.attributes.find((attribute) => attribute.namespace === '' && attribute.localName === localName) ??
    null
  );
}

const ATTRIBUTE = /\s+([^\s=/>]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/y;

/** A tree, and the only source of the places in it. */
export interface XmlDocument {
  readonly file: string;
  readonly root: XmlElement;
  /** The element's start tag. */
  placeOf(element: XmlElement): Place;
  /** The attribute's name, as it stands in the start tag. */
  placeOfAttribute(element: XmlElement, attribute: XmlAttribute): Place;
  /** The character at `index` of the attribute's value. */
  placeInAttribute(element: XmlElement, attribute: XmlAttribute, index: number): Place;
  /** The character at `index` of the element's text, when it has no child elements before that. */
  placeInText(element: XmlElement, index: number): Place;
}

/** One that was read from a file's text. */
export class ParsedXmlDocument implements XmlDocument {
  readonly file: string;
  readonly root: XmlElement;
  readonly #text: string;
  readonly #lines: LineIndex;

  constructor(file: string, root: XmlElement, text: string, lines: LineIndex) {
    this.file = file;
    this.root = root;
    this.#text = text;
    this.#lines = lines;
  }

  placeOf(element: XmlElement): Place {
    return this.#placeAt(element.offset);
  }

  placeOfAttribute(element: XmlElement, attribute: XmlAttribute): Place {
    return this.#placeAt(this.#findAttribute(element, attribute)?.nameAt ?? element.offset);
  }

  placeInAttribute(element: XmlElement, attribute: XmlAttribute, index: number): Place {
    const found = this.#findAttribute(element, attribute);
    if (found === null) {
      return this.#placeAt(element.offset);
    }
    // A collapsed value is a part of what was written.
    const start = Math.max(0, decodeAttribute(found.raw).indexOf(attribute.value));
    return this.#placeAt(found.valueAt + rawIndex(found.raw, start + index));
  }

  placeInText(element: XmlElement, index: number): Place {
    return this.#placeAt(this.#textOffset(this.#startTagEnd(element), index));
  }

  #placeAt(offset: number): Place {
    return { file: this.file, ...this.#lines.placeAt(offset) };
  }

  #findAttribute(
    element: XmlElement,
    attribute: XmlAttribute,
  ): { nameAt: number; valueAt: number; raw: string } | null {
    ATTRIBUTE.lastIndex = element.offset + 1 + element.name.length;
    for (let match = ATTRIBUTE.exec(this.#text); match !== null; match = ATTRIBUTE.exec(this.#text)) {
      const [whole, name = ''] = match;
      if (name === attribute.name) {
        const raw = match[2] ?? match[3] ?? '';
        return {
          nameAt: match.index + whole.length - whole.trimStart().length,
          valueAt: match.index + whole.length - 1 - raw.length,
          raw,
        };
      }
    }
    return null;
  }

  /** The offset after the start tag's `>`. */
  #startTagEnd(element: XmlElement): number {
    let at = element.offset + 1 + element.name.length;
    ATTRIBUTE.lastIndex = at;
    while (ATTRIBUTE.test(this.#text)) {
      at = ATTRIBUTE.lastIndex;
    }
    return this.#text.indexOf('>', at) + 1;
  }

  /** Walks text, references, CDATA sections and comments; stops at the first tag. */
  #textOffset(from: number, index: number): number {
    const text = this.#text;
    let at = from;
    let left = index;
    while (at < text.length) {
      if (text.startsWith('<![CDATA[', at)) {
        const start = at + '<![CDATA['.length;
        const end = text.indexOf(']]>', start);
        if (left < end - start) {
          return start + left;
        }
        left -= end - start;
        at = end + ']]>'.length;
      } else if (text.startsWith('<!--', at)) {
        at = text.indexOf('-->', at + 4) + '-->'.length;
      } else if (text.startsWith('<?', at)) {
        at = text.indexOf('?>', at) + '?>'.length;
      } else {
        const next = text.indexOf('<', at);
        const run = text.slice(at, next === -1 ? text.length : next);
        const decodedLength = decodeText(run).length;
        if (left < decodedLength || next === -1 || !/^<[!?]/.test(text.slice(next, next + 2))) {
          return at + Math.min(rawIndex(run, left), run.length);
        }
        left -= decodedLength;
        at = next;
      }
    }
    return at;
  }
}
