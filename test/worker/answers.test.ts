/** What the SDK reports of a task, and what it makes of every kind of answer. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  BpmnError,
  NonRetryableError,
  RetryableError,
  TaskResult,
  type Handler,
} from '../../worker/index.ts';
import { answer, handOut, refuse, task, usual, type PeerAct, type PeerCall } from './scripted-peer.ts';
import { done, inTurn, scene, silent, untilAborted, type Options } from './scene.ts';

const failing: Handler = () => {
  throw new RetryableError('no luck', { details: '' });
};

const noAnswers: Readonly<Record<string, PeerAct>> = {
  'a cut connection': ({ response }) => response.destroy(),
  silence: silent,
  'a body that never ends': ({ response }) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{');
  },
  'a cut body': ({ response }) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
    response.write('{"tasks":[]');
    setTimeout(() => response.destroy(), 10);
  },
  'a page with 200': (call) => answer(call, 200, '<html></html>'),
  'null with 200': (call) => answer(call, 200, 'null'),
  'a list with 200': (call) => answer(call, 200, '[]'),
  'an empty object with 200': (call) => answer(call, 200, {}),
  'a page with 500': (call) => answer(call, 500, '<html></html>'),
  'a page with 404': (call) => answer(call, 404, '<html></html>'),
  'a redirect': (call) => answer(call, 302, '', { location: '/login' }),
  'a problem with 401': (call) => refuse(call, 401, 'SUTRA.AUTH.REQUIRED'),
  'a problem with 503': (call) => refuse(call, 503, 'SUTRA.PERSISTENCE_REQUIRED'),
  'a problem with 429': (call) => answer(call, 429, {}, { 'retry-after': '0' }),
};

describe('an answer that is none', () => {
  for (const [name, act] of Object.entries(noAnswers)) {
    it(`to a completion is repeated, byte for byte: ${name}`, async () => {
      await scene(
        { 'fetch-and-lock': handOut(task('t1')), complete: inTurn(act, act, usual) },
        done,
        async ({ peer, events }) => {
          await events.until('completed');
          const bodies = peer.callsOf('complete').map(({ body }) => body);
          // A machine that stands still may miss the time of one more.
          assert.ok(bodies.length >= 3, `${bodies.length} calls`);
          for (const body of bodies) assert.deepEqual(body, bodies[0]);
          assert.equal(bodies[0]?.['completionId'], 't1-1');
          assert.equal(bodies[0]['lockToken'], 'token-t1');
          assert.deepEqual(events.names, ['completed']);
        },
        { callTimeout: 'PT0.4S' },
      );
    });

    it(`to a progress note is no fault of the work: ${name}`, async () => {
      await scene(
        { 'fetch-and-lock': handOut(task('t1')), progress: act },
        async (_task, context) => ({ shown: await context.progress({ step: 1 }) }),
        async ({ peer, events }) => {
          await events.until('completed');
          assert.deepEqual(peer.callsOf('complete')[0]?.body['result'], { shown: false });
          assert.deepEqual(events.names, ['completed']);
        },
        { callTimeout: 'PT0.4S' },
      );
    });

    it(`to a fetch is followed by another: ${name}`, async () => {
      const lost: PeerCall[] = [];
      const losing: PeerAct = (call) => {
        lost.push(call);
        act(call);
      };
      await scene(
        {
          'fetch-and-lock': inTurn(losing, losing, (call) =>
            answer(call, 200, { tasks: [task(`t${call.number}`)] }),
          ),
        },
        done,
        async ({ worker, events }) => {
          await events.until('completed');
          assert.equal(worker.health().healthy, true);
          for (const { closed, response } of lost)
            assert.ok(closed.aborted || response.writableEnded, 'is left open');
        },
        { pollMargin: 'PT0.2S' },
      );
    });
  }
});

describe('a verdict on a completion', () => {
  const verdicts: readonly (readonly [number, string, string])[] = [
    [404, 'NOT_FOUND', 'WithdrawnError'],
    [409, 'WITHDRAWN', 'WithdrawnError'],
    [409, 'LOCK_LOST', 'LockLostError'],
    [409, 'LOCK_HELD', 'LockLostError'],
    [409, 'TERMINAL', 'LockLostError'],
    [409, 'COMPLETION_CONFLICT', 'LockLostError'],
  ];
  for (const [status, name, reason] of verdicts) {
    it(`${name} ends the run as lost`, async () => {
      const code = `SUTRA.EXTERNAL_TASK.${name}`;
      await scene(
        { 'fetch-and-lock': handOut(task('t1')), complete: (call) => refuse(call, status, code) },
        done,
        async ({ peer, events }) => {
          await events.until('lock-lost');
          const [lost] = events.payloads as readonly { code: string; reason: Error }[];
          assert.deepEqual([lost?.code, lost?.reason.name], [code, reason]);
          assert.equal(peer.calls.filter(({ call }) => call !== 'fetch-and-lock').length, 1);
        },
      );
    });

    it(`${name}, told to an extension, aborts the work at once, and nothing is reported`, async () => {
      const code = `SUTRA.EXTERNAL_TASK.${name}`;
      await scene(
        { 'fetch-and-lock': handOut(task('t1')), 'extend-lock': (call) => refuse(call, status, code) },
        untilAborted,
        async ({ peer, events }) => {
          await events.until('lock-lost');
          const [lost] = events.payloads as readonly { code: string; reason: Error }[];
          assert.deepEqual([lost?.code, lost?.reason.name], [code, reason]);
          assert.deepEqual(
            peer.calls.filter(({ call }) => call !== 'fetch-and-lock').map(({ call }) => call),
            ['extend-lock'],
          );
        },
        { lockDuration: 'PT0.3S' },
      );
    });
  }

  it('a rejection that may be retried is repeated', async () => {
    const rejected: PeerAct = (call) =>
      refuse(call, 422, 'SUTRA.EXTERNAL_TASK.COMPLETION_REJECTED', { retryable: true });
    await scene(
      { 'fetch-and-lock': handOut(task('t1')), complete: inTurn(rejected, usual) },
      done,
      async ({ events }) => {
        await events.until('completed');
        assert.deepEqual(events.names, ['completed']);
      },
    );
  });

  it('a rejection for good is reported as a failure', async () => {
    const rejected: PeerAct = (call) =>
      refuse(call, 422, 'SUTRA.EXTERNAL_TASK.COMPLETION_REJECTED', { retryable: false });
    await scene(
      { 'fetch-and-lock': handOut(task('t1')), complete: rejected },
      done,
      async ({ peer, events }) => {
        await events.until('failed');
        assert.match(String(peer.callsOf('failure')[0]?.body['errorMessage']), /COMPLETION_REJECTED/);
        assert.equal(peer.callsOf('failure')[0]?.body['retries'], undefined);
      },
    );
  });
});

describe('a failure', () => {
  const lost: PeerAct = (call) => refuse(call, 409, 'SUTRA.EXTERNAL_TASK.LOCK_LOST');
  const cut: PeerAct = ({ response }) => response.destroy();

  it('whose answer was lost, and which ended the lock, is told as of unknown status', async () => {
    await scene(
      { 'fetch-and-lock': handOut(task('t1')), failure: inTurn(cut, lost) },
      failing,
      async ({ events }) => {
        await events.until('failed');
        const [failed] = events.payloads as readonly { status: string; retries: unknown }[];
        assert.deepEqual([failed?.status, failed?.retries], ['UNKNOWN', null]);
      },
    );
  });

  it('that is refused at once is lost', async () => {
    await scene({ 'fetch-and-lock': handOut(task('t1')), failure: lost }, failing, async ({ events }) => {
      await events.until('lock-lost');
      assert.deepEqual(events.names, ['lock-lost']);
    });
  });

  it('over a ceiling is reported without what was over it', async () => {
    const over: PeerAct = (call) =>
      refuse(call, 400, 'SUTRA.EXTERNAL_TASK.REQUEST_INVALID', { field: 'retryTimeout', limit: 'P1D' });
    const handler: Handler = () => {
      throw new RetryableError('later', { retryAfter: 'P2D', retries: 5 });
    };
    await scene(
      { 'fetch-and-lock': handOut(task('t1')), failure: inTurn(over, usual) },
      handler,
      async ({ peer, events }) => {
        await events.until('failed');
        const [first, second] = peer.callsOf('failure').map(({ body }) => body);
        assert.deepEqual([first?.['retryTimeout'], first?.['retries']], ['P2D', 5]);
        assert.deepEqual(Object.keys(second ?? {}).sort(), ['errorMessage', 'lockToken', 'workerId']);
      },
    );
  });

  const thrown: readonly (readonly [string, unknown, Options, string, Readonly<Record<string, unknown>>])[] =
    [
      ['a plain error', new Error('oh'), {}, 'failure', { errorMessage: 'oh', retries: undefined }],
      ['a text', 'oh', {}, 'failure', { errorMessage: 'oh' }],
      ['undefined', undefined, {}, 'failure', { errorMessage: 'undefined' }],
      ['an object without a prototype', Object.create(null), {}, 'failure', {}],
      ['an error without a message', new TypeError(), {}, 'failure', { errorMessage: 'TypeError' }],
      [
        'NonRetryableError',
        new NonRetryableError('no', { details: 'd' }),
        {},
        'failure',
        { errorMessage: 'no', errorDetails: 'd', retries: 0 },
      ],
      [
        'BpmnError',
        new BpmnError('C', { a: 1 }),
        {},
        'bpmn-error',
        { errorCode: 'C', variables: { a: 1 }, errorMessage: undefined, completionId: 't1-1' },
      ],
      ['BpmnError that is no JSON', new BpmnError('C', { a: 1n }), {}, 'failure', { retries: 0 }],
      [
        'an error with wrong fields',
        Object.assign(new RetryableError('x'), { details: 5, message: 7n }),
        {},
        'failure',
        {},
      ],
      [
        'what classify knows',
        new Error('oh'),
        { classify: () => new NonRetryableError('known') },
        'failure',
        { errorMessage: 'known', retries: 0 },
      ],
      [
        'what classify fails over',
        new Error('oh'),
        {
          classify: () => {
            throw new Error('x');
          },
        },
        'failure',
        { errorMessage: 'oh' },
      ],
    ];
  for (const [name, error, options, call, fields] of thrown) {
    it(`is reported for ${name}`, async () => {
      const handler: Handler = () => {
        throw error;
      };
      await scene(
        { 'fetch-and-lock': handOut(task('t1')) },
        handler,
        async ({ peer }) => {
          await peer.until(call, 1);
          const body = peer.callsOf(call)[0]?.body ?? {};
          for (const [key, value] of Object.entries(fields)) assert.deepEqual(body[key], value, key);
        },
        options,
      );
    });
  }

  const results: readonly (readonly [string, unknown, Options, Readonly<Record<string, unknown>>])[] = [
    ['nothing', undefined, {}, {}],
    ['null', null, {}, { result: null }],
    ['a string', 'x', {}, { result: 'x' }],
    ['bytes', new Uint8Array([1, 2, 255]), {}, { resultBase64: 'AQL/' }],
    [
      'many bytes',
      new Uint8Array(20_000).fill(7),
      {},
      { resultBase64: Buffer.alloc(20_000, 7).toString('base64') },
    ],
    ['text', new TaskResult('x', 'text/csv'), {}, { result: 'x', contentType: 'text/csv' }],
    [
      'JSON of another type',
      new TaskResult({ a: 1 }, 'application/x+json'),
      {},
      { result: { a: 1 }, contentType: 'application/x+json' },
    ],
    [
      'what stringify writes',
      5n,
      { stringify: () => '12345678901234567890' },
      { resultBase64: btoa('12345678901234567890'), contentType: 'application/json' },
    ],
  ];
  for (const [name, result, options, fields] of results) {
    it(`is not reported for a result: ${name}`, async () => {
      await scene(
        { 'fetch-and-lock': handOut(task('t1')) },
        () => result,
        async ({ peer, events }) => {
          await events.until('completed');
          const {
            workerId: _w,
            lockToken: _l,
            completionId: _c,
            ...rest
          } = peer.callsOf('complete')[0]?.body ?? {};
          assert.deepEqual(rest, fields);
        },
        options,
      );
    });
  }

  it('is reported for a result that is no JSON', async () => {
    await scene(
      { 'fetch-and-lock': handOut(task('t1')) },
      () => 5n,
      async ({ peer, events }) => {
        await events.until('failed');
        assert.equal(peer.callsOf('failure')[0]?.body['retries'], 0);
      },
    );
  });
});
