/**
 * The priority of what is sent to a channel on which workers take tasks: `task: priority` of channels.yaml, evaluated
 * as the message is made, over its `payload` and `header` alone.
 *
 * P1 What gives no whole number of 32 bits fails the element, null included: a task that goes behind all others, or
 *    before them, because of a slip is not noticed by anybody.
 */
import { MAX_TASK_PRIORITY, MIN_TASK_PRIORITY, priorityFault } from '../../definitions/task-priority.ts';
import { ownProperty, type Context, type Value } from '../../definitions/value.ts';
import { ElementFailure } from './element-failure.ts';
import { evaluateOver } from './evaluate.ts';
import type { LiveToken } from './live-state.ts';
import type { Step } from './step.ts';
import type { ChannelDirectory } from './stimulus.ts';

/** @throws ElementFailure for whatever the expression cannot do, or a value that is no priority */
export function taskPriority(
  step: Step,
  { elementId }: LiveToken,
  channels: ChannelDirectory | undefined,
  { channel, body, headers }: { channel: string; body: Value; headers: Readonly<Record<string, string>> },
): number {
  const expression = channels?.taskPriorityOf?.(channel) ?? null;
  if (expression === null) return 0;
  const names: Context = { payload: body, header: headers };
  const value = evaluateOver(step, expression, (name) => ownProperty(names, name));
  const fault = priorityFault(value);
  if (typeof value === 'number' && fault === null) return value;
  throw new ElementFailure(
    'SUTRA.CORE.TASK_PRIORITY_INVALID',
    `the priority that channel ${channel} gives the task of ${elementId} ${fault ?? 'is none'}; it must be a whole number from ${MIN_TASK_PRIORITY} to ${MAX_TASK_PRIORITY} (expression: ${expression.text})`,
  );
}
