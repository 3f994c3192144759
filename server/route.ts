/**
 * What a route is: one row that serves the request, validates its query, and documents itself. The hot
 * table, Express and `/openapi.json` are all built from the same rows, so they cannot disagree.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from './exchange.ts';
import { parseQuery, type QueryParameters, type QueryValues, type Schema } from './query-parameters.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface RouteRequest {
  /** Decoded path parameters by name. */
  readonly params: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  /** The peer's address as the socket knows it. */
  readonly remoteAddress: string | null;
  /** Aborts when the client hangs up before it has its answer. */
  readonly disconnected: AbortSignal;
  /** The JSON body. @throws SUTRA.HTTP.* when there is none, or it is not JSON, or it is too large. */
  readJson(): Promise<unknown>;
  /** As `readJson`, but `undefined` for an empty body. */
  readOptionalJson(): Promise<unknown>;
  /** The raw body, if its media type is one of `mediaTypes`. */
  readBytes(mediaTypes: readonly string[]): Promise<{ readonly mediaType: string; readonly body: Buffer }>;
}

export interface BodyDoc {
  readonly isRequired: boolean;
  readonly content: Readonly<Record<string, Schema>>;
}

export interface AnswerDoc {
  readonly description: string;
  /** Null: no body. */
  readonly contentType: string | null;
  readonly schema: Schema | null;
}

export interface Route {
  readonly method: Method;
  /** With parameters in braces: `/sutra/instances/{id}`. */
  readonly path: string;
  /** Served by the exact table in front of Express. At most one parameter in the path. */
  readonly isHot: boolean;
  readonly access: 'open' | 'admin';
  readonly operationId: string;
  readonly tag:
    | 'health'
    | 'deployments'
    | 'instances'
    | 'starts'
    | 'external tasks'
    | 'deliveries'
    | 'dead letters'
    | 'incidents'
    | 'data stores'
    | 'admin'
    | 'service';
  readonly summary: string;
  readonly query: QueryParameters;
  readonly body: BodyDoc | null;
  readonly answers: Readonly<Record<number, AnswerDoc>>;
  /** The codes that this route can answer beside those that every route can. */
  readonly codes: readonly string[];
  readonly handle: (request: RouteRequest, query: URLSearchParams) => Promise<Answer>;
}

interface RouteInit<Q extends QueryParameters> extends Omit<
  Route,
  'handle' | 'query' | 'isHot' | 'access' | 'body' | 'codes'
> {
  readonly isHot?: boolean;
  readonly access?: Route['access'];
  readonly body?: BodyDoc;
  readonly codes?: readonly string[];
  readonly query?: Q;
  readonly handle: (request: RouteRequest, query: QueryValues<Q>) => Promise<Answer>;
}

/** Completes a row: an undeclared query parameter is refused, a declared one arrives typed. */
export function defineRoute<const Q extends QueryParameters = QueryParameters>(init: RouteInit<Q>): Route {
  const query = init.query ?? ({} as Q);
  return {
    ...init,
    isHot: init.isHot ?? false,
    access: init.access ?? 'open',
    body: init.body ?? null,
    codes: init.codes ?? [],
    query,
    handle: (request, given) => init.handle(request, parseQuery(query, given)),
  };
}

export function jsonDoc(description: string, schema: Schema): AnswerDoc {
  return { description, contentType: 'application/json', schema };
}

export function schemaRef(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}
