/**
 * Snapshots to and from their stored texts, remembering the large ones: an instance that holds a long list is
 * otherwise decoded anew for every batch that touches it, however little that batch is about.
 *
 * T1 What is remembered is used only for the very same text, so it can be stale but never wrong: other
 *    replicas, rolled back commits and repairs need no telling.
 * T2 Bounded: the texts that were used longest ago go first.
 */
import { decodeSnapshot, encodeSnapshot } from '../core/snapshot-codec.ts';
import type { Snapshot } from '../core/snapshot.ts';

/** Characters. Below it, decoding costs less than a tenth of a millisecond. */
const LARGE_TEXT = 16_384;
/** Characters of all texts together. A guess: the widest known instances of some tens of processes. */
const MAX_REMEMBERED = 16 * 1024 * 1024;

interface Remembered {
  readonly text: string;
  readonly snapshot: Snapshot;
}

export class SnapshotTexts {
  /** By instance, the one used longest ago first. */
  readonly #remembered = new Map<string, Remembered>();
  #length = 0;

  decode(instanceId: string, text: string): Snapshot {
    const known = this.#remembered.get(instanceId);
    if (known?.text === text) {
      this.#remembered.delete(instanceId);
      this.#remembered.set(instanceId, known);
      return known.snapshot;
    }
    const snapshot = decodeSnapshot(text);
    this.#remember(instanceId, text, snapshot);
    return snapshot;
  }

  /** The parts are left out, as `encodeSnapshot` does. */
  encode(snapshot: Snapshot): string {
    const text = encodeSnapshot(snapshot);
    const { parts: _, ...main } = snapshot;
    this.#remember(snapshot.instanceId, text, main);
    return text;
  }

  #remember(instanceId: string, text: string, snapshot: Snapshot): void {
    this.#forget(instanceId);
    if (text.length < LARGE_TEXT || text.length > MAX_REMEMBERED || hasEnded(snapshot)) return;
    this.#remembered.set(instanceId, { text, snapshot });
    this.#length += text.length;
    for (const oldest of this.#remembered.keys()) {
      if (this.#length <= MAX_REMEMBERED) return;
      this.#forget(oldest);
    }
  }

  #forget(instanceId: string): void {
    this.#length -= this.#remembered.get(instanceId)?.text.length ?? 0;
    this.#remembered.delete(instanceId);
  }
}

function hasEnded({ status }: Snapshot): boolean {
  return status === 'completed' || status === 'terminated';
}
