import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Database } from '../../engine/store/database.ts';
import { testDatabases } from '../support/database.ts';
import { findStatements } from './store-statements.ts';

/** Write it anew with SUTRA_TEST_UPDATE_STATEMENTS=1, and read the difference before committing it. */
const TABLE = fileURLToPath(new URL('./statements.txt', import.meta.url));
const isUpdate = process.env['SUTRA_TEST_UPDATE_STATEMENTS'] === '1';

describe('the statements of the store', () => {
  it('are found, each under the name of its constant and under a name of its own', async () => {
    const found = await findStatements();
    assert.ok(found.length >= 20, `only ${found.length} statements were found`);
    for (const { file, exportName, statement } of found) {
      assert.equal(exportName, statement.name.toUpperCase(), `${file}: ${exportName}`);
      assert.ok(statement.name.length <= 63, `${statement.name} is longer than PostgreSQL keeps`);
    }
    const names = found.map(({ statement }) => statement.name);
    assert.deepEqual(
      names.filter((name, index) => names.indexOf(name) !== index),
      [],
    );
  });

  it('list their columns', async () => {
    for (const { file, statement } of await findStatements()) {
      assert.doesNotMatch(
        statement.text,
        /(?:SELECT|RETURNING)\s+(?:\w+\.)?\*/i,
        `${file}: ${statement.name}`,
      );
    }
  });
});

for (const target of testDatabases()) {
  describe(`the statements of the store on ${target.name}`, () => {
    let database: Database;
    before(async () => {
      database = await target.open({ poolMax: 1 });
    });
    after(() => database.close());

    /** One line a statement: its name and the types of its parameters, as the server infers them. */
    async function prepareAll(): Promise<string> {
      const lines: string[] = [];
      for (const { statement } of await findStatements()) {
        await database.run({ name: '', text: `PREPARE "check_${statement.name}" AS ${statement.text}` }, []);
        const [row] = await database.run<{ types: string[] }>(
          {
            name: 'test_parameter_types',
            text: 'SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = $1::text',
          },
          [`check_${statement.name}`],
        );
        lines.push(`${statement.name}: ${row?.types.join(', ') ?? 'not prepared'}`);
      }
      return `${lines.sort().join('\n')}\n`;
    }

    it('can all be prepared, with the parameter types that the table says', async () => {
      const found = await prepareAll();
      assert.doesNotMatch(found, /unknown|not prepared/);
      if (isUpdate && target.name === 'embedded') await writeFile(TABLE, found);
      assert.equal(found, await readFile(TABLE, 'utf8'));
    });
  });
}
