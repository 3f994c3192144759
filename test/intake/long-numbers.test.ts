/** Numbers of more digits than a JS number has, from one end of the engine to the other. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { testDatabases } from '../support/database.ts';
import { TestEngine, type AnswerBody, type TaskAnswer } from '../support/engine.ts';
import { call, flows, packageFiles, start } from '../support/packages.ts';

const id = '12345678901234567890';
const amount = '-1234567890123456789012345678.901234';
const score = '0.3000000000000000000000000000000001';

const files = packageFiles({
  channels: `  - { name: orders, transport: http, bind: "POST /channels/orders", ack-mode: on-persist }
  - { name: payments, transport: http, bind: "POST /channels/payments", ack-mode: on-persist }
  - { name: echo, transport: http, bind: "POST /channels/echo", ack-mode: on-complete }
  - { name: checked, transport: http, bind: "POST /channels/checked", ack-mode: on-persist, codec: "urn:order" }
  - { name: work, transport: pull }`,
  files: {
    'schemas/order/default.json':
      '{"type":"object","properties":{"id":{"type":"integer","minimum":1},"amount":{"type":"number","maximum":1e20}}}',
  },
  processes: {
    order: `${start('orders', '<q:alias name="orderId" expression="payload.id"/>')}
      ${call('work-it', 'work', '<q:header name="order-id" value="=payload.id"/><q:output variable="result"/>')}
      <receiveTask id="wait"><extensionElements><q:source channel="payments" name="paid"/><q:alias name="orderId" expression="paid.id"/></extensionElements></receiveTask>
      <endEvent id="end"/>${flows('start -> work-it', 'work-it -> wait', 'wait -> end')}`,
    echo: `${start('echo')}<endEvent id="end"><extensionElements><q:reply body="payload"/></extensionElements></endEvent>${flows('start -> end')}`,
    checked: `${start('checked')}<endEvent id="end"/>${flows('start -> end')}`,
  },
});

for (const target of testDatabases()) {
  describe(`long numbers on ${target.name}`, () => {
    let engine: TestEngine;
    before(async () => {
      engine = await TestEngine.start({ database: await target.open() });
      await engine.deploy(files);
    });
    after(() => engine.stop());

    async function textOf(method: string, path: string, body?: string, type = 'application/json') {
      const response = await fetch(`${engine.url}${path}`, {
        method,
        ...(body === undefined ? {} : { body, headers: { 'content-type': type } }),
      });
      const text = await response.text();
      assert.ok(response.ok, text);
      return text;
    }

    it('keep their digits through tasks, results, snapshots and the views of operators', async () => {
      const sent = await textOf('POST', '/channels/orders', `{"id":${id},"lines":[{"amount":${amount}}]}`);
      const { instanceId } = JSON.parse(sent) as { instanceId: string };
      const wish = '{"workerId":"w","channels":["work"],"maxTasks":1,"asyncResponseTimeout":"PT10S"}';
      const fetched = await textOf('POST', '/sutra/external-tasks/fetch-and-lock', wish);
      const payload = `"payload":{"id":${id},"lines":[{"amount":${amount}}]}`;
      assert.ok(fetched.includes(payload), fetched);
      assert.ok(fetched.includes(`"order-id":"${id}"`), fetched);
      const [task] = (JSON.parse(fetched) as { tasks: TaskAnswer[] }).tasks;
      assert.ok(task !== undefined);
      assert.ok((await textOf('GET', `/sutra/external-tasks/${task.id}`)).includes(payload));
      await textOf(
        'POST',
        `/sutra/external-tasks/${task.id}/complete`,
        `{"workerId":"w","lockToken":"${task.lockToken}","result":{"score":${score}}}`,
      );
      const shown = await textOf('GET', `/sutra/instances/${instanceId}`);
      assert.ok(shown.includes(`"variables":{${payload},"result":{"score":${score}}}`), shown);
      // The one whose last digit differs is another order.
      const wrong = await engine.post('/channels/payments', `{"id":${id.slice(0, -1)}1}`);
      assert.equal(wrong.body.code, 'SUTRA.INBOUND.NOT_CORRELATED');
      const paid = JSON.parse(await textOf('POST', '/channels/payments', `{"id":${id}.0}`)) as AnswerBody;
      assert.equal(paid.instanceId, instanceId);
      assert.equal((await engine.ended(instanceId)).status, 'completed');
    });

    const echoed: readonly (readonly [type: string, body: string, reply: string])[] = [
      ['application/json', `[${id}, 1E5, -0, 1.50, 1e400]`, `[${id},100000,0,1.5,1e+400]`],
      ['application/json', score, score],
      [
        'application/yaml',
        `a: ${amount}\nb: [0x${'f'.repeat(20)}, 0o17, +${id}, 007, -.5, 5.]`,
        `{"a":${amount},"b":[1208925819614629174706175,15,${id},7,-0.5,5]}`,
      ],
    ];
    for (const [type, body, reply] of echoed) {
      it(`come back as they were sent: ${type} ${body.slice(0, 30)}`, async () => {
        assert.equal(await textOf('POST', '/channels/echo', body, type), reply);
      });
    }

    it('are numbers to a schema', async () => {
      await textOf('POST', '/channels/checked', `{"id":${id},"amount":${amount}}`);
      for (const body of [`{"id":-${id}}`, `{"amount":1${id}}`, `{"id":${score}}`]) {
        const answer = await engine.post('/channels/checked', body);
        assert.deepEqual([answer.status, answer.body.code], [422, 'SUTRA.INBOUND.VALIDATION_FAILED']);
      }
    });

    it('are kept in the records of data stores', async () => {
      const path = '/admin/data-stores/stock/records/tea?tenant=test';
      for (const value of [id, `{"a":[${amount}]}`]) {
        assert.ok((await textOf('PUT', path, `{"value":${value}}`)).includes(`"value":${value}`));
        assert.ok((await textOf('GET', path)).includes(`"value":${value}`));
      }
    });

    it('are no objects to the routes that read one', async () => {
      const rows: readonly (readonly [path: string, body: string, code: string])[] = [
        ['/sutra/processes/echo/start', `{"variables":${id}}`, 'SUTRA.HTTP.FIELD_INVALID'],
        ['/sutra/processes/echo/start', id, 'SUTRA.HTTP.FIELD_INVALID'],
        ['/sutra/external-tasks/fetch-and-lock', id, 'SUTRA.EXTERNAL_TASK.REQUEST_INVALID'],
        [
          '/sutra/external-tasks/fetch-and-lock',
          `{"workerId":"w","channels":["work"],"maxTasks":${id}}`,
          'SUTRA.EXTERNAL_TASK.REQUEST_INVALID',
        ],
      ];
      for (const [path, body, code] of rows) {
        const answer = await engine.post(path, body);
        assert.deepEqual([answer.status, answer.body.code], [400, code], `${path} ${body}`);
        assert.doesNotMatch(answer.body.detail, /an object, not|constructor/);
      }
    });
  });
}
