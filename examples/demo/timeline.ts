/** Turns an instance's history into lines that a person reads from top to bottom. */

export interface HistoryEntry {
  readonly at: string;
  readonly event: string;
  readonly elementId: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

type Describe = (entry: HistoryEntry) => string | null;

const text = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** Events that the timeline shows; the others (an element entered, a task completed) repeat these. */
const descriptions: Readonly<Record<string, Describe>> = {
  messageReceived: ({ detail }) =>
    detail['key'] === undefined || detail['key'] === null
      ? `message in on channel ${text(detail['channel'])}`
      : null,
  sent: ({ detail, elementId }) =>
    `request for ${text(elementId)} written to the outbox (channel ${text(detail['channel'])})`,
  taskParked: () => 'parked as a task for workers',
  taskLocked: ({ detail }) =>
    `locked by worker ${text(detail['workerId'])}, attempt ${text(detail['attempts'])}`,
  taskCompleted: ({ detail }) => `completed by worker ${text(detail['workerId'])}`,
  flowTaken: ({ detail, elementId }) => `gateway ${text(elementId)} took ${text(detail['flowId'])}`,
  timerFired: ({ elementId }) => `timer ${text(elementId)} fired`,
  ended: ({ detail }) => `instance ${text(detail['status'])}`,
  failed: ({ elementId, detail }) => `FAILED at ${text(elementId)}: ${text(detail['code'])}`,
};

/** One line an event: milliseconds since the start, then what happened. */
export function formatTimeline(entries: readonly HistoryEntry[]): string[] {
  const startMs = Date.parse(entries[0]?.at ?? '');
  const lines: string[] = [];
  let reached: string | null = null;
  for (const entry of [...entries].sort((left, right) => order(left) - order(right))) {
    if (entry.event === 'entered') reached = entry.elementId;
    let line = descriptions[entry.event]?.(entry) ?? null;
    if (line === null) continue;
    if (entry.event === 'ended' && reached !== null) line += ` at end event ${reached}`;
    const sinceStart = `${String(Date.parse(entry.at) - startMs)} ms`;
    lines.push(`${sinceStart.padStart(9)}  ${line}`);
  }
  return lines;
}

function order(entry: HistoryEntry): number {
  return Date.parse(entry.at);
}
