/**
 * How fast turns leave a line that does not run empty: from it follows how long the next one would wait.
 *
 * L1 Only time in which turns waited counts: an idle line says nothing of what could be done.
 * L2 The last second or so counts most: a database that slows down is noticed.
 */
const memoryMs = 1_000;

export class LeavingRate {
  #turns = 0;
  #ms = 0;
  /** When turns were taken and others stayed behind; null: none stayed. */
  #since: number | null = null;

  /** Turns were taken just now, and others stay behind or do not. */
  left(count: number, hasMore: boolean, nowMs: number): void {
    if (this.#since !== null) {
      const tookMs = nowMs - this.#since;
      const keeps = Math.exp(-tookMs / memoryMs);
      this.#turns = this.#turns * keeps + count;
      this.#ms = this.#ms * keeps + tookMs;
    }
    this.#since = hasMore ? nowMs : null;
  }

  /** How long one would wait behind `count` others; 0 while that is not known. */
  waitMs(count: number): number {
    return this.#turns === 0 ? 0 : (count * this.#ms) / this.#turns;
  }
}
