/** An engine in which something of each kind waits for a person. */
import assert from 'node:assert/strict';
import type { Database } from '../../engine/store/database.ts';
import { TestEngine, type Answer } from '../support/engine.ts';
import { call, flows, packageFiles, start } from '../support/packages.ts';

const KEY_VARIABLE = 'OPERATOR_KEY';
export const ADMIN_KEY = 'opensesame';

/** Which way an order goes is in its payload; without a known one it fails at the gateway. */
export const operatedPackage = packageFiles({
  module: 'shop',
  channels: `  - { name: orders, transport: http, bind: "POST /channels/orders", ack-mode: on-persist }
  - { name: work, transport: pull }
  - { name: returns, transport: http, bind: "POST /channels/returns", ack-mode: on-persist, dead-letters: true }
  - { name: notify, transport: http, direction: outbound, bind: "http://127.0.0.1:9/hook" }`,
  processes: {
    returned: `<startEvent id="start"/><receiveTask id="wait"><extensionElements><q:source channel="returns"/>
      <q:alias name="returnId" expression="payload.id"/></extensionElements></receiveTask><endEvent id="end"/>
      ${flows('start -> wait', 'wait -> end')}`,
    order: `${start('orders', '<q:alias name="orderId" expression="payload.id"/>')}
      <exclusiveGateway id="choose"/>${call('pick', 'work', '<q:header name="x-order" value="payload.id"/>')}<endEvent id="end"/>
      ${flows('start -> choose', 'pick -> end')}
      <sequenceFlow id="to-pick" sourceRef="choose" targetRef="pick"><conditionExpression>payload.way = "pick"</conditionExpression></sequenceFlow>`,
  },
});

export async function startOperated(database: Database): Promise<TestEngine> {
  const engine = await TestEngine.start({
    database,
    env: {
      SUTRA_ADMIN_OPEN: 'false',
      SUTRA_ADMIN_API_KEY: `env:${KEY_VARIABLE}`,
      [KEY_VARIABLE]: ADMIN_KEY,
    },
  });
  const headers = { authorization: `Bearer ${ADMIN_KEY}` };
  const list = Object.entries(operatedPackage).map(([path, text]) => ({ path, text }));
  const deployed = await engine.post('/admin/deployments', { files: list }, headers);
  assert.equal(deployed.status, 201, JSON.stringify(deployed.body));
  return engine;
}

/** Answers the instance's id. */
export async function order(engine: TestEngine, id: string, way = 'pick'): Promise<string> {
  const answer = await engine.post('/channels/orders', { id, way });
  const { instanceId } = answer.body;
  assert.ok(instanceId !== undefined, JSON.stringify(answer.body));
  return instanceId;
}

export async function failedOrder(engine: TestEngine, id: string): Promise<string> {
  const instanceId = await order(engine, id, 'nowhere');
  await engine.until(instanceId, ({ status }) => status === 'failed');
  return instanceId;
}

/** An order whose worker has given up. Answers the ids of the task and of the instance. */
export async function terminalTask(
  engine: TestEngine,
  id: string,
): Promise<{ readonly taskId: string; readonly instanceId: string }> {
  const instanceId = await order(engine, id);
  const task = await engine.fetchTask('work');
  assert.equal(task.instanceId, instanceId);
  const failed: Answer = await engine.post(`/sutra/external-tasks/${task.id}/failure`, {
    workerId: 'worker-1',
    errorMessage: 'the warehouse says 503',
    errorDetails: 'Error: 503\n    at pick (worker.ts:12)',
    retries: 0,
  });
  assert.equal(failed.body.status, 'TERMINAL');
  return { taskId: task.id, instanceId };
}
