/**
 * The calls about one lock, without HTTP: extend it, give it back, say how far the work is; take one by the task's id; and
 * what an operator changes of a task.
 *
 * L1 A holder's call is one statement when it is taken. Only a refusal reads, to say why.
 * L2 Nothing is lowered: a duration over its ceiling is refused. The deadline alone makes a lock shorter than was asked
 *    for, and the answer says until when it lasts.
 */
import { randomBytes } from 'node:crypto';
import { EngineError } from '../../config/engine-error.ts';
import type { Settings } from '../../config/settings.ts';
import { newId } from '../../engine/new-id.ts';
import type { Log, Meter } from '../../engine/observe.ts';
import type { Database } from '../../engine/store/database.ts';
import { explainRefusal } from '../../engine/store/external-tasks.ts';
import { adjustTask } from '../../engine/store/external-tasks-adjust.ts';
import {
  extendLock,
  lockTask,
  noteProgress,
  unlockTask,
  type HeldLock,
} from '../../engine/store/external-tasks-lock.ts';
import { taskRefusal } from '../../engine/store/external-tasks-verdict.ts';
import { hashToken, TOKEN_BYTES } from './claim-plan.ts';
import type { PullCode } from './codes.ts';
import type { WriteJson } from './completion-request.ts';
import type { FetchDesk } from './fetch-desk.ts';
import { lockDurationRule, readHolder, readProgress, requiredLockDuration } from './lock-request.ts';
import { invalidRequest, MAX_ID_LENGTH, readTaskId, RequestFields } from './request-fields.ts';
import { underLock } from './under-lock.ts';

/** Which task a call was about. */
export interface TaskAnswer {
  readonly taskId: string;
  readonly channel: string;
  readonly instanceId: string;
}

export interface LockAnswer extends TaskAnswer {
  /** RFC 3339, UTC. */
  readonly lockExpiresAt: string;
}

export interface UnlockAnswer extends TaskAnswer {
  readonly status: 'PENDING';
}

export interface OwnLockAnswer extends LockAnswer {
  /** The secret proof of the lock. */
  readonly lockToken: string;
}

export interface LockOperationsOptions {
  readonly database: Database;
  readonly settings: Settings['externalTask'];
  readonly desk: Pick<FetchDesk, 'parked' | 'deferred'>;
  readonly writeJson: WriteJson;
  readonly meter: Meter;
  readonly log: Log;
}

/** What PostgreSQL's `integer` holds. */
const PRIORITY_RULE = { min: -2_147_483_648, max: 2_147_483_647, maxKey: 'the highest priority' } as const;

export class LockOperations {
  readonly #options: LockOperationsOptions;

  constructor(options: LockOperationsOptions) {
    this.#options = options;
  }

  async extendLock(taskId: string, body: unknown): Promise<LockAnswer> {
    const { database, settings, meter, desk } = this.#options;
    const { claimant, fields } = readHolder(taskId, body, ['lockDuration']);
    const lockDurationMs = requiredLockDuration(fields, settings);
    const held = await underLock(database, claimant, () => extendLock(database, claimant, lockDurationMs));
    meter.add('sutra_task_lock_extensions_total', 1);
    // A shorter lock may end before anything that the waiting fetches expect.
    desk.deferred(held.channel, lockDurationMs);
    return lockAnswer(claimant.taskId, held);
  }

  async unlock(taskId: string, body: unknown): Promise<UnlockAnswer> {
    const { database, desk, meter } = this.#options;
    const { claimant } = readHolder(taskId, body, []);
    const unlocked = await underLock(database, claimant, () => unlockTask(database, claimant));
    meter.add('sutra_task_unlocks_total', 1);
    desk.parked(new Map([[unlocked.channel, 1]]));
    return { taskId: claimant.taskId, ...unlocked, status: 'PENDING' };
  }

  async progress(taskId: string, body: unknown): Promise<LockAnswer> {
    const { database, writeJson, meter } = this.#options;
    const { claimant, fields } = readHolder(taskId, body, ['progress']);
    const note = readProgress(fields, writeJson);
    const held = await underLock(database, claimant, () => noteProgress(database, claimant, note));
    meter.add('sutra_task_progress_total', 1);
    return lockAnswer(claimant.taskId, held);
  }

  async lock(taskId: string, body: unknown): Promise<OwnLockAnswer> {
    const { database, settings } = this.#options;
    const id = readTaskId(taskId);
    const fields = new RequestFields(body, ['workerId', 'lockDuration']);
    const workerId = fields.trimmedText('workerId', MAX_ID_LENGTH);
    const lockDurationMs = requiredLockDuration(fields, settings);
    const lockToken = randomBytes(TOKEN_BYTES).toString('base64url');
    const tokenHash = hashToken(lockToken);
    // Twice: what was in the way may have gone before the question what it was.
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const held = await lockTask(database, { taskId: id, workerId, tokenHash, lockDurationMs });
      if (held !== null) return { ...lockAnswer(id, held), lockToken };
      const verdict = await explainRefusal(database, id, workerId, null);
      if (verdict !== 'HOLDS_LOCK' && verdict !== 'LOCK_LOST') throw taskRefusal(verdict, id);
    }
    throw notLockable(id);
  }

  async adjust(taskId: string, body: unknown): Promise<TaskAnswer> {
    const { database, desk, log } = this.#options;
    const id = readTaskId(taskId);
    const change = this.#readChange(body);
    const adjusted = await adjustTask(database, { taskId: id, ...change, incidentId: newId() });
    if (adjusted === null) {
      const verdict = await explainRefusal(database, id, '', null);
      throw taskRefusal(verdict === 'NOT_FOUND' || verdict === 'WITHDRAWN' ? verdict : 'LOCK_LOST', id);
    }
    const { isReopened, ...place } = adjusted;
    log.info('external-task.adjusted', { taskId: id, ...change });
    if (isReopened) desk.parked(new Map([[place.channel, 1]]));
    else if (change.lockDurationMs !== null) desk.deferred(place.channel, change.lockDurationMs);
    return { taskId: id, ...place };
  }

  #readChange(body: unknown): {
    readonly retries: number | null;
    readonly priority: number | null;
    readonly lockDurationMs: number | null;
  } {
    const { settings } = this.#options;
    const fields = new RequestFields(body, ['retries', 'priority', 'lockDuration']);
    const retries = fields.integer('retries', {
      min: 0,
      max: settings.maxRetries,
      maxKey: 'sutra.external-task.max-retries',
    });
    const priority = fields.integer('priority', PRIORITY_RULE);
    const lockDurationMs = fields.duration('lockDuration', lockDurationRule(settings));
    if (retries === null && priority === null && lockDurationMs === null) {
      throw invalidRequest('body', 'the body has none of retries, priority, lockDuration');
    }
    if (retries === 0 && lockDurationMs !== null) {
      throw invalidRequest('lockDuration', 'lockDuration goes with no retries of 0, which ends the lock');
    }
    return { retries, priority, lockDurationMs };
  }
}

function lockAnswer(taskId: string, { channel, instanceId, lockExpiresAt }: HeldLock): LockAnswer {
  return { taskId, channel, instanceId, lockExpiresAt: lockExpiresAt.toISOString() };
}

function notLockable(taskId: string): EngineError {
  const code: PullCode = 'SUTRA.EXTERNAL_TASK.NOT_LOCKABLE';
  const message = `External task ${taskId} cannot be locked now: its instance has failed, or its deadline has passed.`;
  return new EngineError(code, message, { attributes: { taskId } });
}
