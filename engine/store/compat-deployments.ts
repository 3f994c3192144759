/** Deployments with numbers, as other systems count versions. */
import type { Database } from './database.ts';
import type { DeploymentRow } from './operate-deployments.ts';

export interface NumberedDeployment extends DeploymentRow {
  readonly state: 'active' | 'draining';
  /** Its place among all deployments of its module, in the order in which they became active; 1 is the first. */
  readonly versionNumber: number;
}

/** A scan: there are as many rows as deployments were made. */
export const LIST_NUMBERED_DEPLOYMENTS = {
  name: 'list_numbered_deployments',
  text: `
SELECT d.id, d.tenant, d.module, d.version, d.state, d.deployed_at AS "deployedAt", d.drained_at AS "drainedAt",
  d.retired_at AS "retiredAt", d.number AS "versionNumber"
FROM (
  SELECT id, tenant, module, version, state, deployed_at, drained_at, retired_at,
    row_number() OVER (PARTITION BY tenant, module ORDER BY deployed_at, id)::integer AS number
  FROM deployment
) AS d
WHERE d.state IN ('active', 'draining')
ORDER BY d.deployed_at DESC, d.id DESC`,
};

/** The live ones, the newest first. */
export function listNumberedDeployments(database: Database): Promise<readonly NumberedDeployment[]> {
  return database.run<NumberedDeployment>(LIST_NUMBERED_DEPLOYMENTS, []);
}
