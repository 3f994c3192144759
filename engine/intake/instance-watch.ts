/**
 * Requests that are held until their instance replies, ends or fails.
 *
 * H1 What this replica commits is seen at once, from the commit's own callback.
 * H2 What another replica commits (or was missed) is seen by one statement a poll for all watched instances.
 * H3 A watch ends: by its outcome, by its hold time, by its client's leaving, or by `stop`. After `stop`
 *    none begins: the turns that are still to commit must not hold their requests.
 */
import type { Database } from '../store/database.ts';
import { readInstanceStates, type InstanceState } from '../store/turn-instances.ts';
import type { Log } from '../observe.ts';
import type { InstanceOutcome, Service } from '../transport.ts';
import type { StoredReply } from '../store/turn-inbox.ts';
import type { InstanceAfterTurn } from './turn.ts';

/** A reply on another replica is seen this late at most; one statement a poll, none when idle. */
const pollMs = 250;

interface Watcher {
  /** Whether a reply that is stored answers this request too; one from before a later message does not. */
  readonly takesStoredReply: boolean;
  resolve(outcome: InstanceOutcome): void;
}

export class InstanceWatch implements Service {
  readonly #database: Database;
  readonly #log: Log;
  readonly #watchers = new Map<string, Set<Watcher>>();
  #timer: NodeJS.Timeout | null = null;
  #isPolling = false;
  #isStopped = false;

  constructor(database: Database, log: Log) {
    this.#database = database;
    this.#log = log;
  }

  start(): Promise<void> {
    this.#isStopped = false;
    return Promise.resolve();
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    for (const watchers of this.#watchers.values()) {
      for (const watcher of watchers) watcher.resolve({ kind: 'running' });
    }
    this.#watchers.clear();
    return Promise.resolve();
  }

  get size(): number {
    return this.#watchers.size;
  }

  /**
   * Begins at once; resolves with `running` when `holdMs` has passed or `signal` aborts. A request that
   * resumed an instance takes only a reply that comes after it, so `takesStoredReply` is for starts.
   */
  watch(
    instanceId: string,
    holdMs: number,
    signal: AbortSignal,
    takesStoredReply: boolean,
  ): Promise<InstanceOutcome> {
    if (this.#isStopped || signal.aborted || holdMs <= 0) return Promise.resolve({ kind: 'running' });
    return new Promise((resolve) => {
      const finish = (outcome: InstanceOutcome): void => {
        clearTimeout(hold);
        signal.removeEventListener('abort', leave);
        this.#remove(instanceId, watcher);
        resolve(outcome);
      };
      const leave = (): void => {
        finish({ kind: 'running' });
      };
      const watcher: Watcher = { takesStoredReply, resolve: finish };
      const hold = setTimeout(leave, holdMs);
      hold.unref();
      signal.addEventListener('abort', leave, { once: true });
      const watchers = this.#watchers.get(instanceId) ?? new Set();
      watchers.add(watcher);
      this.#watchers.set(instanceId, watchers);
      this.#schedule();
    });
  }

  /** Called right after each commit with what its instances became. */
  committed(instances: readonly InstanceAfterTurn[]): void {
    if (this.#watchers.size === 0) return;
    for (const instance of instances) {
      const outcome = outcomeAfter(instance);
      if (outcome !== null) this.#settle(instance.instanceId, outcome);
    }
  }

  #settle(instanceId: string, outcome: InstanceOutcome): void {
    for (const watcher of [...(this.#watchers.get(instanceId) ?? [])]) watcher.resolve(outcome);
  }

  #settleStored(state: InstanceState): void {
    for (const watcher of [...(this.#watchers.get(state.id) ?? [])]) {
      const outcome = outcomeOf(state, watcher.takesStoredReply);
      if (outcome !== null) watcher.resolve(outcome);
    }
  }

  #remove(instanceId: string, watcher: Watcher): void {
    const watchers = this.#watchers.get(instanceId);
    watchers?.delete(watcher);
    if (watchers?.size === 0) this.#watchers.delete(instanceId);
  }

  #schedule(): void {
    if (this.#timer !== null || this.#isPolling || this.#watchers.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.#poll();
    }, pollMs);
    this.#timer.unref();
  }

  async #poll(): Promise<void> {
    this.#isPolling = true;
    try {
      const ids = [...this.#watchers.keys()];
      if (ids.length > 0) {
        const states = await readInstanceStates(this.#database, ids);
        for (const state of states) {
          this.#settleStored(state);
        }
      }
    } catch (error) {
      this.#log.warn('watch-poll-failed', { error: error instanceof Error ? error.message : String(error) });
    } finally {
      this.#isPolling = false;
      this.#schedule();
    }
  }
}

/** Null: neither replied nor ended nor failed. A failed instance that replied before has replied. */
export function outcomeAfter(instance: InstanceAfterTurn): InstanceOutcome | null {
  if (instance.reply !== null) return replied(instance.reply);
  if (instance.failure !== null) return { kind: 'failed', ...instance.failure };
  if (instance.status === 'completed' || instance.status === 'terminated')
    return { kind: 'ended', status: instance.status };
  return null;
}

/** The same of what is stored; null also when only a reply is there that does not answer the request. */
export function outcomeOf(state: InstanceState, takesStoredReply: boolean): InstanceOutcome | null {
  return outcomeAfter({
    instanceId: state.id,
    status: state.status,
    failure:
      state.failureCode === null ? null : { code: state.failureCode, message: state.failureMessage ?? '' },
    reply: takesStoredReply ? state.reply : null,
    isNew: false,
  });
}

export function replied(reply: StoredReply): InstanceOutcome {
  return {
    kind: 'replied',
    contentType: reply.contentType,
    headers: reply.headers,
    body: Buffer.from(reply.bodyBase64, 'base64'),
  };
}
