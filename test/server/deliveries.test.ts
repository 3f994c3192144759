import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { silentLog } from '../../engine/observe.ts';
import type { Database } from '../../engine/store/database.ts';
import { deliveryCommands } from '../../server/delivery-commands.ts';
import { becomes } from '../deployments/states.ts';
import { deliveryId, instanceId, seedOutbox } from '../store/operate-seed.ts';
import { testDatabases } from '../support/database.ts';
import { TestEngine } from '../support/engine.ts';
import { flows, packageFiles, start } from '../support/packages.ts';
import { adminHeaders, assertProblem, checkedCall, startTestServer, type TestServer } from './fixture.ts';

const idsOf = (json: Readonly<Record<string, unknown>>): string[] =>
  (json['deliveries'] as { id: string }[]).map((row) => row.id);

for (const target of testDatabases()) {
  describe(`the delivery routes on ${target.name}`, () => {
    let database: Database;
    let server: TestServer;
    const woken: string[] = [];
    before(async () => {
      database = await target.open();
      const wake = (transport: string): void => void woken.push(transport);
      server = await startTestServer({
        database,
        deliveries: deliveryCommands({ database, log: silentLog, wake }),
      });
      await seedOutbox(database, { number: 1, instance: 1 });
      await seedOutbox(database, { number: 2, instance: 1, state: 'poisoned' });
      await seedOutbox(database, { number: 3, instance: 2, state: 'poisoned', channel: 'mail' });
      await database.knex.raw(
        `INSERT INTO incident (id, kind, tenant, module, instance_id, subject_id, code, message)
         SELECT gen_random_uuid(), 'delivery-poisoned', tenant, module, instance_id, id, 'SUTRA.OUTBOX.REFUSED', 'm'
         FROM outbox WHERE state = 'poisoned'`,
      );
    });
    after(async () => {
      await server.stop();
      await database.close();
    });

    const incidentCount = async (): Promise<number> => {
      const { json } = await server.call('GET', '/sutra/incidents?kind=delivery-poisoned');
      return (json['incidents'] as unknown[]).length;
    };
    const post = (path: string, headers: Readonly<Record<string, string>> = adminHeaders) =>
      server.call('POST', path, { headers });
    const remove = (path: string) => server.call('DELETE', path, { headers: adminHeaders });

    it('list what has not left, by state, channel and instance, a page at a time', async () => {
      const all = await server.call('GET', '/sutra/deliveries');
      assert.deepEqual(idsOf(all.json), [1, 2, 3].map(deliveryId));
      assert.doesNotMatch(all.text, /"(?:body|bodyBase64|headers)"/);
      const cases: readonly [query: string, numbers: readonly number[]][] = [
        ['state=open', [1]],
        ['state=poisoned', [2, 3]],
        ['state=poisoned&channel=mail', [3]],
        [`instanceId=${instanceId(1)}`, [1, 2]],
        ['channel=nothing', []],
      ];
      for (const [query, numbers] of cases) {
        const { json } = await server.call('GET', `/sutra/deliveries?${query}`);
        assert.deepEqual(idsOf(json), numbers.map(deliveryId), query);
      }
      const page = await server.call('GET', '/sutra/deliveries?limit=2');
      const next = await server.call(
        'GET',
        `/sutra/deliveries?limit=2&cursor=${String(page.json['nextCursor'])}`,
      );
      assert.deepEqual([idsOf(next.json), next.json['nextCursor']], [[deliveryId(3)], null]);
    });

    it('refuse what they cannot read', async () => {
      for (const [path, code] of [
        ['/sutra/deliveries?state=failed', 'SUTRA.HTTP.QUERY_INVALID'],
        ['/sutra/deliveries?instanceId=1', 'SUTRA.HTTP.QUERY_INVALID'],
        ['/sutra/deliveries?tenant=acme', 'SUTRA.HTTP.QUERY_INVALID'],
        ['/sutra/deliveries?cursor=abc', 'SUTRA.OPERATE.CURSOR_INVALID'],
      ] as const) {
        assertProblem(await server.call('GET', path), 400, code);
      }
    });

    it('requeue a poisoned delivery, close its incident and wake the relay', async () => {
      assert.equal(await incidentCount(), 2);
      const answer = await post(`/admin/deliveries/${deliveryId(2).toUpperCase()}/requeue`);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(answer.json, {
        deliveryId: deliveryId(2),
        transport: 'http',
        channel: 'notify',
        instanceId: instanceId(1),
        status: 'OPEN',
      });
      assert.deepEqual(woken, ['http']);
      assert.equal(await incidentCount(), 1);
      const { json } = await server.call('GET', '/sutra/deliveries?state=open');
      assert.deepEqual(idsOf(json), [1, 2].map(deliveryId));
    });

    it('discard a poisoned delivery for good', async () => {
      const answer = await remove(`/admin/deliveries/${deliveryId(3)}`);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.json['status'], 'DISCARDED');
      assert.equal(answer.json['channel'], 'mail');
      assert.equal(await incidentCount(), 0);
      assert.deepEqual(idsOf((await server.call('GET', '/sutra/deliveries?channel=mail')).json), []);
    });

    it('leave alone what is not there, or still being tried, and say which', async () => {
      woken.length = 0;
      const requeue = (id: string) => post(`/admin/deliveries/${id}/requeue`);
      const discard = (id: string) => remove(`/admin/deliveries/${id}`);
      for (const command of [requeue, discard]) {
        assertProblem(await command(deliveryId(77)), 404, 'SUTRA.DELIVERY.NOT_FOUND');
        assertProblem(await command(deliveryId(3)), 404, 'SUTRA.DELIVERY.NOT_FOUND');
        assertProblem(await command(deliveryId(1)), 409, 'SUTRA.DELIVERY.NOT_POISONED');
        assertProblem(await command('42'), 400, 'SUTRA.OPERATE.ID_INVALID');
      }
      assert.deepEqual(woken, []);
      assert.equal(idsOf((await server.call('GET', '/sutra/deliveries')).json).length, 2);
    });

    it('need the admin key to change anything', async () => {
      const path = `/admin/deliveries/${deliveryId(1)}`;
      assertProblem(await post(`${path}/requeue`, {}), 401, 'SUTRA.ADMIN.KEY_REQUIRED');
      assertProblem(await server.call('DELETE', path), 401, 'SUTRA.ADMIN.KEY_REQUIRED');
    });
  });

  describe(`a receiver that refused and came to its senses, on ${target.name}`, () => {
    it('gets the same delivery again as soon as a person requeues it', async () => {
      const keys: (string | string[] | undefined)[] = [];
      let status = 410;
      const receiver = createServer((request, response) => {
        keys.push(request.headers['idempotency-key']);
        request.resume();
        response.writeHead(status).end();
      });
      await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve));
      const { port } = receiver.address() as AddressInfo;
      // The relay's tick is far away: what is requeued is dialled because the command wakes it.
      const engine = await TestEngine.start({
        database: await target.open(),
        env: { SUTRA_OUTBOX_TICK_INTERVAL: 'PT10M' },
      });
      try {
        await engine.deploy(
          packageFiles({
            channels: `  - { name: orders, transport: http, bind: "POST /channels/orders", ack-mode: on-persist }
  - { name: notify, transport: http, direction: outbound, bind: "http://127.0.0.1:${String(port)}/hook" }`,
            processes: {
              order: `${start('orders')}
                <sendTask id="tell"><extensionElements><q:send channel="notify"/></extensionElements></sendTask>
                <endEvent id="end"/>${flows('start -> tell', 'tell -> end')}`,
            },
          }),
        );
        const call = checkedCall(engine.url);
        assert.equal((await call('POST', '/channels/orders', { json: { orderId: 'A-1' } })).status, 202);
        const poisoned = async (): Promise<string[]> =>
          idsOf((await call('GET', '/sutra/deliveries?state=poisoned')).json);
        await becomes(async () => (await poisoned()).length, 1);
        const [id = ''] = await poisoned();
        status = 204;
        assert.equal((await call('POST', `/admin/deliveries/${id}/requeue`)).status, 200);
        await becomes(async () => idsOf((await call('GET', '/sutra/deliveries')).json), []);
        assert.equal(keys.length, 2);
        assert.equal(keys[0], keys[1]);
        assert.equal(((await call('GET', '/sutra/incidents')).json['incidents'] as unknown[]).length, 0);
      } finally {
        await engine.stop();
        receiver.closeAllConnections();
        await new Promise((resolve) => receiver.close(resolve));
      }
    });
  });
}
