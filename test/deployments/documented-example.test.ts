/** What `docs/packages.md` shows is what happens. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import { qElements } from '../../definitions/bpmn/q-elements.ts';
import { testDatabases } from '../support/database.ts';
import { TestEngine } from '../support/engine.ts';

const page = await readFile(new URL('../../docs/packages.md', import.meta.url), 'utf8');

it('the page names every q: element, as one that runs or as one that is refused', () => {
  for (const name of Object.keys(qElements))
    assert.ok(page.includes(`q:${name}\``) || page.includes(`\`${name}\``), name);
});

for (const target of testDatabases()) {
  it(`the example of the page correlates as it says, on ${target.name}`, async () => {
    const blocks = [...page.matchAll(/<!-- file: (\S+) -->\n+```\w+\n(.*?)```/gs)];
    const files = Object.fromEntries(blocks.map(([, path = '', text = '']) => [path, text]));
    assert.deepEqual(Object.keys(files), ['package.yaml', 'channels.yaml', 'bpmn/order.bpmn']);
    const engine = await TestEngine.start({ database: await target.open() });
    try {
      await engine.deploy(files);
      const send = async (path: string, body: unknown): Promise<string> => {
        const answer = await engine.post(`/channels/billing/${path}`, body);
        return answer.status === 202 ? answer.body.instanceId : answer.body.code;
      };
      const instanceId = await send('orders', { orderId: 'A-1' });
      assert.equal(await send('orders', { orderId: 'A-1' }), 'SUTRA.INBOUND.ALIAS_TAKEN');
      assert.equal(await send('payments', { reference: 'B-9', amount: 5 }), 'SUTRA.INBOUND.NOT_CORRELATED');
      assert.equal(await send('payments', { reference: 'A-1', amount: 5 }), instanceId);
      assert.deepEqual((await engine.fetchTask('ship')).body, { orderId: 'A-1', paid: 5 });
    } finally {
      await engine.stop();
    }
  });
}
