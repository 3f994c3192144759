/**
 * An instance's history as one line of facts in time order: the journal's turns, and between them what the tables of
 * tasks and incidents know of parking, locking and giving up, which no turn wrote.
 *
 * T1 A fact that no turn wrote is on the page between whose turns it happened, and on no other.
 */
import { defaultJsonLimits, parseExactJsonText } from '../definitions/exact-json.ts';
import { MAX_VALUE_DEPTH } from '../definitions/value.ts';
import type { HistoryTurnRow, InstanceIncidentRow } from '../engine/store/operate-instances.ts';
import type { TaskSummary } from '../engine/store/operate-tasks.ts';

export interface TimelineEntry {
  readonly at: Date;
  /** The turn whose commit wrote it; null: a fact of a task or a delivery. */
  readonly turn: number | null;
  readonly event: string;
  readonly elementId: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface TimelinePage {
  /** In order. */
  readonly turns: readonly HistoryTurnRow[];
  readonly openTasks: readonly TaskSummary[];
  readonly incidents: readonly InstanceIncidentRow[];
  /** In milliseconds; facts that no turn wrote are those after this and not after `until`. */
  readonly after: number;
  readonly until: number;
}

/** An error message is a line or two; more is in the task or the incident while it is there. */
const MAX_ERROR_CHARACTERS = 500;

/** What a turn says of a task that its worker has ended. */
const ENDED_TASK: ReadonlySet<string> = new Set(['taskCompleted', 'taskBpmnError']);

/** Of an entry around an audited value. */
const MAX_ENTRY_DEPTH = 2 * MAX_VALUE_DEPTH;

/** Oldest first. */
export function timelineOf({ turns, openTasks, incidents, after, until }: TimelinePage): TimelineEntry[] {
  const open = new Set(
    incidents.filter(({ resolvedAt }) => resolvedAt === null).map((each) => each.subjectId),
  );
  const facts = [
    ...openTasks.flatMap((task) => openTaskEntries(task, open.has(task.id))),
    ...incidents.flatMap(incidentEntries),
  ].filter(({ at }) => at.getTime() > after && at.getTime() <= until);
  // Stable: the entries of one turn have one instant and keep their order.
  return [...turns.flatMap(entriesOf), ...facts].sort(
    (left, right) => left.at.getTime() - right.at.getTime(),
  );
}

/** What one turn wrote, with what it knows of the task that it completed. */
export function entriesOf(row: HistoryTurnRow): TimelineEntry[] {
  const parsed = parseExactJsonText(row.entries, { ...defaultJsonLimits, maxDepth: MAX_ENTRY_DEPTH });
  const entries: readonly unknown[] = parsed.ok && Array.isArray(parsed.value) ? parsed.value : [];
  return entries.filter(isJournalEntry).flatMap((entry) => {
    const own: TimelineEntry = { at: row.at, turn: row.turn, ...entry };
    return ENDED_TASK.has(entry.event) ? [...finishedTaskEntries(entry), own] : [own];
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
  if (parked !== null) entries.push(factEntry('taskParked', parked, elementId, { taskId, channel }));
  if (locked !== null) {
    entries.push(factEntry('taskLocked', locked, elementId, { taskId, channel, workerId, attempts }));
  }
  return entries;
}

/** @param hasIncident which says that it has failed for good, and why */
function openTaskEntries(task: TaskSummary, hasIncident: boolean): TimelineEntry[] {
  const { id: taskId, channel, attempts, lockedAt, failedAt, lastError } = task;
  const facts: { event: string; at: Date; detail: Record<string, unknown> }[] = [];
  facts.push({ event: 'taskParked', at: task.createdAt, detail: {} });
  if (lockedAt !== null) {
    const { lockOwner: workerId, lockExpiresAt } = task;
    facts.push({ event: 'taskLocked', at: lockedAt, detail: { workerId, attempts, lockExpiresAt } });
  }
  if (failedAt !== null && !hasIncident) {
    facts.push({ event: 'taskFailed', at: failedAt, detail: { attempts } });
  }
  // When an attempt failed that was not the last one is not kept: the latest fact tells of it.
  const error = lastError === null || hasIncident ? {} : { lastError: cut(lastError) };
  return facts.map(({ event, at, detail }, index) => {
    const last = index === facts.length - 1 ? error : {};
    return factEntry(event, at, task.elementId, { taskId, channel, ...detail, ...last });
  });
}

/** What an operator did about it, or a turn that had no more use for it, is not kept: only that it is over. */
function incidentEntries(incident: InstanceIncidentRow): TimelineEntry[] {
  const { kind, elementId, subjectId, code, message, createdAt, resolvedAt } = incident;
  const isTask = kind === 'task-terminal';
  const subject = isTask ? { taskId: subjectId } : { deliveryId: subjectId };
  const failed = factEntry(isTask ? 'taskFailed' : 'deliveryPoisoned', createdAt, elementId, {
    ...subject,
    code,
    lastError: cut(message),
  });
  return resolvedAt === null
    ? [failed]
    : [failed, factEntry('incidentResolved', resolvedAt, elementId, { kind, ...subject })];
}

function cut(text: string): string {
  return text.slice(0, MAX_ERROR_CHARACTERS);
}

function factEntry(
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
