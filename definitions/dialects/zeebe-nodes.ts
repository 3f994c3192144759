/** Zeebe: jobs, data, calls, loops and scripts. */
import { isVariableName } from '../bpmn/q-values.ts';
import { BPMN_NAMESPACE } from '../bpmn/namespaces.ts';
import { compileExpression, TurnBudget } from '../feel.ts';
import type { XmlElement } from '../xml/document.ts';
import { shown } from '../xml/shown.ts';
import { type DialectContext, labelOf, made, refuse } from './dialect-context.ts';
import type { ElementDraft } from './element-draft.ts';
import {
  addInputs,
  addOutputs,
  becomeTask,
  isCatch,
  isNoneThrow,
  makeCall,
  makeScript,
  silence,
  unmapped,
  type VariableMapping,
} from './task-drafts.ts';
import { ownAttribute, ownChildren, zeebeElement } from './vendor-settings.ts';
import { filled, joined, part, stringLiteral, trimmed, type Written } from '../written.ts';
import { addPriority } from './work-priority.ts';

/** FEEL after `=`, else a text. */
export function feelOfZeebe(written: Written): Written {
  const start = written.text.search(/\S/);
  return start >= 0 && written.text.charAt(start) === '=' ? part(written, start + 1) : stringLiteral(written);
}

/** A text that must be known at deploy time; null when it is not, which was reported. */
function constantOf(context: DialectContext, written: Written, what: string): Written | null {
  if (!/^\s*=/.test(written.text)) return written;
  const value = constantValue(feelOfZeebe(written).text);
  if (value !== null) return { ...written, text: value };
  const message = `${what} ${shown(written.text)} must be known at deploy time; write it without =`;
  return refuse(context, 'SUTRA.DIALECT.VALUE_INVALID', written, message);
}

function constantValue(feel: string): string | null {
  try {
    const expression = compileExpression(feel);
    if (expression.names.length > 0) return null;
    const value = expression.evaluate(() => undefined, new TurnBudget(0));
    return typeof value === 'string' ? value : null;
  } catch {
    // What is wrong with it does not matter: it is no constant text.
    return null;
  }
}

/** The job of a task, or of an event. True: it is bound now. */
export function bindZeebeWork(context: DialectContext, draft: ElementDraft): boolean {
  const holder = [draft.base, ...draft.base.children.filter(isMessageDefinition)].find(
    (element) => zeebeElement(element, 'taskDefinition') !== null,
  );
  const definition = holder === undefined ? null : zeebeElement(holder, 'taskDefinition');
  if (holder !== undefined && definition !== null) {
    const type = ownAttribute(context, definition, 'type');
    const channel = type === null ? null : constantOf(context, type, `the type of ${labelOf(draft.base)}`);
    if (channel === null && type === null) {
      const message = `the taskDefinition of ${labelOf(draft.base)} has no type; add one`;
      refuse(context, 'SUTRA.DIALECT.VALUE_INVALID', made(context, definition, ''), message);
    }
    if (channel === null) silence(context, draft);
    else makeCall(context, draft, channel);
    addTaskHeaders(context, draft, holder);
    if (channel !== null) addJobPriority(context, draft, holder, trimmed(channel));
    return true;
  }
  const decision = zeebeElement(draft.base, 'calledDecision');
  return decision !== null && bindDecision(context, draft, decision);
}

function isMessageDefinition({ namespace, localName }: XmlElement): boolean {
  return namespace === BPMN_NAMESPACE && localName === 'messageEventDefinition';
}

function addTaskHeaders(context: DialectContext, draft: ElementDraft, holder: XmlElement): void {
  const headers = zeebeElement(holder, 'taskHeaders');
  if (headers === null) return;
  for (const header of ownChildren(headers, 'header')) {
    const name = ownAttribute(context, header, 'key');
    const value = ownAttribute(context, header, 'value');
    if (name !== null && value !== null) {
      draft.addExtension(
        context.make.q('header', made(context, header, ''), { name, value: stringLiteral(onOneLine(value)) }),
      );
    }
  }
}

/** That of the process is for the tasks that say nothing themselves. */
function addJobPriority(
  context: DialectContext,
  draft: ElementDraft,
  holder: XmlElement,
  channel: Written,
): void {
  for (const element of [holder, draft.base, context.process]) {
    const definition = element === null ? null : zeebeElement(element, 'jobPriorityDefinition');
    const priority = definition === null ? null : ownAttribute(context, definition, 'priority');
    if (priority === null) continue;
    const feel = /^\s*=/.test(priority.text) ? feelOfZeebe(priority) : null;
    addPriority(context, draft, channel, priority, feel);
    return;
  }
}

/** Header values have no line breaks here; those of expressions are spaces as well. */
function onOneLine(value: Written): Written {
  return { ...value, text: value.text.replace(/[\t\n\r]/g, ' ') };
}

function bindDecision(context: DialectContext, draft: ElementDraft, decision: XmlElement): boolean {
  const id = ownAttribute(context, decision, 'decisionId');
  const name = id === null ? null : constantOf(context, id, `the decision of ${labelOf(draft.base)}`);
  if (name !== null) {
    draft.set(context.make.attribute('implementation', joined(name, ['decision:', name])));
  }
  addResult(context, draft, ownAttribute(context, decision, 'resultVariable'));
  return id !== null;
}

function addResult({ make }: DialectContext, draft: ElementDraft, variable: Written | null): void {
  if (variable !== null) draft.addExtension(make.q('output', variable, { variable }));
}

export function mapZeebeScript(context: DialectContext, draft: ElementDraft): boolean {
  const script = zeebeElement(draft.base, 'script');
  if (script === null) return false;
  const expression = ownAttribute(context, script, 'expression');
  if (expression === null) return false;
  draft.drop('scriptFormat');
  makeScript(context, draft, feelOfZeebe(expression), ownAttribute(context, script, 'resultVariable'));
  return true;
}

/** `zeebe:ioMapping`. With output mappings nothing else leaves the activity. */
export function mapIo(context: DialectContext, draft: ElementDraft): void {
  const io = zeebeElement(draft.base, 'ioMapping');
  if (io === null) return;
  const inputs = mappings(context, io, 'input');
  const outputs = mappings(context, io, 'output');
  if (isNoneThrow(draft)) {
    becomeTask(draft, 'task');
  } else if (/(?:Event|Gateway)$/.test(draft.localName)) {
    if (isCatch(draft) && inputs.length === 0) addOutputs(context, draft, outputs);
    else refuse(context, 'SUTRA.DIALECT.EXTENSION_REFUSED', made(context, io, ''), unmapped(draft));
    return;
  }
  addInputs(context, draft, inputs);
  addOutputs(context, draft, outputs);
  if (outputs.length > 0 && !/^(?:subProcess|transaction|adHocSubProcess)$/.test(draft.localName)) {
    draft.addExtension(context.make.q('local', made(context, io, '')));
  }
}

function mappings(context: DialectContext, io: XmlElement, kind: string): readonly VariableMapping[] {
  return ownChildren(io, kind).flatMap((element) => {
    const source = ownAttribute(context, element, 'source');
    const target = ownAttribute(context, element, 'target');
    return source === null || target === null ? [] : [{ source: feelOfZeebe(source), target, element }];
  });
}

export function mapZeebeCall(context: DialectContext, draft: ElementDraft): void {
  const { make } = context;
  const called = zeebeElement(draft.base, 'calledElement');
  if (called === null) return;
  const processId = ownAttribute(context, called, 'processId');
  if (processId !== null) draft.set(make.attribute('calledElement', processId));
  const isFalse = (name: string): boolean => ownAttribute(context, called, name)?.text === 'false';
  const binding = ownAttribute(context, called, 'bindingType');
  if (draft.hasQ('call')) return;
  const none = made(context, called, 'none');
  const givesNothing = isFalse('propagateAllParentVariables');
  const io = zeebeElement(draft.base, 'ioMapping');
  if (givesNothing && io !== null) {
    for (const { target, source, element } of mappings(context, io, 'input')) {
      draft.addExtension(make.q('param', made(context, element, ''), { name: target, expression: source }));
    }
  }
  draft.addExtension(
    make.q('call', made(context, called, ''), {
      binding: binding?.text === 'latest' ? binding : null,
      input: givesNothing && (io === null || ownChildren(io, 'input').length === 0) ? none : null,
      output:
        isFalse('propagateAllChildVariables') && (io === null || ownChildren(io, 'output').length === 0)
          ? none
          : null,
    }),
  );
}

/** `zeebe:loopCharacteristics`, on the activity and on its loop. */
export function mapZeebeLoop(context: DialectContext, draft: ElementDraft): void {
  const loop = zeebeElement(draft.base, 'loopCharacteristics');
  if (loop === null || draft.hasQ('loop')) return;
  const collection = ownAttribute(context, loop, 'inputCollection');
  const output = ownAttribute(context, loop, 'outputCollection');
  const hasOutput = output !== null && output.text !== '';
  draft.addExtension(
    context.make.q('loop', made(context, loop, ''), {
      collection: collection === null ? null : feelOfZeebe(collection),
      item: filled(ownAttribute(context, loop, 'inputElement')),
      output: hasOutput ? output : null,
      outputItem: hasOutput ? outputItem(context, loop) : null,
    }),
  );
}

/** The variable that is collected: the one that `outputElement` is, else one that is made for its value. */
function outputItem(context: DialectContext, loop: XmlElement): Written | null {
  const element = ownAttribute(context, loop, 'outputElement');
  if (element === null) return null;
  const feel = feelOfZeebe(element);
  const name = feel.text.trim();
  return isVariableName(name) ? { ...feel, text: name } : made(context, loop, MADE_ITEM);
}

const MADE_ITEM = 'outputElement';

/** Fills the variable that is made for an `outputElement`. Called for the activity around the loop. */
export function addOutputElement(context: DialectContext, draft: ElementDraft): void {
  const loops = draft.base.children.filter(
    ({ namespace, localName }) =>
      namespace === BPMN_NAMESPACE && localName === 'multiInstanceLoopCharacteristics',
  );
  for (const loop of loops) {
    const characteristics = zeebeElement(loop, 'loopCharacteristics');
    if (characteristics === null) continue;
    const element = ownAttribute(context, characteristics, 'outputElement');
    const item = outputItem(context, characteristics);
    if (element === null || item?.text !== MADE_ITEM) continue;
    addOutputs(context, draft, [{ source: feelOfZeebe(element), target: item, element: characteristics }]);
  }
}
