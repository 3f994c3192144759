import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { silentLog } from '../../engine/observe.ts';
import { Lifecycle, shutdownOnSignals, type ShutdownStep } from '../../server/lifecycle.ts';
import { signalled } from './fixture.ts';

describe('a shutdown', () => {
  it('runs its steps once, in order, however often it is asked', async () => {
    const ran: string[] = [];
    const step = (name: string): ShutdownStep => ({
      name,
      run: async () => {
        await Promise.resolve();
        ran.push(name);
      },
    });
    const lifecycle = new Lifecycle({ steps: ['accept', 'fetches', 'close'].map(step), log: silentLog });
    const [first, second] = await Promise.all([lifecycle.shutdown('a'), lifecycle.shutdown('b')]);
    assert.equal(first, second);
    assert.deepEqual(ran, ['accept', 'fetches', 'close']);
    assert.deepEqual(first.unfinished, []);
  });

  it('goes on after a step that fails, and names it', async () => {
    let isClosed = false;
    const lifecycle = new Lifecycle({
      log: silentLog,
      steps: [
        {
          name: 'sync-throw',
          run: () => {
            throw new Error('x');
          },
        },
        { name: 'reject', run: () => Promise.reject(new Error('x')) },
        {
          name: 'close',
          run: () => {
            isClosed = true;
            return Promise.resolve();
          },
        },
      ],
    });
    assert.deepEqual((await lifecycle.shutdown('x')).unfinished, ['sync-throw', 'reject']);
    assert.equal(isClosed, true);
  });

  it('gives up waiting at its limit, and still starts the steps that follow', async () => {
    const started: string[] = [];
    const lifecycle = new Lifecycle({
      log: silentLog,
      limitMs: 20,
      steps: [
        { name: 'hangs', run: () => new Promise(() => {}) },
        {
          name: 'close',
          run: () => {
            started.push('close');
            return Promise.resolve();
          },
        },
      ],
    });
    assert.deepEqual((await lifecycle.shutdown('x')).unfinished, ['hangs', 'close']);
    assert.deepEqual(started, ['close']);
  });
});

describe('signals', () => {
  const setUp = (steps: readonly ShutdownStep[]) => {
    const source = new EventEmitter();
    const exited = signalled<number>();
    const lifecycle = new Lifecycle({ steps, log: silentLog });
    const remove = shutdownOnSignals(lifecycle, exited.fire, source);
    return { source, exited: exited.promise, remove };
  };

  it('shut down in order and exit with 0', async () => {
    const { source, exited, remove } = setUp([{ name: 'a', run: () => Promise.resolve() }]);
    source.emit('SIGTERM');
    assert.equal(await exited, 0);
    remove();
    assert.equal(source.listenerCount('SIGTERM') + source.listenerCount('SIGINT'), 0);
  });

  it('exit with 1 when a step failed', async () => {
    const { source, exited } = setUp([{ name: 'a', run: () => Promise.reject(new Error('x')) }]);
    source.emit('SIGINT');
    assert.equal(await exited, 1);
  });

  it('exit at once the second time', async () => {
    const release = signalled();
    const { source, exited } = setUp([{ name: 'hangs', run: () => release.promise }]);
    source.emit('SIGTERM');
    source.emit('SIGINT');
    assert.equal(await exited, 130);
    release.fire();
  });
});
