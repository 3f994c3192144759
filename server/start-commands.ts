/** Starts and signals from outside: what the request means among all that is deployed, then the work itself. */
import { conditionalStartsOf, processToStart, tenantOf } from '../engine/deployments/start-points.ts';
import type { DeploymentRegistry } from '../engine/deployments/registry.ts';
import type { ProcessStarts } from '../engine/intake/process-starts.ts';
import { throwSignal } from '../engine/signals/throw-signal.ts';
import type { Database } from '../engine/store/database.ts';
import type { StartCommands } from './operations.ts';

export interface StartCommandOptions {
  readonly database: Database;
  readonly registry: Pick<DeploymentRegistry, 'live'>;
  readonly starts: Pick<ProcessStarts, 'startProcess' | 'startByConditions'>;
  /** Called after a commit that put signals on their way. */
  readonly wakeSignals: () => void;
}

export function startCommands({
  database,
  registry,
  starts,
  wakeSignals,
}: StartCommandOptions): StartCommands {
  return {
    startProcess: async (wish, variables, idempotencyKey) =>
      starts.startProcess(processToStart(registry.live(), wish), variables, idempotencyKey),
    startByConditions: async (tenant, variables, idempotencyKey) => {
      const deployments = registry.live();
      const whose = tenantOf(deployments, tenant);
      if (whose === null) return { started: [], failed: [], isDuplicate: false };
      const conditional = conditionalStartsOf(deployments, whose);
      return starts.startByConditions(whose, conditional, variables, idempotencyKey);
    },
    throwSignal: async (tenant, name, payload, idempotencyKey) => {
      const whose = tenantOf(registry.live(), tenant);
      if (whose === null) return { instances: 0, starts: 0, isDuplicate: false };
      const thrown = await throwSignal(database, { tenant: whose, name, payload, idempotencyKey });
      if (!thrown.isDuplicate && thrown.instances + thrown.starts > 0) wakeSignals();
      return thrown;
    },
  };
}
