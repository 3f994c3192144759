/**
 * Stopping in order: each step in turn, all of them within one limit, and the second signal at once.
 *
 * States: running → stopping → stopped. `shutdown` may be called any number of times; it runs once.
 *
 * L1 A step that fails or is late does not keep the later ones from running.
 * L2 After the limit the process may exit: `shutdown` resolves with the names of the steps that were not done.
 */
import type { Log } from '../engine/observe.ts';

export interface ShutdownStep {
  readonly name: string;
  readonly run: () => Promise<void>;
}

export interface LifecycleOptions {
  /** In order, for example: stop accepting, answer waiting fetches, drain requests, stop the intake, close. */
  readonly steps: readonly ShutdownStep[];
  readonly log: Log;
  /** For all steps together. Default: 30 s; what is left then is cut off. */
  readonly limitMs?: number;
}

const DEFAULT_LIMIT_MS = 30_000;

export interface ShutdownReport {
  /** Steps that failed or were not done in time, in order. */
  readonly unfinished: readonly string[];
}

export class Lifecycle {
  readonly #options: LifecycleOptions;
  #shutdown: Promise<ShutdownReport> | null = null;

  constructor(options: LifecycleOptions) {
    this.#options = options;
  }

  get isStopping(): boolean {
    return this.#shutdown !== null;
  }

  /** Never rejects. */
  shutdown(reason: string): Promise<ShutdownReport> {
    this.#shutdown ??= this.#runSteps(reason);
    return this.#shutdown;
  }

  async #runSteps(reason: string): Promise<ShutdownReport> {
    const { steps, log, limitMs = DEFAULT_LIMIT_MS } = this.#options;
    log.info('lifecycle.stopping', { reason });
    const deadline = startDeadline(limitMs);
    const unfinished: string[] = [];
    for (const step of steps) {
      const outcome = await Promise.race([attempt(step), deadline.passed]);
      if (outcome === 'done') continue;
      unfinished.push(step.name);
      if (outcome === 'late') log.warn('lifecycle.step-late', { step: step.name, limitMs });
      else log.error('lifecycle.step-failed', { step: step.name, error: outcome });
    }
    deadline.cancel();
    log.info('lifecycle.stopped', { reason, unfinished });
    return { unfinished };
  }
}

/** The error, when the step failed. After the limit later steps still start, and get no more time. */
function attempt(step: ShutdownStep): Promise<unknown> {
  return Promise.resolve()
    .then(step.run)
    .then(
      () => 'done',
      (error: unknown) => error ?? new Error('rejected without a reason'),
    );
}

function startDeadline(limitMs: number): { readonly passed: Promise<'late'>; readonly cancel: () => void } {
  let cancel = (): void => {};
  const passed = new Promise<'late'>((resolve) => {
    const timer = setTimeout(() => {
      resolve('late');
    }, limitMs);
    // Not unref'ed: a step that waits for something dead must still be reported. `cancel` always follows.
    cancel = (): void => {
      clearTimeout(timer);
    };
  });
  return { passed, cancel };
}

export interface SignalSource {
  on(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
  off(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** What a shell reports for a process ended by an interrupt: 128 and the signal's number. */
const EXIT_CODE_OF_SECOND_SIGNAL = 130;

/**
 * The first signal shuts down and then exits (0, or 1 when a step was unfinished); the second exits at once.
 * Returns the function that removes the listeners.
 */
export function shutdownOnSignals(
  lifecycle: Lifecycle,
  exit: (code: number) => void,
  source: SignalSource = process,
): () => void {
  const listeners = SIGNALS.map((signal) => {
    const listener = (): void => {
      if (lifecycle.isStopping) {
        exit(EXIT_CODE_OF_SECOND_SIGNAL);
        return;
      }
      void lifecycle.shutdown(signal).then(({ unfinished }) => {
        exit(unfinished.length === 0 ? 0 : 1);
      });
    };
    source.on(signal, listener);
    return [signal, listener] as const;
  });
  return () => {
    for (const [signal, listener] of listeners) source.off(signal, listener);
  };
}
