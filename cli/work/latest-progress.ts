/**
 * Sends the latest of many notes, one at a time and not too often: a command may write a thousand a second, and only the
 * last is ever shown.
 *
 * L1 At most one request is on its way, and between two there is at least the gap.
 * L2 After `stop` nothing is sent any more.
 */
const GAP_MS = 1_000;

export interface LatestProgressOptions {
  readonly send: (value: unknown) => Promise<unknown>;
  /** A note that was not taken; the work goes on. */
  readonly onFault: (error: unknown) => void;
  readonly gapMs?: number;
}

export class LatestProgress {
  readonly #options: LatestProgressOptions;
  #waiting: { readonly value: unknown } | null = null;
  #isBusy = false;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LatestProgressOptions) {
    this.#options = options;
  }

  offer(value: unknown): void {
    this.#waiting = { value };
    this.#sendNext();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #sendNext(): void {
    const next = this.#waiting;
    if (next === null || this.#isBusy || this.#isStopped) return;
    this.#waiting = null;
    this.#isBusy = true;
    const { send, onFault, gapMs = GAP_MS } = this.#options;
    void send(next.value)
      .catch((error: unknown) => {
        if (!this.#isStopped) onFault(error);
      })
      .then(() => {
        if (this.#isStopped) return;
        this.#timer = setTimeout(() => {
          this.#isBusy = false;
          this.#sendNext();
        }, gapMs);
      });
  }
}
