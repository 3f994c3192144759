/**
 * Values in a scenario: YAML as the JSON that it stands for.
 *
 * V1 Exact: a number keeps the digits that were written, and what JSON cannot say (`.inf`, `0x1F`) is refused.
 * V2 Null is a value: it is told from a key that is not there.
 */
import { isMap, isScalar, isSeq } from 'yaml';
import type { ParsedNode, Scalar } from 'yaml';
import { quoteText } from '../../config/quote-text.ts';
import { parseExactJsonText } from '../exact-json.ts';
import { isContext, type Context, type Value } from '../value.ts';
import { YamlEntry, type YamlFile } from '../yaml-reader.ts';

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

export interface YamlValue {
  readonly value: Value;
  /** The same as JSON text. */
  readonly json: string;
}

/** The value under `key`; undefined: there is none, or it is noted as wrong. */
export function valueOf(entry: YamlEntry, key: string): YamlValue | undefined {
  const node = entry.node(key);
  if (node === undefined) return undefined;
  const findingCount = entry.file.findings.length;
  const json = jsonOf(entry.file, node, `${key} of ${entry.what}`);
  if (entry.file.findings.length > findingCount) return undefined;
  const read = parseExactJsonText(json);
  // What the exact reader accepts is a value.
  if (read.ok) return { value: read.value as Value, json };
  entry.error(entry.file.codes.valueInvalid, `${key} of ${entry.what} cannot be kept: ${read.message}`, key);
  return undefined;
}

/** As `valueOf`, for a mapping of names to values. */
export function contextOf(entry: YamlEntry, key: string): Context | undefined {
  const read = valueOf(entry, key);
  if (read === undefined || isContext(read.value)) return read?.value as Context | undefined;
  entry.error(
    entry.file.codes.valueInvalid,
    `${key} of ${entry.what} must be a mapping of names to values`,
    key,
  );
  return undefined;
}

/** Names to text, for headers. */
export function textsOf(entry: YamlEntry, key: string): Readonly<Record<string, string>> {
  const texts = entry.entry(key, `${key} of ${entry.what}`);
  if (texts === undefined) return {};
  // fromEntries defines own properties, so a header called __proto__ is a header like any other.
  return Object.fromEntries(
    texts.keys().flatMap((name) => {
      const text = texts.text(name);
      return text === undefined ? [] : [[name.toLowerCase(), text] as const];
    }),
  );
}

/** One mapping, or a list of them. */
export function entriesOf(entry: YamlEntry, key: string, describe: (index: number) => string): YamlEntry[] {
  const node = entry.node(key);
  if (isMap(node)) return [new YamlEntry(entry.file, node, describe(0))];
  if (isSeq(node)) return entry.entries(key, describe) ?? [];
  if (entry.has(key)) {
    const message = `${key} of ${entry.what} must be a mapping of keys or a list of them`;
    entry.error(entry.file.codes.valueInvalid, message, key);
  }
  return [];
}

export interface PlacedText {
  readonly text: string;
  readonly offset: number;
}

/** A list of texts, or one text. Undefined: there is no such key. */
export function listOf(entry: YamlEntry, key: string): readonly PlacedText[] | undefined {
  const node = entry.node(key);
  if (node === undefined) return undefined;
  const items: readonly (ParsedNode | null)[] = isSeq(node) ? node.items : [node];
  return items.flatMap((item) => {
    if (isScalar(item) && typeof item.value === 'string')
      return [{ text: item.value, offset: item.range[0] }];
    const message = `${key} of ${entry.what} must be a list of names`;
    entry.file.error(entry.file.codes.valueInvalid, message, item?.range[0] ?? entry.at(key));
    return [];
  });
}

function jsonOf(file: YamlFile, node: ParsedNode | null, what: string): string {
  if (node === null) return 'null';
  if (isScalar(node)) return scalarJson(file, node, what);
  if (isSeq(node)) return `[${node.items.map((item) => jsonOf(file, item, what)).join(',')}]`;
  if (!isMap(node)) return 'null';
  const members = node.items.map(({ key, value }) => {
    if (!isScalar(key)) {
      file.error(file.codes.valueInvalid, `a key inside ${what} must be plain text`, key.range[0]);
      return '"":null';
    }
    // A key that looks like a number is the text that was written, as in JSON.
    const name = typeof key.value === 'string' ? key.value : key.source;
    return `${JSON.stringify(name)}:${jsonOf(file, value, what)}`;
  });
  return `{${members.join(',')}}`;
}

function scalarJson(file: YamlFile, { value, source, range }: Scalar.Parsed, what: string): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (JSON_NUMBER.test(source)) return source;
  const message = `${quoteText(source)} inside ${what} is no number that JSON can say; put text in quotes`;
  file.error(file.codes.valueInvalid, message, range[0]);
  return 'null';
}
