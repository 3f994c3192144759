/**
 * Measures the calls into the product that an input causes, by the processor's time of this process.
 *
 * Asking for that time takes as long as a short call, so a call begins at the last time asked for, unless
 * that is older than `MAX_AGE_MS`: what is said is up to so much too long.
 */
export interface SlowestCall {
  /** `compile`, or the kind of the stimulus. */
  readonly name: string;
  readonly cpuMs: number;
}

const MAX_AGE_MS = 5;

export class CallWatch {
  readonly #onCall: (name: string) => void;
  #slowest: SlowestCall = { name: 'none', cpuMs: 0 };
  #askedAt = -Infinity;
  #cpuMs = 0;

  constructor(onCall: (name: string) => void) {
    this.#onCall = onCall;
  }

  get slowest(): SlowestCall {
    return this.#slowest;
  }

  time<Result>(name: string, call: () => Result): Result {
    this.#onCall(name);
    this.#refresh();
    const before = this.#cpuMs;
    try {
      return call();
    } finally {
      this.#refresh();
      const cpuMs = this.#cpuMs - before;
      if (cpuMs > this.#slowest.cpuMs) this.#slowest = { name, cpuMs };
    }
  }

  #refresh(): void {
    const now = performance.now();
    if (now - this.#askedAt < MAX_AGE_MS) return;
    const { user, system } = process.cpuUsage();
    this.#askedAt = now;
    this.#cpuMs = (user + system) / 1000;
  }
}
