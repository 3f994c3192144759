/** What a command may say on descriptor 3. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { MAX_PROGRESS_BYTES, readReport, type Report } from '../../cli/work/report.ts';

const good: readonly (readonly [line: string, report: Report])[] = [
  ['{"progress": 0.5}', { kind: 'progress', value: 0.5 }],
  ['{"progress": null}', { kind: 'progress', value: null }],
  [' {"progress": {"done": 3, "of": [1, "x"]}} ', { kind: 'progress', value: { done: 3, of: [1, 'x'] } }],
  [
    '{"bpmnError": {"code": "NO_STOCK"}}',
    { kind: 'bpmnError', code: 'NO_STOCK', message: null, variables: null },
  ],
  [
    '{"bpmnError": {"code": "E", "message": "why", "variables": {"a": {"b": 1}}}}',
    { kind: 'bpmnError', code: 'E', message: 'why', variables: { a: { b: 1 } } },
  ],
  ['{"retryAfter": "PT5M"}', { kind: 'retryAfter', ms: 300_000 }],
  ['{"retryAfter": "PT0S"}', { kind: 'retryAfter', ms: 0 }],
];

const bad: readonly (readonly [line: string, said: RegExp])[] = [
  ['progress 50%', /no JSON/],
  ['{"progress": 1', /no JSON/],
  ['[]', /no JSON object/],
  ['"progress"', /no JSON object/],
  ['{}', /exactly one .* not nothing/],
  ['{"progress": 1, "retryAfter": "PT1S"}', /not "progress", "retryAfter"/],
  ['{"toString": 1}', /not "toString"/],
  ['{"__proto__": 1}', /not "__proto__"/],
  ['{"bpmnError": "E"}', /is an object/],
  ['{"bpmnError": {}}', /code is a text/],
  ['{"bpmnError": {"code": " "}}', /code is a text/],
  [`{"bpmnError": {"code": "${'x'.repeat(256)}"}}`, /code is a text of 1 to 255/],
  ['{"bpmnError": {"code": "E", "message": 1}}', /message is a text/],
  ['{"bpmnError": {"code": "E", "variables": [1]}}', /variables is an object/],
  ['{"bpmnError": {"code": "E", "errorCode": "F"}}', /no "errorCode"/],
  ['{"bpmnError": {"code": "E", "variables": {"n": 12345678901234567890}}}', /cannot be kept exactly/],
  ['{"retryAfter": 5}', /duration such as/],
  ['{"retryAfter": "5m"}', /retryAfter: .*5m/],
  [`{"progress": "${'x'.repeat(MAX_PROGRESS_BYTES)}"}`, /4098 bytes of JSON; it may have 4096/],
];

describe('a line of descriptor 3', () => {
  for (const [line, report] of good) {
    it(`is a report: ${line}`, () => assert.deepEqual(readReport(line), { ok: true, report }));
  }
  for (const [line, said] of bad) {
    it(`is refused with a reason: ${line.slice(0, 80)}`, () => {
      const result = readReport(line);
      assert.ok(!result.ok);
      assert.match(result.message, said);
    });
  }

  it('is read or refused, whatever it is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
        const result = readReport(line);
        assert.ok(result.ok || result.message.length > 0);
      }),
    );
  });
});
