/**
 * The JSON of fetched tasks. A JSON body's stored bytes go into the answer as they are: numbers stay
 * exact, and nothing is built only to be written again.
 *
 * J1 The answer is always valid JSON: a body that says JSON or text and is not goes out as `bodyBase64`.
 */
import { isUtf8 } from 'node:buffer';
import type { LockedTask } from './claim-plan.ts';
import { bodyFormOf } from './media-type.ts';

const HEAD = Buffer.from('{"tasks":[');
const TAIL = Buffer.from(']}');
const COMMA = Buffer.from(',');

/** `{"tasks":[…]}` in UTF-8. */
export function encodeFetchAnswer(tasks: readonly LockedTask[]): Buffer {
  const parts: Uint8Array[] = [HEAD];
  for (const [index, task] of tasks.entries()) {
    if (index > 0) {
      parts.push(COMMA);
    }
    parts.push(...encodeTask(task));
  }
  parts.push(TAIL);
  return Buffer.concat(parts);
}

function encodeTask(task: LockedTask): Uint8Array[] {
  const before = JSON.stringify({
    id: task.id,
    channel: task.channel,
    tenant: task.tenant,
    module: task.module,
    version: task.version,
    deploymentId: task.deploymentId,
    processId: task.processId,
    elementId: task.elementId,
    instanceId: task.instanceId,
    idempotencyKey: task.idempotencyKey,
    headers: task.headers,
    contentType: task.contentType,
    attempts: task.generation,
    retries: task.retries,
    priority: task.priority,
    lockToken: task.lockToken,
    lockExpiresAt: task.lockExpiresAt.toISOString(),
    createdAt: task.createdAt.toISOString(),
    // Left out of the JSON where it is undefined.
    deadline: task.deadline?.toISOString(),
  });
  const open = before.slice(0, -1);
  const form = bodyFormOf(task.contentType);
  if (form === 'json' && isJson(task.body)) {
    return [Buffer.from(`${open},"body":`), task.body, Buffer.from('}')];
  }
  if (form === 'text' && isUtf8(task.body)) {
    return [Buffer.from(`${open},"body":${JSON.stringify(textOf(task.body))}}`)];
  }
  return [Buffer.from(`${open},"bodyBase64":"${bufferOf(task.body).toString('base64')}"}`)];
}

function isJson(body: Uint8Array): boolean {
  if (!isUtf8(body)) {
    return false;
  }
  try {
    JSON.parse(textOf(body));
    return true;
  } catch {
    return false;
  }
}

function bufferOf(body: Uint8Array): Buffer {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}

function textOf(body: Uint8Array): string {
  return bufferOf(body).toString('utf8');
}
