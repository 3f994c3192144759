/**
 * Whether values are of an item type, and how they become so.
 *
 * C1 A value is of a type when all that is in it is, and passes the tests of the allowed values at each level.
 * C2 Null goes with every type, but must be among the allowed values where there are any.
 * C3 Only a value as a whole is converted, not what is in it; and only when it is of another type, not when it is one
 *    that is not allowed.
 * Source: DMN 1.5, 7.3.3 (allowed values, type constraint), 10.3.2.9.4 (implicit conversions).
 */
import { coerced, isInstance } from '../feel/compile/conformance.ts';
import { Frame, Variables, type Evaluation } from '../feel/compile/evaluation.ts';
import type { TestProgram } from '../feel/compile/program.ts';
import { describe } from '../feel/compile/warnings.ts';
import type { FeelValue } from '../feel/runtime.ts';
import { isFeelContext, isList, propertyOf } from '../feel/value-kind.ts';
import { Temporal } from '../value.ts';
import { shown } from '../xml/shown.ts';
import type { ItemType } from './item-types.ts';

/** Why a value is not of a type. Names types, entries and positions; never data. */
export class TypeFault {
  /** `type`: it is of another type; `value`: it is none of the allowed values. */
  readonly condition: 'type' | 'value';
  /** `a string is no number`, `a string at income[2].amount is no number`. */
  readonly message: string;

  constructor(condition: 'type' | 'value', message: string) {
    this.condition = condition;
    this.message = message;
  }
}

/**
 * The value as one of the type, and one that it allows: as it is, as a list of it, out of the list that it is alone in,
 * or a date as its midnight. Null is null.
 * @throws FeelEvaluationError, TurnBudgetError
 */
export function conform(value: FeelValue, type: ItemType, run: Evaluation): FeelValue | TypeFault {
  const fault = faultOf(value, type, run);
  if (fault === null) return value;
  if (fault.condition === 'value') return fault;
  const converted = convert(value, type, run);
  if (converted === undefined) return fault;
  const other = faultOf(converted, type, run);
  if (other === null) return converted;
  return other.condition === 'value' ? other : fault;
}

/** What it may become. Undefined: nothing else. */
function convert(value: FeelValue, { feelType }: ItemType, run: Evaluation): FeelValue | undefined {
  if (isList(value)) return value.length === 1 ? value[0] : undefined;
  if (feelType.kind === 'list') return [value];
  const isDate = value instanceof Temporal && value.kind === 'date';
  return isDate && feelType.kind === 'date-time' ? coerced(value, feelType, run) : undefined;
}

/** Where a value is in what it is a part of. */
interface Path {
  readonly outer: Path | null;
  readonly step: string | number;
}

interface Part {
  readonly value: FeelValue;
  readonly type: ItemType;
  readonly path: Path | null;
}

/** Null: the value is of the type as it is. @throws FeelEvaluationError, TurnBudgetError */
export function faultOf(value: FeelValue, type: ItemType, run: Evaluation): TypeFault | null {
  // Values may be deep, and types endless: what is still to be looked at is on the heap, not on the stack.
  const pending: Part[] = [{ value, type, path: null }];
  const tested: Part[] = [];
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    run.meter.spend(1);
    if (hasChecks(part.type)) tested.push(part);
    const fault = part.value === null ? null : faultOutside(part, run, pending);
    if (fault !== null) return fault;
  }
  for (const part of tested) {
    if (!passesAll(part, run)) {
      return new TypeFault('value', `${located(part)} is none of the allowed values`);
    }
  }
  return null;
}

function hasChecks({ checks, base }: ItemType): boolean {
  return checks.length > 0 || base !== null;
}

/** What can be said of a part without those in it, which are then pending: the first is looked at first. */
function faultOutside(part: Part, run: Evaluation, pending: Part[]): TypeFault | null {
  const { value, type, path } = part;
  const { shape } = type;
  switch (shape.kind) {
    case 'simple':
      return isInstance(value, type.feelType, run) ? null : wrongType(part);
    case 'list': {
      if (!isList(value)) return wrongType(part);
      for (let index = value.length - 1; index >= 0; index -= 1) {
        const step = { outer: path, step: index + 1 };
        pending.push({ value: value[index] ?? null, type: shape.element, path: step });
      }
      return null;
    }
    case 'context': {
      if (!isFeelContext(value)) return wrongType(part);
      for (const [name, entry] of [...shape.entries].reverse()) {
        const given = propertyOf(value, name);
        if (given === undefined) {
          return new TypeFault('type', `${located(part)} has no entry ${shown(name)}, as ${type.name} has`);
        }
        pending.push({ value: given, type: entry, path: { outer: path, step: name } });
      }
      return null;
    }
  }
}

function wrongType(part: Part): TypeFault {
  return new TypeFault('type', `${located(part)} is no ${part.type.name}`);
}

function passesAll({ value, type }: Part, run: Evaluation): boolean {
  for (let at: ItemType | null = type; at !== null; at = at.base) {
    if (!at.checks.every((check) => passes(value, check, run))) return false;
  }
  return true;
}

/** What the tests have to say is about a text that is not the caller's. */
function passes(value: FeelValue, check: TestProgram, run: Evaluation): boolean {
  const test = (): boolean | null => check.evaluate(value, run, nothing);
  return run.evaluateMuted(test, new Frame(run, noVariables, [])) === true;
}

function nothing(): undefined {
  return undefined;
}

const noVariables = new Variables([], nothing);

/** Steps of a path in a message. */
const MAX_STEPS = 8;

function located({ value, path }: Part): string {
  if (path === null) return describe(value);
  let text = '';
  let stepCount = 0;
  let at: Path | null = path;
  for (; at !== null && stepCount < MAX_STEPS; at = at.outer, stepCount += 1) {
    text = (typeof at.step === 'number' ? `[${at.step}]` : `.${at.step}`) + text;
  }
  return `${describe(value)} at ${at === null ? text.replace(/^\./, '') : `…${text}`}`;
}
