/** Item definitions: the types of a decision model, as it writes them. Source: DMN 1.5, 7.3.3. */
import type { XmlElement } from '../xml/document.ts';
import { findAttribute } from '../xml/document.ts';
import type { ItemDefinition } from './model.ts';
import { label, type ReadContext } from './read-context.ts';

/** The item definitions or the components that an element holds, by the name of the child elements. */
export function readItems(
  context: ReadContext,
  parent: XmlElement,
  localName: 'itemDefinition' | 'itemComponent',
): readonly ItemDefinition[] {
  const items = context.children(parent, localName).flatMap((element) => readItem(context, element) ?? []);
  context.distinct(items);
  return items;
}

/** Null: it has no name, which was reported. */
function readItem(context: ReadContext, element: XmlElement): ItemDefinition | null {
  const language = findAttribute(element, 'typeLanguage');
  if (language !== null && language.value.trim() !== '') context.checkLanguage(element, language);
  const name = context.name(element);
  const type = context.typeChild(element);
  const components = readItems(context, element, 'itemComponent');
  const functionItem = readFunctionItem(context, element);
  const ways = [type !== null, components.length > 0, functionItem !== null];
  if (ways.filter((isUsed) => isUsed).length > 1) {
    const message = `${label(element)} has more than one of typeRef, itemComponent and functionItem; keep one of them`;
    context.report.error('SUTRA.DMN.ITEM_DEFINITION_INVALID', element, message);
  }
  const isCollection = context.boolean(element, 'isCollection');
  const allowedValues = context.childSource(element, 'allowedValues');
  const typeConstraint = context.childSource(element, 'typeConstraint');
  if (name === null) return null;
  const place = context.placeOf(element);
  return { name, place, type, isCollection, allowedValues, typeConstraint, components, functionItem };
}

function readFunctionItem(context: ReadContext, element: XmlElement): ItemDefinition['functionItem'] {
  const item = context.only(element, 'functionItem');
  if (item === null) return null;
  return {
    parameters: context.variables(context.children(item, 'parameters')),
    result: context.typeAttribute(item, 'outputTypeRef'),
  };
}
