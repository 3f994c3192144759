/** What holds of migrations whatever the model, and wherever the instance is. A failing run prints its seed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Effect } from '../../engine/core/effect.ts';
import { encodePart, encodeSnapshot } from '../../engine/core/snapshot-codec.ts';
import type { Snapshot } from '../../engine/core/snapshot.ts';
import type { Stimulus } from '../../engine/core/stimulus.ts';
import { blockModel } from './block-models.ts';
import { changed, changesOfModels, elementIds, namesOf, renamedAll } from './changed-models.ts';
import { DEPLOYMENT_ID } from './instance.ts';
import { checkInvariants, contentsOf } from './invariants.ts';
import { blocks, type Block } from './random-blocks.ts';
import { graphModel, graphPlans, type GraphPlan } from './random-models.ts';
import { Play, playAtRandom, playOn, type Played } from './random-play.ts';

const NEXT_ID = 'dep-2';

const picks = fc.infiniteStream(fc.nat(10_000));
type Plan = { readonly block: Block } | { readonly graph: GraphPlan };

const plans: fc.Arbitrary<Plan> = fc.oneof(
  { weight: 3, arbitrary: blocks.map((block): Plan => ({ block })) },
  { weight: 1, arbitrary: graphPlans.map((graph): Plan => ({ graph })) },
);

function modelOf(plan: Plan): Played {
  return 'block' in plan ? blockModel(plan.block) : { process: graphModel(plan.graph) };
}

const anew = (id: string): string => `${id}~`;

function migration(deploymentId: string, elements: Readonly<Record<string, string>> = {}): Stimulus {
  return { kind: 'migrate', deploymentId, elements };
}

function applied(play: Play, stimulus: Stimulus): readonly Effect[] {
  const outcome = play.apply(stimulus);
  assert.equal(outcome.kind, 'advanced', JSON.stringify(outcome));
  return outcome.kind === 'advanced' ? outcome.effects : [];
}

/** What happens to an instance, before its migration and after it. */
interface Course {
  readonly before: readonly Stimulus[];
  readonly after: readonly Stimulus[];
}

/** Null: the instance ends before it ever waits. */
function courseOf(model: Played, stream: Iterator<number>, pick: number): Course | null {
  const { stimuli, snapshot } = playAtRandom(model, stream, 60);
  // What has failed can still be migrated, what has ended cannot.
  const count =
    snapshot.status === 'failed' || snapshot.status === 'running' ? stimuli.length : stimuli.length - 1;
  if (count === 0) return null;
  const cut = 1 + (pick % count);
  return { before: stimuli.slice(0, cut), after: stimuli.slice(cut) };
}

function playedTo(
  model: Played,
  stimuli: readonly Stimulus[],
  others: Readonly<Record<string, Played>> = {},
): Play {
  const play = new Play(model, 'needed', others);
  for (const stimulus of stimuli) applied(play, stimulus);
  return play;
}

/** The snapshot as it is in the other deployment, whose elements have these names. */
function inOther(snapshot: Snapshot, idOf: (id: string) => string, ids: ReadonlySet<string>): Snapshot {
  const walk = (value: unknown, key: string): unknown => {
    if (key === 'variables' || key === 'items' || key === 'outputs' || key === 'output') return value;
    // The names of signals.
    if (key === 'name') return value;
    if (typeof value === 'string') return ids.has(value) ? idOf(value) : value;
    if (Array.isArray(value)) return value.map((item) => walk(item, ''));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([name, item]): [string, unknown] => {
      if (name === 'deploymentId') return [name, item === DEPLOYMENT_ID ? NEXT_ID : item];
      return [ids.has(name) ? idOf(name) : name, walk(item, name)];
    });
    return Object.fromEntries(entries);
  };
  return walk(snapshot, '') as Snapshot;
}

function textOf(snapshot: Snapshot): string {
  return [encodeSnapshot(snapshot), ...(snapshot.parts ?? []).map(encodePart)].join('\n');
}

/** What a stimulus says of elements, by their other names. */
function renamedStimulus(stimulus: Stimulus, idOf: (id: string) => string): Stimulus {
  return stimulus.kind === 'launchActivity'
    ? { ...stimulus, activityId: idOf(stimulus.activityId) }
    : stimulus;
}

type Names = (id: string) => string;

/** There, on to the end beside one that is not migrated; and there and back. */
function checkEqualModel(model: Played, other: Played, idOf: Names, course: Course): void {
  const names = namesOf(model, idOf);
  const ids = new Set(Object.keys(names));
  const there = migration(NEXT_ID, names);
  const back = migration(DEPLOYMENT_ID, Object.fromEntries([...ids].map((id) => [idOf(id), id])));
  const play = playedTo(model, course.before, { [NEXT_ID]: other });
  const before = play.snapshot;
  const effects = applied(play, there);
  assert.deepEqual(withoutText(play.snapshot), withoutText(inOther(before, idOf, ids)));
  checkInvariants(play.snapshot);
  assert.deepEqual(told(effects), toTell(before, idOf));
  applied(play, back);
  assert.equal(textOf(play.snapshot), textOf(before), 'there and back it is the same to the byte');
  applied(play, there);
  const stayed = playedTo(model, course.before);
  const rest: readonly Stimulus[] = before.status === 'failed' ? [{ kind: 'retry' }] : course.after;
  for (const stimulus of rest) {
    applied(stayed, stimulus);
    applied(play, renamedStimulus(stimulus, idOf));
    assert.deepEqual(withoutText(play.snapshot), withoutText(inOther(stayed.snapshot, idOf, ids)));
  }
}

/** The text of a failure names elements. */
function withoutText(snapshot: Snapshot): Snapshot {
  return snapshot.failure === null
    ? snapshot
    : { ...snapshot, failure: { ...snapshot.failure, message: '' } };
}

/** All effects of a migration by which nothing is armed, withdrawn or sent, each with what it is about. */
function toTell({ waits, parts = [] }: Snapshot, idOf: Names): readonly string[] {
  const all = [...waits, ...parts.flatMap((part) => part.waits)];
  const calls = all.flatMap((wait) => (wait.kind === 'call' ? [`callMigrated ${wait.idempotencyKey}`] : []));
  const timers = all.filter(({ kind, elementId }) => kind === 'timer' && idOf(elementId) !== elementId);
  return [
    'migrated',
    ...calls,
    ...timers.flatMap(({ id }) => [`timerCleared ${id}`, `timerSet ${id}`]),
  ].sort();
}

function told(effects: readonly Effect[]): readonly string[] {
  const lines = effects.flatMap((effect): string[] => {
    if (effect.kind === 'callMigrated') return [`callMigrated ${effect.idempotencyKey}`];
    if (effect.kind === 'timerCleared' || effect.kind === 'timerSet')
      return [`${effect.kind} ${effect.waitId}`];
    if (effect.kind !== 'history') return [effect.kind];
    return effect.event === 'elementMigrated' ? [] : [effect.event];
  });
  return lines.sort();
}

test('M4: in a model with the same elements nothing of an instance changes, and it ends as one that stayed', () => {
  fc.assert(
    fc.property(plans, picks, fc.nat(), (plan, stream, pick) => {
      const model = modelOf(plan);
      const course = courseOf(model, stream, pick);
      if (course !== null) checkEqualModel(model, model, (id) => id, course);
    }),
    { numRuns: 200 },
  );
});

test('M4: with all elements renamed and mapped, nothing changes but their names', () => {
  fc.assert(
    fc.property(plans, picks, fc.nat(), (plan, stream, pick) => {
      const model = modelOf(plan);
      const course = courseOf(model, stream, pick);
      if (course !== null) checkEqualModel(model, renamedAll(model, anew), anew, course);
    }),
    { numRuns: 200 },
  );
});

test('whatever has changed in a model, an instance is refused with reasons or goes on in it, and its invariants hold', () => {
  let migratedCount = 0;
  let refusedCount = 0;
  fc.assert(
    fc.property(plans, picks, fc.nat(), changesOfModels, (plan, stream, pick, list) => {
      const model = modelOf(plan);
      const course = courseOf(model, stream, pick);
      if (course === null) return;
      const places = placesOf(playedTo(model, course.before).snapshot);
      const { process, callable = [] } = model;
      const other = {
        process: changed(process, list, places),
        callable: callable.map((called) => changed(called, list, places)),
      };
      const play = playedTo(model, course.before, { [NEXT_ID]: other });
      const before = textOf(play.snapshot);
      const outcome = play.apply(migration(NEXT_ID));
      if (outcome.kind === 'refused') {
        refusedCount += 1;
        assert.equal(outcome.code, 'SUTRA.CORE.MIGRATION_REFUSED');
        assert.ok((outcome.reasons?.length ?? 0) > 0, 'a refusal says why');
        assert.equal(textOf(play.snapshot), before);
        return;
      }
      migratedCount += 1;
      checkInvariants(play.snapshot);
      checkPlaces(play.snapshot, other);
      playOn(play, stream, 8, play.snapshot.status === 'failed' ? { kind: 'retry' } : null);
    }),
    { numRuns: 400 },
  );
  assert.ok(migratedCount > 80 && refusedCount > 50, `${migratedCount} migrated, ${refusedCount} refused`);
});

/** The elements that the snapshot names. */
function placesOf(snapshot: Snapshot): ReadonlySet<string> {
  const { scopes, tokens, waits } = contentsOf(snapshot);
  const flowIds = tokens.flatMap(({ state, arrivedByFlowId }) =>
    state === 'joining' && arrivedByFlowId !== null ? [arrivedByFlowId] : [],
  );
  return new Set([...[...scopes, ...tokens, ...waits].map(({ elementId }) => elementId), ...flowIds]);
}

function checkPlaces(snapshot: Snapshot, { process, callable = [] }: Played): void {
  const known = new Set([process, ...callable].flatMap((item) => [item.id, ...elementIds(item)]));
  for (const place of placesOf(snapshot)) assert.ok(known.has(place), `${place} is in the new model`);
}
