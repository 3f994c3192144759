/**
 * The worker inside an embedding program: runs its `registered:` functions. It is a worker like any
 * other, on the internal channels `registered:<name>`; there is no second way to wait for work.
 *
 * W1 It never fetches more tasks than it may run at once.
 * W2 A function that throws fails its task under the task's own budget; the message is kept, no payload. Where the call
 *    has `q:retry` it is the attempt of the call that has failed instead: the two budgets never overlap.
 *    What it returns is kept until the engine has taken it or refused it for good. A BPMN error that it throws is no
 *    failure but an outcome, and kept likewise.
 * W3 A fetch that fails is tried again with a growing delay; `stop` waits for the functions under way.
 */
import { EngineError } from '../config/engine-error.ts';
import type { DeploymentRegistry } from '../engine/deployments/registry.ts';
import type { CallFailurePort } from '../engine/intake/ports.ts';
import type { Log } from '../engine/observe.ts';
import type { Service } from '../engine/transport.ts';
import { codeRegistry } from './code-registry.ts';
import { FUNCTION_FAILED, hasRetry } from './call-retry.ts';
import type { PullOperations } from './operations.ts';
import { bpmnErrorFields } from './thrown-bpmn-error.ts';

export interface RegisteredTask {
  readonly taskId: string;
  readonly instanceId: string;
  /** Stable over all attempts: pass it on to whatever must not happen twice. */
  readonly idempotencyKey: string;
  readonly attempts: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Gets the call's parameters; what it returns is the answer, as JSON. May throw a `BpmnError`. */
export type RegisteredFunction = (input: unknown, task: RegisteredTask) => unknown;

export interface RegisteredWorkerOptions {
  readonly functions: Readonly<Record<string, RegisteredFunction>>;
  readonly pull: PullOperations;
  readonly failures: CallFailurePort;
  readonly deployments: Pick<DeploymentRegistry, 'loadedModel'>;
  readonly workerId: string;
  readonly concurrency: number;
  readonly log: Log;
}

interface FetchedTask extends RegisteredTask {
  readonly deploymentId: string;
  readonly processId: string;
  readonly elementId: string;
  readonly channel: string;
  readonly body: unknown;
  readonly lockToken: string;
}

const maxDelayMs = 5_000;

export class RegisteredWorker implements Service {
  readonly #options: RegisteredWorkerOptions;
  readonly #channels: readonly string[];
  readonly #running = new Set<Promise<void>>();
  #stopping = new AbortController();
  #loop: Promise<void> | null = null;

  constructor(options: RegisteredWorkerOptions) {
    this.#options = options;
    this.#channels = Object.keys(options.functions).map((name) => `registered:${name}`);
  }

  start(): Promise<void> {
    if (this.#loop === null && this.#channels.length > 0) {
      this.#stopping = new AbortController();
      this.#loop = this.#poll();
    }
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
    this.#loop = null;
    await Promise.all(this.#running);
  }

  async #poll(): Promise<void> {
    let failures = 0;
    while (!this.#stopping.signal.aborted) {
      const free = this.#options.concurrency - this.#running.size;
      if (free <= 0) {
        await Promise.race(this.#running);
        continue;
      }
      try {
        for (const task of await this.#fetch(free)) this.#run(task);
        failures = 0;
      } catch (error) {
        failures += 1;
        this.#options.log.warn('registered-fetch-failed', { failures, error: messageOf(error) });
        await this.#pause(Math.min(50 * 2 ** failures, maxDelayMs));
      }
    }
  }

  async #fetch(maxTasks: number): Promise<readonly FetchedTask[]> {
    const { pull, workerId } = this.#options;
    const fetched = await pull.fetchAndLock(
      { workerId, channels: this.#channels, maxTasks },
      this.#stopping.signal,
    );
    // Through JSON text, as any worker would see it: a function can change nothing that is ours.
    const answer = JSON.parse(jsonText(fetched.answer)) as {
      readonly tasks: readonly (FetchedTask & { readonly id: string })[];
    };
    return answer.tasks.map((task) => ({ ...task, taskId: task.id }));
  }

  #run(task: FetchedTask): void {
    const run = this.#execute(task)
      .catch((error: unknown) => {
        this.#options.log.warn('registered-report-failed', { taskId: task.taskId, error: messageOf(error) });
      })
      .finally(() => this.#running.delete(run));
    this.#running.add(run);
  }

  async #execute(task: FetchedTask): Promise<void> {
    const { pull, failures, deployments, workerId } = this.#options;
    const fault = await this.#runAndComplete(task);
    if (fault === null) return;
    const { taskId, lockToken } = task;
    if (hasRetry(deployments.loadedModel(task.deploymentId), task)) {
      const failure = { code: codeOf(fault), message: messageOf(fault) };
      await failures.failTask({ taskId, workerId, lockToken }, failure);
    } else {
      await pull.fail(taskId, { workerId, lockToken, errorMessage: messageOf(fault) });
    }
  }

  /** Null, or why the task failed: what the function threw, or why its outcome is refused for good. */
  async #runAndComplete(task: FetchedTask): Promise<unknown> {
    const { functions, pull } = this.#options;
    const name = task.channel.slice('registered:'.length);
    let result: unknown;
    try {
      const registered = functions[name];
      if (registered === undefined) throw new Error(`no function ${name} is registered`);
      result = await registered(task.body, task);
    } catch (error) {
      const bpmnError = bpmnErrorFields(error);
      if (bpmnError !== null)
        return this.#settle(task, (id, lock) => pull.bpmnError(id, { ...lock, ...bpmnError }));
      return error ?? new Error(`the function ${name} threw nothing that could be kept`);
    }
    return this.#settle(task, (id, lock) => pull.complete(id, { ...lock, result: result ?? {} }));
  }

  /**
   * The work is done: a refusal that may pass (the instance is busy, the database away) is no reason to do
   * it again. Ends at the latest when the lock is lost.
   * @throws what refused it for the moment, when the worker is stopping.
   */
  async #settle(
    task: FetchedTask,
    report: (id: string, lock: Readonly<Record<string, string>>) => Promise<unknown>,
  ): Promise<unknown> {
    const { workerId, log } = this.#options;
    const { taskId, lockToken, attempts } = task;
    const completionId = `${taskId}-${String(attempts)}`;
    for (let failures = 1; ; failures += 1) {
      try {
        await report(taskId, { workerId, lockToken, completionId });
        return null;
      } catch (error) {
        if (!isPassing(error)) return error;
        if (this.#stopping.signal.aborted) throw error;
        log.warn('registered-completion-put-off', { taskId, failures, error: messageOf(error) });
        await this.#pause(Math.min(50 * 2 ** failures, maxDelayMs));
      }
    }
  }

  async #pause(delayMs: number): Promise<void> {
    const { signal } = this.#stopping;
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, delayMs);
      signal.addEventListener(
        'abort',
        () => {
          clearTimeout(timer);
          resolve();
        },
        { once: true },
      );
    });
  }
}

function isPassing(error: unknown): boolean {
  if (!(error instanceof EngineError)) return false;
  return error.attributes['retryable'] === true || codeRegistry.get(error.code)?.retry === 'safe';
}

function jsonText(answer: unknown): string {
  if (typeof answer === 'string') return answer;
  return Buffer.isBuffer(answer) ? answer.toString('utf8') : JSON.stringify(answer);
}

/** The code of the error, as Node's own have one, tells `nonRetryableCodes` what it is. */
function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  return typeof code === 'string' && code !== '' ? code : FUNCTION_FAILED;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
