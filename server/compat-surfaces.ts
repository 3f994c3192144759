/** The facades that the operator has switched on, on top of what every other route is made of. */
import type { CompatSurface } from '../channels/pull/compat/surface.ts';
import type { ServerDeps } from './operations.ts';

export function compatSurfaces(deps: ServerDeps): readonly CompatSurface[] {
  return deps.settings.compat.camunda7 ? [] : [];
}
