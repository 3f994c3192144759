/**
 * The test cases of the DMN TCK as data: what is given to a model, and what must come out.
 *
 * Source: https://github.com/dmn-tck/tck, testCases.xsd.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { fromText } from '../../../definitions/feel/number-text.ts';
import type { FeelContext, FeelValue } from '../../../definitions/feel/runtime.ts';
import {
  dateFrom,
  dateTimeFrom,
  durationFrom,
  timeFrom,
} from '../../../definitions/feel/temporal/functions.ts';
import type { PackageFile } from '../../../definitions/package-model.ts';
import { attributeOf, type XmlElement } from '../../../definitions/xml/document.ts';
import { readXml } from '../../../definitions/xml/read-xml.ts';

export interface TckFolder {
  /** `compliance-level-3/0001-filter` */
  readonly name: string;
  readonly models: readonly PackageFile[];
  readonly suites: readonly TckSuite[];
}

/** A file of test cases. */
export interface TckSuite {
  readonly file: string;
  /** The file of the model that they are for. */
  readonly modelFile: string;
  readonly cases: readonly TckCase[];
}

export interface TckCase {
  readonly id: string;
  /** What is evaluated for all results, other than their decisions: a decision service, by name. */
  readonly service: string | null;
  readonly inputs: FeelContext;
  readonly results: readonly TckResult[];
}

export interface TckResult {
  /** Of the decision. */
  readonly name: string;
  /** Null also where an error is expected: what went wrong gives null. */
  readonly expected: FeelValue;
}

const XSI = 'http://www.w3.org/2001/XMLSchema-instance';

/** All folders of the TCK that have test cases, in order. */
export function readTckFolders(root: string): readonly TckFolder[] {
  const levels = readdirSync(root).sort();
  const names = levels.flatMap((level) =>
    readdirSync(`${root}/${level}`)
      .sort()
      .map((folder) => `${level}/${folder}`),
  );
  return names.map((name) => readFolder(root, name));
}

function readFolder(root: string, name: string): TckFolder {
  const files = readdirSync(`${root}/${name}`)
    .sort()
    .map((file): PackageFile => ({ path: file, content: readFileSync(`${root}/${name}/${file}`) }));
  return {
    name,
    models: files.filter(({ path }) => path.endsWith('.dmn')),
    suites: files.filter(({ path }) => path.endsWith('.xml')).map(readSuite),
  };
}

/** @throws AssertionError when the file has anything that is not known here */
export function readSuite(file: PackageFile): TckSuite {
  const { document, findings } = readXml(file);
  assert.ok(document !== null, `${file.path}: ${JSON.stringify(findings)}`);
  const modelName = document.root.children.find(({ localName }) => localName === 'modelName');
  assert.ok(modelName !== undefined, `${file.path} names no model`);
  return {
    file: file.path,
    modelFile: modelName.text.trim(),
    cases: childrenOf(document.root, 'testCase').map(readCase),
  };
}

function readCase(element: XmlElement): TckCase {
  const type = attributeOf(element, 'type') ?? 'decision';
  assert.ok(type === 'decision' || type === 'decisionService', `an unknown type of test case: ${type}`);
  const inputs = childrenOf(element, 'inputNode').map((input) => [nameOf(input), readValue(input)] as const);
  return {
    id: attributeOf(element, 'id') ?? '',
    service: type === 'decision' ? null : attributeOf(element, 'invocableName'),
    inputs: Object.fromEntries(inputs),
    results: childrenOf(element, 'resultNode').map(readResult),
  };
}

function readResult(element: XmlElement): TckResult {
  const [expected, ...more] = childrenOf(element, 'expected');
  assert.ok(expected !== undefined && more.length === 0, `${nameOf(element)} expects one value`);
  const value = readValue(expected);
  if (attributeOf(element, 'errorResult') === 'true') assert.equal(value, null);
  return { name: nameOf(element), expected: value };
}

/** What an element has in it: a `value`, a `list`, or a number of `component`s. */
function readValue(element: XmlElement): FeelValue {
  if (isNil(element)) return null;
  const children = element.children.filter(({ localName }) => localName !== 'extensionElements');
  const [first] = children;
  assert.ok(first !== undefined, `<${element.name}> is empty`);
  if (first.localName === 'component') {
    return Object.fromEntries(children.map((child) => [nameOf(child), readValue(child)] as const));
  }
  assert.equal(children.length, 1, `<${element.name}> has more than one value`);
  if (first.localName === 'list') return isNil(first) ? null : childrenOf(first, 'item').map(readValue);
  assert.equal(first.localName, 'value');
  return readSimple(first);
}

const readers: Readonly<Record<string, (text: string) => FeelValue>> = {
  string: (text) => text,
  boolean: (text) => text.trim() === 'true',
  decimal: (text) => fromText(text.trim()),
  double: (text) => fromText(text.trim()),
  date: (text) => dateFrom(text.trim()),
  time: (text) => timeFrom(text.trim()),
  dateTime: (text) => dateTimeFrom(text.trim()),
  duration: (text) => durationFrom(text.trim()),
};

function readSimple(element: XmlElement): FeelValue {
  if (isNil(element)) return null;
  const type = xsiAttribute(element, 'type')?.replace(/^\w+:/, '');
  const read = type === undefined ? undefined : readers[type];
  assert.ok(read !== undefined, `a value of an unknown type: ${String(type)}`);
  const value = read(element.text);
  assert.ok(value !== null, `no ${String(type)}: ${element.text}`);
  return value;
}

function isNil(element: XmlElement): boolean {
  return xsiAttribute(element, 'nil') === 'true';
}

function xsiAttribute(element: XmlElement, localName: string): string | undefined {
  return element.attributes.find(
    (attribute) => attribute.namespace === XSI && attribute.localName === localName,
  )?.value;
}

function childrenOf(element: XmlElement, localName: string): readonly XmlElement[] {
  return element.children.filter((child) => child.localName === localName);
}

/** With single spaces, as decision models have their names. */
function nameOf(element: XmlElement): string {
  const name = attributeOf(element, 'name');
  assert.ok(name !== null, `<${element.name}> has no name`);
  return name.trim().replaceAll(/\s+/g, ' ');
}
