/**
 * What a batch reads and locks before anything is applied: a constant number of statements, whatever
 * the batch's size, each only when some turn needs it.
 */
import type { CostLimits } from '../../definitions/feel.ts';
import type { PackageModel } from '../../definitions/package-model.ts';
import { decodePart } from '../core/snapshot-codec.ts';
import type { Snapshot } from '../core/snapshot.ts';
import type { LiveDeployment } from '../deployments/routing.ts';
import { readRecords, recordText, type RecordRequest, type RecordState } from '../store/data-records.ts';
import {
  findReceipts,
  lockTasksForCompletion,
  taskExists,
  type TaskForCompletion,
  type Receipt,
} from '../store/external-tasks-settle.ts';
import { readAllParts, readParts, type PartKey, type PartRow } from '../store/instance-parts.ts';
import { findMigrationTargets } from '../store/migrated-instances.ts';
import { lockOutboxRows, outboxRowsExist } from '../store/outbox.ts';
import { lockTimers, timersExist, type TimerKey } from '../store/timers.ts';
import { findInstancesByAlias, findUniqueConflicts, type AliasKey } from '../store/turn-aliases.ts';
import { findInboxRows, type InboxKey } from '../store/turn-inbox.ts';
import {
  instancesExist,
  lockInstances,
  lockInstancesOfTasks,
  type LockedInstance,
} from '../store/turn-instances.ts';
import type { StatementRunner } from '../transport.ts';
import { aliasText, inboxText, type LockedState } from './batch-apply.ts';
import type { BatchNeeds } from './batch-needs.ts';
import { calledDeployments, calledIn, CallTargets } from './call-targets.ts';
import type { PartsRead, StoredPart } from './instance-parts.ts';
import type { LargeValues } from './large-values.ts';
import { lockLetters } from './dead-letter-settlements.ts';
import { lockTriggers, type LockedTriggers } from './trigger-settlements.ts';
import type { Settlement } from './turn.ts';

/** Over the batch's own connection: there may be no other one, and to wait for it would never end. */
export type LoadModel = (deploymentId: string, runner: StatementRunner) => Promise<PackageModel | null>;

export interface LockedSettlements extends LockedTriggers {
  readonly tasks: ReadonlyMap<string, TaskForCompletion>;
  readonly receipts: ReadonlyMap<string, readonly Receipt[]>;
  /** By `timerText`: the part of the snapshot that holds the wait, or null. */
  readonly timers: ReadonlyMap<string, number | null>;
  readonly outboxIds: ReadonlySet<string>;
  readonly deadLetterIds: ReadonlySet<string>;
  /** Tasks, timers (`timerText`), outbox rows, dead letters and triggers that exist but are locked by another commit. */
  readonly lockedElsewhere: ReadonlySet<string>;
}

export function timerText(key: TimerKey): string {
  return `${key.instanceId}/${String(key.waitId)}`;
}

/**
 * Locks the rows that the turns settle; rows locked elsewhere are skipped and named. The first statement of each kind is
 * sent before it returns: to the database they are one round trip, with whatever the caller sends behind.
 */
export async function lockSettlements(
  runner: StatementRunner,
  settlements: readonly Settlement[],
): Promise<LockedSettlements> {
  const lockedElsewhere = new Set<string>();
  const [{ tasks, receipts }, timers, outboxIds, triggers, deadLetterIds] = await Promise.all([
    lockTasks(runner, settlements, lockedElsewhere),
    lockDueTimers(runner, settlements, lockedElsewhere),
    lockOutbox(runner, settlements, lockedElsewhere),
    lockTriggers(runner, settlements, lockedElsewhere),
    lockLetters(runner, settlements, lockedElsewhere),
  ]);
  return { tasks, receipts, timers, outboxIds, deadLetterIds, lockedElsewhere, ...triggers };
}

async function lockTasks(
  runner: StatementRunner,
  settlements: readonly Settlement[],
  lockedElsewhere: Set<string>,
): Promise<Pick<LockedSettlements, 'tasks' | 'receipts'>> {
  const tasks = new Map<string, TaskForCompletion>();
  const receipts = new Map<string, Receipt[]>();
  const ids = unique(settlements.flatMap((settles) => (settles.kind === 'task' ? [settles.taskId] : [])));
  if (ids.length === 0) return { tasks, receipts };
  for (const task of await lockTasksForCompletion(runner, ids)) tasks.set(task.id, task);
  const missing = ids.filter((id) => !tasks.has(id));
  if (missing.length === 0) return { tasks, receipts };
  for (const id of await taskExists(runner, missing)) lockedElsewhere.add(id);
  for (const receipt of await findReceipts(runner, missing)) {
    receipts.set(receipt.taskId, [...(receipts.get(receipt.taskId) ?? []), receipt]);
  }
  return { tasks, receipts };
}

async function lockDueTimers(
  runner: StatementRunner,
  settlements: readonly Settlement[],
  lockedElsewhere: Set<string>,
): Promise<LockedSettlements['timers']> {
  const timers = new Map<string, number | null>();
  const keys = settlements.flatMap((settles) => (settles.kind === 'timer' ? [settles] : []));
  if (keys.length === 0) return timers;
  for (const timer of await lockTimers(runner, keys)) timers.set(timerText(timer), timer.partId);
  const missing = keys.filter((key) => !timers.has(timerText(key)));
  if (missing.length === 0) return timers;
  for (const key of await timersExist(runner, missing)) lockedElsewhere.add(timerText(key));
  return timers;
}

async function lockOutbox(
  runner: StatementRunner,
  settlements: readonly Settlement[],
  lockedElsewhere: Set<string>,
): Promise<ReadonlySet<string>> {
  const ids = unique(settlements.flatMap((settles) => (settles.kind === 'outbox' ? [settles.id] : [])));
  if (ids.length === 0) return new Set();
  const locked = new Set(await lockOutboxRows(runner, ids));
  const missing = ids.filter((id) => !locked.has(id));
  if (missing.length === 0) return locked;
  for (const id of await outboxRowsExist(runner, missing)) lockedElsewhere.add(id);
  return locked;
}

/** The state that `applyTurns` works on, filled step by step under the locks of one transaction. */
export interface BatchStateOptions {
  readonly loadModel: LoadModel;
  readonly liveDeployments: () => readonly LiveDeployment[];
  readonly largeValues: LargeValues;
  readonly costLimits: CostLimits;
}

export class BatchState implements LockedState {
  nowMs = 0;
  readonly instances = new Map<string, LockedInstance>();
  readonly snapshots = new Map<string, Snapshot>();
  /** By instance: the large values that its snapshot names. */
  readonly valueIds = new Map<string, ReadonlySet<string>>();
  readonly parts = new Map<string, PartsRead & { readonly parts: Map<number, StoredPart> }>();
  readonly records = new Map<string, RecordState>();
  readonly lockedElsewhere = new Set<string>();
  readonly aliasHolders = new Map<string, string[]>();
  readonly uniqueHolders = new Map<string, string | null>();
  readonly migrationTargets = new Set<string>();
  readonly recordedKeys = new Map<string, string>();
  readonly models = new Map<string, PackageModel>();
  readonly calls: CallTargets;
  readonly costLimits: CostLimits;
  readonly #runner: StatementRunner;
  readonly #loadModel: LoadModel;
  readonly #largeValues: LargeValues;
  readonly #seenInstances = new Set<string>();

  constructor(runner: StatementRunner, options: BatchStateOptions) {
    const { loadModel, liveDeployments, largeValues, costLimits } = options;
    this.#runner = runner;
    this.#largeValues = largeValues;
    this.#loadModel = loadModel;
    this.costLimits = costLimits;
    this.calls = new CallTargets(this.models, liveDeployments());
  }

  /** Also learns the transaction's time. `taskIds`: those of which a result may be recorded. */
  async readInbox(keys: readonly InboxKey[], taskIds: readonly string[]): Promise<void> {
    const { nowMs, rows } = await findInboxRows(this.#runner, keys, taskIds);
    this.nowMs = nowMs;
    for (const row of rows) this.recordedKeys.set(inboxText(row), row.instanceId);
  }

  /** Answers the ids of the instances that hold one of the values. */
  async readAliases(keys: readonly AliasKey[]): Promise<readonly string[]> {
    if (keys.length === 0) return [];
    const rows = await findInstancesByAlias(this.#runner, keys);
    for (const row of rows) {
      const text = aliasText(row);
      this.aliasHolders.set(text, [...(this.aliasHolders.get(text) ?? []), row.instanceId]);
    }
    return rows.map((row) => row.instanceId);
  }

  /** Answers whether anything was new to look up. */
  async lock(instanceIds: Iterable<string>): Promise<boolean> {
    const ids = unique([...instanceIds].filter((id) => !this.#seenInstances.has(id)));
    if (ids.length === 0) return false;
    for (const id of ids) this.#seenInstances.add(id);
    await this.#takeInstances(await lockInstances(this.#runner, ids));
    const missing = ids.filter((id) => !this.instances.has(id));
    if (missing.length > 0) {
      for (const id of await instancesExist(this.#runner, missing)) this.lockedElsewhere.add(id);
    }
    return true;
  }

  /** As `lock`, of the instances to which tasks belong. One that is locked elsewhere is not noted: `lock` finds it so. */
  async lockOfTasks(taskIds: readonly string[]): Promise<void> {
    if (taskIds.length === 0) return;
    const locked = await lockInstancesOfTasks(this.#runner, taskIds);
    for (const { id } of locked) this.#seenInstances.add(id);
    await this.#takeInstances(locked);
  }

  async #takeInstances(locked: readonly LockedInstance[]): Promise<void> {
    for (const instance of locked) this.instances.set(instance.id, instance);
    for (const [id, read] of await this.#largeValues.read(this.#runner, locked)) {
      this.snapshots.set(id, read.snapshot);
      this.valueIds.set(id, read.valueIds);
    }
    await this.loadModels(locked.map((instance) => instance.deploymentId));
    const snapshots = locked.flatMap(({ id }) => this.snapshots.get(id) ?? []);
    await this.loadModels(snapshots.flatMap(calledIn));
  }

  /** Parts of instances that are locked. Those that were asked for before are not read again. */
  async readParts(keys: readonly PartKey[]): Promise<void> {
    const wanted = new Map<string, PartKey>();
    for (const { instanceId, partId } of keys) {
      const known = this.parts.get(instanceId);
      if (known?.areAll === true || known?.parts.has(partId) === true) continue;
      if (this.instances.has(instanceId))
        wanted.set(`${instanceId}/${String(partId)}`, { instanceId, partId });
    }
    if (wanted.size === 0) return;
    await this.#takeParts(await readParts(this.#runner, [...wanted.values()]));
  }

  async #readAllParts(instanceIds: Iterable<string>): Promise<boolean> {
    const ids = [...instanceIds].filter((id) => this.parts.get(id)?.areAll !== true);
    if (ids.length === 0) return false;
    const rows = await readAllParts(this.#runner, ids);
    for (const id of ids) this.parts.set(id, { parts: new Map(), areAll: true });
    await this.#takeParts(rows);
    return true;
  }

  async #takeParts(rows: readonly PartRow[]): Promise<void> {
    const called = new Set<string>();
    for (const { instanceId, partId, data } of rows) {
      const part = decodePart(data);
      for (const deploymentId of calledDeployments(part.scopes)) called.add(deploymentId);
      const known = this.parts.get(instanceId) ?? { parts: new Map<number, StoredPart>(), areAll: false };
      known.parts.set(partId, { text: data, part });
      this.parts.set(instanceId, known);
    }
    await this.loadModels([...called]);
  }

  async #readRecords(requests: Iterable<RecordRequest>): Promise<boolean> {
    const wanted = [...requests];
    if (wanted.length === 0) return false;
    for (const record of await readRecords(this.#runner, wanted))
      this.records.set(recordText(record), record);
    return true;
  }

  /** Gets what turned out to be missing; false when nothing was. */
  async supply(needs: BatchNeeds): Promise<boolean> {
    const hasLocked = await this.lock(needs.instanceIds);
    const hasLooked = await this.readUnique(needs.uniqueKeys);
    const hasParts = await this.#readAllParts(needs.partsOf);
    const hasRecords = await this.#readRecords(needs.records.values());
    return hasLocked || hasLooked || hasParts || hasRecords;
  }

  async loadModels(deploymentIds: readonly string[]): Promise<void> {
    for (const id of unique(deploymentIds)) {
      if (this.models.has(id)) continue;
      const model = await this.#loadModel(id, this.#runner);
      if (model !== null) this.models.set(id, model);
    }
  }

  /** Deployments that instances are to be migrated to. */
  async readMigrationTargets(deploymentIds: readonly string[]): Promise<void> {
    if (deploymentIds.length === 0) return;
    for (const id of await findMigrationTargets(this.#runner, unique(deploymentIds))) {
      this.migrationTargets.add(id);
    }
    await this.loadModels([...this.migrationTargets]);
  }

  /** Answers whether anything was new to look up. */
  async readUnique(keys: ReadonlyMap<string, AliasKey>): Promise<boolean> {
    const unknown = [...keys].filter(([text]) => !this.uniqueHolders.has(text));
    if (unknown.length === 0) return false;
    for (const [text] of unknown) this.uniqueHolders.set(text, null);
    const holders = await findUniqueConflicts(
      this.#runner,
      unknown.map(([, key]) => key),
    );
    for (const holder of holders) this.uniqueHolders.set(aliasText(holder), holder.instanceId);
    return true;
  }
}

function unique(ids: readonly string[]): string[] {
  return [...new Set(ids)];
}
