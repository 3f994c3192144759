/**
 * What Camunda's ids, tenants and dates are here.
 *
 * | there                   | here                                                          |
 * |-------------------------|---------------------------------------------------------------|
 * | process instance id     | the instance's id; also that of its only execution            |
 * | process definition key  | the id of the process                                         |
 * | process definition id   | `<process id>:<version label of the package>:<deployment id>` |
 * | deployment id           | the deployment's id                                           |
 * | no tenant               | the tenant `default`                                          |
 */
import type { PackageIdentity } from '../../../../definitions/package-model.ts';
import type { SurfaceRequest } from '../surface.ts';

/** Where the facade is. */
export const PREFIX = '/engine-rest';

/** The tenant of what is deployed without one. Whatever is its, has no tenant for the clients. */
export const NO_TENANT = 'default';

/** Null: it has none. */
export function tenantIdOf(tenant: string): string | null {
  return tenant === NO_TENANT ? null : tenant;
}

/** The tenant that `tenantId` is of. */
export function tenantOf(tenantId: string | null): string {
  return tenantId ?? NO_TENANT;
}

export interface DefinitionKey {
  readonly processId: string;
  readonly deploymentId: string;
}

/** Neither part of it can hold a colon: a process id is an XML name without one, a version a label. */
export function definitionIdOf(
  { processId, deploymentId }: DefinitionKey,
  { version }: Pick<PackageIdentity, 'version'>,
): string {
  return `${processId}:${version}:${deploymentId}`;
}

/** Null: it is no id of a process definition. */
export function parseDefinitionId(id: string): (DefinitionKey & { readonly version: string }) | null {
  const [processId = '', version = '', deploymentId = '', ...rest] = id.split(':');
  if (rest.length > 0 || processId === '' || version === '' || !/^dep-[0-9a-f]{24}$/.test(deploymentId))
    return null;
  return { processId, version, deploymentId };
}

/** `2026-03-01T10:00:00.000+0000`: the clients' parsers take no `Z`. */
export function camundaDate(at: Date): string {
  return at.toISOString().replace('Z', '+0000');
}

/** What follows the prefix, as a URL under the name by which the client has reached this server. */
export function hrefOf({ headers }: Pick<SurfaceRequest, 'headers'>, path: string): string {
  return `http://${headers.host ?? 'localhost'}${PREFIX}/${path}`;
}
