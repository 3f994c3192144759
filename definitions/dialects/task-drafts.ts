/** What a translator makes of a task: a call, a script, data of its own. */
import { BPMN_NAMESPACE } from '../bpmn/namespaces.ts';
import { isEventDefinition } from '../bpmn/elements.ts';
import { isVariableName } from '../bpmn/q-values.ts';
import type { XmlElement } from '../xml/document.ts';
import { shown } from '../xml/shown.ts';
import { type DialectContext, labelOf, made, refuse, wishFor } from './dialect-context.ts';
import type { ElementDraft } from './element-draft.ts';
import { joined, type Written } from '../written.ts';

/** What a task of another kind, or an event, has and a task of the kind that it becomes has not. */
const OTHER_ATTRIBUTES = ['messageRef', 'operationRef', 'scriptFormat', 'instantiate'];

/** Makes the node a call of a channel on which workers take tasks. */
export function makeCall(context: DialectContext, draft: ElementDraft, channel: Written): void {
  const wished = wishFor(context, channel, 'work');
  if (wished !== null) becomeCall(context, draft, wished);
}

/** As `makeCall`, for a channel that is known. */
export function becomeCall({ make }: DialectContext, draft: ElementDraft, channel: Written): void {
  if (draft.localName !== 'businessRuleTask') becomeTask(draft, 'serviceTask');
  draft.set(make.attribute('implementation', joined(channel, ['channel:', channel])));
}

/** Makes the node a script. Null: its value is not kept. */
export function makeScript(
  context: DialectContext,
  draft: ElementDraft,
  feel: Written,
  resultVariable: Written | null,
): void {
  becomeTask(draft, 'scriptTask');
  draft.drop('implementation');
  draft.addChildren(context.make.bpmnText('script', feel));
  if (resultVariable !== null) {
    draft.addExtension(context.make.q('output', resultVariable, { variable: resultVariable }));
  }
}

/** Keeps the reader from saying once more what was reported of the node's work. */
export function silence(context: DialectContext, draft: ElementDraft): void {
  becomeCall(context, draft, made(context, draft.base, 'unbound'));
}

/** Gives the node the kind of a task, without what only its old kind can have. */
export function becomeTask(draft: ElementDraft, kind: string): void {
  draft.localName = kind;
  draft.drop(...OTHER_ATTRIBUTES);
  draft.dropChildren(
    ({ namespace, localName }) =>
      namespace === BPMN_NAMESPACE &&
      (localName === 'script' || isEventDefinition(localName) || localName === 'eventDefinitionRef'),
  );
}

/** One variable that is set when an activity begins, or when it is done. */
export interface VariableMapping {
  /** A variable or a dotted path into one. */
  readonly target: Written;
  /** FEEL. */
  readonly source: Written;
  readonly element: XmlElement;
}

/** Variables of the activity alone, set when it begins: data inputs, each filled by an assignment. */
export function addInputs(
  context: DialectContext,
  draft: ElementDraft,
  mappings: readonly VariableMapping[],
): void {
  const { make } = context;
  const ids = new Map<string, Written>();
  const data: XmlElement[] = [];
  const associations: XmlElement[] = [];
  for (const mapping of mappings) {
    const name = rootOf(context, mapping);
    if (name === null) continue;
    const at = made(context, mapping.element, '');
    const id = ids.get(name) ?? made(context, mapping.element, `${idPrefix(draft)}-in-${name}`);
    if (!ids.has(name)) {
      ids.set(name, id);
      data.push(make.bpmn('dataInput', at, { id, name: made(context, mapping.element, name) }));
    }
    associations.push(
      make.bpmn('dataInputAssociation', at, {}, [
        make.bpmnText('targetRef', id),
        assignment(context, mapping),
      ]),
    );
  }
  const [first] = mappings;
  if (first === undefined || data.length === 0) return;
  addSpecification(context, draft, made(context, first.element, ''), data);
  draft.addChildren(...associations);
}

/** What goes out of the activity when it is done. */
export function addOutputs(
  context: DialectContext,
  draft: ElementDraft,
  mappings: readonly VariableMapping[],
): void {
  draft.addChildren(
    ...mappings
      .filter((mapping) => rootOf(context, mapping) !== null)
      .map((mapping) =>
        context.make.bpmn('dataOutputAssociation', made(context, mapping.element, ''), {}, [
          assignment(context, mapping),
        ]),
      ),
  );
}

function assignment({ make }: DialectContext, { source, target }: VariableMapping): XmlElement {
  return make.bpmn('assignment', target, {}, [
    make.bpmnText('from', source, { language: { ...source, text: 'feel' } }),
    make.bpmnText('to', target),
  ]);
}

function addSpecification(
  { make }: DialectContext,
  draft: ElementDraft,
  at: Written,
  data: readonly XmlElement[],
): void {
  const [own] = draft.bpmn('ioSpecification');
  if (own === undefined) {
    draft.addChildren(make.bpmn('ioSpecification', at, {}, data));
    return;
  }
  draft.dropChildren((child) => child === own);
  draft.addChildren({ ...own, children: [...own.children, ...data] });
}

/** The variable at the root of a target; null when it is none, which was reported. */
function rootOf(context: DialectContext, { target, element }: VariableMapping): string | null {
  const path = target.text.trim().split('.');
  const [root = ''] = path;
  if (path.every(isVariableName)) return root;
  const message = `${labelOf(element)} sets ${shown(target.text)}, which is no variable; write a name with letters, digits and _, or a dotted path`;
  return refuse(context, 'SUTRA.DIALECT.VALUE_INVALID', target, message);
}

/** Ids of BPMN are XML names; the rest of an id is a variable's name. */
function idPrefix({ id }: ElementDraft): string {
  return id === '' ? 'data' : id;
}

/** A throwing event without a definition does nothing but what its mappings say. */
export function isNoneThrow(draft: ElementDraft): boolean {
  const isThrow = draft.localName === 'intermediateThrowEvent' || draft.localName === 'endEvent';
  return isThrow && !draft.children.some(({ localName }) => /EventDefinition(?:Ref)?$/i.test(localName));
}

export function isCatch({ localName }: ElementDraft): boolean {
  return /^(?:start|intermediateCatch|boundary)Event$/.test(localName);
}

/** Says that the mappings of an event or gateway are not executed. */
export function unmapped({ base }: ElementDraft): string {
  return `${labelOf(base)} has mappings, which only activities and none events have here, and events that catch without inputs; move them to a task before or after it`;
}
