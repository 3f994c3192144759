/** Runs one request of a facade of another system: the same limits as any route, the answer in the facade's own shape. */
import type { CompatSurface, SurfaceAnswer, SurfaceRequest } from '../channels/pull/compat/surface.ts';
import type { Log } from '../engine/observe.ts';
import type { Answer, Exchange } from './exchange.ts';
import { problemOf } from './problem.ts';
import { ClientGoneError } from './read-body.ts';
import { decodeComponent, parseQueryString, type RouteRunner } from './run-route.ts';

export interface SurfaceRunner extends RouteRunner {
  readonly surfaces: readonly CompatSurface[];
  readonly log: Log;
}

/** Null: the path is no facade's. */
export function surfaceOf(surfaces: readonly CompatSurface[], path: string): CompatSurface | null {
  return surfaces.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`)) ?? null;
}

/** Never rejects: whatever is thrown becomes the answer. `refusal`: why the request is not to be handled; null: it is. */
export async function runSurface(
  runner: SurfaceRunner,
  surface: CompatSurface,
  exchange: Exchange,
  refusal: Error | null,
): Promise<void> {
  exchange.route = surface.prefix;
  try {
    if (refusal !== null) throw refusal;
    const request = surfaceRequest(runner, surface, exchange);
    exchange.route = `${surface.prefix}/${surface.routeOf(request)}`;
    await exchange.answer(answerOf(await surface.handle(request)));
  } catch (error) {
    if (error instanceof ClientGoneError || !exchange.isOpen) return exchange.fail(error);
    const { problem, headers } = problemOf(error, runner.log);
    await exchange.answer(answerOf(surface.refuse(problem, exchange.path), headers));
  }
}

function surfaceRequest(
  runner: SurfaceRunner,
  { prefix }: CompatSurface,
  exchange: Exchange,
): SurfaceRequest {
  const { request, path } = exchange;
  const below = path.slice(prefix.length + 1);
  return {
    method: request.method ?? '',
    segments: below === '' ? [] : below.split('/').map(decodeComponent),
    query: parseQueryString(exchange.query),
    headers: request.headers,
    get disconnected() {
      return exchange.disconnected;
    },
    readBody: () => exchange.readBody(runner.maxPayloadBytes),
    checkAdmin: () => {
      runner.checkAdmin({
        headers: request.headers,
        remoteAddress: request.socket.remoteAddress ?? null,
      });
    },
  };
}

function answerOf(answer: SurfaceAnswer, more: Answer['headers'] = {}): Answer {
  const { status, content, headers, undelivered } = answer;
  return {
    status,
    headers: { ...more, ...headers },
    body:
      content === null
        ? { kind: 'none' }
        : { kind: 'bytes', contentType: content.type, bytes: content.bytes },
    undelivered,
  };
}
