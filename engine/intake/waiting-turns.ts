/**
 * Turns that wait for a batch, and which of them the next batch takes.
 *
 * A *continuing* turn goes on with work that was taken before (a completion, a due timer, an operator's command); a
 * *new* one is a message from outside. Where more comes in than can be done, an engine that serves them alike only
 * piles up begun work: completions wait behind messages, whose number nothing bounds.
 *
 * W1 A batch takes continuing turns first. New ones that wait keep a quarter of its places, so that neither starves.
 * W2 While there are continuing turns, new ones are at most as many as these in a batch, or `minNew`: a large batch of
 *    new turns is what a completion would wait for, and it makes more work where there is enough.
 * W3 Turns of one key are taken in the order in which they came, whatever they are. A key is in one batch at a time.
 * W4 A turn costs the same however many wait. One whose key is elsewhere is put aside once, in its lane, and comes
 *    back with it.
 *
 * A lane has the waiting turns of one key; a turn that was passed over is *aside*. A lane whose first turn is aside and
 * whose key is in no batch stands in the line `freed` of that turn's kind; a turn that is not aside is in `arrived`.
 */

import { LeavingRate } from './leaving-rate.ts';

export interface WaitingTurn {
  readonly shardKey: string;
  readonly isContinuing: boolean;
}

export interface Batch<Turn> {
  /** In the order in which they are to be applied. */
  readonly turns: Turn[];
  /** Of `WaitingTurns`. */
  readonly lanes: Set<Lane<Turn>>;
}

/** New turns that a batch may have beside any number of continuing ones. A guess: an eighth of the largest batch. */
const minNew = 32;

/**
 * How long continuing turns count as being there after the last was taken: a worker's way from one completion over a
 * fetch to the next, with room. Shorter, and new turns fill a batch whenever the workers are all on their way.
 */
const continuedMs = 250;

interface Entry<Turn> {
  readonly turn: Turn;
  readonly lane: Lane<Turn>;
  readonly since: number;
  isAside: boolean;
}

interface Lane<Turn> {
  readonly key: string;
  readonly waiting: Line<Entry<Turn>>;
  /** The batch that has the key. */
  batch: Batch<Turn> | null;
}

/** Of one kind. The turns of `freed` came before all of `arrived`. */
interface Lines<Turn> {
  readonly arrived: Line<Entry<Turn>>;
  readonly freed: Line<Lane<Turn>>;
  count: number;
}

class Line<Item> {
  #first: Link<Item> | null = null;
  #last: Link<Item> | null = null;

  get first(): Item | null {
    return this.#first === null ? null : this.#first.item;
  }

  push(item: Item): void {
    const link = { item, next: null };
    if (this.#last === null) this.#first = link;
    else this.#last.next = link;
    this.#last = link;
  }

  /** Null: it is empty. */
  shift(): Item | null {
    const link = this.#first;
    if (link === null) return null;
    this.#first = link.next;
    if (link.next === null) this.#last = null;
    return link.item;
  }
}

interface Link<Item> {
  readonly item: Item;
  next: Link<Item> | null;
}

export class WaitingTurns<Turn extends WaitingTurn> {
  readonly #lanes = new Map<string, Lane<Turn>>();
  readonly #continuing: Lines<Turn> = { arrived: new Line(), freed: new Line(), count: 0 };
  readonly #new: Lines<Turn> = { arrived: new Line(), freed: new Line(), count: 0 };
  readonly #newRate = new LeavingRate();
  #continuedAt = -Infinity;

  get count(): number {
    return this.#continuing.count + this.#new.count;
  }

  /**
   * How long the oldest new turn has waited for its place; 0: none does. One that waits for its key is not counted: a
   * single busy instance is no overload.
   */
  newWaitMs(nowMs: number): number {
    const first = this.#new.arrived.first;
    return first === null ? 0 : nowMs - first.since;
  }

  /** How long a new turn would wait that came now: by those before it, and how fast they leave. */
  nextNewWaitMs(nowMs: number): number {
    return Math.max(this.newWaitMs(nowMs), this.#newRate.waitMs(this.#new.count));
  }

  push(turn: Turn, nowMs: number): void {
    const key = turn.shardKey;
    let lane = this.#lanes.get(key);
    if (lane === undefined) {
      lane = { key, waiting: new Line(), batch: null };
      this.#lanes.set(key, lane);
    }
    const entry = { turn, lane, since: nowMs, isAside: false };
    const lines = this.#linesOf(entry);
    lane.waiting.push(entry);
    lines.arrived.push(entry);
    lines.count += 1;
  }

  /** At most `max` turns, fewer where the others' keys are in other batches; their keys until `release`. */
  take(max: number, nowMs: number): Batch<Turn> {
    const batch: Batch<Turn> = { turns: [], lanes: new Set() };
    const isContinued = this.#continuing.count > 0 || nowMs - this.#continuedAt < continuedMs;
    const newBefore = this.#new.count;
    this.#pick(this.#continuing, batch, max - Math.min(newBefore, Math.ceil(max / 4)));
    const continuing = batch.turns.length;
    this.#pick(
      this.#new,
      batch,
      isContinued ? Math.min(max, continuing + Math.max(minNew, continuing)) : max,
    );
    this.#newRate.left(newBefore - this.#new.count, this.#new.count > 0, nowMs);
    // Places that no new turn could take.
    const before = batch.turns.length;
    this.#pick(this.#continuing, batch, max);
    if (continuing > 0 || batch.turns.length > before) this.#continuedAt = nowMs;
    return batch;
  }

  /** The batch is over: its keys may be taken again. */
  release({ lanes }: Batch<Turn>): void {
    for (const lane of lanes) {
      lane.batch = null;
      const { first } = lane.waiting;
      if (first === null) this.#lanes.delete(lane.key);
      else if (first.isAside) this.#linesOf(first).freed.push(lane);
    }
  }

  #linesOf({ turn }: Entry<Turn>): Lines<Turn> {
    return turn.isContinuing ? this.#continuing : this.#new;
  }

  /** Until the batch has `max`. */
  #pick({ arrived, freed }: Lines<Turn>, batch: Batch<Turn>, max: number): void {
    while (batch.turns.length < max) {
      const lane = freed.shift();
      if (lane !== null) {
        this.#takeAside(lane, batch, max);
        continue;
      }
      const entry = arrived.shift();
      if (entry === null) return;
      const { lane: own } = entry;
      if (own.waiting.first === entry && (own.batch ?? batch) === batch) this.#takeFirst(own, batch);
      else entry.isAside = true;
    }
  }

  /** All of one kind at the lane's head: they came before whatever else waits, and share the batch that has the key. */
  #takeAside(lane: Lane<Turn>, batch: Batch<Turn>, max: number): void {
    const isContinuing = lane.waiting.first?.turn.isContinuing;
    for (;;) {
      const { first } = lane.waiting;
      if (first === null || !first.isAside || first.turn.isContinuing !== isContinuing) return;
      if (batch.turns.length >= max) return;
      this.#takeFirst(lane, batch);
    }
  }

  #takeFirst(lane: Lane<Turn>, batch: Batch<Turn>): void {
    const entry = lane.waiting.shift();
    if (entry === null) return;
    this.#linesOf(entry).count -= 1;
    batch.turns.push(entry.turn);
    batch.lanes.add(lane);
    lane.batch = batch;
  }
}
