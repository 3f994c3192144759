/** All the ways in which an instance is started but for the plain one, a start event on a channel. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { testDatabases } from '../support/database.ts';
import { TestEngine, type Answer } from '../support/engine.ts';
import { call, flows, packageFiles } from '../support/packages.ts';

const http = (...names: readonly string[]): string =>
  names
    .map(
      (name) =>
        `  - { name: ${name}, transport: http, bind: "POST /channels/${name}", ack-mode: on-persist }`,
    )
    .join('\n');

const source = (channel: string, name: string, more = ''): string =>
  `<extensionElements><q:source channel="${channel}" name="${name}"/>${more}</extensionElements>`;

const alias = (expression: string): string => `<q:alias name="orderId" expression="${expression}"/>`;

const catchMessage = (id: string, channel: string, more = ''): string =>
  `<intermediateCatchEvent id="${id}">${source(channel, id, more)}<messageEventDefinition id="${id}-definition"/></intermediateCatchEvent>`;

const gateway = (type: string): string =>
  `<eventBasedGateway id="gateway" instantiate="true" eventGatewayType="${type}"/>`;

const person = '<userTask id="look"/><endEvent id="end"/>';

const plainStart = `<startEvent id="start"/>${person}${flows('start -> look', 'look -> end')}`;

const conditional = (condition: string): string =>
  `<startEvent id="start"><conditionalEventDefinition id="condition"><condition>${condition}</condition></conditionalEventDefinition></startEvent>
   ${person}${flows('start -> look', 'look -> end')}`;

const main = packageFiles({
  channels: `${http('received', 'first', 'second', 'paid', 'shipped', 'fast', 'slow', 'asked')}
  - { name: work, transport: pull }`,
  processes: {
    plain: plainStart,
    // No start event: it begins at what no flow leads to.
    implicit: `<task id="begin"/>${person}${flows('begin -> look', 'look -> end')}`,
    keyed: `<startEvent id="start"><extensionElements>${alias('businessKey')}</extensionElements></startEvent>
      <receiveTask id="wait">${source('asked', 'asked', alias('asked.id'))}</receiveTask><endEvent id="end"/>
      ${flows('start -> wait', 'wait -> end')}`,
    receives: `<receiveTask id="receive" instantiate="true">${source('received', 'order')}</receiveTask>${person}
      ${flows('receive -> look', 'look -> end')}`,
    // One start event with two triggers, each with a variable of its own.
    several: `<startEvent id="start">
        <messageEventDefinition id="one">${source('first', 'one')}</messageEventDefinition>
        <messageEventDefinition id="two">${source('second', 'two')}</messageEventDefinition>
      </startEvent>${person}${flows('start -> look', 'look -> end')}`,
    both: `${gateway('Parallel')}${catchMessage('paid', 'paid', alias('paid.id'))}${catchMessage('shipped', 'shipped', alias('(if paid = null then shipped else paid).id'))}
      <parallelGateway id="join"/>${call('bill', 'work')}<endEvent id="end"/>
      ${flows('gateway -> paid', 'gateway -> shipped', 'paid -> join', 'shipped -> join', 'join -> bill', 'bill -> end')}`,
    either: `${gateway('Exclusive')}${catchMessage('fast', 'fast')}${catchMessage('slow', 'slow')}${person}
      ${flows('gateway -> fast', 'gateway -> slow', 'fast -> look', 'slow -> look', 'look -> end')}`,
    hot: conditional('temperature &gt; 30'),
    cold: conditional('temperature &lt; 0'),
    odd: conditional('label'),
  },
});

const otherModule = packageFiles({
  module: 'other',
  channels: http('other-orders'),
  processes: { plain: plainStart, mine: plainStart },
});

for (const target of testDatabases()) {
  describe(`starts on ${target.name}`, () => {
    let engine: TestEngine;
    let otherId = '';
    before(async () => {
      engine = await TestEngine.start({ database: await target.open() });
      await engine.deploy(main);
      otherId = await engine.deploy(otherModule);
    });
    after(() => engine.stop());

    const byId = (id: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
      engine.call('POST', `/sutra/processes/${id}/start`, body, headers);

    const sent = async (channel: string, body: unknown): Promise<string> => {
      const answer = await engine.post(`/channels/${channel}`, body);
      assert.equal(answer.status, 202, JSON.stringify(answer.body));
      return answer.body.instanceId;
    };

    it('by id take variables and a business key', async () => {
      const answer = await byId('mine', { variables: { n: 1, list: [1, 'a'] }, businessKey: 'A-17' });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      assert.equal(answer.body.duplicate, false);
      const { variables, tokens, deploymentId } = await engine.instance(answer.body.instanceId);
      assert.deepEqual(variables, { n: 1, list: [1, 'a'], businessKey: 'A-17' });
      assert.deepEqual(
        tokens.map(({ elementId }) => elementId),
        ['look'],
      );
      assert.equal(deploymentId, otherId);
      assert.equal((await byId('implicit')).status, 201);
    });

    it('by id under one idempotency key start one instance', async () => {
      const first = await byId('mine', {}, { 'idempotency-key': 'k' });
      const again = await byId('mine', { variables: { n: 2 } }, { 'idempotency-key': 'k' });
      assert.equal(again.status, 200);
      assert.deepEqual(again.body, { instanceId: first.body.instanceId, duplicate: true });
      const other = await byId('implicit', {}, { 'idempotency-key': 'k' });
      assert.equal(other.status, 201, 'the key belongs to the process');
    });

    it('by id register the aliases of the start event', async () => {
      const { body } = await byId('keyed', { businessKey: 'B-1' });
      assert.equal(await sent('asked', { id: 'B-1' }), body.instanceId);
      assert.equal((await engine.instance(body.instanceId)).status, 'completed');
    });

    it('by id are refused with what to do', async () => {
      const rows: readonly [string, unknown, number, string][] = [
        ['nowhere', {}, 404, 'SUTRA.PROCESS.NOT_FOUND'],
        ['plain', {}, 409, 'SUTRA.PROCESS.AMBIGUOUS'],
        ['hot', {}, 422, 'SUTRA.PROCESS.NO_START'],
        ['mine', { variables: [] }, 400, 'SUTRA.HTTP.FIELD_INVALID'],
        ['mine', { key: 'x' }, 400, 'SUTRA.HTTP.FIELD_UNKNOWN'],
        ['mine', { businessKey: 'x', variables: { businessKey: 'y' } }, 400, 'SUTRA.HTTP.FIELD_INVALID'],
      ];
      for (const [id, body, status, code] of rows) {
        const answer = await byId(id, body);
        assert.equal(answer.body.code, code, JSON.stringify(answer.body));
        assert.equal(answer.status, status);
      }
      const ambiguous = await byId('plain');
      assert.deepEqual(ambiguous.body.attributes['modules'], ['test/main', 'test/other']);
      const named = await engine.post('/sutra/processes/plain/start?module=other&tenant=test', {});
      assert.equal(named.status, 201);
      assert.equal((await engine.instance(named.body.instanceId)).deploymentId, otherId);
    });

    it('by a receive task that instantiates', async () => {
      const { variables, tokens } = await engine.instance(await sent('received', { n: 1 }));
      assert.deepEqual(variables['order'], { n: 1 });
      assert.equal(tokens[0]?.elementId, 'look');
    });

    it('by each trigger of one start event, into its own variable', async () => {
      for (const [channel, variable] of [
        ['first', 'one'],
        ['second', 'two'],
      ] as const) {
        const { variables, tokens } = await engine.instance(await sent(channel, { from: channel }));
        assert.deepEqual(variables[variable], { from: channel });
        assert.equal(tokens[0]?.elementId, 'look');
      }
    });

    it('by the first message behind a parallel gateway; the second one joins it', async () => {
      const paid = await sent('paid', { id: 1 });
      assert.notEqual(await sent('paid', { id: 2 }), paid);
      assert.equal(await sent('shipped', { id: 1 }), paid);
      const task = await engine.fetchTask('work');
      assert.equal(task.instanceId, paid);
      await engine.complete(task, {});
      assert.equal((await engine.instance(paid)).status, 'completed');
      assert.notEqual(await sent('shipped', { id: 1 }), paid, 'nobody waits for it any more');
    });

    it('by either message behind an exclusive gateway, once each', async () => {
      for (const channel of ['fast', 'slow', 'fast']) {
        const { variables, tokens } = await engine.instance(await sent(channel, { from: channel }));
        assert.deepEqual(variables[channel], { from: channel });
        assert.deepEqual(
          tokens.map(({ elementId }) => elementId),
          ['look'],
        );
      }
    });

    it('by conditions that hold over the variables, in one commit', async () => {
      const evaluate = (variables: unknown, key?: string): Promise<Answer> =>
        engine.call(
          'POST',
          '/sutra/conditions',
          { variables },
          key === undefined ? {} : { 'idempotency-key': key },
        );
      const answer = await evaluate({ temperature: 35, label: true }, 'c-1');
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      const { started, failed } = answer.body as unknown as {
        started: { processId: string; instanceId: string; startEventId: string }[];
        failed: unknown[];
      };
      assert.deepEqual(started.map(({ processId }) => processId).sort(), ['hot', 'odd']);
      assert.deepEqual(failed, []);
      const hot = await engine.instance(
        started.find(({ processId }) => processId === 'hot')?.instanceId ?? '',
      );
      assert.equal(hot.variables['temperature'], 35);
      assert.deepEqual((await evaluate({ temperature: 35, label: true }, 'c-1')).body, {
        started: [],
        failed: [],
        duplicate: true,
      });
      const wrong = (await evaluate({ temperature: 20, label: 'x' })).body as unknown as {
        started: unknown[];
        failed: { processId: string; startEventId: string; message: string }[];
      };
      assert.deepEqual(wrong.started, []);
      assert.deepEqual(
        wrong.failed.map(({ processId, startEventId }) => [processId, startEventId]),
        [['odd', 'start']],
      );
      assert.match(wrong.failed[0]?.message ?? '', /neither true nor false/);
      assert.deepEqual((await evaluate({})).body, { started: [], failed: [], duplicate: false });
    });

    it('come from no deployment that drains', async () => {
      await engine.call('DELETE', `/admin/deployments/${otherId}`);
      assert.equal((await byId('mine')).body.code, 'SUTRA.PROCESS.NOT_FOUND');
      assert.equal((await byId('plain')).status, 201, 'one is left');
      const tenant = packageFiles({
        module: 'main',
        channels: http('stranger'),
        processes: { plain: plainStart },
      });
      tenant['package.yaml'] = 'labels: { tenant: stranger, module: main, version: 1.0.0 }\n';
      await engine.deploy(tenant);
      assert.equal((await byId('plain')).body.code, 'SUTRA.PROCESS.AMBIGUOUS');
      const unnamed = await engine.call('POST', '/sutra/conditions', { variables: {} });
      assert.equal(unnamed.body.code, 'SUTRA.TENANT.AMBIGUOUS');
      assert.equal((await engine.call('POST', '/sutra/signals/x')).body.code, 'SUTRA.TENANT.AMBIGUOUS');
      assert.equal((await engine.call('POST', '/sutra/signals/x?tenant=stranger')).status, 202);
    });
  });
}
