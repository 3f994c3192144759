/** What the service says about itself: metrics and its own description. */
import { jsonAnswer } from '../exchange.ts';
import { openApiDocument } from '../openapi.ts';
import type { ServerDeps } from '../operations.ts';
import { defineRoute, jsonDoc, type Route } from '../route.ts';

/** `allRoutes` is read at the first request: the description describes itself too. */
export function serviceRoutes(
  { metrics }: Pick<ServerDeps, 'metrics'>,
  allRoutes: () => readonly Route[],
): readonly Route[] {
  let document: Readonly<Record<string, unknown>> | null = null;
  return [
    defineRoute({
      method: 'GET',
      path: '/metrics',
      operationId: 'getMetrics',
      tag: 'service',
      summary: 'Metrics in the Prometheus text format.',
      answers: {
        200: { description: 'All metrics.', contentType: 'text/plain', schema: { type: 'string' } },
      },
      handle: async () => {
        const { contentType, text } = await metrics.render();
        return { status: 200, body: { kind: 'bytes', contentType, bytes: Buffer.from(text, 'utf8') } };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/openapi.json',
      operationId: 'getOpenApi',
      tag: 'service',
      summary: 'This description.',
      answers: { 200: jsonDoc('An OpenAPI 3.1 document.', { type: 'object' }) },
      handle: () => {
        document ??= openApiDocument(allRoutes());
        return Promise.resolve(jsonAnswer(200, document));
      },
    }),
  ];
}
