/**
 * Throwing compensation, and running the handlers.
 *
 * H1 Handlers run in reverse order of completion, each when the one before is done; those of a handler on a
 *    parallel multi-instance activity, one for each of its instances, run together. BPMN 2.0.2 §10.7.1, §13.5.5.
 * H2 The token that threw waits for them all, or, when it does not want to, another one in its place.
 * H3 The inside of a completed sub-process is opened again, with its variables as they were, for as long as
 *    its handlers run; it is a `restored` scope.
 */
import { compensationHandlerIn, takeRecords } from './compensation-records.ts';
import { scopeFactsAt } from './event-waits.ts';
import { triggerEventSubProcess } from './interrupt.ts';
import { InvariantError } from './invariant-error.ts';
import type { LiveScope, LiveToken } from './live-state.ts';
import type { CompensationGroup, CompensationRecord, CompensationRun } from './snapshot.ts';
import type { Step } from './step.ts';

export interface Compensation {
  /** Null: everything in the token's scope. */
  readonly activityId: string | null;
  readonly waitsForCompletion: boolean;
}

/** @returns `done` when the token need not wait */
export function throwCompensation(
  step: Step,
  token: LiveToken,
  { activityId, waitsForCompletion }: Compensation,
): 'done' | 'waits' {
  step.history('compensationThrown', token.elementId, { activityId });
  const records = takeRecords(step, token.scope, activityId);
  if (records.length === 0) return 'done';
  const runner = waitsForCompletion ? token : step.newWaitingToken(token.scope, token.elementId);
  const groups = [...records].reverse().flatMap((record) => groupsOf(step, runner, record, record.scopeId));
  runner.compensating = { groups: groups.reverse(), isDetached: !waitsForCompletion };
  continueCompensation(step, runner);
  return waitsForCompletion ? 'waits' : 'done';
}

/** The handlers of a record, the first to run first. */
function groupsOf(
  step: Step,
  runner: LiveToken,
  record: CompensationRecord,
  scopeId: number,
): readonly CompensationGroup[] {
  const { elementId, handlerId, records, isParallel } = record;
  if (handlerId !== null) return [[{ record, scopeId }]];
  if (record.variables === undefined) {
    // The runs of a loop.
    const runs = [...(records ?? [])].reverse();
    const isSimple = isParallel === true && runs.every((run) => run.handlerId !== null);
    return isSimple
      ? [runs.map((run) => ({ record: run, scopeId }))]
      : runs.flatMap((run) => groupsOf(step, runner, run, scopeId));
  }
  const parent = scopeOf(step, scopeId);
  const scope = step.newScope(runner, record.variables, { kind: 'restored', elementId, parent });
  if (compensationHandlerIn(scopeFactsAt(scope).handlers) !== undefined) {
    for (const inner of records ?? []) step.compensations.add({ ...inner, scopeId: scope.id });
    return [[{ record: { id: record.id, scopeId, elementId, handlerId: null }, scopeId: scope.id }]];
  }
  return [...(records ?? [])].reverse().flatMap((inner) => groupsOf(step, runner, inner, scope.id));
}

function startHandler(step: Step, runner: LiveToken, { record, scopeId }: CompensationRun): void {
  const scope = scopeOf(step, scopeId);
  if (record.handlerId === null) {
    const handler = compensationHandlerIn(scopeFactsAt(scope).handlers);
    if (handler === undefined) throw new InvariantError(`scope ${scope.id} has nothing to compensate it`);
    triggerEventSubProcess(step, scope, handler);
    return;
  }
  const handlerScope = step.newScope(runner, record.variables ?? {}, {
    kind: 'handler',
    elementId: record.handlerId,
    parent: scope,
  });
  step.newToken(handlerScope, record.handlerId, 'entering', null);
}

/**
 * The next handlers run, or the token that threw goes on. To be called whenever a handler has come to its end.
 * A token that only ran them ends with them (`execute.ts`).
 */
export function continueCompensation(step: Step, runner: LiveToken): void {
  const { compensating } = runner;
  if (compensating === null) throw new InvariantError(`token ${runner.id} compensates nothing`);
  for (const { tokens } of runner.childScopes ?? []) if (tokens.size > 0) return;
  closeRestored(step, runner, compensating.groups);
  const group = compensating.groups.pop();
  if (group !== undefined) {
    for (const run of group) startHandler(step, runner, run);
    return;
  }
  if (compensating.isDetached) {
    step.enqueue(runner, 'leaving');
    return;
  }
  runner.compensating = null;
  step.complete(runner);
}

/** Closes the restored scopes that no handler is still to run in (H3). One may be inside another: inner ones first. */
function closeRestored(step: Step, runner: LiveToken, groups: readonly CompensationGroup[]): void {
  if (runner.childScopes === null || runner.childScopes.size === 0) return;
  const wantedIds = new Set<number>();
  for (const { scopeId } of groups.flat()) {
    for (
      let scope: LiveScope | null = scopeOf(step, scopeId);
      scope?.kind === 'restored';
      scope = scope.parent
    ) {
      wantedIds.add(scope.id);
    }
  }
  for (const scope of [...runner.childScopes].reverse())
    if (!wantedIds.has(scope.id)) step.removeScope(scope);
}

function scopeOf(step: Step, id: number): LiveScope {
  const scope = step.scopes.get(id);
  if (scope === undefined) throw new InvariantError(`there is no scope ${id} to compensate in`);
  return scope;
}
