/** The REST API of Camunda 8, as far as workers and those who start processes need it, over our own operations. */
import { EngineError } from '../../../../config/engine-error.ts';
import type { CompatCode } from '../codes.ts';
import type { CompatPorts } from '../ports.ts';
import type { CompatSurface } from '../surface.ts';
import { activateJobsRoute } from './activate-jobs.ts';
import { routesOf, type Camunda8Route, type RouteMatch } from './camunda8-route.ts';
import { Definitions } from './definitions.ts';
import { deploymentsRoute } from './deployments.ts';
import { messageRoutes } from './messages.ts';
import { problemAnswer } from './problems.ts';
import { processInstanceRoutes } from './process-instances.ts';
import { reportJobsRoutes } from './report-jobs.ts';
import { startProcessRoute } from './start-process.ts';
import { topologyRoute } from './topology.ts';

const PREFIX = '/v2';

export function createCamunda8Surface(ports: CompatPorts): CompatSurface {
  const definitions = new Definitions(ports);
  const routes: readonly Camunda8Route[] = [
    activateJobsRoute(ports, definitions),
    ...reportJobsRoutes(ports),
    startProcessRoute(ports, definitions),
    ...processInstanceRoutes(ports, definitions),
    ...messageRoutes(ports),
    deploymentsRoute(ports, definitions),
    topologyRoute,
  ];
  return {
    prefix: PREFIX,
    handle: async (request) => {
      const { route, params } = matchOf(routes, request);
      return route.handle(request, params);
    },
    refuse: problemAnswer,
    routeOf: ({ method, segments }) =>
      routesOf(routes, segments).find(({ route }) => route.method === method)?.route.path ?? 'unknown',
  };
}

/** @throws SUTRA.COMPAT.ROUTE_UNKNOWN, SUTRA.COMPAT.METHOD_NOT_ALLOWED */
function matchOf(
  routes: readonly Camunda8Route[],
  { method, segments }: { readonly method: string; readonly segments: readonly string[] },
): RouteMatch {
  const matches = routesOf(routes, segments);
  const found = matches.find(({ route }) => route.method === method);
  if (found !== undefined) return found;
  const path = `${PREFIX}/${segments.join('/')}`.slice(0, 200);
  const allow = matches.map(({ route }) => route.method);
  const code: CompatCode =
    allow.length === 0 ? 'SUTRA.COMPAT.ROUTE_UNKNOWN' : 'SUTRA.COMPAT.METHOD_NOT_ALLOWED';
  const message =
    allow.length === 0 ? `There is no ${path} here.` : `${path} takes ${allow.join(', ')}, not ${method}.`;
  throw new EngineError(code, message, { attributes: allow.length === 0 ? {} : { allow } });
}
