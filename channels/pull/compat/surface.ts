/**
 * What a facade of another system is to the HTTP server: it takes what comes under its prefix and answers in its own
 * shape, errors included.
 *
 * S1 Everything under the prefix is the facade's: what it does not know it refuses in its own shape.
 * S2 A facade is given the problem that any route would answer, and words it: with the status that clients of the other
 *    system know for it, where that differs from ours.
 */
import type { IncomingHttpHeaders } from 'node:http';

export interface SurfaceRequest {
  readonly method: string;
  /** What follows the prefix, split at `/` and decoded: `/engine-rest/external-task/count` is `['external-task', 'count']`. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Aborts when the client hangs up. */
  readonly disconnected: AbortSignal;
  /** The body within the cap of all bodies. @throws EngineError SUTRA.HTTP.BODY_TOO_LARGE */
  readonly readBody: () => Promise<Uint8Array>;
  /** For what only operators may do. @throws EngineError SUTRA.ADMIN.* */
  readonly checkAdmin: () => void;
}

export interface SurfaceAnswer {
  readonly status: number;
  /** Null: the answer has no body. */
  readonly content: { readonly type: string; readonly bytes: Uint8Array } | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called once when the answer could not be handed over whole. */
  readonly undelivered?: () => Promise<void>;
}

/** A problem as our own routes answer it. */
export interface SurfaceProblem {
  readonly status: number;
  readonly title: string;
  /** Of the registry of codes. */
  readonly code: string;
  readonly detail: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface CompatSurface {
  /** Such as `/engine-rest`; no `/` at the end. */
  readonly prefix: string;
  /** @throws EngineError any; it comes back to `refuse` as a problem. */
  handle(request: SurfaceRequest): Promise<SurfaceAnswer>;
  /**
   * The problem in the facade's own shape. `Retry-After` and its kind are the server's to add.
   * @param path of the request, prefix included, as it came
   */
  refuse(problem: SurfaceProblem, path: string): SurfaceAnswer;
  /** The template of the path, for metrics: as few values as there are routes. */
  routeOf(request: Pick<SurfaceRequest, 'method' | 'segments'>): string;
}
