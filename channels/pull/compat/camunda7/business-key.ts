/**
 * The business key: the process variable `businessKey`, here as for every client (JUEL's `execution.processBusinessKey`
 * and `camunda:in businessKey` are that variable, too), registered as the alias of that name, by which it is found.
 */
import { ownProperty, type Context } from '../../../../definitions/value.ts';
import type { CamundaFields } from './camunda-request.ts';
import { requestInvalid } from './camunda-request.ts';

export const BUSINESS_KEY = 'businessKey';

/** As long as Camunda's column is. */
const MAX_CHARACTERS = 255;

/** Null: none is given; an empty one is none. */
export function businessKeyOf(fields: CamundaFields): string | null {
  return fields.raw(BUSINESS_KEY) === '' ? null : fields.text(BUSINESS_KEY, MAX_CHARACTERS);
}

/** @throws EngineError when the variables say something else */
export function withBusinessKey(variables: Context, businessKey: string | null): Context {
  if (businessKey === null) return variables;
  const own = ownProperty(variables, BUSINESS_KEY);
  if (own !== undefined && own !== businessKey) {
    throw requestInvalid(
      BUSINESS_KEY,
      'is a variable here, and the variables give it another value: give it once',
    );
  }
  return { ...variables, [BUSINESS_KEY]: businessKey };
}
