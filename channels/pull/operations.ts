/**
 * The operations of the pull surface, without HTTP: check the request, act, and say what happened.
 * Source: protocol §3.
 *
 * O1 Everything that comes in is `unknown` until `RequestFields` has read it.
 * O2 A ceiling is a refusal: a worker never holds a shorter lock than it asked for.
 * O3 Zero rows changed is never success: the caller is told which of the situations it is.
 */
import { isUtf8 } from 'node:buffer';
import { v7 as uuidv7 } from 'uuid';
import { EngineError } from '../../config/engine-error.ts';
import type { Settings } from '../../config/settings.ts';
import type { Log, Meter } from '../../engine/observe.ts';
import type { Database } from '../../engine/store/database.ts';
import { discardTask, explainRefusal, rearmTask, reportFailure } from '../../engine/store/external-tasks.ts';
import { taskRefusal } from '../../engine/store/external-tasks-verdict.ts';
import type { TaskFailed, TaskFailure } from '../../engine/store/external-tasks.ts';
import type { TaskCompletion, TaskCompletionPort } from '../../engine/transport.ts';
import { hashToken } from './claim-plan.ts';
import type { LockedTask } from './claim-plan.ts';
import type { PullCode } from './codes.ts';
import { keepDiagnostic } from './diagnostics.ts';
import type { FetchDesk } from './fetch-desk.ts';
import { bodyFormOf } from './media-type.ts';
import { invalidRequest, readTaskId, RequestFields } from './request-fields.ts';
import { encodeFetchAnswer } from './task-json.ts';

const MAX_ID_LENGTH = 255;
const MAX_CHANNELS = 100;
const MAX_MESSAGE_LENGTH = 4_000;
const MAX_DETAILS_LENGTH = 100_000;

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
  /** A result as JSON: its numbers may be such as the runtime's own writer does not know. */
  readonly writeJson: (result: unknown) => string;
  readonly meter: Meter;
  readonly log: Log;
}

export class PullOperations {
  readonly #options: PullOperationsOptions;

  constructor(options: PullOperationsOptions) {
    this.#options = options;
  }

  /** @throws EngineError REQUEST_INVALID, CAPACITY, or what the database throws. */
  async fetchAndLock(body: unknown, disconnected: AbortSignal): Promise<FetchAnswer> {
    const { desk, settings } = this.#options;
    const fields = new RequestFields(body, [
      'workerId',
      'channels',
      'lockDuration',
      'maxTasks',
      'asyncResponseTimeout',
    ]);
    const workerId = fields.trimmedText('workerId', MAX_ID_LENGTH);
    const channels = fields.texts('channels', MAX_CHANNELS, MAX_ID_LENGTH);
    const lockDurationMs = fields.duration('lockDuration', {
      minMs: 1,
      maxMs: settings.maxLockDurationMs,
      maxKey: 'sutra.external-task.max-lock-duration',
    });
    const maxTasks = fields.integer('maxTasks', {
      min: 1,
      max: settings.maxTasks,
      maxKey: 'sutra.external-task.max-tasks',
    });
    const waitMs = fields.duration('asyncResponseTimeout', {
      minMs: 0,
      maxMs: settings.maxAsyncResponseTimeoutMs,
      maxKey: 'sutra.external-task.max-async-response-timeout',
    });
    const tasks = await desk.fetch(
      {
        workerId,
        channels,
        lockDurationMs,
        maxTasks: maxTasks ?? settings.maxTasks,
        waitMs: waitMs ?? settings.maxAsyncResponseTimeoutMs,
      },
      disconnected,
    );
    return { tasks, answer: encodeFetchAnswer(tasks), undelivered: () => desk.release(tasks) };
  }

  /** @throws EngineError with a verdict of protocol §3. */
  async complete(taskId: string, body: unknown): Promise<CompleteAnswer> {
    const id = readTaskId(taskId);
    const fields = new RequestFields(body, [
      'workerId',
      'lockToken',
      'result',
      'resultBase64',
      'contentType',
      'completionId',
    ]);
    const completed = await this.#options.completions.completeTask({
      taskId: id,
      workerId: fields.trimmedText('workerId', MAX_ID_LENGTH),
      lockToken: fields.optionalText('lockToken', MAX_ID_LENGTH),
      completionId: fields.optionalText('completionId', MAX_ID_LENGTH),
      result: readResult(fields, this.#options.writeJson),
    });
    const { channel, instanceId, outcome } = completed;
    return { taskId: completed.taskId, channel, instanceId, status: 'COMPLETED', outcome };
  }

  /** @throws EngineError with a verdict of protocol §3. */
  async fail(taskId: string, body: unknown): Promise<FailureAnswer> {
    const { settings, desk, meter } = this.#options;
    const id = readTaskId(taskId);
    const fields = new RequestFields(body, [
      'workerId',
      'lockToken',
      'errorMessage',
      'errorDetails',
      'retries',
      'retryTimeout',
    ]);
    const lockToken = fields.optionalText('lockToken', MAX_ID_LENGTH);
    const message = keepDiagnostic(fields.anyText('errorMessage'), MAX_MESSAGE_LENGTH);
    const details = fields.has('errorDetails')
      ? keepDiagnostic(fields.anyText('errorDetails'), MAX_DETAILS_LENGTH)
      : null;
    const failed = await this.#reportFailure({
      taskId: id,
      workerId: fields.trimmedText('workerId', MAX_ID_LENGTH),
      tokenHash: lockToken === null ? null : hashToken(lockToken),
      retries: fields.integer('retries', {
        min: 0,
        max: settings.maxRetries,
        maxKey: 'sutra.external-task.max-retries',
      }),
      retryTimeoutMs: fields.duration('retryTimeout', {
        minMs: 0,
        maxMs: settings.maxRetryTimeoutMs,
        maxKey: 'sutra.external-task.max-retry-timeout',
      }),
      defaultRetryTimeoutMs: settings.retryTimeoutMs,
      errorMessage: message.text,
      errorDetails: details?.text ?? null,
      incidentId: uuidv7(),
    });
    const { channel, instanceId, retries, isTerminal, delayMs } = failed;
    if (!isTerminal) {
      desk.deferred(channel, delayMs);
    }
    const status = isTerminal ? 'TERMINAL' : 'PENDING';
    meter.add('sutra_task_failures_total', 1, { status });
    const isTruncated = message.isTruncated || details?.isTruncated === true;
    return { taskId: id, channel, instanceId, retries, status, ...(isTruncated ? { truncated: true } : {}) };
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

  /**
   * Twice, because between a failed attempt and the question why, the same worker may have locked the task
   * anew: without a token that lock is as good as the one it meant.
   */
  async #reportFailure(failure: TaskFailure): Promise<TaskFailed> {
    const { database } = this.#options;
    const { taskId, workerId, tokenHash } = failure;
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const failed = await reportFailure(database, failure);
      if (failed !== null) {
        return failed;
      }
      const verdict = await explainRefusal(database, taskId, workerId, tokenHash);
      if (verdict !== 'HOLDS_LOCK') {
        throw taskRefusal(verdict, taskId);
      }
    }
    throw taskRefusal('LOCK_LOST', taskId);
  }
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

type WriteJson = PullOperationsOptions['writeJson'];

function readResult(fields: RequestFields, writeJson: WriteJson): TaskCompletion['result'] {
  const contentType = readContentType(fields);
  const hasResult = fields.has('result');
  if (fields.has('resultBase64')) {
    if (hasResult) {
      throw invalidRequest('resultBase64', 'result and resultBase64 exclude each other; send one of them');
    }
    const text = fields.anyText('resultBase64');
    const body = Buffer.from(text, 'base64');
    // Re-encoded, because the alphabet alone does not show stray bits in the last character.
    if (!BASE64.test(text) || body.toString('base64') !== text) {
      throw invalidRequest('resultBase64', 'resultBase64 is not base64 in its standard, padded form');
    }
    checkBytes(contentType, body);
    return { contentType: contentType ?? 'application/octet-stream', body };
  }
  if (!hasResult) {
    if (contentType !== null) {
      throw invalidRequest('contentType', 'contentType is given without result or resultBase64');
    }
    return null;
  }
  return encodeResult(fields.raw('result'), contentType ?? 'application/json', writeJson);
}

function readContentType(fields: RequestFields): string | null {
  const contentType = fields.optionalText('contentType', MAX_ID_LENGTH);
  if (contentType !== null && bodyFormOf(contentType) === null) {
    throw invalidRequest('contentType', 'contentType is not a media type such as application/json');
  }
  return contentType;
}

/** `result` is a JSON value under a JSON content type, and a string under a text one. */
function encodeResult(result: unknown, contentType: string, writeJson: WriteJson): TaskCompletion['result'] {
  switch (bodyFormOf(contentType)) {
    case 'json':
      return { contentType, body: Buffer.from(writeJson(result)) };
    case 'text':
      if (typeof result !== 'string') {
        throw invalidRequest('result', 'result must be a string when contentType is text');
      }
      if (!result.isWellFormed()) {
        throw invalidRequest(
          'result',
          'result has half of a surrogate pair, which cannot be written as UTF-8',
        );
      }
      return { contentType, body: Buffer.from(result) };
    default:
      throw invalidRequest(
        'contentType',
        'result takes a JSON or text contentType in UTF-8; use resultBase64',
      );
  }
}

/** Bytes that claim to be JSON or text must be UTF-8; whether they are valid JSON is the codec's question. */
function checkBytes(contentType: string | null, body: Buffer): void {
  const form = contentType === null ? 'bytes' : bodyFormOf(contentType);
  if (form !== 'bytes' && !isUtf8(body)) {
    throw invalidRequest('resultBase64', 'resultBase64 does not hold UTF-8, as its contentType says');
  }
}
