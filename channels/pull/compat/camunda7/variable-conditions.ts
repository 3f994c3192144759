/**
 * Conditions on variables. In a query's URL they are `name_operator_value` with commas between, in a body objects with
 * `name`, `operator` and `value`; in a message's correlation keys typed values that are equal.
 */
import { compare, isFeelNumber } from '../../../../definitions/feel/number.ts';
import { numberLiteral, readNumberLiteral } from '../../../../definitions/number-literal.ts';
import { toPlainJson } from '../../../../definitions/plain-json.ts';
import { ownProperty, Temporal, type Context, type Value } from '../../../../definitions/value.ts';
import { CamundaFields } from './camunda-request.ts';

export interface VariableCondition {
  readonly holds: (variables: Context) => boolean;
}

type Comparison = (actual: Value, wanted: Value) => boolean;

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  eq: isSame,
  neq: (actual, wanted) => !isSame(actual, wanted),
  gt: (actual, wanted) => order(actual, wanted) === 1,
  gteq: (actual, wanted) => [0, 1].includes(order(actual, wanted) ?? -1),
  lt: (actual, wanted) => order(actual, wanted) === -1,
  lteq: (actual, wanted) => [0, -1].includes(order(actual, wanted) ?? 1),
  like: (actual, wanted) =>
    typeof actual === 'string' && typeof wanted === 'string' && isLike(actual, wanted),
};

/** Enough for any query that a person writes; each is held against each instance that is read. */
const MAX_CONDITIONS = 50;
const MAX_PATTERN_CHARACTERS = 500;

/** None: the query has none. */
export function readConditions(fields: CamundaFields, name: string): readonly VariableCondition[] {
  const raw = fields.raw(name) ?? [];
  const list: unknown = typeof raw === 'string' ? raw.split(',') : raw;
  if (!Array.isArray(list)) throw fields.refuse(name, 'must be a list of conditions');
  if (list.length > MAX_CONDITIONS)
    throw fields.refuse(name, `has more than ${String(MAX_CONDITIONS)} conditions`);
  return list.map((item: unknown) =>
    typeof item === 'string' ? ofText(fields, name, item) : ofObject(item, name),
  );
}

/** Every one of the variables is there and equal. */
export function equalToAll(variables: Context): readonly VariableCondition[] {
  return Object.entries(variables).map(([name, value]) => condition(name, isSame, value));
}

function ofText(fields: CamundaFields, name: string, text: string): VariableCondition {
  const match = /^(.+?)_(eq|neq|gteq|gt|lteq|lt|like)_(.*)$/s.exec(text);
  const [, variable = '', operator = '', value = ''] = match ?? [];
  const comparison = COMPARISONS[operator];
  if (match === null || comparison === undefined) {
    throw fields.refuse(
      name,
      'is written name_operator_value, with one of eq, neq, gt, gteq, lt, lteq, like',
    );
  }
  return checked(fields, name, { variable, operator, comparison, value: valueOf(value) });
}

/** What a URL can say of a type: a number, a boolean, else a text. */
function valueOf(text: string): Value {
  if (text === 'true' || text === 'false') return text === 'true';
  return readNumberLiteral(text) ?? text;
}

function ofObject(item: unknown, name: string): VariableCondition {
  const fields = new CamundaFields(item, ['name', 'operator', 'value'], `${name}.`);
  const operator = fields.text('operator') ?? 'eq';
  const comparison = Object.hasOwn(COMPARISONS, operator) ? COMPARISONS[operator] : undefined;
  const variable = fields.text('name');
  if (comparison === undefined)
    throw fields.refuse('operator', `must be one of ${Object.keys(COMPARISONS).join(', ')}`);
  if (variable === null) throw fields.refuse('name', 'is required');
  // What an exact JSON reader accepts is a plain value.
  const value = fields.raw('value') as Value;
  return checked(fields, 'value', { variable, operator, comparison, value });
}

function checked(
  fields: CamundaFields,
  name: string,
  {
    variable,
    operator,
    comparison,
    value,
  }: { variable: string; operator: string; comparison: Comparison; value: Value },
): VariableCondition {
  if (operator !== 'like') return condition(variable, comparison, value);
  const pattern = isFeelNumber(value) ? numberLiteral(value) : value;
  if (typeof pattern === 'string' && pattern.length <= MAX_PATTERN_CHARACTERS) {
    return condition(variable, comparison, pattern);
  }
  throw fields.refuse(name, `of like must be a text of at most ${String(MAX_PATTERN_CHARACTERS)} characters`);
}

/** A variable that is not there fits nothing, not even what is not equal, as there. */
function condition(variable: string, comparison: Comparison, wanted: Value): VariableCondition {
  return {
    holds: (variables) => {
      const actual = ownProperty(variables, variable);
      return actual !== undefined && comparison(actual, wanted);
    },
  };
}

/** Dates may have come as texts: both are their ISO text. */
function isSame(actual: Value, wanted: Value): boolean {
  const [left, right] = [plain(actual), plain(wanted)];
  if (isFeelNumber(left) && isFeelNumber(right)) return compare(left, right) === 0;
  return toPlainJson(left) === toPlainJson(right);
}

function plain(value: Value): Value {
  return value instanceof Temporal ? value.text : value;
}

/** Null: they have no order. */
function order(actual: Value, wanted: Value): -1 | 0 | 1 | null {
  const [left, right] = [plain(actual), plain(wanted)];
  if (isFeelNumber(left) && isFeelNumber(right)) return compare(left, right);
  if (typeof left !== 'string' || typeof right !== 'string') return null;
  return left === right ? 0 : left < right ? -1 : 1;
}

/** `%` stands for any text, `_` for one character. Linear in the text for each part between `%`: no pattern can hang it. */
function isLike(text: string, pattern: string): boolean {
  const parts = pattern.split('%');
  const [head = '', ...rest] = parts;
  const tail = rest.pop();
  if (tail === undefined) return text.length === pattern.length && fitsAt(text, pattern, 0);
  if (text.length < head.length + tail.length || !fitsAt(text, head, 0)) return false;
  const end = text.length - tail.length;
  if (!fitsAt(text, tail, end)) return false;
  let at = head.length;
  for (const part of rest) {
    while (at + part.length <= end && !fitsAt(text, part, at)) at += 1;
    if (at + part.length > end) return false;
    at += part.length;
  }
  return true;
}

function fitsAt(text: string, part: string, at: number): boolean {
  for (let index = 0; index < part.length; index += 1) {
    if (part[index] !== '_' && part[index] !== text[at + index]) return false;
  }
  return true;
}
