/**
 * What a command finds in its environment: that of this process without what is only for the engine, and the task's ids and
 * headers.
 *
 * E1 No variable that begins with `SUTRA_`, no admin key and no credential of this process is handed on.
 * E2 `SUTRA_HEADERS` has all headers, as JSON. A variable of its own has each that can be told apart by such a name.
 */
import type { TaskInput } from './task-input.ts';

const OWN_PREFIX = 'SUTRA_';
/** Where the other commands look for it unless told otherwise. */
const ADMIN_KEY_VARIABLE = 'ADMIN_API_KEY';
/** Linux has room for 128 KiB in one variable; a system may have less for all of them together. */
export const MAX_HEADERS_BYTES = 65_536;

type Environment = Readonly<Record<string, string>>;

/** E1. @param credentialVariables that an option has named as the place of a secret. */
export function inheritedEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  credentialVariables: readonly string[],
): Environment {
  const withheld = new Set([ADMIN_KEY_VARIABLE, ...credentialVariables]);
  return Object.fromEntries(
    Object.entries(own).flatMap(([name, value]) =>
      value === undefined || name.startsWith(OWN_PREFIX) || withheld.has(name) ? [] : [[name, value]],
    ),
  );
}

/** Null: the headers are too large for an environment. */
export function taskEnvironment(task: TaskInput): Environment | null {
  const headers = JSON.stringify(task.headers);
  if (Buffer.byteLength(headers) > MAX_HEADERS_BYTES) return null;
  return {
    ...headerVariables(task.headers),
    SUTRA_HEADERS: headers,
    SUTRA_TASK_ID: task.id,
    SUTRA_CHANNEL: task.channel,
    SUTRA_INSTANCE_ID: task.instanceId,
    SUTRA_IDEMPOTENCY_KEY: task.idempotencyKey,
    SUTRA_ATTEMPTS: String(task.attempts),
    SUTRA_RETRIES: String(task.retries),
    SUTRA_CONTENT_TYPE: task.contentType,
    ...(task.deadline === null ? {} : { SUTRA_DEADLINE: task.deadline }),
  };
}

/** E2: two headers that would share a name have none, and a value with a NUL cannot have one. */
function headerVariables(headers: Readonly<Record<string, string>>): Environment {
  const entries = Object.entries(headers).map(([name, value]) => [variableOf(name), value] as const);
  const counts = new Map<string, number>();
  for (const [variable] of entries) counts.set(variable, (counts.get(variable) ?? 0) + 1);
  return Object.fromEntries(
    entries.filter(([variable, value]) => counts.get(variable) === 1 && !value.includes('\0')),
  );
}

/** `x-order.id` is `SUTRA_HEADER_X_ORDER_ID`. */
function variableOf(header: string): string {
  return `${OWN_PREFIX}HEADER_${header.replaceAll(/[^A-Za-z0-9]/g, '_').toUpperCase()}`;
}
