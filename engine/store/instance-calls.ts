/**
 * Which live instances have run processes of other deployments. A deployment stays as long as one of them
 * lives: `deployments.ts` asks.
 */
import type { StatementRunner } from '../transport.ts';

export interface InstanceCall {
  readonly instanceId: string;
  /** The deployment whose process is called. */
  readonly deploymentId: string;
}

/** Only the commit that holds an instance's row writes its calls, so a conflict is with a row of its own. */
export const INSERT_CALLS = {
  name: 'insert_calls',
  text: `
INSERT INTO instance_call (deployment_id, instance_id)
SELECT c.deployment_id, c.instance_id
FROM unnest($1::text[], $2::uuid[]) AS c (deployment_id, instance_id)
ON CONFLICT DO NOTHING`,
};

export async function insertCalls(runner: StatementRunner, calls: readonly InstanceCall[]): Promise<void> {
  await runner.run(INSERT_CALLS, [
    calls.map((call) => call.deploymentId),
    calls.map((call) => call.instanceId),
  ]);
}

/** Uses `instance_call_instance`. */
export const DELETE_CALLS = {
  name: 'delete_calls',
  text: `
DELETE FROM instance_call
WHERE instance_id = ANY($1::uuid[])`,
};

/** Of instances that have ended, or that call nothing any more. */
export async function deleteCalls(runner: StatementRunner, instanceIds: readonly string[]): Promise<void> {
  await runner.run(DELETE_CALLS, [instanceIds]);
}
