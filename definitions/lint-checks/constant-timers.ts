/** Timers whose expression always gives the same value, and one that is no ISO-8601 time of their kind. */
import { parseDuration, parseInstant, parseRepeatingInterval } from '../../config/iso8601.ts';
import { quoteText } from '../../config/quote-text.ts';
import type { Finding } from '../../config/engine-error.ts';
import type { FlowNode, TimerDefinition } from '../model.ts';
import { Temporal, type Value } from '../value.ts';
import { constantOf } from './constant-values.ts';
import { labelOf, warning, type ProcessCheck } from './lint-check.ts';

export const checkConstantTimers: ProcessCheck = ({ nodes }) =>
  [...nodes.values()].flatMap((node) => timersOf(node).flatMap((timer) => findingAt(node, timer) ?? []));

function timersOf(node: FlowNode): readonly TimerDefinition[] {
  if (!('triggers' in node)) return [];
  return node.triggers.flatMap((trigger) => (trigger.kind === 'timer' ? [trigger.timer] : []));
}

const wanted = {
  duration: 'a duration such as PT5M',
  date: 'a date with an offset such as 2026-05-01T09:30:00Z',
  cycle: 'a cycle such as R3/PT10S',
} as const;

function findingAt(node: FlowNode, timer: TimerDefinition): Finding | null {
  const value = timer.expression === null ? undefined : constantOf(timer.expression);
  if (value === undefined || isTime(timer.kind, value)) return null;
  const found = typeof value === 'string' ? quoteText(value) : quoteText(JSON.stringify(value));
  const message = `The timer of ${labelOf(node)} is always ${found}, which is no ISO-8601 ${timer.kind}; write ${wanted[timer.kind]}`;
  return warning('SUTRA.LINT.TIMER_VALUE', timer.place, message);
}

function isTime(kind: TimerDefinition['kind'], value: Value): boolean {
  if (value instanceof Temporal) {
    if (kind === 'date') return value.kind === 'date-time' && parseInstant(value.text).ok;
    return kind === 'duration' && value.kind === 'days-time-duration';
  }
  if (typeof value !== 'string') return false;
  switch (kind) {
    case 'duration':
      return parseDuration(value).ok;
    case 'date':
      return parseInstant(value).ok;
    case 'cycle':
      return parseRepeatingInterval(value).ok;
  }
}
