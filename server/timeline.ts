/**
 * An instance's history as one line of facts in time order: the journal's turns, and between them what the
 * task table knows of parking and locking, which no turn wrote.
 */
import type { HistoryTurnRow } from '../engine/store/operate-instances.ts';
import type { TaskSummary } from '../engine/store/operate-tasks.ts';

export interface TimelineEntry {
  readonly at: Date;
  /** The turn whose commit wrote it; null: a fact of an external task. */
  readonly turn: number | null;
  readonly event: string;
  readonly elementId: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

export function timelineOf(
  turns: readonly HistoryTurnRow[],
  openTasks: readonly TaskSummary[],
): TimelineEntry[] {
  const entries = [...turns.flatMap(turnEntries), ...openTasks.flatMap(openTaskEntries)];
  // Stable: the entries of one turn have one instant and keep their order.
  return entries.sort((left, right) => left.at.getTime() - right.at.getTime());
}

function turnEntries(row: HistoryTurnRow): TimelineEntry[] {
  if (!Array.isArray(row.entries)) return [];
  return row.entries.filter(isJournalEntry).flatMap((entry) => {
    const own: TimelineEntry = { at: row.at, turn: row.turn, ...entry };
    return entry.event === 'taskCompleted' ? [...finishedTaskEntries(entry), own] : [own];
  });
}

interface JournalEntry {
  readonly event: string;
  readonly elementId: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

function isJournalEntry(entry: unknown): entry is JournalEntry {
  return (
    typeof entry === 'object' &&
    entry !== null &&
    'event' in entry &&
    typeof entry.event === 'string' &&
    'elementId' in entry &&
    (entry.elementId === null || typeof entry.elementId === 'string') &&
    'detail' in entry &&
    typeof entry.detail === 'object' &&
    entry.detail !== null
  );
}

/** The completion kept when its task was parked and last locked: the row itself is gone. */
function finishedTaskEntries({ elementId, detail }: JournalEntry): TimelineEntry[] {
  const { taskId, channel, workerId, attempts, parkedAt, lockedAt } = detail;
  const parked = instantOf(parkedAt);
  const locked = instantOf(lockedAt);
  const entries: TimelineEntry[] = [];
  if (parked !== null) entries.push(taskEntry('taskParked', parked, elementId, { taskId, channel }));
  if (locked !== null) {
    entries.push(taskEntry('taskLocked', locked, elementId, { taskId, channel, workerId, attempts }));
  }
  return entries;
}

function openTaskEntries(task: TaskSummary): TimelineEntry[] {
  const { id: taskId, channel, elementId, attempts } = task;
  const entries = [taskEntry('taskParked', task.createdAt, elementId, { taskId, channel })];
  if (task.lockedAt !== null) {
    const detail = { taskId, channel, workerId: task.lockOwner, attempts, lockExpiresAt: task.lockExpiresAt };
    entries.push(taskEntry('taskLocked', task.lockedAt, elementId, detail));
  }
  if (task.failedAt !== null) {
    entries.push(taskEntry('taskFailed', task.failedAt, elementId, { taskId, channel, attempts }));
  }
  return entries;
}

function taskEntry(
  event: string,
  at: Date,
  elementId: string | null,
  detail: Readonly<Record<string, unknown>>,
): TimelineEntry {
  return { at, turn: null, event, elementId, detail };
}

function instantOf(value: unknown): Date | null {
  if (typeof value !== 'string') return null;
  const at = new Date(value);
  return Number.isNaN(at.getTime()) ? null : at;
}
