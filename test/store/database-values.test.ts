import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { Database } from '../../engine/store/database.ts';
import { testDatabases } from '../support/database.ts';

const now = new Date('2026-03-01T10:20:30.456Z');

/** SQL expression and the value that both databases must give for it. */
const results: readonly (readonly [sql: string, value: unknown])[] = [
  ['9007199254740991::bigint', 9_007_199_254_740_991],
  ['(-5)::bigint', -5],
  ['(SELECT count(*) FROM (VALUES (1), (2)) AS v)', 2],
  ['32767::smallint', 32_767],
  ['2147483647::integer', 2_147_483_647],
  ['1.5::float8', 1.5],
  ['0.1::real', 0.1],
  ['1.10::numeric', '1.10'],
  ['true', true],
  ['NULL::boolean', null],
  [`'2026-03-01T11:20:30.456+01:00'::timestamptz`, now],
  [`'2026-03-01T10:20:30.456'::timestamp`, '2026-03-01 10:20:30.456'],
  [`'2026-03-01'::date`, '2026-03-01'],
  [`'10:00:00'::time`, '10:00:00'],
  [`'1 day 2 hours'::interval`, 'P1DT2H'],
  [`'\\x00ff10'::bytea`, Buffer.from([0, 0xff, 0x10])],
  [`''::bytea`, Buffer.alloc(0)],
  [`'{"b":[1,null,"x"],"a":{"__proto__":1}}'::jsonb`, JSON.parse('{"b":[1,null,"x"],"a":{"__proto__":1}}')],
  [`'null'::jsonb`, null],
  [`'"text"'::json`, 'text'],
  [`'0190c0de-0000-7000-8000-000000000001'::uuid`, '0190c0de-0000-7000-8000-000000000001'],
  [`'ä"\\''''{},'::text`, `ä"\\''{},`],
  [`ARRAY['a', NULL, '', '"', '{}', 'NULL', '\\']::text[]`, ['a', null, '', '"', '{}', 'NULL', '\\']],
  [`ARRAY[]::text[]`, []],
  ['ARRAY[1, NULL, 9007199254740991]::bigint[]', [1, null, 9_007_199_254_740_991]],
  ['ARRAY[1, 2]::integer[]', [1, 2]],
  ['ARRAY[true, false]', [true, false]],
  ['ARRAY[1.5, 2]::float8[]', [1.5, 2]],
  [`ARRAY['2026-03-01T10:20:30.456Z'::timestamptz, NULL]`, [now, null]],
  [`ARRAY['\\x00ff'::bytea, ''::bytea, NULL]`, [Buffer.from([0, 0xff]), Buffer.alloc(0), null]],
  [`ARRAY['{"a":1}'::jsonb, '[1,2]'::jsonb, '"s"'::jsonb]`, [{ a: 1 }, [1, 2], 's']],
  [`ARRAY['0190c0de-0000-7000-8000-000000000001'::uuid]`, ['0190c0de-0000-7000-8000-000000000001']],
  [
    `ARRAY[ARRAY['a', 'b'], ARRAY['c', NULL]]`,
    [
      ['a', 'b'],
      ['c', null],
    ],
  ],
];

/** A type, a value as it is bound, and what comes back when the server returns it unchanged. */
const parameters: readonly (readonly [type: string, bound: unknown, back: unknown])[] = [
  ['text', 'ä"\\\'{},', 'ä"\\\'{},'],
  ['text', '', ''],
  ['text', null, null],
  ['bigint', 9_007_199_254_740_991, 9_007_199_254_740_991],
  ['bigint', 12n, 12],
  ['integer', -1, -1],
  ['float8', 0.1, 0.1],
  ['boolean', false, false],
  ['timestamptz', now, now],
  ['bytea', Buffer.from([0, 1, 0xff]), Buffer.from([0, 1, 0xff])],
  ['bytea', new Uint8Array([9, 0]), Buffer.from([9, 0])],
  ['bytea', Buffer.alloc(0), Buffer.alloc(0)],
  ['jsonb', '{"a":[1,"x"]}', { a: [1, 'x'] }],
  ['uuid', '0190c0de-0000-7000-8000-000000000001', '0190c0de-0000-7000-8000-000000000001'],
  [
    'text[]',
    ['a', null, '', '"', '{}', 'NULL', '\\', 'a,b', ' '],
    ['a', null, '', '"', '{}', 'NULL', '\\', 'a,b', ' '],
  ],
  ['text[]', [], []],
  ['integer[]', [1, null, -3], [1, null, -3]],
  ['bigint[]', [1, 2n, null], [1, 2, null]],
  ['boolean[]', [true, null, false], [true, null, false]],
  ['float8[]', [1.5, null], [1.5, null]],
  ['timestamptz[]', [now, null], [now, null]],
  [
    'bytea[]',
    [Buffer.from([0, 0x5c]), Buffer.alloc(0), null],
    [Buffer.from([0, 0x5c]), Buffer.alloc(0), null],
  ],
  ['jsonb[]', ['{"a":"\\"x\\""}', '[1,2]', '"s"', null], [{ a: '"x"' }, [1, 2], 's', null]],
  ['uuid[]', ['0190c0de-0000-7000-8000-000000000001'], ['0190c0de-0000-7000-8000-000000000001']],
  ['uuid[]', ['0190C0DE-00FF-7000-8000-000000000001', null], ['0190c0de-00ff-7000-8000-000000000001', null]],
  ['uuid[]', [], []],
  ['integer[]', [2_147_483_647, -2_147_483_648], [2_147_483_647, -2_147_483_648]],
  ['double precision[]', [0.1, -0, 1e300, null], [0.1, -0, 1e300, null]],
];

/** What no server takes for an element of the type. */
const misfits: readonly (readonly [type: string, bound: readonly unknown[]])[] = [
  ['uuid[]', ['0190c0de-0000-7000-8000-00000000000g']],
  ['uuid[]', ['0190c0de-0000-7000-8000']],
  ['integer[]', [2_147_483_648]],
  ['integer[]', [1.5]],
  ['jsonb[]', ['{']],
  ['boolean[]', ['maybe']],
  ['text[]', ['\0']],
];

const refused: readonly (readonly [what: string, bound: unknown])[] = [
  ['undefined', undefined],
  ['an object', { a: 1 }],
  ['a nested array', [[1], [2]]],
  ['an array that holds undefined', [1, undefined]],
  ['an array that holds an object', [{ a: 1 }]],
  ['an invalid date', new Date(Number.NaN)],
  ['a function', () => 1],
];

for (const target of testDatabases()) {
  describe(`values on ${target.name}`, () => {
    let database: Database;
    before(async () => {
      database = await target.open();
    });
    after(() => database.close());

    const echo = async (type: string, bound: unknown): Promise<unknown> => {
      const rows = await database.run<{ value: unknown }>(
        { name: `echo_${type}`, text: `SELECT $1::${type} AS value` },
        [bound],
      );
      return rows[0]?.value;
    };

    it('come out in the same JavaScript types whatever the database', async () => {
      for (const [sql, expected] of results) {
        const rows = await database.run<{ value: unknown }>({ name: '', text: `SELECT ${sql} AS value` }, []);
        assert.deepStrictEqual(rows[0]?.value, expected, sql);
      }
    });

    it('go in, singly and in arrays, and come back unchanged', async () => {
      for (const [type, bound, back] of parameters)
        assert.deepStrictEqual(await echo(type, bound), back, type);
    });

    it('go through unnest in table order', async () => {
      const rows = await database.run<{ id: string; at: number; body: Buffer; doc: unknown }>(
        {
          name: 'test_unnest',
          text: `
SELECT u.id, u.at, u.body, u.doc
FROM unnest($1::uuid[], $2::integer[], $3::bytea[], $4::jsonb[]) WITH ORDINALITY AS u (id, at, body, doc, n)
ORDER BY n`,
        },
        [
          ['0190c0de-0000-7000-8000-000000000002', '0190c0de-0000-7000-8000-000000000001'],
          [7, null],
          [Buffer.from('x'), Buffer.alloc(0)],
          ['{"a":1}', null],
        ],
      );
      assert.deepEqual(
        rows.map((row) => ({ ...row })),
        [
          { id: '0190c0de-0000-7000-8000-000000000002', at: 7, body: Buffer.from('x'), doc: { a: 1 } },
          { id: '0190c0de-0000-7000-8000-000000000001', at: null, body: Buffer.alloc(0), doc: null },
        ],
      );
    });

    it('are refused where binding them would be a guess', async () => {
      for (const [what, bound] of refused) {
        await assert.rejects(echo('text', bound), (error: Error) => error instanceof TypeError, what);
      }
    });

    it('are refused by the server where they are none of their type', async () => {
      for (const [type, bound] of misfits) {
        await assert.rejects(echo(type, bound), (error: Error) => !(error instanceof TypeError), type);
        assert.equal(await echo('integer', 1), 1);
      }
    });

    it('refuse a bigint that a number cannot hold exactly, and leave the connection usable', async () => {
      const statement = { name: '', text: 'SELECT 9007199254740993::bigint AS value' };
      await assert.rejects(database.run(statement, []), RangeError);
      await assert.rejects(
        database.transaction((connection) => connection.run(statement, [])),
        RangeError,
      );
      assert.equal(await echo('integer', 1), 1);
    });

    it('keep any text and any bytes (property)', async () => {
      const text = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((value) => !value.includes('\0'));
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.option(text)),
          fc.array(fc.option(fc.uint8Array({ maxLength: 40 }))),
          fc.array(fc.option(fc.uuid())),
          fc.array(fc.option(fc.integer())),
          fc.array(fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }))),
          fc.array(fc.option(fc.boolean())),
          async (texts, byteArrays, ids, integers, doubles, booleans) => {
            assert.deepEqual(await echo('text[]', texts), texts);
            assert.deepEqual(
              await echo('bytea[]', byteArrays),
              byteArrays.map((bytes) => (bytes === null ? null : Buffer.from(bytes))),
            );
            assert.deepEqual(await echo('uuid[]', ids), ids);
            assert.deepEqual(await echo('integer[]', integers), integers);
            assert.deepEqual(await echo('double precision[]', doubles), doubles);
            assert.deepEqual(await echo('boolean[]', booleans), booleans);
            const documents = texts.map((value) => (value === null ? null : { value }));
            assert.deepEqual(
              await echo(
                'jsonb[]',
                documents.map((document) => document && JSON.stringify(document)),
              ),
              documents,
            );
          },
        ),
        { numRuns: 50 },
      );
    });
  });
}
