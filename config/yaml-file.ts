/**
 * Reads a configuration file into dotted keys, each with its text and its place.
 *
 * Y1 Every fault has line and column; one fault does not hide the others.
 * Y2 A value is the text as written: `8_080`, `0x10` and `1e3` reach the key's own parser, which refuses
 *    them; YAML's own idea of numbers never applies.
 * Y3 Depth is measured on the flat token tree before the library composes nodes: composing recurses,
 *    and some tens of thousands of brackets do not throw there, they end the process.
 * Y4 Aliases are refused: settings need none, and they are how a small file becomes a large one.
 */
import { Composer, isAlias, isMap, isScalar, LineCounter, Parser } from 'yaml';
import type { CST, Document, ParsedNode, YAMLError } from 'yaml';
import type { Finding, Place } from './engine-error.ts';
import { quoteText } from './quote-text.ts';

/** One value of the file. `text` is null where the key has nothing after its colon. */
export interface FileSetting {
  /** Dotted, however the file nests it. */
  readonly key: string;
  /** `group`: an empty map. */
  readonly kind: 'scalar' | 'group';
  readonly text: string | null;
  readonly place: Place;
}

export interface FileReading {
  readonly settings: readonly FileSetting[];
  readonly faults: readonly Finding[];
}

/** A file of settings has a few kilobytes; the parser takes a second for one of hostile brackets this large. */
const MAX_FILE_BYTES = 262_144;
/** The deepest key has five parts. */
const MAX_DEPTH = 16;

/** Reads the bytes of a YAML file; `file` is only named in places. */
export function readSettingsFile(content: Uint8Array, file: string): FileReading {
  const reader = new Reader(file);
  reader.read(content);
  return reader;
}

class Reader implements FileReading {
  readonly settings: FileSetting[] = [];
  readonly faults: Finding[] = [];
  readonly #file: string;
  readonly #lines = new LineCounter();

  constructor(file: string) {
    this.#file = file;
  }

  read(content: Uint8Array): void {
    if (content.byteLength > MAX_FILE_BYTES) {
      this.#fault(0, `the file has ${content.byteLength} bytes; the limit is ${MAX_FILE_BYTES}`);
      return;
    }
    const text = decode(content);
    if (text === null) {
      this.#fault(0, 'the file is not UTF-8');
      return;
    }
    const tokens = [...new Parser(this.#lines.addNewLine).parse(text)];
    const tooDeep = offsetBeyondDepth(tokens);
    if (tooDeep !== null) {
      this.#fault(tooDeep, `the file nests deeper than ${MAX_DEPTH} levels`);
      return;
    }
    const composer = new Composer({
      uniqueKeys: false,
      merge: false,
      prettyErrors: false,
      logLevel: 'silent',
    });
    const documents = [...composer.compose(tokens, true, text.length)] as Document.Parsed[];
    for (const document of documents) {
      for (const error of [...document.errors, ...document.warnings] as YAMLError[]) {
        this.#fault(error.pos[0], `the file is not valid YAML: ${error.message}`);
      }
    }
    const [first, second] = documents;
    if (second !== undefined) {
      this.#fault(second.range[0], 'the file holds more than one YAML document');
    }
    const root = first?.contents ?? null;
    if (root !== null && this.faults.length === 0) {
      this.#readRoot(root);
    }
  }

  #readRoot(root: ParsedNode): void {
    if (isScalar(root) && root.value === null) {
      return;
    }
    if (!isMap(root)) {
      this.#fault(root.range[0], 'the file must be a map of keys, as `sutra: {http: {port: 8080}}`');
      return;
    }
    this.#walk(root, '');
  }

  #walk(node: ParsedNode, prefix: string): void {
    if (!isMap(node)) {
      this.#readValue(node, prefix);
      return;
    }
    const lineOf = new Map<string, number>();
    for (const { key, value } of node.items) {
      if (!isScalar(key) || key.value === null) {
        this.#fault(key.range[0], 'a key must be plain text');
        continue;
      }
      const name = typeof key.value === 'string' ? key.value : key.source;
      const dotted = prefix === '' ? name : `${prefix}.${name}`;
      const place = this.#place(key.range[0]);
      const earlier = lineOf.get(name);
      if (earlier !== undefined && isMap(value)) {
        // Values that appear twice are found by their dotted key; groups would silently merge.
        this.#fault(key.range[0], `${quoteText(dotted)} appears twice in one map: first in line ${earlier}`);
      }
      lineOf.set(name, place.line ?? 1);
      if (value === null || (isScalar(value) && value.value === null)) {
        this.settings.push({ key: dotted, kind: 'scalar', text: null, place });
      } else if (isMap(value) && value.items.length === 0) {
        this.settings.push({ key: dotted, kind: 'group', text: null, place });
      } else {
        this.#walk(value, dotted);
      }
    }
  }

  #readValue(node: ParsedNode, key: string): void {
    if (isScalar(node)) {
      const text = typeof node.value === 'string' ? node.value : node.source;
      this.settings.push({ key, kind: 'scalar', text, place: this.#place(node.range[0]) });
    } else if (isAlias(node)) {
      this.#fault(node.range[0], `${quoteText(key)} is a YAML alias: write the value itself`);
    } else {
      this.#fault(node.range[0], `${quoteText(key)} is a list: a key has a single value`);
    }
  }

  #fault(offset: number, message: string): void {
    this.faults.push({
      code: 'SUTRA.CONFIG.FILE_MALFORMED',
      severity: 'error',
      message,
      place: this.#place(offset),
    });
  }

  #place(offset: number): Place {
    const { line, col } = this.#lines.linePos(offset);
    return { file: this.#file, line: Math.max(line, 1), column: Math.max(col, 1) };
  }
}

function decode(content: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    return null;
  }
}

/** The offset of the first collection nested deeper than `MAX_DEPTH`, or null. Does not recurse. */
function offsetBeyondDepth(tokens: readonly CST.Token[]): number | null {
  const open: { readonly token: CST.Token; readonly depth: number }[] = tokens.map((token) => ({
    token,
    depth: 0,
  }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token, depth } = next;
    if (depth > MAX_DEPTH) {
      return token.offset;
    }
    if (token.type === 'document' && token.value !== undefined) {
      open.push({ token: token.value, depth });
    } else if (token.type === 'block-map' || token.type === 'block-seq' || token.type === 'flow-collection') {
      for (const { key, value } of token.items) {
        for (const child of [key, value]) {
          if (child !== undefined && child !== null) {
            open.push({ token: child, depth: depth + 1 });
          }
        }
      }
    }
  }
  return null;
}
