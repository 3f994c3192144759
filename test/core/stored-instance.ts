/**
 * One instance as the engine keeps it, and a turn over it: the snapshot without its parts as text, each part
 * as text beside it, and the records of data stores.
 *
 * A turn is given the parts that its stimulus names (by the key of a call, by the part of a timer) and no
 * record; what `advance` asks for beyond that, it is given at the next attempt.
 */
import assert from 'node:assert/strict';
import type { ProcessDefinition } from '../../definitions/model.ts';
import type { Value } from '../../definitions/value.ts';
import type { AdvanceResult, Effect, RecordKey } from '../../engine/core/effect.ts';
import { decodePart, decodeSnapshot, encodePart, encodeSnapshot } from '../../engine/core/snapshot-codec.ts';
import type { Part, Snapshot } from '../../engine/core/snapshot.ts';
import type { AdvanceContext, RecordReader, Stimulus } from '../../engine/core/stimulus.ts';
import { advancePurely } from './pure-advance.ts';

export type Outcome = Exclude<AdvanceResult, { readonly kind: 'incomplete' }>;

/** More attempts than any turn needs: one for the parts, and one for each record that another one names. */
const MAX_ATTEMPTS = 20;

/** Records of data stores, which a turn reads when it is asked to, and writes when it has advanced. */
export class RecordStore {
  readonly #values = new Map<string, Value>();

  get(store: string, key: string): Value {
    return this.#values.get(nameOf(store, key)) ?? null;
  }

  set(store: string, key: string, value: Value): void {
    this.#values.set(nameOf(store, key), value);
  }

  get entries(): readonly (readonly [store: string, key: string, value: Value])[] {
    return [...this.#values].map(([name, value]) => {
      const [store = '', key = ''] = JSON.parse(name) as readonly string[];
      return [store, key, value];
    });
  }

  write(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.kind === 'recordWritten') this.set(effect.store, effect.key, effect.value);
    }
  }
}

function nameOf(store: string, key: string): string {
  return JSON.stringify([store, key]);
}

/** What one turn has read. */
class TurnRecords {
  readonly #store: RecordStore;
  readonly #read = new Map<string, { readonly isLocked: boolean; readonly value: Value }>();

  constructor(store: RecordStore) {
    this.#store = store;
  }

  read({ store, key, isForUpdate }: RecordKey): void {
    const name = nameOf(store, key);
    const before = this.#read.get(name);
    assert.ok(before === undefined || (isForUpdate && !before.isLocked), `${name} had been read already`);
    this.#read.set(name, { isLocked: isForUpdate, value: this.#store.get(store, key) });
  }

  get reader(): RecordReader {
    return {
      get: ({ store, key, isForUpdate }) => {
        const record = this.#read.get(nameOf(store, key));
        return record === undefined || (isForUpdate && !record.isLocked) ? undefined : record.value;
      },
    };
  }
}

export class StoredInstance {
  readonly #main: string;
  readonly #parts: ReadonlyMap<number, string>;
  /** The part that holds a timer's wait, as the effect that set the timer said. */
  readonly #timerParts: ReadonlyMap<number, number>;
  /** What the last turn returned, as it was before it became text. */
  readonly live: Snapshot;

  private constructor(
    live: Snapshot,
    main: string,
    parts: ReadonlyMap<number, string>,
    timerParts: ReadonlyMap<number, number>,
  ) {
    this.live = live;
    this.#main = main;
    this.#parts = parts;
    this.#timerParts = timerParts;
  }

  static of(snapshot: Snapshot, timerParts: ReadonlyMap<number, number> = new Map()): StoredInstance {
    const texts = new Map((snapshot.parts ?? []).map((part) => [part.id, encodePart(part)]));
    return new StoredInstance(snapshot, encodeSnapshot(snapshot), texts, timerParts);
  }

  /** All that is stored: equal instances have equal texts. */
  get text(): string {
    return [this.#main, ...this.#parts.values()].join('\n');
  }

  get partIds(): readonly number[] {
    return [...this.#parts.keys()];
  }

  /** The snapshot with these parts of it. */
  load(partIds: readonly number[] = this.partIds): Snapshot {
    const main = decodeSnapshot(this.#main);
    if (partIds.length === 0) return main;
    const ids = [...partIds].sort((one, other) => one - other);
    return { ...main, parts: ids.map((id) => this.#part(id)) };
  }

  /** The parts that the engine would give with the stimulus. */
  neededFor(stimulus: Stimulus): readonly number[] {
    if (stimulus.kind === 'timer') {
      const partId = this.#timerParts.get(stimulus.waitId);
      return partId === undefined || !this.#parts.has(partId) ? [] : [partId];
    }
    if (stimulus.kind !== 'message' && stimulus.kind !== 'callError') return [];
    const { key } = stimulus;
    return this.partIds.filter((id) =>
      this.#part(id).waits.some((wait) => wait.kind === 'call' && wait.idempotencyKey === key),
    );
  }

  /** What is stored after a turn that was given the parts `given`. */
  after(result: Extract<Outcome, { kind: 'advanced' }>, given: readonly number[]): StoredInstance {
    const before = decodeSnapshot(this.#main);
    const { parts: returned } = result.snapshot;
    assert.notEqual(returned?.length, 0, 'no parts are an absent property');
    const parts = new Map(this.#parts);
    for (const id of given) parts.delete(id);
    for (const part of returned ?? []) {
      assert.ok(given.includes(part.id) || part.id >= before.nextSequence, `part ${part.id} was not given`);
      parts.set(part.id, encodePart(part));
    }
    const sorted = new Map([...parts].sort(([one], [other]) => one - other));
    return new StoredInstance(
      result.snapshot,
      encodeSnapshot(result.snapshot),
      sorted,
      timerPartsAfter(this.#timerParts, result.effects),
    );
  }

  #part(id: number): Part {
    return decodePart(this.#parts.get(id) ?? '');
  }
}

function timerPartsAfter(
  before: ReadonlyMap<number, number>,
  effects: readonly Effect[],
): ReadonlyMap<number, number> {
  const after = new Map(before);
  for (const effect of effects) {
    if (effect.kind === 'timerSet' && effect.partId !== null) after.set(effect.waitId, effect.partId);
  }
  return after;
}

export interface TurnResult {
  readonly outcome: Outcome;
  /** As it was when the stimulus was refused. */
  readonly stored: StoredInstance | null;
}

/**
 * What a turn begins with: all parts or the needed ones, read from the text; or, live, the very snapshot that
 * the turn before returned, never parked.
 */
export type Loads = 'live' | 'all' | 'needed';

/** Applies the stimulus as the engine does, with as many attempts as it takes. */
export function takeTurn(
  process: ProcessDefinition,
  stored: StoredInstance | null,
  loads: Loads,
  stimulus: Stimulus,
  context: AdvanceContext,
  recordStore: RecordStore = new RecordStore(),
): TurnResult {
  let given = stored === null ? [] : loads === 'needed' ? stored.neededFor(stimulus) : stored.partIds;
  const records = new TurnRecords(recordStore);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const snapshot = (loads === 'live' ? stored?.live : stored?.load(given)) ?? null;
    const outcome = advancePurely(process, snapshot, stimulus, { ...context, records: records.reader });
    if (outcome.kind === 'refused') return { outcome, stored };
    if (outcome.kind === 'advanced') {
      const after = stored?.after(outcome, given) ?? firstStored(outcome);
      return { outcome, stored: after };
    }
    assert.ok(outcome.needsParts || outcome.records.length > 0, 'an incomplete turn asks for something');
    if (outcome.needsParts) {
      assert.ok(stored !== null && given.length < stored.partIds.length, 'it has all parts already');
      given = stored.partIds;
    }
    for (const key of outcome.records) records.read(key);
  }
  throw new Error(`the turn was not complete after ${MAX_ATTEMPTS} attempts`);
}

function firstStored({ snapshot, effects }: Extract<Outcome, { kind: 'advanced' }>): StoredInstance {
  return StoredInstance.of(snapshot, timerPartsAfter(new Map(), effects));
}
