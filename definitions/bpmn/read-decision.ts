/** `implementation="decision:<id or name>"` of a business rule task, and what goes into the decision. */
import type { Decision } from '../dmn/decisions.ts';
import type { XmlAttribute, XmlElement } from '../xml/document.ts';
import { findAttribute } from '../xml/document.ts';
import { shown } from '../xml/shown.ts';
import type { BpmnCode } from './codes.ts';
import { label, qChildren, type ReadContext } from './read-context.ts';
import { rejectQ } from './read-q.ts';

/** What business rule tasks write before the id or the name of a decision. */
export const DECISION_PREFIX = 'decision:';

/** The decision that the attribute names; null: it names none that can be taken, which was reported. */
export function readDecision(
  context: ReadContext,
  element: XmlElement,
  attribute: XmlAttribute,
): Decision | null {
  const reference = attribute.value.slice(DECISION_PREFIX.length);
  const found = context.decisions.find(reference);
  const refuse = (code: BpmnCode, message: string): null => {
    context.report.attributeError(code, element, attribute, message);
    return null;
  };
  switch (found.kind) {
    case 'assumed':
    case 'found':
      rejectQ(
        context,
        element,
        ['source', 'alias', 'header', 'timeout', 'retry'],
        'a decision is made at once',
      );
      if (found.kind === 'found') checkParams(context, element, found.decision);
      return found.decision;
    case 'unknown':
      return refuse('SUTRA.BPMN.DECISION_UNKNOWN', unknownDecision(context, element, reference, found.known));
    case 'not-callable':
      return refuse(
        'SUTRA.BPMN.DECISION_UNKNOWN',
        `${label(element)} names ${shown(reference)}, which is a business knowledge model: only decisions call it; name a decision or a decision service`,
      );
    case 'ambiguous': {
      const files = found.places.map(({ file, line }) => `${file ?? '?'}:${String(line ?? 1)}`);
      const message = `${label(element)} names the decision ${shown(reference)}, which is in ${files.slice(0, 3).join(', ')}; name it by an id or a name that only one has`;
      return refuse('SUTRA.BPMN.DECISION_AMBIGUOUS', message);
    }
    case 'uncertain':
      return null;
  }
}

function unknownDecision(
  { report }: ReadContext,
  element: XmlElement,
  reference: string,
  known: readonly string[],
): string {
  const hint = known.length === 0 ? '; rules/ has no decision' : report.suggest(reference.trim(), known);
  return `${label(element)} names ${shown(reference)}, but no decision of the package has that id or name${hint}`;
}

/** A parameter that the decision does not take would be lost in silence. */
function checkParams({ report }: ReadContext, element: XmlElement, { name, inputs }: Decision): void {
  const known = inputs.map((input) => input.name);
  for (const param of qChildren(element, 'param')) {
    const attribute = findAttribute(param, 'name');
    if (attribute === null || known.includes(attribute.value)) continue;
    const hint = known.length === 0 ? '; it has none' : report.suggest(attribute.value, known);
    const message = `the decision ${shown(name)} has no input ${shown(attribute.value)}${hint}`;
    report.attributeError('SUTRA.BPMN.DECISION_INPUT_UNKNOWN', param, attribute, message);
  }
}
