/** The facades that the operator has switched on, on top of what every other route is made of. */
import { createCamunda7Surface } from '../channels/pull/compat/camunda7/index.ts';
import { createCamunda8Surface } from '../channels/pull/compat/camunda8/index.ts';
import type { CompatPull } from '../channels/pull/compat/ports.ts';
import type { CompatSurface } from '../channels/pull/compat/surface.ts';
import { compatPorts } from './compat-ports.ts';
import type { ServerDeps } from './operations.ts';

export function compatSurfaces(deps: ServerDeps, pull: CompatPull): readonly CompatSurface[] {
  const { camunda7, camunda8 } = deps.settings.compat;
  const ports = compatPorts(deps, pull);
  return [
    ...(camunda7 ? [createCamunda7Surface(ports)] : []),
    ...(camunda8 ? [createCamunda8Surface(ports)] : []),
  ];
}
