/** Values by their keys: those that were used last, and no more of them than its capacity. */
export class RecentMemo<V> {
  /** The least recently used first. */
  readonly #values = new Map<string, V>();
  readonly #capacity: number;

  /** @param capacity at least 1 */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: string): V | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: string, value: V): void {
    this.#values.delete(key);
    for (const oldest of this.#values.keys()) {
      if (this.#values.size < this.#capacity) break;
      this.#values.delete(oldest);
    }
    this.#values.set(key, value);
  }

  get size(): number {
    return this.#values.size;
  }
}
