/**
 * What a running command says beside its result: one JSON object a line on file descriptor 3.
 *
 *     echo '{"progress": {"done": 40, "of": 100}}' >&3
 *     echo '{"bpmnError": {"code": "ORDER_REJECTED", "message": "…", "variables": {"reason": "stock"}}}' >&3
 *     echo '{"retryAfter": "PT5M"}' >&3
 *
 * A descriptor of its own, because nothing but a report is ever written there: no line of standard output or of standard
 * error can be taken for one.
 */
import { parseDuration } from '../../config/iso8601.ts';
import { quoteText } from '../../config/quote-text.ts';
import { parseExactJsonText } from '../../definitions/exact-json.ts';

export type Report =
  | { readonly kind: 'progress'; readonly value: unknown }
  | {
      readonly kind: 'bpmnError';
      readonly code: string;
      readonly message: string | null;
      readonly variables: Readonly<Record<string, unknown>> | null;
    }
  | { readonly kind: 'retryAfter'; readonly ms: number };

export type ReportResult =
  { readonly ok: true; readonly report: Report } | { readonly ok: false; readonly message: string };

/** As the engine's route has it. */
export const MAX_PROGRESS_BYTES = 4096;
export const MAX_ERROR_CODE_LENGTH = 255;

const readers = {
  progress: readProgress,
  bpmnError: readBpmnError,
  retryAfter: readRetryAfter,
} satisfies Record<Report['kind'], (value: unknown) => ReportResult>;

/** `numbers: 'doubles'`: what cannot be kept is refused, never rounded. */
const limits = { maxDepth: 100, numbers: 'doubles' } as const;

export function readReport(line: string): ReportResult {
  const parsed = parseExactJsonText(line, limits);
  if (!parsed.ok) return refuse(`it is no JSON: ${parsed.message}`);
  if (!isObject(parsed.value)) return refuse('it is no JSON object');
  const names = Object.keys(parsed.value);
  const [name = ''] = names;
  if (names.length !== 1 || !isKind(name)) {
    const found = names.length === 0 ? 'nothing' : names.map(quoteText).join(', ');
    return refuse(`it has exactly one of progress, bpmnError and retryAfter, not ${found}`);
  }
  return readers[name](parsed.value[name]);
}

function isKind(name: string): name is Report['kind'] {
  return Object.hasOwn(readers, name);
}

function readProgress(value: unknown): ReportResult {
  const sizeBytes = Buffer.byteLength(JSON.stringify(value));
  if (sizeBytes > MAX_PROGRESS_BYTES) {
    return refuse(
      `progress has ${String(sizeBytes)} bytes of JSON; it may have ${String(MAX_PROGRESS_BYTES)}`,
    );
  }
  return { ok: true, report: { kind: 'progress', value } };
}

function readBpmnError(value: unknown): ReportResult {
  if (!isObject(value)) return refuse('bpmnError is an object');
  const unknownName = Object.keys(value).find((name) => !['code', 'message', 'variables'].includes(name));
  if (unknownName !== undefined) return refuse(`bpmnError has no ${quoteText(unknownName)}`);
  const { code, message = null, variables = null } = value;
  if (!isErrorCode(code)) {
    return refuse(`bpmnError.code is a text of 1 to ${String(MAX_ERROR_CODE_LENGTH)} characters`);
  }
  if (message !== null && typeof message !== 'string') return refuse('bpmnError.message is a text');
  if (variables !== null && !isObject(variables)) return refuse('bpmnError.variables is an object');
  return { ok: true, report: { kind: 'bpmnError', code, message, variables } };
}

export function isErrorCode(code: unknown): code is string {
  return typeof code === 'string' && code.trim() !== '' && code.length <= MAX_ERROR_CODE_LENGTH;
}

function readRetryAfter(value: unknown): ReportResult {
  if (typeof value !== 'string') return refuse('retryAfter is a duration such as "PT5M"');
  const duration = parseDuration(value);
  return duration.ok
    ? { ok: true, report: { kind: 'retryAfter', ms: duration.ms } }
    : refuse(`retryAfter: ${duration.message}`);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refuse(message: string): ReportResult {
  return { ok: false, message };
}
