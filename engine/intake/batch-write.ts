/**
 * Everything a batch writes: one statement a table, each only when there is something to write, always
 * in this order, so that commits that race for a key wait for each other and never deadlock.
 */
import type { PackageModel } from '../../definitions/package-model.ts';
import type { Snapshot } from '../core/snapshot.ts';
import { newId } from '../new-id.ts';
import { holdInstances, type Receipt } from '../store/external-tasks-settle.ts';
import { deleteValues, insertValues } from '../store/instance-values.ts';
import { deleteOutboxRows, insertOutboxRows, type OutboxRow } from '../store/outbox.ts';
import { deleteTimers, insertTimers, type TimerKey, type TimerRow } from '../store/timers.ts';
import { deleteAliases, insertAliases } from '../store/turn-aliases.ts';
import { recordReplies, type InboxKey, type StoredReply } from '../store/turn-inbox.ts';
import { deleteInstances } from '../store/turn-instances.ts';
import {
  insertHistoryEnds,
  raiseInstanceIncidents,
  resolveInstanceIncidents,
} from '../store/turn-journal.ts';
import { writeTurns, type HistoryRow, type InstanceWrite, type TurnWrites } from '../store/turn-writes.ts';
import { withdrawDeliveries, withdrawInstances } from '../store/withdrawals.ts';
import type { Transaction } from '../store/database.ts';
import type { Parking, StatementRunner } from '../transport.ts';
import { inboxText, type Applied } from './batch-apply.ts';
import { timerText } from './batch-read.ts';
import { writeLetters, type LetterCounts } from './dead-letter-settlements.ts';
import type { InstanceWork } from './instance-work.ts';
import { journalText } from './journal-text.ts';
import type { LargeValues, WrittenSnapshot } from './large-values.ts';
import { writeMigrations } from './migration-writes.ts';
import type { OutboxRowOf } from './outbox-row.ts';
import { park, sentRows, type DirectSinks } from './outgoing.ts';
import { writeCalls, writeDataRecords, writeParts } from './side-table-writes.ts';
import type { SettledTriggers } from './trigger-settlements.ts';
import { writeTriggers } from './trigger-writes.ts';
import { expectCount } from './write-conflict.ts';

export interface SettledRows {
  readonly taskIds: readonly string[];
  readonly receipts: readonly Receipt[];
  readonly timers: readonly TimerKey[];
  readonly outboxIds: readonly string[];
  readonly deadLetterIds: readonly string[];
  readonly triggers: SettledTriggers;
  readonly inbox: readonly (InboxKey & { readonly instanceId: string })[];
}

export interface WriteOptions {
  readonly models: ReadonlyMap<string, PackageModel>;
  readonly outboxRowOf: OutboxRowOf;
  readonly sinks: DirectSinks;
  /** Gets what is parked: whoever runs the transaction says how it ended. */
  readonly parkings: Parking[];
  /** Ended instances are not kept: `sutra.instance.retention` is zero. */
  readonly dropsEnded: boolean;
  /** But their history is: `sutra.history.retention` is not zero. */
  readonly keepsHistory: boolean;
  /** The largest payload in the history. */
  readonly maxAuditBytes: number;
  readonly largeValues: LargeValues;
  /** By instance: the large values that its snapshot named when it was read. */
  readonly valueIds: ReadonlyMap<string, ReadonlySet<string>>;
  /** `sutra.dead-letter.max-count`. */
  readonly maxDeadLetters: number;
}

/** What the parts that wait for commits must be told. */
export interface Written {
  readonly transports: ReadonlySet<string>;
  readonly earliestTimerMs: number | null;
  /** Signals are on their way to others. */
  readonly hasSignals: boolean;
  /** Tasks that went to another deployment and can be fetched there, per channel. */
  readonly fetchable: ReadonlyMap<string, number>;
  /** Starts that were given up. */
  readonly letters: LetterCounts;
}

/**
 * Sends all statements one behind the other, and COMMIT behind them, without waiting for answers in between: to the
 * database it is one round trip. They are executed in the order in which they are sent. Where an answer decides how to go
 * on, COMMIT waits for the answers.
 */
export async function writeBatch(
  transaction: Transaction,
  applied: Applied,
  settled: SettledRows,
  options: WriteOptions,
): Promise<Written> {
  const changed = [...applied.works.values()].filter((work) => work.hasChanged);
  const sent = sentRows(changed, options);
  const timers = timersOf(changed, settled);
  const main = writeMain(transaction, changed, settled, options);
  const parts = writeParts(transaction, changed);
  const calls = writeCalls(transaction, changed, options.models);
  const aliases = writeAliases(transaction, changed, options.models);
  const records = writeDataRecords(transaction, applied.recordWrites);
  const others = [
    ...park(transaction, changed, sent.direct, options.parkings),
    ...writeDeliveries(transaction, sent.outbox, settled),
  ];
  const withdrawals = writeWithdrawals(transaction, changed);
  const held = [...writeTimers(transaction, timers), ...writeIncidents(transaction, changed)];
  const migrations = writeMigrations(transaction, changed, options.models);
  const triggers = writeTriggers(transaction, changed, settled.triggers);
  const { deadLetterIds, triggers: settledTriggers } = settled;
  const letters = writeLetters(transaction, deadLetterIds, settledTriggers.letters, options.maxDeadLetters);
  const awaited = [parts, aliases, records, withdrawals, triggers.writes, letters.writes].flat();
  if (awaited.length === 0) transaction.commitBehind();
  await allAnswered([...main, ...calls, ...others, ...held, ...migrations.writes, ...awaited]);
  return {
    transports: new Set(sent.outbox.map((row) => row.transport)),
    earliestTimerMs:
      timers.inserts.length === 0 ? null : Math.min(...timers.inserts.map((timer) => timer.dueAtMs)),
    hasSignals: await triggers.hasSignals,
    fetchable: await migrations.fetchable,
    letters: await letters.counts,
  };
}

/**
 * Waits for every answer before it throws: the transaction must not be settled under statements that are
 * on their way. Of several failures the first that is a cause and not a consequence.
 */
async function allAnswered(writes: readonly Promise<unknown>[]): Promise<void> {
  const answers = await Promise.allSettled(writes);
  const failures = answers.flatMap((answer) =>
    answer.status === 'rejected' ? [answer.reason as unknown] : [],
  );
  if (failures.length > 0) throw failures.find((failure) => !isAborted(failure)) ?? failures[0];
}

/** SQLSTATE 25P02: refused because a statement before it had failed. */
function isAborted(failure: unknown): boolean {
  return failure instanceof Error && 'code' in failure && failure.code === '25P02';
}

/** Rows of instances, inbox, receipts and history, and the tasks that go: one statement. */
function writeMain(
  runner: StatementRunner,
  works: readonly InstanceWork[],
  settled: SettledRows,
  options: WriteOptions,
): Promise<unknown>[] {
  const { dropsEnded, keepsHistory, largeValues, valueIds } = options;
  const kept = works
    .filter((work) => !(dropsEnded && work.hasEnded))
    .map((work) => {
      const written = largeValues.write(snapshotOf(work), valueIds.get(work.origin.id));
      return { isNew: work.isNew, written, write: instanceWriteOf(work, written) };
    });
  const replies = repliesByKey(works);
  const rows: TurnWrites = {
    inserts: kept.filter(({ isNew }) => isNew).map(({ write }) => write),
    updates: kept.filter(({ isNew }) => !isNew).map(({ write }) => write),
    inbox: settled.inbox.map((row) => ({ ...row, reply: takeReply(replies, row) })),
    taskIds: settled.taskIds,
    receipts: settled.receipts,
    history: historyOf(works, options),
  };
  const drops = works
    .filter((work) => dropsEnded && work.hasEnded && !work.isNew)
    .map((work) => work.origin.id);
  const newValues = kept.flatMap(({ written }) => written.inserts);
  const oldValues = kept.flatMap(({ written }) => written.deletes);
  const gone = dropsEnded && keepsHistory ? works.filter((work) => work.hasEnded) : [];
  const writes: Promise<unknown>[] = [];
  if (Object.values(rows).some(({ length }: readonly unknown[]) => length > 0)) {
    writes.push(writeTurns(runner, rows));
  }
  if (drops.length > 0) writes.push(deleteInstances(runner, drops, keepsHistory));
  if (newValues.length > 0) writes.push(insertValues(runner, newValues));
  if (oldValues.length > 0) writes.push(deleteValues(runner, oldValues));
  if (replies.size > 0) writes.push(recordReplies(runner, [...replies.values()]));
  if (gone.length > 0) {
    const goneIds = gone.map((work) => work.origin.id);
    writes.push(insertHistoryEnds(runner, goneIds));
  }
  return writes;
}

function historyOf(
  works: readonly InstanceWork[],
  { dropsEnded, keepsHistory, maxAuditBytes }: WriteOptions,
): HistoryRow[] {
  return works
    .filter((work) => !(dropsEnded && work.hasEnded) || keepsHistory)
    .flatMap((work) =>
      work.journal.map(({ turn, entries }) => ({
        instanceId: work.origin.id,
        turn,
        entries: journalText(entries, maxAuditBytes),
      })),
    );
}

function snapshotOf({ snapshot, origin }: InstanceWork): Snapshot {
  if (snapshot === null) throw new Error(`instance ${origin.id} has changed but has no snapshot`);
  return snapshot;
}

function instanceWriteOf(work: InstanceWork, { text }: WrittenSnapshot): InstanceWrite {
  const { status, failure: recorded } = snapshotOf(work);
  const failure = status === 'failed' ? recorded : null;
  return {
    ...work.origin,
    status,
    snapshot: text,
    turn: work.turn,
    readTurn: work.readTurn,
    failureCode: failure?.code ?? null,
    failureMessage: failure?.message ?? null,
    failureElement: failure?.elementId ?? null,
    reply: work.reply,
  };
}

/** Final replies of this batch by the key of the message that started their instance. */
function repliesByKey(
  works: readonly InstanceWork[],
): Map<string, InboxKey & { readonly reply: StoredReply }> {
  const replies = new Map<string, InboxKey & { readonly reply: StoredReply }>();
  for (const work of works) {
    const address = work.snapshot?.replyTo;
    if (work.reply === null || address === null || address === undefined || address.dedupKey === null)
      continue;
    const { tenant, module } = work.origin;
    const key = { tenant, module, channel: address.channel, dedupKey: address.dedupKey };
    replies.set(inboxText(key), { ...key, reply: work.reply });
  }
  return replies;
}

function takeReply(
  replies: Map<string, InboxKey & { readonly reply: StoredReply }>,
  key: InboxKey,
): StoredReply | null {
  const text = inboxText(key);
  const found = replies.get(text);
  replies.delete(text);
  return found?.reply ?? null;
}

function writeAliases(
  runner: StatementRunner,
  works: readonly InstanceWork[],
  models: ReadonlyMap<string, PackageModel>,
): Promise<unknown>[] {
  const rows = works
    .filter((work) => !work.hasEnded)
    .flatMap((work) =>
      work.aliases.map(({ deploymentId, name, value, isUnique }) => {
        const identity = models.get(deploymentId)?.identity;
        if (identity === undefined) throw new Error(`deployment ${deploymentId} is not loaded`);
        const { tenant, module } = identity;
        return { tenant, module, name, value, isUnique, instanceId: work.origin.id };
      }),
    );
  const ended = works
    .filter((work) => work.hasEnded && (work.readSnapshot?.aliases.length ?? 0) > 0)
    .map((work) => work.origin.id);
  const writes: Promise<unknown>[] = [];
  if (rows.length > 0) {
    const uniqueCount = rows.filter((row) => row.isUnique).length;
    const conflict = 'another commit registered one of the unique alias values';
    writes.push(expectCount(insertAliases(runner, rows), uniqueCount, conflict));
  }
  if (ended.length > 0) writes.push(deleteAliases(runner, ended));
  return writes;
}

function writeDeliveries(
  runner: StatementRunner,
  rows: readonly OutboxRow[],
  { outboxIds }: SettledRows,
): Promise<unknown>[] {
  const writes: Promise<unknown>[] = [];
  if (rows.length > 0) writes.push(insertOutboxRows(runner, rows));
  if (outboxIds.length > 0) writes.push(deleteOutboxRows(runner, outboxIds));
  return writes;
}

/** Asks again for what was withdrawn, so COMMIT waits for it. */
function writeWithdrawals(runner: StatementRunner, works: readonly InstanceWork[]): Promise<unknown>[] {
  const cancelledIds = works.filter((work) => work.isCancelled).map((work) => work.origin.id);
  const withdrawn = works.flatMap((work) =>
    work.isCancelled
      ? []
      : work.withdrawnKeys.map((idempotencyKey) => ({ instanceId: work.origin.id, idempotencyKey })),
  );
  const writes: Promise<unknown>[] = [];
  if (withdrawn.length > 0) writes.push(withdrawDeliveries(runner, withdrawn));
  if (cancelledIds.length > 0) writes.push(withdrawInstances(runner, cancelledIds));
  return writes;
}

interface TimerWrites {
  readonly inserts: readonly TimerRow[];
  readonly deletes: readonly TimerKey[];
}

function timersOf(works: readonly InstanceWork[], settled: SettledRows): TimerWrites {
  const inserts: TimerRow[] = [];
  const deletes = new Map<string, TimerKey>();
  const remove = ({ instanceId, waitId }: TimerKey): void => {
    deletes.set(timerText({ instanceId, waitId }), { instanceId, waitId });
  };
  for (const key of settled.timers) remove(key);
  for (const work of works) {
    for (const waitId of work.timersCleared) remove({ instanceId: work.origin.id, waitId });
    if (work.hasEnded) continue;
    for (const [waitId, timer] of work.timersSet)
      inserts.push({ instanceId: work.origin.id, waitId, ...timer });
  }
  return { inserts, deletes: [...deletes.values()] };
}

function writeTimers(runner: StatementRunner, { inserts, deletes }: TimerWrites): Promise<unknown>[] {
  const writes: Promise<unknown>[] = [];
  if (deletes.length > 0) writes.push(deleteTimers(runner, deletes));
  if (inserts.length > 0) writes.push(insertTimers(runner, inserts));
  return writes;
}

/** After the timers and the deliveries: what a failed instance has of them is held. */
function writeIncidents(runner: StatementRunner, works: readonly InstanceWork[]): Promise<unknown>[] {
  const failed = works.filter(
    (work) => work.snapshot?.status === 'failed' && work.readSnapshot?.status !== 'failed',
  );
  const repaired = works
    .filter((work) => work.snapshot?.status !== 'failed' && work.readSnapshot?.status === 'failed')
    .map((work) => work.origin.id);
  const writes: Promise<unknown>[] = [];
  if (failed.length > 0) writes.push(raiseInstanceIncidents(runner, failed.map(incidentOf)));
  // One that had failed before and stays so may have timers that were set just now.
  const heldIds = works
    .filter(
      (work) => work.snapshot?.status === 'failed' && (failed.includes(work) || work.timersSet.size > 0),
    )
    .map((work) => work.origin.id);
  if (heldIds.length > 0) writes.push(holdInstances(runner, heldIds, true));
  if (repaired.length > 0) {
    writes.push(resolveInstanceIncidents(runner, repaired), holdInstances(runner, repaired, false));
  }
  return writes;
}

function incidentOf(work: InstanceWork): Parameters<typeof raiseInstanceIncidents>[1][number] {
  const failure = work.snapshot?.failure;
  return {
    id: newId(),
    tenant: work.origin.tenant,
    module: work.origin.module,
    processId: work.origin.processId,
    instanceId: work.origin.id,
    elementId: failure?.elementId ?? '',
    code: failure?.code ?? 'SUTRA.INTAKE.TURN_FAILED',
    message: failure?.message ?? '',
  };
}
