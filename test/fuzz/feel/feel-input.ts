/** One input of the fuzz run of FEEL: a text, and all that it is evaluated over. The bytes of it say everything. */
import { decodeValue, encodeValue } from '../../../definitions/value-codec.ts';
import { isContext, type Context, type Value } from '../../../definitions/value.ts';

export interface FeelInput {
  /** Read as an expression, and as unary tests. */
  readonly text: string;
  readonly variables: Context;
  /** What the unary tests are about. */
  readonly input: Value;
  /** What one evaluation may cost. Null: what is usual (definitions/feel/budget.ts). */
  readonly units: number | null;
}

export function encodeFeelInput({ text, variables, input, units }: FeelInput): Uint8Array {
  return Buffer.from(encodeValue({ text, variables, input, ...(units === null ? {} : { units }) }));
}

/** @throws Error for bytes that are no input */
export function decodeFeelInput(bytes: Uint8Array): FeelInput {
  const parsed: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
  const value = decodeValue(parsed);
  if (!isContext(value)) throw new Error('an input is a context');
  const { text, variables, input = null, units = null } = value;
  if (typeof text !== 'string' || !isContext(variables)) throw new Error('an input has a text and variables');
  return { text, variables, input, units: typeof units === 'number' ? units : null };
}
