/** Camunda 7: data, calls and loops of activities. */
import { BPMN_NAMESPACE } from '../bpmn/namespaces.ts';
import { isVariableName } from '../bpmn/q-values.ts';
import type { XmlElement } from '../xml/document.ts';
import { shown } from '../xml/shown.ts';
import { feelOfHolder } from './camunda7-values.ts';
import { type DialectContext, made, refuse } from './dialect-context.ts';
import type { ElementDraft } from './element-draft.ts';
import { feelOfJuel, isJuel, tryJuel } from './juel-written.ts';
import {
  addInputs,
  addOutputs,
  becomeTask,
  isCatch,
  isNoneThrow,
  unmapped,
  type VariableMapping,
} from './task-drafts.ts';
import { camundaAttribute, camundaElements, ownAttribute, ownChildren } from './vendor-settings.ts';
import { filled, joined, trimmed, type Written, writtenAttribute, writtenText } from '../written.ts';

/** `camunda:inputOutput` of an activity, and of an event that has become one. */
export function mapInputOutput(context: DialectContext, draft: ElementDraft): void {
  const [inputOutput] = camundaElements(draft.base, 'inputOutput');
  if (inputOutput === undefined) return;
  const inputs = parameters(context, inputOutput, 'inputParameter');
  const outputs = parameters(context, inputOutput, 'outputParameter');
  if (isNoneThrow(draft)) {
    becomeTask(draft, 'task');
  } else if (/(?:Event|Gateway)$/.test(draft.localName)) {
    if (isCatch(draft) && inputs.length === 0) addOutputs(context, draft, outputs);
    else refuse(context, 'SUTRA.DIALECT.EXTENSION_REFUSED', made(context, inputOutput, ''), unmapped(draft));
    return;
  }
  addInputs(context, draft, inputs);
  addOutputs(context, draft, outputs);
}

function parameters(
  context: DialectContext,
  inputOutput: XmlElement,
  kind: string,
): readonly VariableMapping[] {
  return ownChildren(inputOutput, kind).flatMap((element) => {
    const target = ownAttribute(context, element, 'name');
    const source = feelOfHolder(context, element);
    return target === null || source === null ? [] : [{ target, source, element }];
  });
}

/** Whether it says with `camunda:in` or `camunda:out` what goes in or comes out. */
export function hasCallMapping(call: XmlElement): boolean {
  return camundaElements(call, 'in').length + camundaElements(call, 'out').length > 0;
}

/** `camunda:in`, `camunda:out` and what is called. Without a mapping nothing goes in, or comes out. */
export function mapCall(context: DialectContext, draft: ElementDraft): void {
  const { make } = context;
  const binding = camundaAttribute(context, draft.base, 'calledElementBinding');
  if (binding !== null && binding.text !== 'latest' && binding.text !== 'deployment') {
    const message = `calledElementBinding is ${shown(binding.text)}; a call finds the process of its package, or with latest the active one`;
    refuse(context, 'SUTRA.DIALECT.EXTENSION_REFUSED', binding, message);
  }
  const ins = mapDirection(context, draft, 'in');
  const outs = mapDirection(context, draft, 'out');
  const at = made(context, draft.base, '');
  const none = made(context, draft.base, 'none');
  if (draft.hasQ('call')) return;
  draft.addExtension(
    make.q('call', at, {
      binding: binding?.text === 'latest' ? binding : null,
      input: ins === 'none' ? none : null,
      output: outs === 'none' ? none : null,
    }),
  );
}

/** A `calledElement` in JUEL. */
export function translateCalled(context: DialectContext, draft: ElementDraft): void {
  const called = draft.attribute('calledElement');
  if (called === null || !isJuel(called.value)) return;
  const written = {
    text: called.value,
    place: () => context.document.placeOfAttribute(draft.base, called),
    inside: (index: number) => context.document.placeInAttribute(draft.base, called, index),
  };
  const feel = feelOfJuel(context, written);
  draft.set(
    context.make.attribute(
      'calledElement',
      feel === null ? { ...written, text: '=null' } : joined(feel, ['=', feel]),
    ),
  );
}

/** What `camunda:in` or `camunda:out` say. `all`: everything, and what is mapped besides. */
function mapDirection(
  context: DialectContext,
  draft: ElementDraft,
  direction: 'in' | 'out',
): 'all' | 'some' | 'none' {
  const elements = camundaElements(draft.base, direction);
  const isAll = elements.some((element) => ownAttribute(context, element, 'variables')?.text === 'all');
  const mappings = elements.flatMap((element) => callMapping(context, element) ?? []);
  if (isAll) {
    if (direction === 'in') addInputs(context, draft, mappings);
    else addOutputs(context, draft, mappings);
    return 'all';
  }
  for (const { target, source, element } of mappings) {
    const at = made(context, element, '');
    draft.addExtension(
      direction === 'in'
        ? context.make.q('param', at, { name: target, expression: source })
        : context.make.q('output', at, { variable: target, expression: source }),
    );
  }
  return mappings.length === 0 ? 'none' : 'some';
}

/** `camunda:in`, `camunda:out` and what is like them; null when it was reported. */
export function callMapping(context: DialectContext, element: XmlElement): VariableMapping | null {
  const key = ownAttribute(context, element, 'businessKey');
  if (key !== null) {
    const source = isJuel(key.text) ? feelOfJuel(context, key) : null;
    return source === null ? null : { target: made(context, element, 'businessKey'), source, element };
  }
  const target = ownAttribute(context, element, 'target');
  const name = ownAttribute(context, element, 'source');
  const expression = ownAttribute(context, element, 'sourceExpression') ?? name;
  if (target === null || expression === null || expression.text.trim() === '') return null;
  const source = isJuel(expression.text)
    ? feelOfJuel(context, expression)
    : variableOf(context, trimmed(expression));
  return source === null ? null : { target, source, element };
}

function variableOf(context: DialectContext, name: Written): Written | null {
  if (isVariableName(name.text)) return name;
  const message = `${shown(name.text)} is no name of a variable: letters, digits and _`;
  return refuse(context, 'SUTRA.DIALECT.VALUE_INVALID', name, message);
}

/**
 * `camunda:collection` and `camunda:elementVariable` of a multi-instance loop. Beside them BPMN's own references say the
 * same once more, or the half of it.
 */
export function mapLoop(context: DialectContext, draft: ElementDraft): void {
  const collection = camundaAttribute(context, draft.base, 'collection');
  const variable = camundaAttribute(context, draft.base, 'elementVariable');
  const [reference] = draft.bpmn('loopDataInputRef');
  if ((collection === null && variable === null) || draft.hasQ('loop')) return;
  const written = collection ?? (reference === undefined ? null : writtenText(context.document, reference));
  if (written === null) return;
  const [dataItem] = draft.bpmn('inputDataItem');
  const item = filled(variable) ?? itemName(context, dataItem);
  const name = trimmed(written);
  const feel = isJuel(name.text) ? feelOfJuel(context, name) : variableOf(context, name);
  const count = cardinalityOf(context, draft);
  const items = feel === null || count === null ? feel : countedItems(written, feel, count);
  const taken = ['loopDataInputRef', 'inputDataItem', ...(count === null ? [] : ['loopCardinality'])];
  draft.dropChildren(({ localName }) => taken.includes(localName));
  draft.addExtension(
    context.make.q('loop', written, { collection: items ?? { ...written, text: 'null' }, item }),
  );
}

/** FEEL; null for none, or for one without a translation, which was reported with the other expressions. */
function cardinalityOf(context: DialectContext, { base }: ElementDraft): Written | null {
  const element = base.children.find(
    ({ namespace, localName }) => namespace === BPMN_NAMESPACE && localName === 'loopCardinality',
  );
  if (element === undefined) return null;
  const written = trimmed(writtenText(context.document, element));
  const feel = isJuel(written.text) ? tryJuel(written) : written;
  return typeof feel === 'string' ? null : feel;
}

/** Beside a collection the cardinality counts the instances, and each takes the item of its number, as there. */
function countedItems(at: Written, collection: Written, count: Written): Written {
  // A range that goes down is no empty one in FEEL.
  const pieces = [
    'if (',
    count,
    ') < 1 then [] else for instanceNumber in 1..(',
    count,
    ') return (',
    collection,
  ];
  return joined(at, [...pieces, ')[instanceNumber]']);
}

function itemName(context: DialectContext, dataItem: XmlElement | undefined): Written | null {
  const name = dataItem?.attributes.find(
    ({ namespace, localName }) => namespace === '' && localName === 'name',
  );
  return dataItem === undefined || name === undefined
    ? null
    : writtenAttribute(context.document, dataItem, name);
}
