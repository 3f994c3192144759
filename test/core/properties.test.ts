/** What holds for every model and every order of stimuli. A failing run prints its seed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Snapshot } from '../../engine/core/snapshot.ts';
import { blockModel } from './block-models.ts';
import { checkInvariants, contentsOf } from './invariants.ts';
import { blocks } from './random-blocks.ts';
import { graphModel, graphPlans } from './random-models.ts';
import { entries, Play, playAtRandom, replay } from './random-play.ts';

const picks = fc.infiniteStream(fc.nat(10_000));

/** Far more turns than the largest model takes. */
const ENOUGH_TURNS = 3000;

test('a block-structured process ends, whatever the order of the stimuli, and no token is lost or made of nothing', () => {
  fc.assert(
    fc.property(blocks, picks, (block, stream) => {
      const model = blockModel(block);
      const play = playAtRandom(model, stream, ENOUGH_TURNS);
      const { snapshot } = play;
      assert.equal(snapshot.status, 'completed', JSON.stringify(snapshot));
      model.check(entries(play.effects));
    }),
    { numRuns: 300 },
  );
});

for (const [loads, how] of [
  ['all', 'parking and reloading between any two'],
  ['needed', 'reloading only the parts that a stimulus needs'],
] as const) {
  test(`the same stimuli give the same bytes, and ${how} changes nothing`, () => {
    fc.assert(
      fc.property(blocks, picks, (block, stream) => {
        const { stimuli, trace } = playAtRandom(blockModel(block), stream, 200);
        assert.deepEqual(replay(blockModel(block), stimuli, loads), trace);
      }),
      { numRuns: 150 },
    );
  });
}

test('no graph of nodes breaks the core: each turn ends in a snapshot whose invariants hold', () => {
  fc.assert(
    fc.property(graphPlans, picks, (plan, stream) => {
      const process = graphModel(plan);
      const play = playAtRandom({ process }, stream, 14);
      const { stimuli, trace } = play;
      assert.deepEqual(replay({ process }, stimuli, 'needed'), trace);
      checkWaysOut(play);
    }),
    { numRuns: 400 },
  );
});

/** What has failed can be retried, and what has not ended can be cancelled. */
function checkWaysOut(play: Play): void {
  const { status } = play.snapshot;
  if (status === 'failed') {
    assert.equal(play.apply({ kind: 'retry' }).kind, 'advanced');
    checkInvariants(play.snapshot);
  }
  if (play.snapshot.status === 'running') {
    assert.ok(contentsOf(play.snapshot).waits.length > 0, 'what runs waits for something');
  }
  if (play.snapshot.status === 'running' || play.snapshot.status === 'failed') {
    assert.equal(play.apply({ kind: 'cancel', reason: 'end' }).kind, 'advanced');
    checkInvariants(play.snapshot);
    assert.equal(play.snapshot.status, 'terminated');
  }
}

test('effects and snapshots agree: the open timers and calls are those that were set and not cleared', () => {
  fc.assert(
    fc.property(blocks, picks, fc.integer({ min: 1, max: 14 }), (block, stream, limit) => {
      const model = blockModel(block);
      const { stimuli } = playAtRandom(model, stream, limit);
      const play = new Play(model, 'live');
      const open = new OpenWork();
      for (const stimulus of stimuli) {
        open.settle(stimulus);
        const outcome = play.apply(stimulus);
        assert.ok(outcome.kind === 'advanced');
        open.take(outcome.effects);
        open.check(play.snapshot);
      }
    }),
    { numRuns: 150 },
  );
});

/** Timers and calls as the effects tell of them. */
class OpenWork {
  readonly #timers = new Map<number, number | null>();
  readonly #calls = new Set<string>();

  /** The timer that fires and the request that is answered are the turn's own. */
  settle(stimulus: Parameters<Play['apply']>[0]): void {
    if (stimulus.kind === 'timer') this.#timers.delete(stimulus.waitId);
    if (stimulus.kind === 'callError') this.#calls.delete(stimulus.key);
    if (stimulus.kind === 'message' && stimulus.key !== null) this.#calls.delete(stimulus.key);
  }

  take(effects: readonly Play['effects'][number][]): void {
    for (const effect of effects) {
      if (effect.kind === 'timerSet') this.#timers.set(effect.waitId, effect.partId);
      if (effect.kind === 'timerCleared')
        assert.ok(this.#timers.delete(effect.waitId), 'cleared what was open');
      if (effect.kind === 'send' && effect.expectsAnswer) this.#calls.add(effect.idempotencyKey);
      if (effect.kind === 'callWithdrawn')
        assert.ok(this.#calls.delete(effect.idempotencyKey), 'withdrew what was open');
    }
  }

  check(snapshot: Snapshot): void {
    const { waits } = contentsOf(snapshot);
    const timers = waits.flatMap((wait) => (wait.kind === 'timer' ? [wait.id] : []));
    const calls = waits.flatMap((wait) => (wait.kind === 'call' ? [wait.idempotencyKey] : []));
    assert.deepEqual(new Set(this.#timers.keys()), new Set(timers));
    assert.deepEqual(this.#calls, new Set(calls));
    const partOf = (id: number): number | null =>
      snapshot.parts?.find((part) => part.waits.some((wait) => wait.id === id))?.id ?? null;
    for (const [waitId, partId] of this.#timers)
      assert.equal(partId, partOf(waitId), 'a timer names its part');
  }
}
