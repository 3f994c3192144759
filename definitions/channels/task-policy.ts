/**
 * `task:` of a pull channel: what holds for its parked tasks. A value over the operator's ceiling refuses
 * the deployment; nothing is lowered silently.
 */
import { formatDuration, parseDuration } from '../../config/iso8601.ts';
import { quoteText } from '../../config/quote-text.ts';
import type { CompiledExpression } from '../feel.ts';
import { constantOf } from '../lint-checks/constant-values.ts';
import type { TaskPolicy } from '../package-model.ts';
import { MAX_TASK_PRIORITY, MIN_TASK_PRIORITY, priorityFault } from '../task-priority.ts';
import type { YamlEntry } from '../yaml-reader.ts';

/** The operator's ceilings, from the settings `sutra.external-task.max-*`. */
export interface TaskCeilings {
  readonly maxLockDurationMs: number;
  readonly maxRetries: number;
  readonly maxRetryTimeoutMs: number;
}

const taskKeys = ['lock-duration', 'retries', 'retry-timeout', 'priority'] as const;
/** The largest failure budget that the operator's own key takes. */
const MAX_RETRIES = 1_000_000;

/** Null when there is none, or when it is no mapping, which is noted. */
export function readTaskPolicy(channel: YamlEntry, ceilings: TaskCeilings | null): TaskPolicy | null {
  const entry = channel.entry('task', 'task');
  if (entry === undefined) return null;
  entry.refuseUnknownKeys(taskKeys);
  return {
    lockDurationMs: readDuration(entry, 'lock-duration', 1, ceilings?.maxLockDurationMs),
    retries: readRetries(entry, ceilings?.maxRetries),
    retryTimeoutMs: readDuration(entry, 'retry-timeout', 0, ceilings?.maxRetryTimeoutMs),
    priority: readPriority(entry),
  };
}

function readDuration(
  entry: YamlEntry,
  key: 'lock-duration' | 'retry-timeout',
  minMs: number,
  ceilingMs: number | undefined,
): number | null {
  const text = entry.text(key);
  if (text === undefined) return null;
  const result = parseDuration(text);
  if (!result.ok) {
    entry.error('SUTRA.CHANNELS.VALUE_INVALID', `${key} of task: ${result.message}`, key);
    return null;
  }
  if (result.ms < minMs) {
    entry.error(
      'SUTRA.CHANNELS.VALUE_INVALID',
      `${key} of task is ${quoteText(text)}; it must be longer than PT0S`,
      key,
    );
    return null;
  }
  if (ceilingMs !== undefined && result.ms > ceilingMs) {
    const message = `${key} of task is ${text}; the operator's ceiling is ${formatDuration(ceilingMs)}`;
    entry.error('SUTRA.CHANNELS.CEILING_EXCEEDED', message, key);
    return null;
  }
  return result.ms;
}

/**
 * One that is the same for every task is known to be wrong now; any other fails the element that sends. What comes to null
 * without saying `null` has a fault within, whose place the check of expressions tells.
 */
function readPriority(entry: YamlEntry): CompiledExpression | null {
  const expression = entry.expression('priority') ?? null;
  const value = expression === null ? undefined : constantOf(expression);
  const isNullWithin = value === null && expression?.tree.kind !== 'null';
  const fault = value === undefined || isNullWithin ? null : priorityFault(value);
  if (fault === null) return expression;
  const message = `priority of task ${fault}; it must be a whole number from ${MIN_TASK_PRIORITY} to ${MAX_TASK_PRIORITY}`;
  entry.error('SUTRA.CHANNELS.VALUE_INVALID', message, 'priority');
  return null;
}

function readRetries(entry: YamlEntry, ceiling: number | undefined): number | null {
  const retries = entry.integer('retries', 1, MAX_RETRIES);
  if (retries === undefined) return null;
  if (ceiling !== undefined && retries > ceiling) {
    const message = `retries of task is ${retries}; the operator's ceiling is ${ceiling}`;
    entry.error('SUTRA.CHANNELS.CEILING_EXCEEDED', message, 'retries');
    return null;
  }
  return retries;
}
