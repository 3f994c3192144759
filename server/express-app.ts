/** The routes that are not hot, behind Express. */
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { EngineError } from '../config/engine-error.ts';
import type { Exchange } from './exchange.ts';
import { expressPath, type RouteTable } from './route-table.ts';
import { runRoute, type RouteRunner } from './run-route.ts';

const EXPRESS_METHODS = { GET: 'get', POST: 'post', PUT: 'put', DELETE: 'delete' } as const;

/** `exchangeOf` gives the exchange that the server opened for this very response. */
export function createExpressApp(
  table: RouteTable,
  runner: RouteRunner,
  exchangeOf: (response: object) => Exchange,
): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.use((_request: Request, response: Response, next: NextFunction) => {
    const exchange = exchangeOf(response);
    const method = exchange.request.method ?? '';
    // Before Express, which would answer HEAD and OPTIONS by itself.
    const refusal = routeRefusal(table.methodsOf(exchange.path), method, exchange.path);
    if (refusal === null) next();
    else void exchange.fail(refusal);
  });
  for (const route of table.routes) {
    if (route.isHot) continue;
    app[EXPRESS_METHODS[route.method]](expressPath(route.path), (request: Request, response: Response) =>
      runRoute(runner, route, request.params as Record<string, string>, exchangeOf(response)),
    );
  }
  app.use((request: Request, response: Response) => exchangeOf(response).fail(routeUnknown(request.path)));
  // Express tells an error handler by its four parameters.
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) =>
    exchangeOf(response).fail(error instanceof URIError ? urlInvalid() : error),
  );
  return app;
}

/** Null: the method fits the path. */
export function routeRefusal(methods: readonly string[], method: string, path: string): EngineError | null {
  if (methods.length === 0) return routeUnknown(path);
  if (methods.includes(method)) return null;
  return new EngineError(
    'SUTRA.HTTP.METHOD_NOT_ALLOWED',
    `${method} is not possible here; the path takes ${methods.join(', ')}`,
    { attributes: { allow: methods } },
  );
}

function routeUnknown(path: string): EngineError {
  return new EngineError(
    'SUTRA.HTTP.ROUTE_UNKNOWN',
    `there is no route ${JSON.stringify(path.slice(0, 200))}`,
  );
}

function urlInvalid(): EngineError {
  return new EngineError('SUTRA.HTTP.URL_INVALID', 'the path has a percent escape that is not UTF-8');
}
