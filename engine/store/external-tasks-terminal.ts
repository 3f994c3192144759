/**
 * What a statement that makes tasks terminal does beside: it raises an incident, or, where the author has bound it, tells
 * the instance.
 *
 * T1 Whether a task is terminal and whether that is known to somebody is one statement.
 * T2 A bound one (the call has a boundary error event for `SUTRA.EXTERNAL_TASK.TERMINAL`) raises no incident: a timer of the
 *    instance that is due at once lets it throw, and the turn withdraws the task.
 */

/**
 * Common table expressions, to stand behind others. @param name of one without a meaning of its own
 * @param rows a query of id, tenant, module, process_id, instance_id, element_id, policy, last_error and incident_id
 */
export function terminalTasks(name: string, rows: string): string {
  return `
${name}_terminal AS (${rows}
),
${name}_raised AS (
  INSERT INTO incident (id, kind, tenant, module, process_id, instance_id, element_id, subject_id, code, message)
  SELECT r.incident_id, 'task-terminal', r.tenant, r.module, r.process_id, r.instance_id, r.element_id, r.id,
    'SUTRA.EXTERNAL_TASK.TERMINAL', r.last_error
  FROM ${name}_terminal AS r
  WHERE r.policy ->> 'terminalWaitId' IS NULL
),
${name}_told AS (
  INSERT INTO timer (instance_id, wait_id, element_id, due_at, part_id)
  SELECT r.instance_id, (r.policy ->> 'terminalWaitId')::integer, r.element_id, now(),
    (r.policy ->> 'terminalPartId')::integer
  FROM ${name}_terminal AS r
  WHERE r.policy ->> 'terminalWaitId' IS NOT NULL
  ON CONFLICT (instance_id, wait_id) DO NOTHING
)`;
}
