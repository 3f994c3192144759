/**
 * A locked task as an activated job of Camunda 8.
 *
 * J1 A JSON object that is the task's body goes out as it is stored: its numbers keep all their digits.
 * J2 What is no object is a variable of its own: `payload`, or `payloadBase64` for bytes.
 */
import { isUtf8 } from 'node:buffer';
import { parseExactJson } from '../../../../definitions/exact-json.ts';
import type { LockedTask } from '../../claim-plan.ts';
import { bodyFormOf } from '../../media-type.ts';
import type { Definition } from './definitions.ts';
import { keyOf } from './keys.ts';

export interface JobWording {
  readonly definition: Definition;
  readonly worker: string;
  /** Null: all. */
  readonly fetchVariables: readonly string[] | null;
  readonly withLease: boolean;
  readonly writeJson: (value: unknown) => string;
}

/** One entry of `jobs`, as JSON. */
export function jobJson(task: LockedTask, wording: JobWording): string {
  const { definition, worker, withLease } = wording;
  const jobKey = keyOf(task.id);
  const processInstanceKey = keyOf(task.instanceId);
  const before = JSON.stringify({
    type: task.channel,
    jobKey,
    processInstanceKey,
    rootProcessInstanceKey: processInstanceKey,
    processDefinitionKey: definition.processDefinitionKey,
    processDefinitionId: definition.processDefinitionId,
    processDefinitionVersion: definition.processDefinitionVersion,
    elementId: task.elementId,
    // An element's run has no id of its own here; the job is the one thing of it that can be named.
    elementInstanceKey: jobKey,
    customHeaders: task.headers,
    worker,
    retries: task.retries,
    priority: task.priority,
    deadline: task.lockExpiresAt.getTime(),
    tenantId: definition.tenantId,
    kind: 'BPMN_ELEMENT',
    listenerEventType: 'UNSPECIFIED',
    tags: [],
    ...(withLease ? { leaseToken: task.lockToken } : {}),
  });
  return `${before.slice(0, -1)},"variables":${variablesJson(task, wording)}}`;
}

function variablesJson(
  { contentType, body }: Pick<LockedTask, 'contentType' | 'body'>,
  { fetchVariables, writeJson }: JobWording,
): string {
  const stored = storedVariables(contentType, body);
  if (fetchVariables === null && stored.json !== null) return stored.json;
  const { variables } = stored;
  if (fetchVariables === null) return writeJson(variables);
  const wanted = fetchVariables.filter((name) => Object.hasOwn(variables, name));
  return writeJson(Object.fromEntries(wanted.map((name) => [name, variables[name]])));
}

interface StoredVariables {
  readonly variables: Readonly<Record<string, unknown>>;
  /** Their text, when that is what is stored. */
  readonly json: string | null;
}

function storedVariables(contentType: string, body: Uint8Array): StoredVariables {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const form = bodyFormOf(contentType);
  const parsed = form === 'json' ? parseExactJson(bytes) : null;
  if (parsed?.ok === true) {
    const json = bytes.toString('utf8');
    // What begins with a brace is an object: a number that no JS number holds is an object of the runtime too.
    if (/^\s*\{/.test(json)) return { variables: parsed.value as Readonly<Record<string, unknown>>, json };
    return { variables: { payload: parsed.value }, json: null };
  }
  if (form === 'text' && isUtf8(bytes)) return { variables: { payload: bytes.toString('utf8') }, json: null };
  return { variables: { payloadBase64: bytes.toString('base64') }, json: null };
}
