/** What the end of a command means for its task. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { outcomeOf, type LastReports, type OutputKind } from '../../cli/work/command-outcome.ts';
import type { Outcome } from '../../cli/work/outcome.ts';
import type { RunEnd } from '../../cli/work/run-command.ts';

const none: LastReports = { bpmnError: null, retryAfterMs: null };
const noStock: LastReports = {
  bpmnError: { kind: 'bpmnError', code: 'NO_STOCK', message: 'sold out', variables: { left: 0 } },
  retryAfterMs: null,
};
const clean: RunEnd = {
  exitCode: 0,
  exitSignal: null,
  stopReason: null,
  output: new Uint8Array(),
  errorText: '',
  reportFault: null,
};

interface OutcomeChoices {
  readonly reports?: LastReports;
  readonly output?: OutputKind;
  readonly contentType?: string | null;
}

function outcome(
  end: Partial<RunEnd>,
  { reports = none, output = 'auto', contentType = null }: OutcomeChoices = {},
): Outcome {
  const options = { output, contentType, maxOutputBytes: 1000, timeout: 'PT5M' };
  return outcomeOf({ ...clean, ...end }, reports, options);
}

const bytes = (text: string): Uint8Array => Buffer.from(text);
const notText = Uint8Array.of(0xff, 0xfe, 0x0a);

/** Null: no result. Otherwise the content type and what is sent. */
const results: readonly (readonly [
  kind: OutputKind,
  output: Uint8Array,
  result: readonly [string, Uint8Array] | null,
])[] = [
  ['auto', bytes(''), null],
  ['json', bytes(''), null],
  ['text', bytes(''), null],
  ['bytes', bytes(''), null],
  ['auto', bytes('{"score": 71}\n'), ['application/json', bytes('{"score": 71}\n')]],
  ['auto', bytes('12345678901234567890'), ['application/json', bytes('12345678901234567890')]],
  ['auto', bytes('null'), ['application/json', bytes('null')]],
  ['auto', bytes('high risk\n'), ['text/plain; charset=utf-8', bytes('high risk')]],
  ['auto', bytes('\n'), ['text/plain; charset=utf-8', bytes('')]],
  ['auto', notText, ['application/octet-stream', notText]],
  ['json', bytes('[1,2]'), ['application/json', bytes('[1,2]')]],
  ['text', bytes('{"score": 71}\r\n'), ['text/plain; charset=utf-8', bytes('{"score": 71}')]],
  ['text', bytes('a\n\n'), ['text/plain; charset=utf-8', bytes('a\n')]],
  ['bytes', bytes('{}\n'), ['application/octet-stream', bytes('{}\n')]],
];

interface FailureRow {
  readonly what: string;
  readonly end: Partial<RunEnd>;
  readonly reports?: LastReports;
  readonly output?: OutputKind;
  readonly message: RegExp;
  readonly isRetryable?: false;
  readonly retryAfterMs?: number;
}

const failures: readonly FailureRow[] = [
  { what: 'exit code 1', end: { exitCode: 1 }, message: /^the command ended with exit code 1$/ },
  { what: 'EX_TEMPFAIL', end: { exitCode: 75 }, message: /exit code 75, a failure that may pass$/ },
  {
    what: 'EX_TEMPFAIL with a time',
    end: { exitCode: 75 },
    reports: { bpmnError: null, retryAfterMs: 300_000 },
    message: /75/,
    retryAfterMs: 300_000,
  },
  {
    what: 'EX_DATAERR',
    end: { exitCode: 65 },
    message: /exit code 65: the input is wrong$/,
    isRetryable: false,
  },
  { what: 'exit code 127', end: { exitCode: 127 }, message: /was not found$/ },
  { what: 'exit code 126', end: { exitCode: 126 }, message: /cannot be executed$/ },
  {
    what: 'a signal',
    end: { exitCode: null, exitSignal: 'SIGSEGV' },
    message: /^the command was ended by SIGSEGV$/,
  },
  {
    what: 'a last line on standard error',
    end: { exitCode: 1, errorText: 'Traceback:\n  x\nValueError: no amount\n\n' },
    message: /exit code 1: ValueError: no amount$/,
  },
  {
    what: 'a timeout',
    end: { exitCode: 0, stopReason: 'timeout', output: bytes('{}') },
    message: /^the command did not end within PT5M and was stopped$/,
  },
  {
    what: 'too much output',
    end: { exitCode: null, exitSignal: 'SIGTERM', stopReason: 'output' },
    message: /^the command wrote more than 1000 bytes/,
  },
  {
    what: 'no JSON',
    end: { output: bytes('{"a":') },
    output: 'json',
    message: /^standard output is no JSON: /,
  },
  {
    what: 'no text',
    end: { output: notText },
    output: 'text',
    message: /^standard output is no UTF-8 text$/,
  },
  {
    what: 'a BPMN error with another exit code',
    end: { exitCode: 1 },
    reports: noStock,
    message: /exit code 1; the BPMN error NO_STOCK that it reported counts only with exit code 0$/,
  },
  {
    what: 'a line that is no report, whatever else it said',
    end: { reportFault: 'line 2 is no report', output: bytes('{}') },
    reports: noStock,
    message: /^line 2 is no report$/,
  },
];

describe('the end of a command', () => {
  for (const [kind, output, result] of results) {
    it(`with ${kind} output ${JSON.stringify(Buffer.from(output).toString('latin1'))} is a result`, () => {
      const [contentType, sent] = result ?? ['', new Uint8Array()];
      const got = outcome({ output }, { output: kind });
      assert.equal(got.kind, 'completed');
      assert.equal(got.result === null, result === null);
      if (got.result === null) return;
      assert.equal(got.result.contentType, contentType);
      assert.deepEqual(Buffer.from(got.result.bytes), Buffer.from(sent));
    });
  }

  for (const { what, end, reports, output, message, isRetryable, retryAfterMs } of failures) {
    it(`with ${what} is a failure`, () => {
      const got = outcome(end, { ...(reports && { reports }), ...(output && { output }) });
      assert.equal(got.kind, 'failed');
      assert.match(got.message, message);
      assert.equal(got.isRetryable, isRetryable ?? true);
      assert.equal(got.retryAfterMs, retryAfterMs ?? null);
      assert.equal(got.details, end.errorText ?? '');
    });
  }

  it('with exit code 0 raises the BPMN error that was reported, whatever it wrote', () => {
    assert.deepEqual(outcome({ output: bytes('{}') }, { reports: noStock }), {
      kind: 'bpmn-error',
      code: 'NO_STOCK',
      message: 'sold out',
      variables: { left: 0 },
    });
  });

  it('has the content type that is asked for, of text and of JSON alike', () => {
    for (const [output, text] of [
      ['auto', '{}'],
      ['text', '<a/>'],
      ['bytes', '<a/>'],
    ] as const) {
      const got = outcome({ output: bytes(text) }, { output, contentType: 'application/xml' });
      assert.equal(got.kind, 'completed');
      assert.equal(got.result?.contentType, 'application/xml');
    }
  });

  it('has a message that is one line of bounded length', () => {
    const got = outcome({ exitCode: 1, errorText: `${'x'.repeat(50_000)}\n` });
    assert.equal(got.kind, 'failed');
    assert.ok(got.message.length <= 1000 && got.message.endsWith('…'));
  });
});
