/** SIGTERM, SIGINT and SIGHUP: the first asks to stop, a second one will not wait. */

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** npx and the like pass on what the terminal has sent to this process as well: within that time it is the same signal. */
const SAME_SIGNAL_MS = 300;

export interface StopListeners {
  readonly onFirst: (signal: NodeJS.Signals) => void;
  readonly onSecond: () => void;
}

/** @returns the function that removes the listeners. */
export function listenForStop({ onFirst, onSecond }: StopListeners): () => void {
  let firstAt: number | null = null;
  const listener = (signal: NodeJS.Signals): void => {
    if (firstAt === null) {
      firstAt = performance.now();
      onFirst(signal);
    } else if (performance.now() - firstAt > SAME_SIGNAL_MS) {
      onSecond();
    }
  };
  for (const signal of SIGNALS) process.on(signal, listener);
  return () => {
    for (const signal of SIGNALS) process.off(signal, listener);
  };
}
