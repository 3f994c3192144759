/** Tenants: Camunda 8's `<default>` is our tenant `default`, both ways; any other has the same name there and here. */
import { invalidRequest } from './request-body.ts';

const DEFAULT_THERE = '<default>';
const DEFAULT_HERE = 'default';

export function tenantIdOf(tenant: string): string {
  return tenant === DEFAULT_HERE ? DEFAULT_THERE : tenant;
}

/** @throws SUTRA.COMPAT.REQUEST_INVALID */
export function tenantOf(field: string, tenantId: string): string {
  if (tenantId === DEFAULT_THERE) return DEFAULT_HERE;
  if (tenantId === DEFAULT_HERE) {
    throw invalidRequest(field, `${field} default is written ${DEFAULT_THERE}`);
  }
  return tenantId;
}

/** Without one it is `<default>`, as there. */
export function tenantOfRequest(tenantId: string | null): string {
  return tenantId === null ? DEFAULT_HERE : tenantOf('tenantId', tenantId);
}
