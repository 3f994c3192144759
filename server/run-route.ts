/** Runs one route for one exchange: access, query, body, handler, answer. The same for hot and cold routes. */
import { EngineError } from '../config/engine-error.ts';
import type { Exchange } from './exchange.ts';
import { bodyRequired, contentTypeRefusal, mediaTypeOf, readJsonBody } from './json-body.ts';
import type { Route, RouteRequest } from './route.ts';

export interface RouteRunner {
  readonly maxPayloadBytes: number;
  /** @throws EngineError SUTRA.ADMIN.* */
  readonly checkAdmin: (request: Pick<RouteRequest, 'headers' | 'remoteAddress'>) => void;
}

/** Never rejects: whatever is thrown becomes the answer. */
export async function runRoute(
  runner: RouteRunner,
  route: Route,
  params: Readonly<Record<string, string>>,
  exchange: Exchange,
): Promise<void> {
  exchange.route = route.path;
  try {
    const request = new ExchangeRequest(exchange, params, runner.maxPayloadBytes);
    if (route.access === 'admin') runner.checkAdmin(request);
    await exchange.answer(await route.handle(request, parseQueryString(exchange.query)));
  } catch (error) {
    await exchange.fail(error);
  }
}

/** @throws EngineError SUTRA.HTTP.URL_INVALID for an escape that is not UTF-8. */
export function decodeParams(rawParams: Readonly<Record<string, string>>): Record<string, string> {
  const decoded: Record<string, string> = {};
  for (const [name, raw] of Object.entries(rawParams)) {
    decoded[name] = raw.includes('%') ? decodeComponent(raw) : raw;
  }
  return decoded;
}

/** @throws EngineError SUTRA.HTTP.URL_INVALID for an escape that is not UTF-8. */
export function decodeComponent(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    throw new EngineError('SUTRA.HTTP.URL_INVALID', 'the path has a percent escape that is not UTF-8');
  }
}

const noQuery = new URLSearchParams();

/** @throws EngineError SUTRA.HTTP.URL_INVALID for an escape that is not UTF-8. */
export function parseQueryString(query: string): URLSearchParams {
  if (query === '') return noQuery;
  // URLSearchParams would replace what it cannot decode.
  if (query.includes('%')) decodeComponent(query);
  return new URLSearchParams(query);
}

class ExchangeRequest implements RouteRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly #exchange: Exchange;
  readonly #maxPayloadBytes: number;

  constructor(exchange: Exchange, params: Readonly<Record<string, string>>, maxPayloadBytes: number) {
    this.#exchange = exchange;
    this.params = params;
    this.#maxPayloadBytes = maxPayloadBytes;
  }

  get headers(): RouteRequest['headers'] {
    return this.#exchange.request.headers;
  }

  get remoteAddress(): string | null {
    return this.#exchange.request.socket.remoteAddress ?? null;
  }

  get disconnected(): AbortSignal {
    return this.#exchange.disconnected;
  }

  async readJson(): Promise<unknown> {
    const value = await this.readOptionalJson();
    if (value === undefined) throw bodyRequired();
    return value;
  }

  readOptionalJson(): Promise<unknown> {
    return readJsonBody(this.#exchange, this.#maxPayloadBytes);
  }

  async readBytes(mediaTypes: readonly string[]): Promise<{ mediaType: string; body: Buffer }> {
    const mediaType = mediaTypeOf(this.headers['content-type']);
    if (mediaType === null || !mediaTypes.includes(mediaType)) {
      throw contentTypeRefusal(this.headers['content-type'], mediaTypes.join(' or '));
    }
    return { mediaType, body: await this.#exchange.readBody(this.#maxPayloadBytes) };
  }
}
