/** What a batch writes for instances that go on with another deployment, beside their own rows. */
import type { PackageModel } from '../../definitions/package-model.ts';
import {
  migrateOutboxRows,
  migrateTasks,
  moveDeliveryIncidents,
  moveInstanceIncidents,
  type MigratedCall,
} from '../store/migrated-instances.ts';
import type { StatementRunner } from '../transport.ts';
import type { InstanceWork } from './instance-work.ts';
import { terminalPolicyOf } from './outbox-row.ts';

export interface MigrationWrites {
  readonly writes: readonly Promise<unknown>[];
  /** Resolved with the writes: how many of the tasks can be fetched, per channel. */
  readonly fetchable: Promise<ReadonlyMap<string, number>>;
}

/** Sends its statements at once, in this order, and waits for none. `works`: those that have changed. */
export function writeMigrations(
  runner: StatementRunner,
  works: readonly InstanceWork[],
  models: ReadonlyMap<string, PackageModel>,
): MigrationWrites {
  // Of an ended instance there are none: its calls were withdrawn.
  const calls = works.flatMap((work) => migratedCalls(work, models));
  const failures = works.flatMap(movedFailure);
  const writes: Promise<unknown>[] = [];
  let fetchable: Promise<ReadonlyMap<string, number>> = Promise.resolve(new Map());
  if (calls.length > 0) {
    writes.push(migrateOutboxRows(runner, calls));
    fetchable = migrateTasks(runner, calls);
    // Whoever waits for the writes meets the failure there.
    fetchable.catch(() => undefined);
    const instanceIds = [...new Set(calls.map((call) => call.instanceId))];
    writes.push(fetchable, moveDeliveryIncidents(runner, instanceIds));
  }
  if (failures.length > 0) writes.push(moveInstanceIncidents(runner, failures));
  return { writes, fetchable };
}

function migratedCalls(work: InstanceWork, models: ReadonlyMap<string, PackageModel>): MigratedCall[] {
  return [...work.migratedCalls.values()].map((call) => {
    const { idempotencyKey, deploymentId, processId, elementId, terminalWait } = call;
    const identity = models.get(deploymentId)?.identity;
    if (identity === undefined) throw new Error(`deployment ${deploymentId} is not loaded`);
    return {
      instanceId: work.origin.id,
      idempotencyKey,
      deploymentId,
      version: identity.version,
      processId,
      elementId,
      terminalPolicy: terminalPolicyOf(terminalWait),
    };
  });
}

/** A failed instance that stays so, at an element that has another id now. */
function movedFailure({
  origin,
  readSnapshot,
  snapshot,
}: InstanceWork): { readonly instanceId: string; readonly elementId: string }[] {
  if (readSnapshot?.status !== 'failed' || snapshot?.status !== 'failed') return [];
  const elementId = snapshot.failure?.elementId;
  if (elementId === undefined || elementId === readSnapshot.failure?.elementId) return [];
  return [{ instanceId: origin.id, elementId }];
}
