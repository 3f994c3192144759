/** Instances that go on with another deployment, over HTTP: their rows, their tasks, and who works on them meanwhile. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Database } from '../../engine/store/database.ts';
import { testDatabases } from '../support/database.ts';
import { TestEngine, type Answer, type TaskAnswer } from '../support/engine.ts';
import { call, flows, packageFiles, type TestPackage } from '../support/packages.ts';
import { contentsOf, parked, rowsOf } from './stored-rows.ts';

type Files = Readonly<Record<string, string>>;
type Task = TaskAnswer & { readonly deploymentId: string; readonly version: string };
interface Place {
  readonly kind: string;
  readonly elementId: string;
}
interface Preview {
  readonly tokens: readonly { readonly elementId: string }[];
  readonly newWaits: readonly Place[];
  readonly endedWaits: readonly Place[];
  readonly sends: readonly unknown[];
}

/** Two versions of a module of its own, so that no test meets the instances of another. */
function versions(
  module: string,
  one: Partial<TestPackage>,
  two: Partial<TestPackage>,
): readonly [Files, Files] {
  const channels = '  - { name: unused, transport: pull }';
  const base = { channels, processes: {}, ...one };
  return [
    packageFiles({ ...base, module, version: '1.0.0' }),
    packageFiles({ ...base, ...two, module, version: '2.0.0' }),
  ];
}

const schema = (required: string): string =>
  JSON.stringify({ type: 'object', required: [required], properties: {} });
const terminal = (id: string): string =>
  `<boundaryEvent id="over" attachedToRef="${id}"><errorEventDefinition errorRef="terminal"/></boundaryEvent>
   <userTask id="look"/><endEvent id="given-up"/>${flows('over -> look', 'look -> given-up')}`;

for (const target of testDatabases()) {
  describe(`migrations on ${target.name}`, { timeout: 180_000 }, () => {
    let engine: TestEngine;
    let database: Database;
    before(async () => {
      database = await target.open();
      // Retired deployments are not taken back: nobody polls.
      engine = await TestEngine.start({ database, env: { SUTRA_DEPLOYMENTS_POLL_INTERVAL: 'PT1H' } });
    });
    after(() => engine.stop());

    const begin = async (processId: string, variables: unknown = {}): Promise<string> => {
      const answer = await engine.post(`/sutra/processes/${processId}/start`, { variables });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return answer.body.instanceId;
    };
    const migrate = (id: string, deploymentId: string, more: object = {}): Promise<Answer> =>
      engine.post(`/admin/instances/${id}/migrate`, { deploymentId, ...more });
    const migrated = async (id: string, deploymentId: string, more: object = {}): Promise<void> => {
      const answer = await migrate(id, deploymentId, more);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
    };
    const retire = async (id: string): Promise<void> => {
      const at = new Date();
      await database
        .knex('deployment')
        .where({ id })
        .update({ state: 'retired', drained_at: at, retired_at: at });
    };
    const active = async (id: string): Promise<string[]> =>
      (await engine.instance(id)).tokens.map(({ elementId }) => elementId).sort();
    const places = (list: readonly Place[]): string[] =>
      list.map((wait) => `${wait.kind}:${wait.elementId}`).sort();
    const load = async (deploymentId: string): Promise<unknown> =>
      ((await engine.get(`/sutra/deployments/${deploymentId}`)).body as unknown as { load: unknown }).load;
    const tasks = (channel: string, asyncResponseTimeout = 'PT0S'): Promise<readonly Task[]> =>
      engine.fetchTasks(channel, { asyncResponseTimeout, maxTasks: 100 }) as Promise<readonly Task[]>;
    const task = (channel: string): Promise<Task> => engine.fetchTask(channel) as Promise<Task>;
    const reasons = ({ body }: Answer): readonly { readonly elementId: string; readonly message: string }[] =>
      (body.attributes['reasons'] ?? []) as ReturnType<typeof reasons>;

    it('say what they would do, write nothing of it, and then do just that; who has a task completes it', async () => {
      const [one, two] = versions(
        'held',
        {
          channels: '  - { name: held-work, transport: pull, codec: "urn:result" }',
          files: { 'schemas/result/default.json': schema('score') },
          processes: {
            held: `<startEvent id="start"/>${call('score', 'held-work', '<q:timeout duration="PT1H"/><q:output variable="answer"/>')}
              <boundaryEvent id="slow" attachedToRef="score" cancelActivity="false"><timerEventDefinition id="t"><timeDuration>PT2H</timeDuration></timerEventDefinition></boundaryEvent>
              <endEvent id="nudged"/><userTask id="review"/><endEvent id="end"/>
              ${flows('start -> score', 'score -> review', 'review -> end', 'slow -> nudged')}`,
          },
        },
        {
          files: { 'schemas/result/default.json': schema('rating') },
          processes: {
            held: `<startEvent id="start"/>${call('rate', 'held-work', '<q:timeout duration="PT1H"/><q:output variable="answer"/>')}
              <boundaryEvent id="late" attachedToRef="rate"><timerEventDefinition id="t"><timeDuration>PT3H</timeDuration></timerEventDefinition></boundaryEvent>
              <endEvent id="nudged"/><userTask id="audit"/><endEvent id="end"/>
              ${flows('start -> rate', 'rate -> audit', 'audit -> end', 'late -> nudged')}`,
          },
        },
      );
      const from = await engine.deploy(one);
      const id = await begin('held');
      const held = await task('held-work');
      assert.deepEqual([held.elementId, held.version], ['score', '1.0.0']);
      const to = await engine.deploy(two);
      const before = await contentsOf(database);
      const dry = await migrate(id, to, { elements: { score: 'rate' }, dryRun: true });
      assert.equal(dry.status, 200, JSON.stringify(dry.body));
      const { preview, ...answer } = dry.body as unknown as { readonly preview: Preview };
      assert.deepEqual(answer, { instanceId: id, deploymentId: to, status: 'running', isDryRun: true });
      assert.deepEqual(
        preview.tokens.map(({ elementId }) => elementId),
        ['rate'],
      );
      assert.deepEqual(places(preview.newWaits), ['timer:late']);
      assert.deepEqual(places(preview.endedWaits), ['timer:slow']);
      assert.deepEqual(preview.sends, []);
      assert.deepEqual(await contentsOf(database), before);

      const done = await migrate(id, to, { elements: { score: 'rate' }, reason: 'rated anew' });
      assert.deepEqual(done.body, { instanceId: id, deploymentId: to, status: 'running', isDryRun: false });
      assert.equal((await engine.instance(id)).deploymentId, to);
      assert.deepEqual(await load(from), {
        liveInstances: 0,
        callingInstances: 0,
        openTasks: 0,
        outboxRows: 0,
      });
      assert.deepEqual(await load(to), {
        liveInstances: 1,
        callingInstances: 0,
        openTasks: 1,
        outboxRows: 0,
      });
      const timers = await rowsOf(database, 'timer', { instance_id: id });
      assert.deepEqual(timers.map((row) => row['element_id']).sort(), ['late', 'rate']);

      const old = await engine.complete(held, { score: 1 });
      assert.equal(
        old.body.code,
        'SUTRA.EXTERNAL_TASK.COMPLETION_REJECTED',
        'the new model judges the result',
      );
      const completed = await engine.complete(held, { rating: 7 });
      assert.equal(completed.body.outcome, 'ACCEPTED', JSON.stringify(completed.body));
      assert.deepEqual(await active(id), ['audit']);
      assert.deepEqual((await engine.instance(id)).variables['answer'], { rating: 7 });
      const { entries } = (await engine.get(`/sutra/instances/${id}/history`)).body as unknown as {
        readonly entries: readonly {
          readonly event: string;
          readonly elementId: string;
          readonly detail: unknown;
        }[];
      };
      const events = ['commandReceived', 'migrated', 'elementMigrated'];
      const told = entries.filter(({ event }) => events.includes(event));
      assert.deepEqual(
        told.map(({ event, elementId, detail }) => [event, elementId, detail]),
        [
          ['commandReceived', null, { command: 'migrate', reason: 'rated anew' }],
          ['migrated', null, { from, to }],
          ['elementMigrated', 'score', { to: 'rate' }],
        ],
      );
    });

    it('hand an open task to a worker that waits for the channel of the other deployment', async () => {
      const process = `<startEvent id="start"/>${call('ask', 'open-work')}<endEvent id="end"/>${flows('start -> ask', 'ask -> end')}`;
      const channels = '  - { name: open-work, transport: pull }';
      const [one, two] = versions('open', { channels, processes: { open: process } }, {});
      const from = await engine.deploy(one);
      const id = await begin('open');
      await parked(database, id, 1);
      // Nobody fetches the tasks of a deployment that has retired.
      await retire(from);
      const to = await engine.deploy(two);
      assert.deepEqual(await tasks('open-work'), []);
      const waiting = task('open-work');
      await migrated(id, to);
      const found = await waiting;
      assert.deepEqual([found.instanceId, found.deploymentId, found.version], [id, to, '2.0.0']);
      assert.equal((await engine.complete(found, {})).body.outcome, 'ACCEPTED');
      assert.equal((await engine.instance(id)).status, 'completed');
    });

    it('keep timers and aliases, by the new ids of their elements', async () => {
      const process = (pause: string, wait: string): string =>
        `<startEvent id="start"/><parallelGateway id="fork"/>
         <intermediateCatchEvent id="${pause}"><timerEventDefinition id="t"><timeDuration>PT1.5S</timeDuration></timerEventDefinition></intermediateCatchEvent>
         <receiveTask id="${wait}"><extensionElements><q:source channel="kept-paid" name="payment"/><q:alias name="order" expression="if payment = null then order else payment.order" unique="true"/></extensionElements></receiveTask>
         <userTask id="ship"/><endEvent id="end"/>
         ${flows('start -> fork', `fork -> ${pause}`, `${pause} -> ship`, `fork -> ${wait}`, `${wait} -> ship`, 'ship -> end')}`;
      const channels =
        '  - { name: kept-paid, transport: http, bind: "POST /channels/kept-paid", ack-mode: on-persist }';
      const [one, two] = versions(
        'kept',
        { channels, processes: { kept: process('pause', 'wait') } },
        { processes: { kept: process('cool-off', 'pay') } },
      );
      await engine.deploy(one);
      const id = await begin('kept', { order: 'A-1' });
      const due = (await rowsOf(database, 'timer', { instance_id: id }))[0]?.['due_at'];
      await migrated(id, await engine.deploy(two), { elements: { pause: 'cool-off', wait: 'pay' } });
      const [timer] = await rowsOf(database, 'timer', { instance_id: id });
      assert.deepEqual([timer?.['element_id'], timer?.['due_at']], ['cool-off', due]);
      const paid = await engine.post('/channels/kept-paid', { order: 'A-1' });
      assert.equal(paid.body.instanceId, id, JSON.stringify(paid.body));
      await engine.until(
        id,
        ({ tokens }) => tokens.filter(({ elementId }) => elementId === 'ship').length === 2,
      );
      assert.deepEqual(await rowsOf(database, 'timer', { instance_id: id }), []);
    });

    it('leave a failed instance failed and what it has held, until it is retried in the new model', async () => {
      const process = (choose: string, more: string): string =>
        `<startEvent id="start"/><parallelGateway id="fork"/>${call('ask', 'failed-work')}<userTask id="end-work"/>
         <userTask id="prepare"/><exclusiveGateway id="${choose}"/><userTask id="review"/>${more}
         ${flows('start -> fork', 'fork -> ask', 'ask -> end-work', 'fork -> prepare', `prepare -> ${choose}`)}
         <sequenceFlow id="to-review" sourceRef="${choose}" targetRef="review"><conditionExpression>amount &gt; 0</conditionExpression></sequenceFlow>`;
      const reminder =
        '<boundaryEvent id="reminder" attachedToRef="ask" cancelActivity="false"><timerEventDefinition id="t"><timeDuration>PT0.1S</timeDuration></timerEventDefinition></boundaryEvent><userTask id="remind"/>' +
        flows('reminder -> remind');
      const [one, two] = versions(
        'failed',
        {
          channels: '  - { name: failed-work, transport: pull }',
          processes: { failed: process('choose', '') },
        },
        {
          processes: {
            failed: process(
              'select',
              `<userTask id="fallback"/>${reminder}<sequenceFlow id="otherwise" sourceRef="select" targetRef="fallback"><conditionExpression>amount = 0</conditionExpression></sequenceFlow>`,
            ),
          },
        },
      );
      const from = await engine.deploy(one);
      const id = await begin('failed', { amount: 0 });
      await parked(database, id, 1);
      const prepare = (await engine.instance(id)).tokens.find(({ elementId }) => elementId === 'prepare');
      const prepared = `/sutra/instances/${id}/user-tasks/${String(prepare?.id)}/complete`;
      assert.equal((await engine.post(prepared, {})).body.status, 'failed');
      const to = await engine.deploy(two);
      await migrated(id, to, { elements: { choose: 'select' } });
      const { status, failure, deploymentId } = await engine.instance(id);
      assert.deepEqual([status, failure?.elementId, deploymentId], ['failed', 'select', to]);
      const filtered = await engine.get(`/sutra/instances?failureElement=select&deploymentId=${to}`);
      assert.equal(filtered.body.instances.length, 1);
      const [incident] = await rowsOf(database, 'incident', { instance_id: id });
      assert.deepEqual([incident?.['element_id'], incident?.['resolved_at']], ['select', null]);
      const rows = [
        ...(await rowsOf(database, 'external_task', { instance_id: id })),
        ...(await rowsOf(database, 'timer', { instance_id: id })),
      ];
      assert.deepEqual(
        rows.map((row) => row['held']),
        [true, true],
        'its task, and the timer that the new model adds',
      );
      assert.deepEqual(await tasks('failed-work'), []);
      assert.deepEqual(await load(from), {
        liveInstances: 0,
        callingInstances: 0,
        openTasks: 0,
        outboxRows: 0,
      });

      const retried = await engine.post(`/admin/instances/${id}/retry`, {});
      assert.equal(retried.body.status, 'running', JSON.stringify(retried.body));
      const held = await task('failed-work');
      assert.deepEqual([held.instanceId, held.deploymentId], [id, to]);
      await engine.until(id, ({ tokens }) => tokens.some(({ elementId }) => elementId === 'remind'));
      assert.equal((await engine.complete(held, {})).body.outcome, 'ACCEPTED');
      assert.deepEqual(await active(id), ['end-work', 'fallback', 'remind']);
      const [resolved] = await rowsOf(database, 'incident', { instance_id: id });
      assert.notEqual(resolved?.['resolved_at'], null);
    });

    it('let the new model say what becomes of a task that spends its budget', async () => {
      const process = (more: string): string =>
        `<startEvent id="start"/>${call('ask', 'spent-work')}<endEvent id="end"/>${more}${flows('start -> ask', 'ask -> end')}`;
      const definitions = '<error id="terminal" errorCode="SUTRA.EXTERNAL_TASK.TERMINAL"/>';
      const channels = '  - { name: spent-work, transport: pull }';
      const [plain, bound] = versions(
        'spent',
        { channels, definitions, processes: { spent: process('') } },
        { processes: { spent: process(terminal('ask')) } },
      );
      const spend = async ({ id, lockToken }: Task): Promise<void> => {
        const failure = { workerId: 'worker-1', lockToken, errorMessage: 'no', retries: 0 };
        const answer = await engine.post(`/sutra/external-tasks/${id}/failure`, failure);
        assert.equal(answer.body.status, 'TERMINAL');
      };
      const plainId = await engine.deploy(plain);
      const first = await begin('spent');
      const caught = await task('spent-work');
      const boundId = await engine.deploy(bound);
      await migrated(first, boundId);
      await spend(caught);
      await engine.until(first, ({ tokens }) => tokens.some(({ elementId }) => elementId === 'look'));

      const second = await begin('spent');
      const uncaught = await task('spent-work');
      await migrated(second, plainId);
      await spend(uncaught);
      const [incident] = await rowsOf(database, 'incident', { instance_id: second });
      assert.equal(incident?.['kind'], 'task-terminal');
      // It stays terminal in another model, with its incident.
      await migrated(second, boundId);
      const rows = await rowsOf(database, 'external_task', { instance_id: second });
      assert.deepEqual(
        rows.map((row) => [row['state'], row['deployment_id']]),
        [['failed', boundId]],
      );
      assert.deepEqual(await active(second), ['ask']);
    });

    it('send a request that has not left by the channel of the new model', async () => {
      const received: string[] = [];
      const peer = createServer((request, response) => {
        received.push(String(request.url));
        request.resume().on('end', () => {
          response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
        });
      });
      await new Promise<void>((resolve) => peer.listen(0, '127.0.0.1', resolve));
      const { port } = peer.address() as AddressInfo;
      const channel = (url: string): string => `  - { name: far-peer, transport: http, bind: "${url}" }`;
      const process = (id: string): string =>
        `<startEvent id="start"/>${call(id, 'far-peer', '<q:output variable="answer"/>')}<userTask id="read"/>${flows(`start -> ${id}`, `${id} -> read`)}`;
      const [one, two] = versions(
        'far',
        { channels: channel('http://127.0.0.1:9/old'), processes: { far: process('ask') } },
        {
          channels: channel(`http://127.0.0.1:${String(port)}/new`),
          processes: { far: process('ask-again') },
        },
      );
      await engine.deploy(one);
      const id = await begin('far');
      const to = await engine.deploy(two);
      await migrated(id, to, { elements: { ask: 'ask-again' } });
      await engine.until(id, ({ tokens }) => tokens.some(({ elementId }) => elementId === 'read'));
      assert.deepEqual(received, ['/new']);
      peer.close();
    });

    it('leave what the instance only sent with the deployment that sent it', async () => {
      const process = `<startEvent id="start"/>
        <sendTask id="tell"><extensionElements><q:send channel="told-work" body="1"/></extensionElements></sendTask>
        <userTask id="wait"/>${flows('start -> tell', 'tell -> wait')}`;
      const [one, two] = versions(
        'told',
        { channels: '  - { name: told-work, transport: pull }', processes: { told: process } },
        {},
      );
      const from = await engine.deploy(one);
      const id = await begin('told');
      await parked(database, id, 1);
      await migrated(id, await engine.deploy(two));
      assert.deepEqual(await load(from), {
        liveInstances: 0,
        callingInstances: 0,
        openTasks: 1,
        outboxRows: 0,
      });
      const told = await task('told-work');
      assert.equal(told.deploymentId, from);
      assert.equal((await engine.complete(told, {})).status, 200);
      assert.equal((await engine.instance(id)).status, 'running');
    });

    it('take the runs of a parallel activity along, and processes that it has called', async () => {
      const inner = (id: string): string =>
        `<startEvent id="in"/>${call(id, 'wide-work')}<endEvent id="out"/>${flows(`in -> ${id}`, `${id} -> out`)}`;
      const outer = `<startEvent id="start"/><parallelGateway id="fork"/>
        <subProcess id="each"><multiInstanceLoopCharacteristics><loopCardinality>3</loopCardinality></multiInstanceLoopCharacteristics>
          <startEvent id="begin"/>${call('send', 'wide-work')}${flows('begin -> send')}</subProcess>
        <callActivity id="sub" calledElement="callee"/><parallelGateway id="join"/><endEvent id="end"/>
        ${flows('start -> fork', 'fork -> each', 'fork -> sub', 'each -> join', 'sub -> join', 'join -> end')}`;
      const [one, two] = versions(
        'wide',
        {
          channels: '  - { name: wide-work, transport: pull }',
          processes: { wide: outer, callee: inner('work') },
        },
        { processes: { wide: outer, callee: inner('labour') } },
      );
      const from = await engine.deploy(one);
      const id = await begin('wide');
      await parked(database, id, 4);
      const [held, ...others] = await tasks('wide-work', 'PT5S');
      assert.ok(held !== undefined && others.length === 3);
      const to = await engine.deploy(two);
      const dry = await migrate(id, to, { dryRun: true });
      assert.deepEqual(
        reasons(dry).map(({ elementId }) => elementId),
        ['work'],
      );
      await migrated(id, to, { elements: { work: 'labour' } });
      const rows = await rowsOf(database, 'external_task', { instance_id: id });
      assert.deepEqual(
        rows.map((row) => [row['deployment_id'], row['element_id']]).sort(),
        [...['labour', 'send', 'send', 'send'].map((elementId) => [to, elementId])].sort(),
      );
      assert.deepEqual(await load(from), {
        liveInstances: 0,
        callingInstances: 0,
        openTasks: 0,
        outboxRows: 0,
      });
      for (const each of [held, ...others]) {
        assert.equal((await engine.complete(each, {})).body.outcome, 'ACCEPTED');
      }
      assert.equal((await engine.instance(id)).status, 'completed');
    });

    it('let go of a called deployment when the new model calls nothing', async () => {
      const callee = packageFiles({
        module: 'library',
        channels: '  - { name: unused, transport: pull }',
        processes: { lookup: `<startEvent id="in"/><endEvent id="out"/>${flows('in -> out')}` },
      });
      const process = (middle: string): string =>
        `<startEvent id="start"/>${middle}<userTask id="read"/><endEvent id="end"/>${flows('start -> sub', 'sub -> read', 'read -> end')}`;
      const [one, two] = versions(
        'caller',
        { processes: { caller: process('<callActivity id="sub" calledElement="lookup"/>') } },
        { processes: { caller: process('<userTask id="sub"/>') } },
      );
      const library = await engine.deploy(callee);
      await engine.deploy(one);
      const id = await begin('caller');
      assert.equal(
        (await rowsOf(database, 'instance_call', { instance_id: id }))[0]?.['deployment_id'],
        library,
      );
      await migrated(id, await engine.deploy(two));
      assert.deepEqual(await rowsOf(database, 'instance_call', { instance_id: id }), []);
    });

    describe('are refused with all reasons, and change nothing:', () => {
      const process = (id: string, channel: string): string =>
        `<startEvent id="start"/>${call(id, channel)}<userTask id="read"/>${flows(`start -> ${id}`, `${id} -> read`)}`;
      let id = '';
      const ids: Record<string, string> = {};
      before(async () => {
        const pull = '  - { name: no-work, transport: pull }\n  - { name: no-other, transport: pull }';
        const http = pull.replace(
          'no-work, transport: pull',
          'no-work, transport: http, bind: "http://127.0.0.1:9/x"',
        );
        const deploy = (version: string, channels: string, inside: string, module = 'no'): Promise<string> =>
          engine.deploy(packageFiles({ module, version, channels, processes: { no: inside } }));
        ids['other module'] = await deploy('1.0.0', pull, process('ask', 'no-work'), 'no-no');
        await engine.call('DELETE', `/admin/deployments/${ids['other module']}`);
        ids['retired'] = await deploy('0.0.1', pull, process('ask', 'no-work'));
        ids['own'] = await deploy('1.0.0', pull, process('ask', 'no-work'));
        id = await begin('no');
        await parked(database, id, 1);
        ids['other channel'] = await deploy('2.0.0', pull, process('ask', 'no-other'));
        ids['other transport'] = await deploy('3.0.0', http, process('ask', 'no-work'));
        ids['other element'] = await deploy('4.0.0', pull, process('call', 'no-work'));
        await retire(ids['retired'] ?? '');
      });

      const rows: readonly (readonly [
        what: string,
        deployment: string,
        more: object,
        status: number,
        code: string,
      ])[] = [
        ['its own deployment', 'own', {}, 409, 'SUTRA.CORE.MIGRATION_REFUSED'],
        [
          'one where the element calls another channel',
          'other channel',
          {},
          409,
          'SUTRA.CORE.MIGRATION_REFUSED',
        ],
        [
          'one where the channel is another transport',
          'other transport',
          {},
          409,
          'SUTRA.CORE.MIGRATION_REFUSED',
        ],
        ['one without the element', 'other element', {}, 409, 'SUTRA.CORE.MIGRATION_REFUSED'],
        [
          'a map to no element',
          'other element',
          { elements: { ask: 'nowhere' } },
          409,
          'SUTRA.CORE.MIGRATION_REFUSED',
        ],
        ['one of another module', 'other module', {}, 409, 'SUTRA.DEPLOYMENT.TARGET_INVALID'],
        ['one that has retired', 'retired', {}, 409, 'SUTRA.DEPLOYMENT.TARGET_INVALID'],
        ['one that never was', `dep-${'0'.repeat(24)}`, {}, 409, 'SUTRA.DEPLOYMENT.TARGET_INVALID'],
        ['what is no id', 'dep-1', {}, 400, 'SUTRA.HTTP.FIELD_INVALID'],
        ['elements that are no map', 'other element', { elements: ['ask'] }, 400, 'SUTRA.HTTP.FIELD_INVALID'],
        [
          'an element that is no text',
          'other element',
          { elements: { ask: 1 } },
          400,
          'SUTRA.HTTP.FIELD_INVALID',
        ],
        ['a field too many', 'own', { to: 'x' }, 400, 'SUTRA.HTTP.FIELD_UNKNOWN'],
        ['a dry run that is no flag', 'own', { dryRun: 'yes' }, 400, 'SUTRA.HTTP.FIELD_INVALID'],
      ];
      for (const [what, deployment, more, status, code] of rows) {
        it(what, async () => {
          const before = await contentsOf(database);
          const answer = await migrate(id, ids[deployment] ?? deployment, more);
          assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(answer.body));
          if (status === 409) {
            const dry = await migrate(id, ids[deployment] ?? deployment, { ...more, dryRun: true });
            assert.deepEqual(dry.body, answer.body, 'a dry run is refused as the migration would be');
          }
          const isRefusedByModel = code === 'SUTRA.CORE.MIGRATION_REFUSED';
          assert.equal(reasons(answer).length > 0, isRefusedByModel, JSON.stringify(answer.body));
          for (const { message } of reasons(answer)) assert.match(message, /\w+ \w+ \w+/);
          assert.deepEqual(await contentsOf(database), before);
        });
      }

      it('an instance that has ended, and one that is not there', async () => {
        await engine.post(`/sutra/instances/${id}/cancel`, {});
        const to = ids['other element'] ?? '';
        assert.equal((await migrate(id, to)).body.code, 'SUTRA.CORE.INSTANCE_ENDED');
        const none = await migrate('00000000-0000-7000-8000-000000000000', to);
        assert.deepEqual([none.status, none.body.code], [404, 'SUTRA.INSTANCE.NOT_FOUND']);
      });
    });
  });
}
