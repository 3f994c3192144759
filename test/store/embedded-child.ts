/**
 * Opens the embedded database of a directory as an engine does, says `open` on its standard output, then does
 * what the second argument says:
 *   write  commits one numbered row after the other and says each number once its commit was acknowledged;
 *   once   runs a statement, closes, and must then end by itself;
 *   leak   runs a statement in a transaction and stays.
 */
import type { Statement } from '../../engine/store/database.ts';
import { openEmbeddedDatabase } from '../../engine/store/embedded-database.ts';

const INSERT: Statement = {
  name: 'test_insert_history',
  text: `INSERT INTO history (instance_id, turn, entries)
         VALUES ('0190c0de-0000-7000-8000-000000000001', $1::integer, '[]')`,
};
const NEXT: Statement = {
  name: 'test_next',
  text: 'SELECT coalesce(max(turn), 0)::integer AS last FROM history',
};

const [directory = '', mode = '', snapshotFile = ''] = process.argv.slice(2);
const database = await openEmbeddedDatabase({
  directory: directory === 'memory:' ? null : directory,
  ...(snapshotFile === '' ? {} : { snapshotFile }),
});
const [row] = await database.run<{ last: number }>(NEXT, []);
console.log('open');
if (mode === 'write') {
  for (let turn = (row?.last ?? 0) + 1; ; turn += 1) {
    await database.transaction((connection) => connection.run(INSERT, [turn]));
    console.log(turn);
  }
} else if (mode === 'leak') {
  await database.transaction(async (connection) => {
    await connection.run(INSERT, [1]);
    await new Promise((resolve) => setTimeout(resolve, 600_000));
  });
} else {
  await database.close();
}
