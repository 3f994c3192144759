/**
 * The priority that a vendor's file gives the tasks of a call: the header `priority` of the task, which is what the
 * channel's own priority is read from (channels/wished-channels.ts).
 */
import { MAX_TASK_PRIORITY, MIN_TASK_PRIORITY } from '../task-priority.ts';
import { shown } from '../xml/shown.ts';
import { joined, stringLiteral, trimmed, type Written } from '../written.ts';
import { type DialectContext, labelOf, made, refuse } from './dialect-context.ts';
import type { ElementDraft } from './element-draft.ts';

/** @param feel the expression that `written` is, or null: it is a number */
export function addPriority(
  context: DialectContext,
  draft: ElementDraft,
  channel: Written,
  written: Written,
  feel: Written | null,
): void {
  const { make, wishes } = context;
  if (feel === null && !isPriority(written.text.trim())) {
    const message = `the priority ${shown(written.text)} of ${labelOf(draft.base)} is no whole number from ${String(MIN_TASK_PRIORITY)} to ${String(MAX_TASK_PRIORITY)}`;
    refuse(context, 'SUTRA.DIALECT.VALUE_INVALID', written, message);
    return;
  }
  const name = made(context, draft.base, 'priority');
  const value = feel === null ? stringLiteral(trimmed(written)) : neverNull(feel);
  draft.addExtension(make.q('header', written, { name, value }));
  wishes.push({ name: channel.text, use: 'work', place: channel.place(), hasPriority: true });
}

/** A header without a value is left out, and the task would have the priority of those that say nothing. */
function neverNull(feel: Written): Written {
  return joined(feel, ['(for p in [(', feel, ')] return if p = null then "null" else p)[1]']);
}

function isPriority(text: string): boolean {
  const number = Number(text);
  return /^-?\d+$/.test(text) && number >= MIN_TASK_PRIORITY && number <= MAX_TASK_PRIORITY;
}
