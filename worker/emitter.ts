/**
 * Events of a worker.
 *
 * V1 What a listener throws, or rejects with, reaches neither the worker nor the other listeners; it is logged.
 */
import { messageOf } from './errors.ts';

export type Listener<Payload> = (payload: Payload) => unknown;

export class Emitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, Set<Listener<never>>>();
  readonly #log: (line: string) => void;

  constructor(log: (line: string) => void) {
    this.#log = log;
  }

  /** @returns what removes the listener again. */
  on<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  emit<Name extends keyof Events>(name: Name, payload: Events[Name]): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])] as Listener<Events[Name]>[]) {
      void this.#tell(String(name), () => listener(payload));
    }
  }

  async #tell(name: string, act: () => unknown): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.#log(`a listener of '${name}' failed: ${messageOf(error)}`);
    }
  }
}
