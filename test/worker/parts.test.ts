/** The parts of the SDK by themselves: durations, back-off, slots, the loop and its watchdog; and the options. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseDuration as enginesParse } from '../../config/iso8601.ts';
import { stopOnSignals, Worker, WorkerOptionsError } from '../../worker/index.ts';
import {
  Backoff,
  decodeBase64,
  encodeBase64,
  formatDuration,
  parseDuration,
  PollLoop,
  retryAfterMs,
  Slots,
  Watchdog,
  type PollOutcome,
} from '../../worker/internal.ts';

describe('durations', () => {
  it('are read as the engine reads them', () => {
    const part = (unit: string): fc.Arbitrary<string> =>
      fc
        .option(fc.stringMatching(/^\d{1,4}(\.\d{1,4})?$/), { nil: '' })
        .map((text) => (text === '' ? '' : text + unit));
    const texts = fc
      .tuple(part('W'), part('D'), part('H'), part('M'), part('S'), fc.boolean())
      .map(([w, d, h, m, s, t]) => `P${w}${d}${t ? 'T' : ''}${h}${m}${s}`);
    fc.assert(
      fc.property(fc.oneof(texts, fc.string()), (text) => {
        const engines = enginesParse(text);
        assert.equal(parseDuration(text), engines.ok ? engines.ms : null);
      }),
      { numRuns: 2_000 },
    );
  });

  it('are written so that the engine reads the same', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 31), (ms) => {
        assert.deepEqual(enginesParse(formatDuration(ms)), { ok: true, ms });
      }),
    );
  });
});

describe('base64', () => {
  it('is what the engine takes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20_000 }), (bytes) => {
        assert.equal(encodeBase64(bytes), Buffer.from(bytes).toString('base64'));
        assert.deepEqual([...decodeBase64(encodeBase64(bytes))], [...bytes]);
      }),
      { numRuns: 30 },
    );
  });
});

describe('the back-off', () => {
  const atTime = (): { backoff: Backoff; pass: (ms: number) => void } => {
    let nowMs = 0;
    const backoff = new Backoff({ maxMs: 30_000, now: () => nowMs, random: () => 0.999_999 });
    return { backoff, pass: (ms) => (nowMs += ms) };
  };

  it('doubles from 100 ms to a second, and after two minutes of failures to its maximum', () => {
    const { backoff, pass } = atTime();
    const waits: number[] = [];
    let total = 0;
    while (total < 400_000) {
      const wait = backoff.next(null);
      waits.push(Math.round(wait));
      total += wait;
      pass(wait);
    }
    assert.deepEqual(waits.slice(0, 6), [100, 200, 400, 800, 1_000, 1_000]);
    assert.ok(waits.slice(0, 100).every((wait) => wait <= 1_000));
    assert.equal(Math.max(...waits), 30_000);
    backoff.reset();
    assert.equal(Math.round(backoff.next(null)), 100);
  });

  it('obeys Retry-After, to its maximum', () => {
    const { backoff } = atTime();
    assert.equal(Math.round(backoff.next(1_000)), 1_100);
    assert.equal(backoff.next(3_600_000), 30_000);
    assert.ok(backoff.next(0) > 0);
  });

  const headers: readonly (readonly [string | null, string | null, number | null])[] = [
    [null, null, null],
    ['2', null, 2_000],
    ['Tue, 01 Dec 2026 10:00:05 GMT', 'Tue, 01 Dec 2026 10:00:00 GMT', 5_000],
    ['Tue, 01 Dec 2026 09:00:05 GMT', 'Tue, 01 Dec 2026 10:00:00 GMT', 0],
    ['soon', null, null],
    ['-1', 'Tue, 01 Dec 2026 10:00:00 GMT', 0],
  ];
  for (const [value, date, expected] of headers) {
    it(`reads Retry-After ${value ?? 'null'}`, () => {
      const ms = retryAfterMs(value, date);
      // Some engines read `-1` as a date of long ago.
      assert.ok(ms === expected || (value === '-1' && ms === null), String(ms));
    });
  }
});

describe('slots', () => {
  it('never wish for more than there is room for, whatever is taken and released how often', () => {
    const names = ['a', 'b', 'c'];
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.tuple(fc.constantFrom(...names), fc.boolean(), fc.nat(10))),
        (concurrency, steps) => {
          const slots = new Slots<{ readonly channel: string }>(concurrency, [
            { name: 'a', maxTasks: null },
            { name: 'b', maxTasks: 2 },
            { name: 'c', maxTasks: 1 },
          ]);
          const known: { readonly channel: string }[] = [];
          for (const [channel, isTake, index] of steps) {
            const room = slots.wish()?.channels.find(({ name }) => name === channel)?.maxTasks ?? 0;
            const run = { channel };
            if (isTake && room > 0) {
              slots.take(run);
              known.push(run);
            } else {
              const any = known[index % Math.max(known.length, 1)];
              // Also one that was released before.
              if (any !== undefined) slots.release(any);
            }
            const count = (name: string): number =>
              [...slots.runs].filter((each) => each.channel === name).length;
            assert.ok(slots.runs.size <= concurrency && count('b') <= 2 && count('c') <= 1);
            assert.equal(slots.wish() === null, slots.runs.size === concurrency);
            assert.equal(slots.wish()?.maxTasks ?? 0, concurrency - slots.runs.size);
          }
        },
      ),
    );
  });
});

describe('the poll loop and its watchdog', () => {
  const wish = { maxTasks: 1, channels: [{ name: 'a', maxTasks: 1 }] };
  const backoff = { maxMs: 100, now: () => performance.now(), random: () => 0 };
  const loopOf = (poll: () => Promise<PollOutcome>, failures: Error[] = []): PollLoop =>
    new PollLoop({
      wish: () => wish,
      released: (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
      poll,
      maxPollMs: 50,
      backoff,
      onPolled: () => {},
      onFailed: ({ error }) => failures.push(error),
    });

  it('goes on whatever a fetch throws, and even when telling it fails', async () => {
    let count = 0;
    const loop: PollLoop = new PollLoop({
      wish: () => wish,
      released: () => new Promise(() => {}),
      poll: () => {
        count += 1;
        if (count === 4) loop.stop();
        throw new Error('a bug');
      },
      maxPollMs: 50,
      backoff,
      onPolled: () => {},
      onFailed: () => {
        throw new Error('another');
      },
    });
    await loop.run();
    assert.equal(count, 4);
    assert.equal(loop.state, 'stopped');
  });

  it('is found out when it stands still', async () => {
    const loop = loopOf(() => new Promise(() => {}));
    void loop.run();
    await new Promise<void>((resolve) => {
      const watchdog = new Watchdog({
        tickMs: 20,
        overdueAt: () => loop.overdueAt,
        onStalled: () => {
          watchdog.stop();
          resolve();
        },
        onTick: () => {
          throw new Error('x');
        },
        onFault: () => {},
      });
      watchdog.start();
    });
    assert.equal(loop.state, 'polling');
    loop.stop();
  });
});

describe('the options', () => {
  const handler = (): void => {};
  const good = { baseUrl: 'http://127.0.0.1:8080/', channels: { a: handler } };
  const wrong: readonly (readonly [string, Record<string, unknown>])[] = [
    ['baseUrl', { baseUrl: 'nowhere' }],
    ['baseUrl', { baseUrl: undefined }],
    ['baseUrl', { baseUrl: 'ftp://x' }],
    ['channels', { channels: {} }],
    ['channels', { channels: null }],
    ["channels['a'].handler", { channels: { a: 5 } }],
    ["channels['a'].handler", { channels: { a: {} } }],
    ["channels['a'].maxTasks", { channels: { a: { handler, maxTasks: 0 } } }],
    ["channels['a'].lockDuration", { channels: { a: { handler, lockDuration: '30' } } }],
    ["channels['a'].schema", { channels: { a: { handler, schema: {} } } }],
    ["channels['a'].maxTask ", { channels: { a: { handler, maxTask: 1 } } }],
    ['channels', { channels: { ' a': handler } }],
    ['workerId', { workerId: ' x' }],
    ['concurrency', { concurrency: 1.5 }],
    ['concurrency', { concurrency: '8' }],
    ['lockDuration', { lockDuration: 'PT0S' }],
    ['pollTimeout', { pollTimeout: 20 }],
    ['maxBackoff', { maxBackoff: 'PT0.05S' }],
    ['headers', { headers: { a: 1 } }],
    ['fetch', { fetch: 'x' }],
    ['concurency', { concurency: 8 }],
  ];
  for (const [name, change] of wrong) {
    it(`refuse ${JSON.stringify(change)}, naming ${name}`, () => {
      assert.throws(
        () => new Worker({ ...good, ...change }),
        (error) => error instanceof WorkerOptionsError && error.message.includes(name),
      );
    });
  }

  it('are refused all at once', () => {
    assert.throws(
      () => new Worker({ ...good, concurrency: 0, pollTimeout: 'x' }),
      /concurrency.*pollTimeout/,
    );
  });

  it('give each worker an id of its own', () => {
    assert.notEqual(new Worker(good).workerId, new Worker(good).workerId);
  });
});

describe('stopOnSignals', () => {
  it('stops on the first signal, and then listens no more', () => {
    const listeners = new Map<string, () => void>();
    let stopCount = 0;
    const source = {
      on: (name: string, listener: () => void) => listeners.set(name, listener),
      off: (name: string) => listeners.delete(name),
    };
    stopOnSignals({ stop: async () => void (stopCount += 1) }, source);
    assert.deepEqual([...listeners.keys()].sort(), ['SIGINT', 'SIGTERM']);
    listeners.get('SIGTERM')?.();
    assert.deepEqual([stopCount, listeners.size], [1, 0]);
  });
});
