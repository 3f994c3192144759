import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, describe, test } from 'node:test';
import { hashToken } from '../../../channels/pull/claim-plan.ts';
import { pullCodes } from '../../../channels/pull/codes.ts';
import { createPullTransport } from '../../../channels/pull/pull-transport.ts';
import type { PullTransport } from '../../../channels/pull/pull-transport.ts';
import { EngineError } from '../../../config/engine-error.ts';
import { silentLog, silentMeter } from '../../../engine/observe.ts';
import type { Database } from '../../../engine/store/database.ts';
import type { TaskCompleted, TaskCompletion } from '../../../engine/transport.ts';
import { testDatabases } from '../../support/database.ts';
import { clearTasks, query, seedOutbox, seedTasks } from './parked-tasks.ts';

const MINUTE_MS = 60_000;
const limits = {
  defaultLockDurationMs: 30_000,
  maxAttempts: null,
  maxLockDurationMs: 60 * MINUTE_MS,
  maxAsyncResponseTimeoutMs: 30_000,
  maxTasks: 100,
  retries: 3,
  maxRetries: 1_000,
  retryTimeoutMs: 10_000,
  maxRetryTimeoutMs: 24 * 60 * MINUTE_MS,
};
const never = new AbortController().signal;

interface TaskView extends Record<string, unknown> {
  readonly id: string;
  readonly lockToken: string;
}

function refusedAs(code: string, ...words: readonly string[]): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof EngineError, String(error));
    assert.equal(error.code, `SUTRA.EXTERNAL_TASK.${code}`, error.message);
    assert.ok(Object.hasOwn(pullCodes, error.code));
    for (const word of words)
      assert.ok(error.message.includes(word), `"${word}" is not in "${error.message}"`);
    return true;
  };
}

for (const target of testDatabases()) {
  describe(`pull operations on ${target.name}`, { timeout: 120_000 }, () => {
    let database: Database;
    let pull: PullTransport;
    const completions: TaskCompletion[] = [];
    const completeTask = (completion: TaskCompletion): Promise<TaskCompleted> => {
      completions.push(completion);
      return Promise.resolve({
        taskId: completion.taskId,
        channel: 'score',
        instanceId: 'i',
        outcome: 'ACCEPTED',
      });
    };

    before(async () => {
      database = await target.open();
      pull = createPullTransport({
        database,
        settings: { externalTask: limits },
        // The intake's side of the port: here it only keeps what it was asked.
        completions: {
          completeTask,
          completeTasks: (many) => Promise.allSettled(many.map(completeTask)),
          raiseBpmnError: () => Promise.reject(new Error('is not asked here')),
        },
        writeJson: JSON.stringify,
        meter: silentMeter,
        log: silentLog,
        replicaId: 'here',
      });
      pull.transport.bind([
        {
          deploymentId: 'dep-1',
          tenant: 'acme',
          module: 'scoring',
          version: '1.0.0',
          name: 'score',
          direction: 'both',
          bind: 'pull://acme/scoring/1.0.0/score',
          ackMode: 'on-persist',
          payloadCapBytes: null,
          auth: null,
        },
      ]);
    });
    after(async () => {
      await pull.desk.stop();
      await database.close();
    });
    afterEach(async () => {
      completions.length = 0;
      await clearTasks(database);
    });

    const request = { workerId: 'w', channels: ['score'], asyncResponseTimeout: 'PT0S' };
    async function fetch(changes: Record<string, unknown> = {}): Promise<readonly TaskView[]> {
      const { answer } = await pull.operations.fetchAndLock({ ...request, ...changes }, never);
      return (JSON.parse(answer.toString('utf8')) as { tasks: TaskView[] }).tasks;
    }

    async function lockedTask(seed = {}): Promise<TaskView> {
      await seedTasks(database, seed);
      const [task] = await fetch({ maxTasks: 1 });
      assert.ok(task);
      return task;
    }

    test('a parked delivery is fetched with everything the protocol names, and nothing else', async () => {
      const { sink } = pull.transport;
      assert.equal(sink?.kind, 'transactional');
      const [id] = await seedOutbox(database, {
        headers: { 'sutra-park-instance': 'x', trace: 'a' },
        idempotencyKey: 'key',
      });
      if (sink?.kind === 'transactional') sink.moved(await sink.move(database, 10));
      const [task] = await fetch({ lockDuration: 'PT1M' });
      assert.ok(task);
      const { instanceId, lockToken, lockExpiresAt, createdAt, ...rest } = task;
      assert.deepEqual(rest, {
        id,
        channel: 'score',
        tenant: 'acme',
        module: 'scoring',
        version: '1.0.0',
        deploymentId: 'dep-1',
        processId: 'order',
        elementId: 'score',
        idempotencyKey: 'key',
        headers: { trace: 'a' },
        contentType: 'application/json',
        attempts: 1,
        retries: 3,
        priority: 0,
        body: { n: 1 },
      });
      assert.match(String(instanceId), /^[0-9a-f-]{36}$/);
      assert.match(String(createdAt), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      const lockMs = Date.parse(String(lockExpiresAt)) - Date.parse(String(createdAt));
      assert.ok(lockMs >= MINUTE_MS && lockMs < 2 * MINUTE_MS);
      const stored = await query<{ hash: Buffer }>(
        database,
        'SELECT lock_token_hash AS hash FROM external_task',
      );
      assert.deepEqual(stored[0]?.hash, hashToken(lockToken));
    });

    describe('a fetch is refused', () => {
      const table: readonly (readonly [string, unknown, readonly string[]])[] = [
        ['without an object', [], ['an array']],
        ['with null for a body', null, ['null']],
        ['without a workerId', { channels: ['score'] }, ['workerId', 'required']],
        ['with a blank workerId', { ...request, workerId: ' \t' }, ['workerId', 'blank']],
        ['with a workerId of 256', { ...request, workerId: 'w'.repeat(256) }, ['workerId', '256', '255']],
        [
          'with a workerId that is a number',
          { ...request, workerId: 7 },
          ['workerId', 'the number 7', 'a string'],
        ],
        ['with a NUL in workerId', { ...request, workerId: 'a\u0000b' }, ['workerId', 'NUL']],
        [
          'with half a surrogate pair in workerId',
          { ...request, workerId: 'a\ud800' },
          ['workerId', 'surrogate'],
        ],
        ['with an unknown field', { ...request, maxTask: 1 }, ['maxTask', 'maxTasks']],
        [
          'with a __proto__ field',
          JSON.parse('{"workerId":"w","channels":["score"],"__proto__":{"maxTasks":1}}'),
          ['__proto__'],
        ],
        ['without channels', { workerId: 'w' }, ['channels', 'required']],
        ['with no channel', { ...request, channels: [] }, ['channels', '0']],
        [
          'with 101 channels',
          { ...request, channels: Array.from({ length: 101 }, (_, i) => `c${i}`) },
          ['channels', '101', '100'],
        ],
        ['with channels as a string', { ...request, channels: 'score' }, ['channels', 'an array']],
        ['with a blank channel', { ...request, channels: ['a', ''] }, ['channels[1]', 'blank']],
        ['with a channel that is null', { ...request, channels: [null] }, ['channels[0]', 'null']],
        ['with a channel of 300', { ...request, channels: ['c'.repeat(300)] }, ['channels[0]', '300', '255']],
        ['with maxTasks 0', { ...request, maxTasks: 0 }, ['maxTasks', '0', '1']],
        [
          'with maxTasks over its ceiling',
          { ...request, maxTasks: 101 },
          ['maxTasks', '101', 'sutra.external-task.max-tasks', '100'],
        ],
        ['with maxTasks 1.5', { ...request, maxTasks: 1.5 }, ['maxTasks', '1.5']],
        ['with maxTasks as a string', { ...request, maxTasks: '5' }, ['maxTasks', 'a string']],
        ['with maxTasks null', { ...request, maxTasks: null }, ['maxTasks', 'null']],
        [
          'with lockDuration over its ceiling',
          { ...request, lockDuration: 'PT1H0.001S' },
          ['lockDuration', 'PT1H0.001S', 'PT1H', 'max-lock-duration'],
        ],
        ['with lockDuration zero', { ...request, lockDuration: 'PT0S' }, ['lockDuration', 'PT0S']],
        [
          'with lockDuration as a number',
          { ...request, lockDuration: 30 },
          ['lockDuration', 'the number 30'],
        ],
        ['with lockDuration 30s', { ...request, lockDuration: '30s' }, ['lockDuration', '30s']],
        ['with lockDuration P1M', { ...request, lockDuration: 'P1M' }, ['lockDuration', 'P1M']],
        [
          'with a wait over its ceiling',
          { ...request, asyncResponseTimeout: 'PT30.001S' },
          ['asyncResponseTimeout', 'PT30S'],
        ],
      ];
      for (const [title, body, words] of table) {
        test(title, async () => {
          await assert.rejects(
            pull.operations.fetchAndLock(body, never),
            refusedAs('REQUEST_INVALID', ...words),
          );
        });
      }
    });

    test('a fetch is taken at every ceiling', async () => {
      await seedTasks(database);
      const tasks = await fetch({
        workerId: ` ${'w'.repeat(255)} `,
        channels: [
          'score',
          ...Array.from({ length: 99 }, (_, index) => `${'c'.repeat(253)}${(index % 90) + 10}`),
        ],
        maxTasks: 100,
        lockDuration: 'PT1H',
      });
      assert.equal(tasks.length, 1);
      const rows = await query<{ owner: string }>(database, 'SELECT lock_owner AS owner FROM external_task');
      assert.equal(rows[0]?.owner, 'w'.repeat(255));
    });

    test('an answer that could not be written gives the locks back', async () => {
      await seedTasks(database);
      const answer = await pull.operations.fetchAndLock(request, never);
      assert.equal(answer.tasks.length, 1);
      await answer.undelivered();
      assert.equal((await fetch())[0]?.['attempts'], 2);
    });

    describe('a completion', () => {
      const id = randomUUID();
      const proof = { workerId: ' w ', lockToken: 't', completionId: 'c' };
      const table: readonly (readonly [
        string,
        object,
        { contentType: string; body: string | Buffer } | null,
      ])[] = [
        ['without a result delivers the original again', {}, null],
        [
          'takes an object',
          { result: { a: [1.5, 'ü'] } },
          { contentType: 'application/json', body: '{"a":[1.5,"ü"]}' },
        ],
        ['takes null as a value', { result: null }, { contentType: 'application/json', body: 'null' }],
        ['takes false as a value', { result: false }, { contentType: 'application/json', body: 'false' }],
        [
          'keeps a JSON content type',
          { result: 1, contentType: 'application/problem+json' },
          { contentType: 'application/problem+json', body: '1' },
        ],
        [
          'writes a string as text',
          { result: 'a,b', contentType: 'text/csv; charset=utf-8' },
          { contentType: 'text/csv; charset=utf-8', body: 'a,b' },
        ],
        [
          'takes base64',
          { resultBase64: '/wA=' },
          { contentType: 'application/octet-stream', body: Buffer.from([255, 0]) },
        ],
        [
          'takes empty base64',
          { resultBase64: '', contentType: 'application/pdf' },
          { contentType: 'application/pdf', body: '' },
        ],
      ];
      for (const [title, fields, result] of table) {
        test(title, async () => {
          const answer = await pull.operations.complete(id.toUpperCase(), { ...proof, ...fields });
          assert.deepEqual(answer, {
            taskId: id,
            channel: 'score',
            instanceId: 'i',
            status: 'COMPLETED',
            outcome: 'ACCEPTED',
          });
          assert.deepEqual(completions, [
            {
              taskId: id,
              workerId: 'w',
              lockToken: 't',
              completionId: 'c',
              result:
                result === null ? null : { contentType: result.contentType, body: Buffer.from(result.body) },
            },
          ]);
        });
      }

      const refused: readonly (readonly [string, string, unknown, readonly string[]])[] = [
        ['with an id that is no UUID', 'x', proof, ['"x"', 'UUID']],
        ['without a workerId', id, {}, ['workerId']],
        ['with both results', id, { ...proof, result: 1, resultBase64: '' }, ['exclude']],
        ['with base64 without padding', id, { ...proof, resultBase64: '/w' }, ['base64']],
        ['with base64 for URLs', id, { ...proof, resultBase64: '_w==' }, ['base64']],
        ['with stray bits in base64', id, { ...proof, resultBase64: '/x==' }, ['base64']],
        ['with white space in base64', id, { ...proof, resultBase64: '/wA=\n' }, ['base64']],
        [
          'with base64 that is no text though it says so',
          id,
          { ...proof, resultBase64: '/wA=', contentType: 'text/plain' },
          ['UTF-8'],
        ],
        [
          'with a content type and no result',
          id,
          { ...proof, contentType: 'text/plain' },
          ['contentType', 'without result'],
        ],
        [
          'with a content type that is none',
          id,
          { ...proof, result: 1, contentType: 'json' },
          ['contentType', 'media type'],
        ],
        [
          'with a JSON value as text',
          id,
          { ...proof, result: { a: 1 }, contentType: 'text/plain' },
          ['result', 'string'],
        ],
        [
          'with a JSON value as bytes',
          id,
          { ...proof, result: 'a', contentType: 'image/png' },
          ['resultBase64'],
        ],
        [
          'with a completionId of 256',
          id,
          { ...proof, completionId: 'c'.repeat(256) },
          ['completionId', '256', '255'],
        ],
        ['with an empty completionId', id, { ...proof, completionId: '' }, ['completionId', 'blank']],
        ['with a lockToken that is null', id, { ...proof, lockToken: null }, ['lockToken', 'null']],
        ['with an unknown field', id, { ...proof, variables: {} }, ['variables']],
      ];
      for (const [title, taskId, body, words] of refused) {
        test(`is refused ${title}`, async () => {
          await assert.rejects(
            pull.operations.complete(taskId, body),
            refusedAs('REQUEST_INVALID', ...words),
          );
          assert.deepEqual(completions, []);
        });
      }

      const listed = refused.filter(([title]) => title !== 'without a workerId');
      for (const [title, taskId, body, words] of [
        ...listed,
        ['without an id', undefined, {}, ['id', 'required']],
        ['with an id that is a number', 7, {}, ['id', 'the number 7']],
        ['with a workerId of its own', id, { workerId: 'w' }, ['workerId', 'unknown']],
      ] as const) {
        test(`among others is refused alone ${title}`, async () => {
          const { workerId, ...fields } = { workerId: 'w', ...(body as object) };
          const [before, after] = [randomUUID(), randomUUID()];
          const isOwn = title === 'with a workerId of its own';
          const entry = {
            ...(taskId === undefined ? {} : { id: taskId }),
            ...fields,
            ...(isOwn ? { workerId } : {}),
          };
          const judged = await pull.operations.completeMany({
            workerId,
            tasks: [{ id: before, result: 1 }, entry, { id: after }],
          });
          assert.deepEqual(
            completions.map((completion) => [completion.taskId, completion.workerId]),
            [
              [before, 'w'],
              [after, 'w'],
            ],
          );
          assert.deepEqual(
            judged.map(({ verdict }) => verdict.status),
            ['fulfilled', 'rejected', 'fulfilled'],
          );
          const refusal = judged[1];
          assert.ok(refusal?.verdict.status === 'rejected');
          assert.equal(refusal.taskId, taskId === id ? id : null);
          refusedAs('REQUEST_INVALID', ...words)(refusal.verdict.reason);
        });
      }
    });

    describe('a failure', () => {
      test('spends a retry and says what is left', async () => {
        const task = await lockedTask();
        const answer = await pull.operations.fail(task.id, {
          workerId: 'w',
          lockToken: task.lockToken,
          errorMessage: 'x',
        });
        assert.deepEqual(answer, {
          taskId: task.id,
          channel: 'score',
          instanceId: task['instanceId'],
          retries: 2,
          status: 'PENDING',
        });
      });

      test('without a wait can be fetched at once', async () => {
        const task = await lockedTask();
        await pull.operations.fail(task.id, {
          workerId: 'w',
          errorMessage: '',
          retryTimeout: 'PT0S',
          retries: 1_000,
        });
        const [again] = await fetch();
        assert.deepEqual([again?.['attempts'], again?.['retries']], [2, 1_000]);
      });

      test('of the whole budget is terminal, and a terminal task can be re-armed', async () => {
        const task = await lockedTask();
        const answer = await pull.operations.fail(task.id, { workerId: 'w', errorMessage: 'x', retries: 0 });
        assert.equal(answer.status, 'TERMINAL');
        await assert.rejects(
          pull.operations.fail(task.id, { workerId: 'w', errorMessage: 'x' }),
          refusedAs('TERMINAL'),
        );
        const rearmed = await pull.operations.rearm(task.id, { retries: 5 });
        assert.deepEqual(rearmed, {
          taskId: task.id,
          channel: 'score',
          instanceId: task['instanceId'],
          retries: 5,
          status: 'PENDING',
        });
        assert.equal((await fetch())[0]?.['retries'], 5);
      });

      test('keeps diagnostics of exactly the bound whole, and cuts longer ones with a mark', async () => {
        const exact = await lockedTask();
        const whole = await pull.operations.fail(exact.id, {
          workerId: 'w',
          errorMessage: 'm'.repeat(4_000),
          errorDetails: 'd'.repeat(100_000),
        });
        assert.equal(whole.truncated, undefined);
        const long = await lockedTask();
        const cut = await pull.operations.fail(long.id, {
          workerId: 'w',
          errorMessage: '\u0000\ud800',
          errorDetails: 'd'.repeat(100_001),
        });
        assert.equal(cut.truncated, true);
        const rows = await query<{ message: string; details: string }>(
          database,
          'SELECT last_error AS message, last_error_details AS details FROM external_task WHERE id = ANY ($1::uuid[]) ORDER BY length(last_error) DESC',
          [[exact.id, long.id]],
        );
        assert.equal(rows[0]?.message.length, 4_000);
        assert.equal(rows[0]?.details.length, 100_000);
        assert.equal(rows[1]?.message, '\ufffd\ufffd');
        assert.match(rows[1]?.details ?? '', /d \[61 more characters were cut\]$/);
        assert.ok((rows[1]?.details.length ?? Infinity) <= 100_000);
      });

      const refused: readonly (readonly [string, object, readonly string[]])[] = [
        ['without an errorMessage', { errorMessage: undefined }, ['errorMessage']],
        ['with an errorMessage that is an object', { errorMessage: {} }, ['errorMessage', 'an object']],
        ['with retries over the ceiling', { retries: 1_001 }, ['retries', '1001', 'max-retries', '1000']],
        ['with negative retries', { retries: -1 }, ['retries', '-1', '0']],
        ['with retries as a string', { retries: '2' }, ['retries', 'a string']],
        [
          'with retryTimeout over the ceiling',
          { retryTimeout: 'P1DT0.001S' },
          ['retryTimeout', 'P1DT0.001S', 'P1D'],
        ],
        ['with a negative retryTimeout', { retryTimeout: '-PT1S' }, ['retryTimeout', '-PT1S']],
        ['with an unknown field', { error: 'x' }, ['error']],
      ];
      for (const [title, fields, words] of refused) {
        test(`is refused ${title}, and nothing is spent`, async () => {
          const task = await lockedTask();
          const body = JSON.parse(JSON.stringify({ workerId: 'w', errorMessage: 'x', ...fields })) as unknown;
          await assert.rejects(pull.operations.fail(task.id, body), refusedAs('REQUEST_INVALID', ...words));
          const rows = await query<{ retries: number }>(database, 'SELECT retries FROM external_task');
          assert.deepEqual(rows, [{ retries: 3 }]);
        });

        test(`among others is refused alone ${title}`, async () => {
          const ids = await seedTasks(database, { count: 3 });
          await fetch();
          const entry = (id: string, changes: object): unknown =>
            JSON.parse(JSON.stringify({ id, errorMessage: 'x', ...changes }));
          const tasks = ids.map((id, index) => entry(id, index === 1 ? fields : {}));
          const judged = await pull.operations.failMany({ workerId: 'w', tasks });
          assert.deepEqual(
            judged.map(({ taskId, verdict }) => [taskId, verdict.status]),
            ids.map((id, index) => [id, index === 1 ? 'rejected' : 'fulfilled']),
          );
          const refusal = judged[1]?.verdict;
          assert.ok(refusal?.status === 'rejected');
          refusedAs('REQUEST_INVALID', ...words)(refusal.reason);
          const rows = await query<{ retries: number }>(
            database,
            'SELECT retries FROM external_task ORDER BY id',
          );
          assert.deepEqual(
            rows.map(({ retries }) => retries),
            [2, 3, 2],
          );
        });
      }

      test('is taken at the ceilings of retries and retryTimeout', async () => {
        const task = await lockedTask();
        const answer = await pull.operations.fail(task.id, {
          workerId: 'w',
          errorMessage: 'x',
          retries: 1_000,
          retryTimeout: 'P1D',
        });
        assert.equal(answer.retries, 1_000);
      });

      const verdicts: readonly (readonly [string, string, object])[] = [
        ['LOCK_LOST', `UPDATE external_task SET visible_at = now() - interval '1 second'`, {}],
        ['LOCK_LOST', `UPDATE external_task SET lock_owner = NULL, lock_token_hash = NULL`, {}],
        ['LOCK_HELD', `UPDATE external_task SET lock_owner = 'other'`, {}],
        ['LOCK_HELD', `UPDATE external_task SET lock_token_hash = '\\x01'`, { lockToken: 'an old one' }],
        ['NOT_FOUND', `DELETE FROM external_task`, {}],
        [
          'WITHDRAWN',
          `WITH d AS (DELETE FROM external_task RETURNING id, instance_id)
           INSERT INTO receipt (task_id, generation, outcome, channel, instance_id) SELECT id, 1, 'withdrawn', 'score', instance_id FROM d`,
          {},
        ],
      ];
      for (const [index, [code, change, fields]] of verdicts.entries()) {
        test(`of a worker that lost the task is refused as ${code} (${index + 1})`, async () => {
          const task = await lockedTask();
          await query(database, change);
          await assert.rejects(
            pull.operations.fail(task.id, { workerId: 'w', errorMessage: 'x', ...fields }),
            refusedAs(code, task.id),
          );
        });
      }
    });

    describe('an operator', () => {
      test('re-arms with the default budget when none is given', async () => {
        const task = await lockedTask({ retries: 0 });
        await pull.operations.fail(task.id, { workerId: 'w', errorMessage: 'x' });
        assert.equal((await pull.operations.rearm(task.id, undefined)).retries, 3);
      });

      test('is refused a re-arm of a task that is not terminal, or not there, or over the ceiling', async () => {
        const task = await lockedTask();
        await assert.rejects(pull.operations.rearm(task.id, {}), refusedAs('NOT_TERMINAL', task.id));
        await assert.rejects(pull.operations.rearm(randomUUID(), {}), refusedAs('NOT_FOUND'));
        await assert.rejects(
          pull.operations.rearm(task.id, { retries: 0 }),
          refusedAs('REQUEST_INVALID', '0'),
        );
        await assert.rejects(
          pull.operations.rearm(task.id, { retries: 1_001 }),
          refusedAs('REQUEST_INVALID', '1001'),
        );
      });

      test('discards a task once, and its worker is told that it was withdrawn', async () => {
        const task = await lockedTask();
        assert.equal((await pull.operations.discard(task.id)).status, 'DISCARDED');
        await assert.rejects(pull.operations.discard(task.id), refusedAs('WITHDRAWN'));
        await assert.rejects(pull.operations.discard(randomUUID()), refusedAs('NOT_FOUND'));
        await assert.rejects(pull.operations.discard('1'), refusedAs('REQUEST_INVALID', 'UUID'));
        await assert.rejects(
          pull.operations.fail(task.id, { workerId: 'w', errorMessage: 'x' }),
          refusedAs('WITHDRAWN'),
        );
      });
    });
  });
}
