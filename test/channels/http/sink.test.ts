import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { HttpSink, parseRetryAfter } from '../../../channels/http/sink.ts';
import { silentMeter } from '../../../engine/observe.ts';
import type { ChannelEndpoint, Delivery, DeliveryResult } from '../../../engine/transport.ts';

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Respond = (response: ServerResponse, request: IncomingMessage) => void;

/** A peer that keeps what it gets and answers as told. */
async function withPeer(
  respond: Respond,
  run: (peer: { readonly url: string; readonly received: Received[] }) => Promise<void>,
): Promise<void> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      received.push({ method: request.method, url: request.url, headers: request.headers, body });
      respond(response, request);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  try {
    await run({ url: `http://127.0.0.1:${String(port)}/hook?token=query-secret`, received });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

function sinkTo(bind: string, auth: ChannelEndpoint['auth'] = null): HttpSink {
  const sink = new HttpSink({
    maxPayloadBytes: 1_000,
    meter: silentMeter,
    resolveSecret: (reference) => (reference === 'env:TOKEN' ? 'the-secret' : null),
  });
  sink.bind([
    {
      deploymentId: 'dep-1',
      tenant: 'acme',
      module: 'shop',
      version: '1.0.0',
      name: 'notify',
      direction: 'outbound',
      bind,
      ackMode: 'on-persist',
      payloadCapBytes: null,
      auth,
    },
  ]);
  return sink;
}

function delivery(overrides: Partial<Delivery> = {}): Delivery {
  return {
    id: 'd',
    deploymentId: 'dep-1',
    tenant: 'acme',
    module: 'shop',
    channel: 'notify',
    instanceId: 'i',
    elementId: 'send',
    idempotencyKey: 'key-1',
    headers: {},
    contentType: 'application/json',
    body: Buffer.from('{"a":1}'),
    attempt: 1,
    expectsAnswer: false,
    ...overrides,
  };
}

const patient = (): AbortSignal => AbortSignal.timeout(10_000);
const status =
  (code: number, headers: Record<string, string> = {}, body = ''): Respond =>
  (response) => {
    response.writeHead(code, headers).end(body);
  };

describe('the HTTP sink', () => {
  it("posts the bytes with their type, the idempotency key, and the author's headers", async () => {
    await withPeer(status(204), async ({ url, received }) => {
      const auth = { kind: 'bearer', reference: 'env:TOKEN', name: null } as const;
      const headers = {
        'X-Trace': 'é',
        'Idempotency-Key': 'forged',
        'content-type': 'text/forged',
        Authorization: 'forged',
        Host: 'forged',
        'Content-Length': '1',
        Connection: 'close',
        'Transfer-Encoding': 'chunked',
        'sutra-park-deployment': 'forged',
      };
      const result = await sinkTo(url, auth).deliver(delivery({ headers }), patient());
      assert.deepEqual(result, { kind: 'delivered' });
      const [got] = received;
      assert.equal(got?.method, 'POST');
      assert.equal(got.url, '/hook?token=query-secret');
      assert.equal(got.body, '{"a":1}');
      assert.equal(got.headers['content-type'], 'application/json');
      assert.equal(got.headers['idempotency-key'], 'key-1');
      assert.equal(got.headers.authorization, 'Bearer the-secret');
      assert.equal(got.headers['x-trace'], 'é');
      assert.equal(got.headers['content-length'], '7');
      assert.doesNotMatch(JSON.stringify(got.headers), /forged/);
    });
  });

  const statuses: readonly [code: number, kind: DeliveryResult['kind']][] = [
    [200, 'delivered'],
    [202, 'delivered'],
    [299, 'delivered'],
    [301, 'refused'],
    [307, 'refused'],
    [400, 'refused'],
    [401, 'refused'],
    [404, 'refused'],
    [409, 'refused'],
    [408, 'retry'],
    [425, 'retry'],
    [429, 'retry'],
    [500, 'retry'],
    [503, 'retry'],
    [599, 'retry'],
  ];
  for (const [code, kind] of statuses) {
    it(`takes the status ${String(code)} for ${kind}, and follows no redirect`, async () => {
      await withPeer(status(code, { location: '/elsewhere' }, 'ignored'), async ({ url, received }) => {
        const result = await sinkTo(url).deliver(delivery(), patient());
        assert.equal(result.kind, kind);
        assert.equal(received.length, 1);
        if ('error' in result) {
          assert.match(result.error, new RegExp(String(code)));
          assert.doesNotMatch(result.error, /secret|hook|127\.0/);
        }
      });
    });
  }

  it('brings an answer back only for a call, only with 200, and only when there is one', async () => {
    const headers = {
      'content-type': 'application/json',
      'x-kind': 'a',
      'set-cookie': 'x=1',
      connection: 'close',
    };
    await withPeer(status(200, headers, '{"score":7}'), async ({ url }) => {
      const result = await sinkTo(url).deliver(delivery({ expectsAnswer: true }), patient());
      assert.equal(result.kind, 'answered');
      assert.ok(result.kind === 'answered');
      assert.equal(result.contentType, 'application/json');
      assert.equal(Buffer.from(result.body).toString(), '{"score":7}');
      assert.equal(result.headers['x-kind'], 'a');
      assert.equal(result.headers['set-cookie'], undefined);
      assert.equal(result.headers['connection'], undefined);
      assert.deepEqual(await sinkTo(url).deliver(delivery(), patient()), { kind: 'delivered' });
    });
    for (const respond of [status(200), status(202, {}, 'later'), status(204)]) {
      await withPeer(respond, async ({ url }) => {
        assert.deepEqual(await sinkTo(url).deliver(delivery({ expectsAnswer: true }), patient()), {
          kind: 'delivered',
        });
      });
    }
  });

  it('takes an answer of exactly the limit and refuses a longer one', async () => {
    await withPeer(status(200, {}, 'x'.repeat(1_000)), async ({ url }) => {
      assert.equal(
        (await sinkTo(url).deliver(delivery({ expectsAnswer: true }), patient())).kind,
        'answered',
      );
    });
    await withPeer(status(200, {}, 'x'.repeat(1_001)), async ({ url }) => {
      const result = await sinkTo(url).deliver(delivery({ expectsAnswer: true }), patient());
      assert.deepEqual(result, { kind: 'refused', error: 'the answer of the peer exceeds 1000 bytes' });
    });
  });

  it('passes on when the peer wants to be asked again', async () => {
    await withPeer(status(503, { 'retry-after': '7' }), async ({ url }) => {
      const result = await sinkTo(url).deliver(delivery(), patient());
      assert.deepEqual(result, { kind: 'retry', error: 'the peer answered 503', retryAfterMs: 7_000 });
    });
  });

  it('gives up waiting with its signal, before the headers and inside a body', async () => {
    const silent: Respond = () => {};
    const halfway: Respond = (response) => {
      response.writeHead(200, { 'content-length': '10' });
      response.write('12345');
    };
    for (const respond of [silent, halfway]) {
      await withPeer(respond, async ({ url }) => {
        const result = await sinkTo(url).deliver(delivery({ expectsAnswer: true }), AbortSignal.timeout(100));
        assert.deepEqual(result, {
          kind: 'retry',
          error: 'the peer did not answer in time',
          retryAfterMs: null,
        });
      });
    }
  });

  it('tries again when the connection fails, and names the reason without the address', async () => {
    const closed = await sinkTo('http://127.0.0.1:1/').deliver(delivery(), patient());
    assert.equal(closed.kind, 'retry');
    assert.match(
      closed.kind === 'retry' ? closed.error : '',
      /^the peer could not be reached(?:: E[A-Z]+)?$/,
    );
    const hangUp: Respond = (_response, request) => {
      request.socket.destroy();
    };
    await withPeer(hangUp, async ({ url }) => {
      assert.equal((await sinkTo(url).deliver(delivery(), patient())).kind, 'retry');
    });
  });

  const unsendable: readonly [title: string, headers: Record<string, string>][] = [
    ['a line break in a value', { 'x-a': 'b\r\nx-injected: 1' }],
    ['a NUL in a value', { 'x-a': 'b\0' }],
    ['a character beyond Latin-1', { 'x-a': '€' }],
    ['a line break in a name', { 'x-a\r\nx-injected': '1' }],
    ['an empty name', { '': '1' }],
  ];
  for (const [title, headers] of unsendable) {
    it(`refuses ${title}, and dials nobody`, async () => {
      await withPeer(status(200), async ({ url, received }) => {
        const result = await sinkTo(url).deliver(delivery({ headers }), patient());
        assert.equal(result.kind, 'refused');
        assert.equal(received.length, 0);
      });
    });
  }

  it('waits for a deployment that is not bound here, and for a secret that is not set', async () => {
    const sink = sinkTo('http://127.0.0.1:1/');
    assert.equal((await sink.deliver(delivery({ deploymentId: 'dep-2' }), patient())).kind, 'retry');
    const unset = sinkTo('http://127.0.0.1:1/', { kind: 'bearer', reference: 'env:MISSING', name: null });
    const result = await unset.deliver(delivery(), patient());
    assert.ok(result.kind === 'retry' && result.error.includes('secret'));
  });

  it('refuses a URL with credentials without showing them', async () => {
    const result = await sinkTo('http://user:hunter2@127.0.0.1:1/').deliver(delivery(), patient());
    assert.equal(result.kind, 'refused');
    assert.doesNotMatch(JSON.stringify(result), /hunter2/);
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-03-01T10:00:00Z');
  const cases: readonly [header: string | null, expected: number | null][] = [
    [null, null],
    ['0', 0],
    [' 120 ', 120_000],
    ['Sun, 01 Mar 2026 10:00:05 GMT', 5_000],
    ['Sun, 01 Mar 2026 09:00:00 GMT', 0],
    ['-1', null],
    ['1.5', null],
    ['soon', null],
    ['2026-03-01T10:00:05Z', null],
    ['9'.repeat(30), null],
  ];
  for (const [header, expected] of cases) {
    it(`of ${JSON.stringify(header)} is ${String(expected)}`, () => {
      assert.equal(parseRetryAfter(header, now), expected);
    });
  }
});
