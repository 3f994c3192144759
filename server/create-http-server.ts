/** The HTTP server of an engine, from its parts. */
import type { CompatSurface } from '../channels/pull/compat/surface.ts';
import { adminAccess } from './admin-access.ts';
import { allRoutes } from './all-routes.ts';
import { HttpServer, type HttpTimeouts } from './http-server.ts';
import type { ServerDeps } from './operations.ts';

/** Not started yet. `timeouts` shortens what a test would otherwise wait for. */
export function createHttpServer(
  deps: ServerDeps,
  surfaces: readonly CompatSurface[],
  timeouts: Partial<HttpTimeouts> = {},
): HttpServer {
  const { settings } = deps;
  return new HttpServer({
    host: settings.http.host,
    port: settings.http.port,
    routes: allRoutes(deps),
    surfaces,
    intake: deps.httpChannel,
    maxPayloadBytes: settings.codec.maxPayloadBytes,
    checkAdmin: adminAccess(settings.admin),
    log: deps.log,
    meter: deps.metrics.meter,
    timeouts,
  });
}
