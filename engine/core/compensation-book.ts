/**
 * The records of a step: what can be compensated in each scope, and what cannot yet because the activity that
 * it belongs to is not done.
 */
import type { CompensationRecord } from './snapshot.ts';

export class CompensationBook {
  /** By scope, in order of completion. Without empty entries, here and below. */
  readonly #ready = new Map<number, CompensationRecord[]>();
  /** By the token that they wait for. */
  readonly #pending = new Map<number, CompensationRecord[]>();

  constructor(records: readonly CompensationRecord[]) {
    for (const record of records) this.add(record);
  }

  get isEmpty(): boolean {
    return this.#ready.size === 0 && this.#pending.size === 0;
  }

  add(record: CompensationRecord): void {
    if (record.pendingTokenId === undefined) push(this.#ready, record.scopeId, record);
    else push(this.#pending, record.pendingTokenId, record);
  }

  /** What can be compensated in the scope. */
  inScope(scopeId: number): readonly CompensationRecord[] {
    return this.#ready.get(scopeId) ?? [];
  }

  /** Takes out what waits for the token. */
  takePending(tokenId: number): readonly CompensationRecord[] {
    const records = this.#pending.get(tokenId) ?? [];
    this.#pending.delete(tokenId);
    return records;
  }

  /** Takes out what can be compensated in the scope, of one activity or of all (null). */
  take(scopeId: number, activityId: string | null): readonly CompensationRecord[] {
    const records = this.#ready.get(scopeId) ?? [];
    const taken = records.filter(({ elementId }) => activityId === null || elementId === activityId);
    const kept = records.filter(({ elementId }) => activityId !== null && elementId !== activityId);
    if (kept.length === 0) this.#ready.delete(scopeId);
    else this.#ready.set(scopeId, kept);
    return taken;
  }

  dropScope(scopeId: number): void {
    this.#ready.delete(scopeId);
  }

  /** All of them, in order of completion. */
  stored(): readonly CompensationRecord[] {
    const records = [...this.#ready.values(), ...this.#pending.values()].flat();
    return records.sort((left, right) => left.id - right.id);
  }
}

function push(map: Map<number, CompensationRecord[]>, key: number, record: CompensationRecord): void {
  const records = map.get(key);
  if (records === undefined) map.set(key, [record]);
  else records.push(record);
}
