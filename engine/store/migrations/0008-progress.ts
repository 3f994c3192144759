/**
 * What a worker says of the task it is at, and which channels have terminal tasks.
 *
 * Shape: two columns of the task's own row, which no index holds: a note is a heap-only update, whatever else is locked.
 * `text`, not `jsonb`: it is what the worker wrote, with all digits, and may hold `\u0000`. `external_task_terminal` has
 * rows only for tasks that spent their budget, so no other statement pays for it. Its predicate is `failed_at`, which they
 * all have, and not their state: statements that ask for terminal tasks by id must not take it for a way to them.
 *
 * Rejected: a table of notes (a note is worth nothing once its lock has ended, and would have to be swept).
 *
 * Locks: adds columns without a default, so `external_task` is locked for a moment and not rewritten; the CHECK is not
 * made for the rows that are there, which have none of the two. The index reads the table once, while nothing is written.
 */
export const version = 8;
export const name = '0008-progress';

export const sql = `
ALTER TABLE external_task ADD COLUMN progress text, ADD COLUMN progress_at timestamptz;
ALTER TABLE external_task ADD CONSTRAINT external_task_progress
  CHECK ((progress IS NULL) = (progress_at IS NULL)) NOT VALID;
-- COUNT_TERMINAL_TASKS.
CREATE INDEX external_task_terminal ON external_task (channel) WHERE failed_at IS NOT NULL;
`;
