/** What a decision gives, as JSON for people and programs. */
import { Meter, TurnBudget } from '../definitions/feel/budget.ts';
import { writeValue } from '../definitions/feel/builtins/write-value.ts';
import { Evaluation } from '../definitions/feel/compile/evaluation.ts';
import { FeelFunction, FeelRange, type FeelValue } from '../definitions/feel/runtime.ts';
import { isFeelContext, isList } from '../definitions/feel/value-kind.ts';
import { toPlainJson } from '../definitions/plain-json.ts';
import { tooDeep } from '../definitions/value-codec.ts';
import { MAX_VALUE_DEPTH, type Value } from '../definitions/value.ts';

/**
 * The value as one that JSON has a form for: ranges and functions are strings, their FEEL text.
 * @throws EngineError SUTRA.CODEC.TOO_DEEP
 */
export function toJsonValue(value: FeelValue, depth = 0): Value {
  if (depth > MAX_VALUE_DEPTH) throw tooDeep();
  if (value instanceof FeelRange || value instanceof FeelFunction) {
    return writeValue(value, new Evaluation(new Meter(new TurnBudget(0))));
  }
  if (isList(value)) return value.map((item) => toJsonValue(item, depth + 1));
  if (!isFeelContext(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, toJsonValue(item, depth + 1)] as const);
  return Object.fromEntries(entries);
}

/** Plain data with values in it as JSON text on several lines, numbers with all their digits. */
export function formatJson(data: unknown): string {
  return indent(toPlainJson(data));
}

/** Strings, an empty list or object, and what begins, divides or ends the others. */
const TOKEN = /"(?:[^"\\]|\\.)*"|\[\]|\{\}|[[{,:}\]]|[^"[\]{},:]+/g;

/** The same JSON with a line for each element: on the text, since a JS number would not have all digits. */
function indent(json: string): string {
  let depth = 0;
  const newLine = (): string => `\n${'  '.repeat(depth)}`;
  return json.replace(TOKEN, (token) => {
    if (token === '[' || token === '{') {
      depth += 1;
      return `${token}${newLine()}`;
    }
    if (token === ']' || token === '}') {
      depth -= 1;
      return `${newLine()}${token}`;
    }
    if (token === ',') return `,${newLine()}`;
    return token === ':' ? ': ' : token;
  });
}
