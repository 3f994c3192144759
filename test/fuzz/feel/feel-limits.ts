/** The processes in which FEEL is checked, and what an input may take there. */
import type { ChildOptions } from '../fuzz-child.ts';
import type { Limits } from '../try-input.ts';

export const FEEL_CHILD = {
  file: new URL('feel-child.ts', import.meta.url),
  heapMb: 384,
  stackKb: 492,
  limitMs: 1_000,
  maxRssBytes: 768 * 1_048_576,
} as const satisfies ChildOptions & Limits;
