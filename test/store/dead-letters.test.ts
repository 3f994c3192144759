/** Dead letters as rows: plans in full tables, and what their retention leaves. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { Database, Statement } from '../../engine/store/database.ts';
import {
  DEAD_LETTERS_EXIST,
  DELETE_DEAD_LETTERS,
  INSERT_DEAD_LETTERS,
  insertDeadLetters,
  LOCK_DEAD_LETTERS,
  lockDeadLetters,
  REFUSE_DEAD_LETTER,
  RESOLVE_DEAD_LETTER_INCIDENTS,
  type DeadLetterWrite,
} from '../../engine/store/dead-letters.ts';
import { READ_DEAD_LETTER } from '../../engine/store/operate-dead-letters.ts';
import { PURGE_DEAD_LETTERS, purgeDeadLetters } from '../../engine/store/purge.ts';
import { testDatabases } from '../support/database.ts';
import { planOf, seededRows } from './plan-of.ts';

const seedLetters = (rows: number): string => `
INSERT INTO dead_letter (id, kind, tenant, module, channel, message_key, headers, body, code, message, updated_at)
SELECT gen_random_uuid(), 'message', 't', 'm', 'c' || i % 7, 'k' || i, '{}', '\\x7b', 'C', 'm', now() - i * interval '1 second'
FROM generate_series(1, ${String(rows)}) AS i`;

/** Of other kinds there are many more, and of letters many that are resolved. */
const seedIncidents = `
INSERT INTO incident (id, kind, tenant, module, subject_id, code, message, resolved_at)
SELECT id, 'dead-letter', tenant, module, id, code, message, CASE WHEN message_key LIKE '%7' THEN now() END
FROM dead_letter`;

const IDS = `ARRAY[gen_random_uuid(), gen_random_uuid()]`;
const TEXT = `'{a}'`;

/** Statement, its arguments as SQL, the indexes it names. */
const plans: readonly (readonly [Statement, string, readonly string[]])[] = [
  [
    INSERT_DEAD_LETTERS,
    `(ARRAY[gen_random_uuid()], '{message}', ${[3, 4, 5, 6].map(() => TEXT).join()}, '{null}', '{null}', '{null}', '{null}',
      '{null}', '{"{}"}', ${TEXT}, '{"\\\\x00"}', ${TEXT}, ${TEXT}, 100)`,
    ['dead_letter_key', 'incident_subject'],
  ],
  [LOCK_DEAD_LETTERS, `(${IDS}, '{1,1}')`, ['dead_letter_pkey']],
  [DEAD_LETTERS_EXIST, `(${IDS}, '{1,1}')`, ['dead_letter_pkey']],
  [DELETE_DEAD_LETTERS, `(${IDS})`, ['dead_letter_pkey']],
  [RESOLVE_DEAD_LETTER_INCIDENTS, `(${IDS})`, ['incident_subject']],
  [REFUSE_DEAD_LETTER, `(gen_random_uuid(), 'c', 'm')`, ['dead_letter_pkey', 'incident_subject']],
  [READ_DEAD_LETTER, `(gen_random_uuid())`, ['dead_letter_pkey']],
  [PURGE_DEAD_LETTERS, `(99000000, 200)`, ['dead_letter_updated', 'incident_subject']],
];

const letter = (messageKey: string | null, message = 'm'): DeadLetterWrite => ({
  ...{ id: randomUUID(), kind: 'message', tenant: 't', module: 'm', channel: 'c', messageKey },
  ...{ signalName: null, start: null, headers: { a: 'b' }, contentType: null, body: Buffer.from('x') },
  ...{ code: 'C', message },
});

for (const target of testDatabases()) {
  describe(`dead letters as rows on ${target.name}`, () => {
    let database: Database;
    before(async () => {
      database = await target.open();
    });
    after(() => database.close());

    const run = async <Row>(text: string): Promise<readonly Row[]> =>
      database.run<Row>({ name: '', text }, []);
    const clear = (): Promise<unknown> => database.knex.raw('TRUNCATE dead_letter, incident');
    const open = async (): Promise<readonly (readonly [string, string])[]> =>
      (
        await run<{ id: string; message: string }>(
          'SELECT subject_id AS id, message FROM incident WHERE resolved_at IS NULL ORDER BY created_at, id',
        )
      ).map(({ id, message }) => [id, message]);

    it('are kept up to the limit, those of a call in its order, and brought up to date beyond it', async () => {
      await clear();
      const [one, two, three] = [letter('1'), letter(null), letter('3')];
      const kept = await insertDeadLetters(database, [one, two, three], 2);
      assert.deepEqual(
        kept,
        [one, two].map(({ id }) => ({ id, attempts: 1 })),
      );
      const again = { ...letter('1', 'again'), body: Buffer.from('y') };
      assert.deepEqual(await insertDeadLetters(database, [letter('4'), again], 2), [
        { id: one.id, attempts: 2 },
      ]);
      assert.deepEqual(
        new Set(await open()),
        new Set([
          [one.id, 'again'],
          [two.id, 'm'],
        ]),
      );
    });

    it('are locked only as they were read', async () => {
      await clear();
      const row = letter('1');
      await insertDeadLetters(database, [row], 9);
      const locked = (attempts: number) =>
        database.transaction((runner) => lockDeadLetters(runner, [{ id: row.id, attempts }]));
      assert.deepEqual([await locked(1), await locked(2)], [[row.id], []]);
      await insertDeadLetters(database, [letter('1')], 9);
      assert.deepEqual([await locked(1), await locked(2)], [[], [row.id]]);
    });

    it('go with their incidents when their retention has passed since they were refused the last time', async () => {
      await clear();
      const letters = ['1', '2', '3'].map((key) => letter(key));
      await insertDeadLetters(database, letters, 9);
      await database.knex.raw(
        `UPDATE dead_letter SET updated_at = now() - interval '2 hours' WHERE message_key <> '2'`,
      );
      await insertDeadLetters(database, [letter('3', 'again')], 9);
      assert.equal(await purgeDeadLetters(database, 3_600_000, 10), 1);
      assert.deepEqual(
        (await run<{ key: string }>('SELECT message_key AS key FROM dead_letter ORDER BY 1')).map(
          ({ key }) => key,
        ),
        ['2', '3'],
      );
      assert.equal((await open()).length, 2);
      assert.equal(await purgeDeadLetters(database, 3_600_000, 10), 0);
    });

    it('are found by the indexes that their statements name', async () => {
      await clear();
      await database.knex.raw(seedLetters(seededRows(target, 50_000)));
      await database.knex.raw(seedIncidents);
      await database.knex.raw('ANALYZE dead_letter, incident');
      for (const [statement, values, indexes] of plans) {
        const plan = await database.transaction((connection) => planOf(connection, statement, values));
        for (const index of indexes)
          assert.match(plan, new RegExp(`\\b${index}\\b`), `${statement.name}\n${plan}`);
      }
      await clear();
    });
  });
}
