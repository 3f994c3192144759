/** What the end of a command means for its task. `docs/work-command.md` has the table. */
import { parseExactJson } from '../../definitions/exact-json.ts';
import { failed, type Completed, type Failed, type Outcome, type TaskResult } from './outcome.ts';
import type { Report } from './report.ts';
import type { RunEnd } from './run-command.ts';

/** How standard output is read. `auto`: JSON if it is, else text, else bytes. */
export const outputKinds = ['auto', 'json', 'text', 'bytes'] as const;
export type OutputKind = (typeof outputKinds)[number];

export interface OutcomeOptions {
  readonly output: OutputKind;
  /** Of the result; null: as the output is. */
  readonly contentType: string | null;
  readonly maxOutputBytes: number;
  /** Of a run, in words; null: none. */
  readonly timeout: string | null;
}

/** What counted of the reports: the last of each kind. */
export interface LastReports {
  readonly bpmnError: Extract<Report, { kind: 'bpmnError' }> | null;
  readonly retryAfterMs: number | null;
}

/** sysexits.h: the input is wrong, and will be the next time. */
const EX_DATAERR = 65;
/** sysexits.h: a failure that is expected to pass. */
const EX_TEMPFAIL = 75;
const MAX_MESSAGE_LENGTH = 1_000;

export function outcomeOf(end: RunEnd, reports: LastReports, options: OutcomeOptions): Outcome {
  const fault = stopFault(end, options) ?? exitFault(end, reports);
  if (fault !== null) return withErrors(fault, end, reports.retryAfterMs);
  if (end.reportFault !== null) return withErrors(failed(end.reportFault), end, reports.retryAfterMs);
  if (reports.bpmnError !== null) {
    const { code, message, variables } = reports.bpmnError;
    return { kind: 'bpmn-error', code, message, variables };
  }
  return resultOf(end, options, reports.retryAfterMs);
}

/** It was ended from here. */
function stopFault({ stopReason }: RunEnd, { maxOutputBytes, timeout }: OutcomeOptions): Failed | null {
  switch (stopReason) {
    case null:
      return null;
    case 'timeout':
      return failed(`the command did not end within ${timeout ?? 'its time'} and was stopped`);
    case 'output':
      return failed(`the command wrote more than ${String(maxOutputBytes)} bytes and was stopped`);
    case 'aborted':
      return failed('the command was stopped');
  }
}

function exitFault({ exitCode, exitSignal }: RunEnd, { bpmnError }: LastReports): Failed | null {
  if (exitCode === 0) return null;
  const how = exitCode === null ? `was ended by ${exitSignal ?? 'a signal'}` : meaningOf(exitCode);
  const unused =
    bpmnError === null
      ? ''
      : `; the BPMN error ${bpmnError.code} that it reported counts only with exit code 0`;
  return failed(`the command ${how}${unused}`, { isRetryable: exitCode !== EX_DATAERR });
}

function meaningOf(exitCode: number): string {
  const code = `ended with exit code ${String(exitCode)}`;
  if (exitCode === EX_TEMPFAIL) return `${code}, a failure that may pass`;
  if (exitCode === EX_DATAERR) return `${code}: the input is wrong`;
  if (exitCode === 126) return `${code}: it cannot be executed`;
  if (exitCode === 127) return `${code}: it, or a command in it, was not found`;
  return code;
}

/** The last line of standard error is the reason that people look for first. */
function withErrors(fault: Failed, { errorText }: RunEnd, retryAfterMs: number | null): Failed {
  const last = errorText
    .split('\n')
    .findLast((line) => line.trim() !== '')
    ?.trim();
  const message = last === undefined ? fault.message : `${fault.message}: ${last}`;
  return { ...fault, message: cut(message), details: errorText, retryAfterMs };
}

function cut(text: string): string {
  return text.length <= MAX_MESSAGE_LENGTH ? text : `${text.slice(0, MAX_MESSAGE_LENGTH - 1)}…`;
}

function resultOf(
  end: RunEnd,
  { output, contentType }: OutcomeOptions,
  retryAfterMs: number | null,
): Outcome {
  const bytes = end.output;
  if (bytes.length === 0) return { kind: 'completed', result: null };
  if (output === 'bytes') return completed(bytes, contentType ?? 'application/octet-stream');
  const json = output === 'text' ? null : parseExactJson(bytes);
  if (json?.ok === true) return completed(bytes, contentType ?? 'application/json');
  if (output === 'json') {
    const reason = json === null ? '' : `: ${json.message}`;
    return withErrors(failed(`standard output is no JSON${reason}`), end, retryAfterMs);
  }
  const text = textOf(bytes);
  if (text !== null) return completed(text, contentType ?? 'text/plain; charset=utf-8');
  if (output === 'text') return withErrors(failed('standard output is no UTF-8 text'), end, retryAfterMs);
  return completed(bytes, contentType ?? 'application/octet-stream');
}

function completed(bytes: TaskResult['bytes'], contentType: string): Completed {
  return { kind: 'completed', result: { bytes, contentType } };
}

/** Without the end of the last line, which programs write for the terminal. Null: it is no UTF-8. */
function textOf(bytes: Uint8Array): Uint8Array | null {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
  if (bytes.at(-1) !== 0x0a) return bytes;
  return bytes.subarray(0, bytes.at(-2) === 0x0d ? -2 : -1);
}
