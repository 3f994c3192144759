/** Camunda 7 and its forks take the reference itself for a code or a name when the file has no element of that id. */
import { isXmlName } from '../xml/schema-values.ts';
import { attributeOf, type XmlElement } from '../xml/document.ts';
import { type DialectContext, made } from './dialect-context.ts';

const REFERENCES: Readonly<Record<string, readonly [reference: string, root: string, value: string]>> = {
  errorEventDefinition: ['errorRef', 'error', 'errorCode'],
  messageEventDefinition: ['messageRef', 'message', 'name'],
};

export function isRootReference({ localName }: XmlElement): boolean {
  return Object.hasOwn(REFERENCES, localName);
}

export function readRootReference(context: DialectContext, definition: XmlElement): void {
  const row = REFERENCES[definition.localName];
  if (row === undefined || !context.isCamunda7) return;
  const [attribute, localName, value] = row;
  const id = attributeOf(definition, attribute);
  if (id === null || !isXmlName(id) || context.roots.has(id) || context.addedRoots.has(id)) return;
  const text = made(context, definition, id);
  context.addedRoots.set(id, context.make.bpmn(localName, text, { id: text, [value]: text }));
}
