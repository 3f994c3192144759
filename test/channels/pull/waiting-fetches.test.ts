import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { WaitingFetches } from '../../../channels/pull/waiting-fetches.ts';
import type { FetchState, WaitingFetch } from '../../../channels/pull/waiting-fetches.ts';

interface Entry extends WaitingFetch {
  state: FetchState;
}

function entry(sequence: number, channels: readonly string[], state: FetchState = 'idle'): Entry {
  return {
    sequence,
    channels,
    groupKey: channels.join(),
    workerId: 'w',
    maxTasks: 1,
    lockDurationMs: null,
    state,
  };
}

test('waking takes the oldest idle fetches of the channel, and no others', () => {
  const waiting = new WaitingFetches<Entry>();
  waiting.add(entry(1, ['a'], 'due'));
  for (const sequence of [2, 3, 4]) waiting.add(entry(sequence, ['a', 'b']));
  waiting.add(entry(5, ['b']));
  assert.deepEqual(
    waiting.wake('a', 2).map(({ sequence }) => sequence),
    [2, 3],
  );
  assert.deepEqual(
    waiting.wake('a', 9).map(({ sequence }) => sequence),
    [4],
  );
  assert.deepEqual(waiting.wake('a', 9), []);
  assert.deepEqual(
    waiting.wake('b', 9).map(({ sequence }) => sequence),
    [5],
  );
  assert.deepEqual(waiting.wake('unknown', 1), []);
});

test('a fetch that found nothing has its old place again', () => {
  const waiting = new WaitingFetches<Entry>();
  const first = entry(1, ['a']);
  waiting.add(first);
  waiting.add(entry(2, ['a']));
  waiting.wake('a', 1);
  waiting.move(first, 'claiming');
  waiting.move(first, 'idle');
  assert.deepEqual(waiting.wake('a', 1), [first]);
});

test('ten thousand waits that come and go on a quiet channel leave nothing behind', () => {
  const waiting = new WaitingFetches<Entry>();
  const stays = entry(0, ['a']);
  waiting.add(stays);
  for (let sequence = 1; sequence <= 10_000; sequence += 1) {
    const passing = entry(sequence, ['a', `only-${sequence}`]);
    waiting.add(passing);
    waiting.move(passing, 'answered');
  }
  assert.equal(waiting.size, 1);
  assert.deepEqual(waiting.awaitedChannels(), ['a']);
  assert.deepEqual(waiting.wake('a', 1), [stays]);
});

test('counts and wakes agree with a plain list, whatever happens', () => {
  const step = fc.record({
    kind: fc.constantFrom('add', 'wake', 'idle', 'claiming', 'answered'),
    pick: fc.nat(50),
    channels: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const waiting = new WaitingFetches<Entry>();
      const model: Entry[] = [];
      const idleOn = (channel: string): Entry[] =>
        model.filter(({ state, channels }) => state === 'idle' && channels.includes(channel));
      for (const [index, { kind, pick, channels }] of steps.entries()) {
        const chosen = model[pick % Math.max(model.length, 1)];
        if (kind === 'add') {
          const added = entry(index, channels);
          waiting.add(added);
          model.push(added);
        } else if (kind === 'wake') {
          const channel = channels[0] ?? 'a';
          const expected = idleOn(channel).slice(0, pick % 4);
          assert.deepEqual(waiting.wake(channel, pick % 4), expected);
        } else if (chosen !== undefined) {
          waiting.move(chosen, kind);
        }
        for (const channel of ['a', 'b', 'c'])
          assert.equal(waiting.idleCount(channel), idleOn(channel).length);
        assert.deepEqual(
          [...waiting.live()],
          model.filter(({ state }) => state !== 'answered'),
        );
      }
    }),
  );
});
