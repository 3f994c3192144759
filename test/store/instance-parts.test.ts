import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { Database } from '../../engine/store/database.ts';
import {
  deleteAllParts,
  deleteParts,
  insertParts,
  readAllParts,
  readParts,
  updateParts,
  type PartRow,
  type PartWrite,
} from '../../engine/store/instance-parts.ts';
import { countInstanceParts, listInstanceParts } from '../../engine/store/operate-instances.ts';
import { testDatabases } from '../support/database.ts';

const texts = (rows: readonly PartRow[]): string[] =>
  rows.map(({ partId, data }) => `${String(partId)} ${data}`).sort();

for (const target of testDatabases()) {
  describe(`parts of instances on ${target.name}`, () => {
    let database: Database;
    before(async () => {
      database = await target.open();
    });
    after(() => database.close());

    const part = (instanceId: string, partId: number, data: string, isOpen = true): PartWrite => ({
      instanceId,
      partId,
      isOpen,
      data,
    });

    it('are read one by one or all together, each as it was written', async () => {
      const [one, other] = [randomUUID(), randomUUID()];
      await insertParts(database, [part(one, 3, 'c \u{1f600} "'), part(one, 5, 'e'), part(other, 3, 'x')]);
      const asked = [
        { instanceId: one, partId: 5 },
        { instanceId: other, partId: 3 },
        { instanceId: other, partId: 5 },
      ];
      assert.deepEqual(texts(await readParts(database, asked)), ['3 x', '5 e']);
      assert.deepEqual(texts(await readAllParts(database, [one])), ['3 c \u{1f600} "', '5 e']);
      assert.equal((await readAllParts(database, [one, other, randomUUID()])).length, 3);
    });

    it('change and go pair by pair, and all together at the end of their instance', async () => {
      const [one, other] = [randomUUID(), randomUUID()];
      const all = [part(one, 1, 'a'), part(one, 2, 'b'), part(other, 1, 'x'), part(other, 2, 'y')];
      await insertParts(database, all);
      const changed = [part(one, 1, 'A', false), part(other, 2, 'Y'), part(other, 3, 'unknown')];
      assert.equal(await updateParts(database, changed), 2);
      assert.deepEqual(texts(await readAllParts(database, [one])), ['1 A', '2 b']);
      assert.deepEqual(texts(await readAllParts(database, [other])), ['1 x', '2 Y']);
      await deleteParts(database, [
        { instanceId: one, partId: 2 },
        { instanceId: other, partId: 1 },
      ]);
      assert.deepEqual(texts(await readAllParts(database, [one, other])), ['1 A', '2 Y']);
      await deleteAllParts(database, [one]);
      assert.deepEqual(texts(await readAllParts(database, [one, other])), ['2 Y']);
    });

    it('are listed to operators while they are open, a page at a time', async () => {
      const id = randomUUID();
      await insertParts(
        database,
        [1, 2, 3, 4, 5].map((partId) => part(id, partId, 'p', partId !== 2)),
      );
      assert.equal(await countInstanceParts(database, id), 4);
      const ids = async (after: number, limit: number): Promise<number[]> =>
        (await listInstanceParts(database, id, after, limit)).map(({ partId }) => partId);
      assert.deepEqual(await ids(0, 2), [1, 3]);
      assert.deepEqual(await ids(3, 9), [4, 5]);
      assert.equal(await countInstanceParts(database, randomUUID()), 0);
    });
  });
}
