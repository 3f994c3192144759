/**
 * What a handler throws, what its `AbortSignal` gives as the reason, and what wrong options are.
 *
 * E1 A message is for operators and goes to the engine as it is. Nothing here puts a payload or a lock token into one.
 */

export interface RetryableOptions {
  /** ISO-8601: when the task may be fetched again. Default: the channel's retry time. */
  readonly retryAfter?: string;
  /** Sets the failures that are left, from 0. Default: one less than before. */
  readonly retries?: number;
  /** For operators, such as the end of a log. Default: the stack. */
  readonly details?: string;
  readonly cause?: unknown;
}

/** The work failed and may succeed later: one retry is spent. Any error that is none of these counts as one. */
export class RetryableError extends Error {
  override readonly name = 'RetryableError';
  readonly retryAfter: string | null;
  readonly retries: number | null;
  readonly details: string | null;

  constructor(message: string, options: RetryableOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : {});
    this.retryAfter = options.retryAfter ?? null;
    this.retries = options.retries ?? null;
    this.details = options.details ?? null;
  }
}

export interface NonRetryableOptions {
  /** For operators. Default: the stack. */
  readonly details?: string;
  readonly cause?: unknown;
}

/** Trying again cannot help: the task turns terminal at once, with an incident. */
export class NonRetryableError extends Error {
  override readonly name = 'NonRetryableError';
  readonly details: string | null;

  constructor(message: string, options: NonRetryableOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : {});
    this.details = options.details ?? null;
  }
}

/** An outcome that the process models: goes to the boundary event or event sub-process for `code`. */
export class BpmnError extends Error {
  override readonly name = 'BpmnError';
  readonly code: string;
  readonly variables: Readonly<Record<string, unknown>> | null;
  /** Null: none was given, and none is sent. */
  readonly errorMessage: string | null;

  constructor(code: string, variables?: Readonly<Record<string, unknown>> | null, message?: string) {
    super(message ?? `BPMN error ${code}`);
    this.code = code;
    this.variables = variables ?? null;
    this.errorMessage = message ?? null;
  }

  /** By this name an engine knows it when a function that is registered with it throws one. */
  get bpmnErrorCode(): string {
    return this.code;
  }
}

/** What a foreign error may be made into. */
export type Failure = RetryableError | NonRetryableError | BpmnError;

/** The lock ran out, was released, or somebody else has it. The task is or will be another attempt's. */
export class LockLostError extends Error {
  override readonly name = 'LockLostError';
}

/** Nobody waits for the task any more: its instance ended, timed out, was cancelled or moved on. Undo what you can. */
export class WithdrawnError extends Error {
  override readonly name = 'WithdrawnError';
}

/** The call's deadline has passed. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/** The worker stops and its drain time is over. The task is given back, with no retry spent. */
export class DrainError extends Error {
  override readonly name = 'DrainError';
}

export type AbortReason = LockLostError | WithdrawnError | DeadlineError | DrainError;

/** A call to the engine that was refused, or had no usable answer within its time. */
export class CallError extends Error {
  override readonly name = 'CallError';
  /** The engine's code; null: there was no answer of an engine. */
  readonly code: string | null;
  /** HTTP; null: no answer at all. */
  readonly status: number | null;

  constructor(message: string, code: string | null, status: number | null) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** An option is missing, unknown, or not what it may be. Thrown by the constructor, with all faults. */
export class WorkerOptionsError extends Error {
  override readonly name = 'WorkerOptionsError';
}

export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message === '' ? error.name : error.message;
  try {
    return String(error);
  } catch {
    return 'something that is no error and has no text was thrown';
  }
}
