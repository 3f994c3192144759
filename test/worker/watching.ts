/** Waiting for what a worker tells. */
import type { Worker, WorkerEvents } from '../../worker/index.ts';

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export function nextEvent<Name extends keyof WorkerEvents>(
  worker: Worker,
  name: Name,
): Promise<WorkerEvents[Name]> {
  return new Promise((resolve) => {
    const off = worker.on(name, (payload) => {
      off();
      resolve(payload);
    });
  });
}

export interface EventRecord {
  readonly names: readonly (keyof WorkerEvents)[];
  readonly payloads: readonly unknown[];
  /** Resolves when the event has come, or comes. */
  until(name: keyof WorkerEvents): Promise<void>;
}

export function eventsOf(worker: Worker, watched: readonly (keyof WorkerEvents)[]): EventRecord {
  const names: (keyof WorkerEvents)[] = [];
  const payloads: unknown[] = [];
  const waiting = new Set<() => void>();
  for (const name of watched) {
    worker.on(name, (payload) => {
      names.push(name);
      payloads.push(payload);
      for (const look of waiting) look();
    });
  }
  return {
    names,
    payloads,
    until: (name) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!names.includes(name)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}
