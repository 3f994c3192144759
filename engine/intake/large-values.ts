/**
 * The large variables of instances: kept in rows of their own, and remembered by this engine, so that a turn of
 * an instance that holds a long list neither reads nor writes it, unless the turn is about it.
 *
 * V1 An id is the hash of a text, so what is remembered is never wrong: other replicas, rolled back commits and
 *    repairs need no telling.
 * V2 Memory is bounded: the values that were used longest ago go first.
 * V3 The rows of an instance are those that its snapshot names, no more and no fewer.
 */
import { createHash } from 'node:crypto';
import { encodeValue } from '../../definitions/value-codec.ts';
import type { Value } from '../../definitions/value.ts';
import {
  decodeLargeValue,
  encodeSnapshot,
  parseSnapshot,
  restoreValues,
  valueIds,
} from '../core/snapshot-codec.ts';
import type { Snapshot } from '../core/snapshot.ts';
import { readValues, type ValueKey, type ValueRow } from '../store/instance-values.ts';
import type { StatementRunner } from '../transport.ts';

/** Characters of all texts together. A guess: the largest known instances of some tens of processes. */
const MAX_REMEMBERED = 16 * 1024 * 1024;

interface Remembered {
  readonly value: Value;
  readonly length: number;
}

export interface StoredText {
  readonly id: string;
  /** The instance row's text. */
  readonly snapshot: string;
}

export interface ReadSnapshot {
  readonly snapshot: Snapshot;
  /** Of the large values that it names. */
  readonly valueIds: ReadonlySet<string>;
}

export interface WrittenSnapshot {
  readonly text: string;
  readonly inserts: readonly ValueRow[];
  /** What it named when it was read, and no longer names. */
  readonly deletes: readonly ValueKey[];
}

const none: ReadonlySet<string> = new Set();

export class LargeValues {
  readonly #ids = new WeakMap<object, string>();
  /** By id, the one used longest ago first. */
  readonly #remembered = new Map<string, Remembered>();
  #length = 0;

  /** The snapshots of locked instances by id. Reads the values that are not remembered. */
  async read(
    runner: StatementRunner,
    rows: readonly StoredText[],
  ): Promise<ReadonlyMap<string, ReadSnapshot>> {
    const stored = rows.map(({ id, snapshot: text }) => {
      const snapshot = parseSnapshot(text);
      return { instanceId: id, snapshot, ids: valueIds(snapshot) };
    });
    const values = new Map<string, Value>();
    const missing = stored.flatMap(({ instanceId, ids }) =>
      [...ids].filter((id) => !this.#find(id, values)).map((id) => ({ instanceId, id })),
    );
    for (const { id, data } of missing.length === 0 ? [] : await readValues(runner, missing)) {
      const value = decodeLargeValue(data, id);
      values.set(id, value);
      this.#remember(id, value, data.length);
    }
    const find = (id: string): Value => values.get(id) ?? decodeLargeValue(undefined, id);
    return new Map(
      stored.map(({ instanceId, snapshot, ids }) => [
        instanceId,
        { snapshot: restoreValues(snapshot, find), valueIds: ids },
      ]),
    );
  }

  /** @param known the ids of the values that are stored for the instance */
  write(snapshot: Snapshot, known: ReadonlySet<string> = none): WrittenSnapshot {
    const { instanceId } = snapshot;
    const kept = new Map<string, Value>();
    const texts = new Map<string, string>();
    const text = encodeSnapshot(snapshot, {
      idOf: (value) => {
        const id = typeof value === 'object' && value !== null ? this.#ids.get(value) : undefined;
        if (id === undefined) return null;
        kept.set(id, value);
        return id;
      },
      keep: (value, valueText) => {
        const id = createHash('sha256').update(valueText).digest('base64url');
        kept.set(id, value);
        texts.set(id, valueText);
        this.#remember(id, value, valueText.length);
        return id;
      },
    });
    const inserts = [...kept]
      .filter(([id]) => !known.has(id))
      .map(([id, value]) => ({ instanceId, id, data: texts.get(id) ?? encodeValue(value) }));
    const deletes = [...known].filter((id) => !kept.has(id)).map((id) => ({ instanceId, id }));
    return { text, inserts, deletes };
  }

  /** Puts a remembered value among `values`; false when there is none. */
  #find(id: string, values: Map<string, Value>): boolean {
    const known = this.#remembered.get(id);
    if (known === undefined) return values.has(id);
    this.#remembered.delete(id);
    this.#remembered.set(id, known);
    values.set(id, known.value);
    return true;
  }

  #remember(id: string, value: Value, length: number): void {
    if (typeof value === 'object' && value !== null) this.#ids.set(value, id);
    if (length > MAX_REMEMBERED || this.#remembered.has(id)) return;
    this.#remembered.set(id, { value, length });
    this.#length += length;
    for (const [oldest, { length: freed }] of this.#remembered) {
      if (this.#length <= MAX_REMEMBERED) return;
      this.#remembered.delete(oldest);
      this.#length -= freed;
    }
  }
}
