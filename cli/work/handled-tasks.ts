/** The handler of every channel: the client's task in, the program's outcome out. */
import {
  BpmnError,
  DrainError,
  NonRetryableError,
  RetryableError,
  TaskResult,
  type Task,
  type TaskContext,
} from '../../worker/index.ts';
import { formatDuration } from '../../config/iso8601.ts';
import type { Outcome } from './outcome.ts';
import type { RunTask } from './run-task.ts';
import type { TaskInput } from './task-input.ts';

export class HandledTasks {
  readonly #runTask: RunTask;
  readonly #running = new Set<Promise<unknown>>();
  #unfinishedCount = 0;

  constructor(runTask: RunTask) {
    this.#runTask = runTask;
  }

  get runningCount(): number {
    return this.#running.size;
  }

  /** Those that the end of the drain time has stopped. */
  get unfinishedCount(): number {
    return this.#unfinishedCount;
  }

  readonly handler = (task: Task, context: TaskContext): Promise<TaskResult | undefined> => {
    const handled = this.#handle(task, context);
    const ended: Promise<unknown> = handled.then(
      () => this.#running.delete(ended),
      () => this.#running.delete(ended),
    );
    this.#running.add(ended);
    return handled;
  };

  /** Resolves once nothing runs, even what nobody waits for any more. */
  async allEnded(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #handle(task: Task, context: TaskContext): Promise<TaskResult | undefined> {
    const { signal } = context;
    const progress = (value: unknown): Promise<unknown> => context.progress(value);
    const outcome = await this.#runTask(inputOf(task), { signal, progress });
    if (signal.aborted) {
      if (signal.reason instanceof DrainError) this.#unfinishedCount += 1;
      throw signal.reason;
    }
    return settled(outcome);
  }
}

function inputOf({ body, ...task }: Task): TaskInput {
  return { ...task, body: bytesOf(body) };
}

/** The answer's parser has made bytes of every body that came as a value. */
function bytesOf(body: unknown): Uint8Array {
  return body instanceof Uint8Array
    ? body
    : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

/** @throws what the client takes for a failure or a BPMN error. */
function settled(outcome: Outcome): TaskResult | undefined {
  switch (outcome.kind) {
    case 'completed': {
      const { result } = outcome;
      return result === null ? undefined : new TaskResult(result.bytes, result.contentType);
    }
    case 'bpmn-error':
      throw new BpmnError(outcome.code, outcome.variables, outcome.message ?? undefined);
    case 'failed': {
      const { message, details, isRetryable, retryAfterMs } = outcome;
      if (!isRetryable) throw new NonRetryableError(message, { details });
      const retryAfter = retryAfterMs === null ? {} : { retryAfter: formatDuration(retryAfterMs) };
      throw new RetryableError(message, { details, ...retryAfter });
    }
  }
}
