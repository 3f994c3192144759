/**
 * One request and its answer, for hot routes, channels and Express alike.
 *
 * States: open → answering → finished, or → gone when the socket closes first.
 *
 * E1 Exactly one answer is written, or none when the client is gone.
 * E2 `disconnected` aborts when the socket closes before the answer was handed to the operating system,
 *    also for a pipelined request whose answer waits behind another.
 * E3 An answer's `undelivered` is called once if that answer was not handed over whole, else never.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toPlainJson } from '../definitions/plain-json.ts';
import type { Log } from '../engine/observe.ts';
import { encodeProblem, problemOf, PROBLEM_CONTENT_TYPE, type ProblemAnswer } from './problem.ts';
import { ClientGoneError, discardBody, readBody } from './read-body.ts';

export type AnswerBody =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'bytes'; readonly contentType: string; readonly bytes: Uint8Array }
  /** Neither a body nor a word about one. */
  | { readonly kind: 'none' };

export interface Answer {
  readonly status: number;
  readonly body: AnswerBody;
  readonly headers?: Readonly<Record<string, string>>;
  readonly undelivered?: (() => Promise<void>) | undefined;
}

export function jsonAnswer(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status, body: { kind: 'json', value }, headers };
}

/** Nothing here may be cached or sniffed: every answer is the state of a moment, for a program. */
const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};
const COMMON_NAMES = Object.keys(COMMON_HEADERS);

/** A flat list, which Node does not take apart. An answer's own headers come before the common ones. */
function headersOf(
  own: Answer['headers'],
  contentType: string | null,
  length: string,
  isLast: boolean,
): string[] {
  const headers = contentType === null ? [] : ['content-type', contentType, 'content-length', length];
  for (const name in own) headers.push(name, own[name] ?? '');
  for (const name of COMMON_NAMES) {
    if (own?.[name] === undefined) headers.push(name, COMMON_HEADERS[name] ?? '');
  }
  if (isLast) headers.push('connection', 'close');
  return headers;
}

function bytesOf(body: AnswerBody): Uint8Array {
  switch (body.kind) {
    case 'json':
      return Buffer.from(toPlainJson(body.value));
    case 'bytes':
      return body.bytes;
    case 'none':
      return Buffer.alloc(0);
  }
}

function contentTypeOf(body: AnswerBody): string | null {
  switch (body.kind) {
    case 'json':
      return 'application/json';
    case 'bytes':
      return body.contentType;
    case 'none':
      return null;
  }
}

export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly query: string;
  /** The route's template, for metrics. */
  route = 'unknown';
  readonly #log: Log;
  readonly #isClosing: () => boolean;
  #state: 'open' | 'answering' | 'finished' | 'gone' = 'open';
  #controller: AbortController | null = null;
  #undelivered: Answer['undelivered'];

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    target: { readonly path: string; readonly query: string },
    options: { readonly log: Log; readonly isClosing: () => boolean },
  ) {
    this.request = request;
    this.response = response;
    this.path = target.path;
    this.query = target.query;
    this.#log = options.log;
    this.#isClosing = options.isClosing;
  }

  /** Made on first use: most requests never wait. */
  get disconnected(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#state === 'gone') this.#controller.abort();
    return this.#controller.signal;
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  readBody(maxBytes: number): Promise<Buffer> {
    return readBody(this.request, this.response, maxBytes);
  }

  async answer(answer: Answer): Promise<void> {
    if (this.#state !== 'open') {
      this.#giveBack(answer.undelivered);
      return;
    }
    const { body } = answer;
    // Before the state changes: a value that JSON cannot hold must still be answered, as our own fault.
    const bytes = bytesOf(body);
    this.#state = 'answering';
    this.#undelivered = answer.undelivered;
    return this.#write(answer, contentTypeOf(body), bytes);
  }

  /** Answers what was thrown, unless the client is gone. */
  async fail(thrown: unknown): Promise<void> {
    if (thrown instanceof ClientGoneError || this.#state !== 'open') {
      if (!(thrown instanceof ClientGoneError) && this.#state !== 'gone') problemOf(thrown, this.#log);
      return;
    }
    return this.answerProblem(problemOf(thrown, this.#log));
  }

  answerProblem({ problem, headers }: ProblemAnswer): Promise<void> {
    const bytes = encodeProblem(problem);
    return this.answer({
      status: problem.status,
      headers,
      body: { kind: 'bytes', contentType: PROBLEM_CONTENT_TYPE, bytes },
    });
  }

  /** Called by the server when the answer was handed over. */
  finished(): void {
    if (this.#state === 'gone') return;
    this.#state = 'finished';
    this.#undelivered = undefined;
  }

  /** Called by the server when the socket closed; does nothing after `finished`. */
  gone(): void {
    if (this.#state === 'finished' || this.#state === 'gone') return;
    this.#state = 'gone';
    this.#controller?.abort();
    const undelivered = this.#undelivered;
    this.#undelivered = undefined;
    this.#giveBack(undelivered);
  }

  #giveBack(undelivered: Answer['undelivered']): void {
    undelivered?.().catch((error: unknown) => {
      this.#log.error('http.undelivered-failed', { route: this.route, error });
    });
  }

  async #write(answer: Answer, contentType: string | null, bytes: Uint8Array): Promise<void> {
    const canGoOn = this.request.complete || (await discardBody(this.request));
    if (this.#hasGone()) return;
    const length = String(bytes.byteLength);
    const isLast = !canGoOn || this.#isClosing();
    try {
      this.response.writeHead(answer.status, headersOf(answer.headers, contentType, length, isLast));
      this.response.end(bytes);
    } catch (error) {
      // A header that Node refuses to write. Nothing is on the wire, and nothing of it can be trusted.
      this.#log.error('http.answer-unwritable', { route: this.route, status: answer.status, error });
      this.request.socket.destroy();
    }
  }

  // A method, because the state changes while `#write` waits and the compiler cannot know.
  #hasGone(): boolean {
    return this.#state === 'gone';
  }
}
