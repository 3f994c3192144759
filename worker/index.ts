/** `sutra-engine/worker`: a worker for Sutra's external tasks. Runs on Node, Deno and Bun, and depends on nothing. */
export { Worker, type WorkerEvents } from './worker.ts';
export type { ChannelOptions, WorkerOptions } from './options.ts';
export type { WorkerHealth, WorkerState } from './health.ts';
export type { Handler, Task, TaskContext } from './task.ts';
export { TaskResult } from './body.ts';
export {
  BpmnError,
  CallError,
  DeadlineError,
  DrainError,
  LockLostError,
  NonRetryableError,
  RetryableError,
  WithdrawnError,
  WorkerOptionsError,
  type AbortReason,
  type Failure,
  type NonRetryableOptions,
  type RetryableOptions,
} from './errors.ts';
export type { HeaderSource } from './http-call.ts';
export type { StandardSchemaV1 } from './standard-schema.ts';
export { stopOnSignals, type SignalSource, type Stoppable } from './node.ts';
