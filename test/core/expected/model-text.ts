/** BPMN elements that can be changed, and their text: only what executes, the drawing and the prose left out. */
import { BPMN_NAMESPACE, Q_NAMESPACE } from '../../../definitions/bpmn/namespaces.ts';
import type { XmlElement } from '../../../definitions/xml/document.ts';

export interface ModelElement {
  /** The local name of BPMN's namespace, or with the prefix `q:`. */
  name: string;
  readonly attributes: Map<string, string>;
  readonly children: ModelElement[];
  text: string;
  /** Attributes of the source engine by local name. */
  readonly vendor: ReadonlyMap<string, string>;
  /** The source engine's elements inside `extensionElements`. */
  readonly vendorElements: readonly XmlElement[];
}

/** `incoming` and `outgoing` say again what the sequence flows say. */
const LEFT_OUT = new Set(['documentation', 'extensionElements', 'incoming', 'outgoing']);
/** Of `definitions`: what the expressions were written in before they were translated, and who wrote them. */
const LEFT_OUT_ATTRIBUTES = new Set(['typeLanguage', 'expressionLanguage', 'exporter', 'exporterVersion']);

const XSI_NAMESPACE = 'http://www.w3.org/2001/XMLSchema-instance';

export function element(
  name: string,
  attributes: Readonly<Record<string, string>> = {},
  children: readonly ModelElement[] = [],
  text = '',
): ModelElement {
  return {
    name,
    attributes: new Map(Object.entries(attributes)),
    children: [...children],
    text,
    vendor: new Map(),
    vendorElements: [],
  };
}

export function modelElement(source: XmlElement): ModelElement {
  const own = source.attributes.filter(
    ({ namespace, name }) => namespace === '' && !LEFT_OUT_ATTRIBUTES.has(name),
  );
  const vendor = source.attributes.filter(({ namespace }) => namespace !== '' && namespace !== XSI_NAMESPACE);
  const children = source.children.filter(({ namespace }) => namespace === BPMN_NAMESPACE);
  return {
    name: source.localName,
    attributes: new Map(own.map(({ name, value }) => [name, value])),
    children: children.filter(({ localName }) => !LEFT_OUT.has(localName)).map(modelElement),
    text: source.text.trim(),
    vendor: new Map(vendor.map(({ localName, value }) => [localName, value])),
    vendorElements: children
      .filter(({ localName }) => localName === 'extensionElements')
      .flatMap((extensions) => extensions.children),
  };
}

/** Adds a q element to the element's `extensionElements`. */
export function extend(owner: ModelElement, extension: ModelElement): void {
  const existing = owner.children.find(({ name }) => name === 'extensionElements');
  if (existing === undefined) owner.children.unshift(element('extensionElements', {}, [extension]));
  else existing.children.push(extension);
}

export function remove(owner: ModelElement, ...names: readonly string[]): void {
  for (let index = owner.children.length - 1; index >= 0; index -= 1) {
    if (names.includes(owner.children[index]?.name ?? '')) owner.children.splice(index, 1);
  }
}

export function childOf(owner: ModelElement, name: string): ModelElement | undefined {
  return owner.children.find((child) => child.name === name);
}

export function modelText(definitions: ModelElement): string {
  definitions.attributes.set('xmlns:bpmn', BPMN_NAMESPACE);
  definitions.attributes.set('xmlns:q', Q_NAMESPACE);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${written(definitions, '')}`;
}

function written({ name, attributes, children, text }: ModelElement, indent: string): string {
  const tag = name.startsWith('q:') ? name : `bpmn:${name}`;
  const start = [tag, ...[...attributes].map(([key, value]) => `${key}="${escaped(value)}"`)].join(' ');
  if (children.length === 0) return `${indent}<${start}>${escaped(text)}</${tag}>\n`;
  const inside = children.map((child) => written(child, `${indent}  `)).join('');
  return `${indent}<${start}>\n${inside}${indent}</${tag}>\n`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
