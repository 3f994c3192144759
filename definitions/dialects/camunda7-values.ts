/** Values of Camunda 7's mappings as FEEL: texts, expressions, lists and maps. */
import type { XmlElement } from '../xml/document.ts';
import { type DialectContext, labelOf, made, refuse } from './dialect-context.ts';
import { feelOfValue } from './juel-written.ts';
import { ownAttribute } from './vendor-settings.ts';
import { joined, stringLiteral, trimmed, type Written, writtenText } from '../written.ts';

/** What an `inputParameter`, `outputParameter` or `entry` holds; null when it was reported. */
export function feelOfHolder(context: DialectContext, holder: XmlElement): Written | null {
  const [inner] = holder.children;
  return inner === undefined ? feelOfText(context, holder) : feelOfElement(context, inner);
}

function feelOfText(context: DialectContext, element: XmlElement): Written | null {
  const text = trimmed(writtenText(context.document, element));
  return text.text === '' ? made(context, element, 'null') : feelOfValue(context, text);
}

function feelOfElement(context: DialectContext, element: XmlElement): Written | null {
  switch (element.localName) {
    case 'list':
      return feelOfItems(context, element, '[', ']', (item) => feelOfElement(context, item));
    case 'map':
      return feelOfItems(context, element, '{', '}', (entry) => feelOfEntry(context, entry));
    case 'value':
    case 'string':
    case 'expression':
      return feelOfText(context, element);
    default: {
      const message = `${labelOf(element)} is not run: write the value as an expression, \${…}`;
      return refuse(context, 'SUTRA.DIALECT.CODE_NOT_EXECUTED', made(context, element, ''), message);
    }
  }
}

function feelOfItems(
  context: DialectContext,
  element: XmlElement,
  open: string,
  close: string,
  feelOf: (item: XmlElement) => Written | null,
): Written | null {
  const items = element.children.map(feelOf);
  const read = items.flatMap((item) => item ?? []);
  if (read.length < items.length) return null;
  const listed = read.flatMap((item, index) => (index === 0 ? [item] : [', ', item]));
  return joined(made(context, element, ''), [open, ...listed, close]);
}

function feelOfEntry(context: DialectContext, entry: XmlElement): Written | null {
  const key = ownAttribute(context, entry, 'key');
  const value = feelOfHolder(context, entry);
  if (key === null || value === null) return null;
  return joined(made(context, entry, ''), [stringLiteral(key), ': ', value]);
}
