/** Reading what a request about one external task says: its id, its fields, its numbers. */
import { EngineError } from '../../../../config/engine-error.ts';
import { quoteText } from '../../../../config/quote-text.ts';
import type { PullCode } from '../../codes.ts';
import { MAX_ID_LENGTH } from '../../request-fields.ts';
import type { SurfaceRequest } from '../surface.ts';
import { CamundaFields, readJson, requestInvalid } from './camunda-request.ts';
import type { PathParams } from './camunda-route.ts';

export interface NumberRule {
  readonly min: number;
  readonly max: number;
  /** The key that sets `max`; null: nothing does. */
  readonly maxKey: string | null;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** @throws EngineError SUTRA.EXTERNAL_TASK.NOT_FOUND for what can be no id: a client that asks for it asks for a task. */
export function taskIdOf({ id = '' }: PathParams): string {
  if (UUID.test(id)) return id.toLowerCase();
  const code: PullCode = 'SUTRA.EXTERNAL_TASK.NOT_FOUND';
  throw new EngineError(code, `External task with id ${quoteText(id.slice(0, 100))} does not exist`);
}

/** @throws EngineError SUTRA.COMPAT.REQUEST_INVALID when there is no body */
export async function readFields(request: SurfaceRequest, known: readonly string[]): Promise<CamundaFields> {
  const body = await readJson(request);
  if (body === null) throw requestInvalid('the body', 'is missing: send a JSON object');
  return new CamundaFields(body, known);
}

/** A name: 1 to 255 characters. */
export function requiredText(fields: CamundaFields, name: string): string {
  const text = fields.text(name, MAX_ID_LENGTH);
  if (text === null) throw fields.refuse(name, 'is required');
  if (text.trim() === '') throw fields.refuse(name, 'is blank');
  return text;
}

export function requiredInteger(fields: CamundaFields, name: string, rule: NumberRule): number {
  const number = optionalInteger(fields, name, rule);
  if (number === null) throw fields.refuse(name, 'is required');
  return number;
}

/** Of a body: a text is no number there. */
export function optionalInteger(fields: CamundaFields, name: string, rule: NumberRule): number | null {
  const value = fields.raw(name);
  if (value === null) return null;
  if (typeof value !== 'number' || !Number.isSafeInteger(value))
    throw fields.refuse(name, 'must be a whole number');
  const { min, max, maxKey } = rule;
  if (value < min) throw fields.refuse(name, `is ${String(value)}; the least is ${String(min)}`);
  const why = maxKey === null ? '' : `, as ${maxKey} says`;
  if (value > max) throw fields.refuse(name, `is ${String(value)}; at most ${String(max)} is taken${why}`);
  return value;
}
