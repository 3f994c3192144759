/** What queries of all kinds have in common: tenants, pages, orders. */
import { NO_TENANT } from './engine-ids.ts';
import type { CamundaFields } from './camunda-request.ts';

export const TENANT_PARAMETERS = ['tenantIdIn', 'withoutTenantId'] as const;
export const PAGE_PARAMETERS = ['firstResult', 'maxResults'] as const;

/** As many rows as one answer holds. */
export const MAX_RESULTS = 1_000;
const MAX_OFFSET = 1_000_000;

/** Null: of any tenant. */
export function tenantsOf(fields: CamundaFields): readonly string[] | null {
  const [tenants, isWithout] = [fields.texts('tenantIdIn'), fields.flag('withoutTenantId')];
  if (isWithout !== true) return tenants;
  if (tenants !== null) throw fields.refuse('withoutTenantId', 'cannot be given together with tenantIdIn');
  return [NO_TENANT];
}

export interface CamundaPage {
  readonly offset: number;
  /** Null: all there are, which must be no more than an answer holds. */
  readonly limit: number | null;
}

export function readPage(fields: CamundaFields): CamundaPage {
  return {
    offset: fields.integer('firstResult', { min: 0, max: MAX_OFFSET }) ?? 0,
    limit: fields.integer('maxResults', { min: 0, max: MAX_RESULTS }),
  };
}

/** Of rows that are all at hand. */
export function pageOf<Row>(fields: CamundaFields, rows: readonly Row[]): readonly Row[] {
  const { offset, limit } = readPage(fields);
  return rows.slice(offset, limit === null ? undefined : offset + limit);
}

export const SORT_PARAMETERS = ['sortBy', 'sortOrder'] as const;

/** Of rows that are all at hand, by the key that `sortBy` names; as they are without one. */
export function sorted<Row>(
  fields: CamundaFields,
  rows: readonly Row[],
  keys: Readonly<Record<string, (row: Row) => string | number>>,
): readonly Row[] {
  const [by, order] = [fields.text('sortBy'), fields.text('sortOrder')];
  if (by === null && order === null) return rows;
  const keyOf = by !== null && Object.hasOwn(keys, by) ? keys[by] : undefined;
  if (keyOf === undefined) throw fields.refuse('sortBy', `must be one of ${Object.keys(keys).join(', ')}`);
  const sign = signOf(fields, order);
  return rows.toSorted((one, other) => {
    const [left, right] = [keyOf(one), keyOf(other)];
    return left === right ? 0 : left < right ? -sign : sign;
  });
}

function signOf(fields: CamundaFields, order: string | null): 1 | -1 {
  if (order === 'asc') return 1;
  if (order === 'desc') return -1;
  throw fields.refuse('sortOrder', 'must be asc or desc');
}
