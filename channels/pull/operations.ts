/**
 * The operations of the pull surface, without HTTP: check the request, act, and say what happened.
 * Source: protocol §3.
 *
 * O1 Everything that comes in is `unknown` until `RequestFields` has read it.
 * O2 A ceiling is a refusal: a worker never holds a shorter lock than it asked for.
 * O3 Zero rows changed is never success: the caller is told which of the situations it is.
 */
import { EngineError } from '../../config/engine-error.ts';
import type { Settings } from '../../config/settings.ts';
import type { Log, Meter } from '../../engine/observe.ts';
import type { Database } from '../../engine/store/database.ts';
import { discardTask, explainRefusal, rearmTask } from '../../engine/store/external-tasks.ts';
import type { TaskFailed } from '../../engine/store/external-tasks-failure.ts';
import { taskRefusal } from '../../engine/store/external-tasks-verdict.ts';
import type { TaskCompleted, TaskCompletionPort } from '../../engine/transport.ts';
import type { LockedTask } from './claim-plan.ts';
import { BPMN_ERROR_FIELDS, readBpmnError } from './bpmn-error-request.ts';
import type { PullCode } from './codes.ts';
import { COMPLETION_FIELDS, readCompletion, type WriteJson } from './completion-request.ts';
import { FAILURE_FIELDS, readFailure, type FailureRequest } from './failure-request.ts';
import type { FetchDesk } from './fetch-desk.ts';
import { readFetch } from './fetch-request.ts';
import { failMany, failOne } from './report-failures.ts';
import {
  LockOperations,
  type LockAnswer,
  type OwnLockAnswer,
  type TaskAnswer,
  type UnlockAnswer,
} from './lock-operations.ts';
import { MAX_ID_LENGTH, readTaskId, RequestFields } from './request-fields.ts';
import { encodeFetchAnswer } from './task-json.ts';
import { judgeTasks, readTaskList, type JudgedTask } from './task-list.ts';
import { readTopics, type TopicsAnswer } from './topics.ts';

export interface FetchAnswer {
  readonly tasks: readonly LockedTask[];
  /** `{"tasks":[…]}`, encoded. */
  readonly answer: Buffer;
  /** To be called when the answer could not be written: the locks are given back. */
  readonly undelivered: () => Promise<void>;
}

export interface CompleteAnswer {
  readonly taskId: string;
  readonly channel: string;
  readonly instanceId: string;
  readonly status: 'COMPLETED';
  readonly outcome: 'ACCEPTED' | 'DUPLICATE';
}

export interface BpmnErrorAnswer {
  readonly taskId: string;
  readonly channel: string;
  readonly instanceId: string;
  readonly status: 'BPMN_ERROR';
  readonly outcome: 'ACCEPTED' | 'DUPLICATE';
}

export interface FailureAnswer {
  readonly taskId: string;
  readonly channel: string;
  readonly instanceId: string;
  readonly retries: number;
  readonly status: 'PENDING' | 'TERMINAL';
  readonly truncated?: true;
}

export interface RearmAnswer {
  readonly taskId: string;
  readonly channel: string;
  readonly instanceId: string;
  readonly retries: number;
  readonly status: 'PENDING';
}

export interface DiscardAnswer {
  readonly taskId: string;
  readonly channel: string;
  readonly instanceId: string;
  readonly status: 'DISCARDED';
}

export interface PullOperationsOptions {
  readonly database: Database;
  readonly settings: Settings['externalTask'];
  readonly completions: TaskCompletionPort;
  readonly desk: FetchDesk;
  readonly writeJson: WriteJson;
  readonly meter: Meter;
  readonly log: Log;
}

export class PullOperations {
  readonly #options: PullOperationsOptions;
  readonly #locks: LockOperations;

  constructor(options: PullOperationsOptions) {
    this.#options = options;
    this.#locks = new LockOperations(options);
  }

  /** @throws EngineError REQUEST_INVALID, CAPACITY, or what the database throws. */
  async fetchAndLock(body: unknown, disconnected: AbortSignal): Promise<FetchAnswer> {
    const { desk, settings } = this.#options;
    const tasks = await desk.fetch(readFetch(body, settings), disconnected);
    return { tasks, answer: encodeFetchAnswer(tasks), undelivered: () => desk.release(tasks) };
  }

  /** @throws EngineError with a verdict of protocol §3. */
  async complete(taskId: string, body: unknown): Promise<CompleteAnswer> {
    const { completions, writeJson } = this.#options;
    const id = readTaskId(taskId);
    const fields = new RequestFields(body, ['workerId', ...COMPLETION_FIELDS]);
    const workerId = fields.trimmedText('workerId', MAX_ID_LENGTH);
    return completeAnswer(await completions.completeTask(readCompletion(id, workerId, fields, writeJson)));
  }

  /** Each as by `complete`. @throws EngineError REQUEST_INVALID when the request as a whole cannot be taken. */
  async completeMany(body: unknown): Promise<readonly JudgedTask<CompleteAnswer>[]> {
    const { settings, completions, writeJson } = this.#options;
    const tasks = readTaskList(body, {
      maxTasks: settings.maxTasks,
      fields: COMPLETION_FIELDS,
      read: (id, workerId, fields) => readCompletion(id, workerId, fields, writeJson),
    });
    return judgeTasks(tasks, (wanted) => completions.completeTasks(wanted), completeAnswer);
  }

  /** Ends the work in a BPMN error of the call. @throws EngineError with a verdict of protocol §3. */
  async bpmnError(taskId: string, body: unknown): Promise<BpmnErrorAnswer> {
    const { completions, writeJson } = this.#options;
    const id = readTaskId(taskId);
    const fields = new RequestFields(body, ['workerId', ...BPMN_ERROR_FIELDS]);
    const workerId = fields.trimmedText('workerId', MAX_ID_LENGTH);
    const { channel, instanceId, outcome } = await completions.raiseBpmnError(
      readBpmnError(id, workerId, fields, writeJson),
    );
    return { taskId: id, channel, instanceId, status: 'BPMN_ERROR', outcome };
  }

  /** @throws EngineError with a verdict of protocol §3. */
  async fail(taskId: string, body: unknown): Promise<FailureAnswer> {
    const { database, settings } = this.#options;
    const id = readTaskId(taskId);
    const fields = new RequestFields(body, ['workerId', ...FAILURE_FIELDS]);
    const workerId = fields.trimmedText('workerId', MAX_ID_LENGTH);
    const request = readFailure(id, workerId, fields, settings);
    return this.#failed(await failOne(database, request.failure), request);
  }

  /** Each as by `fail`. @throws EngineError REQUEST_INVALID when the request as a whole cannot be taken. */
  async failMany(body: unknown): Promise<readonly JudgedTask<FailureAnswer>[]> {
    const { database, settings } = this.#options;
    const tasks = readTaskList(body, {
      maxTasks: settings.maxTasks,
      fields: FAILURE_FIELDS,
      read: (id, workerId, fields) => readFailure(id, workerId, fields, settings),
    });
    return judgeTasks(
      tasks,
      (wanted) =>
        failMany(
          database,
          wanted.map(({ failure }) => failure),
        ),
      (failed, request) => this.#failed(failed, request),
    );
  }

  /** The lock lasts for `lockDuration` from now. @throws EngineError with a verdict of protocol §3. */
  extendLock(taskId: string, body: unknown): Promise<LockAnswer> {
    return this.#locks.extendLock(taskId, body);
  }

  /** Gives the task back; nothing is spent. @throws EngineError with a verdict of protocol §3. */
  unlock(taskId: string, body: unknown): Promise<UnlockAnswer> {
    return this.#locks.unlock(taskId, body);
  }

  /** Keeps a note of how far the work is. @throws EngineError with a verdict of protocol §3. */
  progress(taskId: string, body: unknown): Promise<LockAnswer> {
    return this.#locks.progress(taskId, body);
  }

  /**
   * Locks one task by its id. A retry time ahead does not stop it, nor a lock of the same worker, which is replaced.
   * @throws EngineError LOCK_HELD, TERMINAL, NOT_FOUND, WITHDRAWN; NOT_LOCKABLE when its instance has failed or its
   *   deadline has passed.
   */
  lock(taskId: string, body: unknown): Promise<OwnLockAnswer> {
    return this.#locks.lock(taskId, body);
  }

  /**
   * An operator's change of `retries`, `priority` or `lockDuration`. A budget of 0 ends the lock and makes the task terminal, a
   * greater one opens a terminal task again. @throws EngineError NOT_FOUND, WITHDRAWN; LOCK_LOST when there is no lock to extend.
   */
  adjust(taskId: string, body: unknown): Promise<TaskAnswer> {
    return this.#locks.adjust(taskId, body);
  }

  /** What there is to do, by channel. */
  topics(): Promise<TopicsAnswer> {
    const { database, desk } = this.#options;
    return readTopics(database, desk);
  }

  /** Gives a terminal task a new budget. @throws EngineError NOT_FOUND, WITHDRAWN, NOT_TERMINAL. */
  async rearm(taskId: string, body: unknown): Promise<RearmAnswer> {
    const { database, desk, settings, log } = this.#options;
    const id = readTaskId(taskId);
    const fields = new RequestFields(body ?? {}, ['retries']);
    const asked = fields.integer('retries', {
      min: 1,
      max: settings.maxRetries,
      maxKey: 'sutra.external-task.max-retries',
    });
    // An operator's default of no retries at all cannot be what a re-arm means.
    const retries = asked ?? Math.max(settings.retries, 1);
    const rearmed = await rearmTask(database, id, retries);
    if (rearmed === null) {
      const verdict = await explainRefusal(database, id, '', null);
      if (verdict === 'NOT_FOUND' || verdict === 'WITHDRAWN') {
        throw taskRefusal(verdict, id);
      }
      const code: PullCode = 'SUTRA.EXTERNAL_TASK.NOT_TERMINAL';
      throw new EngineError(code, `External task ${id} is not terminal; it needs no new budget.`, {
        attributes: { taskId: id },
      });
    }
    log.info('external-task.rearmed', { taskId: id, retries });
    desk.parked(new Map([[rearmed.channel, 1]]));
    return { taskId: id, ...rearmed, retries, status: 'PENDING' };
  }

  /** Removes a task, whatever its state; its instance keeps waiting. @throws EngineError NOT_FOUND, WITHDRAWN. */
  async discard(taskId: string): Promise<DiscardAnswer> {
    const { database, log } = this.#options;
    const id = readTaskId(taskId);
    const discarded = await discardTask(database, id);
    if (discarded === null) {
      const verdict = await explainRefusal(database, id, '', null);
      throw taskRefusal(verdict === 'WITHDRAWN' ? 'WITHDRAWN' : 'NOT_FOUND', id);
    }
    log.info('external-task.discarded', { taskId: id });
    return { taskId: id, ...discarded, status: 'DISCARDED' };
  }

  #failed(
    { taskId, channel, instanceId, retries, isTerminal, delayMs }: TaskFailed,
    { isTruncated }: FailureRequest,
  ): FailureAnswer {
    const { desk, meter } = this.#options;
    if (!isTerminal) {
      desk.deferred(channel, delayMs);
    }
    const status = isTerminal ? 'TERMINAL' : 'PENDING';
    meter.add('sutra_task_failures_total', 1, { status });
    return { taskId, channel, instanceId, retries, status, ...(isTruncated ? { truncated: true } : {}) };
  }
}

function completeAnswer({ taskId, channel, instanceId, outcome }: TaskCompleted): CompleteAnswer {
  return { taskId, channel, instanceId, status: 'COMPLETED', outcome };
}
