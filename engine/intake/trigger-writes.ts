/**
 * What a batch writes of signals and start timers: who waits now, what was thrown, what was settled.
 *
 * T1 Waits are written before throws: whoever began to wait in this very commit is reached. The turns of one
 *    commit are concurrent, so either order of two instances is right.
 * T2 The thrower is not reached by its own throw: the core has given it the signal already.
 */
import { encodeValue } from '../../definitions/value-codec.ts';
import type { Snapshot } from '../core/snapshot.ts';
import {
  deleteSignalDeliveries,
  deleteSignalWaits,
  dropHeldSignalDeliveries,
  holdSignalDeliveries,
  insertSignalWaits,
  releaseSignalDeliveries,
  throwSignals,
  type SignalWait,
  type ThrownSignal,
} from '../store/signals.ts';
import { deleteStartTimers, moveStartTimers } from '../store/start-timers.ts';
import type { StatementRunner } from '../transport.ts';
import type { InstanceWork } from './instance-work.ts';
import type { SettledTriggers } from './trigger-settlements.ts';

export interface TriggerWrites {
  readonly writes: readonly Promise<unknown>[];
  /** Resolved with the writes: there are deliveries that are due now. */
  readonly hasSignals: Promise<boolean>;
}

/** Sends its statements at once, in this order, and waits for none. `works`: those that have changed. */
export function writeTriggers(
  runner: StatementRunner,
  works: readonly InstanceWork[],
  settled: SettledTriggers,
): TriggerWrites {
  const { begun, ended } = waitChanges(works);
  const thrown = works.flatMap(thrownBy);
  const repaired = works.filter(wasFailed);
  const repairedIds = repaired.filter((work) => !work.hasEnded).map(({ origin }) => origin.id);
  const endedIds = repaired.filter((work) => work.hasEnded).map(({ origin }) => origin.id);
  const { deliveredIds, heldIds, endedTimers, movedTimers } = settled;
  const writes: Promise<unknown>[] = [];
  const counted = (rows: readonly unknown[], write: () => Promise<number>, what: string): void => {
    if (rows.length > 0) writes.push(expectCount(write(), rows.length, what));
  };
  if (begun.length > 0) writes.push(insertSignalWaits(runner, begun));
  counted(ended, () => deleteSignalWaits(runner, ended), 'waits for signals');
  counted(deliveredIds, () => deleteSignalDeliveries(runner, deliveredIds), 'signals on their way');
  counted(heldIds, () => holdSignalDeliveries(runner, heldIds), 'signals to hold');
  counted(endedTimers, () => deleteStartTimers(runner, endedTimers), 'start timers');
  counted(movedTimers, () => moveStartTimers(runner, movedTimers), 'start timers to move');
  if (endedIds.length > 0) writes.push(dropHeldSignalDeliveries(runner, endedIds));
  const due: Promise<number>[] = [];
  if (thrown.length > 0) {
    due.push(throwSignals(runner, thrown).then(({ instances, starts }) => instances + starts));
  }
  if (repairedIds.length > 0) due.push(releaseSignalDeliveries(runner, repairedIds));
  const hasSignals = Promise.all(due).then((counts) => counts.some((count) => count > 0));
  // Whoever waits for the writes meets the failure there.
  hasSignals.catch(() => undefined);
  return { writes: [...writes, ...due], hasSignals };
}

/** All of these rows are locked, by themselves or by their instance: another count is a fault of ours. */
async function expectCount(changed: Promise<number>, count: number, what: string): Promise<void> {
  const found = await changed;
  if (found !== count) throw new Error(`${String(found)} of ${String(count)} ${what} were there`);
}

function waitChanges(works: readonly InstanceWork[]): {
  readonly begun: readonly SignalWait[];
  readonly ended: readonly SignalWait[];
} {
  const begun: SignalWait[] = [];
  const ended: SignalWait[] = [];
  for (const { origin, readSnapshot, snapshot } of works) {
    const before = signalNames(readSnapshot);
    const after = signalNames(snapshot);
    const wait = (name: string): SignalWait => ({ tenant: origin.tenant, name, instanceId: origin.id });
    for (const name of after) if (!before.has(name)) begun.push(wait(name));
    for (const name of before) if (!after.has(name)) ended.push(wait(name));
  }
  return { begun, ended };
}

/** The waits for signals of a snapshot are never in its parts. */
function signalNames(snapshot: Snapshot | null): ReadonlySet<string> {
  const waits = snapshot?.waits ?? [];
  return new Set(waits.flatMap((wait) => (wait.kind === 'signal' ? [wait.name] : [])));
}

function thrownBy({ origin, signals }: InstanceWork): ThrownSignal[] {
  return signals.map(({ name, payload }) => ({
    tenant: origin.tenant,
    name,
    payload: encodeValue(payload),
    throwerId: origin.id,
  }));
}

function wasFailed({ readSnapshot, snapshot }: InstanceWork): boolean {
  return readSnapshot?.status === 'failed' && snapshot?.status !== 'failed';
}
