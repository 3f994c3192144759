/** A run in which something never happened has shown nothing about it. */
import assert from 'node:assert/strict';
import type { MixAudit } from './mix-audit.ts';
import type { MixLoad } from './mix-load.ts';
import type { MixOperators } from './mix-operators.ts';
import type { MixReplay } from './mix-replay.ts';

const SIGHTS = [
  'cycled',
  'migrated',
  'migratedInCycle',
  'migratedRenamed',
  'migratedFailed',
  'migratedBeforeRetry',
  'SUTRA.CORE.NO_FLOW_TAKEN',
  'SUTRA.CALL.TIMEOUT',
];

export function assertEverythingHappened(
  replays: ReadonlyMap<string, MixReplay>,
  { commands, begunIn }: MixOperators,
  { workers }: MixLoad,
  { openOrders }: MixAudit,
): void {
  const all = [...replays.values()];
  const deeds = new Set(
    all.flatMap((replay) => [...replay.deeds.keys()].map((deed) => deed.replace(/[:>].*/, ''))),
  );
  const seen = new Set(all.flatMap(({ sights }) => [...sights]));
  const notices = all.flatMap((replay) => [...replay.notices.values()]);
  const happened = {
    completed: all.some(({ status }) => status === 'completed'),
    begunInBoth: new Set(begunIn.values()).size === 2,
    ...Object.fromEntries(
      ['variablesSet', 'retried', 'moved', 'migrated', 'cancelled'].map((deed) => [
        `did ${deed}`,
        deeds.has(deed),
      ]),
    ),
    ...Object.fromEntries(SIGHTS.map((sight) => [sight, seen.has(sight)])),
    late: notices.some((text) => text.includes('late')),
    sold: notices.some((text) => text.includes('sold')),
    unmapped: commands.some(({ code }) => code === 'SUTRA.CORE.MIGRATION_REFUSED'),
    lateWork: workers.refusals.has('SUTRA.EXTERNAL_TASK.WITHDRAWN'),
    looked: openOrders > 0,
  };
  const missing = Object.entries(happened).filter(([, has]) => !has);
  assert.deepEqual(missing, [], `not everything happened in ${String(all.length)} orders`);
}
