/**
 * Stops a worker when the process is asked to end. It takes the runtime's `process` where there is one (Node, Bun, Deno 2),
 * so that nothing has to be imported for it.
 */

export interface SignalSource {
  on(name: string, listener: () => void): unknown;
  off(name: string, listener: () => void): unknown;
}

export interface Stoppable {
  stop(): Promise<void>;
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * On the first SIGTERM or SIGINT the worker drains; afterwards the signals have their usual effect again, so that a second one
 * ends the process at once. The process ends by itself when nothing else keeps it.
 * @param source Default: the runtime's `process`. @throws Error where there is none.
 * @returns what listens no more.
 */
export function stopOnSignals(worker: Stoppable, source: SignalSource = runtimeProcess()): () => void {
  const forget = (): void => {
    for (const name of SIGNALS) source.off(name, onSignal);
  };
  function onSignal(): void {
    forget();
    void worker.stop();
  }
  for (const name of SIGNALS) source.on(name, onSignal);
  return forget;
}

function runtimeProcess(): SignalSource {
  const { process } = globalThis as { readonly process?: Partial<SignalSource> };
  if (typeof process?.on !== 'function' || typeof process.off !== 'function') {
    throw new Error('this runtime has no process whose signals can be listened for');
  }
  return process as SignalSource;
}
