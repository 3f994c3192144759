/** Everything that must be refused, over HTTP against a whole engine. The tables are beside this file. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Database } from '../../engine/store/database.ts';
import { testDatabases } from '../support/database.ts';
import { collectingLog, TestEngine } from '../support/engine.ts';
import { call, flows, packageFiles, start } from '../support/packages.ts';
import { badPackages } from './bad-packages.ts';
import { badRequests, badResults, noTask } from './bad-requests.ts';
import { RawClient } from './raw-client.ts';

const http = (name: string, more = ''): string =>
  `  - { name: ${name}, transport: http, bind: "POST /channels/${name}", ack-mode: on-persist${more} }`;
const ends = (channel: string, inside = ''): string =>
  `${start(channel, inside)}<endEvent id="end"/>${flows('start -> end')}`;
const works = (channel: string, inside = ''): string =>
  `${start(channel, inside)}${call('work-it', 'work')}<endEvent id="end"/>${flows('start -> work-it', 'work-it -> end')}`;
/** As long as a channel's name may be. */
const longName = 'n'.repeat(255);

const files = packageFiles({
  channels: [
    http('orders'),
    http('small', ', payload-cap-bytes: 100'),
    http('keyed', ', dedup-key: payload.id'),
    http('strict', ', codec: "urn:strict"'),
    http('paid'),
    http('aliased'),
    http('sends'),
    http('plain'),
    '  - { name: work, transport: pull }',
    `  - { name: ${longName}, transport: pull }`,
  ].join('\n'),
  processes: {
    order: works('orders'),
    small: ends('small'),
    plain: ends('plain'),
    keyed: ends('keyed'),
    strict: ends('strict'),
    aliased: ends('aliased', '<q:alias name="id" expression="payload.id"/>'),
    waits: `<startEvent id="start"/><receiveTask id="wait"><extensionElements><q:source channel="paid"/><q:alias name="orderId" expression="payload.orderId"/></extensionElements></receiveTask><endEvent id="end"/>${flows('start -> wait', 'wait -> end')}`,
    sends: `${start('sends')}<endEvent id="end"><extensionElements><q:send destination="payload.to"/></extensionElements><messageEventDefinition id="m"/></endEvent>${flows('start -> end')}`,
  },
  files: {
    'schemas/strict/default.json':
      '{"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]}',
  },
});

const tables = [
  'inbox',
  'instance',
  'alias',
  'timer',
  'outbox',
  'external_task',
  'receipt',
  'history',
  'incident',
];

async function rowCounts(database: Database): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const statement = {
      name: `test_count_${table}`,
      text: `SELECT count(*)::integer AS count FROM ${table}`,
    };
    counts[table] = (await database.run<{ count: number }>(statement, []))[0]?.count ?? -1;
  }
  return counts;
}

for (const target of testDatabases()) {
  describe(`bad input on ${target.name}`, () => {
    let engine: TestEngine;
    let client: RawClient;
    const log = collectingLog();
    before(async () => {
      engine = await TestEngine.start({
        database: await target.open(),
        env: { SUTRA_EXTERNAL_TASK_MAX_ASYNC_RESPONSE_TIMEOUT: 'PT0.1S' },
        log,
      });
      client = new RawClient(engine.url);
      await engine.deploy(files);
    });
    after(async () => {
      client.close();
      await engine.stop();
    });

    it(`is refused, each with its status and code: ${String(badRequests.length)} requests`, async () => {
      const wrong: string[] = [];
      for (const { name, status, code, ...request } of badRequests) {
        const answer = await client.send(request);
        const got = `${String(answer.status)} ${String(answer.body['code'])}`;
        if (got !== `${String(status)} ${code}`)
          wrong.push(
            `${name}: ${got} instead of ${String(status)} ${code}: ${JSON.stringify(answer.body).slice(0, 300)}`,
          );
        else if (answer.contentType !== 'application/problem+json')
          wrong.push(`${name}: ${answer.contentType}`);
      }
      assert.deepEqual(wrong, []);
    });

    it(`is refused in a package: ${String(badPackages.length)} packages`, async () => {
      const wrong: string[] = [];
      for (const { name, files: bad, code } of badPackages) {
        const body = JSON.stringify({
          files: Object.entries(bad).map(([path, content]) => ({
            path,
            base64: Buffer.from(content).toString('base64'),
          })),
        });
        const answer = await client.send({
          path: '/admin/deployments',
          headers: { 'content-type': 'application/json' },
          body,
        });
        const attributes = (answer.body['attributes'] ?? {}) as { findings?: { code: string }[] };
        const codes = [answer.body['code'], ...(attributes.findings ?? []).map((finding) => finding.code)];
        const isRefused = answer.status >= 400 && answer.status < 500 && codes.includes(code);
        if (!isRefused)
          wrong.push(`${name}: ${String(answer.status)} ${codes.join(', ')} instead of ${code}`);
      }
      assert.deepEqual(wrong, []);
      const { body } = await engine.get('/sutra/deployments');
      assert.equal(body.deployments.length, 1);
    });

    it('leaves nothing behind, logs no fault of ours, and touches no prototype', async () => {
      const counts = await rowCounts(engine.engine.database);
      assert.deepEqual(counts, Object.fromEntries(tables.map((table) => [table, 0])));
      assert.deepEqual(
        log.lines.filter((line) => line.startsWith('error')),
        [],
      );
      assert.deepEqual(Object.keys(Object.prototype), []);
      for (const key of ['polluted', 'workerId', 'task', 'n']) assert.ok(!(key in {}), key);
    });

    it('is not what stands exactly at a limit', async () => {
      const json = { 'content-type': 'application/json' };
      const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
      const fetchBody = {
        workerId: 'w'.repeat(255),
        channels: Array<string>(100).fill(longName),
        lockDuration: 'PT1H',
        maxTasks: 100,
        asyncResponseTimeout: 'PT0.1S',
      };
      const proof = { workerId: 'w', lockToken: 't'.repeat(255) };
      const rows: readonly [
        name: string,
        path: string,
        body: string,
        status: number,
        headers?: Record<string, string>,
      ][] = [
        ['fetch', '/sutra/external-tasks/fetch-and-lock', JSON.stringify(fetchBody), 200],
        [
          'complete',
          `/sutra/external-tasks/${noTask}/complete`,
          JSON.stringify({ ...proof, completionId: 'c'.repeat(255), result: null }),
          404,
        ],
        [
          'failure',
          `/sutra/external-tasks/${noTask}/failure`,
          JSON.stringify({
            ...proof,
            errorMessage: '',
            errorDetails: 'd'.repeat(200_000),
            retries: 1000,
            retryTimeout: 'P1D',
          }),
          404,
        ],
        [
          'upper case id',
          `/sutra/external-tasks/${noTask.toUpperCase()}/complete`,
          JSON.stringify({ workerId: 'w' }),
          404,
        ],
        ['cap of the channel', '/channels/small', `"${'x'.repeat(98)}"`, 202],
        ['key of 255', '/channels/small', '1', 202, { 'idempotency-key': 'k'.repeat(255) }],
        ['dedup key that is a number', '/channels/keyed', '{"id": 9007199254740992}', 202],
        ['alias of 512', '/channels/aliased', JSON.stringify({ id: 'x'.repeat(512) }), 202],
        ['200 levels', '/channels/plain', nested(200), 202],
        ['199 levels, which the process wraps once more', '/channels/orders', nested(199), 202],
        ['exact numbers', '/channels/small', '[9007199254740992, 0.1, 1e308, -0]', 202],
        ['a whole surrogate pair', '/channels/small', '"\\ud83d\\ude00"', 202],
        ['a byte order mark', '/channels/small', '\ufeff{}', 202],
      ];
      for (const [name, path, body, status, headers] of rows) {
        const answer = await client.send({ path, body, headers: { ...json, ...headers } });
        assert.equal(answer.status, status, `${name}: ${JSON.stringify(answer.body)}`);
      }
      const task = await engine.fetchTask('work', { asyncResponseTimeout: 'PT0.1S' });
      assert.equal(
        (await engine.complete(task, undefined)).body.outcome,
        'ACCEPTED',
        'the request comes back as the result, one level deeper',
      );
    });

    it('is refused as a result too: the task stays with its worker, who can send a good one', async () => {
      await engine.post('/channels/orders', {});
      const task = await engine.fetchTask('work', { asyncResponseTimeout: 'PT0.1S' });
      const path = `/sutra/external-tasks/${task.id}/complete`;
      const proof = { workerId: 'worker-1', lockToken: task.lockToken, completionId: 'c' };
      for (const [contentType, body, causeCode] of badResults) {
        const resultBase64 = Buffer.from(body).toString('base64');
        const answer = await engine.post(path, { ...proof, contentType, resultBase64 });
        assert.equal(answer.status, 422, JSON.stringify(answer.body));
        assert.equal(answer.body.code, 'SUTRA.EXTERNAL_TASK.COMPLETION_REJECTED');
        assert.deepEqual(answer.body.attributes, { taskId: task.id, causeCode, retryable: false });
      }
      assert.equal((await engine.post(path, { ...proof, result: {} })).body.outcome, 'ACCEPTED');
    });

    it('fails the instance, not the message, when it names a channel that cannot be sent to', async () => {
      for (const to of ['nowhere', 'orders', '__proto__']) {
        const answer = await engine.post('/channels/sends', { to });
        assert.equal(answer.status, 202, JSON.stringify(answer.body));
        const instance = await engine.instance(answer.body.instanceId);
        assert.equal(instance.status, 'failed');
        assert.equal(instance.failure?.code, 'SUTRA.CORE.CHANNEL_UNKNOWN');
      }
    });

    it('does no harm: the engine works as before', async () => {
      const body = '{"__proto__": {"polluted": true}, "n": 1}';
      const { body: sent } = await engine.call('POST', '/channels/orders', body);
      const task = await engine.fetchTask('work', { asyncResponseTimeout: 'PT0.1S' });
      assert.equal(task.instanceId, sent.instanceId);
      assert.deepEqual(Object.keys(task.body['payload'] as object), ['__proto__', 'n']);
      assert.equal((await engine.complete(task, { __proto: 1 })).status, 200);
      assert.equal((await engine.ended(sent.instanceId)).status, 'completed');
      assert.equal((await engine.get('/sutra/health/ready')).status, 200);
    });
  });
}
