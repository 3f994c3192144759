/** How the SDK keeps its locks, fetches and stops, against a peer that follows a script. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Worker } from '../../worker/index.ts';
import { answer, handOut, refuse, type ScriptedPeer, task, usual, type PeerAct } from './scripted-peer.ts';
import { done, inTurn, scene, silent, untilAborted, type Options } from './scene.ts';
import { nextEvent, pause } from './watching.ts';

describe('a lock', () => {
  it('is extended at a third of its duration, and an extension without an answer is repeated', async () => {
    const cut: PeerAct = ({ response }) => response.destroy();
    await scene(
      { 'fetch-and-lock': handOut(task('t1')), 'extend-lock': inTurn(cut, cut, usual) },
      async (_task, { signal }) => {
        await pause(1_500);
        return { aborted: signal.aborted };
      },
      async ({ peer, events }) => {
        await events.until('completed');
        assert.deepEqual(peer.callsOf('complete')[0]?.body['result'], { aborted: false });
        const [first] = peer.callsOf('extend-lock');
        assert.deepEqual([first?.body['lockDuration'], first?.body['lockToken']], ['PT0.9S', 'token-t1']);
      },
      { lockDuration: 'PT0.9S' },
    );
  });

  it('that no extension reaches in time is lost; a late result is sent once, and refused', async () => {
    let reason: unknown;
    await scene(
      {
        'fetch-and-lock': handOut(task('t1')),
        'extend-lock': silent,
        complete: (call) => refuse(call, 409, 'SUTRA.EXTERNAL_TASK.LOCK_LOST'),
      },
      async (_task, { signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        reason = signal.reason;
        return {};
      },
      async ({ peer, events }) => {
        await events.until('lock-lost');
        assert.equal((reason as Error).name, 'LockLostError');
        assert.equal(peer.callsOf('complete').length, 1);
      },
      { lockDuration: 'PT0.5S' },
    );
  });

  it('may be lost to a handler that blocks the event loop: it is told, and the next task is done', async () => {
    await scene(
      {
        'fetch-and-lock': (call) =>
          call.number <= 2 ? answer(call, 200, { tasks: [task(`t${call.number}`)] }) : usual(call),
        complete: (call) =>
          call.taskId === 't1' ? refuse(call, 409, 'SUTRA.EXTERNAL_TASK.LOCK_LOST') : usual(call),
      },
      async (seen) => {
        if (seen.id === 't1') {
          const until = performance.now() + 1_500;
          while (performance.now() < until);
        }
      },
      async ({ events }) => {
        await events.until('completed');
        await events.until('lock-lost');
        assert.equal(events.names.length, 2);
      },
      { lockDuration: 'PT1S', concurrency: 1 },
    );
  });

  it('of a task with a deadline ends with it', async () => {
    const at = new Date(Date.now() + 60_000).toISOString();
    const lockExpiresAt = new Date(Date.now() + 59_700).toISOString();
    await scene(
      { 'fetch-and-lock': handOut(task('t1', { deadline: at, lockExpiresAt })) },
      untilAborted,
      async ({ events }) => {
        await events.until('lock-lost');
        assert.equal((events.payloads[0] as { reason: Error }).reason.name, 'DeadlineError');
      },
      { lockDuration: 'PT1S' },
    );
  });

  it('of an attempt is lost when the task is handed out again', async () => {
    await scene(
      {
        'fetch-and-lock': (call) =>
          call.number <= 2
            ? answer(call, 200, {
                tasks: [task('t1', { attempts: call.number, lockToken: `l${call.number}` })],
              })
            : usual(call),
      },
      (seen, context) => (seen.attempts === 1 ? untilAborted(seen, context) : {}),
      async ({ peer, events }) => {
        await events.until('completed');
        await events.until('lock-lost');
        assert.deepEqual(
          peer.callsOf('complete').map(({ body }) => [body['lockToken'], body['completionId']]),
          [['l2', 't1-2']],
        );
      },
    );
  });
});

describe('fetching', () => {
  it('asks for what is free, and not at all when nothing is', async () => {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    await scene(
      {
        'fetch-and-lock': inTurn(
          (call) => answer(call, 200, { tasks: [task('t1')] }),
          (call) => answer(call, 200, { tasks: [task('t2')] }),
          usual,
        ),
      },
      () => released,
      async ({ peer, worker, events }) => {
        await peer.until('fetch-and-lock', 2);
        await pause(200);
        assert.deepEqual(
          peer.callsOf('fetch-and-lock').map(({ body }) => body['maxTasks']),
          [2, 1],
        );
        assert.deepEqual([worker.state, worker.health().inFlight], ['idle', 2]);
        release();
        await events.until('completed');
        await peer.until('fetch-and-lock', 3);
      },
      { concurrency: 2 },
    );
  });

  it('looks first, then waits, and looks again after a failure', async () => {
    await scene(
      { 'fetch-and-lock': inTurn(usual, (call) => answer(call, 500, ''), usual) },
      done,
      async ({ peer }) => {
        await peer.until('fetch-and-lock', 4);
        const waits = peer.callsOf('fetch-and-lock').map(({ body }) => body['asyncResponseTimeout']);
        assert.deepEqual(waits, ['PT0S', 'PT20S', 'PT0S', 'PT20S']);
      },
    );
  });

  it('gives back what was not asked for, and takes the rest', async () => {
    const tasks = [
      task('t1'),
      task('t2', { channel: 'other' }),
      { id: 't3', lockToken: 'token-t3' },
      null,
      'x',
      task('t4'),
      task('t5'),
    ];
    await scene(
      { 'fetch-and-lock': handOut(...tasks) },
      done,
      async ({ peer, events }) => {
        await events.until('completed');
        await peer.until('unlock', 3);
        await peer.until('complete', 2);
        assert.deepEqual(
          peer
            .callsOf('unlock')
            .map(({ taskId }) => taskId)
            .sort(),
          ['t2', 't3', 't5'],
        );
        assert.deepEqual(
          peer
            .callsOf('complete')
            .map(({ taskId }) => taskId)
            .sort(),
          ['t1', 't4'],
        );
      },
      { concurrency: 2 },
    );
  });

  it('keeps to a ceiling of the batch, and of a wait that nobody asked for', async () => {
    const over =
      (field: string, limit: unknown): PeerAct =>
      (call) =>
        refuse(call, 400, 'SUTRA.EXTERNAL_TASK.REQUEST_INVALID', { field, limit });
    await scene(
      { 'fetch-and-lock': inTurn(over('maxTasks', 3), usual, over('asyncResponseTimeout', 'PT5S'), usual) },
      done,
      async ({ peer }) => {
        await peer.until('fetch-and-lock', 4);
        assert.deepEqual(
          peer.callsOf('fetch-and-lock').map(({ body }) => [body['maxTasks'], body['asyncResponseTimeout']]),
          [
            [8, 'PT0S'],
            [3, 'PT0S'],
            [3, 'PT20S'],
            [3, 'PT5S'],
          ],
        );
      },
    );
  });

  it('does not spin on answers that do not wait', async () => {
    await scene({ 'fetch-and-lock': (call) => answer(call, 200, { tasks: [] }) }, done, async ({ peer }) => {
      await pause(600);
      assert.ok(
        peer.callsOf('fetch-and-lock').length < 12,
        `${peer.callsOf('fetch-and-lock').length} fetches`,
      );
    });
  });

  it('ends a fetch that did not ask for a channel which has room again', async () => {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    await scene(
      { 'fetch-and-lock': handOut(task('t1')) },
      done,
      async ({ peer }) => {
        await peer.until('fetch-and-lock', 2);
        assert.deepEqual(peer.callsOf('fetch-and-lock')[1]?.body['channels'], ['other']);
        release();
        await peer.until('fetch-and-lock', 3);
        assert.deepEqual(peer.callsOf('fetch-and-lock')[2]?.body['channels'], [
          { name: 'work', maxTasks: 1 },
          'other',
        ]);
        assert.equal(peer.callsOf('fetch-and-lock')[1]?.closed.aborted, true);
      },
      { channels: { work: { handler: () => released, maxTasks: 1 }, other: done } },
    );
  });

  const hostile: readonly (readonly [string, (peer: () => ScriptedPeer) => Options])[] = [
    ['a fetch that ignores its signal', () => ({ fetch: afterFirst(() => new Promise<Response>(() => {})) })],
    [
      'a fetch that throws',
      () => ({
        fetch: afterFirst(() => {
          throw new Error('x');
        }),
      }),
    ],
    [
      'credentials that never come',
      () => ({
        headers: afterFirst(
          () => new Promise<Record<string, string>>(() => {}),
          () => Promise.resolve({}),
        ),
      }),
    ],
    [
      'credentials that fail',
      () => ({
        headers: afterFirst(
          () => Promise.reject(new Error('503')),
          () => Promise.resolve({}),
        ),
      }),
    ],
    [
      'a log that throws',
      () => ({
        log: () => {
          throw new Error('x');
        },
      }),
    ],
  ];
  for (const [name, options] of hostile) {
    it(`goes on after ${name}`, async () => {
      await scene(
        {
          'fetch-and-lock': inTurn(
            (call) => answer(call, 500, ''),
            (call) => answer(call, 200, { tasks: [task('t1')] }),
            usual,
          ),
        },
        done,
        async ({ events }) => {
          await events.until('completed');
        },
        { pollMargin: 'PT0.2S', ...options(() => assert.fail()) },
      );
    });
  }

  it('goes on after a listener that throws', async () => {
    await scene({ 'fetch-and-lock': handOut(task('t1')) }, done, async ({ worker, peer }) => {
      for (const name of ['task', 'completed', 'polling'] as const) {
        worker.on(name, () => {
          throw new Error('x');
        });
      }
      await peer.until('complete', 1);
      await peer.until('fetch-and-lock', 2);
    });
  });

  it('says that it is not healthy, and that it is again', async () => {
    let isDown = true;
    await scene(
      { 'fetch-and-lock': (call) => (isDown ? answer(call, 500, '') : usual(call)) },
      done,
      async ({ worker, lines }) => {
        const { reason } = await nextEvent(worker, 'unhealthy');
        assert.match(reason, /500/);
        assert.equal(worker.health().healthy, false);
        assert.notEqual(worker.health().failingSince, null);
        assert.ok(lines.some((line) => line.includes('not healthy')));
        const healthy = nextEvent(worker, 'healthy');
        isDown = false;
        await healthy;
        assert.equal(worker.health().healthy, true);
      },
      { unhealthyAfter: 'PT0.2S' },
    );
  });
});

describe('stop', () => {
  it('hangs up the fetch under way', async () => {
    await scene({}, done, async ({ peer, worker }) => {
      await peer.until('fetch-and-lock', 2);
      await worker.stop();
      while (peer.callsOf('fetch-and-lock')[1]?.closed.aborted !== true) await pause(5);
      assert.equal(worker.state, 'stopped');
    });
  });

  it('gives the task of a handler that never ends back, and resolves', async () => {
    await scene(
      { 'fetch-and-lock': handOut(task('t1')) },
      () => new Promise(() => {}),
      async ({ peer, worker, events }) => {
        await nextEvent(worker, 'task');
        await worker.stop();
        assert.deepEqual(
          peer.callsOf('unlock').map(({ body }) => body['lockToken']),
          ['token-t1'],
        );
        assert.deepEqual(events.names, ['lock-lost']);
        assert.equal((events.payloads[0] as { reason: Error }).reason.name, 'DrainError');
      },
    );
  });

  it('resolves while nothing is answered at all', async () => {
    await scene(
      { 'fetch-and-lock': handOut(task('t1'), task('t2')), complete: silent, unlock: silent },
      (seen) => (seen.id === 't1' ? {} : new Promise(() => {})),
      async ({ peer, worker, events }) => {
        await peer.until('complete', 1);
        await worker.stop();
        assert.deepEqual(events.names, ['lock-lost', 'lock-lost']);
      },
      { callTimeout: 'PT0.3S' },
    );
  });

  it('lets handlers finish within the drain time', async () => {
    await scene(
      { 'fetch-and-lock': handOut(task('t1')) },
      () => pause(200),
      async ({ worker, events }) => {
        await nextEvent(worker, 'task');
        await worker.stop();
        assert.deepEqual(events.names, ['completed']);
      },
      { drainTimeout: 'PT10S' },
    );
  });

  it('may come first, and more than once', async () => {
    const worker = new Worker({ baseUrl: 'http://127.0.0.1:1', channels: { work: done } });
    const ready = assert.rejects(worker.ready());
    await Promise.all([worker.stop(), worker.stop()]);
    await ready;
    await assert.rejects(worker.start());
    await assert.rejects(worker.ready());
  });
});

describe('a schema', () => {
  const schema = {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value: unknown) =>
        (value as { n: unknown }).n === 1
          ? { value: { n: 1, made: true } }
          : { issues: [{ message: 'hidden-value is wrong', path: ['n', { key: 0 }] }] },
    },
  } as const;

  it('makes the body', async () => {
    await scene(
      { 'fetch-and-lock': handOut(task('t1')) },
      done,
      async ({ peer, events }) => {
        await events.until('completed');
        assert.deepEqual(peer.callsOf('complete')[0]?.body['result'], { n: 1, made: true });
      },
      { channels: { work: { handler: (seen) => seen.body, schema } } },
    );
  });

  it('fails a body that does not fit for good, naming places and no values', async () => {
    await scene(
      { 'fetch-and-lock': handOut(task('t1', { body: { n: 'hidden-value' } })) },
      done,
      async ({ peer, events }) => {
        await events.until('failed');
        const body = peer.callsOf('failure')[0]?.body;
        assert.equal(body?.['retries'], 0);
        assert.match(String(body['errorMessage']), /n\.0/);
        assert.doesNotMatch(JSON.stringify(body), /hidden-value/);
      },
      { channels: { work: { handler: done, schema } } },
    );
  });
});

/** The second call is `bad`, all others are good. */
function afterFirst(bad: () => unknown, good?: () => unknown): never {
  let count = 0;
  const send = (...args: Parameters<typeof fetch>): unknown => {
    count += 1;
    if (count === 2) return bad();
    return good === undefined ? fetch(...args) : good();
  };
  return send as never;
}
