/** The tests of faults are worth what their proxy is: each fault looks to a real client like what it is called. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { connect, createServer as createListener, type AddressInfo, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { text } from 'node:stream/consumers';
import { callKindOf, FaultProxy } from './fault-proxy.ts';
import { DELAY_MS, faultNames, resetSocket, type FaultName } from './fault-proxy-faults.ts';

const FETCH = '/sutra/external-tasks/fetch-and-lock';
const ANSWER = JSON.stringify({ status: 'COMPLETED', outcome: 'ACCEPTED' });
/** After so long without a byte a client says that there is no answer. */
const SILENCE_MS = 500;

interface Seen {
  /** As the client has it: what came, without what only this connection is about, and what became of it. */
  readonly answer: string;
  /** Whether the server has acted on it. */
  readonly isServed: boolean;
}

let server: Server;
let serverUrl = '';
let nextId = 0;
const proxies: FaultProxy[] = [];
/** Paths of calls on which the server has acted. */
const served = new Set<string>();
/** Paths of calls whose callers had gone before they were answered. */
const disconnected = new Set<string>();

async function newProxy(): Promise<FaultProxy> {
  const proxy = await FaultProxy.start(serverUrl);
  proxies.push(proxy);
  return proxy;
}

/** `?hold` is how long the server takes, in milliseconds. */
function newPath(call: 'complete' | 'progress' = 'complete', holdMs = 0): string {
  nextId += 1;
  return `/sutra/external-tasks/${String(nextId)}/${call}${holdMs === 0 ? '' : `?hold=${String(holdMs)}`}`;
}

/** Everything that comes over one connection until it ends or stays silent. */
function raw(url: string, path: string, body = '{}'): Promise<string> {
  return new Promise((resolve) => {
    let got = '';
    let end = 'nothing more';
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const settle = (): void => {
      socket.destroy();
      resolve(`${got.replaceAll(/^(?:date|connection|keep-alive): .*\r\n/gim, '')}<${end}>`);
    };
    socket.setTimeout(SILENCE_MS, settle);
    socket.on('data', (chunk: Buffer) => (got += chunk.toString('latin1')));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      end = error.code ?? 'error';
    });
    socket.once('end', () => (end = 'end'));
    socket.once('close', settle);
    const length = String(body.length);
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: h\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`,
    );
  });
}

async function seen(proxy: FaultProxy, path = newPath()): Promise<Seen> {
  const answer = await raw(proxy.url, path);
  return { answer, isServed: served.has(path) };
}

function post(proxy: FaultProxy, path: string): Promise<string> {
  return fetch(`${proxy.url}${path}`, { method: 'POST', body: '{}' }).then((answer) => answer.text());
}

async function until(isReached: () => boolean): Promise<void> {
  while (!isReached()) await new Promise((resolve) => setTimeout(resolve, 5));
}

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const LENGTH = `content-length: ${String(ANSWER.length)}\r\n`;

/** What the first call and the second one see. Where there is one only, both see the same. */
const looks: Readonly<Record<FaultName, readonly [look: RegExp, served: readonly boolean[]]>> = {
  'drop-before': [/^<(?:end|ECONNRESET)>$/, [false, false]],
  'drop-after': [/^<(?:end|ECONNRESET)>$/, [true, true]],
  'delay-before': [/^<nothing more>$/, [false, false]],
  'delay-after': [/^<nothing more>$/, [true, true]],
  'half-open-before': [/^<nothing more>$/, [false, false]],
  'half-open-after': [/^<nothing more>$/, [true, true]],
  deaf: [/^<nothing more>$/, [false, false]],
  'reset-after-headers': [/^HTTP\/1\.1 200 OK\r\n(?:[^{]*)\r\n\r\n<ECONNRESET>$/, [true, true]],
  'truncated-length': [/content-length: 43\r\n\r\n\{"status":"COMPLETED"<end>$/, [true, true]],
  'truncated-chunks': [/chunked\r\n\r\n15\r\n\{"status":"COMPLETED"\r\n<end>$/, [true, true]],
  'slow-headers': [/^<nothing more>$/, [true, true]],
  'slow-body': [/^HTTP\/1\.1 200 OK\r\n[^{]*\r\n\r\n<nothing more>$/, [true, true]],
  'html-500': [/^HTTP\/1\.1 500 [^]*text\/html[^]*<h1>[^]*<nothing more>$/, [false, true]],
  'empty-502': [/^HTTP\/1\.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n<nothing more>$/, [false, true]],
  'unauthorized-401': [/^HTTP\/1\.1 401 [^]*token expired"\}<nothing more>$/, [false, false]],
  'busy-429': [/^HTTP\/1\.1 429 (?:(?!retry-after)[^])*slow down<nothing more>$/, [false, false]],
  'busy-429-retry-after': [
    /^HTTP\/1\.1 429 [^]*retry-after: 1\r\n[^]*slow down<nothing more>$/,
    [false, false],
  ],
  garbage: [/^(?!HTTP)[^]{14}<end>$/, [false, true]],
  'null-200': [/^HTTP\/1\.1 200 [^]*application\/json[^]*\r\n\r\nnull<nothing more>$/, [false, true]],
  'array-200': [/^HTTP\/1\.1 200 [^]*application\/json[^]*\r\n\r\n\[\]<nothing more>$/, [false, true]],
  'html-200': [/^HTTP\/1\.1 200 [^]*text\/html[^]*<h1>[^]*<nothing more>$/, [false, true]],
  refused: [/^<ECONNREFUSED>$/, [false, false]],
};

describe('the fault proxy', { concurrency: true }, () => {
  before(async () => {
    server = createServer((request, response) => {
      const path = request.url ?? '';
      const holdMs = Number(new URL(path, serverUrl).searchParams.get('hold') ?? 0);
      response.once('close', () => {
        if (!response.writableFinished) disconnected.add(path);
      });
      const answer = async (): Promise<void> => {
        await text(request);
        served.add(path);
        await new Promise((resolve) => setTimeout(resolve, holdMs).unref());
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': ANSWER.length });
        response.end(ANSWER);
      };
      answer().catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    serverUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  });
  after(async () => {
    await Promise.all(proxies.map((proxy) => proxy.stop()));
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('passes a call on as it is, when there is no fault', async () => {
    const { answer, isServed } = await seen(await newProxy());
    assert.equal(answer, `${HEAD}${LENGTH}\r\n${ANSWER}<nothing more>`);
    assert.ok(isServed);
  });

  it('knows every call of the pull surface by its path', () => {
    const id = '0190a0a0-0000-7000-8000-000000000000';
    const calls = ['complete', 'failure', 'extend-lock', 'unlock', 'bpmn-error', 'progress'] as const;
    for (const call of calls) assert.equal(callKindOf(`/sutra/external-tasks/${id}/${call}`), call);
    assert.equal(callKindOf(FETCH), 'fetch');
    const others = [id, 'topics', `${id}/other`].map((path) => `/sutra/external-tasks/${path}`);
    for (const path of [...others, '/sutra/health/ready']) assert.equal(callKindOf(path), 'other');
  });

  for (const name of faultNames) {
    it(`does ${name} to the calls that it was told to, and is itself again afterwards`, async () => {
      const [look, wanted] = looks[name];
      const proxy = await newProxy();
      proxy.strike(name, ['complete']);
      for (const isServed of wanted) {
        const struck = await seen(proxy);
        assert.match(struck.answer, look);
        assert.equal(struck.isServed, isServed);
      }
      if (name !== 'refused') {
        assert.equal(proxy.struckCount('complete'), wanted.length);
        const other = await seen(proxy, newPath('progress'));
        assert.match(other.answer, /^HTTP\/1\.1 200 [^]*ACCEPTED/, 'another kind of call is not touched');
      }
      await proxy.calm();
      const passed = await seen(proxy);
      assert.match(passed.answer, /^HTTP\/1\.1 200 [^]*ACCEPTED/);
      assert.ok(passed.isServed);
    });
  }

  for (const name of ['half-open-before', 'half-open-after', 'deaf', 'slow-headers', 'slow-body'] as const) {
    it(`resets at the end of the fault what ${name} has kept silent`, async () => {
      const proxy = await newProxy();
      proxy.strike(name, ['complete']);
      const failure = assert.rejects(post(proxy, newPath()));
      await until(() => proxy.struckCount('complete') === 1);
      await proxy.calm();
      await failure;
    });
  }

  it('resets at the end of the fault what the server has not answered, and tells the server', async () => {
    const proxy = await newProxy();
    proxy.strike('drop-after', ['complete']);
    const path = newPath('complete', 20_000);
    const failure = assert.rejects(post(proxy, path));
    await until(() => served.has(path));
    await proxy.calm();
    await failure;
    await until(() => disconnected.has(path));
  });

  it('does not read what comes when it is deaf to all calls', async () => {
    const proxy = await newProxy();
    proxy.strike('deaf');
    const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1');
    socket.on('error', () => {});
    let isWritten = false;
    const bytes = Buffer.alloc(32_000_000, 'x');
    socket.write(`POST ${newPath()} HTTP/1.1\r\nhost: h\r\ncontent-length: ${String(bytes.length)}\r\n\r\n`);
    socket.write(bytes, () => (isWritten = true));
    await new Promise((resolve) => setTimeout(resolve, SILENCE_MS));
    assert.equal(isWritten, false, 'the request is still on its way');
    assert.equal(proxy.struckCount('fetch'), 1);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await proxy.calm();
    await closed;
  });

  it('refuses connections, drops those that are open, and comes back at the same port', async () => {
    const proxy = await newProxy();
    const { url } = proxy;
    const path = newPath('complete', 5_000);
    const open = assert.rejects(post(proxy, path));
    await until(() => served.has(path));
    proxy.strike('refused');
    await open;
    assert.equal(await raw(url, newPath()), '<ECONNREFUSED>');
    await proxy.calm();
    assert.equal(proxy.url, url);
    assert.match(await raw(url, newPath()), /^HTTP\/1\.1 200 /);
  });

  for (const name of ['delay-before', 'delay-after'] as const) {
    it(`lets a call through that is struck by ${name}, later`, async () => {
      const proxy = await newProxy();
      proxy.strike(name, ['complete']);
      const startedAt = performance.now();
      assert.equal(await post(proxy, newPath()), ANSWER);
      assert.ok(performance.now() - startedAt >= DELAY_MS - 1);
    });
  }

  it('tells the server when a caller has gone', async () => {
    const path = newPath('complete', 5_000);
    await raw((await newProxy()).url, path);
    await until(() => disconnected.has(path));
  });

  it('knows whether it is polled: by what is under way, and by when the last came', async () => {
    const proxy = await newProxy();
    const startedAt = performance.now();
    proxy.strike('html-500', ['fetch']);
    await post(proxy, FETCH);
    assert.equal(proxy.hasPolledSince(startedAt), false, 'a poll that was struck is none');
    await proxy.calm();
    await post(proxy, FETCH);
    assert.equal(proxy.hasPolledSince(startedAt), true);
    assert.equal(proxy.hasPolledSince(performance.now()), false);
    const polling = post(proxy, `${FETCH}?hold=300`);
    await until(() => proxy.passedCount('fetch') === 2);
    assert.equal(proxy.hasPolledSince(performance.now()), true, 'one that is under way');
    await polling;
    await until(() => !proxy.hasPolledSince(performance.now()));
  });

  it('leaves no connection open that it resets while its end is under way', async () => {
    let accepted: Socket | null = null;
    let isClosed = false;
    const listener = createListener((socket) => {
      accepted = socket.on('error', () => {}).once('close', () => (isClosed = true));
      socket.end('x');
      process.nextTick(() => resetSocket(socket));
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const caller = connect((listener.address() as AddressInfo).port, '127.0.0.1');
    caller.on('error', () => {}).resume();
    await until(() => accepted !== null && isClosed);
    caller.destroy();
    listener.close();
  });
});
