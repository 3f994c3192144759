/**
 * From an error to the one shape in which every route answers it: `application/problem+json`.
 *
 * P1 A message, stack or cause of an error that is not an `EngineError` never leaves the process: the
 *    answer is `SUTRA.INTERNAL` with a random id, and the log has the rest under the same id.
 * P2 Every 429 and 503 carries `Retry-After`, every 401 `WWW-Authenticate`.
 */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { EngineError } from '../config/engine-error.ts';
import type { Log } from '../engine/observe.ts';
import { codeRegistry } from './code-registry.ts';

export interface Problem {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  /** A row of a `codes.ts` table; on HTTP channels also a code that an author's model throws. */
  readonly code: string;
  readonly detail: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface ProblemAnswer {
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;
}

export const PROBLEM_CONTENT_TYPE = 'application/problem+json';

/** Long enough for any sentence; a message that quotes a caller's value must not echo megabytes. */
const MAX_DETAIL_CHARACTERS = 2_000;
/** Guesses: a queue drains within a second; a database takes longer to come back. */
const RETRY_AFTER_SECONDS: Readonly<Record<number, number>> = { 429: 1, 503: 2 };

/** An overloaded engine refuses many with one and the same error. */
const coded = new WeakMap<EngineError, ProblemAnswer>();

/** Turns whatever was thrown into the answer; logs what is our own fault. */
export function problemOf(thrown: unknown, log: Log): ProblemAnswer {
  if (thrown instanceof EngineError) {
    const known = coded.get(thrown);
    if (known !== undefined) return known;
    const row = codeRegistry.get(thrown.code);
    if (row !== undefined) {
      const answer = codedProblem(row.httpStatus, thrown);
      coded.set(thrown, answer);
      return answer;
    }
  }
  const errorId = randomUUID();
  log.error('http.internal-error', { errorId, error: thrown });
  return makeProblem(
    500,
    'SUTRA.INTERNAL',
    'The engine met a fault of its own; the log has it under errorId.',
    {
      errorId,
    },
  );
}

/** A problem with a status of the caller's choice: for codes that no table of ours holds. */
export function makeProblem(
  status: number,
  code: string,
  detail: string,
  attributes: Readonly<Record<string, unknown>> = {},
): ProblemAnswer {
  const problem: Problem = {
    type: 'about:blank',
    title: titleOf(code, status),
    status,
    code,
    detail: detail.length > MAX_DETAIL_CHARACTERS ? `${detail.slice(0, MAX_DETAIL_CHARACTERS)}…` : detail,
    attributes,
  };
  return { problem, headers: problemHeaders(status, attributes) };
}

function codedProblem(status: number, error: EngineError): ProblemAnswer {
  const attributes =
    error.place === undefined ? error.attributes : { ...error.attributes, place: error.place };
  return makeProblem(status, error.code, error.message, attributes);
}

function problemHeaders(
  status: number,
  attributes: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  const usual = RETRY_AFTER_SECONDS[status];
  if (usual !== undefined) {
    const wished = attributes['retryAfterMs'];
    const seconds = typeof wished === 'number' && wished > 0 ? Math.ceil(wished / 1000) : usual;
    headers['retry-after'] = String(seconds);
  }
  if (status === 401) headers['www-authenticate'] = challenge(attributes['scheme']);
  const allow = attributes['allow'];
  if (status === 405 && Array.isArray(allow)) headers['allow'] = allow.join(', ');
  return headers;
}

function challenge(scheme: unknown): string {
  return scheme === 'basic' ? 'Basic realm="sutra", charset="UTF-8"' : 'Bearer realm="sutra"';
}

/** `SUTRA.EXTERNAL_TASK.LOCK_LOST` is titled "Lock lost"; what is not such a code has its status' phrase. */
function titleOf(code: string, status: number): string {
  const last = code.split('.').at(-1) ?? '';
  if (!/^[A-Z][A-Z0-9_]*$/.test(last)) return STATUS_CODES[status] ?? 'Error';
  const words = last.toLowerCase().replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** The bytes of a problem. Attributes are our own plain data, save for numbers that JSON has no form for. */
export function encodeProblem(problem: Problem): Buffer {
  return Buffer.from(
    JSON.stringify(problem, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)),
  );
}
