/** Names that stand for a value, and paths: what has which properties (compile/names.ts). */
import type { Identifier, NameReference, Path } from '../ast.ts';
import { builtins } from '../builtins/index.ts';
import type { ValueKind } from '../value-kind.ts';
import type { Checker } from './checker.ts';
import {
  anyType,
  describe,
  listOf,
  mayBe,
  membersOf,
  simple,
  unionOf,
  type ContextType,
  type StaticType,
} from './static-type.ts';

const number = simple('number');
const string = simple('string');
const daysTime = simple('days-time-duration');
const boolean = simple('boolean');

const ofDay = { year: number, month: number, day: number, weekday: number };
const ofClock = { hour: number, minute: number, second: number, timezone: string, 'time offset': daysTime };

/** Of values that are no contexts. Source: DMN 1.5, tables 65 to 67. */
export const properties: Readonly<Partial<Record<ValueKind, Readonly<Record<string, StaticType>>>>> = {
  date: ofDay,
  time: ofClock,
  'date-time': { ...ofDay, ...ofClock },
  'days-time-duration': { days: number, hours: number, minutes: number, seconds: number },
  'years-months-duration': { years: number, months: number },
  range: { start: anyType, end: anyType, 'start included': boolean, 'end included': boolean },
};

export function typeOfName(node: NameReference, checker: Checker): StaticType {
  const found = checker.names.find(node.name);
  if (found.kind === 'known') return found.type;
  // A variable comes before a built-in function of its name.
  if (found.as === 'nothing') return anyType;
  if (builtins.has(node.name)) return { kind: 'function', signature: null, parameters: [], result: anyType };
  const similar = checker.suggest(node, checker.names.known());
  const message = `there is no variable '${node.name}'${similar}`;
  return checker.report(found.as, 'SUTRA.FEEL.NAME_UNKNOWN', node, message);
}

export function typeOfPath({ source, property }: Path, checker: Checker): StaticType {
  const type = checker.typeOf(source);
  const found = membersOf(type).map((member) => propertyOf(member, property.name));
  const types = found.filter((each) => typeof each !== 'string');
  if (types.length > 0) return unionOf(types);
  // Of a list there is always a list, if only of nulls.
  const severity = found.includes('unlikely') || mayBe(type, 'list') ? 'warning' : 'error';
  return checker.report(severity, 'SUTRA.FEEL.PATH_UNKNOWN', property, noProperty(type, property, checker));
}

type Property = StaticType | 'impossible' | 'unlikely';

/** Of a list the list of what its elements have. */
function propertyOf(type: StaticType, name: string): Property {
  switch (type.kind) {
    case 'any':
    case 'null':
      return anyType;
    case 'union': {
      const found = type.members.map((member) => propertyOf(member, name));
      const types = found.filter((each) => typeof each !== 'string');
      if (types.length > 0) return unionOf(types);
      return found.includes('unlikely') ? 'unlikely' : 'impossible';
    }
    case 'list': {
      const ofElement = propertyOf(type.element, name);
      return typeof ofElement === 'string' ? ofElement : listOf(ofElement);
    }
    case 'context':
      return type.entries.get(name) ?? (type.others === 'possible' ? anyType : type.others);
    case 'range':
      return name === 'start' || name === 'end' ? type.element : ofKind(type.kind, name);
    default:
      return ofKind(type.kind, name);
  }
}

function ofKind(kind: ValueKind, name: string): Property {
  const own = properties[kind];
  return own !== undefined && Object.hasOwn(own, name) ? (own[name] ?? anyType) : 'impossible';
}

function noProperty(type: StaticType, property: Identifier, checker: Checker): string {
  const { name } = property;
  const known = knownProperties(type);
  if (known.length === 0) return `${describe(innermost(type))} has no properties, so no '${name}'`;
  return `${describe(innermost(type))} has no property '${name}'${hint(type, property, known, checker)}`;
}

/** The known properties: those that are similar, or all when they are few. */
function hint(type: StaticType, property: Identifier, known: readonly string[], checker: Checker): string {
  const similar = checker.suggest(property, known);
  if (similar !== '' || membersOf(innermost(type)).some(isLarge)) return similar;
  return `; it has ${known.join(', ')}`;
}

const MAX_LISTED = 6;

function isLarge(type: StaticType): boolean {
  return type.kind === 'context' && (type.entries.size > MAX_LISTED || type.others !== 'impossible');
}

/** What a path goes to through lists. */
function innermost(type: StaticType): StaticType {
  return type.kind === 'list' ? innermost(type.element) : type;
}

function knownProperties(type: StaticType): readonly string[] {
  return membersOf(innermost(type)).flatMap((member) =>
    member.kind === 'context' ? [...member.entries.keys()] : Object.keys(propertiesOfKind(member)),
  );
}

function propertiesOfKind(member: Exclude<StaticType, ContextType>): Readonly<Record<string, StaticType>> {
  return member.kind === 'any' || member.kind === 'union' ? {} : (properties[member.kind] ?? {});
}
