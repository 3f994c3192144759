/** Call activities: which process they run, and what goes in and out. BPMN 2.0.2 §10.3.6, §13.3.5. */
import type { CallActivity, CallResultDefinition, DispatchDefinition } from '../model.ts';
import { attributeOf, findAttribute, type XmlAttribute, type XmlElement } from '../xml/document.ts';
import { shown } from '../xml/shown.ts';
import { isXmlName, MAX_ID_LENGTH } from '../xml/schema-values.ts';
import { REPORTED } from './expressions.ts';
import type { NodeDraft } from './graph.ts';
import { Q_NAMESPACE } from './namespaces.ts';
import type { ActivityBase } from './node-base.ts';
import { otherEngineHint } from './other-engines.ts';
import { label, placeOf, qChild, qChildren, type ReadContext, withoutPrefix } from './read-context.ts';
import { readParams, readReply } from './read-q.ts';

export function readCallActivity(
  context: ReadContext,
  draft: NodeDraft,
  base: ActivityBase,
): CallActivity | null {
  const { element } = draft;
  const called = readCalled(context, element);
  const call = qChild(element, 'call');
  const params = readParams(context, element);
  const results = readResults(context, element);
  const reply = readReply(context, element);
  return called === null
    ? null
    : {
        ...base,
        kind: 'callActivity',
        called,
        binding: call !== null && attributeOf(call, 'binding') === 'latest' ? 'latest' : 'caller',
        params: params.length === 0 && !isNone(call, 'input') ? null : params,
        results: results.length === 0 && !isNone(call, 'output') ? null : results,
        reply,
      };
}

function isNone(call: XmlElement | null, attributeName: string): boolean {
  return call !== null && attributeOf(call, attributeName) === 'none';
}

function readCalled(context: ReadContext, element: XmlElement): CallActivity['called'] | null {
  const { report } = context;
  const attribute = findAttribute(element, 'calledElement');
  const dispatch = qChild(element, 'dispatch');
  if (attribute === null || attribute.value.trim() === '') {
    if (dispatch !== null) {
      return readDispatch(context, dispatch);
    }
    const hint = otherEngineHint(element, ['caseRef', 'calledElement'], ['calledElement']);
    const message = `${label(element)} does not say what it calls${hint}; set calledElement to the id of a process, or add q:dispatch`;
    report.error('SUTRA.BPMN.CALLED_ELEMENT_MISSING', element, message);
    return null;
  }
  if (dispatch !== null) {
    const message = `${label(element)} has calledElement and q:dispatch; keep one`;
    report.attributeError('SUTRA.BPMN.CALLED_ELEMENT_INVALID', element, attribute, message);
    return null;
  }
  if (/^\s*(?:=|[$#]\{)/.test(attribute.value)) {
    const expression = context.expressions.attribute(element, 'calledElement');
    return expression === null ? null : { kind: 'expression', expression };
  }
  const processId = readProcessId(context, element, attribute);
  return processId === null ? null : { kind: 'process', processId };
}

function readDispatch(context: ReadContext, dispatch: XmlElement): DispatchDefinition | null {
  const cases = dispatch.children.filter(
    (child) => child.namespace === Q_NAMESPACE && child.localName === 'case',
  );
  if (cases.length === 0) {
    const message = 'q:dispatch has no q:case; add one, or set calledElement';
    context.report.error('SUTRA.BPMN.CALLED_ELEMENT_MISSING', dispatch, message);
    return null;
  }
  const defaultAttribute = findAttribute(dispatch, 'default');
  return {
    kind: 'dispatch',
    cases: cases.map((one) => {
      const attribute = findAttribute(one, 'calledElement');
      return {
        when: context.expressions.attribute(one, 'when') ?? REPORTED,
        processId: attribute === null ? '' : (readProcessId(context, one, attribute) ?? ''),
      };
    }),
    defaultProcessId: defaultAttribute === null ? null : readProcessId(context, dispatch, defaultAttribute),
    onNoMatch: attributeOf(dispatch, 'onNoMatch') === 'skip' ? 'skip' : 'error',
    place: placeOf(context, dispatch),
  };
}

/** The id of a process of any package: a QName, whose prefix says nothing here. Null when reported. */
function readProcessId(context: ReadContext, element: XmlElement, attribute: XmlAttribute): string | null {
  // A blank one was reported with the element's form.
  if (attribute.value.trim() === '') {
    return null;
  }
  const id = withoutPrefix(attribute.value);
  if (!isXmlName(id)) {
    const message = `${attribute.localName} is ${shown(attribute.value)}, which is no id of a process: an XML name of at most ${MAX_ID_LENGTH} characters`;
    context.report.attributeError('SUTRA.BPMN.CALLED_ELEMENT_INVALID', element, attribute, message);
    return null;
  }
  const root = context.roots.get(id);
  if (root?.localName.startsWith('global') === true) {
    const message = `${attribute.localName} names the ${root.localName} ${shown(id)}, which is not executed; write the task into the process, or call a process`;
    context.report.attributeError('SUTRA.BPMN.CALLED_ELEMENT_INVALID', element, attribute, message);
    return null;
  }
  return id;
}

function readResults(context: ReadContext, element: XmlElement): readonly CallResultDefinition[] {
  const seen = new Set<string>();
  return qChildren(element, 'output').map((output) => {
    const attribute = findAttribute(output, 'variable');
    const variable = attribute?.value ?? '';
    if (attribute !== null && seen.has(variable)) {
      const message = `the variable ${shown(variable)} is the result of another q:output here; choose another`;
      context.report.attributeError('SUTRA.Q.NAME_DUPLICATE', output, attribute, message);
    }
    seen.add(variable);
    return { variable, expression: context.expressions.attribute(output, 'expression') };
  });
}
