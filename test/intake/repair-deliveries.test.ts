/**
 * A failed instance whose delivery was poisoned meanwhile: a repair that ends its wait withdraws it with its incident, in
 * the same commit; one that keeps its wait leaves it to a person.
 */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { testDatabases } from '../support/database.ts';
import { TestEngine } from '../support/engine.ts';
import { call, flows, packageFiles } from '../support/packages.ts';

const taken = (id: string, to: string): string =>
  `<sequenceFlow id="to-${to}" sourceRef="${id}" targetRef="${to}"><conditionExpression>way = "${to}"</conditionExpression></sequenceFlow>`;

/** `gate` fails until `way` is one of its ways. */
const filesOf = (url: string): Record<string, string> =>
  packageFiles({
    channels: `  - { name: peer, transport: http, bind: "${url}/" }`,
    processes: {
      order: `<startEvent id="start"/><parallelGateway id="fork"/>${call('dial', 'peer')}<exclusiveGateway id="gate"/>
        <userTask id="wait"/><endEvent id="stop"><terminateEventDefinition id="t"/></endEvent><endEvent id="end"/>
        ${flows('start -> fork', 'fork -> dial', 'fork -> gate', 'dial -> end', 'wait -> stop')}
        ${taken('gate', 'wait')}${taken('gate', 'stop')}`,
    },
  });

for (const target of testDatabases()) {
  describe(`a poisoned delivery of a failed instance on ${target.name}`, { timeout: 120_000 }, () => {
    let peer: Server;
    let engine: TestEngine;
    let status = 400;
    before(async () => {
      peer = createServer((request, response) => {
        request.resume().on('end', () => {
          response.writeHead(status, { 'content-type': 'application/json' }).end('{"done":true}');
        });
      });
      await new Promise<void>((resolve) => peer.listen(0, '127.0.0.1', resolve));
      engine = await TestEngine.start({ database: await target.open() });
      await engine.deploy(filesOf(`http://127.0.0.1:${String((peer.address() as AddressInfo).port)}`));
    });
    after(async () => {
      await engine.stop();
      peer.closeAllConnections();
      await new Promise((resolve) => peer.close(resolve));
    });

    const incidentKinds = async (id: string): Promise<string[]> =>
      (await engine.get(`/sutra/incidents?instanceId=${id}`)).body.incidents
        .map((incident) => (incident as { kind: string }).kind)
        .sort();
    const poisoned = async (
      id: string,
    ): Promise<readonly { readonly id: string; readonly elementId: string }[]> => {
      const { body } = await engine.get(`/sutra/deliveries?state=poisoned&instanceId=${id}`);
      return (body as unknown as { deliveries: readonly { id: string; elementId: string }[] }).deliveries;
    };
    const failWithPoison = async (): Promise<string> => {
      const { instanceId } = (await engine.post('/sutra/processes/order/start', {})).body;
      while ((await incidentKinds(instanceId)).length < 2)
        await new Promise((resolve) => setTimeout(resolve, 20));
      assert.deepEqual(await incidentKinds(instanceId), ['delivery-poisoned', 'instance-failed']);
      assert.equal((await engine.instance(instanceId)).status, 'failed');
      return instanceId;
    };
    const write = async (id: string, way: string): Promise<void> => {
      await engine.post(`/sutra/instances/${id}/variables`, { variables: { way } });
    };
    const moving = (id: string, moves: readonly unknown[]): Promise<unknown> =>
      engine.post(`/admin/instances/${id}/move`, { moves }).then(({ body }) => body.status);
    const retry = async (id: string): Promise<string> =>
      (await engine.post(`/admin/instances/${id}/retry`, {})).body.status;

    it('goes with its incident when the retry ends its wait', async () => {
      const id = await failWithPoison();
      await write(id, 'stop');
      assert.equal(await retry(id), 'terminated');
      assert.deepEqual(await incidentKinds(id), []);
      assert.deepEqual(await poisoned(id), []);
    });

    it('goes with its incident when its token is moved away', async () => {
      const id = await failWithPoison();
      assert.equal(await moving(id, [{ from: 'dial', to: 'wait' }]), 'failed');
      assert.deepEqual(await incidentKinds(id), ['instance-failed']);
      assert.deepEqual(await poisoned(id), []);
    });

    for (const [title, repair] of [
      ['retry', async (id: string): Promise<unknown> => (await write(id, 'wait'), retry(id))],
      ['move', (id: string): Promise<unknown> => moving(id, [{ from: 'gate', to: 'wait' }])],
    ] as const) {
      it(`stays, and is seen, when a ${title} keeps its wait; requeued, it goes on`, async () => {
        status = 400;
        const id = await failWithPoison();
        assert.equal(await repair(id), 'running');
        assert.deepEqual(await incidentKinds(id), ['delivery-poisoned']);
        const [delivery, ...others] = await poisoned(id);
        assert.equal(delivery?.elementId, 'dial');
        assert.deepEqual(others, []);
        status = 200;
        await engine.post(`/admin/deliveries/${delivery.id}/requeue`, {});
        await engine.until(id, ({ variables }) => variables['done'] === true);
        assert.deepEqual(await incidentKinds(id), []);
        status = 400;
      });
    }
  });
}
