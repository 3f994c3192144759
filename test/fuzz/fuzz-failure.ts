/** A promise that an input broke. `check` is the same for all inputs that break it in the same way. */
export class FuzzFailure extends Error {
  readonly check: string;

  constructor(check: string, message: string) {
    super(message);
    this.name = 'FuzzFailure';
    this.check = check;
  }
}

export interface Failure {
  /** Inputs with the same one fail in the same way, most likely by the same cause. */
  readonly signature: string;
  readonly message: string;
  /** The beginning of the stack, or nothing. */
  readonly stack: readonly string[];
}

const STACK_LINES = 8;
const MESSAGE_LENGTH = 1_000;

/** What was thrown, as the failure that it is. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { signature: 'threw no error', message: String(error), stack: [] };
  const stack = (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, STACK_LINES)
    .map((line) => line.trim());
  const message = error.message.slice(0, MESSAGE_LENGTH);
  if (error instanceof FuzzFailure) return { signature: error.check, message, stack: [] };
  // Where it was thrown, without the line: equal causes differ in their texts.
  const thrownAt = /([\w-]+\.[cm]?[jt]s):\d+/.exec(stack[0] ?? '')?.[1] ?? 'nowhere';
  return { signature: `threw ${error.name} in ${thrownAt}`, message: `${error.name}: ${message}`, stack };
}
