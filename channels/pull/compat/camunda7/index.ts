/**
 * The facade for clients of Camunda 7 at `/engine-rest`: one table of routes, those of external tasks and those of the
 * engine.
 *
 * I1 A path is one route's: where several could take it, that with the most words of its own.
 * I2 What the table has not is refused as unknown; of a path that it has, as the wrong method.
 */
import { EngineError } from '../../../../config/engine-error.ts';
import { quoteText } from '../../../../config/quote-text.ts';
import type { CompatCode } from '../codes.ts';
import type { CompatPorts } from '../ports.ts';
import type { CompatSurface, SurfaceRequest } from '../surface.ts';
import { camundaProblem } from './camunda-problem.ts';
import type { CamundaRoute, PathParams } from './camunda-route.ts';
import { engineRoutes } from './engine-routes.ts';
import { taskRoutes } from './task-routes.ts';

const CAMUNDA7_PREFIX = '/engine-rest';

interface SplitRoute extends CamundaRoute {
  readonly parts: readonly string[];
  readonly wordCount: number;
}

interface Match {
  readonly route: SplitRoute;
  readonly params: PathParams;
}

/** The route of metrics for what there is no route for. */
const NO_ROUTE = '*';

export function createCamunda7Surface(ports: CompatPorts): CompatSurface {
  const routes = [...taskRoutes(ports), ...engineRoutes(ports)].map(splitRoute);
  return {
    prefix: CAMUNDA7_PREFIX,
    handle: async (request) => {
      const { route, params } = routeFor(routes, request);
      return route.handle(request, params);
    },
    refuse: camundaProblem,
    routeOf: (request) => findMatches(routes, request)[0]?.route.path ?? NO_ROUTE,
  };
}

function splitRoute(route: CamundaRoute): SplitRoute {
  const parts = route.path.split('/');
  return { ...route, parts, wordCount: parts.filter((part) => !isParam(part)).length };
}

function isParam(part: string): boolean {
  return part.startsWith('{');
}

/** @throws EngineError SUTRA.COMPAT.ROUTE_UNKNOWN, SUTRA.COMPAT.METHOD_NOT_ALLOWED */
function routeFor(routes: readonly SplitRoute[], request: SurfaceRequest): Match {
  const matches = findMatches(routes, request);
  const [best] = matches.filter(({ route }) => route.method === request.method);
  if (best !== undefined) return best;
  const path = quoteText(request.segments.join('/').slice(0, 200));
  if (matches.length === 0) {
    const code: CompatCode = 'SUTRA.COMPAT.ROUTE_UNKNOWN';
    throw new EngineError(code, `${path} is not served below ${CAMUNDA7_PREFIX}`);
  }
  const methods = [...new Set(matches.map(({ route }) => route.method))].join(', ');
  const code: CompatCode = 'SUTRA.COMPAT.METHOD_NOT_ALLOWED';
  throw new EngineError(code, `${path} is served for ${methods}`, { attributes: { allowed: methods } });
}

/** Those of the path, whatever their method; the best first (I1). */
function findMatches(
  routes: readonly SplitRoute[],
  { segments }: Pick<SurfaceRequest, 'segments'>,
): readonly Match[] {
  return routes
    .flatMap((route): readonly Match[] => {
      const params = paramsOf(route, segments);
      return params === null ? [] : [{ route, params }];
    })
    .sort((one, other) => other.route.wordCount - one.route.wordCount);
}

/** Null: the path is not of this route. A parameter is never empty. */
function paramsOf({ parts }: SplitRoute, segments: readonly string[]): PathParams | null {
  if (parts.length !== segments.length) return null;
  const params: [string, string][] = [];
  for (const [index, part] of parts.entries()) {
    const segment = segments[index] ?? '';
    if (!isParam(part)) {
      if (part !== segment) return null;
    } else if (segment === '') return null;
    else params.push([part.slice(1, -1), segment]);
  }
  return Object.fromEntries(params);
}
