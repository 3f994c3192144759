/**
 * One fetch: what is asked for, and what of the answer is ours to run.
 *
 * F1 What was locked for us and cannot be run (not asked for, over what was asked for, or not understood) is given back at once.
 * F2 How long a new lock lasts is reckoned from the answer's beginning, or from the last moment at which the event loop was
 *    certainly free, if it has been blocked since.
 */
import { formatDuration, parseDuration } from './duration.ts';
import type { EngineClient, Reply, TakenReply } from './engine-client.ts';
import type { Settings } from './options.ts';
import type { Poll, PollOutcome } from './poll-loop.ts';
import type { Wish } from './slots.ts';
import { readReference, readTask, type LockedTask, type LockReference } from './task.ts';
import { callErrorOf } from './verdict.ts';

/** A fetched task, with what is known of its times. */
export interface FetchedTask {
  readonly locked: LockedTask;
  readonly lockDurationMs: number;
  /** Monotonic milliseconds. */
  readonly lockExpiresAt: number;
  /** Monotonic milliseconds; null: none. */
  readonly deadlineAt: number | null;
}

export interface TaskFetcherOptions {
  readonly settings: Settings;
  readonly client: EngineClient;
  /** The last moment at which the event loop was certainly free, in monotonic milliseconds. */
  readonly lastFreeAt: () => number;
  readonly onTasks: (tasks: readonly FetchedTask[]) => void;
  readonly onUnwanted: (locks: readonly LockReference[]) => void;
}

/** The server's ceilings, once it has told. */
const CEILINGS = ['maxTasks', 'asyncResponseTimeout'] as const;

export class TaskFetcher {
  readonly #options: TaskFetcherOptions;
  #maxTasks = Number.POSITIVE_INFINITY;
  #pollTimeoutMs: number;

  constructor(options: TaskFetcherOptions) {
    this.#options = options;
    this.#pollTimeoutMs = options.settings.pollTimeoutMs;
  }

  async fetch({ wish, isPatient, signal, onHeaders }: Poll): Promise<PollOutcome> {
    const { settings, client } = this.#options;
    const waitMs = isPatient ? this.#pollTimeoutMs : 0;
    const maxTasks = Math.min(wish.maxTasks, this.#maxTasks);
    const fields = {
      channels: channelEntries(wish, settings, maxTasks),
      maxTasks,
      asyncResponseTimeout: formatDuration(waitMs),
      ...(settings.lockDurationMs === null ? {} : { lockDuration: formatDuration(settings.lockDurationMs) }),
    };
    const timeoutMs = waitMs + settings.pollMarginMs;
    const lastFreeAtStart = this.#options.lastFreeAt();
    const reply = await client.fetchAndLock(fields, { timeoutMs, signal, onHeaders });
    if (reply.kind === 'taken') return this.#take(reply, wish, maxTasks, lastFreeAtStart);
    if (reply.kind === 'unanswered' && reply.isAborted) return { kind: 'given-up' };
    if (this.#learnCeiling(reply)) return { kind: 'given-up' };
    const retryAfterMs = reply.kind === 'unanswered' ? reply.retryAfterMs : null;
    return { kind: 'failed', error: callErrorOf(reply), retryAfterMs };
  }

  #take(reply: TakenReply, wish: Wish, maxTasks: number, lastFreeAtStart: number): PollOutcome {
    const { onTasks, onUnwanted, lastFreeAt } = this.#options;
    const values = reply.body['tasks'] as readonly unknown[];
    // The answer may have come any time since then.
    const takenAt = Math.max(reply.sentAt, lastFreeAtStart, Math.min(reply.headersAt, lastFreeAt()));
    const room = new Map(wish.channels.map(({ name, maxTasks: most }) => [name, most]));
    const tasks: FetchedTask[] = [];
    const unwanted: LockReference[] = [];
    let strangeCount = 0;
    for (const value of values) {
      const locked = readTask(value);
      const left = locked === null ? 0 : (room.get(locked.task.channel) ?? 0);
      if (locked !== null && left > 0 && tasks.length < maxTasks) {
        room.set(locked.task.channel, left - 1);
        tasks.push(this.#timed(locked, reply, takenAt));
        continue;
      }
      strangeCount += 1;
      const reference = readReference(value);
      if (reference !== null) unwanted.push(reference);
    }
    onTasks(tasks);
    if (strangeCount === 0) return { kind: 'answered', taskCount: tasks.length };
    onUnwanted(unwanted);
    const error = new Error(`the answer had ${strangeCount} tasks that were not asked for or not understood`);
    return { kind: 'failed', error, retryAfterMs: null };
  }

  #timed(locked: LockedTask, reply: TakenReply, takenAt: number): FetchedTask {
    const { settings } = this.#options;
    const { task, lockExpiresAtMs } = locked;
    const askedMs = settings.channels.get(task.channel)?.lockDurationMs ?? settings.lockDurationMs;
    const serverNowMs = reply.serverNowMs ?? Date.now();
    const lockDurationMs = askedMs ?? estimate(lockExpiresAtMs - serverNowMs);
    const deadlineMs = task.deadline === null ? Number.NaN : Date.parse(task.deadline);
    let deadlineAt: number | null = null;
    if (Number.isFinite(deadlineMs)) {
      // A lock that the deadline has cut says nothing about the time between them; the answer's own date does.
      const isCut = deadlineMs <= lockExpiresAtMs;
      const leftMs = isCut ? deadlineMs - serverNowMs : lockDurationMs + deadlineMs - lockExpiresAtMs;
      deadlineAt = takenAt + leftMs;
    }
    return { locked, lockDurationMs, lockExpiresAt: takenAt + lockDurationMs, deadlineAt };
  }

  /** The batch is our own affair, and so is a wait that nobody asked for: they keep to the server's ceilings. */
  #learnCeiling(reply: Exclude<Reply, TakenReply>): boolean {
    if (reply.kind !== 'refused' || reply.code !== 'SUTRA.EXTERNAL_TASK.REQUEST_INVALID') return false;
    const field = CEILINGS.find((name) => reply.attributes['field'] === name);
    const { limit } = reply.attributes;
    if (field === 'maxTasks' && typeof limit === 'number' && limit >= 1 && limit < this.#maxTasks) {
      this.#maxTasks = limit;
      return true;
    }
    const limitMs = typeof limit === 'string' ? parseDuration(limit) : null;
    const { isPollTimeoutAsked } = this.#options.settings;
    if (field !== 'asyncResponseTimeout' || isPollTimeoutAsked || limitMs === null) return false;
    if (limitMs >= this.#pollTimeoutMs) return false;
    this.#pollTimeoutMs = limitMs;
    return true;
  }
}

/** Plain names where nothing more has to be said. */
function channelEntries(wish: Wish, { channels }: Settings, maxTasks: number): readonly unknown[] {
  return wish.channels.map(({ name, maxTasks: room }) => {
    const lockDurationMs = channels.get(name)?.lockDurationMs ?? null;
    const entry = {
      name,
      ...(lockDurationMs === null ? {} : { lockDuration: formatDuration(lockDurationMs) }),
      ...(room >= maxTasks ? {} : { maxTasks: room }),
    };
    return Object.keys(entry).length === 1 ? name : entry;
  });
}

/**
 * A channel's own duration from the lock's end and the answer's date, both of the server's side. The date is cut to seconds,
 * so the difference is up to a second too long; what is meant is mostly whole seconds.
 */
function estimate(differenceMs: number): number {
  const seconds = Math.floor(differenceMs / 1_000);
  if (seconds >= 2) return seconds * 1_000;
  return Math.max(Math.floor(differenceMs / 3), 100);
}
