/** Values that are declared to be of a type. */
import type { Place } from '../../config/engine-error.ts';
import type { Evaluation } from '../feel/compile/evaluation.ts';
import type { FeelValue } from '../feel/runtime.ts';
import type { Compiled } from './compile-scope.ts';
import { fail } from './decision-run.ts';
import { conform, TypeFault } from './item-conformance.ts';
import type { ItemType } from './item-types.ts';

/** A frame, or what else knows its run. */
interface Running {
  readonly run: Evaluation;
}

/** Whether every value is of the type, so that nothing need be looked at. */
export function isAny({ feelType, checks, base }: ItemType): boolean {
  return feelType.kind === 'any' && checks.length === 0 && base === null;
}

/**
 * What is computed, as one of the type: null where it is not.
 * @param subject what it is the value of, for messages
 */
export function typed(compiled: Compiled, type: ItemType, subject: string, place: Place): Compiled {
  if (isAny(type) || compiled.type === type) return compiled;
  const { code, height } = compiled;
  return {
    code: (frame) => conformed(code(frame), type, subject, place, frame),
    type,
    height: height + 1,
  };
}

export function conformed(
  value: FeelValue,
  type: ItemType,
  subject: string,
  place: Place,
  frame: Running,
): FeelValue {
  const result = conform(value, type, frame.run);
  return result instanceof TypeFault ? faulty(result, subject, place, frame) : result;
}

export function faulty(
  { condition, message }: TypeFault,
  subject: string,
  place: Place,
  frame: Running,
): null {
  const code = condition === 'type' ? 'SUTRA.DMN.TYPE_MISMATCH' : 'SUTRA.DMN.VALUE_NOT_ALLOWED';
  return fail(frame, code, place, `${subject}: ${message}`);
}
