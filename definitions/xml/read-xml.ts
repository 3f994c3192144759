/**
 * Bytes of an XML file to a document, or to the faults that keep it from being one.
 *
 * X1 It never throws for bad input; what it cannot read, it reports with code, line and column.
 * X2 Two independent parsers must agree on every element; where they differ the file is refused.
 * X3 Prefixes carry no meaning: every name is a namespace and a local name.
 */
import { XMLParser } from 'fast-xml-parser';
import type { Finding } from '../../config/engine-error.ts';
import type { PackageFile } from '../package-file.ts';
import { xmlBounds } from './bounds.ts';
import { decodeXmlBytes, type XmlFault } from './decode-bytes.ts';
import { ParsedXmlDocument, type XmlAttribute, type XmlDocument, type XmlElement } from './document.ts';
import { decodeAttribute, decodeText } from './entities.ts';
import { LineIndex } from './line-index.ts';
import { collapsed } from './schema-values.ts';
import { checkWellFormed, type SeenElement } from './well-formed.ts';

export type XmlResult =
  | { readonly document: XmlDocument; readonly findings: readonly [] }
  | { readonly document: null; readonly findings: readonly Finding[] };

const TEXT = '#text';
const CDATA = '#cdata';
const ATTRIBUTES = ':@';
const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace';

/** Whether the schema of a format gives an attribute a type whose values are read without the spaces around them. */
export type IsCollapsed = (element: string, attribute: Omit<XmlAttribute, 'value'>) => boolean;

/**
 * Reads one file of a package. `document` is null if and only if there are findings. `isCollapsed` is asked with the
 * namespace of an element and one of its attributes. Default: every value is as it was written.
 */
export function readXml(file: PackageFile, isCollapsed: IsCollapsed = () => false): XmlResult {
  const { path, content } = file;
  if (content.byteLength > xmlBounds.maxBytes) {
    const message = `the file has ${content.byteLength} bytes, the limit is ${xmlBounds.maxBytes}`;
    return refuse([{ code: 'SUTRA.XML.TOO_LARGE', message, place: { file: path, line: 1, column: 1 } }]);
  }
  const decoded = decodeXmlBytes(content, path);
  if (!decoded.ok) {
    return refuse([decoded.fault]);
  }
  const lines = new LineIndex(decoded.text);
  const { faults, elements } = checkWellFormed(decoded.text, path, lines);
  if (faults.length > 0) {
    return refuse(faults);
  }
  const tree = buildTree(decoded.text, elements, isCollapsed);
  if (!tree.ok) {
    const message = 'two XML readers understand the file differently here; remove processing instructions';
    const place = { file: path, ...lines.placeAt(tree.offset) };
    return refuse([{ code: 'SUTRA.XML.UNREADABLE', message, place }]);
  }
  return { document: new ParsedXmlDocument(path, tree.root, decoded.text, lines), findings: [] };
}

function refuse(faults: readonly XmlFault[]): XmlResult {
  return { document: null, findings: faults.map((fault) => ({ ...fault, severity: 'error' })) };
}

function createParser(): XMLParser {
  return new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: '',
    parseTagValue: false,
    parseAttributeValue: false,
    trimValues: false,
    captureMetaData: true,
    cdataPropName: CDATA,
    ignoreDeclaration: true,
    ignorePiTags: true,
    // References are decoded in `entities.ts`, which keeps the way back to positions.
    processEntities: false,
    // The well-formedness pass holds the bound; one more level is never reached.
    maxNestedTags: xmlBounds.maxDepth + 1,
    jPath: false,
    // Attributes become own properties, which hides no member; renaming them would hide their names.
    onDangerousProperty: (name) => name,
  });
}

type TreeResult =
  | { readonly ok: true; readonly root: XmlElement }
  /** Where the tree stops showing exactly the elements of the well-formedness pass. */
  | { readonly ok: false; readonly offset: number };

function buildTree(text: string, seen: readonly SeenElement[], isCollapsed: IsCollapsed): TreeResult {
  let ordered: unknown;
  try {
    ordered = createParser().parse(text);
  } catch {
    // A name that the library refuses to hold, or a construct it does not know: see X2.
    return { ok: false, offset: 0 };
  }
  const builder = new TreeBuilder(seen, isCollapsed);
  const roots = builder.elementsOf(ordered, new Map([['xml', XML_NAMESPACE]]));
  const [root] = roots;
  const mismatch = builder.mismatch();
  return mismatch === null && root !== undefined
    ? { ok: true, root }
    : { ok: false, offset: mismatch?.offset ?? 0 };
}

/** Stands for what only the tree shows. */
const NOT_SEEN: SeenElement = { name: '', attributeCount: 0, offset: 0 };

type Prefixes = ReadonlyMap<string, string>;

class TreeBuilder {
  readonly #seen: readonly SeenElement[];
  readonly #isCollapsed: IsCollapsed;
  readonly #metaData = XMLParser.getMetaDataSymbol() as unknown as symbol;
  #next = 0;
  #mismatch: SeenElement | null = null;

  constructor(seen: readonly SeenElement[], isCollapsed: IsCollapsed) {
    this.#seen = seen;
    this.#isCollapsed = isCollapsed;
  }

  /** The first element that was seen and is not in the tree as it was seen, or null. */
  mismatch(): SeenElement | null {
    return this.#mismatch ?? this.#seen[this.#next] ?? null;
  }

  elementsOf(list: unknown, prefixes: Prefixes): readonly XmlElement[] {
    const elements: XmlElement[] = [];
    for (const entry of asList(list)) {
      const name = Object.keys(entry).find((key) => key !== ATTRIBUTES);
      if (name !== undefined && name !== TEXT && name !== CDATA) {
        elements.push(this.#element(name, entry, prefixes));
      }
    }
    return elements;
  }

  #element(name: string, entry: Entry, outer: Prefixes): XmlElement {
    const raw = Object.entries(asEntry(entry[ATTRIBUTES]) ?? {});
    const seen = this.#seen[this.#next];
    this.#next += 1;
    const metaData = asEntry((entry as Record<symbol, unknown>)[this.#metaData]);
    const offset = metaData?.['startIndex'];
    if (seen?.name !== name || seen.attributeCount !== raw.length || seen.offset !== offset) {
      this.#mismatch ??= seen ?? NOT_SEEN;
    }
    const prefixes = declaredPrefixes(raw, outer);
    const children = this.elementsOf(entry[name], prefixes);
    const { prefix, localName } = splitName(name);
    const namespace = prefixes.get(prefix) ?? '';
    return {
      name,
      namespace,
      localName,
      attributes: raw
        .filter(([key]) => !isDeclaration(key))
        .map(([key, value]) => this.#attribute(namespace, key, value, prefixes)),
      children,
      text: textOf(entry[name], children.length > 0),
      offset: typeof offset === 'number' ? offset : 0,
      prefixes,
    };
  }

  #attribute(element: string, name: string, value: unknown, prefixes: Prefixes): XmlAttribute {
    const { prefix, localName } = splitName(name);
    // The default namespace is not that of attributes: Namespaces in XML 1.0 §6.2.
    const named = { name, namespace: prefix === '' ? '' : (prefixes.get(prefix) ?? ''), localName };
    const text = decodeAttribute(String(value));
    return { ...named, value: this.#isCollapsed(element, named) ? collapsed(text) : text };
  }
}

type Entry = Readonly<Record<string, unknown>>;

function asEntry(value: unknown): Entry | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Entry) : null;
}

function asList(value: unknown): readonly Entry[] {
  return Array.isArray(value) ? value.map(asEntry).filter((entry) => entry !== null) : [];
}

function isDeclaration(name: string): boolean {
  return name === 'xmlns' || name.startsWith('xmlns:');
}

function declaredPrefixes(raw: readonly (readonly [string, unknown])[], outer: Prefixes): Prefixes {
  const declarations = raw.filter(([name]) => isDeclaration(name));
  if (declarations.length === 0) {
    return outer;
  }
  const added = declarations.map(
    ([name, value]) =>
      [name === 'xmlns' ? '' : name.slice('xmlns:'.length), decodeAttribute(String(value)).trim()] as const,
  );
  return new Map([...outer, ...added]);
}

function splitName(name: string): { prefix: string; localName: string } {
  const colon = name.indexOf(':');
  return { prefix: name.slice(0, Math.max(colon, 0)), localName: name.slice(colon + 1) };
}

function textOf(list: unknown, hasChildren: boolean): string {
  let text = '';
  for (const entry of asList(list)) {
    if (typeof entry[TEXT] === 'string') {
      text += decodeText(entry[TEXT]);
    }
    for (const part of asList(entry[CDATA])) {
      text += typeof part[TEXT] === 'string' ? part[TEXT] : '';
    }
  }
  return hasChildren && text.trim() === '' ? '' : text;
}
