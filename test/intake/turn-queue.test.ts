import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { EngineError } from '../../config/engine-error.ts';
import { TurnQueue, type TurnQueueOptions, type TurnRefusal } from '../../engine/intake/turn-queue.ts';
import type { Settlement, TurnAnswer, TurnRequest } from '../../engine/intake/turn.ts';

const applied: TurnAnswer = { kind: 'applied', instances: [], task: null };
const timer: Settlement = { kind: 'timer', instanceId: 'i', waitId: 1 };

function turn(shardKey: string, settles: Settlement | null = null): TurnRequest {
  return { shardKey, dedup: null, settles, targets: [], isBroadcast: false };
}

const cancel: TurnRequest = {
  ...turn('i'),
  targets: [{ kind: 'instance', instanceId: 'i', scope: null, stimulus: { kind: 'cancel', reason: 'r' } }],
};
const correlated: TurnRequest = {
  ...turn('i'),
  targets: [
    {
      kind: 'instance',
      instanceId: 'i',
      scope: { tenant: 't', module: 'm' },
      stimulus: { kind: 'cancel', reason: 'a message from outside' },
    },
  ],
};

interface Running {
  readonly turns: readonly TurnRequest[];
  answer(answers?: readonly TurnAnswer[]): void;
  fail(error: Error): void;
}

/** A queue whose batches the test answers. */
class Fixture {
  readonly running: Running[] = [];
  readonly refusals: TurnRefusal[] = [];
  readonly queue: TurnQueue;
  nowMs = 0;

  constructor(options: Partial<TurnQueueOptions> = {}) {
    this.queue = new TurnQueue({
      ...{ maxConcurrent: 2, minBeside: 2, maxBatch: 256, maxInFlight: 4, maxWaitMs: 1_000 },
      run: (turns) =>
        new Promise((resolve, reject) => {
          this.running.push({
            turns,
            answer: (answers = turns.map(() => applied)) => {
              resolve(answers);
            },
            fail: reject,
          });
        }),
      refused: (refusal) => this.refusals.push(refusal),
      nowMs: () => this.nowMs,
      busyShare: () => 1,
      ...options,
    });
  }

  /** Its refusal is seen by `codeOf`, or it is awaited. */
  submit(...requests: readonly TurnRequest[]): Promise<TurnAnswer>[] {
    return requests.map((request) => {
      const answer = this.queue.submit(request);
      answer.catch(() => undefined);
      return answer;
    });
  }

  /** Submits what the test does not look at any more. */
  take(...requests: readonly TurnRequest[]): void {
    void Promise.allSettled(this.submit(...requests));
  }

  async next(): Promise<Running> {
    for (;;) {
      const first = this.running.shift();
      if (first !== undefined) return first;
      await round();
    }
  }
}

/** What the queue has scheduled has happened. */
function round(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function errorOf(answer: Promise<unknown> | undefined): Promise<EngineError> {
  const error: unknown = await answer?.then(
    () => null,
    (refusal: unknown) => refusal,
  );
  assert.ok(error instanceof EngineError);
  return error;
}

const keysOf = ({ turns }: Running): string[] => turns.map(({ shardKey }) => shardKey);

describe('turns on their way into batches', () => {
  it('Q1: commit together when they came together, and collect while a batch commits', async () => {
    const fixture = new Fixture({ minBeside: 3, maxInFlight: 100 });
    const answers = fixture.submit(turn('a'), turn('b'));
    const first = await fixture.next();
    assert.deepEqual(keysOf(first), ['a', 'b']);
    answers.push(...fixture.submit(turn('c'), turn('d')));
    await round();
    assert.equal(fixture.running.length, 0);
    first.answer();
    const second = await fixture.next();
    assert.deepEqual(keysOf(second), ['c', 'd']);
    fixture.take(turn('e'), turn('f'), turn('g'));
    const beside = await fixture.next();
    assert.deepEqual(keysOf(beside), ['e', 'f', 'g']);
    second.answer();
    beside.answer();
    assert.deepEqual(new Set(await Promise.all(answers)), new Set([applied]));
  });

  it('Q1: begin a small batch beside one that takes long, while the thread has little to do', async () => {
    const fixture = new Fixture({ minBeside: 10, maxInFlight: 100, busyShare: () => 0.4 });
    fixture.take(turn('a'));
    const first = await fixture.next();
    fixture.take(turn('b'), turn('a'), turn('c'));
    const beside = await fixture.next();
    assert.deepEqual(keysOf(beside), ['b', 'c']);
    beside.answer();
    first.answer();
    assert.deepEqual(keysOf(await fixture.next()), ['a']);
  });

  it('Q1: begin none beside one that takes long while the thread is busy, nor a third one', async () => {
    let share = 0.6;
    const fixture = new Fixture({ minBeside: 10, maxInFlight: 100, busyShare: () => share });
    fixture.take(turn('a'));
    const first = await fixture.next();
    fixture.take(turn('b'));
    await pause(30);
    assert.equal(fixture.running.length, 0);
    share = 0;
    fixture.take(turn('c'));
    assert.deepEqual(keysOf(await fixture.next()), ['b', 'c']);
    fixture.take(turn('d'));
    await pause(30);
    assert.equal(fixture.running.length, 0);
    first.answer();
    assert.deepEqual(keysOf(await fixture.next()), ['d']);
  });

  it('Q2: of one key wait for the batch that has it', async () => {
    const fixture = new Fixture({ maxInFlight: 100 });
    fixture.take(turn('a'));
    const first = await fixture.next();
    fixture.take(turn('a'), turn('b'), turn('a', timer));
    const second = await fixture.next();
    assert.deepEqual(keysOf(second), ['b']);
    second.answer();
    await round();
    assert.equal(fixture.running.length, 0);
    first.answer();
    assert.deepEqual(keysOf(await fixture.next()), ['a']);
  });

  it('Q2: go on with begun work before messages are looked at: completions, timers, commands', async () => {
    const fixture = new Fixture({ maxInFlight: 100, maxConcurrent: 1 });
    fixture.take(turn('first'));
    const first = await fixture.next();
    fixture.take(turn('message'), { ...correlated, shardKey: 'correlated' });
    fixture.take(turn('timer', timer), { ...cancel, shardKey: 'command' });
    first.answer();
    assert.deepEqual(keysOf(await fixture.next()), ['timer', 'command', 'message', 'correlated']);
  });

  it('Q1: begin without the end of the round of I/O events when it does not come', async () => {
    const fixture = new Fixture({ maxInFlight: 100 });
    fixture.take(turn('a'));
    fixture.nowMs = 5;
    fixture.queue.admitNew();
    assert.equal(fixture.running.length, 0);
    fixture.nowMs = 6;
    // The turns of one request stay together, however long it takes to submit them.
    fixture.take(turn('b'));
    assert.equal(fixture.running.length, 0);
    fixture.queue.admitNew();
    assert.deepEqual(fixture.running.map(keysOf), [['a', 'b']]);
  });

  it('Q4: come again when their instance was locked, and are answered busy at last', async () => {
    const fixture = new Fixture();
    const [answer] = fixture.submit(turn('a'));
    for (let tries = 0; tries < 3; tries += 1) (await fixture.next()).answer([{ kind: 'busy' }]);
    (await fixture.next()).answer();
    assert.deepEqual(await answer, applied);
  });

  it('fail as their batch does, and with a batch that answers too few', async () => {
    const fixture = new Fixture();
    const [one, two] = fixture.submit(turn('a'), turn('b'));
    (await fixture.next()).fail(new Error('no connection'));
    await assert.rejects(one ?? assert.fail(), /no connection/);
    await assert.rejects(two ?? assert.fail(), /no connection/);
    const [third] = fixture.submit(turn('c'));
    (await fixture.next()).answer([]);
    await assert.rejects(third ?? assert.fail(), /fewer/);
    assert.equal(fixture.queue.inFlight, 0);
  });
});

describe('a turn that there is no room for', () => {
  it('Q3: is refused at the ceiling when it is a message, and at twice the ceiling when it goes on with work', async () => {
    const fixture = new Fixture();
    fixture.take(...['a', 'b', 'c', 'd'].map((key) => turn(key)));
    const [message, other] = fixture.submit(turn('e'), correlated);
    const error = await errorOf(message);
    assert.equal(error.code, 'SUTRA.INTAKE.CAPACITY');
    assert.deepEqual(error.attributes, { ceiling: 'sutra.intake.max-in-flight', limit: 4 });
    assert.equal((await errorOf(other)).code, 'SUTRA.INTAKE.CAPACITY');
    assert.throws(
      () => {
        fixture.queue.admitNew();
      },
      { code: 'SUTRA.INTAKE.CAPACITY' },
    );
    fixture.take(turn('f', timer), turn('g', timer), turn('h', timer), cancel);
    assert.equal(fixture.queue.inFlight, 8);
    const last = await errorOf(fixture.submit(turn('j', timer))[0]);
    assert.deepEqual(last.attributes, { ceiling: 'sutra.intake.max-in-flight', limit: 8 });
    assert.deepEqual(fixture.refusals, [
      { kind: 'new', reason: 'max-in-flight' },
      { kind: 'new', reason: 'max-in-flight' },
      { kind: 'new', reason: 'max-in-flight' },
      { kind: 'continuing', reason: 'max-in-flight' },
    ]);
  });

  it('Q3: finds room again when others are answered', async () => {
    const fixture = new Fixture({ maxInFlight: 1 });
    const [first] = fixture.submit(turn('a'));
    await errorOf(fixture.submit(turn('b'))[0]);
    (await fixture.next()).answer();
    await first;
    const [again] = fixture.submit(turn('b'));
    (await fixture.next()).answer();
    assert.deepEqual(await again, applied);
  });

  it('Q6: is refused while the oldest message has waited too long, and taken when that one has its place', async () => {
    const fixture = new Fixture({ maxConcurrent: 1, maxInFlight: 100 });
    fixture.take(turn('a'));
    const first = await fixture.next();
    fixture.nowMs = 500;
    fixture.take(turn('b'));
    fixture.nowMs = 1_500;
    fixture.queue.admitNew();
    fixture.nowMs = 1_501;
    assert.equal(fixture.queue.newWaitMs, 1_001);
    const error = await errorOf(fixture.submit(turn('c'))[0]);
    assert.equal(error.code, 'SUTRA.INTAKE.CAPACITY');
    assert.deepEqual(error.attributes, { ceiling: 'sutra.intake.max-wait', limitMs: 1_000 });
    assert.deepEqual(fixture.refusals, [{ kind: 'new', reason: 'max-wait' }]);
    fixture.take(turn('d', timer));
    first.answer();
    assert.deepEqual(keysOf(await fixture.next()), ['d', 'b']);
    fixture.queue.admitNew();
  });

  it('Q6: is refused when so many wait that it would wait too long, although none has yet', async () => {
    const fixture = new Fixture({ maxConcurrent: 1, maxBatch: 10, maxInFlight: 1_000 });
    for (let index = 0; index < 120; index += 1) fixture.take(turn(`key ${String(index)}`));
    // Ten messages in 100 ms: 100 others would take a second.
    const first = await fixture.next();
    fixture.nowMs = 100;
    first.answer();
    const second = await fixture.next();
    fixture.queue.admitNew();
    second.answer();
    const refused = new Fixture({ maxConcurrent: 1, maxBatch: 10, maxInFlight: 1_000 });
    for (let index = 0; index < 140; index += 1) refused.take(turn(`key ${String(index)}`));
    const begun = await refused.next();
    refused.nowMs = 100;
    begun.answer();
    await refused.next();
    const error = await errorOf(refused.submit(turn('late'))[0]);
    assert.deepEqual(error.attributes, { ceiling: 'sutra.intake.max-wait', limitMs: 1_000 });
    refused.take(turn('due', timer));
  });

  it('Q5: is refused when the queue stops, which waits for what was accepted', async () => {
    const fixture = new Fixture();
    fixture.take(turn('a'));
    let isStopped = false;
    const stopped = fixture.queue.stop().then(() => (isStopped = true));
    assert.equal((await errorOf(fixture.submit(turn('b', timer))[0])).code, 'SUTRA.INTAKE.STOPPING');
    assert.throws(
      () => {
        fixture.queue.admitNew();
      },
      { code: 'SUTRA.INTAKE.STOPPING' },
    );
    const running = await fixture.next();
    assert.equal(isStopped, false);
    running.answer();
    await stopped;
  });
});

interface Drawn {
  /** 0: a key of its own. */
  readonly key: number;
  readonly isContinuing: boolean;
  /** Submitted with the one before. */
  readonly isTogether: boolean;
}

const drawnTurns: fc.Arbitrary<Drawn[]> = fc.array(
  fc.record({ key: fc.integer({ min: 0, max: 3 }), isContinuing: fc.boolean(), isTogether: fc.boolean() }),
  { maxLength: 60 },
);

/** Batches of any duration: how many rounds each takes, and whether it fails. */
const drawnBatches = fc.infiniteStream(
  fc.record({ rounds: fc.nat({ max: 4 }), isFailing: fc.integer({ min: 0, max: 9 }).map((n) => n === 0) }),
);

describe('whatever is submitted', () => {
  it('Q2, U1: every accepted turn is answered once, in the order of its key, with its key in one batch', async () => {
    const property = fc.asyncProperty(drawnTurns, drawnBatches, async (drawn, batches) => {
      const keysUnderWay = new Set<string>();
      const ran = new Map<string, TurnRequest[]>();
      const queue = new TurnQueue({
        ...{ maxConcurrent: 2, minBeside: 3, maxBatch: 8, maxInFlight: 20, maxWaitMs: 1_000 },
        run: async (turns) => {
          const keys = new Set(turns.map(({ shardKey }) => shardKey));
          for (const key of keys) assert.ok(!keysUnderWay.has(key), 'Q2: a key of another batch');
          for (const key of keys) keysUnderWay.add(key);
          for (const one of turns) ran.set(one.shardKey, [...(ran.get(one.shardKey) ?? []), one]);
          const { rounds, isFailing } = batches.next().value as { rounds: number; isFailing: boolean };
          for (let left = rounds; left > 0; left -= 1) await round();
          for (const key of keys) keysUnderWay.delete(key);
          if (isFailing) throw new Error('drawn');
          return turns.map(() => applied);
        },
      });
      const accepted = new Map<string, TurnRequest[]>();
      const answers: Promise<unknown>[] = [];
      let answerCount = 0;
      for (const [index, { key, isContinuing, isTogether }] of drawn.entries()) {
        if (!isTogether) await round();
        const shardKey = key === 0 ? `own-${String(index)}` : `k${String(key)}`;
        const request = turn(shardKey, isContinuing ? timer : null);
        const before = queue.inFlight;
        const answer = queue.submit(request);
        const isAccepted = queue.inFlight > before;
        assert.equal(isAccepted, before < (isContinuing ? 40 : 20), 'Q3');
        if (isAccepted) accepted.set(shardKey, [...(accepted.get(shardKey) ?? []), request]);
        answers.push(answer.catch(() => undefined).then(() => (answerCount += 1)));
      }
      await queue.stop();
      await Promise.all(answers);
      assert.equal(answerCount, drawn.length);
      assert.equal(queue.inFlight, 0);
      assert.deepEqual(
        [...ran].sort(([one], [other]) => one.localeCompare(other)),
        [...accepted].sort(([one], [other]) => one.localeCompare(other)),
      );
      for (const [key, turns] of ran) {
        turns.forEach((one, index) => {
          assert.equal(one, accepted.get(key)?.[index], 'Q2: the order of a key');
        });
      }
    });
    await fc.assert(property, { numRuns: 100 });
  });
});
