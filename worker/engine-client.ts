/**
 * The calls of the external task surface, each made once.
 *
 * C1 Only an engine's own word counts: a 200 with the fields that it must have, or a problem document with a `SUTRA.` code and one
 *    of the statuses of a verdict. A proxy's page, a cut body, 401, 429 and 5xx are no answer: the call may be repeated.
 * C2 Every call about a lock carries its token, so that two processes of one worker id never act on each other's locks.
 */
import { retryAfterMs } from './backoff.ts';
import type { HttpAnswer, HttpCaller } from './http-call.ts';
import { isObject } from './task.ts';

export type Reply = TakenReply | RefusedReply | UnansweredReply;

/** The engine has done it. */
export interface TakenReply {
  readonly kind: 'taken';
  readonly body: Readonly<Record<string, unknown>>;
  /** When the call was made and when its answer began; monotonic milliseconds. */
  readonly sentAt: number;
  readonly headersAt: number;
  /** The answer's `Date`, in milliseconds since the epoch, cut to seconds; null: it had none. */
  readonly serverNowMs: number | null;
}

/** The engine has changed nothing and says why. */
export interface RefusedReply {
  readonly kind: 'refused';
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Whether the engine has done it is not known. */
export interface UnansweredReply {
  readonly kind: 'unanswered';
  readonly message: string;
  /** What was there instead of an answer; null: nothing. */
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  /** Because the caller gave it up. */
  readonly isAborted: boolean;
}

export interface EngineClientOptions {
  readonly http: HttpCaller;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly workerId: string;
  readonly parseJson: (text: string) => unknown;
}

export interface CallBounds {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly onHeaders?: () => void;
}

export interface TaskCall extends CallBounds {
  readonly call: 'complete' | 'failure' | 'bpmn-error' | 'extend-lock' | 'unlock' | 'progress';
  readonly taskId: string;
  readonly lockToken: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The engine's answers have about 32 MB of bodies, or one task of any size; base64 makes a third more of it. */
const MAX_FETCH_BYTES = 256 * 1024 * 1024;
/** A problem document or a few fields. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/** What a call has done is in these; an answer without them is not the engine's. */
const ANSWER_FIELDS: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>> = {
  complete: { outcome: ['ACCEPTED', 'DUPLICATE'] },
  'bpmn-error': { outcome: ['ACCEPTED', 'DUPLICATE'] },
  failure: { status: ['PENDING', 'TERMINAL'] },
};
const VERDICT_STATUSES: readonly number[] = [400, 404, 409, 413, 415, 422];
const MAX_DETAIL_LENGTH = 300;

export class EngineClient {
  readonly #options: EngineClientOptions;

  constructor(options: EngineClientOptions) {
    this.#options = options;
  }

  /** `body.tasks` of a taken reply is an array. */
  async fetchAndLock(fields: Readonly<Record<string, unknown>>, bounds: CallBounds): Promise<Reply> {
    const reply = await this.#post('fetch-and-lock', fields, bounds, MAX_FETCH_BYTES);
    return reply.kind === 'taken' && !Array.isArray(reply.body['tasks']) ? strange(200) : reply;
  }

  /** `body` of a taken reply has the task's id and what `ANSWER_FIELDS` says. */
  async about({ call, taskId, lockToken, fields, ...bounds }: TaskCall): Promise<Reply> {
    const path = `${encodeURIComponent(taskId)}/${call}`;
    const reply = await this.#post(path, { lockToken, ...fields }, bounds, MAX_ANSWER_BYTES);
    if (reply.kind !== 'taken') return reply;
    const isIts = Object.entries(ANSWER_FIELDS[call] ?? {}).every(([name, values]) =>
      values.includes(reply.body[name]),
    );
    return reply.body['taskId'] === taskId && isIts ? reply : strange(200);
  }

  async #post(
    path: string,
    fields: Readonly<Record<string, unknown>>,
    bounds: CallBounds,
    maxAnswerBytes: number,
  ): Promise<Reply> {
    const { http, baseUrl, workerId } = this.#options;
    const answer = await http.call({
      url: `${baseUrl}/sutra/external-tasks/${path}`,
      body: JSON.stringify({ workerId, ...fields }),
      maxAnswerBytes,
      ...bounds,
    });
    if (answer.kind === 'answer') return this.#read(answer);
    const { message, isAborted } = answer;
    return { kind: 'unanswered', message, status: null, retryAfterMs: null, isAborted };
  }

  #read(answer: HttpAnswer): Reply {
    const { status, headers, text, sentAt, headersAt } = answer;
    const body = this.#parse(text);
    const date = headers.get('date');
    if (status === 200) {
      const serverNowMs = date === null ? Number.NaN : Date.parse(date);
      return body === null
        ? strange(status)
        : {
            kind: 'taken',
            body,
            sentAt,
            headersAt,
            serverNowMs: Number.isFinite(serverNowMs) ? serverNowMs : null,
          };
    }
    const code = body?.['code'];
    const isEngines = typeof code === 'string' && code.split('.')[0] === 'SUTRA';
    if (isEngines && VERDICT_STATUSES.includes(status)) {
      const { detail, attributes } = body ?? {};
      return {
        kind: 'refused',
        status,
        code,
        detail: typeof detail === 'string' ? detail.slice(0, MAX_DETAIL_LENGTH) : '',
        attributes: isObject(attributes) ? attributes : {},
      };
    }
    const message = isEngines ? `${status} ${code}` : `${status}, not from an engine that can answer`;
    const askedMs = retryAfterMs(headers.get('retry-after'), date);
    return { kind: 'unanswered', message, status, retryAfterMs: askedMs, isAborted: false };
  }

  #parse(text: string): Readonly<Record<string, unknown>> | null {
    try {
      const value = this.#options.parseJson(text);
      return isObject(value) ? value : null;
    } catch {
      return null;
    }
  }
}

function strange(status: number): UnansweredReply {
  const message = `${status} without what an engine's answer has`;
  return { kind: 'unanswered', message, status, retryAfterMs: null, isAborted: false };
}

/** One line about a reply that is no success. */
export function describe(reply: RefusedReply | UnansweredReply): string {
  return reply.kind === 'refused' ? `${reply.code}: ${reply.detail}` : reply.message;
}
