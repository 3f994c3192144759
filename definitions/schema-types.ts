/**
 * What a JSON Schema says of the values that satisfy it, as types of FEEL.
 *
 * S1 A type never says more than the schema: what is not read (`anyOf`, `if`, references to elsewhere) may be anything.
 * S2 Formats change nothing: a date in JSON is a string.
 * S3 A property that is not declared cannot be there where `additionalProperties` is false. Where nothing is said of others,
 *    it is unlikely.
 * S4 A schema is read once, however often it is referred to, also from within itself.
 *
 * Source: JSON Schema, draft 2020-12.
 */
import {
  anyType,
  listOf,
  membersOf,
  openContext,
  simple,
  unionOf,
  type ContextType,
  type StaticType,
} from './feel/check/static-type.ts';

type SchemaObject = Readonly<Record<string, unknown>>;

/** Keywords that may add to what an object has, or take from what a value is. They are not looked into (S1). */
const otherKeywords = [
  'anyOf',
  'oneOf',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'unevaluatedProperties',
].concat(['$dynamicRef', '$recursiveRef']);
/** Schemas inside each other: deeper ones may be anything. */
const MAX_DEPTH = 50;
/** Properties that are put together for the parts of schemas: after so many, what has parts may be anything. */
const MAX_COMBINED = 100_000;

export function typeOfSchema(schema: unknown): StaticType {
  return new SchemaReader(schema).typeOf(schema, 0);
}

/**
 * The type of what comes in on a channel with the schemas of a folder, by message type (engine/intake/validate.ts).
 * @param messageType null: messages of any type
 */
export function payloadTypeOf(folder: ReadonlyMap<string, unknown>, messageType: string | null): StaticType {
  const ofType = messageType === null ? undefined : folder.get(messageType);
  if (ofType !== undefined) return typeOfSchema(ofType);
  const otherwise = folder.get('default');
  if (messageType !== null && otherwise !== undefined) return typeOfSchema(otherwise);
  return unionOf([...folder.values()].map(typeOfSchema));
}

class SchemaReader {
  readonly #root: unknown;
  /** `pending`: it is being read, and not known to be an object (S4). */
  readonly #known = new Map<SchemaObject, StaticType | 'pending'>();
  #combinedCount = 0;

  constructor(root: unknown) {
    this.#root = root;
  }

  typeOf(schema: unknown, depth: number): StaticType {
    if (!isObject(schema) || depth > MAX_DEPTH) return anyType;
    const known = this.#known.get(schema);
    if (known !== undefined) return known === 'pending' ? anyType : known;
    this.#known.set(schema, 'pending');
    const type = this.#read(schema, depth);
    this.#known.set(schema, type);
    return type;
  }

  #read(schema: SchemaObject, depth: number): StaticType {
    // References inside another resource begin there.
    if (schema !== this.#root && Object.hasOwn(schema, '$id')) return anyType;
    const parts = [
      this.#own(schema, depth),
      ...listIn(schema, 'allOf').map((part) => this.typeOf(part, depth + 1)),
      ...(Object.hasOwn(schema, '$ref') ? [this.typeOf(this.#referred(schema['$ref']), depth + 1)] : []),
    ];
    const type = parts.length === 1 ? (parts[0] ?? anyType) : this.#combined(parts);
    const isOpen = otherKeywords.some((keyword) => Object.hasOwn(schema, keyword));
    return isOpen && type.kind === 'context' ? opened(type) : type;
  }

  #combined(parts: readonly StaticType[]): StaticType {
    for (const type of parts) {
      if (type.kind === 'context') this.#combinedCount += type.entries.size;
    }
    return this.#combinedCount > MAX_COMBINED ? anyType : parts.reduce(intersectionOf);
  }

  /** What `type`, `enum`, `const`, `properties` and `items` say. */
  #own(schema: SchemaObject, depth: number): StaticType {
    const names = typeNamesOf(schema);
    if (names === null) return anyType;
    // An object's type is known before its properties are read: they may refer to it (S4).
    const entries = new Map<string, StaticType>();
    const object: ContextType = { kind: 'context', entries, others: othersOf(schema) };
    const isAlone = names.length === 1 && !hasParts(schema);
    if (isAlone && names[0] === 'object') this.#known.set(schema, object);
    const properties = schema['properties'];
    if (names.includes('object') && isObject(properties)) {
      for (const [name, property] of Object.entries(properties)) {
        entries.set(name, this.typeOf(property, depth + 1));
      }
    }
    return unionOf(names.map((name) => (name === 'object' ? object : this.#named(name, schema, depth))));
  }

  #named(name: string, schema: SchemaObject, depth: number): StaticType {
    switch (name) {
      case 'string':
      case 'boolean':
      case 'number':
      case 'null':
        return simple(name);
      case 'integer':
        return simple('number');
      case 'array':
        return listOf(
          Object.hasOwn(schema, 'prefixItems') ? anyType : this.typeOf(schema['items'], depth + 1),
        );
      default:
        return anyType;
    }
  }

  /** What a reference within the schema refers to. Undefined: it is none, or is not there. */
  #referred(reference: unknown): unknown {
    if (reference === '#') return this.#root;
    if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined;
    let target = this.#root;
    for (const step of reference.slice(2).split('/')) {
      const key = unescaped(step);
      if (key === null) return undefined;
      if (isObject(target) && Object.hasOwn(target, key)) target = target[key];
      else if (Array.isArray(target)) target = target[Number(key)] as unknown;
      else return undefined;
    }
    return target;
  }
}

/** A step of a JSON pointer in a URI fragment. */
function unescaped(step: string): string | null {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listIn(schema: SchemaObject, keyword: string): readonly unknown[] {
  const list = schema[keyword];
  return Array.isArray(list) ? list : [];
}

function hasParts(schema: SchemaObject): boolean {
  return ['allOf', '$ref', ...otherKeywords].some((keyword) => Object.hasOwn(schema, keyword));
}

/** The names of the types that values may be of. Null: all. */
function typeNamesOf(schema: SchemaObject): readonly string[] | null {
  const { type } = schema;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.filter((name) => typeof name === 'string');
  if (Object.hasOwn(schema, 'const')) return [typeNameOf(schema['const'])];
  const values = schema['enum'];
  return Array.isArray(values) ? [...new Set(values.map(typeNameOf))] : null;
}

/** Of numbers that no double holds there are objects, with a prototype of their own. */
function typeNameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value !== 'object') return typeof value;
  return Object.getPrototypeOf(value) === Object.prototype ? 'object' : 'number';
}

function othersOf(schema: SchemaObject): ContextType['others'] {
  const additional = schema['additionalProperties'];
  if (Object.hasOwn(schema, 'patternProperties')) return 'possible';
  if (additional === false) return 'impossible';
  const isSpokenOf = additional !== undefined || !isObject(schema['properties']);
  return isSpokenOf ? 'possible' : 'unlikely';
}

/** Something that is not read may have more to say of it. */
function opened(type: ContextType): ContextType {
  return { ...type, others: type.others === 'impossible' ? 'impossible' : 'possible' };
}

/** What is of both types. What cannot be is `any`: no value will come. */
function intersectionOf(one: StaticType, other: StaticType): StaticType {
  if (one.kind === 'any' || one === other) return other;
  if (other.kind === 'any') return one;
  const both = membersOf(one).flatMap((member) => {
    const match = membersOf(other).find(({ kind }) => kind === member.kind);
    if (match === undefined) return [];
    return member.kind === 'context' && match.kind === 'context' ? [bothContexts(member, match)] : [member];
  });
  return unionOf(both);
}

const degrees = ['impossible', 'possible', 'unlikely'] as const;

function bothContexts(one: ContextType, other: ContextType): ContextType {
  const entries = new Map<string, StaticType>();
  for (const [name, type] of one.entries) {
    const twin = other.entries.get(name);
    if (twin !== undefined || other.others !== 'impossible') {
      entries.set(name, twin === undefined || twin.kind === 'any' ? type : sameOrAny(type, twin));
    }
  }
  for (const [name, type] of other.entries) {
    if (!one.entries.has(name) && one.others !== 'impossible') entries.set(name, type);
  }
  const others = degrees.find((degree) => one.others === degree || other.others === degree);
  return { kind: 'context', entries, others: others ?? openContext.others };
}

/** Of a property that two schemas declare differently nothing is known. */
function sameOrAny(type: StaticType, twin: StaticType): StaticType {
  return type.kind === 'any' ? twin : type.kind === twin.kind && twin.kind !== 'union' ? type : anyType;
}
