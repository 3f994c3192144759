/** What a batch writes beside its instances: their parts, the deployments that they call, records of data stores. */
import type { PackageModel } from '../../definitions/package-model.ts';
import { writeRecords, type RecordWrite } from '../store/data-records.ts';
import { deleteCalls, insertCalls } from '../store/instance-calls.ts';
import { deleteAllParts, deleteParts, insertParts, updateParts } from '../store/instance-parts.ts';
import type { StatementRunner } from '../transport.ts';
import { mayCall } from './call-targets.ts';
import type { InstanceWork } from './instance-work.ts';
import { expectCount, WriteConflict } from './write-conflict.ts';

/** Of an ended instance nothing is kept: its parts are of use to a running one only. */
export function writeParts(runner: StatementRunner, works: readonly InstanceWork[]): Promise<unknown>[] {
  const changes = works.filter((work) => !work.hasEnded).map((work) => work.parts.writes(work.origin.id));
  const inserts = changes.flatMap((change) => change.inserts);
  const updates = changes.flatMap((change) => change.updates);
  const deletes = changes.flatMap((change) => change.deletes);
  const ended = works.filter((work) => work.hasEnded && work.parts.mayBeStored).map((work) => work.origin.id);
  const writes: Promise<unknown>[] = [];
  if (deletes.length > 0) writes.push(deleteParts(runner, deletes));
  if (inserts.length > 0) writes.push(insertParts(runner, inserts));
  if (updates.length > 0) {
    const conflict = 'a part changed under the lock of its instance';
    writes.push(expectCount(updateParts(runner, updates), updates.length, conflict));
  }
  if (ended.length > 0) writes.push(deleteAllParts(runner, ended));
  return writes;
}

/**
 * An ended instance calls nothing any more, and neither does one that was migrated to a process that holds no call
 * activity: what it has called need not stay for it.
 */
export function writeCalls(
  runner: StatementRunner,
  works: readonly InstanceWork[],
  models: ReadonlyMap<string, PackageModel>,
): Promise<unknown>[] {
  const mayCallBy = (deploymentId: string, { origin }: InstanceWork): boolean => {
    const process = models.get(deploymentId)?.processes.get(origin.processId);
    return process !== undefined && mayCall(process);
  };
  const calls = works
    .filter((work) => !work.hasEnded && mayCallBy(work.origin.deploymentId, work))
    .flatMap((work) => [...work.calls].map((deploymentId) => ({ instanceId: work.origin.id, deploymentId })));
  const done = works.filter((work) => {
    if (work.readSnapshot === null) return false;
    const callsNow = mayCallBy(work.origin.deploymentId, work);
    const hasCalled = callsNow || mayCallBy(work.readSnapshot.deploymentId, work);
    return hasCalled && (work.hasEnded || !callsNow);
  });
  const writes: Promise<unknown>[] = [];
  if (calls.length > 0) writes.push(insertCalls(runner, calls));
  if (done.length > 0) {
    const doneIds = done.map((work) => work.origin.id);
    writes.push(deleteCalls(runner, doneIds));
  }
  return writes;
}

/** Only making a record can wait for another commit; those that were there are locked already. */
export function writeDataRecords(
  runner: StatementRunner,
  records: readonly RecordWrite[],
): Promise<unknown>[] {
  if (records.length === 0) return [];
  return [
    writeRecords(runner, records).then((isWhole) => {
      if (!isWhole) throw new WriteConflict('another commit made one of the records');
    }),
  ];
}
