import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { WaitingTurns, type Batch } from '../../engine/intake/waiting-turns.ts';

interface Turn {
  readonly shardKey: string;
  readonly isContinuing: boolean;
  readonly order: number;
}

const max = 256;

/** Turns that wait, at a time that the test sets. */
class Fixture {
  readonly waiting = new WaitingTurns<Turn>();
  nowMs = 0;
  #order = 0;

  push(isContinuing: boolean, count: number, shardKey?: string): void {
    for (let left = count; left > 0; left -= 1) {
      const order = (this.#order += 1);
      this.waiting.push({ shardKey: shardKey ?? `key-${String(order)}`, isContinuing, order }, this.nowMs);
    }
  }

  take(): Batch<Turn> {
    return this.waiting.take(max, this.nowMs);
  }
}

/** Continuing and new ones of a batch. */
function counts({ turns }: Batch<Turn>): [number, number] {
  const continuing = turns.filter(({ isContinuing }) => isContinuing).length;
  return [continuing, turns.length - continuing];
}

describe('a batch of the turns that wait', () => {
  const shares: readonly (readonly [
    title: string,
    continuing: number,
    fresh: number,
    taken: [number, number],
  ])[] = [
    ['is all of them when they are few', 3, 4, [3, 4]],
    ['is full of new ones when nothing else is there', 0, 1000, [0, 256]],
    ['is full of continuing ones when nothing else is there', 1000, 0, [256, 0]],
    ['W1: leaves a quarter to new ones', 1000, 1000, [192, 64]],
    ['W1: leaves new ones no more than they need', 1000, 5, [251, 5]],
    ['W2: has 32 new ones beside few continuing ones', 3, 1000, [3, 32]],
    ['W2: has as many new ones as continuing ones', 100, 1000, [100, 100]],
  ];
  for (const [title, continuing, fresh, taken] of shares) {
    it(title, () => {
      const fixture = new Fixture();
      fixture.push(false, fresh);
      fixture.push(true, continuing);
      const batch = fixture.take();
      assert.deepEqual(counts(batch), taken);
      assert.equal(batch.turns[0]?.isContinuing, continuing > 0);
      assert.equal(fixture.waiting.count, continuing + fresh - batch.turns.length);
    });
  }

  it('W2: has few new ones until no continuing one was taken for 250 ms', () => {
    const fixture = new Fixture();
    fixture.push(true, 1);
    fixture.push(false, 1000);
    const taken: number[] = [];
    for (const nowMs of [0, 100, 249, 250]) {
      fixture.nowMs = nowMs;
      const batch = fixture.take();
      taken.push(counts(batch)[1]);
      fixture.waiting.release(batch);
    }
    assert.deepEqual(taken, [32, 32, 32, 256]);
  });

  it('W1: gives the places of new ones to others when the keys of all new ones are elsewhere', () => {
    const fixture = new Fixture();
    fixture.push(false, 1, 'busy');
    fixture.take();
    fixture.push(false, 100, 'busy');
    fixture.push(true, 300);
    assert.deepEqual(counts(fixture.take()), [256, 0]);
  });
});

describe('turns of one key', () => {
  it('W3: wait for an older one of the other kind', () => {
    const fixture = new Fixture();
    fixture.push(false, 300);
    fixture.push(false, 1, 'same');
    fixture.push(true, 1, 'same');
    const first = fixture.take();
    assert.deepEqual(counts(first), [0, 32]);
    fixture.waiting.release(first);
    const keyed: Turn[] = [];
    while (fixture.waiting.count > 0) {
      const batch = fixture.take();
      keyed.push(...batch.turns.filter(({ shardKey }) => shardKey === 'same'));
      fixture.waiting.release(batch);
    }
    assert.deepEqual(
      keyed.map(({ isContinuing }) => isContinuing),
      [false, true],
    );
  });

  it('W3: share a batch, and none is in a second one meanwhile', () => {
    const fixture = new Fixture();
    fixture.push(true, 300, 'same');
    const first = fixture.take();
    assert.equal(first.turns.length, 256);
    assert.equal(fixture.take().turns.length, 0);
    fixture.waiting.release(first);
    assert.equal(fixture.take().turns.length, 44);
  });

  it('W4: that were put aside come back together, before what came later', () => {
    const fixture = new Fixture();
    fixture.push(true, 1, 'same');
    const first = fixture.take();
    fixture.push(true, 10, 'same');
    fixture.push(true, 1);
    assert.equal(fixture.take().turns.length, 1);
    fixture.push(true, 300);
    fixture.waiting.release(first);
    const orders = fixture.take().turns.map(({ order }) => order);
    assert.deepEqual(orders.slice(0, 10), [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  it('do not count as an overload while their key is elsewhere', () => {
    const fixture = new Fixture();
    fixture.push(false, 1, 'same');
    fixture.take();
    fixture.push(false, 1, 'same');
    fixture.take();
    fixture.nowMs = 5_000;
    assert.equal(fixture.waiting.newWaitMs(fixture.nowMs), 0);
    fixture.push(true, 1);
    fixture.nowMs = 6_000;
    assert.equal(fixture.waiting.newWaitMs(fixture.nowMs), 0);
    fixture.push(false, 1);
    fixture.nowMs = 7_500;
    assert.equal(fixture.waiting.newWaitMs(fixture.nowMs), 1_500);
  });
});

type Step =
  | { readonly kind: 'push'; readonly isContinuing: boolean; readonly key: number; readonly count: number }
  | { readonly kind: 'take' }
  | { readonly kind: 'release'; readonly which: number }
  | { readonly kind: 'pass'; readonly ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('push' as const),
    isContinuing: fc.boolean(),
    // 0: a key of its own.
    key: fc.integer({ min: 0, max: 4 }),
    count: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 60 })),
  }),
  fc.constant({ kind: 'take' as const }),
  fc.record({ kind: fc.constant('release' as const), which: fc.nat() }),
  fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 300 }) }),
);

/** What the queue is to do, written down plainly. */
class Model {
  readonly max: number;
  readonly waiting = new WaitingTurns<Turn>();
  readonly under = new Set<Batch<Turn>>();
  left: Turn[] = [];
  #nowMs = 0;
  #order = 0;

  constructor(max: number) {
    this.max = max;
  }

  run(what: Step): void {
    if (what.kind === 'push') this.#push(what);
    else if (what.kind === 'take') this.take();
    else if (what.kind === 'release') this.#release(what.which);
    else this.#nowMs += what.ms;
    assert.equal(this.waiting.count, this.left.length);
  }

  take(): void {
    const taken = new Set([...this.under].flatMap(({ turns }) => turns.map(({ shardKey }) => shardKey)));
    const free = this.left.filter(({ shardKey }) => !taken.has(shardKey));
    const batch = this.waiting.take(this.max, this.#nowMs);
    assert.ok(batch.turns.length <= this.max);
    for (const turn of batch.turns) {
      assert.ok(!taken.has(turn.shardKey), 'W3: a key of another batch');
      const oldest = this.left.find(({ shardKey }) => shardKey === turn.shardKey);
      assert.equal(oldest, turn, 'W3: the oldest of its key, of those that wait, once');
      this.left = this.left.filter((other) => other !== turn);
    }
    assert.ok(batch.turns.length > 0 || free.length === 0, 'something is taken when something can be');
    if (batch.turns.length > 0) this.under.add(batch);
    this.#checkShares(batch, free);
  }

  /** Until nothing is left. */
  drain(): void {
    for (;;) {
      for (const batch of this.under) this.waiting.release(batch);
      this.under.clear();
      if (this.left.length === 0) return;
      this.take();
    }
  }

  #push({ isContinuing, key, count }: Extract<Step, { kind: 'push' }>): void {
    for (let left = count; left > 0; left -= 1) {
      const order = (this.#order += 1);
      const turn = { isContinuing, order, shardKey: key === 0 ? `own-${String(order)}` : `k${String(key)}` };
      this.waiting.push(turn, this.#nowMs);
      this.left.push(turn);
    }
  }

  #release(which: number): void {
    const batch = [...this.under][which % Math.max(1, this.under.size)];
    if (batch === undefined) return;
    this.under.delete(batch);
    this.waiting.release(batch);
  }

  /** With `free`: what waited with its key in no batch. Turns that alone have their key show the shares purely. */
  #checkShares(batch: Batch<Turn>, free: readonly Turn[]): void {
    const [continuing, fresh] = counts(batch);
    const own = free.filter(({ shardKey }) => shardKey.startsWith('own-'));
    const couldBe = own.filter(({ isContinuing }) => !isContinuing).length;
    assert.ok(fresh >= Math.min(couldBe, Math.floor(batch.turns.length / 4)), 'W1: a quarter is new');
    if (continuing > 0) assert.ok(fresh <= Math.max(32, continuing), 'W2: new ones are few');
    const oldestOwn = own.find(({ isContinuing }) => isContinuing);
    if (oldestOwn !== undefined && this.max > 1) {
      assert.ok(continuing > 0, 'W1: continuing ones go first');
    }
  }
}

describe('whatever comes, is taken and is released', () => {
  it('W1, W2, W3 hold, and every turn is taken once', () => {
    const steps = fc.array(step, { maxLength: 60 });
    fc.assert(
      fc.property(steps, fc.constantFrom(4, 16, 256), (drawn, size) => {
        const model = new Model(size);
        for (const what of drawn) model.run(what);
        model.drain();
        assert.equal(model.waiting.count, 0);
      }),
      { numRuns: 500 },
    );
  });

  it('W4: 200,000 turns in batches beside each other take no more time for each than 2,000', () => {
    const secondsFor = (count: number): number => {
      const waiting = new WaitingTurns<Turn>();
      const startedAt = performance.now();
      for (let order = 0; order < count; order += 1) {
        waiting.push({ shardKey: `key-${String(order % (count >> 1))}`, isContinuing: false, order }, 0);
      }
      let under: Batch<Turn> | null = null;
      while (waiting.count > 0) {
        const batch = waiting.take(max, 0);
        if (under !== null) waiting.release(under);
        under = batch;
      }
      return performance.now() - startedAt;
    };
    secondsFor(2_000);
    const small = Math.min(...[1, 2, 3].map(() => secondsFor(2_000)));
    // A queue that is gone through for each batch takes 100 times as long for each turn.
    assert.ok(secondsFor(200_000) < 100 * 20 * Math.max(small, 0.5));
  });
});
