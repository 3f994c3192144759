/** How a parked task is shown to operators. */
import { isUtf8 } from 'node:buffer';
import { bodyFormOf } from '../channels/pull/media-type.ts';
import { parseExactJson, parseExactJsonText } from '../definitions/exact-json.ts';
import type { TaskRow, TaskSummary } from '../engine/store/operate-tasks.ts';

/** The note of progress as the JSON value that it is; null without one, and `progressAt` too. */
export function taskSummaryView(task: TaskSummary): Record<string, unknown> {
  if (task.progress === null) return { ...task };
  const note = parseExactJsonText(task.progress);
  return { ...task, progress: note.ok ? note.value : null };
}

/** The body as a worker would get it: a JSON value, a text, or base64. */
export function taskView({ body, ...task }: TaskRow): Record<string, unknown> {
  const view = taskSummaryView(task);
  const form = bodyFormOf(task.contentType);
  if (form === 'json') {
    const parsed = parseExactJson(body);
    if (parsed.ok) return { ...view, body: parsed.value };
  }
  if (form === 'text' && isUtf8(body)) return { ...view, body: body.toString('utf8') };
  return { ...view, bodyBase64: body.toString('base64') };
}
