import { EngineError } from '../config/engine-error.ts';

/**
 * Says what went wrong on standard error and sets the exit code: 2 for what the user can correct (a coded
 * error), 70 (EX_SOFTWARE) for a bug of ours, then with its stack.
 */
export function reportFailure(error: unknown): void {
  if (error instanceof EngineError) {
    process.stderr.write(`sutra: ${error.message} [${error.code}]\n`);
    process.exitCode = 2;
    return;
  }
  process.stderr.write(
    `sutra: unexpected failure\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exitCode = 70;
}
