/**
 * Reads one YAML file of a package by key, and notes every fault with line and column.
 *
 * R1 A wrong value is a finding and reads as absent; it is never coerced or defaulted silently, because a
 *    file with an error finding yields no package.
 * R2 Keys are read by name from the nodes; no object is built from them, so `__proto__` is just unknown.
 * R3 A value is shown in a message only when the caller says it cannot be a secret.
 */
import { isMap, isScalar, isSeq } from 'yaml';
import type { ParsedNode, Scalar, YAMLMap } from 'yaml';
import type { Finding, Place } from '../config/engine-error.ts';
import { nearest } from '../config/nearest.ts';
import { quoteText } from '../config/quote-text.ts';
import { compileExpression, FeelSyntaxError, type CompiledExpression } from './feel.ts';
import type { PackageFile } from './package-model.ts';
import { composeYaml, type YamlLimits, type YamlText } from './yaml-document.ts';
import { offsetInScalar } from './yaml-scalar-places.ts';

/** The codes of one kind of file. */
export interface YamlCodes {
  readonly yamlInvalid: string;
  readonly keyUnknown: string;
  readonly keyMissing: string;
  readonly valueInvalid: string;
}

/** The parser needs seconds for hostile text much larger than this; authors write a few kilobytes. */
const MAX_FILE_BYTES = 262_144;
const LIMITS: YamlLimits = { maxDepth: 16 };

/** One file: turns offsets into places and collects findings. */
export class YamlFile {
  readonly path: string;
  readonly codes: YamlCodes;
  readonly findings: Finding[] = [];
  readonly #text: YamlText | null;
  #source = '';

  constructor(file: PackageFile, codes: YamlCodes, limits: YamlLimits = LIMITS) {
    this.path = file.path;
    this.codes = codes;
    this.#text = this.#compose(file.content, limits);
  }

  /** The mapping at the top, or null when there is none (which is noted, unless the file is broken). */
  root(what: string): YamlEntry | null {
    const root = this.rootNode(what);
    return root === null ? null : new YamlEntry(this, root, what);
  }

  /** The same, for readers of whole trees. */
  rootNode(what: string): YAMLMap.Parsed | null {
    if (this.#text === null || this.findings.length > 0) return null;
    const { root } = this.#text;
    if (root !== null && isMap(root)) return root;
    this.error(this.codes.valueInvalid, `${what} must be a mapping of keys`, root?.range[0] ?? 0);
    return null;
  }

  /** The place of the character at `index` of the scalar's value. */
  placeInScalar(scalar: Scalar.Parsed, index: number): Place {
    return this.place(offsetInScalar(this.#source, scalar, index));
  }

  error(code: string, message: string, at: number | Place): void {
    this.note('error', code, message, at);
  }

  note(severity: Finding['severity'], code: string, message: string, at: number | Place): void {
    const place = typeof at === 'number' ? this.place(at) : at;
    this.findings.push({ code, severity, message: `${message}.`, place });
  }

  place(offset: number): Place {
    const position = this.#text?.lines.linePos(offset);
    return {
      file: this.path,
      line: Math.max(position?.line ?? 1, 1),
      column: Math.max(position?.col ?? 1, 1),
    };
  }

  #compose(content: Uint8Array, limits: YamlLimits): YamlText | null {
    const start: Place = { file: this.path, line: 1, column: 1 };
    if (content.byteLength > MAX_FILE_BYTES) {
      const message = `the file has ${content.byteLength} bytes; the limit is ${MAX_FILE_BYTES}`;
      this.error(this.codes.yamlInvalid, message, start);
      return null;
    }
    const decoded = decodeUtf8(content);
    if (decoded === null) {
      this.error(this.codes.yamlInvalid, 'the file is not UTF-8', start);
      return null;
    }
    this.#source = decoded;
    const text = composeYaml(decoded, limits);
    for (const fault of text.faults) {
      const { line, col } = text.lines.linePos(fault.offset);
      const place: Place = { file: this.path, line: Math.max(line, 1), column: Math.max(col, 1) };
      this.error(this.codes.yamlInvalid, `the file cannot be read: ${fault.message}`, place);
    }
    return text;
  }
}

/** One mapping of the file. `what` names it in messages: `channel "orders"`. */
export class YamlEntry {
  readonly file: YamlFile;
  readonly what: string;
  /** Where the mapping begins. */
  readonly offset: number;
  readonly #values = new Map<string, { readonly key: number; readonly value: ParsedNode | null }>();

  constructor(file: YamlFile, map: YAMLMap.Parsed, what: string) {
    this.file = file;
    this.what = what;
    this.offset = map.range[0];
    for (const { key, value } of map.items) {
      const offset = key.range[0];
      if (isScalar(key) && typeof key.value === 'string') this.#values.set(key.value, { key: offset, value });
      else file.error(file.codes.keyUnknown, `a key of ${what} must be plain text`, offset);
    }
  }

  get place(): Place {
    return this.file.place(this.offset);
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  /** In the order in which they are written. */
  keys(): readonly string[] {
    return [...this.#values.keys()];
  }

  /** Where `key` itself begins, else the mapping. */
  keyAt(key: string): number {
    return this.#values.get(key)?.key ?? this.offset;
  }

  /** What stands under `key`, as the library has it. Null: nothing does; undefined: there is no such key. */
  node(key: string): ParsedNode | null | undefined {
    return this.#values.get(key)?.value;
  }

  /** Where the value of `key` begins, else the key, else the mapping. */
  at(key: string): number {
    const found = this.#values.get(key);
    return found === undefined ? this.offset : (found.value?.range[0] ?? found.key);
  }

  refuseUnknownKeys(known: readonly string[]): void {
    for (const [key, { key: offset }] of this.#values) {
      if (known.includes(key)) continue;
      const message = `${quoteText(key)} is not a key of ${this.what}; the nearest is ${nearest(key, known) ?? ''}`;
      this.file.error(this.file.codes.keyUnknown, message, offset);
    }
  }

  error(code: string, message: string, key?: string): void {
    this.file.error(code, message, key === undefined ? this.offset : this.at(key));
  }

  /** Notes `key` as missing. */
  missing(key: string): void {
    this.error(this.file.codes.keyMissing, `${this.what} needs the key ${key}`);
  }

  text(key: string): string | undefined {
    return this.#typed(key, 'text (in quotes when it looks like a number)', (value) =>
      typeof value === 'string' ? value : undefined,
    );
  }

  /** One of `allowed`. Without `isShown` the message does not repeat what was written (R3). */
  choice<Choice extends string>(key: string, allowed: readonly Choice[], isShown = true): Choice | undefined {
    const text = this.text(key);
    const found = allowed.find((candidate) => candidate === text);
    if (text !== undefined && found === undefined) {
      const message = `${key} of ${this.what} ${isShown ? `is ${quoteText(text)}; it ` : ''}must be one of ${allowed.join(', ')}`;
      this.error(this.file.codes.valueInvalid, message, key);
    }
    return found;
  }

  boolean(key: string): boolean | undefined {
    return this.#typed(key, 'true or false', (value) => (typeof value === 'boolean' ? value : undefined));
  }

  integer(key: string, min: number, max: number): number | undefined {
    const value = this.#typed(key, 'a whole number', (found) =>
      typeof found === 'number' && Number.isSafeInteger(found) ? found : undefined,
    );
    if (value === undefined || (value >= min && value <= max)) return value;
    this.error(
      this.file.codes.valueInvalid,
      `${key} of ${this.what} is ${value}; it must be ${min} to ${max}`,
      key,
    );
    return undefined;
  }

  entry(key: string, what: string): YamlEntry | undefined {
    const found = this.#values.get(key);
    if (found === undefined) return undefined;
    if (isMap(found.value)) return new YamlEntry(this.file, found.value, what);
    this.#wrongType(key, 'a mapping of keys');
    return undefined;
  }

  /** The entries of a list of mappings; what is no mapping is noted and left out. */
  entries(key: string, describe: (index: number) => string): YamlEntry[] | undefined {
    const found = this.#values.get(key);
    if (found === undefined) return undefined;
    if (!isSeq(found.value)) {
      this.#wrongType(key, 'a list');
      return undefined;
    }
    const entries: YamlEntry[] = [];
    for (const [index, item] of found.value.items.entries()) {
      if (isMap(item)) entries.push(new YamlEntry(this.file, item, describe(index)));
      else
        this.file.error(
          this.file.codes.valueInvalid,
          `${describe(index)} must be a mapping of keys`,
          item.range[0],
        );
    }
    return entries;
  }

  /** A FEEL expression. A number is taken for one too: `priority: 5`. */
  expression(key: string): CompiledExpression | undefined {
    const source = this.#typed(key, 'a FEEL expression', (value) =>
      typeof value === 'string' || typeof value === 'number' ? value : undefined,
    );
    if (source === undefined) return undefined;
    try {
      return compileExpression(String(source));
    } catch (error) {
      if (!(error instanceof FeelSyntaxError)) throw error;
      this.file.error(
        error.code,
        `${key} of ${this.what}: ${error.message}`,
        this.#placeInside(key, indexOf(String(source), error)),
      );
      return undefined;
    }
  }

  /** The place of the character at `offset` of the text of the expression that `key` has. */
  placeInExpression(key: string, { text }: CompiledExpression, offset: number): Place {
    const value = this.#values.get(key)?.value;
    const written = isScalar(value) ? String(value.value).trimEnd() : '';
    // What stands before the expression is white space and a sign.
    return this.#placeInside(key, written.length - text.length + offset);
  }

  #placeInside(key: string, index: number): Place {
    const scalar = this.#values.get(key)?.value;
    return isScalar(scalar) ? this.file.placeInScalar(scalar, index) : this.file.place(this.at(key));
  }

  #typed<Type>(key: string, type: string, read: (value: unknown) => Type | undefined): Type | undefined {
    const found = this.#values.get(key);
    if (found === undefined) return undefined;
    const value = isScalar(found.value) ? read(found.value.value) : undefined;
    if (value === undefined) this.#wrongType(key, type);
    return value;
  }

  #wrongType(key: string, type: string): void {
    this.error(this.file.codes.valueInvalid, `${key} of ${this.what} must be ${type}`, key);
  }
}

/** The index in `text` of the place that the error names. */
export function indexOf(text: string, { line, column }: FeelSyntaxError): number {
  const lines = text.split(/\r\n|\r|\n/);
  const before = lines.slice(0, line - 1).reduce((length, one) => length + one.length + 1, 0);
  return before + column - 1;
}

function decodeUtf8(content: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    return null;
  }
}
