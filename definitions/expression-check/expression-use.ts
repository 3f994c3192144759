/**
 * Where expressions stand in the files of a package, and what they are there for.
 *
 * A compiled expression is shared by all that have the same text, so it has no place. These are kept beside the model
 * while a package is compiled, and not after that.
 */
import type { Place } from '../../config/engine-error.ts';
import type { CompiledExpression } from '../feel.ts';
import type { Expectation } from '../feel/check/check-expression.ts';

export interface PlacedExpression {
  readonly expression: CompiledExpression;
  /** The place of the character at `offset` of the expression's text. */
  readonly placeAt: (offset: number) => Place;
}

/** One expression of a model. Its place names the flow node, sequence flow or process that it belongs to. */
export interface ModelExpression extends PlacedExpression {
  readonly role: ExpressionRole;
}

/** One expression of `channels.yaml`. */
export interface ChannelExpression extends PlacedExpression {
  readonly role: 'dedupKey' | 'priority';
  readonly channel: string;
}

export type ExpressionRole =
  | 'activationCondition'
  | 'alias'
  | 'calledElement'
  | 'calledResult'
  | 'cardinality'
  | 'collection'
  | 'completionCondition'
  | 'condition'
  | 'cycle'
  | 'date'
  | 'dedupKey'
  | 'destination'
  | 'duration'
  | 'header'
  | 'loopCondition'
  | 'recordKey'
  | 'value';

/** By the element, and the attribute where it is one. Everything else gives a value. */
const rolesByPlace: Readonly<Record<string, ExpressionRole>> = {
  'alias/expression': 'alias',
  'callActivity/calledElement': 'calledElement',
  'case/when': 'condition',
  'header/value': 'header',
  'loop/collection': 'collection',
  'output/expression': 'calledResult',
  'send/destination': 'destination',
  'source/dedupKey': 'dedupKey',
  'store/key': 'recordKey',
  activationCondition: 'activationCondition',
  completionCondition: 'completionCondition',
  condition: 'condition',
  conditionExpression: 'condition',
  loopCardinality: 'cardinality',
  loopCondition: 'loopCondition',
  timeCycle: 'cycle',
  timeDate: 'date',
  timeDuration: 'duration',
};

/** @param attribute null: the element's text */
export function roleOf(elementName: string, attribute: string | null): ExpressionRole {
  const place = attribute === null ? elementName : `${elementName}/${attribute}`;
  return Object.hasOwn(rolesByPlace, place) ? (rolesByPlace[place] ?? 'value') : 'value';
}

const key = { kinds: ['string', 'number', 'boolean'], wanted: 'a string, a number or a boolean' } as const;
const text = { kinds: ['string'], wanted: 'a string' } as const;
const condition: Expectation = { what: 'the condition', kinds: ['boolean'], wanted: 'true or false' };
const dates = ['date', 'time', 'date-time', 'days-time-duration', 'years-months-duration'] as const;

/** Variables, messages and records hold no ranges and no functions. */
const data: Expectation = {
  what: 'the value',
  kinds: [...key.kinds, ...dates, 'list', 'context'],
  wanted: 'something that a variable can hold',
};

export const expectations: Readonly<Record<ExpressionRole | 'priority', Expectation>> = {
  activationCondition: condition,
  alias: { what: 'the value of the alias', ...key },
  calledElement: { what: 'the id of the called process', ...text },
  calledResult: data,
  cardinality: { what: 'the cardinality', kinds: ['number'], wanted: 'a number' },
  collection: { what: 'the collection', kinds: ['list'], wanted: 'a list' },
  completionCondition: condition,
  condition,
  cycle: { what: 'the cycle', ...text },
  date: { what: 'the date', kinds: ['date-time', 'string'], wanted: 'a date and time, or its text' },
  dedupKey: { what: 'the dedup key', ...key },
  destination: { what: 'the destination', ...text },
  duration: {
    what: 'the duration',
    kinds: ['days-time-duration', 'string'],
    wanted: 'a days and time duration, or its text',
  },
  header: {
    what: 'the value of the header',
    kinds: [...key.kinds, ...dates],
    wanted: 'a string, a number, a boolean, a date, a time or a duration',
  },
  loopCondition: condition,
  priority: { what: 'the priority', kinds: ['number'], wanted: 'a number' },
  recordKey: { what: 'the key of the record', ...key },
  value: data,
};
