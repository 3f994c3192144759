import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hashToken, planClaim, shareOut } from '../../../channels/pull/claim-plan.ts';
import { groupKeyOf, simplifyTerms, type FetchTerms } from '../../../channels/pull/channel-terms.ts';
import { LiveChannels } from '../../../channels/pull/live-channels.ts';
import type { WaitingFetch } from '../../../channels/pull/waiting-fetches.ts';
import type { ChannelTerms, FetchedTask } from '../../../engine/store/external-tasks-fetch.ts';

const options = { exceptIds: [], defaultLockDurationMs: 1, maxAttempts: null, maxBodyBytes: 1 };

function fetchOf(sequence: number, channels: readonly string[], maxTasks: number): WaitingFetch {
  const groupKey = [...channels].sort().join();
  return {
    sequence,
    channels,
    groupKey,
    workerId: `w${sequence}`,
    maxTasks,
    lockDurationMs: null,
    state: 'claiming',
  };
}

function liveOn(...channels: readonly string[]): LiveChannels {
  const live = new LiveChannels();
  live.bind(channels.flatMap((name) => ['dep-1', 'dep-2'].map((deploymentId) => ({ name, deploymentId }))));
  return live;
}

test('slots are dealt in turn, oldest fetch first, up to each one’s maxTasks', () => {
  const plan = planClaim(
    [fetchOf(1, ['a'], 3), fetchOf(2, ['a'], 1), fetchOf(3, ['a'], 2)],
    liveOn('a'),
    options,
  );
  assert.deepEqual(
    plan?.request.slots.map(({ workerId }) => workerId),
    ['w1', 'w2', 'w3', 'w1', 'w3', 'w1'],
  );
  assert.deepEqual(
    plan?.request.slots.map(({ position }) => position),
    [1, 2, 3, 4, 5, 6],
  );
  assert.deepEqual(
    plan?.request.pairs.map(({ wanted }) => wanted),
    [6, 6],
  );
});

test('channels without a live deployment are left out, and a claim for nothing else is none', () => {
  const plan = planClaim([fetchOf(1, ['a', 'x'], 1)], liveOn('a'), options);
  assert.deepEqual(
    plan?.request.shares.map(({ channel }) => channel),
    ['a'],
  );
  assert.equal(planClaim([fetchOf(1, ['x'], 1)], liveOn('a'), options), null);
});

test('a claim is bounded, and each fetch has a slot in it before any has two', () => {
  const fetches = Array.from({ length: 250 }, (_, index) => fetchOf(index, ['a'], 1_000));
  const plan = planClaim(fetches, liveOn('a'), options);
  assert.equal(plan?.request.slots.length, 1_000);
  assert.equal(new Set(plan?.request.slots.slice(0, 250).map(({ workerId }) => workerId)).size, 250);
});

test('every claimed task has one owner, with the token whose hash was stored', () => {
  const sets = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(sets, fc.integer({ min: 1, max: 5 })), { minLength: 1, maxLength: 20 }),
      (wishes) => {
        const fetches = wishes.map(([channels, maxTasks], index) => fetchOf(index, channels, maxTasks));
        const plan = planClaim(fetches, liveOn('a', 'b', 'c'), options);
        assert.ok(plan);
        const { slots, shares } = plan.request;
        assert.equal(
          slots.length,
          wishes.reduce((sum, [, maxTasks]) => sum + maxTasks, 0),
        );
        for (const channel of ['a', 'b', 'c']) {
          const indexes = shares
            .filter((share) => share.channel === channel)
            .map(({ shareIndex }) => shareIndex);
          assert.deepEqual(indexes, [...indexes.keys()], 'shares of a channel are numbered without gaps');
        }
        const tasks = slots.map(({ group, position }) => ({ group, position }) as FetchedTask);
        const shared = shareOut(plan, tasks);
        for (const fetch of fetches) assert.equal(shared.get(fetch)?.length, fetch.maxTasks);
        const hashes = new Set(
          [...shared.values()].flat().map(({ lockToken }) => hashToken(lockToken).toString('hex')),
        );
        assert.deepEqual(
          hashes,
          new Set(slots.map(({ tokenHash }) => Buffer.from(tokenHash).toString('hex'))),
        );
      },
    ),
  );
});

test('what says the same for all channels is no term, and only a bound makes a fetch a group of its own', () => {
  const of = (entries: readonly (readonly [string, ChannelTerms | null])[], lockDurationMs: number | null) =>
    simplifyTerms(new Map(entries), { maxTasks: 5, lockDurationMs });
  const entry = (lockDurationMs: number | null, maxTasks: number | null): ChannelTerms => ({
    lockDurationMs,
    maxTasks,
  });
  assert.deepEqual(of([['a', entry(7, 2)]], 1), { maxTasks: 2, lockDurationMs: 7 });
  assert.deepEqual(
    of(
      [
        ['a', null],
        ['b', entry(null, 9)],
      ],
      1,
    ),
    { maxTasks: 5, lockDurationMs: 1 },
  );
  const durations = of(
    [
      ['a', entry(7, 5)],
      ['b', null],
    ],
    null,
  );
  assert.deepEqual([...(durations.terms ?? [])], [['a', entry(7, null)]]);
  const bounds = of(
    [
      ['a', entry(null, 1)],
      ['b', null],
    ],
    null,
  );
  const key = ({ terms }: FetchTerms, sequence: number): string => groupKeyOf(['b', 'a'], terms, sequence);
  assert.equal(key(durations, 1), key(durations, 2));
  assert.notEqual(key(bounds, 1), key(bounds, 2));
  assert.notEqual(key(durations, 1), groupKeyOf(['a', 'b'], undefined, 1));
  const fetches = [1, 2, 3].map((sequence) => {
    const terms = sequence === 3 ? durations : bounds;
    return { ...fetchOf(sequence, ['a', 'b'], 5), ...terms, groupKey: key(terms, sequence) };
  });
  const plan = planClaim(fetches, liveOn('a', 'b'), options);
  assert.equal(plan?.owners.length, 3);
  const wanted = new Map(plan.request.pairs.map((pair) => [pair.channel, pair.wanted]));
  assert.deepEqual([wanted.get('a'), wanted.get('b')], [1 + 1 + 5, 15]);
  assert.deepEqual(
    plan.request.shares.map(({ channel, terms }) => [channel, terms]),
    [
      ['a', entry(null, 1)],
      ['a', entry(null, 1)],
      ['a', entry(7, null)],
      ...['b', 'b', 'b'].map((channel) => [channel, undefined]),
    ],
  );
});

test('binding tells which channels gained a deployment', () => {
  const live = liveOn('a');
  assert.deepEqual(
    live.bind([
      { name: 'a', deploymentId: 'dep-2' },
      { name: 'b', deploymentId: 'dep-2' },
    ]),
    new Set(['b']),
  );
  assert.deepEqual(live.deploymentsOf('a'), ['dep-2']);
  assert.deepEqual(live.bind([]), new Set());
  assert.deepEqual(live.deploymentsOf('a'), []);
});
