/** Measures the calls into the product that an input causes, by the processor's time of this process. */
export interface SlowestCall {
  /** `compile`, or the kind of the stimulus. */
  readonly name: string;
  readonly cpuMs: number;
}

export class CallWatch {
  readonly #onCall: (name: string) => void;
  #slowest: SlowestCall = { name: 'none', cpuMs: 0 };

  constructor(onCall: (name: string) => void) {
    this.#onCall = onCall;
  }

  get slowest(): SlowestCall {
    return this.#slowest;
  }

  time<Result>(name: string, call: () => Result): Result {
    this.#onCall(name);
    const before = process.cpuUsage();
    try {
      return call();
    } finally {
      const { user, system } = process.cpuUsage(before);
      const cpuMs = (user + system) / 1000;
      if (cpuMs > this.#slowest.cpuMs) this.#slowest = { name, cpuMs };
    }
  }
}
