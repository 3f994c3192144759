import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { createHttpTransport } from '../../../channels/http/http-transport.ts';
import { EngineError } from '../../../config/engine-error.ts';
import { silentLog, silentMeter } from '../../../engine/observe.ts';
import type {
  ChannelEndpoint,
  InboundDelivery,
  InboundOutcome,
  InboundPort,
  InstanceOutcome,
} from '../../../engine/transport.ts';
import {
  assertProblem,
  rawExchange,
  signalled,
  startTestServer,
  type CallAnswer,
  type TestServer,
} from '../../server/fixture.ts';

const INSTANCE = '018f0000-0000-7000-8000-000000000001';

function endpoint(overrides: Partial<ChannelEndpoint> = {}): ChannelEndpoint {
  return {
    deploymentId: 'dep-1',
    tenant: 'acme',
    module: 'shop',
    version: '1.0.0',
    name: 'orders',
    direction: 'inbound',
    bind: 'POST /channels/orders',
    ackMode: 'on-complete',
    payloadCapBytes: null,
    auth: null,
    ...overrides,
  };
}

const secrets: Readonly<Record<string, string>> = { 'env:TOKEN': 'Sésame', 'secret:password': 'p:w' };

interface Inbound {
  readonly port: InboundPort;
  readonly seen: InboundDelivery[];
}

/** Takes every message in and lets it come to `settled`. */
function inbound(settled: InstanceOutcome, overrides: Partial<InboundOutcome> = {}): Inbound {
  const seen: InboundDelivery[] = [];
  return {
    seen,
    port: {
      deliver: (delivery) => {
        seen.push(delivery);
        return Promise.resolve({
          instanceId: INSTANCE,
          isDuplicate: false,
          ackMode: 'on-complete',
          settled: () => Promise.resolve(settled),
          ...overrides,
        });
      },
    },
  };
}

async function withServer(
  port: InboundPort,
  endpoints: readonly ChannelEndpoint[],
  run: (server: TestServer) => Promise<void>,
  admit: () => void = () => {},
): Promise<void> {
  const { transport, intake } = createHttpTransport({
    inbound: port,
    admit,
    maxHoldMs: 1_000,
    maxPayloadBytes: 1_000,
    log: silentLog,
    meter: silentMeter,
    resolveSecret: (reference) => secrets[reference] ?? null,
  });
  transport.bind(endpoints);
  const server = await startTestServer({ httpChannel: intake });
  try {
    await run(server);
  } finally {
    await server.stop();
  }
}

const ended: InstanceOutcome = { kind: 'ended', status: 'completed' };
const post = (
  server: TestServer,
  headers: Record<string, string> = {},
  body = '{"a":1}',
): Promise<CallAnswer> =>
  server.call('POST', '/channels/orders', {
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });

describe('an HTTP channel answers what became of the message', () => {
  it('with 202 and the instance as soon as it is kept, when on-persist', async () => {
    const { port } = inbound(ended, {
      ackMode: 'on-persist',
      settled: () => Promise.reject(new Error('not held')),
    });
    await withServer(port, [endpoint({ ackMode: 'on-persist' })], async (server) => {
      const answer = await post(server);
      assert.equal(answer.status, 202);
      assert.deepEqual(answer.json, { instanceId: INSTANCE, duplicate: false });
    });
  });

  it('as the start event asks, when it differs from the channel', async () => {
    const { port } = inbound(ended, { ackMode: 'on-persist', isDuplicate: true });
    await withServer(port, [endpoint({ ackMode: 'on-complete' })], async (server) => {
      const answer = await post(server);
      assert.equal(answer.status, 202);
      assert.deepEqual(answer.json, { instanceId: INSTANCE, duplicate: true });
    });
  });

  const replied: InstanceOutcome = {
    kind: 'replied',
    contentType: 'text/csv; charset=utf-8',
    headers: {
      'X-Score': '7',
      'content-length': '999',
      Connection: 'close',
      'transfer-encoding': 'chunked',
      'sutra-park-instance': 'x',
      'X-Split': 'a\r\nset-cookie: x=1',
      'bad name': 'x',
      'x-content-type-options': 'sniff',
    },
    body: Buffer.from('a,b\n'),
  };

  it('with the reply, its type and its headers, and none that would break the answer', async () => {
    await withServer(inbound(replied).port, [endpoint()], async (server) => {
      const answer = await post(server);
      assert.equal(answer.status, 200);
      assert.equal(answer.text, 'a,b\n');
      assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8');
      assert.equal(answer.headers.get('x-score'), '7');
      assert.equal(answer.headers.get('content-length'), '4');
      assert.equal(answer.headers.get('sutra-instance-id'), INSTANCE);
      assert.equal(answer.headers.get('sutra-duplicate'), null);
      assert.equal(answer.headers.get('connection'), 'keep-alive');
      for (const name of ['x-split', 'set-cookie', 'sutra-park-instance'])
        assert.equal(answer.headers.get(name), null);
    });
  });

  it('with the same reply for a duplicate, marked in a header', async () => {
    await withServer(inbound(replied, { isDuplicate: true }).port, [endpoint()], async (server) => {
      const answer = await post(server);
      assert.equal(answer.text, 'a,b\n');
      assert.equal(answer.headers.get('sutra-duplicate'), 'true');
    });
  });

  it('with bytes when the type of the reply cannot be sent', async () => {
    const odd: InstanceOutcome = { ...replied, contentType: 'text/plain\r\nx: y' };
    await withServer(inbound(odd).port, [endpoint()], async (server) => {
      const answer = await post(server);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-type'), 'application/octet-stream');
      assert.equal(answer.headers.get('x'), null);
    });
  });

  it('with the end', async () => {
    await withServer(inbound(ended, { isDuplicate: true }).port, [endpoint()], async (server) => {
      const answer = await post(server);
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.json, { instanceId: INSTANCE, status: 'completed', duplicate: true });
    });
  });

  it('with the failure of the instance, under its own code', async () => {
    const failed: InstanceOutcome = {
      kind: 'failed',
      code: 'card-declined',
      message: 'the card was declined',
    };
    await withServer(inbound(failed).port, [endpoint()], async (server) => {
      const answer = await post(server);
      assertProblem(answer, 422, 'card-declined');
      assert.deepEqual(answer.json['attributes'], { instanceId: INSTANCE, duplicate: false });
    });
  });

  it('with where to look, when it is still under way after the hold', async () => {
    await withServer(inbound({ kind: 'running' }).port, [endpoint()], async (server) => {
      const answer = await post(server);
      assert.equal(answer.status, 202);
      const statusUrl = `/sutra/instances/${INSTANCE}`;
      assert.deepEqual(answer.json, { instanceId: INSTANCE, status: 'running', statusUrl, duplicate: false });
      assert.equal(answer.headers.get('location'), statusUrl);
    });
  });

  it('with the refusal', async () => {
    const port: InboundPort = {
      deliver: () => Promise.reject(new EngineError('SUTRA.INBOUND.NO_SUBSCRIBER', 'nobody wants it')),
    };
    await withServer(port, [endpoint()], async (server) => {
      assertProblem(await post(server), 422, 'SUTRA.INBOUND.NO_SUBSCRIBER');
    });
  });

  it('to nobody, when the sender hung up: the hold ends', async () => {
    const holding = signalled<{ holdMs: number; signal: AbortSignal }>();
    const over = signalled();
    const { port } = inbound(ended, {
      settled: (holdMs, signal) => {
        holding.fire({ holdMs, signal });
        return new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            over.fire();
            resolve({ kind: 'running' });
          });
        });
      },
    });
    await withServer(port, [endpoint()], async (server) => {
      const socket = connect(server.port, '127.0.0.1');
      socket.write('POST /channels/orders HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}');
      assert.equal((await holding.promise).holdMs, 1_000);
      socket.destroy();
      await over.promise;
    });
  });
});

describe('an HTTP channel takes messages in', () => {
  it('as bytes with their type and headers, without those of the connection, credentials and reserved ones', async () => {
    const { port, seen } = inbound(ended);
    await withServer(port, [endpoint()], async (server) => {
      await rawExchange(
        server.port,
        Buffer.from(
          'POST /channels/orders?source=web HTTP/1.1\r\nHost: x\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\n' +
            'Keep-Alive: timeout=5\r\nTE: trailers\r\nUpgrade: h2c\r\nAuthorization: Bearer x\r\nCookie: a=b\r\n' +
            'Proxy-Authorization: x\r\nSutra-Park-Instance: x\r\nIdempotency-Key: k-1\r\nCE-Id: 7\r\nX-Name: \xe9\r\n' +
            '__proto__: x\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: 3\r\n\r\n{ }',
          'latin1',
        ),
      );
      assert.equal(seen.length, 1);
      const [delivery] = seen;
      assert.deepEqual(
        { ...delivery, body: Buffer.from(delivery?.body ?? []).toString() },
        {
          tenant: 'acme',
          module: 'shop',
          channel: 'orders',
          headers: {
            'idempotency-key': 'k-1',
            'ce-id': '7',
            'x-name': 'é',
            'content-type': 'application/json; charset=utf-8',
          },
          contentType: 'application/json; charset=utf-8',
          body: '{ }',
        },
      );
    });
  });

  it('empty, without a type, if that is what was sent', async () => {
    const { port, seen } = inbound(ended);
    await withServer(port, [endpoint()], async (server) => {
      await server.call('POST', '/channels/orders');
      assert.equal(seen[0]?.contentType, null);
      assert.equal(seen[0]?.body.byteLength, 0);
    });
  });

  it('up to the smaller of the cap of the channel and the global one', async () => {
    const { port, seen } = inbound(ended);
    const capped = endpoint({ name: 'small', bind: 'POST /channels/small', payloadCapBytes: 10 });
    const large = endpoint({ name: 'large', bind: 'POST /channels/large', payloadCapBytes: 5_000 });
    await withServer(port, [endpoint(), capped, large], async (server) => {
      const send = (path: string, bytes: number): Promise<CallAnswer> =>
        server.call('POST', path, { body: 'x'.repeat(bytes), headers: { 'content-type': 'text/plain' } });
      assert.equal((await send('/channels/small', 10)).status, 200);
      assertProblem(await send('/channels/small', 11), 413, 'SUTRA.HTTP.BODY_TOO_LARGE');
      assert.equal((await send('/channels/orders', 1_000)).status, 200);
      assertProblem(await send('/channels/orders', 1_001), 413, 'SUTRA.HTTP.BODY_TOO_LARGE');
      assertProblem(await send('/channels/large', 1_001), 413, 'SUTRA.HTTP.BODY_TOO_LARGE');
      assert.equal(seen.length, 2);
    });
  });

  it('only by POST and only on its path', async () => {
    await withServer(inbound(ended).port, [endpoint()], async (server) => {
      const get = await server.call('GET', '/channels/orders');
      assertProblem(get, 405, 'SUTRA.HTTP.METHOD_NOT_ALLOWED');
      assert.equal(get.headers.get('allow'), 'POST');
      assertProblem(await server.call('POST', '/channels/orders/'), 404, 'SUTRA.HTTP.ROUTE_UNKNOWN');
      assert.equal((await server.call('HEAD', '/channels/orders')).status, 405);
    });
  });

  it('and are refused before their body comes while there is no room, but after their credentials', async () => {
    const { port, seen } = inbound(ended);
    const full = (): void => {
      throw new EngineError('SUTRA.INTAKE.CAPACITY', 'full');
    };
    const closed = endpoint({
      bind: 'POST /channels/closed',
      auth: { kind: 'bearer', reference: 'env:TOKEN', name: null },
    });
    const refusing = async (server: TestServer): Promise<void> => {
      const answer = await post(server);
      assertProblem(answer, 429, 'SUTRA.INTAKE.CAPACITY');
      assert.equal(answer.headers.get('retry-after'), '1');
      assertProblem(await post(server, {}, 'x'.repeat(2_000)), 429, 'SUTRA.INTAKE.CAPACITY');
      const denied = await server.call('POST', '/channels/closed', { body: '{}' });
      assertProblem(denied, 401, 'SUTRA.HTTP_CHANNEL.CREDENTIALS_REQUIRED');
    };
    await withServer(port, [endpoint(), closed], refusing, full);
    assert.equal(seen.length, 0);
  });

  it('on the paths of the latest bind alone', async () => {
    const { transport, intake } = createHttpTransport({
      inbound: inbound(ended).port,
      maxHoldMs: 1,
      maxPayloadBytes: 1,
      log: silentLog,
      meter: silentMeter,
      resolveSecret: () => null,
    });
    transport.bind([endpoint()]);
    assert.notEqual(intake.match('/channels/orders'), null);
    transport.bind([
      endpoint({ bind: 'POST /channels/other' }),
      endpoint({ name: 'o', direction: 'outbound' }),
    ]);
    assert.equal(intake.match('/channels/orders'), null);
    assert.notEqual(intake.match('/channels/other'), null);
  });

  it('never on a path of the server itself', async () => {
    const { port, seen } = inbound(ended);
    await withServer(port, [endpoint({ bind: 'POST /admin/deployments' })], async (server) => {
      assertProblem(
        await server.call('POST', '/admin/deployments', { body: '{}' }),
        401,
        'SUTRA.ADMIN.KEY_REQUIRED',
      );
      assert.equal(seen.length, 0);
    });
  });

  it('as the preferred deployment of a module declares it, and not at all when two modules share a path', async () => {
    const { port, seen } = inbound(ended);
    const older = endpoint({ deploymentId: 'dep-0', name: 'orders-old' });
    await withServer(port, [endpoint(), older], async (server) => {
      assert.equal((await post(server)).status, 200);
      assert.equal(seen[0]?.channel, 'orders');
    });
    await withServer(port, [endpoint(), endpoint({ module: 'mail' })], async (server) => {
      const answer = await post(server);
      assertProblem(answer, 409, 'SUTRA.HTTP_CHANNEL.PATH_AMBIGUOUS');
      assert.match(answer.text, /acme\/shop\/orders.*acme\/mail\/orders/);
    });
  });
});

describe('an HTTP channel with auth', () => {
  const bearer = { kind: 'bearer', reference: 'env:TOKEN', name: null } as const;
  const basic = { kind: 'basic', reference: 'secret:password', name: 'ann' } as const;
  const apiKey = { kind: 'api-key', reference: 'env:TOKEN', name: 'X-Shop-Key' } as const;
  const latin = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const cases: readonly [
    auth: ChannelEndpoint['auth'],
    headers: Record<string, string>,
    code: string | null,
  ][] = [
    [bearer, {}, 'SUTRA.HTTP_CHANNEL.CREDENTIALS_REQUIRED'],
    [bearer, { authorization: 'Bearer sesame' }, 'SUTRA.HTTP_CHANNEL.CREDENTIALS_INVALID'],
    [bearer, { authorization: latin('Sésame') }, 'SUTRA.HTTP_CHANNEL.CREDENTIALS_INVALID'],
    [bearer, { authorization: latin('bearer  Sésame') }, null],
    [basic, { authorization: `Basic ${base64('ann:p:w')}` }, null],
    [basic, { authorization: `Basic ${base64('bob:p:w')}` }, 'SUTRA.HTTP_CHANNEL.CREDENTIALS_INVALID'],
    [basic, { authorization: `Bearer ${base64('ann:p:w')}` }, 'SUTRA.HTTP_CHANNEL.CREDENTIALS_INVALID'],
    [apiKey, { 'x-api-key': latin('Sésame') }, 'SUTRA.HTTP_CHANNEL.CREDENTIALS_REQUIRED'],
    [apiKey, { 'x-shop-key': latin('Sésame') }, null],
    [
      { ...bearer, reference: 'env:MISSING' },
      { authorization: 'Bearer ' },
      'SUTRA.HTTP_CHANNEL.AUTH_UNRESOLVED',
    ],
  ];
  for (const [auth, headers, code] of cases) {
    const shown = `${auth?.kind ?? ''} with ${JSON.stringify(Object.keys(headers))}`;
    it(`${code === null ? 'lets in' : 'refuses'} ${shown}${code === null ? '' : ` as ${code}`}`, async () => {
      const { port, seen } = inbound(ended);
      await withServer(port, [endpoint({ auth })], async (server) => {
        const answer = await post(server, headers, 'x'.repeat(code === null ? 10 : 5_000));
        if (code === null) {
          assert.equal(answer.status, 200);
          assert.deepEqual(
            Object.keys(seen[0]?.headers ?? {}).filter((name) => /auth|key/.test(name)),
            [],
          );
          return;
        }
        // Before the body: it is over the cap, and that is not what the answer says.
        assertProblem(answer, undefined, code);
        assert.equal(seen.length, 0);
        assert.doesNotMatch(answer.text, /ésame|p:w/);
        if (answer.status === 401)
          assert.match(answer.headers.get('www-authenticate') ?? '', /^(?:Bearer|Basic) /);
      });
    });
  }
});
