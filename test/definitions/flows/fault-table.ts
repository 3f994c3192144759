/** Tables of flows that are wrong: the code, the place that `▮` marks, and the sentence. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readMarks } from '../bpmn/marked-file.ts';
import { read } from './flow-texts.ts';

type Row = readonly [text: string, ...faults: (readonly [code: string, message: string])[]];

/** Marks are in the order of lines; findings of one row are compared in that order. */
function check(marked: string, faults: readonly (readonly [string, string])[]): void {
  const { text, places } = readMarks(marked);
  const { flow, findings } = read(text);
  assert.equal(flow, null);
  const found = findings
    .map(({ code, severity, message, place }) => {
      assert.equal(severity, 'error');
      return { code: code.replace('SUTRA.', ''), message, ...place };
    })
    .sort((one, other) => (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0));
  assert.deepEqual(
    found.map(({ code, message, file, line, column }) => [code, message, file, line, column]),
    faults.map(([code, message], index) => [
      code,
      message,
      'flows/test.yaml',
      places[index]?.line,
      places[index]?.column,
    ]),
  );
}

export function table(
  title: string,
  rows: readonly Row[],
  around: (text: string) => string = (text) => text,
): void {
  describe(title, () => {
    for (const [text, ...faults] of rows) {
      test(text === '' ? 'nothing' : text, () => {
        check(around(text), faults);
      });
    }
  });
}
