/** What JSON Schemas say of payloads: by table, and against a validator. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe as words, type StaticType } from '../../definitions/feel/check/static-type.ts';
import { checkExpression } from '../../definitions/feel/check/check-expression.ts';
import { parseExpression } from '../../definitions/feel/parse-expression.ts';
import type { FeelValue } from '../../definitions/feel/runtime.ts';
import { payloadTypeOf, typeOfSchema } from '../../definitions/schema-types.ts';
import { isOf } from './feel/check-types.ts';

/** `{a: number, b: [string], …}`: `…` others may be there, `?` they are unlikely. Lists in brackets. */
function show(type: StaticType, depth = 0): string {
  if (depth > 4) return '...';
  switch (type.kind) {
    case 'list':
      return `[${show(type.element, depth + 1)}]`;
    case 'union':
      return type.members.map((member) => show(member, depth + 1)).join(' | ');
    case 'context': {
      const entries = [...type.entries].map(([name, entry]) => `${name}: ${show(entry, depth + 1)}`);
      const others = { impossible: [], unlikely: ['?'], possible: ['…'] }[type.others];
      return `{${[...entries, ...others].join(', ')}}`;
    }
    default:
      return type.kind;
  }
}

const rows: readonly (readonly [schema: unknown, expected: string])[] = [
  [true, 'any'],
  [false, 'any'],
  [{}, 'any'],
  [{ type: 'string', format: 'date' }, 'string'],
  [{ type: 'integer', minimum: 1 }, 'number'],
  [{ type: 'boolean' }, 'boolean'],
  [{ type: 'null' }, 'null'],
  [{ type: ['string', 'null'] }, 'string'],
  [{ type: ['string', 'number'] }, 'string | number'],
  [{ type: 'array' }, '[any]'],
  [{ type: 'array', items: { type: 'number' } }, '[number]'],
  [{ type: 'array', prefixItems: [{ type: 'number' }], items: { type: 'string' } }, '[any]'],
  [{ const: 5 }, 'number'],
  [{ enum: ['a', 'b'] }, 'string'],
  [{ enum: ['a', 1, null] }, 'string | number'],
  [{ type: 'object' }, '{…}'],
  [{ type: 'object', properties: { a: { type: 'number' }, b: true } }, '{a: number, b: any, ?}'],
  [{ type: 'object', properties: { a: {} }, additionalProperties: true }, '{a: any, …}'],
  [{ type: 'object', properties: { a: {} }, additionalProperties: { type: 'number' } }, '{a: any, …}'],
  [{ type: 'object', properties: { a: {} }, patternProperties: { '^x': {} } }, '{a: any, …}'],
  [{ type: 'object', properties: { a: {} }, additionalProperties: false }, '{a: any}'],
  [{ type: 'object', additionalProperties: false }, '{}'],
  // What is no object satisfies it too.
  [{ properties: { a: { type: 'number' } } }, 'any'],
  [{ type: 'object', properties: { a: {} }, oneOf: [{ required: ['a'] }] }, '{a: any, …}'],
  [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, 'any'],
  [{ oneOf: [{ type: 'string' }] }, 'any'],
  [{ if: {}, then: { type: 'string' } }, 'any'],
  [{ $ref: '#/$defs/a', $defs: { a: { type: 'string' } } }, 'string'],
  [{ $ref: '#/$defs/a~1b%20c', $defs: { 'a/b c': { type: 'string' } } }, 'string'],
  [{ $ref: '#/allOf/0', allOf: [{ type: 'string' }] }, 'string'],
  [{ $ref: 'elsewhere.json' }, 'any'],
  [{ $ref: '#/$defs/none' }, 'any'],
  [{ $ref: '#/%' }, 'any'],
  [{ $ref: '#' }, 'any'],
  [
    { type: 'object', properties: { next: { $ref: '#' }, all: { type: 'array', items: { $ref: '#' } } } },
    '{next: {next: {next: {next: {next: ..., all: ..., ?}, all: [...], ?}, all: [{next: ..., all: ..., ?}], ?}, all: [{next: {next: ..., all: ..., ?}, all: [...], ?}], ?}, all: [{next: {next: {next: ..., all: ..., ?}, all: [...], ?}, all: [{next: ..., all: ..., ?}], ?}], ?}',
  ],
  [{ $defs: { l: { type: 'array', items: { $ref: '#/$defs/l' } } }, $ref: '#/$defs/l' }, '[any]'],
  [{ allOf: [{ type: 'string' }, { minLength: 1 }] }, 'string'],
  [{ type: ['string', 'number'], allOf: [{ type: ['number', 'boolean'] }] }, 'number'],
  [{ allOf: [{ type: 'string' }, { type: 'number' }] }, 'any'],
  [
    {
      allOf: [
        { type: 'object', properties: { a: { type: 'number' } } },
        { type: 'object', properties: { b: { type: 'string' } } },
      ],
    },
    '{a: number, b: string, ?}',
  ],
  [
    {
      type: 'object',
      properties: { b: { type: 'string' } },
      additionalProperties: false,
      allOf: [{ type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } }],
    },
    '{b: any}',
  ],
  [{ type: 'object', properties: { a: { $id: 'x', type: 'string' } } }, '{a: any, ?}'],
  [{ type: 'no type' }, 'any'],
];

describe('the type of a schema', () => {
  for (const [schema, expected] of rows) {
    it(`${JSON.stringify(schema)} is ${expected.slice(0, 60)}`, () => {
      assert.equal(show(typeOfSchema(schema)), expected);
    });
  }

  it('is found in time for schemas that refer to each other as often as they can', () => {
    const names = Array.from({ length: 400 }, (_, index) => `s${index}`);
    const refs = names.map((name) => ({ $ref: `#/$defs/${name}` }));
    const properties = Object.fromEntries(names.map((name, index) => [name, refs[index]]));
    const $defs = Object.fromEntries(
      names.map((name) => [name, { type: 'object', properties, allOf: refs }]),
    );
    assert.equal(typeOfSchema({ $defs, allOf: refs }).kind, 'any');
  });

  it('is anything where schemas are too deep', () => {
    let schema: unknown = { type: 'string' };
    for (let depth = 0; depth < 10_000; depth += 1) schema = { type: 'array', items: schema };
    let type = typeOfSchema(schema);
    let depth = 0;
    for (; type.kind === 'list'; depth += 1) type = type.element;
    assert.equal(words(type), 'any value');
    assert.ok(depth > 20);
  });
});

const names = fc.constantFrom('a', 'b', 'c');
const leaf = fc.constantFrom<unknown>(
  { type: 'string' },
  { type: 'integer' },
  { type: 'boolean' },
  { type: ['string', 'null'] },
  { const: 1 },
  { enum: ['a', 1, null] },
  true,
);
/** None refers to nothing but itself: that would have no end. */
const references = fc.constantFrom<unknown>(
  { $ref: '#/$defs/d' },
  { type: 'array', items: { $ref: '#' } },
  { type: 'object', properties: { a: { $ref: '#' } } },
);
function schemasOf(leaf: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.letrec<{ schema: unknown }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      { weight: 2, arbitrary: leaf },
      {
        weight: 3,
        arbitrary: fc.record(
          {
            type: fc.constantFrom('object', ['object', 'string']),
            properties: fc.dictionary(names, tie('schema'), { noNullPrototype: true }),
            additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
            required: fc.uniqueArray(names),
            allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
            anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
          },
          { requiredKeys: ['type', 'properties'] },
        ),
      },
      fc.record({ type: fc.constant('array'), items: tie('schema') }),
      fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
      fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
    ),
  })).schema;
}

const payloads = fc.letrec<{ value: FeelValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<FeelValue>('a', 1, true, null),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(names, tie('value'), { noNullPrototype: true }),
  ),
})).value;

describe('a payload that a schema lets in', () => {
  it('is of the type of the schema', () => {
    let validCount = 0;
    fc.assert(
      fc.property(
        schemasOf(fc.oneof(leaf, references)),
        schemasOf(leaf),
        fc.array(payloads, { minLength: 60, maxLength: 60 }),
        (schema, d, values) => {
          const root = typeof schema === 'object' && schema !== null ? { ...schema, $defs: { d } } : schema;
          const isValid = new Ajv2020({ strict: false, logger: false }).compile(root as object);
          const type = typeOfSchema(root);
          for (const value of values) {
            if (!isValid(value)) continue;
            validCount += type.kind === 'any' ? 0 : 1;
            assert.ok(
              isOf(value, type),
              `${JSON.stringify(root)}: ${JSON.stringify(value)} is no ${show(type)}`,
            );
          }
        },
      ),
      { numRuns: 150 },
    );
    assert.ok(validCount > 100, `${validCount} payloads`);
  });
});

describe('the type of a payload', () => {
  const order = { type: 'object', properties: { total: { type: 'number' } }, additionalProperties: false };
  const other = { type: 'object', properties: { reason: { type: 'string' } }, additionalProperties: false };

  const cases: readonly (readonly [files: Record<string, unknown>, type: string | null, expected: string])[] =
    [
      [{ order }, null, '{total: number}'],
      [{ order }, 'order', '{total: number}'],
      [{ order, other }, 'other', '{reason: string}'],
      [{ order, default: other }, 'unknown', '{reason: string}'],
      [{ order, default: other }, null, '{total: number, reason: string}'],
      [{}, null, 'any'],
    ];
  for (const [files, type, expected] of cases) {
    it(`of ${Object.keys(files).join(', ')} for ${String(type)} is ${expected}`, () => {
      assert.equal(show(payloadTypeOf(new Map(Object.entries(files)), type)), expected);
    });
  }

  it('tells what expressions over it can never be', () => {
    const names = new Map([['payload', payloadTypeOf(new Map([['order', order]]), null)]]);
    const { findings } = checkExpression(parseExpression('payload.totl > 5 or payload.total = "a"'), {
      names,
      unknownNames: 'error',
    });
    assert.deepEqual(
      findings.map(({ code, from }) => [code, from]),
      [
        ['SUTRA.FEEL.PATH_UNKNOWN', 8],
        ['SUTRA.FEEL.TYPE_MISMATCH', 20],
      ],
    );
  });
});
