/**
 * A client reads a body as a value; a program is to get it as it was written, with all digits of its numbers. So of each
 * task that the engine hands out, the body is made the bytes that it is as the answer is parsed.
 */
import { itemSpans, memberSpans, type Span } from './json-spans.ts';
import { isObject } from './report.ts';

/** As `JSON.parse`, with `bodyBase64` in place of `body` in each task of a list `tasks`. */
export function parseWithBodyBytes(text: string): unknown {
  const answer: unknown = JSON.parse(text);
  if (!isObject(answer) || !Array.isArray(answer['tasks'])) return answer;
  const list = memberSpans(text, text.indexOf('{')).get('tasks');
  const spans = list === undefined ? [] : itemSpans(text, list.start);
  const tasks = answer['tasks'].map((task: unknown, index) => withBytes(task, text, spans[index]));
  return { ...answer, tasks };
}

function withBytes(task: unknown, text: string, span: Span | undefined): unknown {
  const at = span !== undefined && isObject(task) ? memberSpans(text, span.start).get('body') : undefined;
  if (!isObject(task) || at === undefined) return task;
  const { body, ...rest } = task;
  const isText = typeof body === 'string' && !isJson(task['contentType']);
  const bytes = Buffer.from(isText ? body : text.slice(at.start, at.end));
  return { ...rest, bodyBase64: bytes.toString('base64') };
}

/** As the engine has it; text that is no JSON is never called so by it. */
function isJson(contentType: unknown): boolean {
  const type = typeof contentType === 'string' ? (contentType.split(';')[0] ?? '').trim().toLowerCase() : '';
  return type === 'application/json' || type.endsWith('+json');
}
