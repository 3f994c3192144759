/** Fetches that ask something of single channels, and what the channels have to do. Over HTTP. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { testDatabases } from '../../support/database.ts';
import { TestEngine, type Answer } from '../../support/engine.ts';
import { call, flows, packageFiles, start } from '../../support/packages.ts';
import { clearTasks, counted, query, seedTasks, type CountedDatabase } from './parked-tasks.ts';

const channels = ['a', 'b', 'c'];

const files = packageFiles({
  channels: channels
    .map(
      (
        name,
      ) => `  - { name: to-${name}, transport: http, bind: "POST /channels/${name}", ack-mode: on-persist }
  - { name: ${name}, transport: pull }`,
    )
    .join('\n'),
  processes: Object.fromEntries(
    channels.map((name) => [
      `p-${name}`,
      `${start(`to-${name}`)}${call('ask', name)}<endEvent id="end"/>${flows('start -> ask', 'ask -> end')}`,
    ]),
  ),
});

interface Task {
  readonly id: string;
  readonly channel: string;
  readonly lockExpiresAt: string;
}

type Fields = Readonly<Record<string, unknown>>;

for (const target of testDatabases()) {
  describe(`channel entries on ${target.name}`, { timeout: 240_000 }, () => {
    let engine: TestEngine;
    let view: CountedDatabase;
    let deploymentId: string;
    before(async () => {
      view = counted(await target.open());
      engine = await TestEngine.start({ database: view.database });
      deploymentId = await engine.deploy(files);
    });
    after(() => engine.stop());
    afterEach(() => clearTasks(view.database));

    const send = (fields: Fields): Promise<Answer> =>
      engine.post('/sutra/external-tasks/fetch-and-lock', {
        workerId: 'w',
        asyncResponseTimeout: 'PT0S',
        ...fields,
      });
    const fetch = async (fields: Fields): Promise<readonly Task[]> => {
      const answer = await send(fields);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body.tasks as unknown as readonly Task[];
    };
    const seed = (channel: string, count: number, more: Fields = {}): Promise<string[]> =>
      seedTasks(view.database, { channel, count, deploymentId, ...more });
    const countsOf = (tasks: readonly Task[]): Record<string, number> =>
      Object.fromEntries(
        channels
          .map((name): [string, number] => [name, tasks.filter(({ channel }) => channel === name).length])
          .filter(([, count]) => count > 0),
      );
    const lockSeconds = async (): Promise<Record<string, number[]>> => {
      const rows = await query<{ channel: string; seconds: number }>(
        view.database,
        `SELECT DISTINCT channel, round(EXTRACT(EPOCH FROM visible_at - locked_at))::integer AS seconds
         FROM external_task WHERE lock_owner IS NOT NULL ORDER BY channel, seconds`,
      );
      const byChannel: Record<string, number[]> = {};
      for (const { channel, seconds } of rows) (byChannel[channel] ??= []).push(seconds);
      return byChannel;
    };

    const refused: readonly (readonly [string, readonly unknown[], readonly string[]])[] = [
      ['without a name', [{ maxTasks: 1 }], ['channels[0].name', 'required']],
      ['with a blank name', ['a', { name: ' ' }], ['channels[1].name', 'blank']],
      ['with a name of 256', [{ name: 'c'.repeat(256) }], ['channels[0].name', '256', '255']],
      ['with a name that is a number', [{ name: 7 }], ['channels[0].name', 'the number 7']],
      ['with an unknown field', [{ name: 'a', retries: 1 }], ['channels[0].retries', 'unknown']],
      ['with maxTasks 0', [{ name: 'a', maxTasks: 0 }], ['channels[0].maxTasks', '0', '1']],
      [
        'over the ceiling of maxTasks',
        ['b', { name: 'a', maxTasks: 101 }],
        ['channels[1].maxTasks', '101', 'sutra.external-task.max-tasks', '100'],
      ],
      ['with maxTasks as a string', [{ name: 'a', maxTasks: '1' }], ['channels[0].maxTasks', 'a string']],
      [
        'over the ceiling of lockDuration',
        [{ name: 'a', lockDuration: 'PT1H0.001S' }],
        ['channels[0].lockDuration', 'PT1H0.001S', 'max-lock-duration', 'PT1H'],
      ],
      ['with lockDuration PT0S', [{ name: 'a', lockDuration: 'PT0S' }], ['channels[0].lockDuration', 'PT0S']],
      ['with lockDuration 5m', [{ name: 'a', lockDuration: '5m' }], ['channels[0].lockDuration', '5m']],
      ['with lockDuration null', [{ name: 'a', lockDuration: null }], ['channels[0].lockDuration', 'null']],
      ['that is a list', [['a']], ['channels[0]', 'an array', 'a string or an object']],
      ['that is null', ['a', null], ['channels[1]', 'null']],
      ['with a name that came before', [{ name: 'a' }, { name: 'a' }], ['channels[1]', '"a"']],
      ['with a name that came as a string', ['a', { name: 'a' }], ['channels[1]', '"a"']],
      ['with a name that comes as a string again', [{ name: 'a' }, 'a'], ['channels[1]', '"a"']],
    ];
    for (const [title, entries, words] of refused) {
      it(`an entry is refused ${title}`, async () => {
        const answer = await send({ channels: entries });
        const text = JSON.stringify(answer.body);
        assert.equal(answer.status, 400, text);
        assert.equal(answer.body.code, 'SUTRA.EXTERNAL_TASK.REQUEST_INVALID');
        for (const word of words) assert.ok(answer.body.detail.includes(word), `${word} is not in ${text}`);
      });
    }

    it('an entry is taken at its ceilings, and a plain name twice is one channel', async () => {
      const ids = await seed('a', 1);
      assert.deepEqual(
        (await fetch({ channels: [{ name: 'a', lockDuration: 'PT1H', maxTasks: 100 }, 'b', 'b'] })).map(
          ({ id }) => id,
        ),
        ids,
      );
    });

    const bounds: readonly (readonly [string, Fields, Readonly<Record<string, number>>])[] = [
      ['of one channel', { channels: [{ name: 'a', maxTasks: 2 }] }, { a: 2 }],
      ['of one among others', { channels: [{ name: 'a', maxTasks: 2 }, 'b'] }, { a: 2, b: 5 }],
      [
        'of each',
        {
          channels: [
            { name: 'a', maxTasks: 2 },
            { name: 'b', maxTasks: 1 },
            { name: 'c', maxTasks: 4 },
          ],
        },
        { a: 2, b: 1, c: 4 },
      ],
      ['below that of all', { channels: [{ name: 'a', maxTasks: 4 }], maxTasks: 3 }, { a: 3 }],
    ];
    for (const [title, fields, expected] of bounds) {
      it(`the bound ${title} holds in a claim`, async () => {
        for (const name of channels) await seed(name, 5);
        assert.deepEqual(countsOf(await fetch(fields)), expected);
      });
    }

    it('the bound of all holds over the channels, and an empty channel takes nobody’s place', async () => {
      await seed('b', 5);
      const entries = channels.map((name) => ({ name, maxTasks: 3 }));
      assert.deepEqual(countsOf(await fetch({ channels: entries, maxTasks: 2 })), { b: 2 });
      await seed('a', 5);
      await seed('c', 5, { priority: 9 });
      assert.deepEqual(countsOf(await fetch({ channels: entries, maxTasks: 4 })), { b: 1, c: 3 });
    });

    it('each channel has its own lock duration, else that of the request, else the default', async () => {
      for (const name of channels) await seed(name, 2);
      await fetch({ channels: [{ name: 'a', lockDuration: 'PT10M' }, { name: 'b' }], lockDuration: 'PT2M' });
      await fetch({ channels: ['c'] });
      assert.deepEqual(await lockSeconds(), { a: [600], b: [120], c: [30] });
    });

    it('of two fetches with bounds that are claimed for together, each has its own', async () => {
      await seed('a', 9);
      await seed('b', 9);
      const wish = (maxTasks: number): Promise<readonly Task[]> =>
        fetch({ channels: [{ name: 'a', maxTasks }, 'b'], maxTasks: 5, asyncResponseTimeout: 'PT5S' });
      const answers = await Promise.all([wish(1), wish(2), wish(3)]);
      for (const [index, tasks] of answers.entries()) {
        assert.ok(tasks.length > 0 && tasks.length <= 5);
        assert.ok((countsOf(tasks)['a'] ?? 0) <= index + 1, JSON.stringify(countsOf(tasks)));
      }
      const ids = answers.flat().map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length, 'no task went to two');
    });

    it('the bound and the duration hold for tasks that are born locked', async () => {
      const hasLooked = view.next('fetch_and_lock_by_channel');
      const waiting = fetch({
        channels: [{ name: 'a', maxTasks: 1, lockDuration: 'PT10M' }, 'b'],
        asyncResponseTimeout: 'PT20S',
      });
      await hasLooked;
      const before = view.counts.get('fetch_and_lock_by_channel');
      await Promise.all([1, 2, 3].map(() => engine.post('/channels/a', {})));
      assert.deepEqual(countsOf(await waiting), { a: 1 });
      assert.deepEqual((await lockSeconds())['a'], [600]);
      assert.equal(view.counts.get('fetch_and_lock_by_channel'), before, 'nobody had to claim it');
    });

    const statements: readonly (readonly [string, readonly unknown[], Fields, string])[] = [
      ['of names alone', ['a', 'b'], {}, 'fetch_and_lock'],
      ['of objects that ask for nothing', [{ name: 'a' }, 'b'], {}, 'fetch_and_lock'],
      [
        'of one channel, whatever it asks',
        [{ name: 'a', maxTasks: 2, lockDuration: 'PT5M' }],
        {},
        'fetch_and_lock',
      ],
      [
        'whose channels all ask for the same',
        [
          { name: 'a', lockDuration: 'PT5M' },
          { name: 'b', lockDuration: 'PT5M' },
        ],
        {},
        'fetch_and_lock',
      ],
      ['with bounds above that of all', [{ name: 'a', maxTasks: 9 }, 'b'], { maxTasks: 5 }, 'fetch_and_lock'],
      ['with a bound', [{ name: 'a', maxTasks: 2 }, 'b'], {}, 'fetch_and_lock_by_channel'],
      ['with a duration', [{ name: 'a', lockDuration: 'PT5M' }, 'b'], {}, 'fetch_and_lock_by_channel'],
    ];
    for (const [title, entries, more, name] of statements) {
      it(`a fetch ${title} is claimed for by ${name}`, async () => {
        await seed('a', 1);
        const before = new Map(view.counts);
        assert.equal((await fetch({ channels: entries, ...more })).length, 1);
        for (const statement of ['fetch_and_lock', 'fetch_and_lock_by_channel']) {
          const ran = (view.counts.get(statement) ?? 0) - (before.get(statement) ?? 0);
          assert.equal(ran, statement === name ? 1 : 0, statement);
        }
      });
    }

    describe('the topics', () => {
      const topics = async (): Promise<readonly Fields[]> =>
        ((await engine.get('/sutra/external-tasks/topics')).body as unknown as { topics: readonly Fields[] })
          .topics;

      it('name every channel of a live deployment, in order, with nothing to do', async () => {
        const nothing = { open: 0, locked: 0, delayed: 0, terminal: 0, waitingFetches: 0 };
        assert.deepEqual(
          await topics(),
          channels.map((channel) => ({ channel, ...nothing, oldestAgeSeconds: null })),
        );
      });

      it('count what is open, locked, delayed and terminal, over priorities', async () => {
        await seed('a', 3, { priority: 5 });
        await seed('a', 4, { visibleInMs: -90_000 });
        await seed('a', 2, { visibleInMs: 60_000 });
        await seed('a', 7, { isHeld: true });
        await seed('a', 1, { deadlineInMs: -1_000 });
        await seed('b', 5);
        await fetch({ channels: ['b'], maxTasks: 3 });
        await query(
          view.database,
          `UPDATE external_task SET state = 'failed', failed_at = now() WHERE id = (SELECT min(id::text)::uuid FROM external_task WHERE channel = 'b' AND lock_owner IS NULL)`,
        );
        await seedTasks(view.database, { channel: 'gone', deploymentId: 'dep-gone', count: 2 });
        await query(
          view.database,
          `UPDATE external_task SET state = 'failed', failed_at = now() WHERE channel = 'gone'`,
        );
        const [a, b, c, gone] = await topics();
        const { oldestAgeSeconds, ...rest } = a ?? {};
        assert.deepEqual(rest, {
          channel: 'a',
          open: 7,
          locked: 0,
          delayed: 2,
          terminal: 0,
          waitingFetches: 0,
        });
        assert.ok(Number(oldestAgeSeconds) >= 90 && Number(oldestAgeSeconds) < 600, String(oldestAgeSeconds));
        assert.deepEqual(
          [b, c, gone].map((topic) => [
            topic?.['channel'],
            topic?.['open'],
            topic?.['locked'],
            topic?.['terminal'],
          ]),
          [
            ['b', 1, 3, 1],
            ['c', 0, 0, 0],
            ['gone', 0, 0, 2],
          ],
        );
      });

      it('count the same where every task has a priority of its own', async () => {
        await query(
          view.database,
          `INSERT INTO external_task (id, deployment_id, tenant, module, version, process_id, channel, instance_id, element_id,
             idempotency_key, expects_answer, task_type, retries, policy, headers, content_type, body, priority, visible_at)
           SELECT gen_random_uuid(), $1, 't', 'm', '1', 'p', 'c', gen_random_uuid(), 'e', i::text, true, 'c', 3, '{}', '{}', 'text/plain',
             '', i, now() + CASE WHEN i % 4 = 0 THEN 60 ELSE -60 END * interval '1 second'
           FROM generate_series(1, 100) AS i`,
          [deploymentId],
        );
        const c = (await topics()).find(({ channel }) => channel === 'c');
        assert.deepEqual([c?.['open'], c?.['delayed']], [75, 25]);
      });

      it('end their counts at 10,000', async () => {
        await seed('c', 10_003);
        await seed('c', 10_002, { visibleInMs: 60_000 });
        const c = (await topics()).find(({ channel }) => channel === 'c');
        assert.deepEqual([c?.['open'], c?.['delayed'], c?.['terminal']], [10_000, 10_000, 0]);
      });
    });
  });
}
