/** The fields of a `Temporal`: read from its text once, and remembered as long as it lives. */
import { Temporal } from '../../value.ts';
import { FeelEvaluationError } from '../errors.ts';
import { fieldsFromText } from './parse.ts';
import { textOf } from './print.ts';
import type { Fields } from './shapes.ts';

const fieldsByTemporal = new WeakMap<Temporal, Fields>();

/** @throws FeelEvaluationError when a variable holds one whose text is not of its kind: it was not made here. */
export function fieldsOf(temporal: Temporal): Fields {
  const known = fieldsByTemporal.get(temporal);
  if (known !== undefined) return known;
  const fields = fieldsFromText(temporal.kind, temporal.text);
  if (fields === null) {
    throw new FeelEvaluationError(`a variable holds a ${temporal.kind} whose text is not one`);
  }
  fieldsByTemporal.set(temporal, fields);
  return fields;
}

export function temporalOf(fields: Fields): Temporal;
/** Null for null. */
export function temporalOf(fields: Fields | null): Temporal | null;
export function temporalOf(fields: Fields | null): Temporal | null {
  if (fields === null) return null;
  const temporal = new Temporal(fields.kind, textOf(fields));
  fieldsByTemporal.set(temporal, fields);
  return temporal;
}
