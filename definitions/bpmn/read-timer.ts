/** Timers: a duration, a date or a cycle, written down or as FEEL. */
import type { Place } from '../../config/engine-error.ts';
import {
  type Iso8601Fault,
  parseDuration,
  parseInstant,
  parseRepeatingInterval,
} from '../../config/iso8601.ts';
import type { CompiledExpression } from '../feel.ts';
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
/** FEEL would read `R3/PT10S` as a division; what starts like a duration, a number or cron is a mistake here. */
const CYCLE_LIKE = /^R\d*\/|^[+-]?P(?![a-z_])|^[\d*@]/;

const KINDS = { timeDuration: 'duration', timeDate: 'date', timeCycle: 'cycle' } as const;
const LITERALS = { duration: DURATION_LIKE, date: DATE_LIKE, cycle: CYCLE_LIKE } as const;

type TimerKind = TimerDefinition['kind'];

/** The timer of a `timerEventDefinition`; null when it was reported. BPMN 2.0.2 §10.5.5, timer. */
export function readTimer(
  context: ReadContext,
  event: XmlElement,
  definition: XmlElement,
): TimerDefinition | null {
  const [time, second] = Object.entries(KINDS).flatMap(([localName, kind]) =>
    bpmnChildren(definition, localName).map((element) => ({ element, kind })),
  );
  if (time === undefined || second !== undefined) {
    const message = `the timer of ${label(event)} needs exactly one timeDuration, timeDate or timeCycle`;
    context.report.error('SUTRA.BPMN.TIMER_MISSING', second?.element ?? definition, message);
    return null;
  }
  return readTime(context, event, time.element, time.kind);
}

function readTime(
  context: ReadContext,
  event: XmlElement,
  element: XmlElement,
  kind: TimerKind,
): TimerDefinition | null {
  const text = element.text.trim();
  const place = placeOf(context, element);
  if (text === '') {
    context.report.at('SUTRA.BPMN.TIMER_INVALID', place, `${element.localName} of ${label(event)} is empty`);
    return null;
  }
  if (!LITERALS[kind].test(text)) {
    const expression = context.expressions.formal(element);
    return expression === null ? null : evaluated(kind, expression, place);
  }
  const literal = written(kind, text, place);
  if (!('message' in literal)) {
    return literal;
  }
  const at = context.report.placeInText(element, element.text.indexOf(text));
  context.report.at('SUTRA.BPMN.TIMER_INVALID', at, `${literal.message}; FEEL starts with "="`);
  return null;
}

function evaluated(kind: TimerKind, expression: CompiledExpression, place: Place): TimerDefinition {
  switch (kind) {
    case 'duration':
      return { kind, expression, durationMs: null, place };
    case 'date':
      return { kind, expression, dueAtMs: null, place };
    case 'cycle':
      return { kind, expression, cycle: null, place };
  }
}

function written(kind: TimerKind, text: string, place: Place): TimerDefinition | Iso8601Fault {
  switch (kind) {
    case 'duration': {
      const duration = parseDuration(text);
      return duration.ok ? { kind, expression: null, durationMs: duration.ms, place } : duration;
    }
    case 'date': {
      const instant = parseInstant(text);
      return instant.ok ? { kind, expression: null, dueAtMs: instant.ms, place } : instant;
    }
    case 'cycle': {
      const interval = parseRepeatingInterval(text);
      if (!interval.ok) {
        return interval;
      }
      const { repetitions, intervalMs } = interval;
      return { kind, expression: null, cycle: { repetitions, intervalMs }, place };
    }
  }
}
