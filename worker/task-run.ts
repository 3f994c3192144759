/**
 * One attempt at one task: its handler runs while its lock is kept, then the engine is told how it ended.
 *
 * U1 A run has exactly one end: completed, failed or lost. It is told once, through `onEnd`.
 * U2 `run` never rejects, and settles with its handler, or when `giveBack` is asked for.
 * U3 Under a lock that a verdict has ended nothing is reported. One that only our own reckoning has ended is reported once:
 *    the engine decides, and refuses what is late by the token.
 * U4 A report is repeated, byte for byte, until it is answered or the lock has ended; the lock is not extended meanwhile.
 * U5 `completed` means that the engine said so.
 */
import type { EngineClient, RefusedReply, Reply } from './engine-client.ts';
import { describe } from './engine-client.ts';
import type { BackoffOptions } from './backoff.ts';
import { parseDuration } from './duration.ts';
import {
  CallError,
  DeadlineError,
  DrainError,
  LockLostError,
  NonRetryableError,
  RetryableError,
  type AbortReason,
} from './errors.ts';
import { LockKeeper } from './lock-keeper.ts';
import { failureReport, outcomeOf, type OutcomeOptions, type Report } from './outcome.ts';
import { repeatCall, type RepeatedReply } from './repeat-call.ts';
import type { Running } from './slots.ts';
import type { LockedTask, Task, TaskContext } from './task.ts';
import { monotonicNow, startTimer } from './timing.ts';
import { callErrorOf, lossOf, type Loss } from './verdict.ts';

/** How a run ended. */
export type RunEnd =
  | {
      readonly kind: 'completed';
      readonly status: 'COMPLETED' | 'BPMN_ERROR';
      readonly outcome: 'ACCEPTED' | 'DUPLICATE';
    }
  | {
      readonly kind: 'failed';
      readonly error: unknown;
      /** `UNKNOWN`: an answer was lost, and what the engine says since shows only that this attempt is over. */
      readonly status: 'PENDING' | 'TERMINAL' | 'UNKNOWN';
      /** What is left; null with `UNKNOWN`. */
      readonly retries: number | null;
    }
  | ({ readonly kind: 'lost' } & Loss);

export interface TaskRunOptions extends Omit<OutcomeOptions, 'completionId'> {
  readonly locked: LockedTask;
  /** Milliseconds. */
  readonly lockDurationMs: number;
  /** Monotonic milliseconds. */
  readonly lockExpiresAt: number;
  /** Monotonic milliseconds; null: none. */
  readonly deadlineAt: number | null;
  readonly client: EngineClient;
  readonly callTimeoutMs: number;
  readonly backoff: BackoffOptions;
  readonly onEnd: (run: TaskRun, end: RunEnd) => void;
}

export class TaskRun implements Running {
  readonly #options: TaskRunOptions;
  readonly #keeper: LockKeeper;
  readonly #work = new AbortController();
  /** Ends the reports of a run that was given back. */
  readonly #reporting = new AbortController();
  #loss: Loss | null = null;
  #hasEnded = false;

  constructor(options: TaskRunOptions) {
    this.#options = options;
    const { lockDurationMs, lockExpiresAt, callTimeoutMs, backoff, log } = options;
    this.#keeper = new LockKeeper({
      lockDurationMs,
      expiresAt: lockExpiresAt,
      callTimeoutMs,
      backoff,
      extend: (lockDuration, timeoutMs, signal) =>
        this.#call('extend-lock', { lockDuration }, timeoutMs, signal),
      onLost: (loss) => this.abort(loss),
      log: (line) => log(`task ${this.task.id}: ${line}`),
    });
  }

  get task(): Task {
    return this.#options.locked.task;
  }

  get channel(): string {
    return this.task.channel;
  }

  /** Its handler was told to stop. */
  get isAborted(): boolean {
    return this.#work.signal.aborted;
  }

  async run(): Promise<void> {
    const { deadlineAt } = this.#options;
    const cancelDeadline =
      deadlineAt === null
        ? (): void => {}
        : startTimer(deadlineAt - monotonicNow(), () =>
            this.abort({ reason: new DeadlineError("the call's deadline has passed"), code: null }),
          );
    this.#keeper.start();
    try {
      const completionId = `${this.task.id}-${this.task.attempts}`;
      const report = await outcomeOf(this.task, this.#context(), { ...this.#options, completionId });
      this.#keeper.stop();
      if (!this.#hasEnded) await this.#finish(report);
    } finally {
      cancelDeadline();
      this.#keeper.stop();
      // Unreachable, unless one of the above has a fault: a run without an end would be the worst of it.
      this.#end({ kind: 'lost', reason: new LockLostError('the run ended in a fault'), code: null });
    }
  }

  /** Tells the handler to stop. The first reason stands, but a verdict counts more than our reckoning. */
  abort(loss: Loss): void {
    if (this.#loss === null || (this.#loss.code === null && loss.code !== null)) this.#loss = loss;
    this.#work.abort(loss.reason);
  }

  /** Ends the run whatever its handler does, and unlocks its task: with one call, for which nobody waits long. */
  async giveBack(reason: AbortReason): Promise<void> {
    this.#keeper.stop();
    this.abort({ reason, code: null });
    this.#reporting.abort();
    await this.#unlock(reason);
  }

  async #unlock(reason: AbortReason): Promise<void> {
    if (this.#hasEnded) return;
    const isGone = this.#loss?.code !== null && this.#loss?.code !== undefined;
    this.#end({ kind: 'lost', reason: this.#loss?.reason ?? reason, code: this.#loss?.code ?? null });
    if (!isGone) await this.#call('unlock', {}, this.#options.callTimeoutMs);
  }

  async #finish(report: Report): Promise<void> {
    const loss = this.#loss;
    if (loss !== null && loss.code !== null) {
      this.#end({ kind: 'lost', ...loss });
    } else if (loss !== null && report.call === 'failure') {
      // It stopped as it was told to; that is no failure of the work.
      if (loss.reason instanceof DrainError) await this.#unlock(loss.reason);
      else this.#end({ kind: 'lost', ...loss });
    } else {
      await this.#report(report, loss === null || loss.reason instanceof DrainError);
    }
  }

  /** @param hasLock false: by our reckoning it has ended, and one try must do. */
  async #report(report: Report, hasLock: boolean): Promise<void> {
    const { call, fields } = report;
    const answered = await this.#repeat(call, fields, hasLock);
    const { reply } = answered;
    if (this.#hasEnded) return;
    if (reply.kind === 'taken') {
      this.#end(endOf(report, reply.body));
      return;
    }
    if (reply.kind === 'unanswered') {
      const message = `nothing answered the ${call} before the lock ended (${describe(reply)}); whether the engine has it is not known`;
      this.#end({ kind: 'lost', reason: this.#loss?.reason ?? new LockLostError(message), code: null });
      return;
    }
    const reason = lossOf(reply);
    if (reason === null) await this.#reportRefusal(report, reply, hasLock);
    else if (report.call === 'failure' && answered.mayHaveBeenTaken) {
      // The failure has no id by which the engine could know it again: taken the first time, it ended the lock itself.
      this.#end({ kind: 'failed', error: report.error, status: 'UNKNOWN', retries: null });
    } else this.#end({ kind: 'lost', reason, code: reply.code });
  }

  /** The lock is still ours, and the engine does not take what we said: it is told that, in the plainest form. */
  async #reportRefusal(report: Report, refused: RefusedReply, hasLock: boolean): Promise<void> {
    const { call } = report;
    this.#options.log(`task ${this.task.id}: its ${call} was refused, ${describe(refused)}`);
    if (call !== 'failure') {
      const message = `the engine refused the ${call}: ${describe(refused)}`;
      const failure =
        refused.status === 400
          ? new NonRetryableError(message, { details: '' })
          : new RetryableError(message, { details: '' });
      await this.#report(failureReport(failure, callErrorOf(refused)), hasLock);
      return;
    }
    const { errorMessage, retries } = report.fields;
    // A retry time or a budget over its ceiling, say; what is left cannot be refused.
    if (Object.keys(report.fields).every((name) => name === 'errorMessage' || retries === 0)) {
      const reason = new LockLostError(`the failure could not be reported: ${describe(refused)}`);
      this.#end({ kind: 'lost', reason, code: refused.code });
      return;
    }
    const fields = { errorMessage, ...(retries === 0 ? { retries } : {}) };
    await this.#report({ call, fields, error: report.error }, hasLock);
  }

  #repeat(
    call: Report['call'],
    fields: Readonly<Record<string, unknown>>,
    hasLock: boolean,
  ): Promise<RepeatedReply> {
    const { callTimeoutMs, backoff } = this.#options;
    const { signal } = this.#reporting;
    return repeatCall({
      make: (timeoutMs) => this.#call(call, fields, timeoutMs, signal),
      isRepeatable,
      until: hasLock ? this.#keeper.expiresAt : 0,
      callTimeoutMs,
      signal,
      backoff,
    });
  }

  #call(
    call: 'complete' | 'failure' | 'bpmn-error' | 'extend-lock' | 'unlock' | 'progress',
    fields: Readonly<Record<string, unknown>>,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<Reply> {
    const { client, locked } = this.#options;
    const bounds = signal === undefined ? { timeoutMs } : { timeoutMs, signal };
    return client.about({ call, taskId: locked.task.id, lockToken: locked.lockToken, fields, ...bounds });
  }

  #context(): TaskContext {
    const keeper = this.#keeper;
    return {
      signal: this.#work.signal,
      idempotencyKey: this.task.idempotencyKey,
      get lockExpiresAt(): Date {
        return new Date(Date.now() + keeper.expiresAt - monotonicNow());
      },
      extend: async (duration) => {
        const ms = parseDuration(duration);
        if (ms === null || ms === 0) throw new TypeError('extend takes an ISO-8601 duration such as "PT5M"');
        demandTaken(await keeper.extend(ms));
      },
      progress: async (progress) => {
        if (this.#hasEnded) throw new CallError('the run has ended', null, null);
        const { callTimeoutMs } = this.#options;
        const reply = await this.#call('progress', { progress }, callTimeoutMs, this.#reporting.signal);
        const reason = reply.kind === 'refused' ? lossOf(reply) : null;
        if (reason !== null && reply.kind === 'refused') this.abort({ reason, code: reply.code });
        if (reply.kind === 'unanswered') return false;
        demandTaken(reply);
        return true;
      },
    };
  }

  #end(end: RunEnd): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#options.onEnd(this, end);
  }
}

function demandTaken(reply: Reply): void {
  if (reply.kind !== 'taken') throw callErrorOf(reply);
}

function isRepeatable(reply: Reply): boolean {
  return reply.kind === 'unanswered' || (reply.kind === 'refused' && reply.attributes['retryable'] === true);
}

function endOf(report: Report, body: Readonly<Record<string, unknown>>): RunEnd {
  if (report.call === 'failure') {
    const { retries } = body;
    const status = body['status'] === 'TERMINAL' ? 'TERMINAL' : 'PENDING';
    return {
      kind: 'failed',
      error: report.error,
      status,
      retries: typeof retries === 'number' ? retries : null,
    };
  }
  const status = report.call === 'bpmn-error' ? 'BPMN_ERROR' : 'COMPLETED';
  return {
    kind: 'completed',
    status,
    outcome: body['outcome'] === 'DUPLICATE' ? 'DUPLICATE' : 'ACCEPTED',
  };
}
