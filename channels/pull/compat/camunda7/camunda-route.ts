/** One route of the facade as data: the table is what is matched, what is documented, and what metrics are told by. */
import type { SurfaceAnswer, SurfaceRequest } from '../surface.ts';

/** What stands for `{name}` in the path, decoded. */
export type PathParams = Readonly<Record<string, string>>;

export interface CamundaRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the prefix, without a `/` first or last: `process-instance/{id}/variables/{name}`. */
  readonly path: string;
  /** @throws EngineError any; the facade words it. */
  readonly handle: (request: SurfaceRequest, params: PathParams) => Promise<SurfaceAnswer>;
}
