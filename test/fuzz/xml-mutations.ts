/** Mutations of elements, attributes and texts: most of what they leave is XML and gets to the compiler. */
import { bpmnElements } from '../../definitions/bpmn/elements.ts';
import { qElements } from '../../definitions/bpmn/q-elements.ts';
import { interestingText, randomExpression } from './interesting.ts';
import type { Random } from './random.ts';
import {
  attributesOf,
  cut,
  escaped,
  localName,
  prefixOf,
  replaced,
  textOf,
  withAttribute,
  type Element,
  type Pieces,
} from './xml-pieces.ts';

export interface TextMutation {
  readonly name: string;
  readonly weight: number;
  /** Gives the text back unchanged when it holds nothing to work on. `other`: another file's text. */
  readonly apply: (text: string, random: Random, other: () => string) => string;
}

const BPMN_NAMES = [...bpmnElements.keys()];
const ATTRIBUTE_NAMES = [
  ...new Set([...bpmnElements.values()].flatMap(({ attributes }) => [...(attributes ?? [])])),
];
const Q_NAMES = Object.keys(qElements);

const REFERENCES = /^(?:sourceRef|targetRef|attachedToRef|default|\w*Ref|id|calledElement|bpmnElement)$/;
const NAMESPACES = [
  ...[
    'http://www.omg.org/spec/BPMN/20100524/MODEL',
    'http://www.omg.org/spec/BPMN/20100524/DI',
    'urn:sutra:q:1.0',
  ],
  ...[
    'urn:sutra:q:2.0',
    'http://schema.omg.org/spec/BPMN/2.0',
    'http://camunda.org/schema/1.0/bpmn',
    '',
    ' ',
    'x',
  ],
  ...[
    'http://www.w3.org/2000/xmlns/',
    'http://www.w3.org/XML/1998/namespace',
    'http://www.w3.org/2001/XMLSchema-instance',
  ],
];
const MARKUP = [
  ...[
    '<!-- x -->',
    '<!-- a -- b -->',
    '<?x y?>',
    '<?xml version="1.1"?>',
    '<![CDATA[ <a> ]]>',
    '<![CDATA[',
    ']]>',
    '&amp;',
  ],
  ...[
    '&lt;x&gt;',
    '&unknown;',
    '&#38;',
    '&#0;',
    '<!DOCTYPE a>',
    '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]>',
  ],
  ...[
    '<!ENTITY e "x">',
    '</x>',
    '<x>',
    '<x/>',
    '<',
    '&',
    '\u0000',
    '<x xmlns="">',
    '<a:b/>',
    '<q:source/>',
    'text',
  ],
];

type ElementMutation = (pieces: Pieces, element: Element, random: Random, other: () => string) => string;

/** Works on one element of the file; the root is rarely the one. */
function onElement(name: string, weight: number, mutate: ElementMutation): TextMutation {
  const apply: TextMutation['apply'] = (text, random, other) => {
    const pieces = cut(text);
    const { elements } = pieces;
    if (elements.length === 0) return text;
    const element = random.pick(elements.length > 1 && random.chance(0.95) ? elements.slice(1) : elements);
    return mutate(pieces, element, random, other);
  };
  return { name, weight, apply };
}

/** Works on the first tag of one element. */
function onTag(
  name: string,
  weight: number,
  mutate: (tag: string, random: Random, text: Pieces) => string,
): TextMutation {
  return onElement(name, weight, (pieces, { from }, random) =>
    replaced(pieces, from, from, mutate(pieces.tokens[from] ?? '', random, pieces)),
  );
}

export const xmlMutations: readonly TextMutation[] = [
  onElement('delete an element', 4, (pieces, { from, to }) => replaced(pieces, from, to, '')),
  onElement('unwrap an element', 1, (pieces, { from, to }) =>
    replaced(pieces, from, to, textOf(pieces, from + 1, to - 1)),
  ),
  onElement('duplicate an element', 3, (pieces, { from, to }, random) =>
    replaced(pieces, from, to, textOf(pieces, from, to).repeat(random.between(2, 4))),
  ),
  onElement('swap two elements', 2, swapElements),
  onElement('move an element', 4, moveElement),
  onElement('rename an element', 5, renameElement),
  { name: 'rename all elements of a name', weight: 2, apply: renameAll },
  onElement('break a tag', 1, breakTag),
  onElement('splice an element of another file', 3, spliceElement),
  { name: 'splice two files', weight: 1, apply: spliceFiles },
  onElement('insert markup', 2, insertMarkup),
  onElement('change a text', 4, changeText),
  onTag('change an attribute', 6, changeAttribute),
  onTag('delete an attribute', 2, (tag, random) => {
    const attribute = pickAttribute(tag, random);
    return attribute === null ? tag : tag.slice(0, attribute.at) + tag.slice(attribute.at + attribute.length);
  }),
  onTag('duplicate an attribute', 1, (tag, random) => {
    const attribute = pickAttribute(tag, random);
    if (attribute === null) return tag;
    const { at, length } = attribute;
    return `${tag.slice(0, at)}${tag.slice(at, at + length)} ${tag.slice(at)}`;
  }),
  onTag('add an attribute', 4, addAttribute),
  onTag('point a reference elsewhere', 5, retarget),
  { name: 'change a namespace', weight: 2, apply: changeNamespace },
  onElement('add an element of the vocabulary', 3, addVocabulary),
];

function pickAttribute(tag: string, random: Random): ReturnType<typeof attributesOf>[number] | null {
  const attributes = attributesOf(tag);
  return attributes.length === 0 ? null : random.pick(attributes);
}

/** Mostly escaped, so that the value and not the XML is what is wrong. */
function written(text: string, random: Random): string {
  return random.chance(0.9) ? escaped(text) : text;
}

function swapElements(pieces: Pieces, one: Element, random: Random): string {
  const apart = pieces.elements.filter(({ from, to }) => from > one.to || to < one.from);
  if (apart.length === 0) return pieces.tokens.join('');
  const other = random.pick(apart);
  const [first, second] = one.from < other.from ? [one, other] : [other, one];
  return [
    textOf(pieces, 0, first.from - 1),
    textOf(pieces, second.from, second.to),
    textOf(pieces, first.to + 1, second.from - 1),
    textOf(pieces, first.from, first.to),
    textOf(pieces, second.to + 1, pieces.tokens.length - 1),
  ].join('');
}

function moveElement(pieces: Pieces, element: Element, random: Random): string {
  const hosts = pieces.elements.filter(
    ({ from, to }) => to > from && (from > element.to || to < element.from || from < element.from),
  );
  if (hosts.length === 0) return pieces.tokens.join('');
  const host = random.pick(hosts);
  const moved = textOf(pieces, element.from, element.to);
  const tokens = pieces.tokens.map((token, index) =>
    index >= element.from && index <= element.to ? '' : token,
  );
  tokens[host.from] = (tokens[host.from] ?? '') + moved;
  return tokens.join('');
}

function renameElement(pieces: Pieces, { name, from, to }: Element, random: Random): string {
  const renamed = random.chance(0.9)
    ? prefixOf(name) + random.pick(BPMN_NAMES)
    : random.pick([
        `x:${localName(name)}`,
        localName(name),
        'constructor',
        '__proto__',
        'é',
        'x'.repeat(300),
      ]);
  const rename = (token: string | undefined): string => (token ?? '').replace(name, () => renamed);
  if (from === to) return replaced(pieces, from, to, rename(pieces.tokens[from]));
  return replaced(
    pieces,
    from,
    to,
    rename(pieces.tokens[from]) + textOf(pieces, from + 1, to - 1) + rename(pieces.tokens[to]),
  );
}

function renameAll(text: string, random: Random): string {
  const { elements } = cut(text);
  if (elements.length === 0) return text;
  const { name } = random.pick(elements);
  const renamed = prefixOf(name) + random.pick(BPMN_NAMES);
  return text.replaceAll(
    new RegExp(`(</?)${name.replaceAll(/[^\w:]/g, '\\$&')}(?=[\\s/>])`, 'g'),
    (_, start: string) => start + renamed,
  );
}

function breakTag(pieces: Pieces, { from, to }: Element, random: Random): string {
  const at = random.chance(0.5) ? from : to;
  const tag = pieces.tokens[at] ?? '';
  const broken = random.pick([
    '',
    tag.slice(0, random.below(tag.length)),
    tag.replace('<', '</'),
    `${tag}${tag}`,
  ]);
  return replaced(pieces, at, at, broken);
}

function spliceElement(pieces: Pieces, { to }: Element, random: Random, other: () => string): string {
  const theirs = cut(other());
  if (theirs.elements.length === 0) return pieces.tokens.join('');
  const { from, to: end } = random.pick(theirs.elements);
  return replaced(pieces, to + 1, to, textOf(theirs, from, end));
}

function spliceFiles(text: string, random: Random, other: () => string): string {
  const [ours, theirs] = [cut(text).tokens, cut(other()).tokens];
  return (
    ours.slice(0, random.below(ours.length)).join('') + theirs.slice(random.below(theirs.length)).join('')
  );
}

function insertMarkup(pieces: Pieces, { from, to }: Element, random: Random): string {
  const at = random.pick([0, from, from + 1, to + 1, pieces.tokens.length]);
  return replaced(pieces, at, at - 1, random.pick(MARKUP));
}

function changeText(pieces: Pieces, { from, to }: Element, random: Random): string {
  const texts = pieces.elements.filter((element) => element.to - element.from === 2);
  const target = texts.length > 0 && random.chance(0.8) ? random.pick(texts) : { from, to };
  if (target.from === target.to) return pieces.tokens.join('');
  const text = random.chance(0.5) ? randomExpression(random) : interestingText(random);
  const body = random.chance(0.1) ? `<![CDATA[${text}]]>` : written(text, random);
  return replaced(pieces, target.from + 1, target.to - 1, body);
}

function changeAttribute(tag: string, random: Random): string {
  const attribute = pickAttribute(tag, random);
  return attribute === null
    ? tag
    : withAttribute(tag, attribute.name, written(interestingText(random), random));
}

function addAttribute(tag: string, random: Random): string {
  const name = localName(/^<([^\s/>]+)/.exec(tag)?.[1] ?? '');
  const own = [...(bpmnElements.get(name)?.attributes ?? [])];
  const added =
    own.length > 0 && random.chance(0.7)
      ? random.pick(own)
      : random.pick([...ATTRIBUTE_NAMES, 'x', 'x:y', 'xml:lang']);
  const value = random.chance(0.3) ? random.pick(['true', 'false', '1', '0']) : interestingText(random);
  return withAttribute(tag, added, written(value, random));
}

function retarget(tag: string, random: Random, { tokens }: Pieces): string {
  const references = attributesOf(tag).filter(({ name }) => REFERENCES.test(localName(name)));
  if (references.length === 0) return tag;
  const ids = tokens.flatMap((token) => attributesOf(token).filter(({ name }) => name === 'id'));
  return ids.length === 0 ? tag : withAttribute(tag, random.pick(references).name, random.pick(ids).value);
}

function changeNamespace(text: string, random: Random): string {
  const declarations = [...text.matchAll(/\sxmlns(?::[\w.-]+)?\s*=\s*(?:"[^"]*"|'[^']*')/g)];
  if (declarations.length === 0) return text;
  const { 0: declaration, index } = random.pick(declarations);
  const changed = random.pick([
    '',
    declaration.replace(/=[\s\S]*/, () => `="${random.pick(NAMESPACES)}"`),
    declaration.replace(
      /xmlns(?::[\w.-]+)?/,
      random.pick(['xmlns', 'xmlns:x', 'xmlns:xmlns', 'xmlns:xml', 'xmlns:']),
    ),
    declaration + declaration,
  ]);
  return text.slice(0, index) + changed + text.slice(index + declaration.length);
}

/** An element of `q:` with some of its attributes, in extension elements of a flow node. */
function addVocabulary(pieces: Pieces, { name, from, to }: Element, random: Random): string {
  if (from === to) return pieces.tokens.join('');
  const added = random.pick(Q_NAMES);
  const attributes = Object.keys(qElements[added]?.attributes ?? {})
    .filter(() => random.chance(0.6))
    .map((attribute) => ` ${attribute}="${written(interestingText(random), random)}"`);
  const element = `<q:${added} xmlns:q="urn:sutra:q:1.0"${attributes.join('')}/>`;
  const tag = `${prefixOf(name)}extensionElements`;
  return replaced(pieces, from + 1, from, `<${tag}>${element}</${tag}>`);
}
