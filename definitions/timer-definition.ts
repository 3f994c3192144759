/** When a timer event occurs: a duration, a date or a cycle, written down or as an expression. BPMN 2.0.2 §10.5.5. */
import type { Place } from '../config/engine-error.ts';
import type { CompiledExpression } from './feel.ts';

export type TimerDefinition =
  | {
      readonly kind: 'duration';
      readonly expression: CompiledExpression | null;
      readonly durationMs: number | null;
      readonly place: Place;
    }
  | {
      readonly kind: 'date';
      readonly expression: CompiledExpression | null;
      readonly dueAtMs: number | null;
      readonly place: Place;
    }
  | {
      readonly kind: 'cycle';
      /** Yields the text of a repeating interval, as `R3/PT10S`. */
      readonly expression: CompiledExpression | null;
      readonly cycle: RepeatingInterval | null;
      readonly place: Place;
    };

export interface RepeatingInterval {
  /** How often in all, at least 1; null: without end. */
  readonly repetitions: number | null;
  readonly intervalMs: number;
}
