/**
 * The workers of a scenario: they fetch and lock tasks as any worker does, and answer them from the book.
 *
 * W1 Only channels with an answer left are fetched from; other tasks stay open.
 * W2 A task that was fetched and finds no answer, or is to be left open, stays locked beyond the scenario's end.
 */
import { randomUUID } from 'node:crypto';
import type { PackageModel } from '../../definitions/package-model.ts';
import { REGISTERED } from '../../definitions/scenarios/check-names.ts';
import type {
  Answer,
  AnswerOutcome,
  AnswerResult,
  BpmnErrorOutcome,
} from '../../definitions/scenarios/scenario.ts';
import { hashToken } from '../../channels/pull/claim-plan.ts';
import type { PullOperations } from '../../channels/pull/operations.ts';
import type { CallFailurePort } from '../../engine/intake/ports.ts';
import type { Database } from '../../engine/store/database.ts';
import {
  fetchAndLock,
  nextVisibleAt,
  type FetchedTask,
  type LivePair,
} from '../../engine/store/external-tasks-fetch.ts';
import { FUNCTION_FAILED, hasRetry } from '../call-retry.ts';
import type { AnswerBook, AskedFor } from './answer-book.ts';
import { answerRefused, type Mismatch } from './mismatch.ts';

export interface ScriptedWorkersOptions {
  readonly database: Database;
  readonly pull: PullOperations;
  readonly book: AnswerBook;
  readonly failures: CallFailurePort;
  readonly model: PackageModel;
  readonly report: (mismatch: Mismatch) => void;
}

const WORKER_ID = 'scenario';
/** 100 years: a lock never expires in a scenario, so that a task left open is not fetched again. */
const LOCK_MS = 100 * 366 * 86_400_000;
const MAX_BODY_BYTES = 32 * 1024 * 1024;

type Failure = Extract<AnswerOutcome, { readonly kind: 'failure' }>;

interface Locked {
  readonly task: FetchedTask;
  readonly lockToken: string;
}

export class ScriptedWorkers {
  readonly #options: ScriptedWorkersOptions;

  constructor(options: ScriptedWorkersOptions) {
    this.#options = options;
  }

  /** Answers what can be answered now; whether there was something. */
  async work(): Promise<boolean> {
    let hasWorked = false;
    for (let locked = await this.#fetch(); locked !== null; locked = await this.#fetch()) {
      hasWorked = true;
      await this.#answer(locked);
    }
    return hasWorked;
  }

  /** In how many milliseconds there is a task to fetch; null: none that is known of. */
  async nextDueInMs(): Promise<number | null> {
    const due = await nextVisibleAt(this.#options.database, this.#pairs());
    return due.size === 0 ? null : Math.min(...due.values());
  }

  #pairs(): readonly LivePair[] {
    const { deploymentId } = this.#options.model;
    return this.#options.book.channels().map((channel) => ({ channel, deploymentId }));
  }

  async #fetch(): Promise<Locked | null> {
    const pairs = this.#pairs();
    if (pairs.length === 0) return null;
    const lockToken = randomUUID();
    const { tasks } = await fetchAndLock(this.#options.database, {
      pairs: pairs.map((pair) => ({ ...pair, wanted: 1 })),
      shares: pairs.map(({ channel }) => ({ channel, group: 0, shareIndex: 0, shareCount: 1 })),
      slots: [
        {
          group: 0,
          position: 1,
          workerId: WORKER_ID,
          tokenHash: hashToken(lockToken),
          lockDurationMs: LOCK_MS,
        },
      ],
      exceptIds: [],
      maxBodyBytes: MAX_BODY_BYTES,
      maxAttempts: null,
      incidentIds: [],
      defaultLockDurationMs: LOCK_MS,
    });
    const [task] = tasks;
    return task === undefined ? null : { task, lockToken };
  }

  async #answer(locked: Locked): Promise<void> {
    const { task } = locked;
    const { channel, contentType, body, headers, generation: attempt, elementId } = task;
    const asked: AskedFor = { channel, contentType, body, headers, attempt, elementId };
    let answer: Answer | null = null;
    try {
      answer = this.#options.book.take(asked);
      if (answer !== null) await this.#give(locked, answer, asked);
    } catch (error) {
      const refused = answerRefused(error, asked, answer?.place ?? this.#options.book.placeOf(channel));
      if (refused === null) throw error;
      this.#options.report(refused);
    }
  }

  async #give({ task, lockToken }: Locked, { outcome }: Answer, asked: AskedFor): Promise<void> {
    const proof = { workerId: WORKER_ID, lockToken };
    switch (outcome.kind) {
      case 'left-open':
        return;
      case 'failure':
        return this.#fail(task, lockToken, outcome);
      case 'bpmn-error':
        await this.#options.pull.bpmnError(task.id, { ...proof, ...bpmnErrorFields(outcome) });
        return;
      case 'result':
        await this.#options.pull.complete(task.id, { ...proof, ...this.#resultOf(outcome.result, asked) });
    }
  }

  /** A function that fails where the call has `q:retry` fails an attempt of the call, as in `registered-worker.ts`. */
  async #fail({ id: taskId, ...task }: FetchedTask, lockToken: string, failure: Failure): Promise<void> {
    const { message, retries, retryAfter, code } = failure;
    const proof = { workerId: WORKER_ID, lockToken };
    if (task.channel.startsWith(REGISTERED) && hasRetry(this.#options.model, task)) {
      await this.#options.failures.failTask({ taskId, ...proof }, { code: code ?? FUNCTION_FAILED, message });
      return;
    }
    await this.#options.pull.fail(taskId, {
      ...{ ...proof, errorMessage: message },
      ...(retries === null ? {} : { retries }),
      ...(retryAfter === null ? {} : { retryTimeout: retryAfter }),
    });
  }

  /** As a worker writes it. */
  #resultOf(result: AnswerResult, asked: AskedFor): Readonly<Record<string, unknown>> {
    switch (result.kind) {
      case 'value':
        return { result: result.value };
      case 'expression':
        return { result: this.#options.book.evaluate(result.expression, asked) };
      case 'text':
        return { result: result.text, contentType: 'text/plain' };
      case 'nothing':
        return { result: {} };
    }
  }
}

function bpmnErrorFields({ code, message, variables }: BpmnErrorOutcome): Readonly<Record<string, unknown>> {
  return {
    errorCode: code,
    ...(message === null ? {} : { errorMessage: message }),
    ...(variables === null ? {} : { variables }),
  };
}
