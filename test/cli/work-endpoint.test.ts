/** Tasks as requests to a real endpoint, and what its answers mean. */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { endpointTask } from '../../cli/work/endpoint-task.ts';
import type { Outcome } from '../../cli/work/outcome.ts';
import type { TaskInput } from '../../cli/work/task-input.ts';
import { freePort } from '../support/engine-process.ts';

const task: TaskInput = {
  id: '0195',
  channel: 'score-request',
  instanceId: '0196',
  idempotencyKey: 'key-1',
  attempts: 2,
  retries: 3,
  deadline: '2026-05-01T09:30:00.000Z',
  contentType: 'application/json',
  headers: { 'X-Order': '7', name: 'é', 'two words': 'x', edge: ' x' },
  body: Buffer.from('{"amount":12345678901234567890}'),
};

interface AnswerRow {
  readonly what: string;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly expected: Readonly<Record<string, unknown>>;
}

const json = { 'content-type': 'application/json' };
const problem = { 'content-type': 'application/problem+json' };
const raising = { 'sutra-bpmn-error': 'NO_STOCK' };

const rows: readonly AnswerRow[] = [
  { what: '204', status: 204, expected: { kind: 'completed', result: null } },
  { what: '200 without a body', status: 200, headers: json, expected: { kind: 'completed', result: null } },
  {
    what: '201 with a body',
    status: 201,
    headers: json,
    body: '{"n":1.10}',
    expected: { kind: 'completed' },
  },
  { what: '400', status: 400, expected: { kind: 'failed', isRetryable: false } },
  {
    what: '422 with a problem',
    status: 422,
    headers: problem,
    body: '{"title":"Unprocessable","detail":"no such country"}',
    expected: {
      kind: 'failed',
      isRetryable: false,
      message: 'ENDPOINT answered 422: no such country',
      details: '{"title":"Unprocessable","detail":"no such country"}',
    },
  },
  { what: '409', status: 409, expected: { kind: 'failed', isRetryable: false } },
  { what: '401', status: 401, expected: { kind: 'failed', isRetryable: true } },
  { what: '404', status: 404, expected: { kind: 'failed', isRetryable: true } },
  {
    what: '429 with seconds',
    status: 429,
    headers: { 'retry-after': '120' },
    expected: { kind: 'failed', isRetryable: true, retryAfterMs: 120_000 },
  },
  {
    what: '503 with a date that has passed',
    status: 503,
    headers: { 'retry-after': 'Fri, 01 May 2020 09:30:00 GMT' },
    expected: { kind: 'failed', isRetryable: true, retryAfterMs: 0 },
  },
  {
    what: '503 with nonsense',
    status: 503,
    headers: { 'retry-after': 'soon' },
    expected: { kind: 'failed', isRetryable: true, retryAfterMs: null },
  },
  {
    what: '500 with HTML',
    status: 500,
    headers: { 'content-type': 'text/html' },
    body: '<h1>oops</h1>',
    expected: {
      kind: 'failed',
      isRetryable: true,
      message: 'ENDPOINT answered 500',
      details: '<h1>oops</h1>',
    },
  },
  {
    what: 'a redirect',
    status: 302,
    headers: { location: '/elsewhere' },
    expected: { kind: 'failed', isRetryable: true, message: 'ENDPOINT answered 302' },
  },
  {
    what: 'a BPMN error without a body',
    status: 200,
    headers: raising,
    expected: { kind: 'bpmn-error', code: 'NO_STOCK', message: null, variables: null },
  },
  {
    what: 'a BPMN error with variables',
    status: 422,
    headers: { ...json, ...raising },
    body: '{"left":0}',
    expected: { kind: 'bpmn-error', code: 'NO_STOCK', message: null, variables: { left: 0 } },
  },
  {
    what: 'a BPMN error as a problem',
    status: 409,
    headers: { ...problem, ...raising },
    body: '{"detail":"sold out","status":409,"variables":{"left":0}}',
    expected: { kind: 'bpmn-error', code: 'NO_STOCK', message: 'sold out', variables: { left: 0 } },
  },
  {
    what: 'a BPMN error whose body is a list',
    status: 200,
    headers: { ...json, ...raising },
    body: '[]',
    expected: { kind: 'failed', isRetryable: true },
  },
  {
    what: 'a BPMN error with a 500, which has failed',
    status: 500,
    headers: raising,
    expected: { kind: 'failed', isRetryable: true },
  },
  {
    what: 'more than the limit',
    status: 200,
    body: 'x'.repeat(1001),
    expected: { kind: 'failed', isRetryable: true },
  },
];

describe('an endpoint', () => {
  let server: Server;
  let url: URL;
  let answer: RequestListener = (_request, response) => void response.end();
  before(async () => {
    server = createServer((request, response) => answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    url = new URL(`http://127.0.0.1:${String(port)}/score?key=hunter2`);
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  const post = (
    { timeoutMs = null as number | null, signal = new AbortController().signal } = {},
    input = task,
  ): Promise<Outcome> =>
    endpointTask({ url, timeoutMs, maxOutputBytes: 1000 })(input, {
      signal,
      progress: async () => undefined,
    });

  it('gets the task as it is, its ids and its headers', async () => {
    let got: IncomingMessage | undefined;
    let body = '';
    answer = (request, response) => {
      got = request;
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => response.writeHead(204).end());
    };
    await post();
    assert.equal(got?.method, 'POST');
    assert.equal(got.url, '/score?key=hunter2');
    assert.equal(body, '{"amount":12345678901234567890}');
    const { host, connection, 'sutra-headers': all, ...headers } = got.headers;
    assert.ok(host !== undefined && connection !== undefined);
    assert.deepEqual(headers, {
      'content-type': 'application/json',
      'content-length': '31',
      'idempotency-key': 'key-1',
      'sutra-task-id': '0195',
      'sutra-channel': 'score-request',
      'sutra-instance-id': '0196',
      'sutra-idempotency-key': 'key-1',
      'sutra-attempts': '2',
      'sutra-retries': '3',
      'sutra-deadline': '2026-05-01T09:30:00.000Z',
      'sutra-header-x-order': '7',
    });
    assert.deepEqual(JSON.parse(String(all)), task.headers);
  });

  for (const { what, status, headers = {}, body = '', expected } of rows) {
    it(`answers ${what}`, async () => {
      answer = (_request, response) => void response.writeHead(status, headers).end(body);
      const outcome = (await post()) as unknown as Record<string, unknown>;
      const shown = typeof outcome['message'] === 'string' ? outcome['message'] : '';
      assert.ok(!shown.includes('hunter2'));
      const named = { ...outcome, message: shown.replace(`${url.origin}/score`, 'ENDPOINT') };
      const found = outcome['message'] === null || shown === '' ? outcome : named;
      assert.deepEqual({ ...found, ...expected }, found);
    });
  }

  it('answers bytes and a content type, which are the result', async () => {
    answer = (_request, response) =>
      void response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.of(0xff, 0x00));
    assert.deepEqual(await post(), {
      kind: 'completed',
      result: { bytes: Buffer.of(0xff, 0x00), contentType: 'image/png' },
    });
  });

  it('that says nothing, or never ends, is left when the time is over', async () => {
    for (const begin of [false, true]) {
      answer = (_request, response) => {
        if (begin) response.writeHead(200).write('x');
      };
      const outcome = await post({ timeoutMs: 100 });
      assert.equal(outcome.kind, 'failed');
      assert.match(outcome.message, /did not answer within PT0\.1S$/);
    }
  });

  it('is left when the task is not wanted any more', async () => {
    let isLeft = (): void => undefined;
    const left = new Promise<void>((resolve) => (isLeft = resolve));
    const stopping = new AbortController();
    answer = (request) => {
      request.once('close', () => isLeft());
      stopping.abort();
    };
    assert.equal((await post({ signal: stopping.signal })).kind, 'failed');
    await left;
  });

  it('that hangs up, or is not there, is a failure that may pass', async () => {
    answer = (request) => void request.socket.destroy();
    const hungUp = await post();
    assert.deepEqual([hungUp.kind, hungUp.kind === 'failed' && hungUp.isRetryable], ['failed', true]);
    url = new URL(`http://127.0.0.1:${String(await freePort())}/`);
    const absent = await post();
    assert.equal(absent.kind, 'failed');
    assert.match(absent.message, /did not answer: ECONNREFUSED$/);
    assert.ok(absent.isRetryable);
  });

  it('is not asked about headers that are too long', async () => {
    const outcome = await post({}, { ...task, headers: { a: 'x'.repeat(9_000) } });
    assert.deepEqual([outcome.kind, outcome.kind === 'failed' && outcome.isRetryable], ['failed', false]);
  });
});
