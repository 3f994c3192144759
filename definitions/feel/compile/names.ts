/** Names that stand for a value, and paths. */
import type { InputValue, NameReference, Path } from '../ast.ts';
import { Temporal } from '../../value.ts';
import { FeelRange, type FeelContext, type FeelValue } from '../runtime.ts';
import { temporalProperty } from '../temporal/properties.ts';
import { isFeelContext, isList, propertyOf } from '../value-kind.ts';
import type { Code, Frame } from './evaluation.ts';
import { borrowerOf, INPUT_NAME, mayBeAbsent, readerOf, type Read, type Scope } from './scope.ts';
import { describe, warn } from './warnings.ts';

/** Units for the property of an element, which goes into a list. */
const ELEMENT_UNITS = 3;
/** Units for a property of a date, time or duration, whose text may have to be read. */
const TEMPORAL_UNITS = 50;
/** Lists inside each other that a path goes through. What is deeper has no property. */
const MAX_LIST_DEPTH = 20;

/** A built-in's name is the function where nothing else has that name. */
export function compileName(node: NameReference, scope: Scope): Code {
  const location = scope.find(node.name);
  const read = readerOf(location);
  if (!mayBeAbsent(location)) return (frame) => read(frame) ?? null;
  return orElse(read, node, scope.program.builtins.get(node.name));
}

function orElse(read: Read, node: NameReference, otherwise: FeelValue | undefined): Code {
  return (frame) => {
    const value = read(frame);
    if (value !== undefined) return value;
    return otherwise ?? warn(frame, node, 'NAME', `there is no variable '${node.name}'`);
  };
}

/** For who looks at the value of a name at once, and keeps nothing of it but its elements. */
export function compileBorrowed(node: NameReference, scope: Scope): Code {
  const location = scope.find(node.name);
  if (location.kind !== 'slot' || !location.isGrowing) return compileName(node, scope);
  const read = borrowerOf(location);
  return (frame) => read(frame) ?? null;
}

export function compileInput(node: InputValue, scope: Scope): Code {
  const read = readerOf(scope.find(INPUT_NAME));
  return (frame) => {
    const value = read(frame);
    return value === undefined ? warn(frame, node, 'NAME', "'?' stands for nothing here") : value;
  };
}

export function compilePath(node: Path, scope: Scope): Code {
  const source = scope.compile(node.source);
  const { name } = node.property;
  return (frame) => {
    const value = source(frame);
    const own = isPlainContext(value) ? propertyOf(value, name) : undefined;
    return own === undefined ? propertyOfAny(value, node, frame) : own;
  };
}

/** What nearly all contexts are; one look tells. */
function isPlainContext(value: FeelValue): value is FeelContext {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function propertyOfAny(value: FeelValue, node: Path, frame: Frame): FeelValue {
  const { name } = node.property;
  const property = isList(value) ? project(value, name, frame, 1) : propertyOfOne(value, name, frame);
  if (property !== undefined) return property;
  return warn(frame, node.property, 'PROPERTY', `${describe(value)} has no property '${name}'`);
}

/** Of a list the properties of its elements; null where one has none. */
function project(
  list: readonly FeelValue[],
  name: string,
  frame: Frame,
  depth: number,
): readonly FeelValue[] {
  frame.run.meter.spend(list.length * ELEMENT_UNITS);
  return list.map((element) => {
    if (isList(element)) return depth < MAX_LIST_DEPTH ? project(element, name, frame, depth + 1) : null;
    return propertyOfOne(element, name, frame) ?? null;
  });
}

/** Undefined: it has none of that name. */
function propertyOfOne(value: FeelValue, name: string, frame: Frame): FeelValue | undefined {
  if (isFeelContext(value)) return propertyOf(value, name);
  if (value instanceof Temporal) {
    const { meter } = frame.run;
    meter.spend(TEMPORAL_UNITS);
    return temporalProperty(value, name, meter.nowMs);
  }
  if (!(value instanceof FeelRange) || !Object.hasOwn(rangeProperties, name)) return undefined;
  return rangeProperties[name]?.(value);
}

const rangeProperties: Readonly<Record<string, (range: FeelRange) => FeelValue>> = {
  start: ({ start }) => start,
  end: ({ end }) => end,
  'start included': ({ isStartIncluded }) => isStartIncluded,
  'end included': ({ isEndIncluded }) => isEndIncluded,
};
