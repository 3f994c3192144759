import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { PackageModel } from '../../definitions/package-model.ts';
import { Temporal } from '../../definitions/value.ts';
import { EngineError } from '../../config/engine-error.ts';
import type { Database } from '../../engine/store/database.ts';
import {
  deploymentId,
  instanceId,
  seedAlias,
  seedDeployment,
  seedHistory,
  seedIncident,
  seedInstance,
  seedOutbox,
  seedTask,
  taskId,
} from '../store/operate-seed.ts';
import { testDatabases } from '../support/database.ts';
import {
  assertProblem,
  databaseOf,
  noInstanceCommands,
  startTestServer,
  type TestServer,
} from './fixture.ts';

const place = {};
/** The parts of a compiled package that the routes show. */
const model: PackageModel = {
  identity: { tenant: 'acme', module: 'shop', version: '1.0.0' },
  deploymentId: deploymentId(1),
  channels: new Map([
    [
      'notify',
      {
        name: 'notify',
        transport: 'http',
        direction: 'outbound',
        bind: 'https://user:secret@example.com/hook?token=secret',
        codec: null,
        schemaName: null,
        ackMode: 'on-persist',
        dedupKey: null,
        isBroadcast: false,
        maxConcurrentInstances: null,
        payloadCapBytes: null,
        auth: { kind: 'bearer', reference: 'env:NOTIFY_SECRET', name: null },
        keepsDeadLetters: false,
        task: null,
        place,
      },
    ],
  ]),
  processes: new Map([
    [
      'order',
      {
        id: 'order',
        name: 'Order',
        place,
        nodes: new Map(),
        flows: new Map(),
        children: [],
        start: [],
        eventSubProcessIds: [],
        variables: new Map([
          ['card', { name: 'card', type: null, isSensitive: true, isTransient: false }],
          ['amount', { name: 'amount', type: 'number', isSensitive: false, isTransient: false }],
        ]),
      },
    ],
  ]),
  schemas: new Map(),
  files: [],
};

for (const target of testDatabases()) {
  describe(`operate routes on ${target.name}`, () => {
    let database: Database;
    let server: TestServer;
    before(async () => {
      database = await target.open();
      server = await startTestServer({
        database,
        deployments: {
          deploy: () => Promise.reject(new Error('not asked')),
          drain: () => Promise.reject(new Error('not asked')),
          model: (id) => Promise.resolve(id === deploymentId(1) ? model : null),
        },
        instances: {
          ...noInstanceCommands,
          cancel: (id) =>
            id === instanceId(1)
              ? Promise.resolve({ instanceId: id, status: 'terminated' })
              : Promise.reject(new EngineError('SUTRA.INSTANCE.NOT_FOUND', 'there is none')),
          completeUserTask: (id, tokenId, variables) =>
            tokenId === 4 && variables['approved'] === true
              ? Promise.resolve({ instanceId: id, status: 'running' })
              : Promise.reject(new Error(`${String(tokenId)} ${JSON.stringify(variables)}`)),
        },
      });
      await seedDeployment(database, { number: 1, state: 'active' });
      await seedDeployment(database, { number: 2, state: 'draining' });
      await seedInstance(database, {
        number: 1,
        variables: { amount: 120.5, card: '4111111111111111', due: new Temporal('date', '2026-03-01') },
        snapshot: {
          scopes: [
            {
              id: 0,
              parentId: null,
              elementId: 'order',
              ownerTokenId: null,
              variables: { amount: 120.5, card: '4111111111111111', due: new Temporal('date', '2026-03-01') },
            },
            {
              id: 1,
              parentId: 0,
              elementId: 'sub',
              ownerTokenId: 1,
              variables: { card: '4222222222222222', step: 1 },
            },
          ],
          tokens: [{ id: 1, scopeId: 0, elementId: 'sub', state: 'waiting', arrivedByFlowId: null }],
          waits: [
            {
              kind: 'timer',
              id: 1,
              tokenId: 1,
              elementId: 'late',
              dueAtMs: 1_772_359_200_000,
              purpose: 'event',
            },
            {
              kind: 'message',
              id: 2,
              tokenId: 1,
              elementId: 'paid',
              channel: 'payment',
              aliases: [{ name: 'a', value: 'b' }],
            },
            {
              kind: 'call',
              id: 3,
              tokenId: 1,
              elementId: 'score',
              channel: 'score-request',
              requestChannel: 'score-request',
              idempotencyKey: 'k',
              aliases: [],
              attempt: 1,
            },
            { kind: 'user-task', id: 4, tokenId: 1, elementId: 'approve' },
          ],
        },
      });
      await seedInstance(database, { number: 2, status: 'failed', deployment: 2, variables: { amount: 1 } });
      await seedInstance(database, { number: 3, status: 'completed' });
      await seedAlias(database, { instance: 1, name: 'orderId', value: 'Ä 1' });
      await seedTask(database, { number: 1, lockSeconds: 60, body: '{"amount":120.5}' });
      await seedTask(database, {
        number: 2,
        instance: 2,
        state: 'failed',
        contentType: 'text/plain',
        body: 'grüße',
      });
      await seedTask(database, {
        number: 3,
        instance: 2,
        contentType: 'image/png',
        body: new Uint8Array([0, 255]),
      });
      await seedTask(database, { number: 4, instance: 2, body: '{not json' });
      await seedOutbox(database, { number: 1, instance: 1 });
      await seedIncident(database, { number: 1, instance: 2 });
      await seedHistory(database, {
        turn: 1,
        at: '2026-03-01T10:00:00.000Z',
        entries: [
          { event: 'started', elementId: 'start', detail: { channel: 'orders' } },
          { event: 'sent', elementId: 'score', detail: { channel: 'score-request' } },
        ],
      });
      await seedHistory(database, {
        turn: 2,
        at: '2026-03-01T10:00:05.000Z',
        entries: [
          {
            event: 'taskCompleted',
            elementId: 'score',
            detail: {
              taskId: taskId(9),
              channel: 'score-request',
              workerId: 'worker-1',
              attempts: 1,
              parkedAt: '2026-03-01T10:00:01.000Z',
              lockedAt: '2026-03-01T10:00:02.000Z',
            },
          },
          { event: 'flowTaken', elementId: 'gateway', detail: { flowId: 'high' } },
        ],
      });
    });
    after(async () => {
      await server.stop();
      await database.close();
    });

    it('show an instance whole, without what the model calls sensitive', async () => {
      const answer = await server.call('GET', `/sutra/instances/${instanceId(1)}`);
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.json['variables'], { amount: 120.5, due: '2026-03-01' });
      assert.deepEqual(answer.json['hiddenVariables'], ['card']);
      assert.deepEqual(answer.json['scopes'], [
        {
          id: 1,
          parentId: 0,
          elementId: 'sub',
          kind: null,
          index: null,
          called: null,
          partId: null,
          variables: { step: 1 },
          hiddenVariables: ['card'],
        },
      ]);
      assert.deepEqual(
        (answer.json['waits'] as { kind: string }[]).map((wait) => wait.kind),
        ['timer', 'message', 'call', 'user-task'],
      );
      assert.equal((answer.json['openTasks'] as unknown[]).length, 1);
      assert.equal((answer.json['deliveries'] as unknown[]).length, 1);
      assert.doesNotMatch(answer.text, /4111|4222|the-secret/);
    });

    it('withhold all variables when nobody knows which are sensitive', async () => {
      const answer = await server.call('GET', `/sutra/instances/${instanceId(2)}`);
      assert.equal(answer.json['variables'], null);
      assert.equal(answer.json['areVariablesWithheld'], true);
      assert.deepEqual(answer.json['failure'], {
        code: 'SUTRA.FEEL.EVALUATION_FAILED',
        message: 'the expression failed',
        elementId: 'score',
      });
    });

    it('list and page instances', async () => {
      const page = await server.call('GET', '/sutra/instances?limit=2');
      const ids = (page.json['instances'] as { id: string }[]).map((row) => row.id);
      assert.deepEqual(ids, [instanceId(3), instanceId(2)]);
      const next = await server.call(
        'GET',
        `/sutra/instances?limit=2&cursor=${String(page.json['nextCursor'])}`,
      );
      assert.deepEqual(
        (next.json['instances'] as { id: string }[]).map((row) => row.id),
        [instanceId(1)],
      );
      assert.equal(next.json['nextCursor'], null);
      const found = await server.call(
        'GET',
        `/sutra/instances?aliasName=orderId&aliasValue=${encodeURIComponent('Ä 1')}`,
      );
      assert.equal((found.json['instances'] as unknown[]).length, 1);
    });

    it('tell the story of an instance in time order', async () => {
      const answer = await server.call('GET', `/sutra/instances/${instanceId(1)}/history`);
      const entries = answer.json['entries'] as { event: string; turn: number | null }[];
      assert.deepEqual(
        entries.map(({ event, turn }) => [event, turn]),
        [
          ['started', 1],
          ['sent', 1],
          ['taskParked', null],
          ['taskLocked', null],
          ['taskCompleted', 2],
          ['flowTaken', 2],
          ['taskParked', null],
          ['taskLocked', null],
        ],
      );
    });

    it('page the story by turns, with the open tasks on the last page', async () => {
      const path = `/sutra/instances/${instanceId(1)}/history?limit=1`;
      const page = await server.call('GET', path);
      assert.deepEqual(
        (page.json['entries'] as { event: string }[]).map(({ event }) => event),
        ['started', 'sent'],
      );
      const next = await server.call('GET', `${path}&cursor=${String(page.json['nextCursor'])}`);
      assert.equal((next.json['entries'] as unknown[]).length, 6);
      assert.equal(next.json['nextCursor'], null);
    });

    it('cancel an instance and complete a user task', async () => {
      const cancelled = await server.call('POST', `/sutra/instances/${instanceId(1).toUpperCase()}/cancel`);
      assert.deepEqual(cancelled.json, { instanceId: instanceId(1), status: 'terminated' });
      const path = `/sutra/instances/${instanceId(1)}/user-tasks/4/complete`;
      const completed = await server.call('POST', path, { json: { variables: { approved: true } } });
      assert.deepEqual(completed.json, { instanceId: instanceId(1), status: 'running' });
      assertProblem(
        await server.call('POST', `/sutra/instances/${instanceId(8)}/cancel`),
        404,
        'SUTRA.INSTANCE.NOT_FOUND',
      );
      const wrong = await server.call('POST', path, { json: { variables: [] } });
      assertProblem(wrong, 400, 'SUTRA.HTTP.FIELD_INVALID');
    });

    it('show tasks, their bodies as a worker gets them, and never their proof', async () => {
      const list = await server.call('GET', '/sutra/external-tasks?locked=true');
      assert.equal((list.json['tasks'] as unknown[]).length, 1);
      assert.doesNotMatch(list.text, /token|hash|the-secret|120\.5/i);
      const bodies = await Promise.all(
        [1, 2, 3, 4].map((number) => server.call('GET', `/sutra/external-tasks/${taskId(number)}`)),
      );
      assert.deepEqual(
        bodies.map(({ json }) => json['body'] ?? json['bodyBase64']),
        [{ amount: 120.5 }, 'grüße', 'AP8=', Buffer.from('{not json').toString('base64')],
      );
      assert.equal(bodies[1]?.json['lastError'], 'downstream 500');
    });

    it('list incidents', async () => {
      const answer = await server.call(
        'GET',
        `/sutra/incidents?kind=instance-failed&instanceId=${instanceId(2)}`,
      );
      assert.equal((answer.json['incidents'] as unknown[]).length, 1);
    });

    it('show deployments without what may be secret in them', async () => {
      const list = await server.call('GET', '/sutra/deployments?state=active');
      assert.equal((list.json['deployments'] as unknown[]).length, 1);
      const answer = await server.call('GET', `/sutra/deployments/${deploymentId(1)}`);
      const [channel] = answer.json['channels'] as Record<string, unknown>[];
      assert.equal(channel?.['bind'], 'https://example.com/hook');
      assert.doesNotMatch(answer.text, /secret|NOTIFY_|bearer/i);
      assert.deepEqual(answer.json['processes'], [
        { id: 'order', name: 'Order', startChannels: [], startsById: false },
      ]);
      const unread = await server.call('GET', `/sutra/deployments/${deploymentId(2)}`);
      assert.equal(unread.json['channels'], null);
    });

    const refused: readonly [path: string, status: number, code: string][] = [
      ['/sutra/instances/42', 400, 'SUTRA.OPERATE.ID_INVALID'],
      [`/sutra/instances/${instanceId(8)}`, 404, 'SUTRA.INSTANCE.NOT_FOUND'],
      [`/sutra/instances/${instanceId(8)}/history`, 404, 'SUTRA.INSTANCE.NOT_FOUND'],
      ['/sutra/external-tasks/x', 400, 'SUTRA.OPERATE.ID_INVALID'],
      [`/sutra/external-tasks/${taskId(8)}`, 404, 'SUTRA.EXTERNAL_TASK.NOT_FOUND'],
      ['/sutra/deployments/x', 400, 'SUTRA.OPERATE.ID_INVALID'],
      [`/sutra/deployments/${deploymentId(8)}`, 404, 'SUTRA.DEPLOYMENT.NOT_FOUND'],
      ['/sutra/instances?stauts=running', 400, 'SUTRA.HTTP.QUERY_INVALID'],
      ['/sutra/instances?limit=201', 400, 'SUTRA.HTTP.QUERY_INVALID'],
      ['/sutra/instances?aliasName=x', 400, 'SUTRA.HTTP.QUERY_INVALID'],
      ['/sutra/instances?tenant=%00', 400, 'SUTRA.HTTP.QUERY_INVALID'],
      ['/sutra/instances?cursor=abc', 400, 'SUTRA.OPERATE.CURSOR_INVALID'],
      [`/sutra/instances/${instanceId(1)}/history?cursor=abc`, 400, 'SUTRA.OPERATE.CURSOR_INVALID'],
      [`/sutra/instances/${instanceId(1)}?x=1`, 400, 'SUTRA.HTTP.QUERY_INVALID'],
      ['/sutra/health/live?x=1', 400, 'SUTRA.HTTP.QUERY_INVALID'],
      ['/metrics?x=1', 400, 'SUTRA.HTTP.QUERY_INVALID'],
    ];
    for (const [path, status, code] of refused) {
      it(`refuse ${path} with ${code}`, async () => {
        assertProblem(await server.call('GET', path), status, code);
      });
    }

    it('refuse a token id that is no number', async () => {
      const answer = await server.call('POST', `/sutra/instances/${instanceId(1)}/user-tasks/x/complete`);
      assertProblem(answer, 400, 'SUTRA.OPERATE.ID_INVALID');
    });

    it('say that the replica is ready', async () => {
      const answer = await server.call('GET', '/sutra/health/ready');
      assert.deepEqual(answer.json, { status: 'ready', database: target.name });
    });
  });
}

describe('readiness', () => {
  it('is refused while starting, without asking the database', async () => {
    const server = await startTestServer({ isReady: () => false });
    assertProblem(await server.call('GET', '/sutra/health/ready'), 503, 'SUTRA.HEALTH.NOT_READY');
    await server.stop();
  });

  it('is refused when the database cannot be asked, and comes back with it', async () => {
    let isAway = true;
    const away = new EngineError('SUTRA.PERSISTENCE_UNAVAILABLE', 'away');
    const database = databaseOf(() => (isAway ? Promise.reject(away) : Promise.resolve([])));
    const server = await startTestServer({ database });
    const answer = await server.call('GET', '/sutra/health/ready');
    assertProblem(answer, 503, 'SUTRA.HEALTH.NOT_READY');
    assert.deepEqual(answer.json['attributes'], { reason: 'database' });
    assertProblem(
      await server.call('GET', `/sutra/instances/${instanceId(1)}`),
      503,
      'SUTRA.PERSISTENCE_UNAVAILABLE',
    );
    isAway = false;
    assert.equal((await server.call('GET', '/sutra/health/ready')).status, 200);
    assert.equal((await server.call('GET', '/sutra/health/live')).status, 200);
    await server.stop();
  });

  it('is refused within its limit when the database hangs, with one probe however often it is asked', async () => {
    let probeCount = 0;
    const database = databaseOf(() => {
      probeCount += 1;
      return new Promise(() => {});
    });
    const server = await startTestServer({ database });
    const answers = await Promise.all([1, 2, 3].map(() => server.call('GET', '/sutra/health/ready')));
    for (const answer of answers) assertProblem(answer, 503, 'SUTRA.HEALTH.NOT_READY');
    assert.equal(probeCount, 1);
    await server.stop();
  });
});
