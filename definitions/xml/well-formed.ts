/**
 * The well-formedness pass: decides whether a text is XML that we read at all, and where it is not.
 *
 * W1 Nothing that has a document type declaration gets as far as a parser.
 * W2 A text that passes has one root, matching tags, unique attributes, declared prefixes and only
 *    entities that XML itself defines.
 * W3 The bounds hold before any tree is built, so a hostile file costs one linear scan.
 */
import { SaxesParser } from 'saxes';
import { xmlBounds } from './bounds.ts';
import { shown } from './shown.ts';
import type { XmlCode } from './codes.ts';
import type { LineIndex } from './line-index.ts';
import type { XmlFault } from './decode-bytes.ts';

/** What this pass saw of one element, in document order; the tree must show the same. */
export interface SeenElement {
  readonly name: string;
  readonly attributeCount: number;
  /** Of its `<` in the text. */
  readonly offset: number;
}

export interface WellFormedResult {
  readonly faults: readonly XmlFault[];
  readonly elements: readonly SeenElement[];
}

const RESERVED_NAMES = new Set(['__proto__', 'constructor', 'prototype']);

/** Ends the scan from inside a handler. */
class ScanStopped extends Error {}

export function checkWellFormed(text: string, file: string, lines: LineIndex): WellFormedResult {
  if (text.trim() === '') {
    return {
      faults: [
        {
          code: 'SUTRA.XML.EMPTY',
          message: 'the file is empty; export the model again',
          place: { file, line: 1, column: 1 },
        },
      ],
      elements: [],
    };
  }
  const doctypeAt = findDoctype(text);
  if (doctypeAt !== null) {
    const message = 'a document type declaration is not read; remove the <!DOCTYPE …>';
    return {
      faults: [
        { code: 'SUTRA.XML.DOCTYPE_FORBIDDEN', message, place: { file, ...lines.placeAt(doctypeAt) } },
      ],
      elements: [],
    };
  }
  return new Scan(text, file, lines).run();
}

/** The offset of a document type declaration in the prolog, the only place where XML allows one. */
function findDoctype(text: string): number | null {
  let at = 0;
  for (;;) {
    at = skipSpace(text, at);
    const end = text.startsWith('<!--', at)
      ? text.indexOf('-->', at + 4)
      : text.startsWith('<?', at)
        ? text.indexOf('?>', at + 2)
        : -1;
    if (end === -1) {
      return /^<!doctype/i.test(text.slice(at, at + 9)) ? at : null;
    }
    at = text.indexOf('>', end) + 1;
  }
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 0x20) {
    at += 1;
  }
  return at;
}

class Scan {
  readonly #text: string;
  readonly #file: string;
  readonly #lines: LineIndex;
  readonly #parser = new SaxesParser({ xmlns: true });
  readonly #faults: XmlFault[] = [];
  readonly #elements: SeenElement[] = [];
  #depth = 0;
  /** Where the start tag that is being read begins, and how many attributes it has so far. */
  #tagAt = 0;
  #attributeCount = 0;

  constructor(text: string, file: string, lines: LineIndex) {
    this.#text = text;
    this.#file = file;
    this.#lines = lines;
  }

  run(): WellFormedResult {
    const parser = this.#parser;
    parser.on('error', (error) => this.#onError(error));
    parser.on('xmldecl', ({ version }) => {
      if (version !== '1.0') {
        this.#stop(
          'SUTRA.XML.VERSION_UNSUPPORTED',
          `XML version ${shown(version ?? '')} is not read; declare version="1.0"`,
          0,
        );
      }
    });
    parser.on('doctype', () =>
      this.#stop(
        'SUTRA.XML.DOCTYPE_FORBIDDEN',
        'a document type declaration is not read; remove it',
        parser.position - 1,
      ),
    );
    parser.on('processinginstruction', ({ target, body }) => {
      // The tree parser takes quotes in an instruction for those of attributes.
      if (/["']/.test(`${target} ${body}`.replace(/"[^"]*"|'[^']*'/g, ''))) {
        const at = this.#text.lastIndexOf(`<?${target}`, parser.position - 1);
        this.#add('SUTRA.XML.UNREADABLE', `the instruction ${shown(target)} has an odd quote; remove it`, at);
      }
    });
    parser.on('opentagstart', (tag) => this.#onOpenTagStart(tag.name));
    parser.on('attribute', ({ name, value }) => this.#onAttribute(name, value));
    parser.on('opentag', (tag) => {
      const attributeCount = Object.keys(tag.attributes).length;
      this.#elements.push({ name: tag.name, attributeCount, offset: this.#tagAt });
    });
    parser.on('closetag', () => {
      this.#depth -= 1;
    });
    try {
      parser.write(this.#text).close();
    } catch (error) {
      if (!(error instanceof ScanStopped)) {
        throw error;
      }
    }
    return { faults: this.#faults, elements: this.#elements };
  }

  #onError(error: Error): void {
    // The parser puts its own line and column before the text; ours is in the place.
    const message = error.message.replace(/^\d+:\d+: /, '').replace(/\.$/, '');
    // These two it finds only at the end of the start tag.
    const at = /^(?:duplicate attribute|unbound namespace)/.test(message)
      ? this.#tagAt
      : this.#parser.position - 1;
    this.#add('SUTRA.XML.NOT_WELL_FORMED', `the file is not well-formed XML: ${message.slice(0, 200)}`, at);
    if (this.#faults.length >= xmlBounds.maxFaults) {
      throw new ScanStopped();
    }
  }

  #onOpenTagStart(name: string): void {
    // The parser has read `<`, the name and the character after it.
    const at = this.#parser.position - name.length - 2;
    this.#tagAt = at;
    this.#depth += 1;
    this.#attributeCount = 0;
    if (name.length > xmlBounds.maxNameLength) {
      this.#stop(
        'SUTRA.XML.VALUE_TOO_LONG',
        `the element name has ${name.length} characters, the limit is ${xmlBounds.maxNameLength}`,
        at,
      );
    }
    if (this.#depth > xmlBounds.maxDepth) {
      this.#stop(
        'SUTRA.XML.TOO_DEEP',
        `the elements are nested deeper than the limit of ${xmlBounds.maxDepth}`,
        at,
      );
    }
    if (this.#elements.length >= xmlBounds.maxElements) {
      this.#stop(
        'SUTRA.XML.TOO_MANY_ELEMENTS',
        `the file has more than the limit of ${xmlBounds.maxElements} elements`,
        at,
      );
    }
    this.#refuseReserved(name, at);
  }

  #onAttribute(name: string, value: string): void {
    this.#attributeCount += 1;
    const at = this.#parser.position - 1;
    if (this.#attributeCount > xmlBounds.maxAttributesPerElement) {
      this.#stop(
        'SUTRA.XML.TOO_MANY_ELEMENTS',
        `the element has more than the limit of ${xmlBounds.maxAttributesPerElement} attributes`,
        at,
      );
    }
    if (name.length > xmlBounds.maxNameLength) {
      this.#stop(
        'SUTRA.XML.VALUE_TOO_LONG',
        `the attribute name has ${name.length} characters, the limit is ${xmlBounds.maxNameLength}`,
        at,
      );
    }
    this.#refuseReserved(name, at);
    if (value.length > xmlBounds.maxAttributeLength) {
      const limit = xmlBounds.maxAttributeLength;
      this.#stop(
        'SUTRA.XML.VALUE_TOO_LONG',
        `the attribute ${shown(name)} has ${value.length} characters, the limit is ${limit}`,
        at,
      );
    }
  }

  /** Names that the tree parser does not hold: they are members of every JavaScript object's prototype. */
  #refuseReserved(name: string, at: number): void {
    if (RESERVED_NAMES.has(name)) {
      this.#add('SUTRA.XML.UNREADABLE', `the name ${shown(name)} is not read; choose another`, at);
    }
  }

  #add(code: XmlCode, message: string, offset: number): void {
    const place = this.#lines.placeAt(Math.min(Math.max(offset, 0), this.#text.length));
    this.#faults.push({ code, message, place: { file: this.#file, ...place } });
  }

  #stop(code: XmlCode, message: string, offset: number): never {
    this.#add(code, message, offset);
    throw new ScanStopped();
  }
}
