/** Instances as the facades of other systems read them: shown by the rules of `instance-view.ts`. */
import type { InstanceReading, MessageWaitReading } from '../channels/pull/compat/ports.ts';
import type { Scope, Snapshot, Token } from '../engine/core/snapshot.ts';
import { decodePart, decodeSnapshot } from '../engine/core/snapshot-codec.ts';
import { hasParts } from '../engine/intake/instance-parts.ts';
import { readInstances } from '../engine/store/compat-instances.ts';
import { listInstanceParts, type InstanceRow } from '../engine/store/operate-instances.ts';
import { deploymentsIn, snapshotView, type ProcessOf } from './instance-view.ts';
import type { ServerDeps } from './operations.ts';

type ReadingDeps = Pick<ServerDeps, 'database' | 'deployments'>;

/** As many of an instance's open parts as operators are shown at once. */
const MAX_PARTS_READ = 100;

/** The instances of those ids that there are, in no order. */
export async function readInstanceStates(
  deps: ReadingDeps,
  instanceIds: readonly string[],
): Promise<readonly InstanceReading[]> {
  if (instanceIds.length === 0) return [];
  const rows = await readInstances(deps.database, instanceIds);
  const readings: InstanceReading[] = [];
  // One after the other: only an instance with parts needs more statements.
  for (const row of rows) readings.push(await readingOf(deps, row));
  return readings;
}

async function readingOf(
  deps: ReadingDeps,
  { snapshot: text, largeValues, ...summary }: InstanceRow,
): Promise<InstanceReading> {
  const snapshot = await withParts(deps, decodeSnapshot(text, new Map(Object.entries(largeValues))));
  const { variables, hiddenVariables, scopes } = snapshotView(snapshot, await processesOf(deps, snapshot));
  const tokens = allTokens(snapshot);
  return {
    summary,
    variables,
    hiddenVariables,
    scopes,
    tokens: tokens.map(({ id, scopeId, elementId }) => ({ id, scopeId, elementId })),
    messageWaits: messageWaits(snapshot, tokens),
  };
}

async function withParts({ database }: ReadingDeps, snapshot: Snapshot): Promise<Snapshot> {
  if (!hasParts(snapshot)) return snapshot;
  const rows = await listInstanceParts(database, snapshot.instanceId, 0, MAX_PARTS_READ);
  return { ...snapshot, parts: rows.map((row) => decodePart(row.data)) };
}

async function processesOf({ deployments }: ReadingDeps, snapshot: Snapshot): Promise<ProcessOf> {
  const ids = deploymentsIn(snapshot);
  const models = await Promise.all(ids.map((id) => deployments.model(id)));
  const byId = new Map(ids.map((id, index) => [id, models[index]]));
  return (deploymentId, processId) => byId.get(deploymentId)?.processes.get(processId) ?? null;
}

function allTokens({ tokens, parts = [] }: Snapshot): readonly Token[] {
  return [...tokens, ...parts.flatMap((part) => part.tokens)];
}

function messageWaits(snapshot: Snapshot, tokens: readonly Token[]): readonly MessageWaitReading[] {
  const { parts = [] } = snapshot;
  const scopes = new Map(
    [...snapshot.scopes, ...parts.flatMap((part) => part.scopes)].map((scope) => [scope.id, scope]),
  );
  const scopeIdOf = new Map(tokens.map((token) => [token.id, token.scopeId]));
  return [...snapshot.waits, ...parts.flatMap((part) => part.waits)].flatMap((wait) => {
    if (wait.kind !== 'message') return [];
    const { id, tokenId, elementId, channel } = wait;
    const scopeId = tokenId === null ? wait.scopeId : scopeIdOf.get(tokenId);
    return [{ id, tokenId, elementId, channel, deploymentId: deploymentOf(snapshot, scopes, scopeId) }];
  });
}

/** Whose process runs in the scope. */
function deploymentOf(
  { deploymentId }: Snapshot,
  scopes: ReadonlyMap<number, Scope>,
  scopeId: number | undefined,
): string {
  let scope = scopeId === undefined ? undefined : scopes.get(scopeId);
  while (scope !== undefined) {
    if (scope.called !== undefined) return scope.called.deploymentId;
    scope = scope.parentId === null ? undefined : scopes.get(scope.parentId);
  }
  return deploymentId;
}
