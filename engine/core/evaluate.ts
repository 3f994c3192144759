/** Expressions of a model, evaluated at a token. */
import type { CompiledExpression } from '../../definitions/feel.ts';
import type { HeaderDefinition, SequenceFlow } from '../../definitions/model.ts';
import { Temporal, type Value } from '../../definitions/value.ts';
import { ElementFailure } from './element-failure.ts';
import type { LiveToken } from './live-state.ts';
import { lookUp } from './scope-variables.ts';
import type { Step } from './step.ts';

/** Values of headers in which no transport may see a line break or another control character. */
// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

/**
 * The value of a name at a token. While the token is at the node that a message came to, `header` and
 * `event` are that message's, and `payload` is its payload unless a variable has that name.
 */
function resolve(token: LiveToken, name: string): Value | undefined {
  const { message } = token;
  if (message !== null) {
    if (name === 'header') return message.headers;
    if (name === 'event') return message.event;
  }
  const value = lookUp(token.scope, name);
  return value === undefined && message !== null && name === 'payload' ? message.payload : value;
}

/** @throws ElementFailure for whatever the expression cannot do with the variables. */
export function evaluate(step: Step, token: LiveToken, expression: CompiledExpression): Value {
  try {
    return expression.evaluate((name) => resolve(token, name), step.context.nowMs);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown error';
    throw new ElementFailure(
      'SUTRA.CORE.EXPRESSION_FAILED',
      `${reason} (expression: ${shorten(expression.text)})`,
    );
  }
}

/** A flow without a condition may always be taken; null counts as false. */
export function holds(step: Step, token: LiveToken, flow: SequenceFlow): boolean {
  if (flow.condition === null) return true;
  const value = evaluate(step, token, flow.condition);
  if (value === null || typeof value === 'boolean') return value ?? false;
  const { text } = flow.condition;
  throw new ElementFailure(
    'SUTRA.CORE.CONDITION_NOT_BOOLEAN',
    `the condition of ${flow.id} gave a ${kindOf(value)}, not true or false (expression: ${shorten(text)})`,
  );
}

/**
 * Evaluates headers. A null value leaves its header out; `sutra-park-*` names are reserved and have no
 * effect when an author sets them.
 */
export function evaluateHeaders(
  step: Step,
  token: LiveToken,
  headers: readonly HeaderDefinition[],
): Readonly<Record<string, string>> {
  const entries: [string, string][] = [];
  for (const { name, value: expression } of headers) {
    if (name.toLowerCase().startsWith('sutra-park-')) continue;
    const value = evaluate(step, token, expression);
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
  if (typeof value === 'number' || typeof value === 'boolean') return JSON.stringify(value);
  return value instanceof Temporal ? value.text : null;
}

export function kindOf(value: Value): string {
  if (value === null) return 'null';
  if (value instanceof Temporal) return value.kind;
  if (Array.isArray(value)) return 'list';
  return typeof value === 'object' ? 'context' : typeof value;
}

function shorten(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 120)}…`;
}
