import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { EngineError } from '../../config/engine-error.ts';
import { silentLog } from '../../engine/observe.ts';
import {
  assertProblem,
  rawExchange,
  signalled,
  startTestServer,
  testDeps,
  type TestServer,
  noInstanceCommands,
} from './fixture.ts';

const FETCH = '/sutra/external-tasks/fetch-and-lock';
const INSTANCE = '018f0000-0000-7000-8000-000000000001';
const CANCEL = `/sutra/instances/${INSTANCE}/cancel`;
const JSON_TYPE = { 'content-type': 'application/json' } as const;

describe('the HTTP server refuses bad requests with a problem document', () => {
  let server: TestServer;
  const seen: unknown[] = [];
  before(async () => {
    server = await startTestServer({
      pull: {
        fetchAndLock: (body) => {
          seen.push(body);
          return Promise.resolve({
            answer: Buffer.from('{"tasks":[]}'),
            undelivered: () => Promise.resolve(),
          });
        },
        complete: (id, body) => Promise.resolve({ taskId: id, body }),
        fail: () => Promise.reject(new Error('boom: password=hunter2')),
        bpmnError: () => Promise.reject(new Error('not asked')),
        extendLock: () => Promise.reject(new Error('not asked')),
        unlock: () => Promise.reject(new Error('not asked')),
        progress: () => Promise.reject(new Error('not asked')),
        topics: () => Promise.reject(new Error('not asked')),
        completeMany: () => Promise.reject(new Error('not asked')),
        failMany: () => Promise.reject(new Error('not asked')),
        rearm: () => Promise.reject(new Error('not asked')),
        discard: () => Promise.reject(new Error('not asked')),
      },
      instances: {
        ...noInstanceCommands,
        cancel: (instanceId) => Promise.resolve({ instanceId, status: 'terminated' }),
        retry: (instanceId) => Promise.resolve({ instanceId, status: 'running' }),
        completeUserTask: (instanceId) => Promise.resolve({ instanceId, status: 'running' }),
      },
    });
  });
  after(() => server.stop());

  const bodies: readonly [
    title: string,
    body: string | Uint8Array<ArrayBuffer>,
    status: number,
    code: string,
  ][] = [
    ['malformed JSON', '{"a":', 400, 'SUTRA.CODEC.JSON_INVALID'],
    ['text after the JSON value', '{} {}', 400, 'SUTRA.CODEC.JSON_INVALID'],
    ['bytes that are not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 400, 'SUTRA.CODEC.TEXT_INVALID'],
    ['an escaped NUL', String.raw`{"workerId":"a\u0000b"}`, 400, 'SUTRA.CODEC.TEXT_INVALID'],
    ['a raw NUL byte', '{"workerId":"a\0b"}', 400, 'SUTRA.CODEC.JSON_INVALID'],
    ['a lone surrogate', String.raw`{"workerId":"\ud800"}`, 400, 'SUTRA.CODEC.TEXT_INVALID'],
    ['a number of 35 digits', `{"maxTasks":${'9'.repeat(35)}}`, 400, 'SUTRA.CODEC.NUMBER_INEXACT'],
    ['a duplicate key', '{"workerId":"a","workerId":"b"}', 400, 'SUTRA.CODEC.KEY_DUPLICATE'],
    ['1,000 nested arrays', '['.repeat(1000) + ']'.repeat(1000), 400, 'SUTRA.CODEC.TOO_DEEP'],
    ['an empty body', '', 400, 'SUTRA.HTTP.BODY_REQUIRED'],
  ];
  for (const [title, body, status, code] of bodies) {
    it(`refuses ${title} on a hot route`, async () => {
      const answer = await server.call('POST', FETCH, { body, headers: JSON_TYPE });
      assertProblem(answer, status, code);
    });
  }

  for (const [title, body, status, code] of bodies.slice(0, 9)) {
    it(`refuses ${title} on a route behind Express`, async () => {
      assertProblem(await server.call('POST', CANCEL, { body, headers: JSON_TYPE }), status, code);
    });
  }

  const types: readonly [type: string, isTaken: boolean][] = [
    ['application/json', true],
    ['application/json; charset=utf-8', true],
    ['application/json;charset="UTF-8"', true],
    ['Application/JSON', true],
    ['application/vnd.acme+json', true],
    ['application/json; charset=latin1', false],
    ['text/plain', false],
    ['application/x-www-form-urlencoded', false],
    ['json', false],
    ['application/jsonx', false],
  ];
  for (const [type, isTaken] of types) {
    it(`${isTaken ? 'takes' : 'refuses'} the content type ${type}`, async () => {
      const answer = await server.call('POST', FETCH, { body: '{}', headers: { 'content-type': type } });
      if (isTaken) assert.equal(answer.status, 200);
      else assertProblem(answer, 415, 'SUTRA.HTTP.CONTENT_TYPE_UNSUPPORTED');
    });
  }

  it('refuses a body without a content type', async () => {
    const answer = await rawExchange(
      server.port,
      `POST ${FETCH} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`,
    );
    assert.match(answer, /^HTTP\/1\.1 415 /);
    assert.match(answer, /SUTRA\.HTTP\.CONTENT_TYPE_UNSUPPORTED/);
  });

  it('refuses a compressed body', async () => {
    const headers = { ...JSON_TYPE, 'content-encoding': 'gzip' };
    assertProblem(
      await server.call('POST', FETCH, { body: '{}', headers }),
      415,
      'SUTRA.HTTP.CONTENT_ENCODING_UNSUPPORTED',
    );
  });

  it('refuses an 11 MB body with the limit, and goes on serving the connection', async () => {
    const body = JSON.stringify({ workerId: 'x'.repeat(11 * 1024 * 1024) });
    for (const path of [FETCH, CANCEL]) {
      const answer = await server.call('POST', path, { body, headers: JSON_TYPE });
      assertProblem(answer, 413, 'SUTRA.HTTP.BODY_TOO_LARGE');
      assert.match(String(answer.json['detail']), /10485760 bytes/);
      assert.equal(answer.headers.get('connection'), 'keep-alive');
    }
  });

  it('takes a body of exactly the cap and refuses one byte more', async () => {
    const frame = JSON.stringify({ a: '' }).length;
    const sized = (bytes: number): string => JSON.stringify({ a: 'x'.repeat(bytes - frame) });
    const atCap = await server.call('POST', FETCH, { body: sized(10_485_760), headers: JSON_TYPE });
    assert.equal(atCap.status, 200);
    const over = await server.call('POST', FETCH, { body: sized(10_485_761), headers: JSON_TYPE });
    assertProblem(over, 413, 'SUTRA.HTTP.BODY_TOO_LARGE');
  });

  it('refuses a chunked body that grows over the cap', async () => {
    const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`;
    const answer = await rawExchange(
      server.port,
      `POST ${FETCH} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n` +
        `Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(11)}0\r\n\r\n`,
    );
    assert.match(answer, /^HTTP\/1\.1 413 /);
  });

  it('answers 413 instead of asking for a body that was announced as too large', async () => {
    const answer = await rawExchange(
      server.port,
      `POST ${FETCH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n` +
        'Expect: 100-continue\r\n\r\n',
    );
    assert.match(answer, /^HTTP\/1\.1 413 /);
    assert.match(answer, /connection: close/i);
  });

  it('asks for an announced body that fits and then answers', async () => {
    const answer = await rawExchange(
      server.port,
      `POST ${FETCH} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n` +
        'Content-Length: 2\r\nExpect: 100-continue\r\n\r\n{}',
    );
    assert.match(answer, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  });

  it('keeps a __proto__ key as data and touches no prototype', async () => {
    const body = '{"__proto__":{"polluted":true},"workerId":"w"}';
    await server.call('POST', FETCH, { body, headers: JSON_TYPE });
    const last = seen.at(-1);
    assert.ok(typeof last === 'object' && last !== null);
    assert.deepEqual(Object.keys(last), ['__proto__', 'workerId']);
    assert.equal('polluted' in {}, false);
    const cancel = await server.call('POST', CANCEL, {
      body: '{"__proto__":{"reason":"x"}}',
      headers: JSON_TYPE,
    });
    assertProblem(cancel, 400, 'SUTRA.HTTP.FIELD_UNKNOWN');
  });

  it('names an unknown field', async () => {
    const answer = await server.call('POST', CANCEL, { json: { reason: 'x', raeson: 'y' } });
    assertProblem(answer, 400, 'SUTRA.HTTP.FIELD_UNKNOWN');
    assert.match(String(answer.json['detail']), /"raeson" is unknown; known are reason/);
  });

  const wrongReasons: readonly unknown[] = [1, null, '', '   ', 'x'.repeat(501), ['a']];
  for (const reason of wrongReasons) {
    it(`refuses the reason ${JSON.stringify(reason)?.slice(0, 20)}`, async () => {
      assertProblem(await server.call('POST', CANCEL, { json: { reason } }), 400, 'SUTRA.HTTP.FIELD_INVALID');
    });
  }

  it('refuses a body that is no object', async () => {
    assertProblem(await server.call('POST', CANCEL, { json: [1] }), 400, 'SUTRA.HTTP.FIELD_INVALID');
  });

  const wrongRoutes: readonly [method: string, path: string, status: number, allow: string | null][] = [
    ['GET', '/nowhere', 404, null],
    ['GET', '/', 404, null],
    ['POST', '/channels/unbound', 404, null],
    ['GET', '/sutra/external-tasks/fetch-and-lock/', 404, null],
    ['GET', '/SUTRA/instances', 404, null],
    ['GET', FETCH, 405, 'POST'],
    ['DELETE', '/sutra/instances', 405, 'GET'],
    ['PUT', '/sutra/instances', 405, 'GET'],
    ['OPTIONS', '/sutra/instances', 405, 'GET'],
    ['OPTIONS', FETCH, 405, 'POST'],
    ['PATCH', `/sutra/external-tasks/${INSTANCE}/complete`, 405, 'POST'],
    ['GET', '/admin/deployments', 405, 'POST'],
  ];
  for (const [method, path, status, allow] of wrongRoutes) {
    it(`answers ${method} ${path} with ${String(status)}`, async () => {
      const answer = await server.call(method, path);
      assertProblem(
        answer,
        status,
        status === 404 ? 'SUTRA.HTTP.ROUTE_UNKNOWN' : 'SUTRA.HTTP.METHOD_NOT_ALLOWED',
      );
      assert.equal(answer.headers.get('allow'), allow);
      assert.equal(answer.headers.get('x-powered-by'), null);
    });
  }

  it('answers HEAD with 405, the methods, and no body', async () => {
    for (const path of ['/sutra/instances', FETCH, '/sutra/health/live']) {
      const answer = await server.call('HEAD', path);
      assert.equal(answer.status, 405);
      assert.equal(answer.text, '');
      assert.match(answer.headers.get('allow') ?? '', /GET|POST/);
    }
  });

  const wrongTargets = [
    '/sutra/instances/%zz',
    '/sutra/instances/%ff',
    '/sutra/external-tasks/%zz/complete',
    '/sutra/instances?status=%zz',
  ];
  for (const path of wrongTargets) {
    it(`refuses the broken escape in ${path}`, async () => {
      const method = path.endsWith('complete') ? 'POST' : 'GET';
      const answer = await rawExchange(
        server.port,
        `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      );
      assert.match(answer, /^HTTP\/1\.1 400 /);
      assert.match(answer, /application\/problem\+json/);
      assert.match(answer, /SUTRA\.HTTP\.URL_INVALID/);
    });
  }

  const rawRequests: readonly [title: string, bytes: string, status: number, code: string][] = [
    ['bytes that are not HTTP', 'hello\r\n\r\n', 400, 'SUTRA.HTTP.REQUEST_MALFORMED'],
    [
      'a request without Host',
      'GET /metrics HTTP/1.1\r\nConnection: close\r\n\r\n',
      400,
      'SUTRA.HTTP.REQUEST_MALFORMED',
    ],
    [
      'a content length that is no number',
      'POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: ten\r\n\r\n',
      400,
      'SUTRA.HTTP.REQUEST_MALFORMED',
    ],
    [
      'both length and chunks',
      'POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
      'SUTRA.HTTP.REQUEST_MALFORMED',
    ],
    [
      'an unknown method',
      'FROBNICATE /metrics HTTP/1.1\r\nHost: x\r\n\r\n',
      400,
      'SUTRA.HTTP.REQUEST_MALFORMED',
    ],
    ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'SUTRA.HTTP.METHOD_NOT_ALLOWED'],
    [
      'headers of 20 KiB',
      `GET /metrics HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'SUTRA.HTTP.HEADERS_TOO_LARGE',
    ],
    [
      'an expectation that cannot be met',
      'POST /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: coffee\r\n\r\n',
      417,
      'SUTRA.HTTP.EXPECTATION_FAILED',
    ],
    [
      'a chunk size that is no number',
      `POST ${FETCH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
      400,
      'SUTRA.HTTP.REQUEST_MALFORMED',
    ],
  ];
  for (const [title, bytes, status, code] of rawRequests) {
    it(`answers ${title} with ${String(status)} and closes`, async () => {
      const answer = await rawExchange(server.port, bytes);
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${String(status)} `));
      assert.match(answer, /content-type: application\/problem\+json/i);
      assert.match(answer, new RegExp(code.replaceAll('.', '\\.')));
    });
  }

  it('takes an absolute request target', async () => {
    const answer = await rawExchange(
      server.port,
      'GET http://example.com/sutra/health/live HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n',
    );
    assert.match(answer, /^HTTP\/1\.1 200 /);
  });

  it('closes on a body cut short, without a word of its own to a client that has gone', async () => {
    const answer = await rawExchange(
      server.port,
      `POST ${FETCH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"work`,
      true,
    );
    assert.match(answer, /^(?:HTTP\/1\.1 400 |$)/);
    assert.equal((await server.call('GET', '/sutra/health/live')).status, 200);
  });

  it('answers pipelined requests in their order', async () => {
    const request = (id: string): string =>
      `POST /sutra/external-tasks/${id}/complete HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n` +
      'Content-Length: 2\r\n\r\n{}';
    const last = 'GET /sutra/health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const answer = await rawExchange(server.port, request('one') + request('two') + last);
    const bodies = answer
      .split('\r\n\r\n')
      .filter((part) => part.startsWith('{'))
      .map((part) => part.split('HTTP/')[0]);
    assert.deepEqual(bodies, [
      '{"taskId":"one","body":{}}',
      '{"taskId":"two","body":{}}',
      '{"status":"live"}',
    ]);
  });

  it('answers JSON with exactly application/json', async () => {
    for (const [method, path] of [
      ['POST', FETCH],
      ['GET', '/sutra/health/live'],
      ['GET', '/openapi.json'],
    ] as const) {
      const answer = await server.call(method, path, method === 'POST' ? { json: {} } : {});
      assert.equal(answer.headers.get('content-type'), 'application/json');
      assert.equal(answer.headers.get('cache-control'), 'no-store');
    }
  });

  it('hides what an unexpected error says, and logs it under the id of the answer', async () => {
    const logged: { event: string; fields: unknown }[] = [];
    const loud = await startTestServer({
      pull: {
        ...testDeps().pull,
        fail: () => Promise.reject(new Error('boom: password=hunter2')),
      },
      log: { ...silentLog, error: (event, fields) => logged.push({ event, fields }) },
    });
    try {
      const answer = await loud.call('POST', `/sutra/external-tasks/${INSTANCE}/failure`, { json: {} });
      assertProblem(answer, 500, 'SUTRA.INTERNAL');
      assert.doesNotMatch(answer.text, /hunter2|boom|\.ts/);
      const attributes = answer.json['attributes'] as Record<string, unknown>;
      assert.match(String(attributes['errorId']), /^[0-9a-f-]{36}$/);
      assert.equal(logged.length, 1);
      assert.equal((logged[0]?.fields as Record<string, unknown>)['errorId'], attributes['errorId']);
    } finally {
      await loud.stop();
    }
  });

  it('hides it among the verdicts on many tasks too, and asks for the longest wait of them', async () => {
    const logged: string[] = [];
    const refused = (reason: unknown): { taskId: string; verdict: PromiseRejectedResult } => ({
      taskId: INSTANCE,
      verdict: { status: 'rejected', reason },
    });
    const loud = await startTestServer({
      pull: {
        ...testDeps().pull,
        failMany: () =>
          Promise.resolve([
            refused(
              new EngineError('SUTRA.INTAKE.CAPACITY', 'full', { attributes: { retryAfterMs: 7_000 } }),
            ),
            refused(new Error('boom: password=hunter2')),
            refused(new EngineError('SUTRA.PERSISTENCE_UNAVAILABLE', 'away')),
          ]),
      },
      log: { ...silentLog, error: (event) => logged.push(event) },
    });
    try {
      const answer = await loud.call('POST', '/sutra/external-tasks/failure', { json: {} });
      assert.deepEqual([answer.status, answer.headers.get('retry-after')], [200, '7']);
      assert.doesNotMatch(answer.text, /hunter2|boom|\.ts/);
      const errors = (answer.json['tasks'] as { error: { status: number; code: string } }[]).map(
        ({ error }) => [error.status, error.code],
      );
      assert.deepEqual(errors, [
        [429, 'SUTRA.INTAKE.CAPACITY'],
        [500, 'SUTRA.INTERNAL'],
        [503, 'SUTRA.PERSISTENCE_UNAVAILABLE'],
      ]);
      assert.deepEqual(logged, ['http.internal-error']);
    } finally {
      await loud.stop();
    }
  });

  it('answers a value that JSON cannot hold as a fault of its own', async () => {
    const odd = await startTestServer({
      pull: { ...testDeps().pull, complete: () => Promise.resolve({ count: 1n }) },
    });
    try {
      const answer = await odd.call('POST', `/sutra/external-tasks/${INSTANCE}/complete`, { json: {} });
      assertProblem(answer, 500, 'SUTRA.INTERNAL');
    } finally {
      await odd.stop();
    }
  });

  it('answers an EngineError whose code no table holds as a fault of its own', async () => {
    const odd = await startTestServer({
      instances: {
        ...noInstanceCommands,
        cancel: () => Promise.reject(new EngineError('SUTRA.NO.SUCH_CODE', 'secret detail')),
      },
    });
    try {
      const answer = await odd.call('POST', CANCEL);
      assertProblem(answer, 500, 'SUTRA.INTERNAL');
      assert.doesNotMatch(answer.text, /secret detail/);
    } finally {
      await odd.stop();
    }
  });
});

describe('the HTTP server bounds what a client can hold', () => {
  it('answers a request that comes too slowly with 408', async () => {
    const server = await startTestServer({}, { headersMs: 100, requestMs: 200 });
    try {
      const slowHeaders = await rawExchange(server.port, 'GET /metrics HTTP/1.1\r\nHost: x\r\n');
      assert.match(slowHeaders, /^HTTP\/1\.1 408 /);
      const slowBody = await rawExchange(
        server.port,
        `POST ${FETCH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"work`,
      );
      assert.match(slowBody, /^HTTP\/1\.1 408 /);
      assert.match(slowBody, /SUTRA\.HTTP\.REQUEST_TIMEOUT/);
    } finally {
      await server.stop();
    }
  });

  it('refuses the 65th request that waits on one connection', async () => {
    const release = signalled();
    let heldCount = 0;
    const server = await startTestServer({
      pull: {
        ...testDeps().pull,
        fetchAndLock: async () => {
          heldCount += 1;
          // The rest of the burst is in the same read: it is refused before this fires.
          if (heldCount === 64) {
            setImmediate(() => {
              release.fire();
            });
          }
          await release.promise;
          return { answer: Buffer.from('{"tasks":[]}'), undelivered: () => Promise.resolve() };
        },
      },
    });
    try {
      const fetchOne = `POST ${FETCH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
      const last = 'GET /sutra/health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
      const text = await rawExchange(server.port, fetchOne.repeat(65) + last);
      assert.equal(text.match(/HTTP\/1\.1 200 /g)?.length, 64);
      assert.equal(text.match(/HTTP\/1\.1 429 /g)?.length, 2);
      assert.match(text, /retry-after: 1/);
    } finally {
      await server.stop();
    }
  });
});
