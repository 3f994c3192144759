/**
 * Time as a worker measures it: the monotonic clock, and waits that end early.
 *
 * T1 Nothing compares this machine's wall clock with another's, and a wall clock that is set changes nothing here.
 * T2 Waits of any length are kept: timers of the runtimes go off at once beyond 2^31 - 1 ms.
 * T3 The timers keep the process alive, on purpose: a worker that waits is at work. Nobody who has stopped leaves one.
 */

const MAX_TIMER_MS = 2_147_483_647;

/** Monotonic milliseconds. */
export function monotonicNow(): number {
  return performance.now();
}

/** Resolves after `ms`, or at once when `signal` aborts. Never rejects. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted || ms <= 0) {
      resolve();
      return;
    }
    const cancel = startTimer(ms, done);
    function done(): void {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done);
  });
}

/** @returns what cancels it; harmless afterwards. */
export function startTimer(ms: number, onTime: () => void): () => void {
  const endsAt = monotonicNow() + ms;
  let timer = setTimeout(step, Math.min(Math.max(ms, 0), MAX_TIMER_MS));
  function step(): void {
    const leftMs = endsAt - monotonicNow();
    // A timer may go off a little early.
    if (leftMs <= 1) onTime();
    else timer = setTimeout(step, Math.min(leftMs, MAX_TIMER_MS));
  }
  return () => clearTimeout(timer);
}
