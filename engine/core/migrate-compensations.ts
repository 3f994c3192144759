/**
 * What has completed and can be compensated, and what is being compensated: each record must have its handler in the
 * new model too.
 */
import { compensationHandlerIn } from './compensation-records.ts';
import { scopeFactsAt } from './event-waits.ts';
import type { LiveScope } from './live-state.ts';
import type { ProcessPair, ProcessPairs } from './migrate-processes.ts';
import type { MigrationReasons } from './migrate-reasons.ts';
import { checkNode } from './migrate-tokens.ts';
import type { CompensationGroup, CompensationRecord } from './snapshot.ts';
import type { Step } from './step.ts';

export function checkCompensations(step: Step, pairs: ProcessPairs, reasons: MigrationReasons): void {
  for (const record of step.before.compensations ?? []) {
    const pair = pairOf(step, pairs, record.scopeId);
    if (pair !== null) checkRecord(pair, record, reasons);
  }
  for (const { compensating } of step.tokens.values()) {
    for (const { record, scopeId } of compensating?.groups.flat() ?? []) {
      const scope = step.scopes.get(scopeId);
      const pair = scope === undefined ? null : pairs.of(scope);
      if (scope === undefined || pair === null) continue;
      // Without a handler it is the event sub-process in its scope that undoes.
      if (record.handlerId === null) checkUndoing(pair, scope, reasons);
      else checkRecord(pair, record, reasons);
    }
  }
}

function pairOf(step: Step, pairs: ProcessPairs, scopeId: number): ProcessPair | null {
  const scope = step.scopes.get(scopeId);
  return scope === undefined ? null : pairs.of(scope);
}

function checkRecord(pair: ProcessPair, record: CompensationRecord, reasons: MigrationReasons): void {
  const { elementId, handlerId, records, variables } = record;
  const target = checkNode(pair, elementId, null, [], reasons);
  for (const inner of records ?? []) checkRecord(pair, inner, reasons);
  if (target === null) return;
  if (handlerId !== null) {
    const handler = pair.to.facts(target.id).compensationHandlerId;
    if (handler === pair.nodeId(handlerId)) return;
    const message = `${elementId} has completed and can be undone by ${handlerId}, and in the new model ${target.id} ${handler === null ? 'cannot be undone' : `is undone by ${handler}`}`;
    reasons.add(elementId, null, message);
    return;
  }
  // The inside of a sub-process. Without variables the record stands for the runs of a loop.
  if (variables === undefined) return;
  const undoes = (graph: ProcessPair['from'], id: string): boolean =>
    compensationHandlerIn(graph.scopeFacts(id).handlers) !== undefined;
  const isUndone = undoes(pair.from, elementId);
  if (isUndone === undoes(pair.to, target.id)) return;
  const [old, now] = isUndone ? ['is', 'is not'] : ['is not', 'is'];
  const message = `${elementId} ${old} undone by an event sub-process of its own, and in the new model ${target.id} ${now}`;
  reasons.add(elementId, null, message);
}

function checkUndoing(pair: ProcessPair, scope: LiveScope, reasons: MigrationReasons): void {
  const target = { ...scope, graph: pair.to, elementId: pair.nodeId(scope.elementId) };
  if (compensationHandlerIn(scopeFactsAt(target).handlers) !== undefined) return;
  const message = `an event sub-process is to undo ${scope.elementId}, and in the new model ${target.elementId} has none for that`;
  reasons.add(scope.elementId, null, message);
}

export function migratedRecord(pair: ProcessPair, record: CompensationRecord): CompensationRecord {
  const { elementId, handlerId, records } = record;
  return {
    ...record,
    elementId: pair.nodeId(elementId),
    handlerId: handlerId === null ? null : pair.nodeId(handlerId),
    ...(records === undefined ? {} : { records: records.map((inner) => migratedRecord(pair, inner)) }),
  };
}

/** Where the scopes of the records are not migrated, they stay as they are. */
export function migratedRecords(
  step: Step,
  pairs: ProcessPairs,
  records: readonly CompensationRecord[],
): readonly CompensationRecord[] {
  return records.map((record) => {
    const pair = pairOf(step, pairs, record.scopeId);
    return pair === null ? record : migratedRecord(pair, record);
  });
}

export function migratedGroups(
  step: Step,
  pairs: ProcessPairs,
  groups: readonly CompensationGroup[],
): readonly CompensationGroup[] {
  return groups.map((group) =>
    group.map((run) => {
      const pair = pairOf(step, pairs, run.scopeId);
      return pair === null ? run : { ...run, record: migratedRecord(pair, run.record) };
    }),
  );
}
