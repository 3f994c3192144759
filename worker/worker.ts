/**
 * A worker: fetches tasks of its channels, runs their handlers, and tells the engine how they ended.
 *
 * I1 It fetches while it has room, for ever: no fault of the network, the engine, a handler, a listener or the credentials ends
 *    that. `stop` does.
 * I2 A slot is taken by a run and freed by the same run's end, in one place.
 * I3 What is locked for this worker is run, or given back.
 * I4 A worker that cannot fetch says so: `health()`, the event `unhealthy`, a line in the log.
 * I5 `stop` always resolves, within the drain time, the grace and one call's time; then no timer and no call is left.
 */
import { EngineClient } from './engine-client.ts';
import { Emitter, type Listener } from './emitter.ts';
import { DrainError, LockLostError, messageOf, type AbortReason } from './errors.ts';
import { TaskFetcher, type FetchedTask } from './fetch-tasks.ts';
import { HttpCaller } from './http-call.ts';
import { HealthRecord, type WorkerHealth, type WorkerState } from './health.ts';
import { readOptions, type Settings, type WorkerOptions } from './options.ts';
import { PollLoop, type Poll, type PollOutcome } from './poll-loop.ts';
import { Slots } from './slots.ts';
import type { LockReference, Task } from './task.ts';
import { TaskRun, type RunEnd } from './task-run.ts';
import { monotonicNow, sleep, startTimer } from './timing.ts';
import { Watchdog } from './watchdog.ts';

export interface WorkerEvents {
  /** A handler begins. Each is followed by exactly one of `completed`, `failed` and `lock-lost`. */
  task: { readonly task: Task };
  /** The engine has said that it has the outcome: a result, or a BPMN error. */
  completed: {
    readonly task: Task;
    readonly status: 'COMPLETED' | 'BPMN_ERROR';
    readonly outcome: 'ACCEPTED' | 'DUPLICATE';
  };
  /** A failure was reported. `UNKNOWN`: its answer was lost, and all that is known is that the attempt is over. */
  failed: {
    readonly task: Task;
    readonly error: unknown;
    readonly status: 'PENDING' | 'TERMINAL' | 'UNKNOWN';
    readonly retries: number | null;
  };
  /** The engine has not taken this attempt's outcome, as far as is known; another attempt will do the task, if it is wanted. */
  'lock-lost': { readonly task: Task; readonly reason: AbortReason; readonly code: string | null };
  /** A fetch begins. */
  polling: { readonly maxTasks: number; readonly channels: readonly string[] };
  /** A fetch had no usable answer. */
  'poll-failed': { readonly error: Error; readonly failures: number; readonly nextPollInMs: number };
  unhealthy: { readonly reason: string; readonly since: Date };
  healthy: Readonly<Record<string, never>>;
  stopped: Readonly<Record<string, never>>;
}

/** What a poll loop's answer that is on its way gets, when the worker stops. */
const ANSWER_GRACE_MS = 1_000;

export class Worker<Bodies extends object = Readonly<Record<string, unknown>>> {
  readonly #settings: Settings;
  readonly #client: EngineClient;
  readonly #events: Emitter<WorkerEvents>;
  readonly #slots: Slots<TaskRun>;
  readonly #fetcher: TaskFetcher;
  readonly #watchdog: Watchdog;
  readonly #health: HealthRecord;
  /** Calls that nobody waits for but `stop`. */
  readonly #givingBack = new Set<Promise<unknown>>();
  #loop: PollLoop | null = null;
  #loopEnd: Promise<void> = Promise.resolve();
  #state: 'new' | 'running' | 'draining' | 'stopped' = 'new';
  #stopping: Promise<void> | null = null;
  #isAnswerComing = false;

  /** @throws WorkerOptionsError which names every option that is wrong. */
  constructor(options: WorkerOptions<Bodies>) {
    const settings = readOptions(options);
    this.#settings = settings;
    const { baseUrl, workerId, parseJson, headers } = settings;
    const http = new HttpCaller({ fetch: settings.fetch, headers });
    this.#client = new EngineClient({ http, baseUrl, workerId, parseJson });
    this.#events = new Emitter((line) => this.#log(line));
    this.#slots = new Slots(settings.concurrency, [...settings.channels.values()]);
    this.#health = new HealthRecord({
      unhealthyAfterMs: settings.unhealthyAfterMs,
      onUnhealthy: (reason, since) => {
        this.#log(`not healthy: ${reason}`);
        this.#events.emit('unhealthy', { reason, since });
      },
      onHealthy: () => {
        this.#log('healthy again');
        this.#events.emit('healthy', {});
      },
    });
    this.#watchdog = new Watchdog({
      overdueAt: () => this.#overdueAt(),
      onStalled: () => this.#replaceLoop(),
      onTick: () => this.#health.judge(this.#isStuck()),
      onFault: (error) => this.#log(`the watchdog failed: ${messageOf(error)}`),
    });
    this.#fetcher = new TaskFetcher({
      settings,
      client: this.#client,
      lastFreeAt: () => this.#watchdog.lastFreeAt(),
      onTasks: (tasks) => this.#begin(tasks),
      onUnwanted: (locks) => this.#returnLocks(locks),
    });
  }

  get workerId(): string {
    return this.#settings.workerId;
  }

  get state(): WorkerState {
    if (this.#state === 'running') return this.#loop?.state ?? 'idle';
    return this.#state;
  }

  /** Begins to fetch. It does not wait for the engine, which may come later. @throws when it was started before. */
  async start(): Promise<void> {
    if (this.#state !== 'new') throw new Error(`a worker starts once; this one is ${this.state}`);
    this.#state = 'running';
    this.#watchdog.start();
    this.#startLoop();
  }

  /**
   * Ends it: the fetch under way is given up, handlers may finish within `drainTimeout`, then their signals are aborted, and
   * what has not ended within `abortGrace` is given back. May be called at any time, and again.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  /** Resolves once a fetch has succeeded. @throws when it stops before. */
  ready(): Promise<void> {
    return this.#health.ready();
  }

  health(): WorkerHealth {
    const runs = [...this.#slots.runs];
    return this.#health.read({
      state: this.state,
      inFlight: runs.length,
      abandoned: runs.filter(({ isAborted }) => isAborted).length,
      reason: this.#isStuck(),
    });
  }

  /** @returns what removes the listener again. What a listener throws is logged. */
  on<Name extends keyof WorkerEvents>(name: Name, listener: Listener<WorkerEvents[Name]>): () => void {
    return this.#events.on(name, listener);
  }

  #startLoop(): void {
    const { pollTimeoutMs, pollMarginMs, maxBackoffMs } = this.#settings;
    const loop: PollLoop = new PollLoop({
      wish: () => (this.#state === 'running' && this.#loop === loop ? this.#slots.wish() : null),
      released: (signal) => this.#slots.released(signal),
      poll: (poll) => this.#poll(poll),
      maxPollMs: pollTimeoutMs + pollMarginMs,
      backoff: { maxMs: maxBackoffMs, now: monotonicNow, random: Math.random },
      onPolled: () => this.#health.polled(),
      onFailed: (failure) => {
        if (failure.failures === 1) this.#log(`a fetch failed and is tried again: ${failure.error.message}`);
        this.#health.failed(failure.error);
        this.#events.emit('poll-failed', failure);
      },
    });
    this.#loop = loop;
    this.#loopEnd = loop.run();
  }

  #poll(poll: Poll): Promise<PollOutcome> {
    const { wish } = poll;
    this.#isAnswerComing = false;
    this.#events.emit('polling', {
      maxTasks: wish.maxTasks,
      channels: wish.channels.map(({ name }) => name),
    });
    return this.#fetcher.fetch({
      ...poll,
      onHeaders: () => {
        this.#isAnswerComing = true;
        poll.onHeaders();
      },
    });
  }

  #overdueAt(): number {
    if (this.#state !== 'running' || this.#loop === null) return Number.POSITIVE_INFINITY;
    // Room without a fetch: a release that the loop has not heard of, or a loop that has ended.
    if (this.#loop.state === 'stopped') return 0;
    if (this.#loop.state === 'idle') return this.#slots.wish() === null ? Number.POSITIVE_INFINITY : 0;
    return this.#loop.overdueAt;
  }

  #replaceLoop(): void {
    const stalled = this.#loop;
    this.#log(
      `the poll loop stood still while it was ${stalled?.state ?? 'not there'}; another takes its place`,
    );
    stalled?.stop();
    this.#startLoop();
  }

  /** Null: nothing. Handlers that do not react to their signals keep their slots, because they still run. */
  #isStuck(): string | null {
    if (this.#state !== 'running' || this.#slots.freeCount > 0) return null;
    const isAll = [...this.#slots.runs].every(({ isAborted }) => isAborted);
    return isAll ? 'every slot is held by a handler that goes on after its signal was aborted' : null;
  }

  #begin(tasks: readonly FetchedTask[]): void {
    if (this.#state !== 'running') {
      this.#returnLocks(tasks.map(({ locked: { task, lockToken } }) => ({ id: task.id, lockToken })));
      return;
    }
    for (const fetched of tasks) {
      this.#supersede(fetched.locked.task);
      this.#run(fetched);
    }
  }

  /** The same task once more: an earlier attempt of it that still runs has lost its lock. */
  #supersede({ id }: Task): void {
    for (const run of this.#slots.runs) {
      if (run.task.id !== id) continue;
      const reason = new LockLostError('the task was handed out again');
      run.abort({ reason, code: 'SUTRA.EXTERNAL_TASK.LOCK_LOST' });
    }
  }

  #run(fetched: FetchedTask): void {
    const settings = this.#settings;
    const { task } = fetched.locked;
    const channel = settings.channels.get(task.channel);
    // The fetcher has looked.
    if (channel === undefined) return;
    const { classify, stringify, callTimeoutMs, maxBackoffMs } = settings;
    const run = new TaskRun({
      ...fetched,
      handler: channel.handler,
      schema: channel.schema,
      classify,
      stringify,
      callTimeoutMs,
      client: this.#client,
      backoff: { maxMs: maxBackoffMs, now: monotonicNow, random: Math.random },
      log: (line) => this.#log(line),
      onEnd: (ended, end) => this.#tellEnd(ended.task, end),
    });
    this.#slots.take(run);
    this.#events.emit('task', { task });
    void run
      .run()
      .catch((error: unknown) => this.#log(`task ${task.id}: the run failed: ${messageOf(error)}`))
      .finally(() => this.#slots.release(run));
  }

  #tellEnd(task: Task, end: RunEnd): void {
    if (end.kind === 'completed') {
      this.#events.emit('completed', { task, status: end.status, outcome: end.outcome });
    } else if (end.kind === 'failed') {
      const { error, status, retries } = end;
      this.#events.emit('failed', { task, error, status, retries });
    } else {
      this.#events.emit('lock-lost', { task, reason: end.reason, code: end.code });
    }
  }

  #returnLocks(locks: readonly LockReference[]): void {
    for (const { id: taskId, lockToken } of locks) {
      const { callTimeoutMs: timeoutMs } = this.#settings;
      this.#await(this.#client.about({ call: 'unlock', taskId, lockToken, fields: {}, timeoutMs }));
    }
  }

  #await(call: Promise<unknown>): void {
    this.#givingBack.add(call);
    void call.finally(() => this.#givingBack.delete(call));
  }

  async #stop(): Promise<void> {
    const { drainTimeoutMs, abortGraceMs } = this.#settings;
    const wasRunning = this.#state === 'running';
    this.#state = 'draining';
    if (wasRunning) {
      await this.#endLoop();
      await this.#within(drainTimeoutMs, (signal) => this.#slots.empty(signal));
      const reason = new DrainError('the worker stops');
      for (const run of this.#slots.runs) run.abort({ reason, code: null });
      await this.#within(abortGraceMs, (signal) => this.#slots.empty(signal));
      for (const run of [...this.#slots.runs]) {
        this.#await(run.giveBack(reason));
        this.#slots.release(run);
      }
      await Promise.all(this.#givingBack);
      this.#watchdog.stop();
    }
    this.#state = 'stopped';
    this.#health.stopped();
    this.#events.emit('stopped', {});
  }

  async #endLoop(): Promise<void> {
    const end = this.#loopEnd;
    // Tasks that are on their way are better received and given back than left locked.
    if (this.#isAnswerComing && this.#loop?.state === 'polling') {
      await this.#within(ANSWER_GRACE_MS, (signal) => this.#polledOnce(signal));
    }
    this.#loop?.stop();
    await this.#within(ANSWER_GRACE_MS, () => end);
  }

  async #polledOnce(signal: AbortSignal): Promise<void> {
    while (this.#loop?.state === 'polling' && !signal.aborted) await sleep(10, signal);
  }

  /** Waits for `work` no longer than `ms`. */
  async #within(ms: number, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const ending = new AbortController();
    const time = new Promise<void>((resolve) => {
      const cancel = startTimer(ms, resolve);
      ending.signal.addEventListener('abort', cancel);
    });
    try {
      await Promise.race([time, work(ending.signal)]);
    } finally {
      ending.abort();
    }
  }

  #log(line: string): void {
    try {
      this.#settings.log(line);
    } catch {
      // A log that cannot be written must not end the work.
    }
  }
}
