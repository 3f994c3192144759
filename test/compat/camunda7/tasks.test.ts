/** The external-task half of the facade for Camunda 7, route by route. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Database } from '../../../engine/store/database.ts';
import { testDatabases } from '../../support/database.ts';
import { TestEngine } from '../../support/engine.ts';
import { packageFiles } from '../../support/packages.ts';
import {
  CamundaRest,
  camundaModel,
  externalTask,
  inARow,
  type FetchedTask,
} from '../camunda7-engine-rest.ts';

type Json = Readonly<Record<string, unknown>>;

const topic = (topicName: string, more: Json = {}): Json => ({ topicName, lockDuration: 60_000, ...more });
const poll = (topics: readonly Json[], more: Json = {}): Json => ({
  workerId: 'w',
  maxTasks: 10,
  topics,
  ...more,
});

const modelOf = (key: string): string =>
  camundaModel({ [key]: inARow({ [`${key}-work`]: externalTask(`${key}-work`, key) }) });

for (const target of testDatabases()) {
  describe(`external tasks for Camunda 7 on ${target.name}`, { timeout: 120_000 }, () => {
    let database: Database;
    let engine: TestEngine;
    let rest: CamundaRest;

    before(async () => {
      database = await target.open();
      engine = await TestEngine.start({ database, env: { SUTRA_COMPAT_CAMUNDA7: 'true' } });
      rest = new CamundaRest(engine);
      const keys = ['a', 'b', 'c', 'd', 'e'];
      await rest.deploy(Object.fromEntries(keys.map((key) => [`${key}.bpmn`, modelOf(key)])));
    });
    after(async () => {
      await engine.stop();
      await database.close();
    });

    test('Q1, Q2: what cannot be kept is refused in its own words', async () => {
      const { maxTasks: _maxTasks, ...withoutMaxTasks } = poll([topic('a')]);
      const refusals: readonly (readonly [body: unknown, ...words: readonly string[]])[] = [
        [null, 'body'],
        [{}, 'topics'],
        [poll([]), 'topics'],
        [poll([topic('a'), topic('a')]), 'topics', 'twice'],
        [poll([topic('a')], { workerId: null }), 'workerId', 'required'],
        [poll([topic('a')], { workerId: ' ' }), 'workerId'],
        [poll([topic('a')], { maxTasks: 101 }), 'maxTasks', '101', '100', 'sutra.external-task.max-tasks'],
        [poll([topic('a')], { maxTasks: 0 }), 'maxTasks'],
        [poll([topic('a')], { maxTasks: '1' }), 'maxTasks', 'whole number'],
        [withoutMaxTasks, 'maxTasks', 'required'],
        [poll([topic('a')], { asyncResponseTimeout: 30_001 }), 'asyncResponseTimeout', '30001', '30000'],
        [poll([topic('a')], { asyncResponseTimeout: -1 }), 'asyncResponseTimeout'],
        [
          poll([topic('a'), topic('b', { lockDuration: 3_600_001 })]),
          'topics[1].lockDuration',
          '3600001',
          '3600000',
        ],
        [poll([topic('a', { lockDuration: 0 })]), 'topics[0].lockDuration'],
        [poll([topic('a', { lockDuration: null })]), 'topics[0].lockDuration', 'required'],
        [poll([topic('a', { variables: 'x,1'.split(',').map(Number) })]), 'topics[0].variables'],
        [poll([topic('a', { unheardOf: 1 })]), 'unheardOf'],
        [poll([topic('a')], { other: 1 }), 'other'],
        [poll([topic('a')], { usePriority: 'perhaps' }), 'usePriority'],
        [
          poll([topic('a')], { sorting: [{ sortBy: 'createTime', sortOrder: 'asc' }] }),
          'sorting',
          'usePriority',
        ],
        [
          poll([topic('a')], { usePriority: true, sorting: [{ sortBy: 'createTime', sortOrder: 'desc' }] }),
          'sorting',
        ],
        [poll([topic('a')], { usePriority: true, sorting: [{ sortBy: 'id', sortOrder: 'asc' }] }), 'sortBy'],
      ];
      for (const [body, ...words] of refusals) {
        const { status, type, message } = await rest.refused('POST', 'external-task/fetchAndLock', body);
        assert.deepEqual([status, type], [400, 'InvalidRequestException'], JSON.stringify(body));
        for (const word of words) assert.ok(message.includes(word), `${word} is in: ${message}`);
      }
    });

    test('what clients send for nothing is taken: nulls, empty lists and objects, false', async () => {
      const nothing = {
        ...{ variables: null, businessKey: null, processDefinitionId: null, processDefinitionIdIn: [] },
        ...{ processDefinitionKey: null, processDefinitionKeyIn: null, processDefinitionVersionTag: null },
        ...{ processVariables: {}, tenantIdIn: [], withoutTenantId: false, localVariables: false },
        ...{ includeExtensionProperties: true, deserializeValues: true },
      };
      const order = { usePriority: true, sorting: [{ sortBy: 'createTime', sortOrder: 'asc' }] };
      for (const more of [{}, order, { sorting: [] }, { sorting: null, asyncResponseTimeout: null }]) {
        assert.deepEqual(
          await rest.post('external-task/fetchAndLock', poll([topic('nobody', nothing)], more)),
          [],
        );
      }
    });

    test('topics have locks of their own length, and priority goes first', async () => {
      const [low, high] = [await rest.start('a'), await rest.start('a')];
      await rest.start('b');
      const listed = await rest.get<readonly FetchedTask[]>(`external-task?processInstanceId=${high.id}`);
      await rest.send('PUT', `external-task/${listed[0]?.id ?? ''}/priority`, { priority: 7 });
      const tasks = await rest.post<
        readonly (FetchedTask & { lockExpirationTime: string; topicName: string; priority: number })[]
      >(
        'external-task/fetchAndLock',
        poll([topic('a', { lockDuration: 60_000 }), topic('b', { lockDuration: 3_000_000 })]),
      );
      const ofA = tasks.filter(({ topicName }) => topicName === 'a');
      assert.deepEqual(
        ofA.map(({ processInstanceId, priority }) => [processInstanceId, priority]),
        [
          [high.id, 7],
          [low.id, 0],
        ],
      );
      const [a, b] = ['a', 'b'].map(
        (name) => tasks.find(({ topicName }) => topicName === name)?.lockExpirationTime ?? '',
      );
      assert.ok(Date.parse(b ?? '') - Date.parse(a ?? '') > 2_000_000, `${String(a)} ${String(b)}`);
      for (const task of tasks) await rest.complete(task);
    });

    test('a completion without variables changes nothing', async () => {
      const { id } = await rest.start('a', { variables: { x: { value: 1 } } });
      const task = await rest.fetchTask('a');
      await rest.send('POST', `process-instance/${id}/variables`, { modifications: { x: { value: 2 } } });
      await rest.complete(task);
      assert.deepEqual((await engine.ended(id)).variables, { x: 2 });
    });

    test('lists, counts and topics', async () => {
      const instances = [
        await rest.start('c'),
        await rest.start('c', { businessKey: 'k' }),
        await rest.start('d'),
      ];
      const [locked] = await rest.post<readonly FetchedTask[]>(
        'external-task/fetchAndLock',
        poll([topic('c')], { maxTasks: 1 }),
      );
      assert.equal(locked?.processInstanceId, instances[0]?.id);
      const [free] = await rest.get<readonly Json[]>(
        `external-task?processInstanceId=${instances[1]?.id ?? ''}`,
      );
      assert.deepEqual(
        [
          free?.['workerId'],
          free?.['lockExpirationTime'],
          free?.['businessKey'],
          free?.['topicName'],
          free?.['suspended'],
        ],
        [null, null, 'k', 'c', false],
      );
      const idOf = (task: Json | undefined): string => String(task?.['id']);
      const definition = encodeURIComponent(instances[2]?.definitionId ?? '');
      const all = 'topicName=c';
      const counts: Readonly<Record<string, number>> = {
        [all]: 2,
        [`${all}&locked=true`]: 1,
        [`${all}&locked=false`]: 2,
        [`${all}&notLocked=true`]: 1,
        [`${all}&notLocked=true&locked=true`]: 0,
        [`${all}&workerId=w`]: 1,
        [`${all}&workerId=other`]: 0,
        [`${all}&withRetriesLeft=true`]: 2,
        [`${all}&noRetriesLeft=true`]: 0,
        [`${all}&active=true`]: 2,
        [`${all}&suspended=true`]: 0,
        [`${all}&lockExpirationAfter=2020-01-01T00:00:00.000%2B0000`]: 1,
        [`${all}&lockExpirationBefore=2020-01-01T00:00:00.000%2B0000`]: 0,
        [`externalTaskId=${idOf(free)}`]: 1,
        [`externalTaskIdIn=${idOf(free)},${locked?.id ?? ''}`]: 2,
        [`externalTaskId=${idOf(free)}&externalTaskIdIn=${locked?.id ?? ''}`]: 0,
        'externalTaskId=not-a-uuid': 0,
        [`activityIdIn=c-work,d-work&processDefinitionKeyIn=d`]: 1,
        [`processDefinitionId=${definition}`]: 1,
        'processDefinitionId=d': 0,
        [`executionId=${instances[0]?.id ?? ''}`]: 1,
        [`${all}&tenantIdIn=somebody`]: 0,
        [`${all}&priorityHigherThanOrEquals=1`]: 0,
        [`${all}&priorityLowerThanOrEquals=0`]: 2,
      };
      for (const [query, count] of Object.entries(counts)) {
        assert.deepEqual(await rest.get(`external-task/count?${query}`), { count }, query);
        assert.equal((await rest.get<readonly Json[]>(`external-task?${query}`)).length, count, query);
      }
      assert.deepEqual(
        await rest.post('external-task/count', { topicName: 'c', locked: true, workerId: null }),
        { count: 1 },
      );
      const sorting = [
        { sortBy: 'lockExpirationTime', sortOrder: 'asc' },
        { sortBy: 'id', sortOrder: 'desc' },
      ];
      const sorted = await rest.post<readonly Json[]>('external-task?maxResults=1&firstResult=1', {
        topicName: 'c',
        sorting,
      });
      assert.deepEqual(sorted.map(idOf), [idOf(free)]);
      for (const by of [
        'id',
        'processInstanceId',
        'processDefinitionId',
        'processDefinitionKey',
        'tenantId',
        'taskPriority',
        'createTime',
      ]) {
        assert.equal(
          (await rest.get<readonly Json[]>(`external-task?${all}&sortBy=${by}&sortOrder=desc`)).length,
          2,
          by,
        );
      }
      const topics = await rest.get<readonly string[]>('external-task/topic-names');
      assert.ok(topics.includes('c') && topics.includes('d'));
      assert.ok(
        (await rest.get<readonly string[]>('external-task/topic-names?withLockedTasks=true')).includes('c'),
      );
      assert.deepEqual(
        await rest.get('external-task/topic-names?withLockedTasks=true&withUnlockedTasks=true'),
        [],
      );
      for (const query of [
        'processDefinitionName=x',
        'sortOrder=asc',
        'sortBy=id',
        'sortBy=foo&sortOrder=asc',
        'locked=maybe',
        'maxResults=1001',
        'lockExpirationAfter=now',
      ]) {
        assert.equal(
          (await rest.refused('GET', `external-task?${query}`)).type,
          'InvalidRequestException',
          query,
        );
      }
    });

    test('T1: filters of a topic are kept when they choose all of its tasks or none, else refused', async () => {
      const { id, definitionId } = await rest.start('b');
      const [, versionTag = ''] = definitionId.split(':');
      const find = (filter: Json, timeout = 0): Promise<readonly FetchedTask[]> =>
        rest.post(
          'external-task/fetchAndLock',
          poll([topic('b', filter)], { asyncResponseTimeout: timeout }),
        );
      for (const none of [
        { processDefinitionKey: 'a' },
        { processDefinitionKeyIn: ['a', 'c'] },
        { processDefinitionKey: 'b', processDefinitionKeyIn: ['a'] },
        { processDefinitionId: definitionId.replace('b:', 'a:') },
        { processDefinitionVersionTag: `${versionTag}x` },
        { tenantIdIn: ['somebody', 'default-not'] },
      ]) {
        assert.deepEqual(await find(none), [], JSON.stringify(none));
        assert.deepEqual(await find(none, 50), [], 'it waits as any other poll');
      }
      for (const all of [
        { processDefinitionKey: 'b' },
        { processDefinitionKeyIn: ['a', 'b'], withoutTenantId: true },
        { processDefinitionId: definitionId, processDefinitionIdIn: [definitionId] },
        { processDefinitionVersionTag: versionTag },
      ]) {
        const [task] = await find(all);
        assert.equal(task?.processInstanceId, id, JSON.stringify(all));
        assert.equal((await rest.call('POST', `external-task/${task.id}/unlock`)).status, 204);
      }
      for (const filter of [
        { businessKey: 'x' },
        { processVariables: { a: 1 } },
        { withoutTenantId: true, tenantIdIn: ['a'] },
      ]) {
        const { status, type } = await rest.refused(
          'POST',
          'external-task/fetchAndLock',
          poll([topic('b', filter)]),
        );
        assert.deepEqual([status, type], [400, 'InvalidRequestException'], JSON.stringify(filter));
      }
      const elsewhere = camundaModel({ other: inARow({ x: externalTask('x', 'b') }) });
      const waiting = find({ processDefinitionKey: 'b' }, 5_000);
      const [first] = await waiting;
      await rest.complete(first ?? assert.fail('the task of the first process'));
      const late = find({ processDefinitionKey: 'b' }, 400);
      await new Promise((resolve) => setTimeout(resolve, 100));
      await rest.deploy({ 'other.bpmn': elsewhere });
      const other = await rest.start('other');
      assert.deepEqual(await late, [], 'not for whoever asked before it was there');
      const mixed = await rest.refused(
        'POST',
        'external-task/fetchAndLock',
        poll([topic('b', { processDefinitionKey: 'b' })]),
      );
      assert.deepEqual([mixed.status, mixed.type], [400, 'InvalidRequestException']);
      assert.ok(mixed.message.includes('topics[0]') && mixed.message.includes('other:'), mixed.message);
      const task = await rest.fetchTask('b');
      assert.equal(task.processInstanceId, other.id);
      await rest.complete(task);
    });

    test('retries of several, and of one that has none left', async () => {
      await rest.start('e');
      await rest.start('e');
      const tasks = await rest.post<readonly FetchedTask[]>('external-task/fetchAndLock', poll([topic('e')]));
      const ids = tasks.map(({ id }) => id);
      assert.equal(
        (await rest.send('PUT', 'external-task/retries', { retries: 0, externalTaskIds: ids })).status,
        204,
      );
      assert.deepEqual(await rest.get('external-task/count?topicName=e&noRetriesLeft=true'), { count: 2 });
      assert.deepEqual(await rest.post('external-task/fetchAndLock', poll([topic('e')])), []);
      assert.equal(
        (await rest.send('PUT', 'external-task/retries', { retries: 5, externalTaskIds: ids })).status,
        204,
      );
      const again = await rest.post<readonly Json[]>('external-task/fetchAndLock', poll([topic('e')]));
      assert.deepEqual(
        again.map(({ retries }) => retries),
        [5, 5],
      );
      for (const body of [
        { retries: -1 },
        { retries: null },
        { retries: 1_001 },
        {},
        { retries: 1, more: 1 },
      ]) {
        assert.equal(
          (await rest.refused('PUT', `external-task/${ids[0] ?? ''}/retries`, body)).status,
          400,
          JSON.stringify(body),
        );
      }
      const { status } = await rest.refused('PUT', 'external-task/retries', {
        retries: 1,
        processInstanceIds: ['x'],
      });
      assert.equal(status, 400);
    });

    test('one that there is not', async () => {
      const none = '00000000-0000-4000-8000-000000000000';
      const calls: readonly (readonly [method: string, path: string, body?: Json])[] = [
        ['GET', ''],
        ['GET', '/errorDetails'],
        ['POST', '/complete', { workerId: 'w' }],
        ['POST', '/failure', { workerId: 'w' }],
        ['POST', '/bpmnError', { workerId: 'w', errorCode: 'e' }],
        ['POST', '/lock', { workerId: 'w', lockDuration: 1_000 }],
        ['POST', '/extendLock', { workerId: 'w', newDuration: 1_000 }],
        ['POST', '/unlock'],
        ['PUT', '/retries', { retries: 1 }],
        ['PUT', '/priority', { priority: 1 }],
      ];
      for (const [method, path, body] of calls) {
        for (const id of [none, 'no-uuid']) {
          const { status, type } = await rest.refused(method, `external-task/${id}${path}`, body);
          assert.deepEqual([status, type], [404, 'RestException'], `${method} ${path}`);
        }
      }
    });

    test('work of a native package is served, too; what it sends that is no object has no variables', async () => {
      await engine.deploy(
        packageFiles({
          channels: `  - { name: orders, transport: http, bind: "POST /channels/orders", ack-mode: on-persist }
  - { name: native, transport: pull }`,
          processes: {
            order: `<startEvent id="start"><extensionElements><q:source channel="orders"/></extensionElements><messageEventDefinition id="m"/></startEvent>
<serviceTask id="work" implementation="channel:native"/><endEvent id="end"/>
<sequenceFlow id="f1" sourceRef="start" targetRef="work"/><sequenceFlow id="f2" sourceRef="work" targetRef="end"/>`,
          },
        }),
      );
      const { instanceId } = (await engine.post('/channels/orders', { a: 1 })).body;
      const task = await rest.fetchTask('native');
      assert.deepEqual(
        [task.processInstanceId, (task as unknown as Json)['tenantId'], task.variables],
        [instanceId, 'test', { payload: { type: 'Json', value: '{"a":1}', valueInfo: {} } }],
      );
      await rest.complete(task, { b: { type: 'Integer', value: 2 } });
      assert.deepEqual((await engine.ended(instanceId)).variables, { payload: { a: 1 }, b: 2 });
    });

    test('a result that the engine refuses is its failure, and the task stays', async () => {
      await engine.deploy(
        packageFiles({
          module: 'checked',
          channels: `  - { name: checks, transport: http, bind: "POST /channels/checks", ack-mode: on-persist }
  - { name: checked, transport: pull, codec: urn:score }`,
          processes: {
            check: `<startEvent id="start"><extensionElements><q:source channel="checks"/></extensionElements><messageEventDefinition id="m"/></startEvent>
<serviceTask id="work" implementation="channel:checked"/><endEvent id="end"/>
<sequenceFlow id="f1" sourceRef="start" targetRef="work"/><sequenceFlow id="f2" sourceRef="work" targetRef="end"/>`,
          },
          files: { 'schemas/score/score.json': '{"type":"object","required":["score"]}' },
        }),
      );
      const { instanceId } = (await engine.post('/channels/checks', {})).body;
      const task = await rest.fetchTask('checked');
      const refused = await rest.refused('POST', `external-task/${task.id}/complete`, { workerId: 'w' });
      assert.deepEqual([refused.status, refused.type, refused.code], [500, 'ProcessEngineException', 0]);
      await rest.complete(task, { score: { value: 1 } });
      assert.equal((await engine.ended(instanceId)).status, 'completed');
    });

    const lockedCount = async (): Promise<number> =>
      (await rest.get<{ readonly count: number }>('external-task/count?topicName=b&locked=true')).count;
    const until = async (count: number): Promise<void> => {
      const deadline = performance.now() + 20_000;
      while ((await lockedCount()) !== count)
        assert.ok(performance.now() < deadline, `${String(count)} locked`);
    };
    const fetchUntil = (signal: AbortSignal): Promise<unknown> =>
      rest
        .call('POST', 'external-task/fetchAndLock', {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(poll([topic('b')], { asyncResponseTimeout: 20_000 })),
          signal,
        })
        .catch(() => null);

    test('F2: whoever hangs up while it waits has nothing locked', async () => {
      const gone = new AbortController();
      const waiting = fetchUntil(gone.signal);
      await new Promise((resolve) => setTimeout(resolve, 100));
      gone.abort();
      await waiting;
      const { id } = await rest.start('b');
      const task = await rest.fetchTask('b');
      assert.equal(task.processInstanceId, id);
      await rest.complete(task);
    });

    // Where another connection can hold the answer up.
    if (target.name === 'postgresql') {
      test('F2: whoever hangs up between the lock and the answer gives it back', async () => {
        const { id } = await rest.start('b');
        const gone = new AbortController();
        let waiting: Promise<unknown> = Promise.resolve();
        await database.transaction(async (transaction) => {
          await transaction.run(
            { name: 'hold_up_answers', text: 'LOCK TABLE alias IN ACCESS EXCLUSIVE MODE' },
            [],
          );
          waiting = fetchUntil(gone.signal);
          await until(1);
          gone.abort();
          await waiting;
        });
        await until(0);
        const task = await rest.fetchTask('b');
        assert.equal(task.processInstanceId, id);
        await rest.complete(task);
      });
    }
  });
}
