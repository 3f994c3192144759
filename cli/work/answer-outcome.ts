/** What the answer of an endpoint means for its task. `docs/work-command.md` has the table. */
import { parseExactJson } from '../../definitions/exact-json.ts';
import { failed, type Failed, type Outcome } from './outcome.ts';
import type { EndpointAnswer } from './post-task.ts';
import { isErrorCode, isObject } from './report.ts';

const BPMN_ERROR_HEADER = 'sutra-bpmn-error';
/**
 * 4xx that say nothing against the task: the address or the credentials are wrong, which somebody will repair, or the
 * endpoint asks to be left alone for a while.
 */
const retryable4xx: ReadonlySet<number> = new Set([401, 403, 404, 405, 407, 408, 421, 425, 429]);
const MAX_DETAILS_BYTES = 65_536;
const MAX_REASON_LENGTH = 500;

/** @param endpoint as messages call it. @param nowMs for a `Retry-After` that is a date. */
export function outcomeOfAnswer(answer: EndpointAnswer, endpoint: string, nowMs: number): Outcome {
  const { status, headers, body } = answer;
  const isGood = status >= 200 && status < 300;
  const code = headers[BPMN_ERROR_HEADER];
  if (body === null) return failed(`${endpoint} answered ${String(status)} with more than --max-output`);
  if (code !== undefined && (isGood || (status >= 400 && status < 500))) {
    const isProblem = /^application\/problem\+json\b/i.test(headers['content-type'] ?? '');
    return raised(code, body, isProblem, endpoint);
  }
  if (!isGood) return refusal(answer, body, endpoint, nowMs);
  if (body.length === 0) return { kind: 'completed', result: null };
  return {
    kind: 'completed',
    result: { bytes: body, contentType: headers['content-type'] ?? 'application/octet-stream' },
  };
}

/** A problem document has `detail` and `variables`; any other JSON object is the variables. */
function raised(code: string, body: Uint8Array, isProblem: boolean, endpoint: string): Outcome {
  if (!isErrorCode(code)) return failed(`${endpoint} answered a ${BPMN_ERROR_HEADER} that is no code`);
  if (body.length === 0) return { kind: 'bpmn-error', code, message: null, variables: null };
  const parsed = parseExactJson(body, { maxDepth: 100, numbers: 'doubles' });
  if (!parsed.ok || !isObject(parsed.value)) {
    return failed(`${endpoint} answered a ${BPMN_ERROR_HEADER} whose body is no JSON object`);
  }
  if (!isProblem) return { kind: 'bpmn-error', code, message: null, variables: parsed.value };
  const { detail, variables } = parsed.value;
  return {
    kind: 'bpmn-error',
    code,
    message: typeof detail === 'string' ? detail : null,
    variables: isObject(variables) ? variables : null,
  };
}

function refusal(
  { status, headers }: EndpointAnswer,
  body: Uint8Array,
  endpoint: string,
  nowMs: number,
): Failed {
  const details = Buffer.from(body.subarray(0, MAX_DETAILS_BYTES)).toString('utf8');
  const reason = reasonOf(body);
  const message = `${endpoint} answered ${String(status)}${reason === null ? '' : `: ${reason}`}`;
  return failed(message, {
    details,
    isRetryable: status < 400 || status >= 500 || retryable4xx.has(status),
    retryAfterMs: retryAfterMs(headers['retry-after'], nowMs),
  });
}

/** Of a problem document. */
function reasonOf(body: Uint8Array): string | null {
  const parsed = parseExactJson(body);
  if (!parsed.ok || !isObject(parsed.value)) return null;
  const reason = parsed.value['detail'] ?? parsed.value['title'];
  return typeof reason === 'string' ? reason.slice(0, MAX_REASON_LENGTH) : null;
}

/** Seconds or a date; null: none, or one that is neither. */
function retryAfterMs(text: string | undefined, nowMs: number): number | null {
  if (text === undefined) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}
