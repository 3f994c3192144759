/**
 * Activities that run more than once, or with data of their own.
 *
 * The token of such an activity waits while its runs go on. Each run has a frame: a scope with the run's own
 * variables and one token, which stands at the very same activity and does its work.
 *
 * O1 `active` counts the frames, `completed` the runs that have ended as they should; they never exceed `started`.
 * O2 Boundary events belong to the activity as a whole: they are armed once, at its own token.
 * O3 A run that fails is retried by itself; the others go on.
 */
import { isFeelNumber } from '../../definitions/feel/number.ts';
import type { Activity, MultiInstanceLoop, StandardLoop } from '../../definitions/model.ts';
import { numberLiteral } from '../../definitions/number-literal.ts';
import type { Context, Value } from '../../definitions/value.ts';
import { keepRun, keepRuns } from './compensation-records.ts';
import { ElementFailure } from './element-failure.ts';
import { evaluate, holds, kindOf } from './evaluate.ts';
import { removeInside } from './interrupt.ts';
import { InvariantError } from './invariant-error.ts';
import type { LiveLoop, LiveToken } from './live-state.ts';
import { activityAt } from './loop-facts.ts';
import { assign, lookUp } from './scope-variables.ts';
import type { Step } from './step.ts';

/** Runs of one activity. A guess: ten times the widest that is measured; above it a turn would take many seconds. */
export const MAX_RUNS = 100_000;

/**
 * Starts the first runs. BPMN 2.0.2 §13.3.6, §13.3.7.
 * @returns `done` when there is nothing to run
 * @throws ElementFailure
 */
export function beginRuns(step: Step, token: LiveToken, node: Activity): 'done' | 'waits' {
  const { loop } = node;
  if (loop === null) {
    openFrame(step, token, node, {});
    return 'waits';
  }
  return loop.kind === 'standard'
    ? beginStandardLoop(step, token, node, loop)
    : beginMultiInstance(step, token, node, loop);
}

function beginStandardLoop(
  step: Step,
  token: LiveToken,
  node: Activity,
  loop: StandardLoop,
): 'done' | 'waits' {
  if (loop.isTestedBefore && !wantsRun(step, token, node, loop, 1)) return 'done';
  token.loop = newLoop(null);
  openFrame(step, token, node, { loopCounter: 1 }, 0);
  return 'waits';
}

function wantsRun(
  step: Step,
  token: LiveToken,
  { id }: Activity,
  loop: StandardLoop,
  loopCounter: number,
): boolean {
  const { condition } = loop;
  return condition === null || holds(step, token, condition, `the loop of ${id}`, { loopCounter });
}

function beginMultiInstance(
  step: Step,
  token: LiveToken,
  node: Activity,
  loop: MultiInstanceLoop,
): 'done' | 'waits' {
  const items = loop.collection === null ? null : itemsOf(step, token, node, loop.collection);
  const total = items === null ? cardinalityOf(step, token, node, loop) : items.length;
  if (total === 0) {
    if (loop.outputCollection !== null) assign(token.scope, loop.outputCollection, []);
    return 'done';
  }
  if (!loop.isSequential) step.beginInstances(total);
  const isParted = token.scope.graph.facts(node.id).isParted && token.scope.partId === null;
  token.loop = newLoop(total, isParted, loop.outputCollection !== null && !isParted);
  if (loop.isSequential) {
    token.loop.items = items;
    openNextRun(step, token, node, loop, token.loop);
    return 'waits';
  }
  for (let index = 0; index < total; index += 1)
    openRun(step, token, node, loop, index, items?.[index] ?? null);
  return 'waits';
}

function newLoop(total: number | null, isParted = false, collects = false): LiveLoop {
  const outputs = collects ? new Map<number, Value>() : null;
  return { total, started: 0, active: 0, completed: 0, items: null, nextItem: 0, outputs, isParted };
}

function itemsOf(
  step: Step,
  token: LiveToken,
  node: Activity,
  collection: NonNullable<MultiInstanceLoop['collection']>,
): readonly Value[] {
  const value = evaluate(step, token, collection);
  if (!isList(value)) invalid(node, `its collection is a ${kindOf(value)}, not a list`);
  if (value.length > MAX_RUNS)
    invalid(node, `its collection has ${value.length} items, more than ${MAX_RUNS}`);
  return value;
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

function cardinalityOf(step: Step, token: LiveToken, node: Activity, loop: MultiInstanceLoop): number {
  if (loop.cardinality === null) throw new InvariantError(`the loop of ${node.id} has no cardinality`);
  const value = evaluate(step, token, loop.cardinality);
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > MAX_RUNS) {
    const found = isFeelNumber(value) ? numberLiteral(value) : `a ${kindOf(value)}`;
    invalid(node, `its cardinality is ${found}, not a whole number from 0 to ${MAX_RUNS}`);
  }
  return value;
}

function invalid({ id }: Activity, fault: string): never {
  throw new ElementFailure('SUTRA.CORE.LOOP_INVALID', `${id} cannot run: ${fault}`);
}

function openRun(
  step: Step,
  token: LiveToken,
  node: Activity,
  { itemVariable, outputItemVariable }: MultiInstanceLoop,
  index: number,
  item: Value,
): void {
  const variables: Record<string, Value> = { loopCounter: index + 1 };
  if (outputItemVariable !== null) variables[outputItemVariable] = null;
  if (itemVariable !== null) variables[itemVariable] = item;
  openFrame(step, token, node, variables, index);
}

function openNextRun(
  step: Step,
  token: LiveToken,
  node: Activity,
  loop: MultiInstanceLoop,
  state: LiveLoop,
): void {
  const item = state.items?.[state.nextItem] ?? null;
  state.nextItem += 1;
  openRun(step, token, node, loop, state.started, item);
}

function openFrame(step: Step, token: LiveToken, node: Activity, variables: Context, index?: number): void {
  const state = token.loop;
  const isPart = state?.isParted === true;
  const frame = step.newScope(token, variables, {
    kind: 'frame',
    isPart,
    ...(index === undefined ? {} : { index }),
  });
  if (state !== null) {
    state.started += 1;
    state.active += 1;
  }
  step.newToken(frame, node.id, 'entering', null);
}

/**
 * Ends a run whose work is done, and says what is next: another run, or the way out of the activity.
 * @throws ElementFailure before it has changed anything
 */
export function endRun(step: Step, run: LiveToken): void {
  const owner = run.scope.owner;
  if (owner === null) throw new InvariantError(`the run ${run.id} belongs to no activity`);
  const node = activityAt(owner);
  const { loop } = node;
  const state = owner.loop;
  if (loop === null || state === null) {
    keepRun(step, run, owner);
    removeRun(step, run);
    step.complete(owner);
  } else if (loop.kind === 'standard') {
    endStandardRun(step, run, owner, node, loop, state);
  } else {
    endInstance(step, run, owner, node, loop, state);
  }
}

function removeRun(step: Step, run: LiveToken): void {
  step.removeToken(run);
  step.removeScope(run.scope);
}

function endStandardRun(
  step: Step,
  run: LiveToken,
  owner: LiveToken,
  node: Activity,
  loop: StandardLoop,
  state: LiveLoop,
): void {
  const ran = state.completed + 1;
  const mayGoOn = loop.maximum === null || ran < loop.maximum;
  // Tested before or after, the condition is asked between two runs: over what the run before has written.
  const goesOn = mayGoOn && wantsRun(step, run, node, loop, loop.isTestedBefore ? ran + 1 : ran);
  keepRun(step, run, owner);
  removeRun(step, run);
  state.active -= 1;
  state.completed = ran;
  if (goesOn) {
    openFrame(step, owner, node, { loopCounter: ran + 1 }, ran);
    return;
  }
  owner.loop = null;
  step.complete(owner);
}

function endInstance(
  step: Step,
  run: LiveToken,
  owner: LiveToken,
  node: Activity,
  loop: MultiInstanceLoop,
  state: LiveLoop,
): void {
  const isOver = isCompleteWith(step, run, node, loop, state);
  const output =
    loop.outputItemVariable === null ? null : (lookUp(run.scope, loop.outputItemVariable) ?? null);
  const { index = 0, id } = run.scope;
  keepRun(step, run, owner);
  removeRun(step, run);
  state.active -= 1;
  state.completed += 1;
  if (state.isParted) keepOutput(step, id, loop.outputCollection === null ? null : output);
  else state.outputs?.set(index, output);
  if (!isOver) {
    if (loop.isSequential) openNextRun(step, owner, node, loop, state);
    return;
  }
  if (loop.outputCollection !== null) {
    assign(owner.scope, loop.outputCollection, outputsOf(step, owner, state));
  }
  keepRuns(step, owner, node);
  removeInside(step, owner);
  step.complete(owner);
}

/** The part of a run that has ended stays only for its output. */
function keepOutput(step: Step, partId: number, output: Value | null): void {
  const part = step.parts.get(partId);
  if (part === undefined) throw new InvariantError(`there is no part ${partId}`);
  const { loop } = activityAt(part.owner);
  if (loop?.kind === 'multiInstance' && loop.outputCollection !== null) part.output = output ?? null;
  else step.parts.delete(partId);
}

/** Whether the activity is done when this run is. The completion condition sees the run's own variables. */
function isCompleteWith(
  step: Step,
  run: LiveToken,
  node: Activity,
  { completionCondition }: MultiInstanceLoop,
  { total, started, active, completed }: LiveLoop,
): boolean {
  if (completed + 1 === total) return true;
  if (completionCondition === null) return false;
  const counters = {
    numberOfInstances: total ?? started,
    numberOfActiveInstances: active - 1,
    numberOfCompletedInstances: completed + 1,
    numberOfTerminatedInstances: 0,
  };
  return holds(step, run, completionCondition, `the loop of ${node.id}`, counters);
}

/** One value for each instance, in order; null for those that did not complete. */
function outputsOf(step: Step, owner: LiveToken, { total, outputs, isParted }: LiveLoop): readonly Value[] {
  const byRun = isParted
    ? new Map(step.partsOf(owner, true).map(({ index, output }) => [index, output ?? null]))
    : (outputs ?? new Map<number, Value>());
  return Array.from({ length: total ?? 0 }, (_, index) => byRun.get(index) ?? null);
}
