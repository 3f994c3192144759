/** What a turn's commit writes for people beside its row of the history: incidents. */
import type { StatementRunner } from '../transport.ts';

/** Of instances that end now and leave no row: from when the retention of their history counts. */
export const INSERT_HISTORY_ENDS = {
  name: 'insert_history_ends',
  text: `
INSERT INTO history_end (instance_id, ended_at)
SELECT e.instance_id, now()
FROM unnest($1::uuid[]) AS e (instance_id)`,
};

export async function insertHistoryEnds(
  runner: StatementRunner,
  instanceIds: readonly string[],
): Promise<void> {
  await runner.run(INSERT_HISTORY_ENDS, [instanceIds]);
}

export interface InstanceIncident {
  readonly id: string;
  readonly tenant: string;
  readonly module: string;
  readonly processId: string;
  readonly instanceId: string;
  readonly elementId: string;
  readonly code: string;
  readonly message: string;
}

export const RAISE_INSTANCE_INCIDENTS = {
  name: 'raise_instance_incidents',
  text: `
INSERT INTO incident (id, kind, tenant, module, process_id, instance_id, element_id, code, message)
SELECT i.id, 'instance-failed', i.tenant, i.module, i.process_id, i.instance_id, i.element_id, i.code, i.message
FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::uuid[], $6::text[], $7::text[], $8::text[])
  AS i (id, tenant, module, process_id, instance_id, element_id, code, message)`,
};

export async function raiseInstanceIncidents(
  runner: StatementRunner,
  incidents: readonly InstanceIncident[],
): Promise<void> {
  await runner.run(RAISE_INSTANCE_INCIDENTS, [
    incidents.map((incident) => incident.id),
    incidents.map((incident) => incident.tenant),
    incidents.map((incident) => incident.module),
    incidents.map((incident) => incident.processId),
    incidents.map((incident) => incident.instanceId),
    incidents.map((incident) => incident.elementId),
    incidents.map((incident) => incident.code),
    incidents.map((incident) => incident.message),
  ]);
}

/** Uses `incident_instance`. */
export const RESOLVE_INSTANCE_INCIDENTS = {
  name: 'resolve_instance_incidents',
  text: `
UPDATE incident SET resolved_at = now()
WHERE instance_id = ANY($1::uuid[]) AND kind = 'instance-failed' AND resolved_at IS NULL`,
};

export async function resolveInstanceIncidents(
  runner: StatementRunner,
  instanceIds: readonly string[],
): Promise<void> {
  await runner.run(RESOLVE_INSTANCE_INCIDENTS, [instanceIds]);
}
