/**
 * What stands in the file of a flow, value by value, for the readers of kinds and forms.
 *
 * V1 A fault is noted where it is and reads as null. A file with an error yields no flow, so nothing has to stand in
 *    for what is wrong.
 * V2 Keys are read from the nodes; no object is built from them.
 */
import { isMap, isScalar, isSeq } from 'yaml';
import type { ParsedNode, YAMLMap } from 'yaml';
import type { Place } from '../../../config/engine-error.ts';
import { quoteText } from '../../../config/quote-text.ts';
import { nearestName } from '../../nearest-name.ts';
import { trimmed, type Written } from '../../written.ts';
import type { PlaceSource } from '../../xml/translated-document.ts';
import type { YamlFile } from '../../yaml-reader.ts';
import type { flowsCodes } from '../codes.ts';

export type FlowCode = keyof typeof flowsCodes;

/** One value. `what` names it in messages: `timeout of the call`. */
export class FlowValue {
  readonly file: YamlFile;
  readonly node: ParsedNode | null;
  readonly what: string;
  /** Where it begins; where the key does, when there is nothing. */
  readonly offset: number;

  constructor(file: YamlFile, node: ParsedNode | null, what: string, offset = node?.range[0] ?? 0) {
    this.file = file;
    this.node = node;
    this.what = what;
    this.offset = offset;
  }

  /** The same under another name. */
  renamed(what: string): FlowValue {
    return new FlowValue(this.file, this.node, what, this.offset);
  }

  get place(): PlaceSource {
    return () => this.file.place(this.offset);
  }

  /** Whether nothing is written, or `~`, or `null`. */
  get isNothing(): boolean {
    return this.node === null || (isScalar(this.node) && this.node.value === null);
  }

  /** What kind of scalar it is; null for a list, a mapping or nothing. */
  get scalarKind(): 'text' | 'number' | 'boolean' | null {
    if (!isScalar(this.node)) return null;
    const { value } = this.node;
    if (typeof value === 'string') return 'text';
    if (typeof value === 'number' || typeof value === 'bigint') return 'number';
    return typeof value === 'boolean' ? 'boolean' : null;
  }

  get isList(): boolean {
    return isSeq(this.node);
  }

  get isEmptyList(): boolean {
    return isSeq(this.node) && this.node.items.length === 0;
  }

  get isMapping(): boolean {
    return isMap(this.node);
  }

  /** Whether it is a mapping with this key. Notes nothing. */
  hasKey(key: string): boolean {
    return isMap(this.node) && this.node.has(key);
  }

  /** A scalar as it is written; booleans in small letters. Blocks are trimmed: their last line ends too. */
  get written(): Written | null {
    const { node, file } = this;
    if (!isScalar(node)) return null;
    const text = typeof node.value === 'string' ? node.value : node.source;
    const written: Written = {
      text: typeof node.value === 'boolean' ? text.toLowerCase() : text,
      place: this.place,
      inside: (index) => file.placeInScalar(node, index),
    };
    return node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED' ? trimmed(written) : written;
  }

  /** The values of a list; null when it is none. */
  items(describe: (index: number) => string): readonly FlowValue[] | null {
    if (!isSeq(this.node)) return null;
    return this.node.items.map((item, index) => new FlowValue(this.file, item, describe(index)));
  }

  /** The keys and values of a mapping, which is named `what`; null when it is none. */
  mapping(what: string): FlowMapping | null {
    return isMap(this.node) ? FlowMapping.of(this.file, this.node, what) : null;
  }

  error(code: FlowCode, message: string, at: Place | number = this.offset): null {
    this.file.error(code, message, at);
    return null;
  }

  invalid(message: string, at?: Place): null {
    return this.error('SUTRA.FLOWS.VALUE_INVALID', message, at);
  }

  /** Notes that it is not what it must be. */
  mustBe(type: string): null {
    return this.isNothing
      ? this.invalid(`${this.what} is empty; write ${type}`)
      : this.invalid(`${this.what} must be ${type}`);
  }
}

export interface FlowEntry {
  readonly key: Written;
  /** The key, to be read as a value: names that the author chose. */
  readonly keyValue: FlowValue;
  readonly value: FlowValue;
}

/** The keys of one mapping with their values, in order. */
export class FlowMapping {
  readonly file: YamlFile;
  readonly what: string;
  readonly offset: number;
  readonly entries: readonly FlowEntry[];

  constructor(file: YamlFile, what: string, offset: number, entries: readonly FlowEntry[]) {
    this.file = file;
    this.what = what;
    this.offset = offset;
    this.entries = entries;
  }

  /** Keys that are no text are noted and left out. */
  static of(file: YamlFile, map: YAMLMap.Parsed, what: string): FlowMapping {
    const entries: FlowEntry[] = [];
    for (const { key, value } of map.items) {
      const offset = key.range[0];
      if (!isScalar(key) || typeof key.value !== 'string' || key.value === '') {
        file.error('SUTRA.FLOWS.KEY_UNKNOWN', `a key of ${what} must be plain text`, offset);
        continue;
      }
      const keyValue = new FlowValue(file, key, `a key of ${what}`);
      const { written } = keyValue;
      if (written === null) continue;
      const isThere = value !== null && (!isScalar(value) || value.range[0] !== value.range[1]);
      const at = isThere ? value.range[0] : offset;
      const valueWhat = `${shortened(key.value)} of ${what}`;
      entries.push({ key: written, keyValue, value: new FlowValue(file, value, valueWhat, at) });
    }
    return new FlowMapping(file, what, map.range[0], entries);
  }

  get place(): PlaceSource {
    return () => this.file.place(this.offset);
  }

  get(key: string): FlowValue | null {
    return this.entries.find((entry) => entry.key.text === key)?.value ?? null;
  }

  has(key: string): boolean {
    return this.get(key) !== null;
  }

  /** The same under another name. */
  renamed(what: string): FlowMapping {
    const entries = this.entries.map((entry) => ({
      ...entry,
      value: entry.value.renamed(`${shortened(entry.key.text)} of ${what}`),
    }));
    return new FlowMapping(this.file, what, this.offset, entries);
  }

  without(...keys: readonly string[]): FlowMapping {
    const entries = this.entries.filter(({ key }) => !keys.includes(key.text));
    return new FlowMapping(this.file, this.what, this.offset, entries);
  }

  /** With the entries of another, or with one more; a key that both have is noted. */
  and(others: readonly FlowEntry[]): FlowMapping {
    for (const { key } of others) {
      if (!this.has(key.text)) continue;
      const message = `${quoteText(key.text)} of ${this.what} is written twice, beside the step's verb and under it; keep one`;
      this.error('SUTRA.FLOWS.VALUE_INVALID', message, key.place());
    }
    return new FlowMapping(this.file, this.what, this.offset, [...this.entries, ...others]);
  }

  /** Gives the keys that were probably meant by unknown ones. */
  refuseUnknownKeys(
    known: readonly string[],
    hint: (key: string) => string | null = () => null,
  ): ReadonlySet<string> {
    const meant = new Set<string>();
    const others = known.filter((key) => !this.has(key));
    for (const { key } of this.entries) {
      if (known.includes(key.text)) continue;
      const near = nearestName(key.text, others);
      if (near !== null) meant.add(near);
      const help =
        hint(key.text) ??
        (near === null ? `its keys are ${others.join(', ')}` : `the nearest is ${quoteText(near)}`);
      this.error(
        'SUTRA.FLOWS.KEY_UNKNOWN',
        `${quoteText(key.text)} is not a key of ${this.what}; ${help}`,
        key.place(),
      );
    }
    return meant;
  }

  error(code: FlowCode, message: string, at: Place | number = this.offset): null {
    this.file.error(code, message, at);
    return null;
  }
}

/** A key in a message. */
function shortened(key: string): string {
  return key.length > 40 ? `${key.slice(0, 40)}…` : key;
}
