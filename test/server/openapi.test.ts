import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allRoutes } from '../../server/all-routes.ts';
import { codeRegistry } from '../../server/code-registry.ts';
import { createExpressApp } from '../../server/express-app.ts';
import { codesOf, openApiDocument } from '../../server/openapi.ts';
import { expressPath, isReservedPath, RouteTable } from '../../server/route-table.ts';
import { testDeps } from './fixture.ts';

const routes = allRoutes(testDeps());
const document = openApiDocument(routes);
const paths = document['paths'] as Record<string, Record<string, Record<string, unknown>>>;

function documented(): string[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
}

/** What the two routers really serve. */
function registered(): string[] {
  const table = new RouteTable(routes);
  const runner = { maxPayloadBytes: 1, checkAdmin: () => {} };
  const app = createExpressApp(table, runner, () => {
    throw new Error('not called');
  });
  const cold = app.router.stack.flatMap((layer) => {
    const { route } = layer;
    if (route === undefined) return [];
    const path = route.path.replaceAll(/:([A-Za-z]+)/g, '{$1}');
    return route.stack.map((handler) => `${handler.method.toUpperCase()} ${path}`);
  });
  const hot = routes.filter((route) => {
    const found = table.matchHot(route.method, route.path.replaceAll(/\{[A-Za-z]+\}/g, 'x'));
    return found?.route === route;
  });
  return [...cold, ...hot.map((route) => `${route.method} ${route.path}`)];
}

describe('the OpenAPI document', () => {
  it('describes exactly the routes that are served', () => {
    assert.deepEqual(documented().sort(), registered().sort());
    assert.ok(documented().length >= 20);
  });

  it('has every code of a route in the registry, with its status in the description', () => {
    for (const route of routes) {
      for (const code of codesOf(route)) {
        const status = codeRegistry.get(code)?.httpStatus;
        assert.ok(status !== undefined, `${route.operationId} documents ${code}, which no table holds`);
        const responses = paths[route.path]?.[route.method.toLowerCase()]?.['responses'] as Record<
          string,
          unknown
        >;
        assert.ok(JSON.stringify(responses[String(status)]).includes(code), `${route.operationId} ${code}`);
      }
    }
  });

  it('resolves every reference and uses every schema', () => {
    const text = JSON.stringify(document);
    const used = new Set(
      [...text.matchAll(/"#\/components\/schemas\/([A-Za-z]+)"/g)].map(([, name]) => name),
    );
    const components = document['components'] as { schemas: Record<string, unknown> };
    assert.deepEqual([...used].sort(), Object.keys(components.schemas).sort());
  });

  it('names every operation once, and every path parameter', () => {
    const names = routes.map((route) => route.operationId);
    assert.equal(new Set(names).size, names.length);
    for (const route of routes) {
      const operation = paths[route.path]?.[route.method.toLowerCase()];
      const parameters = operation?.['parameters'] as { name: string; in: string }[];
      const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => `{${name}}`);
      assert.deepEqual(inPath, route.path.match(/\{[A-Za-z]+\}/g) ?? []);
    }
  });

  it('has only paths that channels cannot take', () => {
    for (const route of routes) assert.ok(isReservedPath(route.path), route.path);
    for (const path of ['/channels/orders', '/sutrax', '/administrators', '/'])
      assert.equal(isReservedPath(path), false);
  });

  it('asks for the admin key on admin routes alone', () => {
    for (const route of routes) assert.equal(route.access === 'admin', route.path.startsWith('/admin/'));
  });
});

describe('the route table', () => {
  it('finds hot routes exactly', () => {
    const table = new RouteTable(routes);
    const cases: readonly [method: string, path: string, operation: string | undefined][] = [
      ['POST', '/sutra/external-tasks/fetch-and-lock', 'fetchAndLock'],
      ['POST', '/sutra/external-tasks/a-b/complete', 'completeTask'],
      ['POST', '/sutra/external-tasks/a-b/failure', 'failTask'],
      ['GET', '/sutra/external-tasks/a-b/complete', undefined],
      ['POST', '/sutra/external-tasks//complete', undefined],
      ['POST', '/sutra/external-tasks/a/b/complete', undefined],
      ['POST', '/sutra/external-tasks/a/complete/', undefined],
      ['POST', '/sutra/external-tasks/complete', 'completeTasks'],
      ['POST', '/sutra/external-tasks/failure', 'failTasks'],
      ['POST', '/sutra/external-tasks/complete/complete', 'completeTask'],
      ['POST', '/sutra/external-tasks/complete/', undefined],
      ['GET', '/sutra/external-tasks/complete', undefined],
      ['POST', '/sutra/instances', undefined],
    ];
    for (const [method, path, operation] of cases) {
      assert.equal(table.matchHot(method, path)?.route.operationId, operation, `${method} ${path}`);
    }
    assert.deepEqual(table.matchHot('POST', '/sutra/external-tasks/a-b/complete')?.rawParams, { id: 'a-b' });
  });

  it('writes templates in the notation of Express', () => {
    assert.equal(expressPath('/a/{id}/b/{tokenId}'), '/a/:id/b/:tokenId');
  });
});
