/** What holds for every model and every order of stimuli. A failing run prints its seed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ProcessDefinition } from '../../definitions/model.ts';
import { advance } from '../../engine/core/advance.ts';
import { decodeSnapshot, encodeSnapshot } from '../../engine/core/snapshot-codec.ts';
import type { Snapshot, Wait } from '../../engine/core/snapshot.ts';
import type { Stimulus } from '../../engine/core/stimulus.ts';
import { deepFreeze } from '../support/model-builder.ts';
import { checkInvariants, inbound, INSTANCE_ID, START_MS } from './instance.ts';
import { blockModel, blocks, graphModel, graphPlans } from './random-models.ts';

const START: Stimulus = {
  kind: 'start',
  startEventId: 's',
  message: inbound({ id: 1 }),
  variables: { n: 0 },
  replyTo: null,
};

/** Runs `advance` with frozen input where the clock and the random source throw (A1). */
function advancePurely(
  process: ProcessDefinition,
  snapshot: Snapshot | null,
  stimulus: Stimulus,
  nowMs: number,
): ReturnType<typeof advance> {
  const context = { instanceId: INSTANCE_ID, deploymentId: 'dep-1', nowMs };
  const RealDate = globalThis.Date;
  const realRandom = Math.random;
  globalThis.Date = new Proxy(RealDate, {
    construct(target, args: readonly number[]) {
      if (args.length === 0) throw new Error('the core read the clock');
      return new target(...(args as [number]));
    },
    get(target, name, receiver) {
      if (name === 'now') throw new Error('the core read the clock');
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
  Math.random = () => {
    throw new Error('the core used a random number');
  };
  try {
    return advance(process, deepFreeze(snapshot), deepFreeze(stimulus), deepFreeze(context));
  } finally {
    globalThis.Date = RealDate;
    Math.random = realRandom;
  }
}

/** The stimulus that satisfies a wait. */
function stimulusFor(wait: Wait, n: number): Stimulus {
  switch (wait.kind) {
    case 'timer':
      return { kind: 'timer', waitId: wait.id };
    case 'user-task':
      return { kind: 'completeUserTask', tokenId: wait.tokenId, variables: { n } };
    case 'call':
      return {
        kind: 'message',
        channel: wait.channel,
        key: wait.idempotencyKey,
        aliases: [],
        message: inbound({ n }),
      };
    case 'message':
      return {
        kind: 'message',
        channel: wait.channel,
        key: `${INSTANCE_ID}:1`,
        aliases: [],
        message: inbound(n),
      };
  }
}

/** Non-interrupting messages can be sent for ever; after this many the rest of the instance must go on. */
const MAX_NOTES = 3;

interface Run {
  readonly snapshot: Snapshot;
  readonly stimuli: readonly Stimulus[];
  /** The text of every snapshot and the effects that came with it. */
  readonly trace: readonly string[];
}

/** Plays random stimuli against the process until it ends or fails, or `limit` is reached. */
function play(process: ProcessDefinition, picks: Iterator<number>, limit: number): Run {
  const stimuli: Stimulus[] = [];
  const trace: string[] = [];
  let snapshot: Snapshot | null = null;
  let stimulus = START;
  let noteCount = 0;
  for (let turn = 0; turn < limit; turn += 1) {
    const result = advancePurely(process, snapshot, stimulus, START_MS + turn);
    if (result.kind === 'refused') throw new Error(`${result.code}: ${result.message}`);
    stimuli.push(stimulus);
    trace.push(encodeSnapshot(result.snapshot), JSON.stringify(result.effects));
    checkInvariants(result.snapshot);
    checkStale(process, snapshot, result.snapshot);
    snapshot = result.snapshot;
    const isNote = (wait: Wait): boolean => wait.elementId.startsWith('note');
    const waits = snapshot.waits.filter((wait) => noteCount < MAX_NOTES || !isNote(wait));
    const pick = Number(picks.next().value);
    const wait = waits[pick % waits.length];
    if (snapshot.status !== 'running' || wait === undefined) break;
    if (isNote(wait)) noteCount += 1;
    stimulus = stimulusFor(wait, pick % 7);
  }
  assert.ok(snapshot);
  return { snapshot, stimuli, trace };
}

/** A stimulus for a wait that is gone is refused (A2). */
function checkStale(process: ProcessDefinition, before: Snapshot | null, after: Snapshot): void {
  const open = new Set(after.waits.map(({ id }) => id));
  const gone = before?.waits.find((wait) => !open.has(wait.id) && wait.kind !== 'message');
  if (gone === undefined) return;
  const text = encodeSnapshot(after);
  const result = advancePurely(process, after, stimulusFor(gone, 0), START_MS);
  assert.equal(result.kind, 'refused');
  assert.equal(encodeSnapshot(after), text);
}

/** Plays the same stimuli again, each time from the text of the snapshot. */
function replayFromText(process: ProcessDefinition, stimuli: readonly Stimulus[]): readonly string[] {
  const trace: string[] = [];
  let text: string | null = null;
  for (const [turn, stimulus] of stimuli.entries()) {
    const result = advancePurely(
      process,
      text === null ? null : decodeSnapshot(text),
      stimulus,
      START_MS + turn,
    );
    assert.ok(result.kind === 'advanced');
    text = encodeSnapshot(result.snapshot);
    trace.push(text, JSON.stringify(result.effects));
  }
  return trace;
}

const picks = fc.infiniteStream(fc.nat(10_000));

test('a block-structured process ends, whatever the order of the stimuli, and leaves no token and no wait', () => {
  fc.assert(
    fc.property(blocks, picks, (block, stream) => {
      const { snapshot } = play(blockModel(block), stream, 2000);
      assert.equal(snapshot.status, 'completed', JSON.stringify(snapshot));
    }),
    { numRuns: 250 },
  );
});

test('the same stimuli give the same bytes, and parking and reloading between any two changes nothing', () => {
  fc.assert(
    fc.property(blocks, picks, (block, stream) => {
      const process = blockModel(block);
      const { stimuli, trace } = play(process, stream, 200);
      assert.deepEqual(replayFromText(blockModel(block), stimuli), trace);
    }),
    { numRuns: 120 },
  );
});

test('no graph of nodes breaks the core: each turn ends in a snapshot whose invariants hold', () => {
  fc.assert(
    fc.property(graphPlans, picks, (plan, stream) => {
      const process = graphModel(plan);
      const { snapshot, stimuli, trace } = play(process, stream, 12);
      assert.deepEqual(replayFromText(process, stimuli), trace);
      if (snapshot.status === 'failed') {
        const retried = advancePurely(process, snapshot, { kind: 'retry' }, START_MS);
        assert.ok(retried.kind === 'advanced');
        checkInvariants(retried.snapshot);
      }
      if (snapshot.status === 'running' || snapshot.status === 'failed') {
        assert.ok(snapshot.status === 'failed' || snapshot.waits.length > 0, 'what runs waits for something');
        const cancelled = advancePurely(process, snapshot, { kind: 'cancel', reason: 'end' }, START_MS);
        assert.ok(cancelled.kind === 'advanced');
        checkInvariants(cancelled.snapshot);
      }
    }),
    { numRuns: 250 },
  );
});

test('effects and snapshots agree: the open timers and calls are those that were set and not cleared', () => {
  fc.assert(
    fc.property(blocks, picks, fc.integer({ min: 1, max: 12 }), (block, stream, limit) => {
      const process = blockModel(block);
      const { snapshot, stimuli } = play(process, stream, limit);
      const timers = new Set<number>();
      const calls = new Set<string>();
      let current: Snapshot | null = null;
      for (const [turn, stimulus] of stimuli.entries()) {
        // What the turn itself settles: the timer that fired, the request that was answered.
        if (stimulus.kind === 'timer') timers.delete(stimulus.waitId);
        if (stimulus.kind === 'message' && stimulus.key !== null) calls.delete(stimulus.key);
        const result = advancePurely(process, current, stimulus, START_MS + turn);
        assert.ok(result.kind === 'advanced');
        for (const effect of result.effects) {
          if (effect.kind === 'timerSet') timers.add(effect.waitId);
          if (effect.kind === 'timerCleared')
            assert.ok(timers.delete(effect.waitId), 'cleared what was open');
          if (effect.kind === 'send' && effect.expectsAnswer) calls.add(effect.idempotencyKey);
          if (effect.kind === 'callWithdrawn')
            assert.ok(calls.delete(effect.idempotencyKey), 'withdrew what was open');
        }
        current = result.snapshot;
      }
      const openTimers = snapshot.waits.filter(({ kind }) => kind === 'timer').map(({ id }) => id);
      const openCalls = snapshot.waits.flatMap((wait) => (wait.kind === 'call' ? [wait.idempotencyKey] : []));
      assert.deepEqual([...timers].sort(), openTimers.sort());
      assert.deepEqual([...calls].sort(), openCalls.sort());
    }),
    { numRuns: 120 },
  );
});
