/** Expressions of a model, evaluated at a token. */
import { TurnBudgetError, type CompiledExpression, type VariableLookup } from '../../definitions/feel.ts';
import { isFeelNumber } from '../../definitions/feel/number.ts';
import { toText } from '../../definitions/feel/number-text.ts';
import type { HeaderDefinition, SequenceFlow } from '../../definitions/model.ts';
import { ownProperty, Temporal, type Context, type Value } from '../../definitions/value.ts';
import { ElementFailure } from './element-failure.ts';
import type { LiveScope, LiveToken } from './live-state.ts';
import { lookUp } from './scope-variables.ts';
import type { Step } from './step.ts';
import { isTooLarge, MAX_VALUE_SIZE } from './value-size.ts';

/** Values of headers in which no transport may see a line break or another control character. */
// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

/** Where an expression is evaluated: a token, or the scope of an event that has no token yet. */
export interface Site {
  readonly scope: LiveScope;
  readonly elementId: string;
  readonly message: LiveToken['message'];
}

/** The scope itself, for the events of its event sub-processes. */
export function siteOf(scope: LiveScope, elementId: string): Site {
  return { scope, elementId, message: null };
}

/**
 * The value of a name at a token. While the token is at the node that a message came to, `header` and
 * `event` are that message's, and `payload` is its payload unless a variable has that name.
 */
function resolve(site: Site, name: string): Value | undefined {
  const { message } = site;
  if (message !== null) {
    if (name === 'header') return message.headers;
    if (name === 'event') return message.event;
  }
  const value = lookUp(site.scope, name);
  return value === undefined && message !== null && name === 'payload' ? message.payload : value;
}

/**
 * @param names more names, visible to this expression alone
 * @throws ElementFailure for whatever the expression cannot do with the variables
 */
export function evaluate(step: Step, site: Site, expression: CompiledExpression, names?: Context): Value {
  const find =
    names === undefined
      ? (name: string) => resolve(site, name)
      : (name: string) => ownProperty(names, name) ?? resolve(site, name);
  return evaluateOver(step, expression, find);
}

/**
 * As `evaluate`, over nothing but what `find` finds.
 * @throws ElementFailure for whatever the expression cannot do with it
 */
export function evaluateOver(step: Step, expression: CompiledExpression, find: VariableLookup): Value {
  let value: Value;
  try {
    value = expression.evaluate(find, step.budget);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown error';
    throw new ElementFailure(
      cause instanceof TurnBudgetError ? 'SUTRA.CORE.COST_LIMIT' : 'SUTRA.CORE.EXPRESSION_FAILED',
      `${reason} (expression: ${shorten(expression.text)})`,
    );
  }
  if (!isTooLarge(value)) return value;
  throw new ElementFailure(
    'SUTRA.CORE.VALUE_TOO_LARGE',
    `an expression gave a ${kindOf(value)} larger than ${MAX_VALUE_SIZE} (expression: ${shorten(expression.text)})`,
  );
}

/** A flow without a condition may always be taken. */
export function flowHolds(step: Step, token: LiveToken, flow: SequenceFlow): boolean {
  return flow.condition === null || holds(step, token, flow.condition, flow.id);
}

/**
 * Whether a condition is true; null counts as false.
 * @param ownerId whose condition it is, for the failure
 */
export function holds(
  step: Step,
  site: Site,
  condition: CompiledExpression,
  ownerId: string,
  names?: Context,
): boolean {
  const value = evaluate(step, site, condition, names);
  if (value === null || typeof value === 'boolean') return value ?? false;
  throw new ElementFailure(
    'SUTRA.CORE.CONDITION_NOT_BOOLEAN',
    `the condition of ${ownerId} gave a ${kindOf(value)}, not true or false (expression: ${shorten(condition.text)})`,
  );
}

/**
 * Evaluates headers. A null value leaves its header out; `sutra-park-*` names are reserved and have no
 * effect when an author sets them.
 */
export function evaluateHeaders(
  step: Step,
  site: Site,
  headers: readonly HeaderDefinition[],
): Readonly<Record<string, string>> {
  const entries: [string, string][] = [];
  for (const { name, value: expression } of headers) {
    if (name.toLowerCase().startsWith('sutra-park-')) continue;
    const value = evaluate(step, site, expression);
    if (value === null) continue;
    const text = headerText(value);
    if (text === null || CONTROL_CHARACTER.test(text)) {
      const fault = text === null ? `is a ${kindOf(value)}` : 'holds a control character';
      throw new ElementFailure('SUTRA.CORE.HEADER_VALUE_INVALID', `the value of the header ${name} ${fault}`);
    }
    entries.push([name, text]);
  }
  return Object.fromEntries(entries);
}

function headerText(value: Value): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (isFeelNumber(value)) return toText(value);
  return value instanceof Temporal ? value.text : null;
}

export function kindOf(value: Value): string {
  if (value === null) return 'null';
  if (value instanceof Temporal) return value.kind;
  if (isFeelNumber(value)) return 'number';
  if (Array.isArray(value)) return 'list';
  return typeof value === 'object' ? 'context' : typeof value;
}

function shorten(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 120)}…`;
}
