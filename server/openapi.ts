/** `/openapi.json`: the routes, as OpenAPI 3.1, from the same rows that serve them. */
import { codeRegistry } from './code-registry.ts';
import { openApiSchemas } from './openapi-schemas.ts';
import { PROBLEM_CONTENT_TYPE } from './problem.ts';
import { isRequired, schemaOf, type Schema } from './query-parameters.ts';
import { schemaRef, type Route } from './route.ts';

/** What any route can answer. */
const COMMON_CODES = [
  'SUTRA.HTTP.QUERY_INVALID',
  'SUTRA.HTTP.URL_INVALID',
  'SUTRA.HTTP.REQUEST_MALFORMED',
  'SUTRA.HTTP.PIPELINE_TOO_DEEP',
  'SUTRA.SHUTTING_DOWN',
  'SUTRA.PERSISTENCE_UNAVAILABLE',
  'SUTRA.INTERNAL',
] as const;

const BODY_CODES = [
  'SUTRA.HTTP.BODY_TOO_LARGE',
  'SUTRA.HTTP.CONTENT_TYPE_UNSUPPORTED',
  'SUTRA.HTTP.CONTENT_ENCODING_UNSUPPORTED',
  'SUTRA.HTTP.REQUEST_TIMEOUT',
  'SUTRA.HTTP.FIELD_UNKNOWN',
  'SUTRA.HTTP.FIELD_INVALID',
  'SUTRA.CODEC.JSON_INVALID',
  'SUTRA.CODEC.KEY_DUPLICATE',
  'SUTRA.CODEC.NUMBER_INEXACT',
  'SUTRA.CODEC.TEXT_INVALID',
  'SUTRA.CODEC.TOO_DEEP',
] as const;

const ADMIN_CODES = [
  'SUTRA.ADMIN.DISABLED',
  'SUTRA.ADMIN.KEY_REQUIRED',
  'SUTRA.ADMIN.KEY_INVALID',
  'SUTRA.ADMIN.ORIGIN_REFUSED',
] as const;

/** Every code that the route can answer. */
export function codesOf(route: Route): readonly string[] {
  const codes = [
    ...route.codes,
    ...(route.access === 'admin' ? ADMIN_CODES : []),
    ...(route.body === null ? [] : BODY_CODES),
    ...(route.body?.isRequired === true ? ['SUTRA.HTTP.BODY_REQUIRED'] : []),
    ...COMMON_CODES,
  ];
  return [...new Set(codes)];
}

export function openApiDocument(routes: readonly Route[]): Readonly<Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sutra',
      version: '1',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description:
        'External tasks for workers, and what operators see and repair. Every error is application/problem+json ' +
        'with a stable code. The paths of HTTP channels are those that packages bind: GET /sutra/deployments/{id}.',
    },
    paths,
    components: {
      schemas: openApiSchemas,
      securitySchemes: {
        adminBearer: { type: 'http', scheme: 'bearer' },
        adminKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
      },
    },
  };
}

function operation(route: Route): Schema {
  return {
    operationId: route.operationId,
    summary: route.summary,
    tags: [route.tag],
    parameters: [...pathParameters(route), ...queryParameters(route)],
    ...(route.body === null ? {} : { requestBody: requestBody(route.body) }),
    responses: { ...successes(route), ...failures(codesOf(route)) },
    security: route.access === 'admin' ? [{ adminBearer: [] }, { adminKey: [] }] : [],
  };
}

function pathParameters(route: Route): Schema[] {
  return [...route.path.matchAll(/\{([A-Za-z]+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(route: Route): Schema[] {
  return Object.entries(route.query).map(([name, parameter]) => ({
    name,
    in: 'query',
    required: isRequired(parameter),
    description: parameter.description,
    schema: schemaOf(parameter),
  }));
}

function requestBody(body: NonNullable<Route['body']>): Schema {
  const content = Object.entries(body.content).map(([type, schema]): [string, Schema] => [type, { schema }]);
  return { required: body.isRequired, content: Object.fromEntries(content) };
}

function successes(route: Route): Schema {
  const answers = Object.entries(route.answers).map(
    ([status, { description, contentType, schema }]): [string, Schema] => [
      status,
      contentType === null ? { description } : { description, content: { [contentType]: { schema } } },
    ],
  );
  return Object.fromEntries(answers);
}

/** One response a status, with the codes that have it. */
function failures(codes: readonly string[]): Schema {
  const byStatus = new Map<number, string[]>();
  for (const code of codes) {
    const status = codeRegistry.get(code)?.httpStatus;
    if (status === undefined) continue;
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses = [...byStatus].map(([status, those]): [string, Schema] => [
    String(status),
    failure(those),
  ]);
  return Object.fromEntries(responses);
}

function failure(codes: readonly string[]): Schema {
  const lines = codes.map((code) => `- \`${code}\`: ${codeRegistry.get(code)?.meaning ?? ''}`);
  const schema = { allOf: [schemaRef('Problem'), { properties: { code: { enum: codes } } }] };
  return { description: lines.join('\n'), content: { [PROBLEM_CONTENT_TYPE]: { schema } } };
}
