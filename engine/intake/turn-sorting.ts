/**
 * The turns of a batch between their locks and their answers: does what a turn settles hold, what must
 * be applied, and what became of it.
 *
 * G1 Every turn has exactly one answer.
 * G2 A row is settled only for a turn that was applied, or whose message was recorded before; a refused
 *    completion leaves its task where it is.
 */
import { EngineError } from '../../config/engine-error.ts';
import type { Receipt, TaskForCompletion } from '../store/external-tasks-settle.ts';
import { taskRefusal } from '../store/external-tasks-verdict.ts';
import type { Applied, ReadyTurn } from './batch-apply.ts';
import { timerText, type LockedSettlements } from './batch-read.ts';
import type { SettledRows } from './batch-write.ts';
import { completionHash, judgeCompletion, rejectedCompletion } from './completion.ts';
import type { InstanceWork, JournalEntry } from './instance-work.ts';
import { migrationTargetOf } from './migration-target.ts';
import { holdsTrigger, isTrigger, TriggerOutcomes, triggerText } from './trigger-settlements.ts';
import {
  isResult,
  type InstanceAfterTurn,
  type Settlement,
  type Target,
  type TaskFacts,
  type TaskSettlement,
  type TurnAnswer,
  type TurnRequest,
} from './turn.ts';

/** Refusals of a timer that say that its row has no meaning any more. */
const waitGoneCodes: ReadonlySet<string> = new Set([
  'SUTRA.CORE.WAIT_GONE',
  'SUTRA.CORE.INSTANCE_ENDED',
  'SUTRA.INBOUND.NOT_CORRELATED',
]);

export interface CompletionPlan {
  readonly targets: readonly Target[];
  readonly isBroadcast: boolean;
  /** Nobody listens on the channel: the completion settles the task, and that is all. */
  readonly settlesOnly: boolean;
}

/** @throws EngineError when the inbound path refuses the result. */
export type PlanCompletion = (
  task: TaskForCompletion,
  settlement: TaskSettlement,
  nowMs: number,
) => CompletionPlan;

/** Sorts the turns by whether their settlement holds, and turns results into answers and settled rows. */
export class TurnSorting {
  readonly #turns: readonly TurnRequest[];
  readonly #locked: LockedSettlements;
  readonly #planCompletionOf: PlanCompletion;
  readonly #answers = new Map<number, TurnAnswer>();
  readonly #rejected: string[] = [];
  /** Tasks already taken by an earlier turn of this batch: one completion each. */
  readonly #takenTasks = new Set<string>();
  /** Instances that an earlier turn of this batch may migrate: a task of theirs was read as that of the old model. */
  readonly #migrated = new Set<string>();
  /** As for tasks: a letter is replayed once. */
  readonly #takenLetters = new Set<string>();
  #nowMs = 0;

  constructor(turns: readonly TurnRequest[], locked: LockedSettlements, planCompletion: PlanCompletion) {
    this.#turns = turns;
    this.#locked = locked;
    this.#planCompletionOf = planCompletion;
  }

  #dedupOf(turn: TurnRequest): ReadyTurn['dedup'] {
    if (turn.settles?.kind !== 'task') return turn.dedup;
    const task = this.#locked.tasks.get(turn.settles.taskId);
    // What is no result is not recorded as one: a later attempt has a key of its own.
    if (task === undefined || !isResult(turn.settles)) return null;
    return { tenant: task.tenant, module: task.module, channel: task.channel, dedupKey: task.idempotencyKey };
  }

  ready(nowMs: number): ReadyTurn[] {
    this.#nowMs = nowMs;
    const ready: ReadyTurn[] = [];
    this.#turns.forEach((turn, index) => {
      const prepared = this.#prepare(turn, index, nowMs);
      if (prepared !== null) ready.push(prepared);
    });
    return ready;
  }

  #prepare(turn: TurnRequest, index: number, nowMs: number): ReadyTurn | null {
    const { settles } = turn;
    const [target] = turn.targets;
    if (target?.kind === 'instance' && migrationTargetOf(target) !== null)
      this.#migrated.add(target.instanceId);
    const plain: ReadyTurn = {
      index,
      targets: turn.targets,
      isBroadcast: turn.isBroadcast,
      dedup: turn.dedup,
      settlesOnly: false,
      // A letter is no delivery of a call: what its message answers is withdrawn as for any other.
      settlesDelivery: settles !== null && settles.kind !== 'deadLetter',
      partId: settles?.kind === 'timer' ? (this.#locked.timers.get(timerText(settles)) ?? null) : null,
      cause: turn.cause ?? null,
      ...(turn.isDry === true ? { isDry: turn.isDry } : {}),
    };
    if (settles === null) return plain;
    if (settles.kind === 'task') return this.#prepareCompletion(turn, settles, index, nowMs);
    const { key, holds } = this.#rowOf(settles);
    const isTaken = settles.kind === 'deadLetter' && this.#takenLetters.has(key);
    if (holds && !isTaken) {
      if (settles.kind === 'deadLetter') this.#takenLetters.add(key);
      return plain;
    }
    this.#answers.set(index, {
      kind: isTaken || this.#locked.lockedElsewhere.has(key) ? 'busy' : 'gone',
    });
    return null;
  }

  /** How the row that a turn settles is named among those that are locked, and whether it is one of them. */
  #rowOf(settles: Exclude<Settlement, TaskSettlement>): { readonly key: string; readonly holds: boolean } {
    if (isTrigger(settles)) return { key: triggerText(settles), holds: holdsTrigger(settles, this.#locked) };
    if (settles.kind === 'outbox') return { key: settles.id, holds: this.#locked.outboxIds.has(settles.id) };
    if (settles.kind === 'deadLetter') {
      return { key: settles.id, holds: this.#locked.deadLetterIds.has(settles.id) };
    }
    const key = timerText(settles);
    return { key, holds: this.#locked.timers.has(key) };
  }

  #prepareCompletion(
    turn: TurnRequest,
    settles: TaskSettlement,
    index: number,
    nowMs: number,
  ): ReadyTurn | null {
    const verdict = judgeCompletion(
      settles,
      this.#locked.tasks.get(settles.taskId),
      this.#locked.lockedElsewhere.has(settles.taskId),
      this.#locked.receipts.get(settles.taskId) ?? [],
    );
    if (verdict.kind === 'busy') this.#answers.set(index, { kind: 'busy' });
    else if (verdict.kind === 'refused') this.#answers.set(index, verdict);
    else if (verdict.kind === 'replayed') this.#answers.set(index, verdict);
    else if (verdict.kind === 'duplicate') {
      this.#answers.set(index, {
        kind: 'duplicate',
        instanceId: verdict.task.instanceId,
        key: null,
        task: verdict.task,
      });
    } else if (this.#takenTasks.has(settles.taskId) || this.#migrated.has(verdict.task.instanceId)) {
      // The first completion of this batch decides; this one is judged by its receipt afterwards, or by the new model.
      this.#answers.set(index, { kind: 'busy' });
    } else {
      return this.#planCompletion(turn, settles, verdict.task, index, nowMs);
    }
    return null;
  }

  #planCompletion(
    turn: TurnRequest,
    settles: TaskSettlement,
    task: TaskForCompletion,
    index: number,
    nowMs: number,
  ): ReadyTurn | null {
    this.#takenTasks.add(task.id);
    try {
      const plan = this.#planCompletionOf(task, settles, nowMs);
      return {
        ...plan,
        index,
        dedup: this.#dedupOf(turn),
        settlesDelivery: true,
        partId: null,
        cause: taskEntry(task, settles),
      };
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      this.#answers.set(index, this.#reject(settles, task, error));
      return null;
    }
  }

  #reject(settles: TaskSettlement, task: TaskForCompletion, error: EngineError): TurnAnswer {
    this.#rejected.push(task.id);
    return { kind: 'refused', error: rejectedCompletion(settles, error) };
  }

  settle(applied: Applied): { answers: TurnAnswer[]; settled: SettledRows; rejectedTaskIds: string[] } {
    const taskIds: string[] = [];
    const receipts: Receipt[] = [];
    const timers: { instanceId: string; waitId: number }[] = [];
    const outboxIds: string[] = [];
    const deadLetterIds: string[] = [];
    const triggers = new TriggerOutcomes(this.#locked, this.#nowMs);
    const inbox: (NonNullable<ReadyTurn['dedup']> & { instanceId: string })[] = [];
    const answers = this.#turns.map((turn, index): TurnAnswer => {
      const early = this.#answers.get(index);
      if (early !== undefined) return early;
      const { settles } = turn;
      const task = settles?.kind === 'task' ? this.#locked.tasks.get(settles.taskId) : undefined;
      const facts = task === undefined ? null : factsOf(task);
      const result = applied.answers.get(index);
      if (result === undefined || result.kind === 'busy') return { kind: 'busy' };
      if (result.kind === 'previewed') return result;
      if (result.kind === 'refused') {
        if (settles !== null && isTrigger(settles)) triggers.refuse(settles, result.error);
        return this.#refusedAnswer(turn, result.error, applied, timers);
      }
      if (settles !== null && isTrigger(settles)) triggers.settle(settles);
      if (settles?.kind === 'timer') timers.push(settles);
      if (settles?.kind === 'outbox') outboxIds.push(settles.id);
      if (settles?.kind === 'deadLetter') deadLetterIds.push(settles.id);
      if (settles?.kind === 'task' && task !== undefined) {
        taskIds.push(task.id);
        receipts.push(receiptOf(settles, task, result.kind === 'applied' ? 'completed' : 'ignored'));
      }
      const dedup = this.#dedupOf(turn);
      if (result.kind === 'duplicate')
        return { kind: 'duplicate', instanceId: result.instanceId, key: dedup, task: facts };
      const recordedFor = result.instanceIds[0] ?? task?.instanceId;
      if (dedup !== null && recordedFor !== undefined) inbox.push({ ...dedup, instanceId: recordedFor });
      return { kind: 'applied', instances: instancesOf(result.instanceIds, applied), task: facts };
    });
    return {
      answers,
      settled: { taskIds, receipts, timers, outboxIds, deadLetterIds, triggers, inbox },
      rejectedTaskIds: this.#rejected,
    };
  }

  #refusedAnswer(
    turn: TurnRequest,
    error: EngineError,
    applied: Applied,
    timers: { instanceId: string; waitId: number }[],
  ): TurnAnswer {
    const isWaitGone = waitGoneCodes.has(error.code);
    const settles = turn.settles?.kind === 'task' ? turn.settles : null;
    const task = settles === null ? undefined : this.#locked.tasks.get(settles.taskId);
    if (settles !== null && task !== undefined) {
      const withdrawnKeys = applied.works.get(task.instanceId)?.withdrawnKeys ?? [];
      // A turn before it in this batch has ended its wait, and takes the task along.
      return isWaitGone && withdrawnKeys.includes(task.idempotencyKey)
        ? { kind: 'refused', error: taskRefusal('WITHDRAWN', task.id) }
        : this.#reject(settles, task, error);
    }
    if (turn.settles?.kind === 'timer' && isWaitGone) {
      // Its wait is gone: the row has no meaning any more.
      timers.push(turn.settles);
      return { kind: 'gone' };
    }
    return { kind: 'refused', error };
  }
}

function instancesOf(ids: readonly string[], applied: Applied): InstanceAfterTurn[] {
  return ids.flatMap((id) => {
    const work = applied.works.get(id);
    return work === undefined ? [] : [afterTurn(work)];
  });
}

function factsOf(task: TaskForCompletion): TaskFacts {
  return { taskId: task.id, channel: task.channel, instanceId: task.instanceId };
}

function receiptOf(
  settles: TaskSettlement,
  task: TaskForCompletion,
  outcome: 'completed' | 'ignored',
): Receipt {
  return {
    taskId: task.id,
    generation: task.generation,
    completionId: settles.completionId,
    outcome,
    lockOwner: task.lockOwner,
    bodyHash: completionHash(settles),
    channel: task.channel,
    instanceId: task.instanceId,
  };
}

/** An error message is a line or two; more is in the task while it is there. */
const MAX_ERROR_CHARACTERS = 500;

/** Half of a surrogate pair at the cut would be no JSON. */
function cutText(text: string): string {
  return text.slice(0, MAX_ERROR_CHARACTERS).toWellFormed();
}

function taskEntry(
  task: TaskForCompletion,
  { failure, bpmnError, completionId }: TaskSettlement,
): JournalEntry {
  const { lastError } = task;
  const fault = failure ?? bpmnError;
  return {
    event: fault === undefined ? 'taskCompleted' : failure === undefined ? 'taskBpmnError' : 'taskFailed',
    elementId: task.elementId,
    detail: {
      taskId: task.id,
      channel: task.channel,
      workerId: task.lockOwner,
      attempts: task.generation,
      parkedAt: task.createdAt.toISOString(),
      lockedAt: task.lockedAt?.toISOString() ?? null,
      ...(completionId === null ? {} : { completionId }),
      // Of the attempts before: of several failures the last one.
      ...(lastError === null ? {} : { lastError: cutText(lastError) }),
      ...(fault === undefined ? {} : { code: fault.code }),
    },
  };
}

/** What the commit made of an instance. */
export function afterTurn(work: InstanceWork): InstanceAfterTurn {
  const status = work.snapshot?.status ?? 'running';
  const failure = status === 'failed' ? (work.snapshot?.failure ?? null) : null;
  return {
    instanceId: work.origin.id,
    status,
    failure: failure === null ? null : { code: failure.code, message: failure.message },
    reply: work.reply,
    isNew: work.isNew,
  };
}
