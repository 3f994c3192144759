/**
 * One HTTP call that always ends: with an answer that was read to its end, or with the reason why there is none.
 *
 * H1 It ends within its timeout, whatever happens: a connection that stays silent, a body that never ends, credentials
 *    that never come, a `fetch` that ignores its signal.
 * H2 What is given up is aborted for real, its body included: no socket is left behind.
 * H3 An answer is read up to `maxAnswerBytes`; a longer one is no answer.
 * H4 It never throws.
 */
import { messageOf } from './errors.ts';
import { monotonicNow, startTimer } from './timing.ts';

export type HeaderSource =
  Readonly<Record<string, string>> | (() => Record<string, string> | Promise<Record<string, string>>);

export interface HttpCallerOptions {
  readonly fetch: typeof fetch;
  /** Of every call: credentials. A function is asked each time. */
  readonly headers: HeaderSource;
}

export interface HttpCall {
  readonly url: string;
  /** JSON. */
  readonly body: string;
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
  readonly signal?: AbortSignal;
  /** The answer has begun. */
  readonly onHeaders?: () => void;
}

export interface HttpAnswer {
  readonly kind: 'answer';
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** When the call was made; monotonic milliseconds. */
  readonly sentAt: number;
  /** When its answer began. */
  readonly headersAt: number;
}

export interface NoAnswer {
  readonly kind: 'none';
  /** The caller wanted it no more. */
  readonly isAborted: boolean;
  readonly message: string;
}

export class HttpCaller {
  readonly #options: HttpCallerOptions;

  constructor(options: HttpCallerOptions) {
    this.#options = options;
  }

  async call(request: HttpCall): Promise<HttpAnswer | NoAnswer> {
    const { timeoutMs, signal } = request;
    const controller = new AbortController();
    let cancelTimer = (): void => {};
    let onAbort = (): void => {};
    const ended = new Promise<NoAnswer>((resolve) => {
      const end = (isAborted: boolean, message: string): void => {
        resolve({ kind: 'none', isAborted, message });
        controller.abort(new Error(message));
      };
      cancelTimer = startTimer(timeoutMs, () => end(false, `no complete answer within ${timeoutMs} ms`));
      onAbort = () => end(true, 'the call was given up');
    });
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted === true) onAbort();
    try {
      return await Promise.race([ended, this.#exchange(request, controller.signal)]);
    } finally {
      cancelTimer();
      signal?.removeEventListener('abort', onAbort);
    }
  }

  async #exchange(request: HttpCall, signal: AbortSignal): Promise<HttpAnswer | NoAnswer> {
    try {
      const { headers: source, fetch: send } = this.#options;
      const own = typeof source === 'function' ? await source() : source;
      if (signal.aborted) return { kind: 'none', isAborted: true, message: 'the call was given up' };
      const sentAt = monotonicNow();
      const response = await send(request.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json', ...own },
        body: request.body,
        // An engine redirects nothing; a login page would look like an answer.
        redirect: 'manual',
        signal,
      });
      const headersAt = monotonicNow();
      request.onHeaders?.();
      const text = await readText(response, request.maxAnswerBytes, signal);
      return { kind: 'answer', status: response.status, headers: response.headers, text, sentAt, headersAt };
    } catch (error) {
      return { kind: 'none', isAborted: false, message: reasonOf(error) };
    }
  }
}

/** A failed `fetch` says why in its cause only. */
function reasonOf(error: unknown): string {
  const { cause } = error instanceof Error ? error : {};
  return cause instanceof Error ? `${messageOf(error)}: ${messageOf(cause)}` : messageOf(error);
}

async function readText(response: Response, maxBytes: number, signal: AbortSignal): Promise<string> {
  if (response.body === null) return '';
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const giveUp = (): void => void reader.cancel().catch(() => undefined);
  // A body may belong to a `Response` that knows nothing of the signal.
  signal.addEventListener('abort', giveUp);
  if (signal.aborted) giveUp();
  try {
    const decoder = new TextDecoder();
    let text = '';
    let sizeBytes = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      sizeBytes += value.byteLength;
      if (sizeBytes > maxBytes) {
        giveUp();
        throw new Error(`the answer is longer than ${maxBytes} bytes`);
      }
      text += decoder.decode(value, { stream: true });
    }
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
