/**
 * The processes that are deployed, as other systems list them: definitions with numbers for versions.
 *
 * D1 A version's number is its place among all deployments of its module, in the order in which they became active: 1 is
 *    the first. One that is activated again becomes the last.
 * D2 The latest definition of a process is that of the active deployment; where several modules have the process, that
 *    of the one which became active last.
 */
import { EngineError } from '../../../config/engine-error.ts';
import type { ProcessDefinition } from '../../../definitions/model.ts';
import type { PackageModel } from '../../../definitions/package-model.ts';
import type { Database } from '../../../engine/store/database.ts';
import { listLiveDeployments, type LiveDeploymentRow } from '../../../engine/store/deployments.ts';
import { listNumberedDeployments } from '../../../engine/store/compat-deployments.ts';
import { listDeployments, type DeploymentRow } from '../../../engine/store/operate-deployments.ts';
import type { CompatCode } from './codes.ts';
import type { CompatPorts } from './ports.ts';

export interface LiveDefinition {
  readonly process: ProcessDefinition;
  readonly model: PackageModel;
  readonly deployment: DeploymentRow;
  /** D1 */
  readonly versionNumber: number;
  /** D2, within its tenant. */
  readonly isLatest: boolean;
}

/** What starting needs of a definition: no numbers, which are of all deployments that ever were. */
export type StartableDefinition = Pick<LiveDefinition, 'process' | 'model'> & {
  readonly deployment: Pick<LiveDeploymentRow, 'id' | 'tenant' | 'module'>;
};

/** How many deployments a list may be made of; a guess, far above what is ever kept by hand. */
const MAX_DEPLOYMENTS = 5_000;

/** All deployments, retired ones included, the newest first. @throws EngineError SUTRA.COMPAT.SEARCH_TOO_WIDE */
export async function allDeployments(database: Database): Promise<readonly DeploymentRow[]> {
  const page = { limit: MAX_DEPLOYMENTS, cursor: null };
  const { rows, nextCursor } = await listDeployments(
    database,
    { state: null, tenant: null, module: null },
    page,
  );
  if (nextCursor === null) return rows;
  const code: CompatCode = 'SUTRA.COMPAT.SEARCH_TOO_WIDE';
  throw new EngineError(code, `there are more than ${String(MAX_DEPLOYMENTS)} deployments`);
}

/** Of active and draining deployments; the newest first, and in each in the order of process ids. */
export async function liveDefinitions(
  ports: Pick<CompatPorts, 'database' | 'model'>,
): Promise<readonly LiveDefinition[]> {
  const seen = new Set<string>();
  const definitions: LiveDefinition[] = [];
  for (const { versionNumber, ...deployment } of await listNumberedDeployments(ports.database)) {
    const model = await ports.model(deployment.id);
    if (model === null) continue;
    for (const process of [...model.processes.values()].sort((one, other) => (one.id < other.id ? -1 : 1))) {
      const key = JSON.stringify([deployment.tenant, process.id]);
      const isLatest = deployment.state === 'active' && !seen.has(key);
      if (isLatest) seen.add(key);
      definitions.push({ process, model, deployment, versionNumber, isLatest });
    }
  }
  return definitions;
}

/** The latest definitions of a process (D2), one for each tenant that has it. */
export async function latestDefinitions(
  ports: Pick<CompatPorts, 'database' | 'model'>,
  processId: string,
): Promise<readonly StartableDefinition[]> {
  const latest = new Map<string, StartableDefinition>();
  // The oldest first: a later one takes the place of those before.
  for (const deployment of await listLiveDeployments(ports.database)) {
    if (deployment.state !== 'active') continue;
    const model = await ports.model(deployment.id);
    const process = model?.processes.get(processId);
    if (model !== null && process !== undefined)
      latest.set(deployment.tenant, { process, model, deployment });
  }
  return [...latest.values()];
}

/** By deployment id (D1). `rows`: all deployments, the newest first. */
export function versionNumbers(rows: readonly DeploymentRow[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const numbers = new Map<string, number>();
  for (const { id, tenant, module } of rows.toReversed()) {
    const key = JSON.stringify([tenant, module]);
    const number = (counts.get(key) ?? 0) + 1;
    counts.set(key, number);
    numbers.set(id, number);
  }
  return numbers;
}
