import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { Database } from '../../engine/store/database.ts';
import { deleteValues, insertValues, readValues, type ValueKey } from '../../engine/store/instance-values.ts';
import { testDatabases } from '../support/database.ts';

for (const target of testDatabases()) {
  describe(`large values of instances on ${target.name}`, () => {
    let database: Database;
    before(async () => {
      database = await target.open();
    });
    after(() => database.close());

    it('are read and deleted pair by pair, each as it was written', async () => {
      const [one, other] = [randomUUID(), randomUUID()];
      const key = (instanceId: string, id: string): ValueKey => ({ instanceId, id });
      await insertValues(database, [
        { ...key(one, 'a'), data: '"\u{1f600} \\u0000"' },
        { ...key(one, 'b'), data: '[1]' },
        { ...key(other, 'a'), data: 'x'.repeat(300_000) },
      ]);
      const all = [key(one, 'a'), key(one, 'b'), key(other, 'a'), key(other, 'b')];
      const read = async (): Promise<readonly string[]> =>
        (await readValues(database, all)).map(({ data }) => data.slice(0, 20)).sort();
      assert.deepEqual(await read(), ['"\u{1f600} \\u0000"', '[1]', 'x'.repeat(20)]);
      await deleteValues(database, [key(one, 'b'), key(other, 'b'), key(randomUUID(), 'a')]);
      assert.deepEqual(await read(), ['"\u{1f600} \\u0000"', 'x'.repeat(20)]);
    });
  });
}
