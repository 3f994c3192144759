/** Does what a scenario says and compares what is so with what it expects. */
import assert from 'node:assert/strict';
import { parseDuration } from '../../../config/iso8601.ts';
import { TurnBudget } from '../../../definitions/feel.ts';
import { startPointsOf } from '../../../definitions/model.ts';
import type { AdvanceResult } from '../../../engine/core/effect.ts';
import type { Wait } from '../../../engine/core/snapshot.ts';
import { ANY_ALIAS, ITERATION_ALIAS } from './adapt.ts';
import {
  activeIds,
  containersOf,
  joiningIds,
  launchableIds,
  pendingRuns,
  processCount,
  valuesAt,
  waitIds,
  waitsOf,
} from './observe.ts';
import type { Action, Expected, Scenario } from './scenario.ts';
import { EMPTY_MESSAGE, World, type Run } from './world.ts';

const LISTENERS = ['message', 'signal', 'condition'] as const;

/** Where a scenario went another way than its row says. */
export interface Difference {
  readonly step: number;
  readonly message: string;
}

/** Null: it behaves as written. Anything but a comparison that fails is thrown: it is a fault of the test. */
export function differenceOf(scenario: Scenario, folder: string): Difference | null {
  const world = World.deploy(folder, scenario.files);
  for (const { number, actions, expected } of scenario.steps) {
    try {
      let last: AdvanceResult | null = null;
      for (const [index, action] of actions.entries()) {
        last = act(world, action);
        const isLast = index === actions.length - 1;
        if (!isLast) assertAccepted(last, action.kind);
      }
      compare(world, expected, last);
    } catch (error) {
      if (!(error instanceof assert.AssertionError)) throw error;
      return { step: number, message: error.message };
    }
  }
  return null;
}

function assertAccepted(result: AdvanceResult | null, what: string): void {
  if (result?.kind === 'refused') assert.fail(`${what} is refused: ${result.code}: ${result.message}`);
}

/** Null: no single instance was asked. */
function act(world: World, action: Action): AdvanceResult | null {
  switch (action.kind) {
    case 'deploy':
      return null;
    case 'start':
      return world.start(world.process(action.process ?? undefined), null, { variables: action.variables });
    case 'startByMessage':
      return startByMessage(world, action.message);
    case 'evaluateStarts':
      return evaluateStarts(world, action);
    case 'broadcast':
      world.broadcast(action.signal, null);
      return null;
    case 'fireTimer':
      world.nowMs = Math.max(world.nowMs, Math.min(...timersOf(world.current).map(({ dueAtMs }) => dueAtMs)));
      world.runTimers();
      return null;
    case 'pass':
      world.nowMs += durationMs(action.duration);
      world.runTimers();
      return null;
    default:
      return actOnInstance(world, world.current, action);
  }
}

type InstanceAction = Exclude<
  Action,
  { kind: 'deploy' | 'start' | 'startByMessage' | 'evaluateStarts' | 'broadcast' | 'fireTimer' | 'pass' }
>;

function actOnInstance(world: World, run: Run, action: InstanceAction): AdvanceResult {
  switch (action.kind) {
    case 'complete': {
      const { variables } = action;
      return world.apply(run, { kind: 'completeUserTask', tokenId: tokenAt(run, action.task), variables });
    }
    case 'trigger':
      return world.apply(run, messageOn(waitAt(run, 'message', action.task).channel));
    case 'send':
      return world.apply(run, messageOn(action.message));
    case 'sendToEach':
      return sendToEach(world, run, action.message);
    case 'signal':
      return world.apply(run, { kind: 'signal', name: action.signal, payload: null });
    case 'set': {
      const tokenId = action.task === null ? null : tokenAt(run, action.task);
      return world.apply(run, { kind: 'setVariables', tokenId, variables: action.variables });
    }
    case 'launch': {
      const { adHoc, activity: activityId } = action;
      const tokenId = adHocTokenAt(run, adHoc);
      return world.apply(run, { kind: 'launchActivity', tokenId, activityId, variables: {} });
    }
    case 'completeAdHoc':
      return world.apply(run, { kind: 'completeAdHoc', tokenId: adHocTokenAt(run, action.adHoc) });
    case 'completeJob':
      return completeJob(world, run, action.task);
    case 'failJob':
      return world.failCall(run, waitAt(run, 'call', action.task), action.code);
    case 'cancel':
      return world.apply(run, { kind: 'cancel', reason: 'the scenario deletes it' });
  }
}

function startByMessage(world: World, channel: string): AdvanceResult {
  const found = world
    .startPoints()
    .find(({ point: { event } }) => event.kind === 'message' && event.source.channel === channel);
  assert.ok(found, `nothing starts by the message ${channel}`);
  return world.start(found.process, found.point, { message: EMPTY_MESSAGE });
}

function evaluateStarts(world: World, { variables }: Extract<Action, { kind: 'evaluateStarts' }>): null {
  for (const { process, point } of world.startPoints()) {
    if (point.event.kind !== 'conditional') continue;
    const value = point.event.condition.evaluate((name) => variables[name], new TurnBudget(world.nowMs));
    if (value === true) assertAccepted(world.start(process, point, { variables }), point.nodeId);
  }
  return null;
}

function messageOn(channel: string, alias = ANY_ALIAS): Parameters<World['apply']>[1] {
  return { kind: 'message', channel, key: null, aliases: [alias], message: EMPTY_MESSAGE };
}

function sendToEach(world: World, run: Run, message: string): AdvanceResult {
  const aliases = waitsOf(run.snapshot).flatMap((wait) =>
    wait.kind === 'message' && wait.channel === message
      ? wait.aliases.filter(({ name }) => name === ITERATION_ALIAS)
      : [],
  );
  const results = aliases.map((alias) => world.apply(run, messageOn(message, alias)));
  const refused = results.find(({ kind }) => kind === 'refused');
  const last = refused ?? results.at(-1);
  assert.ok(last, `no iteration waits for ${message}`);
  return last;
}

function completeJob(world: World, run: Run, task: string): AdvanceResult {
  const wait = waitAt(run, 'call', task);
  const code = world.models.flatMap(({ completionCodes }) => completionCodes.get(task) ?? []).at(0);
  return code === undefined ? world.answerCall(run, wait, {}) : world.failCall(run, wait, code);
}

function timersOf(run: Run): readonly Extract<Wait, { kind: 'timer' }>[] {
  const timers = waitsOf(run.snapshot).filter((wait) => wait.kind === 'timer');
  assert.ok(timers.length > 0, 'there is no timer');
  return timers;
}

function durationMs(text: string): number {
  const duration = parseDuration(text);
  assert.ok(duration.ok, text);
  return duration.ms;
}

/** The oldest wait of the kind at the element. */
function waitAt<Kind extends Wait['kind']>(
  run: Run,
  kind: Kind,
  elementId: string,
): Extract<Wait, { kind: Kind }> {
  const waits = waitsOf(run.snapshot);
  const wait = waits.find(
    (item): item is Extract<Wait, { kind: Kind }> => item.kind === kind && item.elementId === elementId,
  );
  const texts = waits.map((item) => `${item.kind}:${item.elementId}`);
  assert.ok(wait, `no ${kind} wait at ${elementId}; there are: ${texts.join(', ')}`);
  return wait;
}

function tokenAt(run: Run, task: string): number {
  return waitAt(run, 'user-task', task).tokenId ?? assert.fail(`the user task ${task} has no token`);
}

/** Of the ad hoc sub-process, whether it can launch something now or not. */
function adHocTokenAt(run: Run, adHoc: string): number {
  const token = run.snapshot.tokens.find(({ elementId }) => elementId === adHoc);
  assert.ok(token, `nothing is at ${adHoc}`);
  return token.id;
}

function compare(world: World, expected: Expected, result: AdvanceResult | null): void {
  if (expected.refused === undefined) assertAccepted(result, 'the last action');
  else assert.equal(result?.kind === 'refused' ? result.code : 'not refused', expected.refused, 'refused');
  compareWorld(world, expected);
  if (world.runs.length > 0) compareRun(world, world.current, expected);
}

function compareWorld(world: World, expected: Expected): void {
  const { activeAnywhere, entered, interrupted, starts, instances } = expected;
  const { runs } = world;
  if (activeAnywhere !== undefined) {
    assertSame(
      runs.flatMap(({ snapshot }) => activeIds(snapshot)),
      activeAnywhere,
      'active in all instances',
    );
  }
  for (const [id, count] of Object.entries(entered ?? {})) {
    assert.equal(entriesInto(world, id), count, `times that ${id} was entered`);
  }
  for (const id of interrupted ?? []) {
    assert.ok(world.effects.some(isHistory('interrupted', id)), `${id} was not interrupted`);
  }
  const { timers, ...listeners } = starts ?? {};
  if (timers !== undefined) assert.equal(world.startTimers.length, timers, 'timers that start instances');
  for (const [kind, count] of Object.entries(listeners)) {
    const points = world.processes.flatMap(startPointsOf).filter(({ event }) => event.kind === kind);
    assert.equal(points.length, count, `start events of the kind ${kind}`);
  }
  if (instances !== undefined) {
    const counts = runs.map(({ snapshot }) => processCount(snapshot));
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      instances,
      'instances',
    );
  }
}

/** Of an activity that runs several times, its runs. */
function entriesInto(world: World, elementId: string): number {
  const entries = world.effects.filter(isHistory('entered', elementId));
  const runs = entries.filter((effect) => effect.kind === 'history' && 'loopCounter' in effect.detail);
  return runs.length > 0 ? runs.length : entries.length;
}

function isHistory(event: string, elementId: string): (effect: World['effects'][number]) => boolean {
  return (effect) => effect.kind === 'history' && effect.event === event && effect.elementId === elementId;
}

function compareRun(world: World, run: Run, expected: Expected): void {
  const { snapshot, process } = run;
  compareStatus(run, expected);
  const lists = [
    ['active', expected.active, activeIds(snapshot)],
    ['tasks', expected.tasks, waitIds(snapshot, 'user-task')],
    ['listening', expected.listening, waitIds(snapshot, ...LISTENERS)],
    ['joining', expected.joining, joiningIds(snapshot)],
    ['launchable', expected.launchable, launchableIds(process, snapshot)],
  ] as const;
  for (const [what, wanted, found] of lists) if (wanted !== undefined) assertSame(found, wanted, what);
  const counts = [
    ['subscriptions', expected.subscriptions, waitIds(snapshot, ...LISTENERS).length],
    ['conditions', expected.conditions, waitIds(snapshot, 'condition').length],
    ['signals', expected.signals, waitIds(snapshot, 'signal').length],
    ['timers', expected.timers, waitIds(snapshot, 'timer').length],
    ['jobs', expected.jobs, waitIds(snapshot, 'call').length],
  ] as const;
  for (const [what, wanted, found] of counts) if (wanted !== undefined) assert.equal(found, wanted, what);
  if (expected.pending !== undefined) {
    assert.deepEqual(Object.fromEntries(pendingRuns(snapshot)), expected.pending, 'pending compensation');
  }
  for (const [id, names] of Object.entries(expected.assigned ?? {})) {
    const feel = world.models.flatMap(({ assignees }) => assignees.get(id) ?? []).at(0);
    assert.ok(feel, `${id} is assigned to nobody`);
    assertSame(valuesAt(snapshot, id, feel).map(String), names, `assignees of ${id}`);
  }
  for (const [id, containers] of Object.entries(expected.inside ?? {})) {
    assertSame(containersOf(snapshot, id), containers, `what contains ${id}`);
  }
}

function compareStatus({ snapshot }: Run, { ended, failed }: Expected): void {
  const { status, failure } = snapshot;
  if (failed !== undefined) {
    assert.deepEqual({ code: failure?.code, at: failure?.elementId }, failed, 'failure');
  } else if (ended === true) {
    const text = failure === null ? status : `${failure.code} at ${failure.elementId}: ${failure.message}`;
    assert.ok(status === 'completed' || status === 'terminated', `not ended but ${text}`);
    assert.equal(snapshot.tokens.length + waitsOf(snapshot).length, 0, 'something is left');
  } else {
    assert.equal(
      failure === null ? status : `${failure.code} at ${failure.elementId}: ${failure.message}`,
      'running',
    );
  }
}

function assertSame(found: readonly string[], wanted: readonly string[], what: string): void {
  assert.deepEqual([...found].sort(), [...wanted].sort(), what);
}
