/** The processes in which FEEL is checked, and what an input may take there. */
import type { ChildOptions } from '../fuzz-child.ts';
import type { Limits } from '../try-input.ts';

/** Argument of the child's program: inputs are the same on every machine, and evaluations may do less. */
export const SHORT = 'short';

export const FEEL_CHILD = {
  file: new URL('feel-child.ts', import.meta.url),
  heapMb: 384,
  /** Half of what there is: an expression has no more of it inside of a turn (compile/evaluation.ts). */
  stackKb: 492,
  limitMs: 3_000,
  maxRssBytes: 768 * 1_048_576,
} as const satisfies ChildOptions & Limits;
