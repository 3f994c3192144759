/** One route of the facade as data: the table is what is matched, and what metrics are told by. */
import type { SurfaceAnswer, SurfaceRequest } from '../surface.ts';

/** What stands for `{name}` in the path, decoded. */
export type PathParams = Readonly<Record<string, string>>;

export interface Camunda8Route {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Below the prefix, without a `/` first or last: `jobs/{jobKey}/completion`. */
  readonly path: string;
  /** @throws EngineError any; the facade words it. */
  readonly handle: (request: SurfaceRequest, params: PathParams) => Promise<SurfaceAnswer>;
}

export const noContent: SurfaceAnswer = { status: 204, content: null };

export function jsonAnswer(json: string, status = 200): SurfaceAnswer {
  return { status, content: { type: 'application/json', bytes: Buffer.from(json) } };
}

export interface RouteMatch {
  readonly route: Camunda8Route;
  readonly params: PathParams;
}

/** The routes of that path, whatever their method. */
export function routesOf(
  routes: readonly Camunda8Route[],
  segments: readonly string[],
): readonly RouteMatch[] {
  return routes.flatMap((route) => {
    const params = paramsOf(route.path.split('/'), segments);
    return params === null ? [] : [{ route, params }];
  });
}

function paramsOf(parts: readonly string[], segments: readonly string[]): PathParams | null {
  if (parts.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const segment = segments[index] ?? '';
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name !== undefined) params[name] = segment;
    else if (part !== segment) return null;
  }
  return params;
}
