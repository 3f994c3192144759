/** What is wrong with an expression, by its offsets. */
import type { Span } from '../ast.ts';

export type FeelCode =
  | 'SUTRA.FEEL.NAME_UNKNOWN'
  | 'SUTRA.FEEL.FUNCTION_UNKNOWN'
  | 'SUTRA.FEEL.TYPE_UNKNOWN'
  | 'SUTRA.FEEL.PATH_UNKNOWN'
  | 'SUTRA.FEEL.ARGUMENTS_INVALID'
  | 'SUTRA.FEEL.TYPE_MISMATCH'
  | 'SUTRA.FEEL.VALUE_INVALID'
  | 'SUTRA.FEEL.CONDITION_CONSTANT';

/** `error`: whatever the data, there is no value, or it never holds. `warning`: it is hardly meant. */
export type Severity = 'error' | 'warning';

export interface FeelFinding extends Span {
  readonly severity: Severity;
  readonly code: FeelCode;
  /** A sentence without its full stop. It says names and kinds, and what to do. */
  readonly message: string;
}
