/** Aliases as a turn's commit uses them: find instances, find taken unique values, register, drop. */
import type { StatementRunner } from '../transport.ts';

export interface AliasKey {
  readonly tenant: string;
  readonly module: string;
  readonly name: string;
  readonly value: string;
}

export interface AliasRow extends AliasKey {
  readonly instanceId: string;
}

/**
 * Uses `alias_pkey`; an order inside the lateral part would offer all of `alias_instance` as well. At most 1,001
 * instances a value: one more than a message may ever reach, so that the caller can tell "too many" without
 * reading them all.
 */
export const FIND_INSTANCES_BY_ALIAS = {
  name: 'find_instances_by_alias',
  text: `
SELECT k.tenant, k.module, k.name, k.value, a.instance_id
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS k (tenant, module, name, value)
CROSS JOIN LATERAL (
  SELECT alias.instance_id
  FROM alias
  WHERE alias.tenant = k.tenant AND alias.module = k.module
    AND alias.name = k.name AND alias.value = k.value
  LIMIT 1001
) AS a
ORDER BY a.instance_id`,
};

export function findInstancesByAlias(
  runner: StatementRunner,
  keys: readonly AliasKey[],
): Promise<readonly AliasRow[]> {
  return findAliases(runner, FIND_INSTANCES_BY_ALIAS, keys);
}

/** Uses `alias_unique`. */
export const FIND_UNIQUE_CONFLICTS = {
  name: 'find_unique_conflicts',
  text: `
SELECT k.tenant, k.module, k.name, k.value, a.instance_id
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS k (tenant, module, name, value)
CROSS JOIN LATERAL (
  SELECT alias.instance_id
  FROM alias
  WHERE alias.tenant = k.tenant AND alias.module = k.module
    AND alias.name = k.name AND alias.value = k.value
    AND alias.is_unique
  OFFSET 0
) AS a`,
};

/** Who holds which of these unique values already. */
export function findUniqueConflicts(
  runner: StatementRunner,
  keys: readonly AliasKey[],
): Promise<readonly AliasRow[]> {
  return findAliases(runner, FIND_UNIQUE_CONFLICTS, keys);
}

/** Inserted in one order everywhere: racing commits wait for each other instead of deadlocking. */
export const INSERT_ALIASES = {
  name: 'insert_aliases',
  text: `
INSERT INTO alias (tenant, module, name, value, instance_id, is_unique)
SELECT k.tenant, k.module, k.name, k.value, k.instance_id, k.is_unique
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::uuid[], $6::boolean[])
  AS k (tenant, module, name, value, instance_id, is_unique)
ORDER BY k.tenant, k.module, k.name, k.value, k.instance_id
ON CONFLICT DO NOTHING
RETURNING is_unique`,
};

/** How many *unique* rows are new; fewer than given means that another commit took a value meanwhile. */
export async function insertAliases(
  runner: StatementRunner,
  rows: readonly (AliasRow & { readonly isUnique: boolean })[],
): Promise<number> {
  const inserted = await runner.run<{ is_unique: boolean }>(INSERT_ALIASES, [
    ...aliasColumns(rows),
    rows.map((row) => row.instanceId),
    rows.map((row) => row.isUnique),
  ]);
  return inserted.filter((row) => row.is_unique).length;
}

/** Uses `alias_instance`. */
export const DELETE_ALIASES = {
  name: 'delete_aliases',
  text: `
DELETE FROM alias
WHERE instance_id = ANY($1::uuid[])`,
};

export async function deleteAliases(runner: StatementRunner, instanceIds: readonly string[]): Promise<void> {
  await runner.run(DELETE_ALIASES, [instanceIds]);
}

async function findAliases(
  runner: StatementRunner,
  statement: { readonly name: string; readonly text: string },
  keys: readonly AliasKey[],
): Promise<readonly AliasRow[]> {
  const rows = await runner.run<{
    tenant: string;
    module: string;
    name: string;
    value: string;
    instance_id: string;
  }>(statement, aliasColumns(keys));
  return rows.map((row) => ({
    tenant: row.tenant,
    module: row.module,
    name: row.name,
    value: row.value,
    instanceId: row.instance_id,
  }));
}

function aliasColumns(keys: readonly AliasKey[]): [string[], string[], string[], string[]] {
  return [
    keys.map((key) => key.tenant),
    keys.map((key) => key.module),
    keys.map((key) => key.name),
    keys.map((key) => key.value),
  ];
}
