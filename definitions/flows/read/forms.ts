/**
 * Forms: mappings with known keys, lists, and values with a short form. They are kinds, made of kinds.
 *
 * R1 A key is read by its field and by nothing else: what has no field is refused, with the nearest.
 * R2 All faults of a form are noted before it reads as null.
 */
import type { Written } from '../../written.ts';
import type { Pair } from '../flow.ts';
import { expression, NamedSchema, type Kind, type Schema, type StepsReader } from './kinds.ts';
import type { FlowMapping, FlowValue } from './value.ts';

export interface Field<Value, IsRequired extends boolean = boolean> {
  readonly kind: Kind<Value>;
  readonly isRequired: IsRequired;
  /** For editors. */
  readonly about: string;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

/** What the fields of a form are read as; an optional one that is absent is null. */
export type FieldValues<Of extends Fields> = {
  readonly [Key in keyof Of]: Of[Key] extends Field<infer Value, infer IsRequired>
    ? IsRequired extends true
      ? Value
      : Value | null
    : never;
};

export function required<Value>(kind: Kind<Value>, about: string): Field<Value, true> {
  return { kind, isRequired: true, about };
}

export function optional<Value>(kind: Kind<Value>, about: string): Field<Value, false> {
  return { kind, isRequired: false, about };
}

export interface FormRules {
  /** Of these exactly one is there. */
  readonly oneOf?: readonly string[];
  /** Of these at least one is there. */
  readonly anyOf?: readonly string[];
  /** Pairs that exclude each other. */
  readonly exclusive?: readonly (readonly [string, string])[];
  /** What is said of keys that are easily taken for others. */
  readonly hints?: Readonly<Record<string, string>>;
}

export interface Form<Of extends Fields> {
  readonly fields: Of;
  readonly rules: FormRules;
}

/** Reads the fields of a form out of a mapping. Keys that are `readElsewhere` are left alone. */
export function readForm<const Of extends Fields>(
  mapping: FlowMapping,
  { fields, rules }: Form<Of>,
  reader: StepsReader,
  readElsewhere: readonly string[] = [],
): FieldValues<Of> | null {
  const known = [...Object.keys(fields), ...readElsewhere];
  const meant = mapping.refuseUnknownKeys(known, (key) => rules.hints?.[key] ?? hintAt(key, fields, reader));
  let isWhole = keepsRules(mapping, rules, meant);
  const read = Object.entries(fields).map(([key, { kind, isRequired }]) => {
    const value = mapping.get(key);
    if (value === null && isRequired && !meant.has(key)) {
      mapping.error('SUTRA.FLOWS.KEY_MISSING', `${mapping.what} needs the key ${key}: ${kind.what}`);
    }
    const found = value === null ? null : kind.read(value, reader);
    if (found === null && isRequired) isWhole = false;
    return [key, found] as const;
  });
  return isWhole ? asValues<Of>(Object.fromEntries(read)) : null;
}

/** The one place where the types of a table's rows are taken for those of what they read. */
function asValues<Of extends Fields>(values: Readonly<Record<string, unknown>>): FieldValues<Of> {
  return values as FieldValues<Of>;
}

/** Steps that stand where the key `steps` is forgotten. */
function hintAt(key: string, fields: Fields, reader: StepsReader): string | null {
  return 'steps' in fields && reader.isVerb(key) ? 'put steps into a list under steps' : null;
}

function keepsRules(
  mapping: FlowMapping,
  { oneOf = [], anyOf = [], exclusive = [] }: FormRules,
  meant: ReadonlySet<string>,
): boolean {
  const present = oneOf.filter((key) => mapping.has(key));
  if (oneOf.length > 0 && present.length === 0 && !oneOf.some((key) => meant.has(key))) {
    mapping.error('SUTRA.FLOWS.KEY_MISSING', `${mapping.what} needs one of the keys ${oneOf.join(', ')}`);
  }
  if (present.length > 1) tooMany(mapping, present);
  const hasAny = anyOf.length === 0 || anyOf.some((key) => mapping.has(key));
  if (!hasAny && !anyOf.some((key) => meant.has(key))) {
    mapping.error(
      'SUTRA.FLOWS.KEY_MISSING',
      `${mapping.what} needs at least one of the keys ${anyOf.join(', ')}`,
    );
  }
  const both = exclusive.filter((pair) => pair.every((key) => mapping.has(key)));
  both.forEach((pair) => tooMany(mapping, pair));
  return hasAny && both.length === 0 && (oneOf.length === 0 || present.length === 1);
}

function tooMany(mapping: FlowMapping, keys: readonly string[]): void {
  const second = mapping.entries.filter(({ key }) => keys.includes(key.text))[1];
  const message = `${mapping.what} has ${keys.join(' and ')}, of which one excludes the other; keep one`;
  mapping.error('SUTRA.FLOWS.VALUE_INVALID', message, second?.key.place());
}

/** A mapping with these keys. */
export function form<const Of extends Fields>(
  fields: Of,
  rules: FormRules = {},
): Kind<FieldValues<Of>> & Form<Of> {
  return {
    fields,
    rules,
    what: `a mapping of ${Object.keys(fields).join(', ')}`,
    schema: formSchema({ fields, rules }),
    read: (value, reader) => {
      const mapping = value.mapping(value.what);
      if (mapping === null) return value.mustBe(`a mapping of ${Object.keys(fields).join(', ')}`);
      return readForm(mapping, { fields, rules }, reader);
    },
  };
}

/** The same without a field that stands elsewhere. */
export function formSchema({ fields, rules }: Form<Fields>): Schema {
  const { oneOf = [], anyOf = [], exclusive = [] } = rules;
  const requiredKeys = Object.entries(fields).flatMap(([key, { isRequired }]) => (isRequired ? [key] : []));
  const all = [
    ...(anyOf.length === 0 ? [] : [{ anyOf: anyOf.map((key) => ({ required: [key] })) }]),
    ...exclusive.map((pair) => ({ not: { required: pair } })),
  ];
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(fields).map(([key, { kind, about }]) => [key, described(kind.schema, about)]),
    ),
    ...(requiredKeys.length === 0 ? {} : { required: requiredKeys }),
    ...(oneOf.length === 0 ? {} : { oneOf: oneOf.map((key) => ({ required: [key] })) }),
    ...(all.length === 0 ? {} : { allOf: all }),
    additionalProperties: false,
  };
}

/** Draft-07 ignores what stands beside `$ref`. */
export function described(schema: Schema | NamedSchema, about: string): Schema {
  const isReference = schema instanceof NamedSchema || '$ref' in schema;
  return isReference ? { description: about, allOf: [schema] } : { description: about, ...schema };
}

/** What was read, as something else; null when `change` noted a fault. */
export function mapped<From, To>(
  kind: Kind<From>,
  change: (from: From, value: FlowValue) => To | null,
): Kind<To> {
  return {
    what: kind.what,
    schema: kind.schema,
    read: (value, reader) => {
      const from = kind.read(value, reader);
      return from === null ? null : change(from, value);
    },
  };
}

/** A list; with `least` a shorter one is refused. */
export function list<Value>(kind: Kind<Value>, describe: string, least = 1): Kind<readonly Value[]> {
  return {
    what: 'a list',
    schema: { type: 'array', items: kind.schema, minItems: least },
    read: (value, reader) => {
      const items = value.items((index) => `${describe} ${index + 1} of ${value.what}`);
      if (items === null) return value.mustBe(`a list, each item ${kind.what}`);
      if (items.length === 0 && least > 0) {
        return value.error('SUTRA.FLOWS.EMPTY', `${value.what} is an empty list`);
      }
      if (items.length < least) {
        return value.invalid(
          `${value.what} has only ${items.length} ${describe}; it needs at least ${least}`,
        );
      }
      const read = items.map((item) => kind.read(item, reader));
      const whole = read.filter((item) => item !== null);
      return whole.length === read.length ? whole : null;
    },
  };
}

/** One, or a list of them. */
export function oneOrMore<Value>(kind: Kind<Value>, describe: string): Kind<readonly Value[]> {
  const several = list(kind, describe);
  const one = mapped(kind, (read): readonly Value[] => [read]);
  return {
    what: `${kind.what}, or a list of such`,
    schema: { anyOf: [kind.schema, several.schema] },
    read: (value, reader) => (value.isList ? several : one).read(value, reader),
  };
}

/** A mapping in its long form; what is none, in its short one. */
export function shortOr<Value>(short: Kind<Value>, long: Kind<Value>): Kind<Value> {
  return {
    what: `${short.what}, or ${long.what}`,
    schema: { anyOf: [short.schema, long.schema] },
    read: (value, reader) => {
      if (value.isMapping) return long.read(value, reader);
      return value.isList ? value.mustBe(`${short.what}, or ${long.what}`) : short.read(value, reader);
    },
  };
}

/** A mapping whose keys the author chooses. */
export function entriesOf<Value>(
  what: string,
  key: Kind<Written>,
  kind: Kind<Value>,
): Kind<readonly (readonly [Written, Value])[]> {
  return {
    what,
    schema: {
      type: 'object',
      propertyNames: key.schema,
      additionalProperties: kind.schema,
    },
    read: (value, reader) => {
      const mapping = value.mapping(value.what);
      if (mapping === null) return value.mustBe(what);
      const read = mapping.entries.map((entry) => {
        const found = kind.read(entry.value, reader);
        const name = key.read(entry.keyValue, reader);
        return found === null || name === null ? null : ([name, found] as const);
      });
      const whole = read.filter((entry) => entry !== null);
      return whole.length === read.length ? whole : null;
    },
  };
}

/** `{ name: =expression }`, as input, headers and assignments have it. */
export function pairs(what: string, key: Kind<Written>): Kind<readonly Pair[]> {
  return mapped(entriesOf(what, key, expression), (entries) =>
    entries.map(([name, value]): Pair => ({ name, value })),
  );
}

/** Exactly one key that the author chooses. */
export function onePair<Value>(kind: Kind<readonly Value[]>): Kind<Value> {
  return mapped(kind, (entries, value) => {
    const [entry] = entries;
    return entry !== undefined && entries.length === 1
      ? entry
      : value.invalid(`${value.what} has ${entries.length} keys; it must have one`);
  });
}
