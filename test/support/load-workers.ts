/** Workers that repeat what they have to say until they are answered, and keep what they were told. */
import type { RetryLoadClient } from './retry-load-client.ts';

export interface Task {
  readonly id: string;
  readonly channel: string;
  readonly instanceId: string;
  readonly idempotencyKey: string;
  readonly attempts: number;
  readonly lockToken: string;
  readonly body: { readonly n: number };
}

export interface Accepted {
  readonly instanceId: string;
  readonly channel: string;
  readonly key: string;
  readonly mark: string;
}

export interface WorkerOptions {
  readonly channels: readonly string[];
  readonly handle: (workerId: string, task: Task) => Promise<void>;
  /** Called when tasks are asked for; what it gives is called for each that is handed out. */
  readonly whenAsked?: () => (task: Task) => void;
}

export class LoadWorkers {
  readonly accepted: Accepted[] = [];
  /** Codes with which late completions were refused, counted. */
  readonly refusals = new Map<string, number>();
  readonly #client: RetryLoadClient;
  readonly #options: WorkerOptions;
  readonly #working: Promise<void>[] = [];
  #isWorking = true;

  constructor(client: RetryLoadClient, options: WorkerOptions) {
    this.#client = client;
    this.#options = options;
  }

  begin(workerCount: number): void {
    for (let index = 0; index < workerCount; index += 1)
      this.#working.push(this.#work(`worker-${String(index)}`));
  }

  async stop(): Promise<void> {
    this.#isWorking = false;
    await Promise.all(this.#working);
  }

  /** For a test that fails: nothing new begins, and nothing is waited for. */
  abandon(): void {
    this.#isWorking = false;
  }

  async fail(
    workerId: string,
    { id, lockToken }: Task,
    how: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    await this.#client.insist('POST', `/sutra/external-tasks/${id}/failure`, {
      workerId,
      lockToken,
      errorMessage: 'no luck',
      ...how,
    });
  }

  async complete(workerId: string, task: Task): Promise<void> {
    const { id, channel, instanceId, idempotencyKey: key } = task;
    const mark = `${workerId}-${String(Math.random())}`;
    const { answer } = await this.#client.insist('POST', `/sutra/external-tasks/${id}/complete`, {
      workerId,
      lockToken: task.lockToken,
      completionId: `${id}-${String(task.attempts)}`,
      result: { key, mark },
    });
    // A duplicate under a completion id of its own is this very result, whose first answer was lost.
    if (answer.status === 200) this.accepted.push({ instanceId, channel, key, mark });
    else {
      const code = String(answer.body['code']);
      this.refusals.set(code, (this.refusals.get(code) ?? 0) + 1);
    }
  }

  async #work(workerId: string): Promise<void> {
    const { channels, handle, whenAsked } = this.#options;
    const tasks = new Set<Promise<void>>();
    while (this.#isWorking) {
      const whenFound = whenAsked?.();
      const { answer } = await this.#client.insist('POST', '/sutra/external-tasks/fetch-and-lock', {
        workerId,
        channels,
        maxTasks: 10,
        lockDuration: 'PT2S',
        asyncResponseTimeout: 'PT1S',
      });
      const found = (answer.body as { readonly tasks?: readonly Task[] }).tasks ?? [];
      for (const task of found) {
        whenFound?.(task);
        const done = handle(workerId, task).finally(() => tasks.delete(done));
        tasks.add(done);
      }
    }
    await Promise.all(tasks);
  }
}
