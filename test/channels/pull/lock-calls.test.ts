/** What the holder of a lock does with it, over HTTP: extend-lock, unlock, progress; and the deadline that bounds it. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { testDatabases } from '../../support/database.ts';
import { TestEngine, type Answer, type TaskAnswer } from '../../support/engine.ts';
import { call, flows, packageFiles, start } from '../../support/packages.ts';
import { query } from './parked-tasks.ts';

const MINUTE_MS = 60_000;
const orders = ['orders', 'urgent', 'strict', 'other'];

const files = packageFiles({
  channels: orders
    .map(
      (name) =>
        `  - { name: ${name}, transport: http, bind: "POST /channels/${name}", ack-mode: on-persist }`,
    )
    .concat(
      ...['work', 'urgent-work', 'other-work'].map((name) => `  - { name: ${name}, transport: pull }`),
      '  - { name: checked, transport: pull, codec: "urn:result" }',
    )
    .join('\n'),
  files: { 'schemas/result/default.json': '{"type":"object","required":["ok"]}' },
  processes: Object.fromEntries(
    [
      ['orders', 'work', ''],
      ['urgent', 'urgent-work', '<q:timeout duration="PT1M"/>'],
      ['strict', 'checked', '<q:timeout duration="PT20S"/>'],
      ['other', 'other-work', ''],
    ].map(([source = '', channel = '', inside = '']) => [
      `p-${source}`,
      `${start(source)}${call('ask', channel, inside)}<endEvent id="end"/>${flows('start -> ask', 'ask -> end')}`,
    ]),
  ),
});

type Fields = Readonly<Record<string, unknown>>;
type LockedTask = TaskAnswer & {
  readonly deadline?: string;
  readonly lockExpiresAt: string;
  readonly createdAt: string;
};

/** What each call needs beside the proof of the lock. */
const verbs: Readonly<Record<string, Fields>> = {
  'extend-lock': { lockDuration: 'PT1M' },
  unlock: {},
  progress: { progress: { done: 7 } },
};

function refused(answer: Answer, status: number, code: string, ...words: readonly string[]): void {
  const shown = JSON.stringify(answer.body);
  assert.equal(answer.status, status, shown);
  assert.equal(answer.body.code, `SUTRA.EXTERNAL_TASK.${code}`, shown);
  for (const word of words) assert.ok(answer.body.detail.includes(word), `"${word}" is not in ${shown}`);
}

for (const target of testDatabases()) {
  describe(`the calls about a lock on ${target.name}`, { timeout: 240_000 }, () => {
    let engine: TestEngine;
    before(async () => {
      engine = await TestEngine.start({ database: await target.open() });
      await engine.deploy(files);
    });
    after(() => engine.stop());

    const change = (task: TaskAnswer, assignment: string): Promise<unknown> =>
      query(engine.engine.database, `UPDATE external_task SET ${assignment} WHERE id = $1::uuid`, [task.id]);
    const held = (task: TaskAnswer): Promise<unknown> => change(task, 'held = true');
    const tell = (task: { readonly id: string }, verb: string, fields: Fields = {}): Promise<Answer> =>
      engine.post(`/sutra/external-tasks/${task.id}/${verb}`, { workerId: 'worker-1', ...fields });
    const shown = async (task: TaskAnswer): Promise<Fields> =>
      (await engine.get(`/sutra/external-tasks/${task.id}`)).body as unknown as Fields;

    async function locked(order = 'orders', channel = 'work', fetch: Fields = {}): Promise<LockedTask> {
      const { body } = await engine.post(`/channels/${order}`, {});
      const task = (await engine.fetchTask(channel, fetch)) as LockedTask;
      assert.equal(task.instanceId, body.instanceId);
      return task;
    }

    async function untilSomebodyWaits(channel: string): Promise<void> {
      for (;;) {
        const { topics } = (await engine.get('/sutra/external-tasks/topics')).body as unknown as {
          topics: readonly { readonly channel: string; readonly waitingFetches: number }[];
        };
        if (topics.some((topic) => topic.channel === channel && topic.waitingFetches > 0)) return;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }

    for (const [verb, needed] of Object.entries(verbs)) {
      describe(`${verb} is refused`, () => {
        const situations: readonly (readonly [
          string,
          number,
          string,
          Fields,
          (task: TaskAnswer) => Promise<unknown>,
        ])[] = [
          [
            'after the lock expired',
            409,
            'LOCK_LOST',
            {},
            (task) => change(task, `visible_at = now() - interval '1 second'`),
          ],
          ['after it was given back', 409, 'LOCK_LOST', {}, (task) => tell(task, 'unlock')],
          [
            'after its failure was reported',
            409,
            'LOCK_LOST',
            {},
            (task) => tell(task, 'failure', { errorMessage: 'x', retryTimeout: 'PT1H' }),
          ],
          ['to another worker', 409, 'LOCK_HELD', { workerId: 'worker-2' }, () => Promise.resolve()],
          [
            'with an older token',
            409,
            'LOCK_HELD',
            { lockToken: 'of an earlier lock' },
            () => Promise.resolve(),
          ],
          [
            'once the task is terminal',
            409,
            'TERMINAL',
            {},
            (task) => tell(task, 'failure', { errorMessage: 'x', retries: 0 }),
          ],
          [
            'once the instance is cancelled',
            409,
            'WITHDRAWN',
            {},
            (task) => engine.post(`/sutra/instances/${task.instanceId}/cancel`, { reason: 'test' }),
          ],
          [
            'once the task is discarded',
            409,
            'WITHDRAWN',
            {},
            (task) => engine.call('DELETE', `/admin/external-tasks/${task.id}`),
          ],
          [
            'once the task is completed',
            404,
            'NOT_FOUND',
            {},
            (task) => tell(task, 'complete', { result: {} }),
          ],
        ];
        for (const [title, status, code, fields, prepare] of situations) {
          it(`${title}, and nothing changes`, async () => {
            const task = await locked();
            await held(task);
            await prepare(task);
            const before = await shown(task);
            const answer = await tell(task, verb, { ...needed, ...fields });
            refused(answer, status, code, task.id);
            const { attributes } = answer.body;
            assert.equal(attributes['taskId'], task.id);
            assert.equal(attributes['cancelRequested'], code === 'WITHDRAWN' ? true : undefined);
            assert.deepEqual(await shown(task), before);
          });
        }

        it('for an id that no task has, or that is none', async () => {
          refused(await tell({ id: randomUUID() }, verb, needed), 404, 'NOT_FOUND');
          refused(await tell({ id: 'task-1' }, verb, needed), 400, 'REQUEST_INVALID', 'UUID');
        });

        const wrong: readonly (readonly [string, unknown, readonly string[]])[] = [
          ['without an object', [], ['an array']],
          ['without a workerId', { ...needed, workerId: undefined }, ['workerId', 'required']],
          ['with a blank workerId', { ...needed, workerId: ' ' }, ['workerId', 'blank']],
          ['with a workerId of 256', { ...needed, workerId: 'w'.repeat(256) }, ['256', '255']],
          ['with a lockToken that is null', { ...needed, lockToken: null }, ['lockToken', 'null']],
          ['with a lockToken that is a number', { ...needed, lockToken: 7 }, ['lockToken', 'the number 7']],
          ['with an unknown field', { ...needed, retries: 1 }, ['retries', 'unknown']],
        ];
        for (const [title, body, words] of wrong) {
          it(title, async () => {
            const sent = Array.isArray(body) ? body : { workerId: 'worker-1', ...(body as Fields) };
            const answer = await engine.post(`/sutra/external-tasks/${randomUUID()}/${verb}`, sent);
            refused(answer, 400, 'REQUEST_INVALID', ...words);
          });
        }
      });
    }

    for (const [title, verb, fields, words] of [
      ['without a lockDuration', 'extend-lock', {}, ['lockDuration', 'required']],
      [
        'over the ceiling',
        'extend-lock',
        { lockDuration: 'PT1H0.001S' },
        ['PT1H0.001S', 'max-lock-duration', 'PT1H'],
      ],
      ['for no time', 'extend-lock', { lockDuration: 'PT0S' }, ['PT0S']],
      ['with a number', 'extend-lock', { lockDuration: 30 }, ['lockDuration', 'the number 30']],
      ['with 30s', 'extend-lock', { lockDuration: '30s' }, ['30s']],
      ['without a note', 'progress', {}, ['progress', 'required']],
      ['with a note of 4,097 bytes', 'progress', { progress: 'ü'.repeat(2_047) + 'x' }, ['4097', '4096']],
    ] as const) {
      it(`${verb} is refused ${title}, and the lock stays as it was`, async () => {
        const task = await locked();
        refused(await tell(task, verb, fields), 400, 'REQUEST_INVALID', ...words);
        const after = await shown(task);
        assert.equal(after['lockExpiresAt'], task.lockExpiresAt);
        assert.equal(after['progressAt'], null);
      });
    }

    it('every call of a withdrawn task says that its cancellation is asked for', async () => {
      const task = await locked();
      await engine.post(`/sutra/instances/${task.instanceId}/cancel`, { reason: 'test' });
      const { lockToken } = task;
      const calls: Readonly<Record<string, Fields>> = {
        ...verbs,
        complete: { result: 1 },
        failure: { errorMessage: 'x' },
        'bpmn-error': { errorCode: 'X' },
      };
      for (const [verb, fields] of Object.entries(calls)) {
        const answer = await tell(task, verb, { ...fields, lockToken });
        refused(answer, 409, 'WITHDRAWN');
        assert.equal(answer.body.attributes['cancelRequested'], true, verb);
      }
    });

    it('an extension lasts from now, under the same token and generation, and can shorten the lock', async () => {
      const task = await locked('orders', 'work', { lockDuration: 'PT10M' });
      const { lockToken } = task;
      const longer = await tell(task, 'extend-lock', { lockToken, lockDuration: 'PT1H' });
      assert.equal(longer.status, 200);
      const { taskId, channel, instanceId, lockExpiresAt, ...rest } = longer.body as unknown as Fields;
      assert.deepEqual(
        [taskId, channel, instanceId, rest],
        [task.id, 'work', task.instanceId, {}],
        'the answer names the task and says until when',
      );
      const gained = Date.parse(String(lockExpiresAt)) - Date.parse(task.lockExpiresAt);
      assert.ok(gained >= 50 * MINUTE_MS, `${gained} ms more`);
      assert.equal((await shown(task))['lockExpiresAt'], lockExpiresAt);
      const shorter = await tell(task, 'extend-lock', { lockDuration: 'PT2M' });
      const left = (shorter.body as unknown as { lockExpiresAt: string }).lockExpiresAt;
      assert.ok(Date.parse(left) < Date.parse(task.lockExpiresAt), 'two minutes are less than ten');
      const now = await shown(task);
      assert.deepEqual([now['attempts'], now['retries']], [1, 3]);
      assert.equal((await tell(task, 'complete', { lockToken, result: {} })).status, 200);
    });

    it('a lock that is extended in time never runs out, and one that was shortened does', async () => {
      const task = await locked('orders', 'work', { lockDuration: 'PT1H' });
      const next = engine.fetchTask('work', { workerId: 'worker-2' });
      assert.equal((await tell(task, 'extend-lock', { lockDuration: 'PT0.05S' })).status, 200);
      const again = await next;
      assert.deepEqual([again.id, again.attempts], [task.id, 2]);
      refused(await tell(task, 'extend-lock', { lockDuration: 'PT1M' }), 409, 'LOCK_HELD');
      await tell(again, 'complete', { workerId: 'worker-2', result: {} });
    });

    it('unlock gives the task to a fetch that waits, at its place in the queue, and spends nothing', async () => {
      const first = await locked('other', 'other-work');
      const { body: second } = await engine.post('/channels/other', {});
      const answer = await tell(first, 'unlock', { lockToken: first.lockToken });
      assert.deepEqual(answer.body, {
        taskId: first.id,
        channel: 'other-work',
        instanceId: first.instanceId,
        status: 'PENDING',
      });
      const again = (await engine.fetchTask('other-work')) as LockedTask & { readonly retries: number };
      assert.deepEqual([again.id, again.attempts, again.retries], [first.id, 2, 3], 'before the younger one');
      const other = await engine.fetchTask('other-work');
      assert.equal(other.instanceId, second.instanceId);
      const waiting = engine.fetchTask('other-work', { workerId: 'worker-2' });
      await untilSomebodyWaits('other-work');
      await tell(again, 'unlock');
      assert.equal((await waiting).id, first.id);
      refused(await tell(again, 'complete', { lockToken: again.lockToken, result: {} }), 409, 'LOCK_HELD');
      await tell(first, 'complete', { workerId: 'worker-2', result: {} });
      await tell(other, 'complete', { result: {} });
    });

    it('an unlocked task does not count towards the locks that run out', async () => {
      const task = await locked();
      await change(task, 'lost_locks = 2');
      await tell(task, 'unlock');
      const rows = await query<{ lost: number; retries: number }>(
        engine.engine.database,
        'SELECT lost_locks AS lost, retries FROM external_task WHERE id = $1::uuid',
        [task.id],
      );
      assert.deepEqual(rows, [{ lost: 0, retries: 3 }]);
      const again = await engine.fetchTask('work');
      await tell(again, 'complete', { result: {} });
    });

    it('progress is shown to operators, exactly, and is gone with the next lock', async () => {
      const task = await locked();
      assert.deepEqual((await shown(task))['progressAt'], null);
      const notes = [{ done: 7, of: [1, null, 'ü'] }, null, 'half', 0.1, 'x'.repeat(4_094)];
      for (const progress of notes) {
        const answer = await tell(task, 'progress', { lockToken: task.lockToken, progress });
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
        const { lockExpiresAt } = answer.body as unknown as LockedTask;
        assert.equal(lockExpiresAt, task.lockExpiresAt, 'the lock stays as long as it was');
        const now = await shown(task);
        assert.deepEqual(now['progress'], progress);
        assert.ok(Number.isFinite(Date.parse(String(now['progressAt']))));
      }
      const exact = await engine.post(
        `/sutra/external-tasks/${task.id}/progress`,
        '{"workerId":"worker-1","progress":12345678901234567890.5}',
        { 'content-type': 'application/json' },
      );
      assert.equal(exact.status, 200);
      const raw = await fetch(`${engine.url}/sutra/external-tasks/${task.id}`);
      assert.match(await raw.text(), /"progress":12345678901234567890\.5/);
      const list = await engine.get(`/sutra/external-tasks?instanceId=${task.instanceId}`);
      const instance = (await engine.instance(task.instanceId)) as unknown as {
        readonly openTasks: readonly Fields[];
      };
      for (const seen of [...(list.body.tasks as unknown as readonly Fields[]), ...instance.openTasks]) {
        assert.equal(typeof seen['progress'], 'number');
      }
      await tell(task, 'unlock');
      assert.notEqual((await shown(task))['progressAt'], null, 'until the next attempt begins');
      const again = await engine.fetchTask('work');
      assert.equal(again.id, task.id);
      const after = await shown(task);
      assert.deepEqual([after['progress'], after['progressAt']], [null, null]);
      await tell(again, 'complete', { result: {} });
    });

    describe('a deadline', () => {
      it('is told to the worker, and bounds the lock of a claim', async () => {
        const { body } = await engine.post('/channels/urgent', {});
        // Not born locked: nobody waited for it.
        const task = (await engine.fetchTask('urgent-work', { lockDuration: 'PT1H' })) as LockedTask;
        assert.equal(task.instanceId, body.instanceId);
        assert.ok(task.deadline !== undefined);
        assert.equal(task.lockExpiresAt, task.deadline);
        const left = Date.parse(task.deadline) - Date.parse(task.createdAt);
        assert.ok(left > 0 && left <= MINUTE_MS, `${left} ms`);
        await tell(task, 'complete', { result: {} });
      });

      it('bounds the lock of a task that is born locked', async () => {
        const waiting = engine.fetchTask('urgent-work', { lockDuration: 'PT1H' });
        await untilSomebodyWaits('urgent-work');
        await engine.post('/channels/urgent', {});
        const task = (await waiting) as LockedTask;
        assert.equal(task.lockExpiresAt, task.deadline);
        assert.equal((await shown(task))['deadline'], task.deadline);
        await tell(task, 'complete', { result: {} });
      });

      it('bounds an extension, which is not refused for that', async () => {
        const task = await locked('urgent', 'urgent-work', { lockDuration: 'PT5S' });
        assert.ok(Date.parse(task.lockExpiresAt) < Date.parse(task.deadline ?? ''));
        const answer = await tell(task, 'extend-lock', { lockDuration: 'PT1H' });
        assert.equal((answer.body as unknown as LockedTask).lockExpiresAt, task.deadline);
        const shorter = await tell(task, 'extend-lock', { lockDuration: 'PT5S' });
        assert.ok(
          Date.parse((shorter.body as unknown as LockedTask).lockExpiresAt) < Date.parse(task.deadline ?? ''),
        );
        await tell(task, 'complete', { result: {} });
      });

      it('bounds the grace after a refused completion', async () => {
        const task = await locked('strict', 'checked', { lockDuration: 'PT1S' });
        // The default lock of 30 s is the grace, and longer than the 20 s of the call.
        refused(await tell(task, 'complete', { result: { no: 1 } }), 422, 'COMPLETION_REJECTED');
        assert.equal((await shown(task))['lockExpiresAt'], task.deadline);
        assert.equal((await tell(task, 'complete', { result: { ok: 1 } })).status, 200);
      });

      it('lets no attempt begin once it has passed', async () => {
        const task = await locked('urgent', 'urgent-work');
        await change(task, `deadline = now() - interval '1 millisecond'`);
        await tell(task, 'unlock');
        assert.deepEqual(await engine.fetchTasks('urgent-work', { asyncResponseTimeout: 'PT0S' }), []);
        await engine.post(`/sutra/instances/${task.instanceId}/cancel`, { reason: 'test' });
      });

      it('is absent from a task without one', async () => {
        const task = await locked();
        assert.ok(!Object.hasOwn(task, 'deadline'));
        await tell(task, 'complete', { result: {} });
      });
    });
  });
}
