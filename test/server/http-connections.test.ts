import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { silentLog } from '../../engine/observe.ts';
import { createMetrics } from '../../server/metrics.ts';
import { signalled, startTestServer, testDeps } from './fixture.ts';

const FETCH = '/sutra/external-tasks/fetch-and-lock';

describe('the HTTP server notices clients that hang up', () => {
  const held = signalled<AbortSignal>();
  const fetchRequest = `POST ${FETCH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;

  it('aborts a waiting fetch when its socket closes', async () => {
    const server = await startTestServer({
      pull: {
        ...testDeps().pull,
        fetchAndLock: (_body, disconnected) => {
          held.fire(disconnected);
          return new Promise((resolve) => {
            disconnected.addEventListener('abort', () => {
              resolve({ answer: Buffer.from('{"tasks":[]}'), undelivered: () => Promise.resolve() });
            });
          });
        },
      },
    });
    try {
      const socket = connect(server.port, '127.0.0.1');
      socket.write(fetchRequest);
      const disconnected = await held.promise;
      const aborted = new Promise((resolve) => {
        disconnected.addEventListener('abort', resolve);
      });
      socket.destroy();
      await aborted;
      await server.server.drained();
    } finally {
      await server.stop();
    }
  });

  it('gives tasks back that were locked for a client that had gone', async () => {
    const waiting = signalled<AbortSignal>();
    const locked = signalled();
    const givenBack = signalled();
    const server = await startTestServer({
      pull: {
        ...testDeps().pull,
        fetchAndLock: async (_body, disconnected) => {
          waiting.fire(disconnected);
          await locked.promise;
          return {
            answer: Buffer.from('{"tasks":[{}]}'),
            undelivered: () => {
              givenBack.fire();
              return Promise.resolve();
            },
          };
        },
      },
    });
    try {
      const socket = connect(server.port, '127.0.0.1');
      socket.write(fetchRequest);
      const disconnected = await waiting.promise;
      disconnected.addEventListener('abort', () => {
        locked.fire();
      });
      socket.destroy();
      await givenBack.promise;
    } finally {
      await server.stop();
    }
  });

  it('aborts and gives back a pipelined fetch whose answer waits behind another', async () => {
    const signals: AbortSignal[] = [];
    const both = signalled();
    const givenBack = signalled();
    const server = await startTestServer({
      pull: {
        ...testDeps().pull,
        fetchAndLock: (_body, disconnected) => {
          signals.push(disconnected);
          if (signals.length === 1) return new Promise(() => {});
          // The second has its tasks at once, but its answer cannot be written before the first.
          setImmediate(() => {
            both.fire();
          });
          return Promise.resolve({
            answer: Buffer.from('{"tasks":[{}]}'),
            undelivered: () => {
              givenBack.fire();
              return Promise.resolve();
            },
          });
        },
      },
    });
    try {
      const socket = connect(server.port, '127.0.0.1');
      socket.write(fetchRequest + fetchRequest);
      await both.promise;
      socket.destroy();
      await givenBack.promise;
      assert.deepEqual(
        signals.map((signal) => signal.aborted),
        [true, true],
      );
    } finally {
      await server.stop();
    }
  });

  it('does not give back what was delivered', async () => {
    let givenBackCount = 0;
    const server = await startTestServer({
      pull: {
        ...testDeps().pull,
        fetchAndLock: () =>
          Promise.resolve({
            answer: Buffer.from('{"tasks":[]}'),
            undelivered: () => {
              givenBackCount += 1;
              return Promise.resolve();
            },
          }),
      },
    });
    await server.call('POST', FETCH, { json: {} });
    await server.stop();
    assert.equal(givenBackCount, 0);
  });
});

describe('the HTTP server stops in order', () => {
  it('answers what is under way, refuses what is new on its connections, and then is drained', async () => {
    const waiting = signalled();
    const release = signalled();
    const metrics = createMetrics({ log: silentLog, isStrict: true, hasProcessMetrics: false });
    const server = await startTestServer({
      metrics,
      pull: {
        ...testDeps().pull,
        fetchAndLock: async () => {
          waiting.fire();
          await release.promise;
          return { answer: Buffer.from('{"tasks":[]}'), undelivered: () => Promise.resolve() };
        },
      },
    });
    const pending = server.call('POST', FETCH, { json: {} });
    await waiting.promise;
    server.server.stopAccepting();
    let isDrained = false;
    const drained = server.server.drained().then(() => {
      isDrained = true;
    });
    await assert.rejects(fetch(`${server.url}/sutra/health/live`));
    assert.equal(isDrained, false);
    release.fire();
    const answer = await pending;
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('connection'), 'close');
    await drained;
    await server.stop();
    await server.stop();
  });

  it('refuses a new request on an open connection with 503, and still says that it lives', async () => {
    const waiting = signalled();
    const release = signalled();
    const server = await startTestServer({
      pull: {
        ...testDeps().pull,
        fetchAndLock: async () => {
          waiting.fire();
          await release.promise;
          return { answer: Buffer.from('{"tasks":[]}'), undelivered: () => Promise.resolve() };
        },
      },
    });
    const socket = connect(server.port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    const closed = new Promise((resolve) => socket.on('close', resolve));
    const post = `POST ${FETCH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
    socket.write(post);
    await waiting.promise;
    server.server.stopAccepting();
    socket.write(post);
    await new Promise((resolve) => setImmediate(resolve));
    release.fire();
    await closed;
    const text = Buffer.concat(chunks).toString('latin1');
    assert.match(text, /^HTTP\/1\.1 200 /);
    await server.stop();
  });
});
