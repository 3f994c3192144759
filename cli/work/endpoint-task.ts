/** `--http`: a POST to an endpoint for each task. */
import { formatDuration } from '../../config/iso8601.ts';
import { outcomeOfAnswer } from './answer-outcome.ts';
import { failed, type Outcome } from './outcome.ts';
import { MAX_HEADERS_BYTES, postTask } from './post-task.ts';
import type { RunTask } from './run-task.ts';

export interface EndpointTaskOptions {
  readonly url: URL;
  /** Null: as long as it takes. */
  readonly timeoutMs: number | null;
  readonly maxOutputBytes: number;
}

export function endpointTask({ url, timeoutMs, maxOutputBytes }: EndpointTaskOptions): RunTask {
  // What is between may hold a secret.
  const endpoint = `${url.origin}${url.pathname}`;
  return async (task, { signal }): Promise<Outcome> => {
    const timeout = timeoutMs === null ? null : AbortSignal.timeout(timeoutMs);
    const either = timeout === null ? signal : AbortSignal.any([signal, timeout]);
    try {
      const answer = await postTask(task, { url, maxOutputBytes, signal: either });
      if (answer !== null) return outcomeOfAnswer(answer, endpoint, Date.now());
      const limit = String(MAX_HEADERS_BYTES);
      return failed(`the task's headers are longer than ${limit} bytes, too long for a request`, {
        isRetryable: false,
      });
    } catch (error) {
      if (timeoutMs !== null && timeout?.aborted === true && !signal.aborted) {
        return failed(`${endpoint} did not answer within ${formatDuration(timeoutMs)}`);
      }
      const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      return failed(`${endpoint} did not answer: ${reason}`);
    }
  };
}
