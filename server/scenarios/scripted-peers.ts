/**
 * The peers that HTTP channels dial, as a `fetch` that dials nobody: it answers from the book.
 *
 * P1 Without an answer a peer takes what it is sent, and says no more: 202.
 * P2 A `failure` is a peer that cannot be reached.
 */
import type { CompiledExpression } from '../../definitions/feel.ts';
import { toPlainJson } from '../../definitions/plain-json.ts';
import type { Answer, AnswerResult } from '../../definitions/scenarios/scenario.ts';
import { InvariantError } from '../../engine/core/invariant-error.ts';
import type { Delivery } from '../../engine/transport.ts';
import type { AnswerBook, AskedFor } from './answer-book.ts';
import { answerRefused, type Mismatch } from './mismatch.ts';

export interface ScriptedPeersOptions {
  readonly book: AnswerBook;
  /** The delivery that is being dialled, by its idempotency key. */
  readonly deliveryOf: (idempotencyKey: string) => Delivery | undefined;
  readonly report: (mismatch: Mismatch) => void;
  /** A fault of ours. Whoever dials takes every rejection for the peer's, so that it cannot be thrown here. */
  readonly broke: (error: unknown) => void;
}

/** Statuses that a response with a body cannot have. */
const BODYLESS: ReadonlySet<number> = new Set([204, 205, 304]);

export function scriptedPeers({ book, deliveryOf, report, broke }: ScriptedPeersOptions): typeof fetch {
  return (_url, init) => {
    const delivery = deliveryOf(new Headers(init?.headers).get('idempotency-key') ?? '');
    if (delivery === undefined) return Promise.reject(new TypeError('no delivery is under way'));
    const { channel, contentType, body, headers, attempt, elementId } = delivery;
    const asked: AskedFor = { channel, contentType, body, headers, attempt, elementId };
    let answer: Answer | null = null;
    try {
      answer = book.take(asked);
      return Promise.resolve(
        responseOf(answer, (expression) => toPlainJson(book.evaluate(expression, asked))),
      );
    } catch (error) {
      if (error instanceof PeerAway) return Promise.reject(error);
      const refused = answerRefused(error, asked, answer?.place ?? book.placeOf(channel));
      if (refused === null) broke(error);
      else report(refused);
      return Promise.reject(new TypeError('the scenario has no answer'));
    }
  };
}

/** What `fetch` rejects with when nobody is there. */
class PeerAway extends TypeError {
  readonly code = 'ECONNREFUSED';
}

function responseOf(answer: Answer | null, evaluate: (expression: CompiledExpression) => string): Response {
  if (answer === null || answer.outcome.kind === 'left-open') return new Response(null, { status: 202 });
  const { outcome } = answer;
  if (outcome.kind === 'failure') throw new PeerAway(outcome.message);
  // Refused before anything runs.
  if (outcome.kind === 'bpmn-error') throw new InvariantError('a peer has no BPMN error to answer with');
  const { contentType, text } = contentOf(outcome.result, evaluate);
  const status = outcome.status ?? 200;
  const body = BODYLESS.has(status) ? null : text;
  return new Response(body, { status, headers: contentType === null ? {} : { 'content-type': contentType } });
}

function contentOf(
  result: AnswerResult,
  evaluate: (expression: CompiledExpression) => string,
): { readonly contentType: string | null; readonly text: string | null } {
  switch (result.kind) {
    case 'value':
      return { contentType: 'application/json', text: toPlainJson(result.value) };
    case 'expression':
      return { contentType: 'application/json', text: evaluate(result.expression) };
    case 'text':
      return { contentType: 'text/plain; charset=utf-8', text: result.text };
    case 'nothing':
      return { contentType: null, text: null };
  }
}
