/** Call activities that run processes of other packages of the tenant. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { becomes } from '../deployments/states.ts';
import { testDatabases } from '../support/database.ts';
import { TestEngine, type TaskAnswer } from '../support/engine.ts';
import { call, flows, packageFiles, start } from '../support/packages.ts';

const calling = (called: string, inside = ''): string =>
  `<callActivity id="calling" calledElement="${called}"><extensionElements>${inside}</extensionElements></callActivity>`;

const http = (name: string): string =>
  `  - { name: ${name}, transport: http, bind: "POST /channels/${name}", ack-mode: on-persist }`;

const callerProcess = (channel: string, called: string, inside = ''): string =>
  `${start(channel)}${calling(called, inside)}<endEvent id="end"/>${flows('start -> calling', 'calling -> end')}`;

/** The module that calls. `own`: a process of its own that others have too. */
const caller = packageFiles({
  module: 'caller',
  channels: ['orders', 'latest', 'mine', 'nobody', 'both']
    .map(http)
    .concat('  - { name: caller-work, transport: pull }')
    .join('\n'),
  processes: {
    order: callerProcess('orders', 'helper'),
    newest: callerProcess('latest', 'helper', '<q:call binding="latest"/>'),
    mine: callerProcess('mine', 'own'),
    nobody: callerProcess('nobody', 'missing'),
    both: callerProcess('both', 'ambiguous'),
    own: `<startEvent id="begin"/>${call('own-work', 'caller-work')}<endEvent id="done"/>${flows('begin -> own-work', 'own-work -> done')}`,
  },
});

const helper = (version: string): Record<string, string> =>
  packageFiles({
    module: 'helper',
    version,
    channels: `${http(`answers`)}
  - { name: helper-work, transport: pull }
  - { name: helper-asks, transport: pull }`,
    processes: {
      helper: `<startEvent id="begin"/>
        ${call('work-it', 'helper-work', `<q:param name="version" expression="&quot;${version}&quot;"/><q:output variable="worked"/>`)}
        <receiveTask id="wait"><extensionElements><q:source channel="answers" name="answer"/><q:alias name="ticket" expression="if answer = null then payload.ticket else answer.ticket" unique="true"/></extensionElements></receiveTask>
        ${call('ask', 'helper-asks', '<q:source channel="answers" name="asked"/>')}
        <endEvent id="done"/>${flows('begin -> work-it', 'work-it -> wait', 'wait -> ask', 'ask -> done')}`,
      own: `<startEvent id="start-own"/><endEvent id="end-own"/>${flows('start-own -> end-own')}`,
      ambiguous: `<startEvent id="start-a"/><endEvent id="end-a"/>${flows('start-a -> end-a')}`,
    },
  });

/** A third module, with a channel of the same name and a process that listens on it. */
const other = packageFiles({
  module: 'other',
  channels:
    '  - { name: answers, transport: http, bind: "POST /channels/other-answers", ack-mode: on-persist }',
  processes: {
    ambiguous: `<startEvent id="start-a"/><endEvent id="end-a"/>${flows('start-a -> end-a')}`,
    listens: `<startEvent id="start-l"/><receiveTask id="listen"><extensionElements><q:source channel="answers" name="answer"/></extensionElements></receiveTask><endEvent id="end-l"/>${flows('start-l -> listen', 'listen -> end-l')}`,
  },
});

type Parked = TaskAnswer & {
  readonly deploymentId: string;
  readonly module: string;
  readonly processId: string;
};

for (const target of testDatabases()) {
  describe(`calls into other packages on ${target.name}`, { timeout: 120_000 }, () => {
    let engine: TestEngine;
    let callerId: string;
    let helperId: string;
    before(async () => {
      engine = await TestEngine.start({
        database: await target.open(),
        env: { SUTRA_DEPLOYMENTS_POLL_INTERVAL: 'PT0.1S' },
      });
      callerId = await engine.deploy(caller);
      helperId = await engine.deploy(helper('1.0.0'));
      await engine.deploy(other);
    });
    after(() => engine.stop());

    const fetch = async (channel: string): Promise<Parked> => (await engine.fetchTask(channel)) as Parked;
    const calls = async (): Promise<number> => {
      const rows = await engine.engine.database.run<{ count: number }>(
        { name: 'test_count_calls', text: 'SELECT count(*)::integer AS count FROM instance_call' },
        [],
      );
      return rows[0]?.count ?? -1;
    };
    const deployment = async (id: string): Promise<{ readonly state: string }> =>
      (await engine.get(`/sutra/deployments/${id}`)).body as unknown as { readonly state: string };

    /** Through all that the called process waits for. */
    const finish = async (instanceId: string, ticket: string): Promise<void> => {
      const resumed = await engine.post('/channels/answers', { ticket });
      assert.equal(resumed.body.instanceId, instanceId, JSON.stringify(resumed.body));
      const asked = await fetch('helper-asks');
      const key = (asked as unknown as { idempotencyKey: string }).idempotencyKey;
      const echoed = await engine.post('/channels/answers', { ok: true }, { 'correlation-id': key });
      assert.equal(echoed.body.instanceId, instanceId, JSON.stringify(echoed.body));
      assert.equal((await engine.instance(instanceId)).status, 'completed');
    };

    it('work, wait and are answered in the module of the called process', async () => {
      const { body } = await engine.post('/channels/orders', { ticket: 'a' });
      const task = await fetch('helper-work');
      assert.deepEqual(
        [task.instanceId, task.deploymentId, task.module, task.processId],
        [body.instanceId, helperId, 'helper', 'helper'],
      );
      assert.equal(await calls(), 1);
      assert.equal((await engine.complete(task, { done: true })).body.outcome, 'ACCEPTED');
      const instance = await engine.instance(body.instanceId);
      assert.equal(instance.deploymentId, callerId);
      await finish(body.instanceId, 'a');
      assert.equal(await calls(), 0);
    });

    it('are not answered from a module that is not called', async () => {
      const { body } = await engine.post('/channels/orders', { ticket: 'foreign' });
      await engine.complete(await fetch('helper-work'), {});
      await engine.post('/channels/answers', { ticket: 'foreign' });
      const asked = await fetch('helper-asks');
      const key = { 'correlation-id': (asked as unknown as { idempotencyKey: string }).idempotencyKey };
      const foreign = await engine.post('/channels/other-answers', { ok: true }, key);
      assert.equal(foreign.body.code, 'SUTRA.INBOUND.NOT_CORRELATED');
      assert.equal((await engine.instance(body.instanceId)).status, 'running');
      assert.equal((await engine.post('/channels/answers', { ok: true }, key)).status, 202);
      assert.equal((await engine.instance(body.instanceId)).status, 'completed');
    });

    it('hold unique values of the called module against whoever calls it', async () => {
      const { body: first } = await engine.post('/channels/orders', { ticket: 'same' });
      await engine.complete(await fetch('helper-work'), {});
      const { body: second } = await engine.post('/channels/orders', { ticket: 'same' });
      const task = await fetch('helper-work');
      const refused = await engine.complete(task, {});
      assert.equal(refused.body.attributes['causeCode'], 'SUTRA.INBOUND.ALIAS_TAKEN');
      await finish(first.instanceId, 'same');
      assert.equal((await engine.complete(task, {})).body.outcome, 'ACCEPTED');
      await finish(second.instanceId, 'same');
      assert.equal(await calls(), 0);
    });

    it('run the process of the own deployment before that of another', async () => {
      const { body } = await engine.post('/channels/mine', {});
      const task = await fetch('caller-work');
      assert.deepEqual([task.deploymentId, task.module], [callerId, 'caller']);
      await engine.complete(task, {});
      assert.equal((await engine.instance(body.instanceId)).status, 'completed');
      assert.equal(await calls(), 0);
    });

    for (const [channel, why] of [
      ['nobody', 'is nowhere'],
      ['both', 'is in two other modules'],
    ] as const) {
      it(`fail when the process ${why}`, async () => {
        const { body } = await engine.post(`/channels/${channel}`, {});
        const failed = await engine.instance(body.instanceId);
        assert.equal(failed.status, 'failed');
        assert.equal(failed.failure?.elementId, 'calling');
      });
    }

    it('keep the version that they began with, and its deployment as long as they run', async () => {
      const { body: old } = await engine.post('/channels/latest', { ticket: 'old' });
      const oldTask = await fetch('helper-work');
      const newId = await engine.deploy(helper('2.0.0'));
      const { body: young } = await engine.post('/channels/latest', { ticket: 'young' });
      const youngTask = await fetch('helper-work');
      assert.deepEqual([oldTask.deploymentId, youngTask.deploymentId], [helperId, newId]);
      assert.deepEqual([oldTask.body['version'], youngTask.body['version']], ['1.0.0', '2.0.0']);
      await engine.complete(youngTask, {});
      await finish(young.instanceId, 'young');
      await engine.complete(oldTask, {});
      const detail = await engine.get(`/sutra/deployments/${helperId}`);
      const { state, load } = detail.body as unknown as { state: string; load: Record<string, number> };
      assert.deepEqual(
        [state, load['liveInstances'], load['callingInstances'], load['openTasks']],
        ['draining', 0, 1, 0],
      );
      // Longer than it drains at least: three polls and a second.
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      assert.equal((await deployment(helperId)).state, 'draining');
      await finish(old.instanceId, 'old');
      await becomes(async () => (await deployment(helperId)).state, 'retired');
    });
  });
}
