/**
 * A tree of BPMN elements as the text of a BPMN 2.0 file.
 *
 * W1 Only the two namespaces that a flow is built of occur, BPMN's and q:, so the prefixes are ours to choose.
 * W2 Children stand in the order of the standard's schema, whatever order they were made in; within one rank
 *    they keep theirs, because the order of sequence flows is the order in which conditions are asked.
 * W3 Texts come back as they were: what an XML reader would change is written as a character reference.
 *
 * Source: BPMN 2.0.2, XML schema `Semantic.xsd`.
 */
import { BPMN_NAMESPACE, Q_NAMESPACE } from '../../bpmn/namespaces.ts';
import { FLOW_NODES, isEventDefinition } from '../../bpmn/elements.ts';
import { attributeOf, type XmlElement } from '../../xml/document.ts';

const XSI_NAMESPACE = 'http://www.w3.org/2001/XMLSchema-instance';
const PREFIXES: ReadonlyMap<string, string> = new Map([
  [BPMN_NAMESPACE, 'bpmn'],
  [Q_NAMESPACE, 'q'],
]);

/** Declared as BPMN's expression without a text; modelers keep the text only of the kind that has one. */
const EXPRESSIONS: ReadonlySet<string> = new Set([
  ...['conditionExpression', 'condition', 'timeDuration', 'timeDate', 'timeCycle'],
  ...['loopCondition', 'completionCondition', 'from', 'to'],
]);

const NODES: ReadonlySet<string> = new Set(FLOW_NODES);
const LISTINGS = ['incoming', 'outgoing'];
const ASSOCIATIONS = ['dataInputAssociation', 'dataOutputAssociation'];
const LOOPS = ['standardLoopCharacteristics', 'multiInstanceLoopCharacteristics'];

/** Flow nodes and sequence flows of a scope, in one rank; artifacts come after them. */
const RANKS: readonly ((localName: string) => boolean)[] = [
  (name) => name === 'documentation',
  (name) => name === 'extensionElements',
  (name) => LISTINGS.includes(name),
  (name) => ASSOCIATIONS.includes(name),
  (name) => LOOPS.includes(name) || isEventDefinition(name),
  (name) => NODES.has(name),
  (name) => name === 'sequenceFlow',
  (name) => name !== 'association',
];

/** Of a file that takes part in no other: it only must be there. */
const TARGET_NAMESPACE = 'urn:sutra:flows';

/** The sequence flows of a file, by the node at one of their ends. */
interface Joins {
  readonly incoming: ReadonlyMap<string, readonly string[]>;
  readonly outgoing: ReadonlyMap<string, readonly string[]>;
}

/** The text of the file whose root element is `definitions`. */
export function writeBpmn(definitions: XmlElement): string {
  const namespaces = [...PREFIXES].map(([namespace, prefix]) => attribute(`xmlns:${prefix}`, namespace));
  const target = attributeOf(definitions, 'targetNamespace') === null ? [TARGET_NAMESPACE] : [];
  const more = [
    ...namespaces,
    attribute('xmlns:xsi', XSI_NAMESPACE),
    ...target.map((value) => attribute('targetNamespace', value)),
  ];
  const lines: string[] = ['<?xml version="1.0" encoding="UTF-8"?>'];
  write(lines, definitions, '', joinsOf(definitions), more);
  return `${lines.join('\n')}\n`;
}

function write(
  lines: string[],
  element: XmlElement,
  indent: string,
  joins: Joins,
  more: readonly string[] = [],
): void {
  const name = nameOf(element);
  const type =
    element.namespace === BPMN_NAMESPACE && EXPRESSIONS.has(element.localName)
      ? [attribute('xsi:type', 'bpmn:tFormalExpression')]
      : [];
  const own = element.attributes.map(({ localName, value }) => attribute(localName, value));
  const start = `${indent}<${[name, ...more, ...own, ...type].join(' ')}`;
  const listed = listings(element, joins);
  if (element.children.length + listed.length === 0) {
    lines.push(element.text === '' ? `${start}/>` : `${start}>${escapeText(element.text)}</${name}>`);
    return;
  }
  lines.push(`${start}>`);
  const inner = `${indent}  `;
  const [before, after] = byRank(element);
  before.forEach((child) => {
    write(lines, child, inner, joins);
  });
  listed.forEach(([listing, id]) =>
    lines.push(`${inner}<bpmn:${listing}>${escapeText(id)}</bpmn:${listing}>`),
  );
  after.forEach((child) => {
    write(lines, child, inner, joins);
  });
  lines.push(`${indent}</${name}>`);
}

function nameOf({ namespace, localName }: XmlElement): string {
  return `${PREFIXES.get(namespace) ?? 'bpmn'}:${localName}`;
}

/** The children before and after the listings of sequence flows, in the order of the schema. */
function byRank({
  namespace,
  children,
}: XmlElement): readonly [readonly XmlElement[], readonly XmlElement[]] {
  if (namespace !== BPMN_NAMESPACE) return [children, []];
  const sorted = children.toSorted((one, other) => rankOf(one) - rankOf(other));
  const listingRank = RANKS.findIndex((has) => has('incoming'));
  return [
    sorted.filter((child) => rankOf(child) < listingRank),
    sorted.filter((child) => rankOf(child) >= listingRank),
  ];
}

function rankOf({ localName }: XmlElement): number {
  const rank = RANKS.findIndex((has) => has(localName));
  return rank === -1 ? RANKS.length : rank;
}

/** Modelers that draw the file anew go by what each node lists. */
function listings(
  { namespace, localName, attributes }: XmlElement,
  joins: Joins,
): readonly [string, string][] {
  if (namespace !== BPMN_NAMESPACE || !NODES.has(localName)) return [];
  const id = attributes.find((one) => one.localName === 'id')?.value ?? '';
  return [
    ...(joins.incoming.get(id) ?? []).map((flow): [string, string] => ['incoming', flow]),
    ...(joins.outgoing.get(id) ?? []).map((flow): [string, string] => ['outgoing', flow]),
  ];
}

function joinsOf(root: XmlElement): Joins {
  const incoming = new Map<string, string[]>();
  const outgoing = new Map<string, string[]>();
  const visit = (element: XmlElement): void => {
    if (element.namespace === BPMN_NAMESPACE && element.localName === 'sequenceFlow') {
      const id = attributeOf(element, 'id');
      if (id !== null) {
        add(incoming, attributeOf(element, 'targetRef') ?? '', id);
        add(outgoing, attributeOf(element, 'sourceRef') ?? '', id);
      }
    }
    element.children.forEach(visit);
  };
  visit(root);
  return { incoming, outgoing };
}

function add(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

function attribute(name: string, value: string): string {
  return `${name}="${escapeText(value)
    .replaceAll('"', '&quot;')
    .replace(/[\t\n]/g, reference)}"`;
}

/** A carriage return would be read as a line's end. */
function escapeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/\r/g, reference);
}

function reference(character: string): string {
  return `&#${character.charCodeAt(0)};`;
}
