/**
 * Whether of some conditions one always holds, as far as their text shows it.
 *
 * C1 Yes only for what an author can mean as a complete choice: a condition and its opposite, a truth value and
 *    false, one value held against numbers that leave no gap. Null, of which no comparison holds, is not thought of.
 * C2 Operands are the same when their trees are, wherever they stand in the text.
 */
import { childExpressions, type Comparison, type ComparisonOperator, type Expression } from '../feel/ast.ts';

export function isExhaustive(conditions: readonly Expression[]): boolean {
  if (conditions.some((condition) => isBoolean(condition, true))) return true;
  if (coversAllNumbers(conditions)) return true;
  const positive = new Set(conditions.map((condition) => textOf(condition)));
  return conditions.some((condition) => oppositesOf(condition).some((text) => positive.has(text)));
}

function isBoolean(expression: Expression, value: boolean): boolean {
  return expression.kind === 'boolean' && expression.value === value;
}

const opposites: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  '=': '!=',
  '!=': '=',
  '<': '>=',
  '>=': '<',
  '>': '<=',
  '<=': '>',
};

/** Forms give truth values as texts, in lower case or not. */
const oppositeTexts: ReadonlyMap<string, string> = new Map([
  ['true', 'false'],
  ['false', 'true'],
  ['yes', 'no'],
  ['no', 'yes'],
]);

/** Conditions that hold when this one does not, as `textOf` writes them. */
function oppositesOf(condition: Expression): readonly string[] {
  if (condition.kind !== 'comparison') {
    const denied = deniedBy(condition);
    if (denied !== null) return [textOf(denied)];
    return [comparisonText('=', textOf(condition), 'false'), comparisonText('!=', textOf(condition), 'true')];
  }
  const { operator, left, right } = condition;
  const opposite = comparisonText(opposites[operator], textOf(left), textOf(right));
  if (operator !== '=') return [opposite];
  const otherText = right.kind === 'string' ? oppositeTexts.get(right.value.toLowerCase()) : undefined;
  if (otherText !== undefined) {
    return [opposite, comparisonText('=', textOf(left), JSON.stringify(otherText))];
  }
  if (right.kind !== 'boolean') return [opposite];
  const other = comparisonText('=', textOf(left), String(!right.value));
  return right.value ? [opposite, other] : [opposite, other, textOf(left)];
}

/** What `not(…)` denies. */
function deniedBy(expression: Expression): Expression | null {
  if (expression.kind !== 'invocation' || expression.callee.kind !== 'name') return null;
  const { callee, arguments: given } = expression;
  const [argument] = given.kind === 'positional' ? given.values : given.entries.map(({ value }) => value);
  return callee.name === 'not' && argument !== undefined ? argument : null;
}

function comparisonText(operator: ComparisonOperator, left: string, right: string): string {
  return `comparison ${operator}(${left},${right})`;
}

/** The same for trees that mean the same thing, whatever their places in the text. */
function textOf(expression: Expression): string {
  switch (expression.kind) {
    case 'comparison':
      return comparisonText(expression.operator, textOf(expression.left), textOf(expression.right));
    case 'boolean':
      return String(expression.value);
    case 'name':
      return `name ${expression.name}`;
    case 'path':
      return `${textOf(expression.source)}.${expression.property.name}`;
    case 'number':
      return expression.text;
    case 'string': {
      const lower = expression.value.toLowerCase();
      return JSON.stringify(oppositeTexts.has(lower) ? lower : expression.value);
    }
    default:
      return JSON.stringify(expression, (key, value: unknown) =>
        key === 'from' || key === 'to' ? undefined : value,
      );
  }
}

// --- numbers -----------------------------------------------------------------------------------

/** Of numbers; an end that is infinite is open. */
interface Interval {
  readonly low: number;
  readonly isLowIn: boolean;
  readonly high: number;
  readonly isHighIn: boolean;
}

interface Region {
  /** The one operand that all comparisons are about. */
  readonly operand: string;
  readonly intervals: readonly Interval[];
}

const EVERYTHING: Interval = { low: -Infinity, isLowIn: false, high: Infinity, isHighIn: false };

function coversAllNumbers(conditions: readonly Expression[]): boolean {
  const byOperand = new Map<string, Interval[]>();
  for (const condition of conditions) {
    const region = regionOf(condition);
    if (region === null) continue;
    const known = byOperand.get(region.operand) ?? [];
    byOperand.set(region.operand, [...known, ...region.intervals]);
  }
  return [...byOperand.values()].some(hasNoGap);
}

function hasNoGap(intervals: readonly Interval[]): boolean {
  const sorted = intervals.toSorted(
    (one, other) => one.low - other.low || Number(other.isLowIn) - Number(one.isLowIn),
  );
  let [end] = sorted;
  if (end === undefined || end.low !== -Infinity) return false;
  for (const next of sorted.slice(1)) {
    if (next.low > end.high || (next.low === end.high && !next.isLowIn && !end.isHighIn)) return false;
    if (next.high > end.high || (next.high === end.high && next.isHighIn)) end = next;
  }
  return end.high === Infinity;
}

/** Null: the condition is no statement about one operand and numbers. */
function regionOf(condition: Expression): Region | null {
  switch (condition.kind) {
    case 'comparison':
      return comparedRegion(condition);
    case 'between': {
      const low = numberOf(condition.low);
      const high = numberOf(condition.high);
      if (low === null || high === null) return null;
      return region(condition.value, { low, isLowIn: true, high, isHighIn: true });
    }
    case 'conjunction':
      return combined(condition.operands, (one, other) =>
        one.flatMap((left) => other.map((right) => intersection(left, right))).filter(isNotEmpty),
      );
    case 'disjunction':
      return combined(condition.operands, (one, other) => [...one, ...other]);
    default:
      return null;
  }
}

function combined(
  operands: readonly Expression[],
  combine: (one: readonly Interval[], other: readonly Interval[]) => readonly Interval[],
): Region | null {
  const regions = operands.map(regionOf);
  const [first, ...others] = regions;
  if (first === undefined || first === null) return null;
  let { intervals } = first;
  for (const other of others) {
    if (other?.operand !== first.operand) return null;
    intervals = combine(intervals, other.intervals);
  }
  return { operand: first.operand, intervals };
}

function comparedRegion({ operator, left, right }: Comparison): Region | null {
  const value = numberOf(right);
  if (value === null) return null;
  const below: Interval = { ...EVERYTHING, high: value, isHighIn: operator === '<=' };
  const above: Interval = { ...EVERYTHING, low: value, isLowIn: operator === '>=' };
  switch (operator) {
    case '<':
    case '<=':
      return region(left, below);
    case '>':
    case '>=':
      return region(left, above);
    case '=':
      return region(left, { low: value, isLowIn: true, high: value, isHighIn: true });
    case '!=':
      return region(left, below, above);
  }
}

function region(operand: Expression, ...intervals: readonly Interval[]): Region {
  return { operand: textOf(operand), intervals };
}

/** Rounded to a double: where that makes two numbers one, nothing is reported that was to be. */
function numberOf(expression: Expression): number | null {
  if (expression.kind === 'number') return Number(expression.text);
  if (expression.kind !== 'negation') return null;
  const [operand] = childExpressions(expression);
  return operand?.kind === 'number' ? -Number(operand.text) : null;
}

function intersection(one: Interval, other: Interval): Interval {
  const lower = one.low > other.low || (one.low === other.low && !one.isLowIn) ? one : other;
  const upper = one.high < other.high || (one.high === other.high && !one.isHighIn) ? one : other;
  return { low: lower.low, isLowIn: lower.isLowIn, high: upper.high, isHighIn: upper.isHighIn };
}

function isNotEmpty({ low, isLowIn, high, isHighIn }: Interval): boolean {
  return low < high || (low === high && isLowIn && isHighIn);
}
