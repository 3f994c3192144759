/**
 * The records of data stores as the turns of one pass over a batch see them: as they were read, with what
 * earlier turns have written on top.
 *
 * V1 What a turn writes is seen by itself as soon as it is accepted, and by others once the turn is kept.
 * V2 Nothing is written that this batch has not read for update.
 */
import type { Value } from '../../definitions/value.ts';
import { encodeValue, parseWithValues } from '../../definitions/value-codec.ts';
import type { Effect } from '../core/effect.ts';
import type { RecordReader } from '../core/stimulus.ts';
import {
  recordText,
  type RecordName,
  type RecordRequest,
  type RecordState,
  type RecordWrite,
} from '../store/data-records.ts';

/** `here`: it can be had. `missing`: it must be read. `locked-elsewhere`: not before another commit is over. */
export type Availability = 'here' | 'missing' | 'locked-elsewhere';

interface Write extends RecordName {
  readonly value: Value;
  readonly exists: boolean;
}

export class RecordView {
  /** By `recordText`. */
  readonly #read: ReadonlyMap<string, RecordState>;
  readonly #kept = new Map<string, Write>();
  readonly #pending = new Map<string, Write>();

  constructor(read: ReadonlyMap<string, RecordState>) {
    this.#read = read;
  }

  reader(tenant: string): RecordReader {
    return {
      get: ({ store, key, isForUpdate }) => {
        const request = { tenant, store, key, isForUpdate };
        if (this.availability(request) !== 'here') return undefined;
        const text = recordText(request);
        const written = this.#written(text);
        if (written !== undefined) return written.value;
        const stored = this.#read.get(text)?.value ?? null;
        return stored === null ? null : (parseWithValues(stored) as Value);
      },
    };
  }

  availability(request: RecordRequest): Availability {
    const text = recordText(request);
    if (this.#written(text) !== undefined) return 'here';
    const state = this.#read.get(text);
    if (state === undefined) return 'missing';
    if (!request.isForUpdate || state.access === 'locked') return 'here';
    return state.access === 'locked-elsewhere' ? 'locked-elsewhere' : 'missing';
  }

  /**
   * Takes the writes of an accepted attempt of the turn under way; answers the requests that stand in their
   * way, and takes none of them then.
   */
  accept(tenant: string, effects: readonly Effect[]): readonly RecordRequest[] {
    const writes = effects.flatMap((effect) =>
      effect.kind === 'recordWritten'
        ? [{ tenant, store: effect.store, key: effect.key, value: effect.value }]
        : [],
    );
    const obstacles = writes
      .map(({ store, key }): RecordRequest => ({ tenant, store, key, isForUpdate: true }))
      .filter((request) => this.availability(request) !== 'here');
    if (obstacles.length > 0) return obstacles;
    for (const write of writes) {
      const text = recordText(write);
      const state = this.#read.get(text);
      this.#pending.set(text, { ...write, exists: state !== undefined && state.value !== null });
    }
    return [];
  }

  /** The turn under way is applied. */
  keep(): void {
    for (const [text, write] of this.#pending) this.#kept.set(text, write);
    this.#pending.clear();
  }

  /** The turn under way is not applied, or none has begun. */
  drop(): void {
    this.#pending.clear();
  }

  /** What the batch must write: the last value of each record. */
  writes(): readonly RecordWrite[] {
    return [...this.#kept.values()].map((write) => ({
      ...write,
      value: write.value === null ? null : encodeValue(write.value),
    }));
  }

  #written(text: string): Write | undefined {
    return this.#pending.get(text) ?? this.#kept.get(text);
  }
}
