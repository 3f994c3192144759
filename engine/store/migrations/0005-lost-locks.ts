/**
 * How often in a row a task's lock ran out without an outcome.
 *
 * Shape: a counter that the claim itself raises, where it finds a lock that nobody gave back; a reported failure, a
 * release and a re-arming set it to zero. So a task that kills its workers turns terminal in the claim that would have
 * handed it out once more, and nothing has to sweep.
 *
 * Rejected: `generation` as the count: it counts failures that were reported too, which have a budget of their own.
 *
 * Locks: adds a column with a constant default, so `external_task` is locked for a moment and not rewritten.
 */
export const version = 5;
export const name = '0005-lost-locks';

export const sql = `
ALTER TABLE external_task ADD COLUMN lost_locks integer NOT NULL DEFAULT 0;
`;
