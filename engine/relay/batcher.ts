/**
 * Collects single items while a batch is being written, and writes them together next: an idle caller
 * waits for nobody, a busy one shares a statement with the others.
 *
 * B1 At most one batch is written at a time, of at most `maxItems`.
 * B2 `submit` resolves when the batch that carries the item is written, and rejects with its error.
 * B3 A batch that fails is written again item by item, so that a bad item fails alone; unless the error is
 *    one that would fail every item (`isCommonFailure`).
 */

export interface BatcherOptions<Item> {
  readonly write: (items: readonly Item[]) => Promise<void>;
  readonly maxItems: number;
  readonly isCommonFailure: (error: unknown) => boolean;
}

interface Waiting<Item> {
  readonly item: Item;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The number of waiting items is bounded by the callers: each waits for its own. */
export class Batcher<Item> {
  readonly #options: BatcherOptions<Item>;
  #waiting: Waiting<Item>[] = [];
  #isWriting = false;

  constructor(options: BatcherOptions<Item>) {
    this.#options = options;
  }

  submit(item: Item): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#isWriting) void this.#writeAll();
    });
  }

  /** Never rejects: every error goes to whoever submitted. */
  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#options.maxItems);
      await this.#writeBatch(batch);
    }
    this.#isWriting = false;
  }

  async #writeBatch(batch: readonly Waiting<Item>[]): Promise<void> {
    try {
      await this.#options.write(batch.map((waiting) => waiting.item));
      for (const waiting of batch) waiting.resolve();
    } catch (error) {
      if (batch.length === 1 || this.#options.isCommonFailure(error)) {
        for (const waiting of batch) waiting.reject(error);
        return;
      }
      for (const waiting of batch) await this.#writeBatch([waiting]);
    }
  }
}
