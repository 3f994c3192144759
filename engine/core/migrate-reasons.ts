/** What is in the way of a migration: all of it is told at once, so that it can be mended at once. */
import type { RefusalReason } from './effect.ts';

/** A guess: more than anyone reads, and little to store and to send. */
export const MAX_REASONS = 100;

export class MigrationReasons {
  readonly #reasons: RefusalReason[] = [];

  isEmpty(): boolean {
    return this.#reasons.length === 0;
  }

  /** The first of them, and how many others there are. */
  get summary(): string {
    const [first] = this.#reasons;
    const others = this.#reasons.length - 1;
    return `${first?.message ?? ''}${others > 0 ? `, and ${others} more reasons` : ''}`;
  }

  /** @param elementId of the old model; null: none in particular */
  add(elementId: string | null, tokenId: number | null, message: string): void {
    this.#reasons.push({ elementId, tokenId, message });
  }

  /** At most `MAX_REASONS`; where there are more, the last one says how many it stands for. */
  get capped(): readonly RefusalReason[] {
    const reasons = this.#reasons;
    if (reasons.length <= MAX_REASONS) return reasons;
    const shown = reasons.slice(0, MAX_REASONS - 1);
    const message = `and ${reasons.length - shown.length} more reasons`;
    return [...shown, { elementId: null, tokenId: null, message }];
  }
}
