import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Database } from '../../engine/store/database.ts';
import { testDatabases } from '../support/database.ts';
import { describeSchema } from './catalogue.ts';

/** Write it anew with SUTRA_TEST_UPDATE_CATALOGUE=1, and read the difference before committing it. */
const DUMP = fileURLToPath(new URL('./catalogue.txt', import.meta.url));
const isUpdate = process.env['SUTRA_TEST_UPDATE_CATALOGUE'] === '1';

for (const target of testDatabases()) {
  describe(`the schema on ${target.name}`, () => {
    let database: Database;
    before(async () => {
      database = await target.open();
    });
    after(() => database.close());

    it('is what the migrations are said to make', async () => {
      const found = await describeSchema(database);
      if (isUpdate && target.name === 'embedded') await writeFile(DUMP, found);
      assert.equal(found, await readFile(DUMP, 'utf8'));
    });
  });
}
