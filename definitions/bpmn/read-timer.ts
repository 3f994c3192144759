/** Timers: a duration or a date, written down or as FEEL. */
import { parseDuration, parseInstant } from '../../config/iso8601.ts';
import type { TimerDefinition } from '../model.ts';
import type { XmlElement } from '../xml/document.ts';
import { bpmnChildren, label, placeOf, type ReadContext } from './read-context.ts';

/**
 * Texts that are meant as ISO-8601, right or wrong. A FEEL variable can start with `P` only before a
 * small letter or `_`; a bare number or `5m` would be FEEL, or nearly, and is always a mistake here.
 */
const DURATION_LIKE = /^[+-]?P(?![a-z_])|^R\d*\/|^\d+(?:\.\d+)?\s*[A-Za-z]*$/;
/** FEEL would read `2026-05-01` as a subtraction. */
const DATE_LIKE = /^[+-]?\d/;

/** The timer of a `timerEventDefinition`; null when it was reported. */
export function readTimer(
  context: ReadContext,
  event: XmlElement,
  definition: XmlElement,
): TimerDefinition | null {
  const durations = bpmnChildren(definition, 'timeDuration');
  const dates = bpmnChildren(definition, 'timeDate');
  const cycles = bpmnChildren(definition, 'timeCycle');
  const [expression, second] = [...durations, ...dates];
  if (expression === undefined && cycles.length > 0) {
    return null;
  }
  if (expression === undefined || second !== undefined || cycles.length > 0) {
    const message = `the timer of ${label(event)} needs exactly one timeDuration or timeDate`;
    context.report.error('SUTRA.BPMN.TIMER_MISSING', second ?? definition, message);
    return null;
  }
  const kind = expression.localName === 'timeDuration' ? 'duration' : 'date';
  return readTime(context, event, expression, kind);
}

function readTime(
  context: ReadContext,
  event: XmlElement,
  element: XmlElement,
  kind: 'duration' | 'date',
): TimerDefinition | null {
  const text = element.text.trim();
  const place = placeOf(context, element);
  if (text === '') {
    context.report.at('SUTRA.BPMN.TIMER_INVALID', place, `${element.localName} of ${label(event)} is empty`);
    return null;
  }
  if (!(kind === 'duration' ? DURATION_LIKE : DATE_LIKE).test(text)) {
    const expression = context.expressions.formal(element);
    if (expression === null) {
      return null;
    }
    return kind === 'duration'
      ? { kind, expression, durationMs: null, place }
      : { kind, expression, dueAtMs: null, place };
  }
  const literal = kind === 'duration' ? parseDuration(text) : parseInstant(text);
  if (!literal.ok) {
    const at = context.report.placeInText(element, element.text.indexOf(text));
    const message = `${literal.message}; FEEL starts with "="`;
    context.report.at('SUTRA.BPMN.TIMER_INVALID', at, message);
    return null;
  }
  return kind === 'duration'
    ? { kind, expression: null, durationMs: literal.ms, place }
    : { kind, expression: null, dueAtMs: literal.ms, place };
}
