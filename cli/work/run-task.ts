/** How a task is done: the two ways of `sutra work`, behind one function. */
import type { Outcome } from './outcome.ts';
import type { TaskInput } from './task-input.ts';

export interface RunContext {
  /** Aborted: the lock is lost, nobody wants the task any more, its deadline has passed, or the worker stops. */
  readonly signal: AbortSignal;
  /** Shows a note to operators. Rejects when the engine does not take it. */
  readonly progress: (value: unknown) => Promise<unknown>;
}

/** Resolves once nothing of it runs any more; what it says after an abort is of no use. */
export type RunTask = (task: TaskInput, context: RunContext) => Promise<Outcome>;
