/** Doorbells of two replicas on one PostgreSQL database. */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { after, before, describe, test } from 'node:test';
import { Doorbell } from '../../../channels/pull/doorbell.ts';
import { silentLog } from '../../../engine/observe.ts';
import type { Database } from '../../../engine/store/database.ts';
import { postgresqlOnly } from '../../support/database.ts';

for (const target of postgresqlOnly()) {
  describe('the doorbell of parked tasks', { timeout: 30_000 }, () => {
    let database: Database;
    before(async () => {
      database = await target.open();
    });
    after(() => database.close());

    async function withBells(
      heard: (counts: ReadonlyMap<string, number>) => void,
      use: (here: Doorbell) => Promise<void>,
    ): Promise<void> {
      const bell = (replicaId: string, hear: typeof heard): Doorbell =>
        new Doorbell({ database, replicaId, heard: hear, log: silentLog });
      const here = bell('here', () => assert.fail('a replica hears itself (B3)'));
      const there = bell('there', heard);
      await Promise.all([here.start(), there.start()]);
      try {
        await use(here);
      } finally {
        await Promise.all([here.stop(), there.stop()]);
      }
    }

    const until = async (isTrue: () => boolean): Promise<void> => {
      while (!isTrue()) await pause(5);
    };

    test('rings that follow each other are added up into fewer and fewer notifications (B1)', async () => {
      const heard: number[] = [];
      let total = 0;
      await withBells(
        (counts) => {
          heard.push(counts.get('score') ?? 0);
          total += counts.get('score') ?? 0;
        },
        async (here) => {
          for (let ring = 0; ring < 100; ring += 1) {
            here.ring('score', 1);
            await pause(1);
          }
          await until(() => total === 100);
        },
      );
      assert.equal(heard[0], 1, 'the first leaves at once');
      assert.ok(Math.max(...heard) > 10, `later ones carry more: ${heard.join(' ')}`);
    });

    test('each of two rings with a pause between leaves at once', async () => {
      const heard: number[] = [];
      await withBells(
        (counts) => heard.push(counts.get('score') ?? 0),
        async (here) => {
          for (const count of [3, 4]) {
            here.ring('score', count);
            await until(() => heard.at(-1) === count);
            await pause(50);
          }
        },
      );
      assert.deepEqual(heard, [3, 4]);
    });
  });
}
