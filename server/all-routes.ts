/** Every route of the server, in the order of its description. */
import type { ServerDeps } from './operations.ts';
import type { Route } from './route.ts';
import { adminRoutes } from './routes/admin.ts';
import { dataStoreRoutes } from './routes/data-stores.ts';
import { deadLetterRoutes } from './routes/dead-letters.ts';
import { deliveryRoutes } from './routes/deliveries.ts';
import { deploymentRoutes } from './routes/deployments.ts';
import { externalTaskRoutes } from './routes/external-tasks.ts';
import { healthRoutes } from './routes/health.ts';
import { incidentRoutes } from './routes/incidents.ts';
import { instanceCommandRoutes } from './routes/instance-commands.ts';
import { instanceRoutes } from './routes/instances.ts';
import { serviceRoutes } from './routes/service.ts';
import { startRoutes } from './routes/starts.ts';

export function allRoutes(deps: ServerDeps): readonly Route[] {
  const routes: readonly Route[] = [
    ...externalTaskRoutes(deps),
    ...instanceRoutes(deps),
    ...instanceCommandRoutes(deps),
    ...startRoutes(deps),
    ...deliveryRoutes(deps),
    ...deadLetterRoutes(deps),
    ...incidentRoutes(deps),
    ...deploymentRoutes(deps),
    ...adminRoutes(deps),
    ...dataStoreRoutes(deps),
    ...healthRoutes(deps),
    ...serviceRoutes(deps, () => routes),
  ];
  return routes;
}
