/** A whole engine in the test's own process, spoken to over HTTP only. */
import assert from 'node:assert/strict';
import { loadSettings } from '../../config/load.ts';
import type { Log } from '../../engine/observe.ts';
import type { Database } from '../../engine/store/database.ts';
import { startEngine, type RunningEngine } from '../../server/engine.ts';
import type { RegisteredFunction } from '../../server/registered-worker.ts';

/** A locked task, as protocol §3 describes it. */
export interface TaskAnswer {
  readonly id: string;
  readonly instanceId: string;
  readonly elementId: string;
  readonly attempts: number;
  readonly lockToken: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface InstanceAnswer {
  readonly id: string;
  readonly status: string;
  readonly createdAt: string;
  readonly deploymentId: string;
  readonly failure: { readonly elementId: string; readonly code: string } | null;
  readonly tokens: readonly { readonly id: number; readonly elementId: string }[];
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The fields of all answers that tests read. An answer without the field fails the assertion that reads it. */
export interface AnswerBody {
  readonly instanceId: string;
  readonly duplicate: boolean;
  readonly status: string;
  readonly outcome: string;
  readonly code: string;
  readonly detail: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly deploymentId: string;
  readonly tasks: readonly TaskAnswer[];
  readonly instances: readonly InstanceAnswer[];
  readonly incidents: readonly unknown[];
  readonly deployments: readonly { readonly id: string; readonly state: string }[];
  readonly entries: readonly TimelineAnswer[];
  readonly nextCursor: string | null;
}

/** An entry of a history. */
export interface TimelineAnswer {
  readonly at: string;
  readonly turn: number | null;
  readonly event: string;
  readonly elementId: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AnswerBody;
}

export interface TestEngineOptions {
  readonly database: Database;
  /** More settings, as environment variables. */
  readonly env?: Readonly<Record<string, string>>;
  readonly registered?: Readonly<Record<string, RegisteredFunction>>;
  readonly log?: Log;
}

/** What the log got; a test that fails prints it. */
export function collectingLog(): Log & { readonly lines: string[] } {
  const lines: string[] = [];
  const write =
    (level: string) =>
    (event: string, fields?: Readonly<Record<string, unknown>>): void => {
      lines.push(`${level} ${event} ${JSON.stringify(fields ?? {})}`);
    };
  return { lines, info: write('info'), warn: write('warn'), error: write('error') };
}

export class TestEngine {
  readonly engine: RunningEngine;
  readonly log: Log;

  constructor(engine: RunningEngine, log: Log) {
    this.engine = engine;
    this.log = log;
  }

  static async start(options: TestEngineOptions): Promise<TestEngine> {
    const { settings, secrets } = loadSettings({
      env: { SUTRA_HTTP_PORT: '0', SUTRA_ADMIN_OPEN: 'true', ...options.env },
      cwd: import.meta.dirname,
    });
    const log = options.log ?? collectingLog();
    const engine = await startEngine({
      settings,
      secrets,
      log,
      database: options.database,
      ...(options.registered === undefined ? {} : { registered: options.registered }),
    });
    return new TestEngine(engine, log);
  }

  get url(): string {
    return this.engine.url;
  }

  async stop(): Promise<void> {
    const { unfinished } = await this.engine.stop('test over');
    assert.deepEqual(unfinished, []);
  }

  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
    signal?: AbortSignal,
  ): Promise<Answer> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await response.text();
    const isJson = (response.headers.get('content-type') ?? '').includes('json');
    return {
      status: response.status,
      headers: response.headers,
      body: (isJson ? JSON.parse(text) : text) as AnswerBody,
    };
  }

  post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.call('POST', path, body, headers);
  }

  get(path: string): Promise<Answer> {
    return this.call('GET', path);
  }

  /** `files` by path. Answers the deployment's id. */
  async deploy(files: Readonly<Record<string, string>>): Promise<string> {
    const answer = await this.post('/admin/deployments', {
      files: Object.entries(files).map(([path, text]) => ({ path, text })),
    });
    assert.ok(answer.status === 200 || answer.status === 201, JSON.stringify(answer.body, null, 1));
    return answer.body.deploymentId;
  }

  async fetchTasks(
    channel: string,
    options: Readonly<Record<string, unknown>> = {},
  ): Promise<readonly TaskAnswer[]> {
    const answer = await this.post('/sutra/external-tasks/fetch-and-lock', {
      workerId: 'worker-1',
      channels: [channel],
      asyncResponseTimeout: 'PT10S',
      ...options,
    });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.tasks;
  }

  async fetchTask(channel: string, options: Readonly<Record<string, unknown>> = {}): Promise<TaskAnswer> {
    const tasks = await this.fetchTasks(channel, { maxTasks: 1, ...options });
    const [task] = tasks;
    assert.ok(task !== undefined && tasks.length === 1, `a task on channel ${channel} within the wait`);
    return task;
  }

  complete(task: TaskAnswer, result: unknown, more: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
    return this.post(`/sutra/external-tasks/${task.id}/complete`, {
      workerId: 'worker-1',
      lockToken: task.lockToken,
      result,
      ...more,
    });
  }

  async instance(instanceId: string): Promise<InstanceAnswer> {
    const answer = await this.get(`/sutra/instances/${instanceId}`);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body as unknown as InstanceAnswer;
  }

  /** Reads the instance until `isReached`, for what another turn of the engine still has to do. */
  async until(instanceId: string, isReached: (instance: InstanceAnswer) => boolean): Promise<InstanceAnswer> {
    const deadline = performance.now() + 20_000;
    for (;;) {
      const instance = await this.instance(instanceId);
      if (isReached(instance)) return instance;
      assert.ok(performance.now() < deadline, `in time; the instance is ${JSON.stringify(instance)}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  ended(instanceId: string): Promise<InstanceAnswer> {
    return this.until(instanceId, (instance) => instance.status !== 'running');
  }
}
