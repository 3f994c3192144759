/**
 * Writes small BPMN files for tables of tests. `▮` in a text marks where a finding must point.
 */
import type { Finding } from '../../../config/engine-error.ts';
import { compileBpmn, type BpmnResult } from '../../../definitions/bpmn/compile.ts';
import type { PackageFile } from '../../../definitions/package-model.ts';
import { testDecisions } from './test-decisions.ts';

export const MARK = '▮';

export function fileOf(text: string): PackageFile {
  return { path: 'bpmn/test.bpmn', content: new TextEncoder().encode(text) };
}

/** In a package that has the decisions of `test-decisions.ts`. */
export function compileText(text: string): BpmnResult {
  return compileBpmn(fileOf(text), { decisions: testDecisions });
}

/** A file with `roots` beside the processes. Default namespace BPMN, `q` and `xsi` declared. */
export function definitions(inside: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:q="urn:sutra:q:1.0"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
  targetNamespace="urn:test">
${inside}
</definitions>`;
}

/** A process that starts at `s`, leads to the node `n`, and holds `inside`. */
export function processWith(inside: string, roots = ''): string {
  return definitions(`${roots}
<process id="p">
  <startEvent id="s"/>
  <sequenceFlow id="f" sourceRef="s" targetRef="n"/>
${inside}
</process>`);
}

/** `extensionElements` with `inside`. */
export function extensions(inside: string): string {
  return `<extensionElements>${inside}</extensionElements>`;
}

export interface MarkedText {
  readonly text: string;
  /** Of the marks, in order; the marks themselves take no room. */
  readonly places: readonly { readonly line: number; readonly column: number }[];
}

export function readMarks(marked: string): MarkedText {
  const parts = marked.split(MARK);
  const places = parts.slice(1).map((_, index) => {
    const lines = parts
      .slice(0, index + 1)
      .join('')
      .split('\n');
    return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
  });
  return { text: parts.join(''), places };
}

/** Code, line and column of the findings of one severity. */
export function outline(
  findings: readonly Finding[],
  severity: Finding['severity'],
): readonly { code: string; line: number | undefined; column: number | undefined }[] {
  return findings
    .filter((finding) => finding.severity === severity)
    .map(({ code, place }) => ({ code, line: place.line, column: place.column }));
}
