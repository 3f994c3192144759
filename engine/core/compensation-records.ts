/**
 * What can be compensated: kept when an activity completes, in order of completion.
 *
 * K1 A record says in which scope the activity can be compensated; it goes when that scope ends.
 * K2 What completed inside a sub-process is kept inside the sub-process's record, with the variables of that
 *    moment, and only if there is anything to undo. A handler on the sub-process itself takes its place.
 * K3 The runs of a loop can be compensated only when the activity as a whole is done.
 * BPMN 2.0.2 §10.7.1, §13.5.5.
 */
import type { Activity } from '../../definitions/model.ts';
import { mergeContext } from '../../definitions/value.ts';
import { scopeFactsAt } from './event-waits.ts';
import type { EventHandler } from './graph.ts';
import type { LiveScope, LiveToken } from './live-state.ts';
import { hasFrames } from './loop-facts.ts';
import { countCopy, ownContext } from './scope-variables.ts';
import type { CompensationRecord } from './snapshot.ts';
import type { Step } from './step.ts';

/** The event sub-process that compensates the scope's inside, or undefined. */
export function compensationHandlerIn(handlers: readonly EventHandler[]): EventHandler | undefined {
  return handlers.find(({ start }) => start.triggers.some(({ kind }) => kind === 'compensation'));
}

/** The inside of a sub-process has come to its end; its token is about to complete. */
export function keepInside(step: Step, scope: LiveScope): void {
  const { owner } = scope;
  const inside = step.compensations.inScope(scope.id);
  if (
    owner === null ||
    (inside.length === 0 && compensationHandlerIn(scopeFactsAt(scope).handlers) === undefined)
  ) {
    return;
  }
  const frame = owner.scope.kind === 'frame' ? ownContext(owner.scope) : {};
  const variables = mergeContext(frame, ownContext(scope));
  countCopy(scope, variables);
  step.compensations.add({
    id: step.allocate(),
    scopeId: owner.scope.id,
    elementId: scope.elementId,
    handlerId: null,
    variables,
    ...(inside.length === 0 ? {} : { records: inside }),
    pendingTokenId: owner.id,
  });
}

/** An activity has completed. Of a loop or an activity with data of its own: as a whole. */
export function keepActivity(step: Step, token: LiveToken, node: Activity): void {
  const { compensationHandlerId } = token.scope.graph.facts(node.id);
  if (compensationHandlerId === null && step.compensations.isEmpty) return;
  if (hasFrames(node)) {
    keepRuns(step, token, node);
    return;
  }
  const inside = step.compensations.takePending(token.id);
  if (compensationHandlerId === null) {
    for (const record of inside) step.compensations.add(activated(record));
    return;
  }
  const { id: scopeId } = token.scope;
  step.compensations.add({
    id: step.allocate(),
    scopeId,
    elementId: node.id,
    handlerId: compensationHandlerId,
  });
}

/** A run has completed; it waits for the activity as a whole. To be called before its frame goes. */
export function keepRun(step: Step, run: LiveToken, owner: LiveToken): void {
  const handlerId = run.scope.graph.facts(run.elementId).compensationHandlerId;
  const inside = step.compensations.takePending(run.id);
  const common = { scopeId: owner.scope.id, elementId: run.elementId, pendingTokenId: owner.id };
  if (handlerId === null) {
    for (const record of inside) step.compensations.add({ ...record, ...common });
    return;
  }
  step.compensations.add({ id: step.allocate(), ...common, handlerId, variables: ownContext(run.scope) });
}

/** All runs are done: together they are one activity that can be compensated. */
export function keepRuns(step: Step, owner: LiveToken, { id: elementId, loop }: Activity): void {
  const records = step.compensations.takePending(owner.id);
  if (records.length === 0) return;
  if (loop === null) {
    for (const record of records) step.compensations.add(activated(record));
    return;
  }
  const isParallel = loop.kind === 'multiInstance' && !loop.isSequential;
  step.compensations.add({
    id: step.allocate(),
    scopeId: owner.scope.id,
    elementId,
    handlerId: null,
    records: records.map(activated),
    ...(isParallel ? { isParallel: true } : {}),
  });
}

/**
 * Takes the records out that a throwing event compensates: all of the scope, or those of one activity. What
 * an event sub-process throws is for the scope that it stands in too. In order of completion.
 */
export function takeRecords(
  step: Step,
  scope: LiveScope,
  activityId: string | null,
): readonly CompensationRecord[] {
  const taken = [...step.compensations.take(scope.id, activityId)];
  for (let inner = scope; inner.owner !== null && isEventSubProcess(inner); inner = inner.owner.scope) {
    taken.push(...step.compensations.take(inner.owner.scope.id, activityId));
  }
  return taken.sort((left, right) => left.id - right.id);
}

function isEventSubProcess({ kind, graph, elementId }: LiveScope): boolean {
  if (kind !== undefined) return false;
  const node = graph.process.nodes.get(elementId);
  return node?.kind === 'subProcess' && node.variant.kind === 'event';
}

function activated(record: CompensationRecord): CompensationRecord {
  const { pendingTokenId: _, ...rest } = record;
  return rest;
}
