/** A timer without the limit of 2^31 - 1 ms, beyond which `setTimeout` fires at once. Keeps no process alive. */
import { clearTimeout, setTimeout } from 'node:timers';

const MAX_TIMER_MS = 2 ** 31 - 1;

export interface LongTimer {
  readonly cancel: () => void;
}

export function startLongTimer(delayMs: number, fire: () => void): LongTimer {
  let left = delayMs;
  let timer: NodeJS.Timeout;
  const sleep = (): void => {
    const step = Math.min(left, MAX_TIMER_MS);
    left -= step;
    timer = setTimeout(() => (left > 0 ? sleep() : fire()), step);
    timer.unref();
  };
  sleep();
  return { cancel: () => clearTimeout(timer) };
}
