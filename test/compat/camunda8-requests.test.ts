/** What goes over the wire of the facade of Camunda 8: the client's own requests, replayed ones, and refusals. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { testDatabases } from '../support/database.ts';
import type { TestEngine } from '../support/engine.ts';
import { clientFor, deploy, oneJob, order, record, startCamunda8 } from './camunda8-fixture.ts';

interface WireAnswer {
  readonly status: number;
  readonly contentType: string | null;
  readonly text: string;
}

interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: string;
}

interface WireJob {
  readonly jobKey: string;
  readonly retries: number;
  readonly leaseToken?: string;
  readonly deadline: number;
  readonly variables: Readonly<Record<string, unknown>>;
}

const JSON_TYPE = { 'content-type': 'application/json' };

for (const target of testDatabases()) {
  describe(`the REST API of Camunda 8 on ${target.name}`, () => {
    let engine: TestEngine;

    before(async () => {
      engine = await startCamunda8(await target.open());
      await deploy(clientFor(engine.url), oneJob('one', 'one-job'));
    });
    after(() => engine.stop());

    const send = async (
      method: string,
      path: string,
      body?: string,
      headers: Readonly<Record<string, string>> = JSON_TYPE,
    ): Promise<WireAnswer> => {
      const init = body === undefined ? { method } : { method, body, headers };
      const answer = await fetch(`${engine.url}${path}`, init);
      return {
        status: answer.status,
        contentType: answer.headers.get('content-type'),
        text: await answer.text(),
      };
    };

    const post = (path: string, body: string): Promise<WireAnswer> => send('POST', path, body);

    const start = async (variables = '{}'): Promise<string> => {
      const answer = await post(
        '/v2/process-instances',
        `{"processDefinitionId":"one","variables":${variables}}`,
      );
      assert.equal(answer.status, 200, answer.text);
      return (JSON.parse(answer.text) as { processInstanceKey: string }).processInstanceKey;
    };

    const activation = (more = ''): Promise<WireAnswer> =>
      post('/v2/jobs/activation', `{"type":"one-job","timeout":30000,"maxJobsToActivate":1${more}}`);

    const activate = async (more = ''): Promise<WireJob> => {
      const answer = await activation(more);
      assert.deepEqual([answer.status, answer.contentType], [200, 'application/json'], answer.text);
      const [job] = (JSON.parse(answer.text) as { jobs: WireJob[] }).jobs;
      assert.ok(job !== undefined, 'a job');
      return job;
    };

    const complete = async (job: WireJob, body = '{}'): Promise<void> => {
      assert.equal((await post(`/v2/jobs/${job.jobKey}/completion`, body)).status, 204);
    };

    describe('requests of clients', () => {
      test('a 204 has no body and no content type', async () => {
        await start();
        const { jobKey } = await activate();
        const answer = await post(`/v2/jobs/${jobKey}/completion`, '{}');
        assert.deepEqual(answer, { status: 204, contentType: null, text: '' });
      });

      test('a completion needs no body at all', async () => {
        await start();
        const { jobKey } = await activate();
        assert.equal((await send('POST', `/v2/jobs/${jobKey}/completion`)).status, 204);
      });

      test('a completion that is repeated answers as before, and another result is refused', async () => {
        await start();
        const job = await activate();
        await complete(job, '{"variables":{"a":1}}');
        await complete(job, '{"variables":{"a":1}}');
        assert.equal((await post(`/v2/jobs/${job.jobKey}/completion`, '{"variables":{"a":2}}')).status, 409);
      });

      test('an error that is repeated answers as before', async () => {
        await start();
        const { jobKey } = await activate();
        const error = '{"errorCode":"UNCAUGHT","errorMessage":"of nobody","variables":{"a":1}}';
        for (let attempt = 1; attempt <= 2; attempt += 1) {
          assert.equal((await post(`/v2/jobs/${jobKey}/error`, error)).status, 204, `attempt ${attempt}`);
        }
      });

      test('numbers keep all their digits on the way in and out', async () => {
        const numbers = '{"whole":12345678901234567890,"part":0.1234567890123456789,"round":1.50}';
        await start(numbers);
        const { text } = await activation();
        assert.match(text, /"whole":12345678901234567890[,}]/);
        assert.match(text, /"part":0\.1234567890123456789[,}]/);
        const [job] = (JSON.parse(text) as { jobs: WireJob[] }).jobs;
        assert.ok(job !== undefined);
        await complete(job, '{"variables":{"more":98765432109876543210}}');
      });

      test('fetchVariable gives those that it names, and their digits', async () => {
        await start('{"a":12345678901234567890,"b":2,"toString":3}');
        const { text } = await activation(',"fetchVariable":["a","toString","none"]');
        assert.match(text, /"variables":\{"a":12345678901234567890,"toString":3\}/);
        const [job] = (JSON.parse(text) as { jobs: WireJob[] }).jobs;
        assert.ok(job !== undefined);
        await complete(job);
      });

      test('64-bit numbers may be texts, as clients that check their requests send them', async () => {
        await start();
        const answer = await post(
          '/v2/jobs/activation',
          '{"type":"one-job","timeout":"60000","maxJobsToActivate":1,"requestTimeout":"0"}',
        );
        const [job] = (JSON.parse(answer.text) as { jobs: WireJob[] }).jobs;
        assert.ok(job !== undefined, answer.text);
        const failed = await post(`/v2/jobs/${job.jobKey}/failure`, '{"retries":2,"retryBackOff":"0"}');
        assert.equal(failed.status, 204);
        await complete(await activate());
      });

      test('null is as if it were left out', async () => {
        await start();
        const job = await activate(
          ',"worker":null,"fetchVariable":null,"tenantIds":null,"requestTimeout":null',
        );
        await complete(job, '{"variables":null,"result":null}');
      });

      test('requestTimeout below 0 does not wait, and above it waits so long', async () => {
        assert.equal((await activation(',"requestTimeout":-1')).text, '{"jobs":[]}');
        assert.equal((await activation(',"requestTimeout":50')).text, '{"jobs":[]}');
        const waiting = activate();
        await start();
        await complete(await waiting);
      });
    });

    describe('leases', () => {
      test('the lease of the current attempt is taken, for a completion and for a longer time', async () => {
        await start();
        const job = await activate(',"withLease":true');
        assert.equal(typeof job.leaseToken, 'string');
        const leased = `"leaseToken":${JSON.stringify(job.leaseToken)}`;
        const changed = await send(
          'PATCH',
          `/v2/jobs/${job.jobKey}`,
          `{"changeset":{"timeout":60000},${leased}}`,
        );
        assert.equal(changed.status, 204, changed.text);
        await complete(job, `{${leased}}`);
      });

      test('no lease is shown that was not asked for', async () => {
        await start();
        const job = await activate();
        assert.equal(job.leaseToken, undefined);
        await complete(job);
      });

      test('the lease of an attempt whose time is over can do nothing to the next one', async () => {
        await start();
        const old = await activate(',"withLease":true');
        const leased = `"leaseToken":${JSON.stringify(old.leaseToken)}`;
        assert.equal(
          (await send('PATCH', `/v2/jobs/${old.jobKey}`, `{"changeset":{"timeout":1},${leased}}`)).status,
          204,
        );
        const current = await activate();
        assert.equal(current.jobKey, old.jobKey);
        for (const [method, path, body] of [
          ['POST', '/completion', `{${leased}}`],
          ['POST', '/failure', `{${leased}}`],
          ['POST', '/error', `{"errorCode":"E",${leased}}`],
          ['PATCH', '', `{"changeset":{"timeout":60000},${leased}}`],
        ] as const) {
          const answer = await send(method, `/v2/jobs/${old.jobKey}${path}`, body);
          assert.equal(answer.status, 409, `${method} ${path}`);
          assert.ok(!answer.text.includes(old.leaseToken ?? ''), 'the answer does not repeat the lease');
        }
        await complete(current);
      });
    });

    describe('refusals', () => {
      /** method, path, body, status, title, what the detail says */
      const job = '/v2/jobs/123';
      const table: readonly (readonly [string, string, string | undefined, number, string, RegExp])[] = [
        ['POST', '/v2/jobs/activation', undefined, 400, 'INVALID_ARGUMENT', /JSON object/],
        ['POST', '/v2/jobs/activation', '[]', 400, 'INVALID_ARGUMENT', /JSON object/],
        ['POST', '/v2/jobs/activation', '{"type":"t"', 400, 'INVALID_ARGUMENT', /JSON/],
        ['POST', '/v2/jobs/activation', '{"type":"t","type":"u"}', 400, 'INVALID_ARGUMENT', /type/],
        [
          'POST',
          '/v2/jobs/activation',
          '{"timeout":1,"maxJobsToActivate":1}',
          400,
          'INVALID_ARGUMENT',
          /^type /,
        ],
        [
          'POST',
          '/v2/jobs/activation',
          '{"type":"t","maxJobsToActivate":1}',
          400,
          'INVALID_ARGUMENT',
          /^timeout /,
        ],
        [
          'POST',
          '/v2/jobs/activation',
          '{"type":"t","timeout":1}',
          400,
          'INVALID_ARGUMENT',
          /^maxJobsToActivate /,
        ],
        [
          'POST',
          '/v2/jobs/activation',
          '{"type":"t","timeout":0,"maxJobsToActivate":1}',
          400,
          'INVALID_ARGUMENT',
          /timeout is 0/,
        ],
        [
          'POST',
          '/v2/jobs/activation',
          '{"type":"t","timeout":1.5,"maxJobsToActivate":1}',
          400,
          'INVALID_ARGUMENT',
          /whole number/,
        ],
        [
          'POST',
          '/v2/jobs/activation',
          '{"type":"t","timeout":12345678901234567890,"maxJobsToActivate":1}',
          400,
          'INVALID_ARGUMENT',
          /whole number/,
        ],
        [
          'POST',
          '/v2/jobs/activation',
          '{"type":"t","timeout":3600001,"maxJobsToActivate":1}',
          400,
          'INVALID_ARGUMENT',
          /^timeout .*PT1H.*max-lock-duration/,
        ],
        [
          'POST',
          '/v2/jobs/activation',
          '{"type":"t","timeout":1,"maxJobsToActivate":101}',
          400,
          'INVALID_ARGUMENT',
          /^maxJobsToActivate .*max-tasks/,
        ],
        [
          'POST',
          '/v2/jobs/activation',
          '{"type":"t","timeout":1,"maxJobsToActivate":1,"requestTimeout":30001}',
          400,
          'INVALID_ARGUMENT',
          /^requestTimeout .*max-async-response-timeout/,
        ],
        [
          'POST',
          '/v2/jobs/activation',
          '{"type":"t","timeout":1,"maxJobsToActivate":1,"fetchVariables":[]}',
          400,
          'INVALID_ARGUMENT',
          /\[fetchVariables\] is unknown/,
        ],
        [
          'POST',
          '/v2/jobs/activation',
          '{"type":"t","timeout":1,"maxJobsToActivate":1,"tenantFilter":"ALL"}',
          400,
          'INVALID_ARGUMENT',
          /PROVIDED or ASSIGNED/,
        ],
        [
          'POST',
          '/v2/jobs/activation',
          '{"type":"t","timeout":1,"maxJobsToActivate":1,"tenantFilter":"ASSIGNED","tenantIds":["a"]}',
          400,
          'INVALID_ARGUMENT',
          /tenantIds/,
        ],
        [
          'POST',
          '/v2/jobs/activation',
          '{"type":"one-job","timeout":1,"maxJobsToActivate":1,"tenantIds":["a"]}',
          400,
          'INVALID_ARGUMENT',
          /tenants that are not named/,
        ],
        [
          'POST',
          `${job}/completion`,
          '{"variables":[]}',
          400,
          'INVALID_ARGUMENT',
          /variables must be a JSON object/,
        ],
        ['POST', `${job}/completion`, '{"vars":{}}', 400, 'INVALID_ARGUMENT', /\[vars\]/],
        ['POST', `${job}/completion`, '{"result":{"type":"userTask"}}', 400, 'INVALID_ARGUMENT', /^result /],
        ['POST', '/v2/jobs/abc/completion', '{}', 400, 'INVALID_ARGUMENT', /abc/],
        ['POST', `${job}/completion`, '{}', 404, 'NOT_FOUND', /./],
        ['POST', `${job}/failure`, '{"variables":{"a":1}}', 400, 'INVALID_ARGUMENT', /^variables /],
        ['POST', `${job}/failure`, '{"retries":-1}', 400, 'INVALID_ARGUMENT', /^retries is -1/],
        ['POST', `${job}/failure`, '{"retries":1001}', 400, 'INVALID_ARGUMENT', /max-retries/],
        [
          'POST',
          `${job}/failure`,
          '{"retryBackOff":86400001}',
          400,
          'INVALID_ARGUMENT',
          /^retryBackOff .*max-retry-timeout/,
        ],
        ['POST', `${job}/failure`, '{"errorMessage":5}', 400, 'INVALID_ARGUMENT', /^errorMessage /],
        ['POST', `${job}/failure`, '{}', 404, 'NOT_FOUND', /./],
        ['POST', `${job}/error`, '{}', 400, 'INVALID_ARGUMENT', /^errorCode /],
        ['POST', `${job}/error`, '{"errorCode":"E"}', 404, 'NOT_FOUND', /./],
        ['PATCH', job, '{}', 400, 'INVALID_ARGUMENT', /^changeset /],
        ['PATCH', job, '{"changeset":{}}', 400, 'INVALID_ARGUMENT', /at least one/],
        ['PATCH', job, '{"changeset":{"retries":0}}', 400, 'INVALID_ARGUMENT', /^changeset\.retries is 0/],
        ['PATCH', job, '{"changeset":{"color":1}}', 400, 'INVALID_ARGUMENT', /\[changeset\.color\]/],
        [
          'PATCH',
          job,
          '{"changeset":{"retries":1},"leaseToken":"x"}',
          400,
          'INVALID_ARGUMENT',
          /^leaseToken /,
        ],
        ['PATCH', job, '{"changeset":{"retries":1}}', 404, 'NOT_FOUND', /./],
        ['POST', '/v2/process-instances', '{}', 400, 'INVALID_ARGUMENT', /^processDefinitionId /],
        ['POST', '/v2/process-instances', '{"processDefinitionId":"none"}', 404, 'NOT_FOUND', /none/],
        [
          'POST',
          '/v2/process-instances',
          '{"processDefinitionId":"one","processDefinitionVersion":9}',
          400,
          'INVALID_ARGUMENT',
          /version 9/,
        ],
        [
          'POST',
          '/v2/process-instances',
          '{"processDefinitionId":"one","tenantId":"elsewhere"}',
          404,
          'NOT_FOUND',
          /elsewhere/,
        ],
        [
          'POST',
          '/v2/process-instances',
          '{"processDefinitionId":"one","tenantId":"default"}',
          400,
          'INVALID_ARGUMENT',
          /<default>/,
        ],
        ['POST', '/v2/process-instances', '{"processDefinitionKey":"77"}', 404, 'NOT_FOUND', /77/],
        [
          'POST',
          '/v2/process-instances',
          '{"processDefinitionKey":"77","processDefinitionId":"one"}',
          400,
          'INVALID_ARGUMENT',
          /exclude/,
        ],
        [
          'POST',
          '/v2/process-instances',
          '{"processDefinitionId":"one","startInstructions":[{"elementId":"work"}]}',
          400,
          'INVALID_ARGUMENT',
          /^startInstructions /,
        ],
        [
          'POST',
          '/v2/process-instances',
          '{"processDefinitionId":"one","tags":["a"]}',
          400,
          'INVALID_ARGUMENT',
          /^tags /,
        ],
        [
          'POST',
          '/v2/process-instances',
          '{"processDefinitionId":"one","awaitCompletion":true,"requestTimeout":30001}',
          400,
          'INVALID_ARGUMENT',
          /^requestTimeout /,
        ],
        ['GET', '/v2/process-instances/5', undefined, 404, 'NOT_FOUND', /5/],
        ['GET', '/v2/process-instances/five', undefined, 404, 'NOT_FOUND', /five/],
        ['POST', '/v2/process-instances/5/cancellation', '{}', 404, 'NOT_FOUND', /./],
        ['POST', '/v2/messages/publication', '{"correlationKey":"k"}', 400, 'INVALID_ARGUMENT', /^name /],
        [
          'POST',
          '/v2/messages/publication',
          '{"name":"n","timeToLive":-1}',
          400,
          'INVALID_ARGUMENT',
          /^timeToLive /,
        ],
        [
          'POST',
          '/v2/messages/publication',
          '{"name":"n","timeToLive":1}',
          404,
          'NOT_FOUND',
          /kept for later/,
        ],
        ['POST', '/v2/messages/correlation', '{"name":"n"}', 404, 'NOT_FOUND', /nothing was correlated/],
        ['POST', '/v2/deployments', '{}', 415, 'Unsupported Media Type', /multipart/],
        ['GET', '/v2/jobs/activation', undefined, 405, 'Method Not Allowed', /POST/],
        ['GET', '/v2/nothing', undefined, 404, 'NOT_FOUND', /nothing/],
        ['GET', '/v2', undefined, 404, 'NOT_FOUND', /./],
      ];
      for (const [method, path, body, status, title, detail] of table) {
        test(`${method} ${path} ${body ?? ''}`, async () => {
          const answer = await send(method, path, body);
          assert.equal(answer.contentType, 'application/problem+json', answer.text);
          const problem = JSON.parse(answer.text) as Problem;
          assert.deepEqual(
            [answer.status, problem.status, problem.title, problem.type, problem.instance],
            [status, status, title, 'about:blank', path],
            answer.text,
          );
          assert.match(problem.detail, detail);
          assert.match(problem.code, /^SUTRA\./);
        });
      }

      test('a body that is not JSON', async () => {
        const answer = await send('POST', '/v2/jobs/activation', 'type=t', { 'content-type': 'text/plain' });
        assert.deepEqual([answer.status, answer.contentType], [415, 'application/problem+json']);
      });

      test('a job that nobody holds takes no report', async () => {
        await start();
        const held = await activate();
        assert.equal((await post(`/v2/jobs/${held.jobKey}/failure`, '{"retries":1}')).status, 204);
        for (const report of ['completion', 'failure']) {
          const answer = await post(`/v2/jobs/${held.jobKey}/${report}`, '{}');
          assert.equal(answer.status, 409, report);
          assert.equal((JSON.parse(answer.text) as Problem).title, 'INVALID_STATE');
        }
        await complete(await activate());
      });

      const uploads: readonly (readonly [string, readonly (readonly [string, string, string?])[], RegExp])[] =
        [
          ['no file', [['tenantId', '<default>']], /resources/],
          ['a file that is no model', [['resources', 'x', 'notes.txt']], /notes\.txt/],
          ['a model that is no XML', [['resources', 'x', 'broken.bpmn']], /./],
          [
            'a part that is not known',
            [
              ['resources', oneJob('p', 't').xml, 'p.bpmn'],
              ['color', 'red'],
            ],
            /color/,
          ],
          [
            'a tenant that cannot be',
            [
              ['resources', oneJob('p', 't').xml, 'p.bpmn'],
              ['tenantId', 'a--b'],
            ],
            /a--b/,
          ],
        ];
      for (const [what, parts, detail] of uploads) {
        test(`a deployment with ${what}`, async () => {
          const form = new FormData();
          for (const [name, text, fileName] of parts) {
            if (fileName === undefined) form.append(name, text);
            else form.append(name, new File([text], fileName));
          }
          const answer = await fetch(`${engine.url}/v2/deployments`, { method: 'POST', body: form });
          const problem = (await answer.json()) as Problem;
          assert.equal(answer.status, 400, JSON.stringify(problem));
          assert.match(problem.detail, detail);
        });
      }
    });

    test('what the client sends', async () => {
      const proxy = await record(engine.url);
      const client = clientFor(proxy.url);
      const deployed = await deploy(client, order);
      const instance = await client.createProcessInstance({
        processDefinitionId: 'order' as never,
        variables: { orderId: 'x' },
      });
      await client.createProcessInstance({
        processDefinitionKey: deployed.processes[0]?.processDefinitionKey as never,
      });
      const { jobs } = await client.activateJobs({
        type: 'reserve-stock',
        timeout: 5_000,
        maxJobsToActivate: 5,
        fetchVariable: ['orderId'],
      });
      const [first, second] = jobs;
      assert.ok(first !== undefined && second !== undefined, 'two jobs');
      await first.modifyJobTimeout({ newTimeoutMs: 6_000 });
      await first.modifyRetries({ retries: 4 });
      await first.error({ errorCode: 'OUT_OF_STOCK' });
      await second.fail({ errorMessage: 'no', retries: 1, retryBackOff: 0 });
      const [again] = (
        await client.activateJobs({
          type: 'reserve-stock',
          worker: 'w',
          timeout: 5_000,
          maxJobsToActivate: 1,
        })
      ).jobs;
      await again?.complete({ reserved: true });
      await client.publishMessage({
        name: 'payment received',
        correlationKey: 'y',
        messageId: 'm-1',
        timeToLive: 0,
      });
      await client.cancelProcessInstance({ processInstanceKey: instance.processInstanceKey });
      await client.getTopology();
      await proxy.close();
      const sent = proxy.sent.map(({ method, path, contentType, body }) => {
        const isForm = contentType?.startsWith('multipart/form-data; boundary=') === true;
        return `${method} ${path.replace(/\d{20,}/, '{key}')} ${isForm ? 'form' : body.replace(/\d{20,}/, '{key}')}`;
      });
      assert.deepEqual(sent, [
        'POST /v2/deployments form',
        'POST /v2/process-instances {"processDefinitionId":"order","variables":{"orderId":"x"},"tenantId":"<default>"}',
        'POST /v2/process-instances {"processDefinitionKey":"{key}","tenantId":"<default>"}',
        'POST /v2/jobs/activation {"type":"reserve-stock","timeout":5000,"maxJobsToActivate":5,"fetchVariable":["orderId"]}',
        'PATCH /v2/jobs/{key} {"changeset":{"timeout":6000}}',
        'PATCH /v2/jobs/{key} {"changeset":{"retries":4}}',
        'POST /v2/jobs/{key}/error {"errorCode":"OUT_OF_STOCK"}',
        'POST /v2/jobs/{key}/failure {"errorMessage":"no","retries":1,"retryBackOff":0}',
        'POST /v2/jobs/activation {"type":"reserve-stock","worker":"w","timeout":5000,"maxJobsToActivate":1}',
        'POST /v2/jobs/{key}/completion {"variables":{"reserved":true}}',
        'POST /v2/messages/publication {"name":"payment received","correlationKey":"y","messageId":"m-1","timeToLive":0,"tenantId":"<default>"}',
        'POST /v2/process-instances/{key}/cancellation {}',
        'GET /v2/topology ',
      ]);
    });
  });

  test(`without sutra.compat.camunda8 there is no /v2, on ${target.name}`, async () => {
    const engine = await startCamunda8(await target.open(), { SUTRA_COMPAT_CAMUNDA8: 'false' });
    try {
      const { status, body } = await engine.get('/v2/topology');
      assert.equal(status, 404);
      assert.match(body.code, /^SUTRA\.HTTP\./);
    } finally {
      await engine.stop();
    }
  });
}
