/**
 * A bug: the core's own state, or a model that compiled, is not what it must be.
 *
 * Crashes the step; the turn is answered as an internal error and never retried.
 */
export class InvariantError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvariantError';
  }
}

/** The end of a closed union: the compiler proves that it is never reached. */
export function assertNever(value: never): never {
  throw new InvariantError(`unexpected ${JSON.stringify(value)}`);
}
