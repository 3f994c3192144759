/** What the priority of a task may be: a whole number of 32 bits, as the column that holds it. */
import { isFeelNumber } from './feel/number.ts';
import { kindOf } from './feel/value-kind.ts';
import type { Value } from './value.ts';

export const MIN_TASK_PRIORITY = -2_147_483_648;
export const MAX_TASK_PRIORITY = 2_147_483_647;

/** The priority of tasks whose elements say it in a file of another engine, by the header that it becomes; FEEL. */
export const PRIORITY_OF_HEADER = 'if header.priority = null then 0 else number(header.priority, null, null)';

/** What is wrong with the value, to stand behind what it is the value of; null: nothing. Never shows the value. */
export function priorityFault(value: Value): string | null {
  if (!isFeelNumber(value)) return `is ${value === null ? 'null' : `a ${kindOf(value)}`}`;
  if (typeof value !== 'number') return 'is a number that is not whole, or out of range';
  if (!Number.isInteger(value)) return 'is a number that is not whole';
  return value < MIN_TASK_PRIORITY || value > MAX_TASK_PRIORITY ? 'is a number out of range' : null;
}
