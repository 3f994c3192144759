/** Migrates the database of the first argument, with the migrations of the second (JSON), if any. */
import type { Migration } from '../../engine/store/migrate.ts';
import { migrate } from '../../engine/store/migrate.ts';
import { openPgDatabase } from '../../engine/store/pg-database.ts';

const [url = '', json] = process.argv.slice(2);
const database = await openPgDatabase({ url, poolMax: 1 });
await migrate(database, json === undefined ? {} : { migrations: JSON.parse(json) as Migration[] });
await database.close();
