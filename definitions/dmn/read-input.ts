/**
 * Values from outside, where there are no dates: as those of an item type.
 *
 * R1 A text in the place of a date, a time or a duration is read as one; one that is none stays a text, and is no value of
 *    the type.
 * R2 What is not given is null, as input data is: an entry of a context that the type has.
 * R3 A value in which nothing is read is the same object.
 */
import { payForTemporalText } from '../feel/builtins/temporal-text-cost.ts';
import type { Evaluation } from '../feel/compile/evaluation.ts';
import type { FeelContext, FeelValue } from '../feel/runtime.ts';
import { dateFrom, dateTimeFrom, durationFrom, timeFrom } from '../feel/temporal/functions.ts';
import { isFeelContext, isList, propertyOf } from '../feel/value-kind.ts';
import type { Temporal, TemporalKind } from '../value.ts';
import { conform, type TypeFault } from './item-conformance.ts';
import type { ItemType } from './item-types.ts';

/** What going into a value takes of the stack. */
const LEVEL_HEIGHT = 1;

const readers: Readonly<Record<TemporalKind, (text: string) => Temporal | null>> = {
  date: dateFrom,
  time: timeFrom,
  'date-time': dateTimeFrom,
  'days-time-duration': durationFrom,
  'years-months-duration': durationFrom,
};

/** The value as one of the type, and one that it allows. @throws FeelEvaluationError, TurnBudgetError */
export function readInput(value: FeelValue, type: ItemType, run: Evaluation): FeelValue | TypeFault {
  return conform(read(value, type, run), type, run);
}

function read(value: FeelValue, type: ItemType, run: Evaluation): FeelValue {
  run.meter.spend(1);
  const { shape } = type;
  if (typeof value === 'string') return readText(value, elementOrSelf(type), run);
  if (isList(value)) {
    // Alone in a list it may be meant to be what the list holds.
    const isMeant = shape.kind === 'list' || value.length === 1;
    return isMeant ? readList(value, shape.kind === 'list' ? shape.element : type, run) : value;
  }
  const single = elementOrSelf(type).shape;
  return single.kind === 'context' && isFeelContext(value) ? readEntries(value, single.entries, run) : value;
}

/** What a value that is no list is read as: it may be meant as a list of one. */
function elementOrSelf(type: ItemType): ItemType {
  return type.shape.kind === 'list' ? type.shape.element : type;
}

function readText(text: string, { feelType }: ItemType, run: Evaluation): FeelValue {
  const reader = isTemporal(feelType.kind) ? readers[feelType.kind] : null;
  if (reader === null) return text;
  payForTemporalText(text, run);
  return reader(text) ?? text;
}

function isTemporal(kind: string): kind is TemporalKind {
  return Object.hasOwn(readers, kind);
}

function readList(list: readonly FeelValue[], element: ItemType, run: Evaluation): FeelValue {
  const values = within(run, () => list.map((value) => read(value, element, run)));
  const isSame = values.every((value, index) => value === list[index]);
  return isSame ? list : values;
}

function readEntries(
  context: FeelContext,
  entries: ReadonlyMap<string, ItemType>,
  run: Evaluation,
): FeelContext {
  const changes: [string, FeelValue][] = [];
  within(run, () => {
    for (const [name, type] of entries) {
      const given = propertyOf(context, name);
      const value = read(given ?? null, type, run);
      if (value !== given) changes.push([name, value]);
    }
  });
  if (changes.length === 0) return context;
  const own = Object.entries(context);
  run.meter.spend(own.length);
  // Defines properties: no name of one reaches a prototype.
  return Object.fromEntries([...own, ...changes]);
}

/** Counts what is inside each other, so that no value exhausts the stack. */
function within<Result>(run: Evaluation, go: () => Result): Result {
  run.enter(LEVEL_HEIGHT);
  const result = go();
  run.leave(LEVEL_HEIGHT);
  return result;
}
