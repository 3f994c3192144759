import type { BpmnCode } from '../../../definitions/bpmn/codes.ts';
import type { DialectCode } from '../../../definitions/dialects/codes.ts';

export interface RefusalRow {
  readonly title: string;
  readonly text: string;
  /** In the order of the marks. */
  readonly codes: readonly (BpmnCode | DialectCode | 'SUTRA.FEEL.SYNTAX_INVALID')[];
  readonly severity?: 'warning';
}
