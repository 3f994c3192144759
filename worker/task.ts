/** A task as a handler sees it, what a handler may do with it, and how it came off the wire. */
import { decodeBase64 } from './body.ts';

export interface Task<Body = unknown> {
  readonly id: string;
  readonly channel: string;
  readonly tenant: string;
  readonly module: string;
  readonly version: string;
  readonly deploymentId: string;
  readonly processId: string;
  readonly elementId: string;
  readonly instanceId: string;
  /** The same for all attempts: pass it to whatever must not happen twice. */
  readonly idempotencyKey: string;
  /** As the author set them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string;
  /** A JSON value, a string for a text type, a `Uint8Array` for anything else; after a schema: what the schema made. */
  readonly body: Body;
  /** This one included: the first is 1. */
  readonly attempts: number;
  /** Failures that it can still report before it is terminal. */
  readonly retries: number;
  /** Higher goes first. */
  readonly priority: number;
  /** RFC 3339, by the engine's clock. */
  readonly createdAt: string;
  /** RFC 3339, by the engine's clock: nobody wants the result after it. Null: none. */
  readonly deadline: string | null;
}

export interface TaskContext {
  /**
   * Aborted when the work is of no use any more; its `reason` is a `LockLostError`, `WithdrawnError`, `DeadlineError` or
   * `DrainError`. Pass it on to what the handler waits for.
   */
  readonly signal: AbortSignal;
  /** As the task's. */
  readonly idempotencyKey: string;
  /** Until when the lock lasts at least, by this machine's clock. It is extended without your help. */
  readonly lockExpiresAt: Date;
  /**
   * Makes the lock last for `duration` (ISO-8601) from now. Seldom needed: for work that blocks the event loop.
   * @throws CallError when the engine refuses it, or gives no answer within `callTimeout`.
   */
  extend(duration: string): Promise<void>;
  /**
   * Shows a note to operators: any JSON of at most 4,096 bytes. False: the engine gave no answer within `callTimeout`; a
   * note that gets lost is no reason for the work to fail.
   * @throws CallError when the engine refuses it: it is too long, or the lock is lost.
   */
  progress(value: unknown): Promise<boolean>;
}

/**
 * Does the work of one task. What it returns is the result: JSON, a `Uint8Array` for bytes, a `TaskResult` for another
 * content type; undefined: none, and the process goes on with the body that the task had.
 */
export type Handler<Body = unknown> = (task: Task<Body>, context: TaskContext) => unknown;

/** A task with the proof of its lock, which no handler sees. */
export interface LockedTask {
  readonly task: Task;
  readonly lockToken: string;
  /** Milliseconds since the epoch, by the engine's clock. */
  readonly lockExpiresAtMs: number;
}

/** Enough to give a lock back of which nothing else is understood. */
export interface LockReference {
  readonly id: string;
  readonly lockToken: string;
}

/** @returns null when it is not a task: what a handler relies on lacks. */
export function readTask(value: unknown): LockedTask | null {
  if (!isObject(value)) return null;
  const { id, channel, lockToken, lockExpiresAt, headers = {}, attempts, retries, deadline } = value;
  const lockExpiresAtMs = Date.parse(textOf(lockExpiresAt));
  const isWhole =
    textOf(id) !== '' && textOf(channel) !== '' && textOf(lockToken) !== '' && isObject(headers);
  if (!isWhole || typeof attempts !== 'number' || !Number.isFinite(lockExpiresAtMs)) return null;
  const body = readBody(value);
  if (body === null) return null;
  const task: Task = {
    id: textOf(id),
    channel: textOf(channel),
    tenant: textOf(value['tenant']),
    module: textOf(value['module']),
    version: textOf(value['version']),
    deploymentId: textOf(value['deploymentId']),
    processId: textOf(value['processId']),
    elementId: textOf(value['elementId']),
    instanceId: textOf(value['instanceId']),
    idempotencyKey: textOf(value['idempotencyKey']),
    headers: headers as Readonly<Record<string, string>>,
    contentType: textOf(value['contentType']),
    body: body.value,
    attempts,
    retries: typeof retries === 'number' ? retries : 0,
    priority: typeof value['priority'] === 'number' ? value['priority'] : 0,
    createdAt: textOf(value['createdAt']),
    deadline: typeof deadline === 'string' ? deadline : null,
  };
  return { task, lockToken: textOf(lockToken), lockExpiresAtMs };
}

export function readReference(value: unknown): LockReference | null {
  if (!isObject(value)) return null;
  const reference = { id: textOf(value['id']), lockToken: textOf(value['lockToken']) };
  return reference.id === '' || reference.lockToken === '' ? null : reference;
}

function readBody(value: Readonly<Record<string, unknown>>): { readonly value: unknown } | null {
  if (typeof value['bodyBase64'] !== 'string') return 'body' in value ? { value: value['body'] } : null;
  try {
    return { value: decodeBase64(value['bodyBase64']) };
  } catch {
    return null;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
