/**
 * Turns the fetches of one moment into one claim, and says whose each claimed task is.
 *
 * Fetches of the same channels, under the same terms, are one group. Its slots are dealt turn by turn, oldest fetch
 * first, up to each one's `maxTasks`: the first task in rank goes to the longest waiting fetch, the second to the next.
 */
import { hash, randomBytes } from 'node:crypto';
import { newId } from '../../engine/new-id.ts';
import type {
  FetchedTask,
  FetchRequest,
  FetchShare,
  FetchSlot,
} from '../../engine/store/external-tasks-fetch.ts';
import { roomOn, type TermsByChannel } from './channel-terms.ts';
import type { LiveChannels } from './live-channels.ts';
import type { WaitingFetch } from './waiting-fetches.ts';

/**
 * Tasks in one claim. The highest `maxTasks` an operator can allow fits in; more would only hold the
 * rows longer.
 */
const MAX_SLOTS = 1_000;

/**
 * The bodies of one claim, in bytes, beyond which no further task is taken. A guess: it bounds the memory
 * of a claim when tasks are as large as the payload cap (10 MB by default).
 */
export const MAX_BODY_BYTES = 32 * 1024 * 1024;

export const TOKEN_BYTES = 32;

/** A task on its way to its worker. */
export interface LockedTask extends FetchedTask {
  /** The secret proof of this lock. Never logged; the database has its hash only. */
  readonly lockToken: string;
  readonly tokenHash: Uint8Array;
}

interface SlotOwner<Fetch> {
  readonly fetch: Fetch;
  readonly token: string;
  readonly tokenHash: Uint8Array;
}

export interface ClaimPlan<Fetch> {
  readonly request: FetchRequest;
  /** By group, then by position - 1. */
  readonly owners: readonly (readonly SlotOwner<Fetch>[])[];
}

/** SHA-256 of the token's text, as the engine compares it. */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** Null: none of the fetches names a channel that a live deployment has. `fetches`: oldest first. */
export function planClaim<Fetch extends WaitingFetch>(
  fetches: readonly Fetch[],
  live: LiveChannels,
  options: Pick<FetchRequest, 'exceptIds' | 'defaultLockDurationMs' | 'maxBodyBytes' | 'maxAttempts'>,
): ClaimPlan<Fetch> | null {
  const groups = groupFetches(fetches, live);
  if (groups.length === 0) {
    return null;
  }
  const owners = dealSlots(fetches, groups);
  const slots: FetchSlot[] = owners.flatMap((groupOwners, group) =>
    groupOwners.map(({ fetch, tokenHash }, index) => ({
      group,
      position: index + 1,
      workerId: fetch.workerId,
      tokenHash,
      lockDurationMs: fetch.lockDurationMs,
    })),
  );
  const shares = shareChannels(groups);
  const wanted = new Map<string, number>();
  for (const { channel, group } of shares) {
    const room = owners[group]?.length ?? 0;
    const terms = groups[group]?.terms;
    const mine =
      terms === undefined ? room : roomOn(channel, { maxTasks: room, lockDurationMs: null, terms });
    wanted.set(channel, (wanted.get(channel) ?? 0) + mine);
  }
  const pairs = live
    .pairsOf(wanted.keys())
    .map((pair) => ({ ...pair, wanted: wanted.get(pair.channel) ?? 0 }));
  const incidentIds = options.maxAttempts === null ? [] : slots.map(() => newId());
  return { request: { pairs, shares, slots, incidentIds, ...options }, owners };
}

/** Pairs each claimed task with the fetch whose slot it took. */
export function shareOut<Fetch extends WaitingFetch>(
  plan: ClaimPlan<Fetch>,
  tasks: readonly FetchedTask[],
): Map<Fetch, LockedTask[]> {
  const shared = new Map<Fetch, LockedTask[]>();
  const inOrder = [...tasks].sort((left, right) => left.position - right.position);
  for (const task of inOrder) {
    const owner = plan.owners[task.group]?.[task.position - 1];
    if (owner === undefined) {
      throw new Error(
        `a claim answered slot ${task.position} of group ${task.group}, which was not asked for`,
      );
    }
    const locked: LockedTask = { ...task, lockToken: owner.token, tokenHash: owner.tokenHash };
    const mine = shared.get(owner.fetch);
    if (mine === undefined) {
      shared.set(owner.fetch, [locked]);
    } else {
      mine.push(locked);
    }
  }
  return shared;
}

interface Group {
  readonly key: string;
  readonly channels: readonly string[];
  readonly terms: TermsByChannel | undefined;
}

function groupFetches(fetches: readonly WaitingFetch[], live: LiveChannels): Group[] {
  const groups = new Map<string, Group>();
  for (const { groupKey, channels, terms } of fetches) {
    if (groups.has(groupKey)) {
      continue;
    }
    const known = channels.filter((channel) => live.deploymentsOf(channel).length > 0);
    if (known.length > 0) {
      groups.set(groupKey, { key: groupKey, channels: known, terms });
    }
  }
  return [...groups.values()];
}

function dealSlots<Fetch extends WaitingFetch>(
  fetches: readonly Fetch[],
  groups: readonly Group[],
): SlotOwner<Fetch>[][] {
  const groupOf = new Map(groups.map((group, index) => [group.key, index]));
  const owners: SlotOwner<Fetch>[][] = groups.map(() => []);
  let wanting = fetches.filter((fetch) => groupOf.has(fetch.groupKey));
  const wantedCount = wanting.reduce((sum, { maxTasks }) => sum + maxTasks, 0);
  // One draw for all: a draw costs more than its bytes.
  const random = randomBytes(TOKEN_BYTES * Math.min(wantedCount, MAX_SLOTS));
  let slotCount = 0;
  for (let round = 1; wanting.length > 0 && slotCount < MAX_SLOTS; round += 1) {
    for (const fetch of wanting.slice(0, MAX_SLOTS - slotCount)) {
      const token = random.toString('base64url', TOKEN_BYTES * slotCount, TOKEN_BYTES * (slotCount + 1));
      owners[groupOf.get(fetch.groupKey) ?? 0]?.push({ fetch, token, tokenHash: hashToken(token) });
      slotCount += 1;
    }
    wanting = wanting.filter((fetch) => fetch.maxTasks > round);
  }
  return owners;
}

function shareChannels(groups: readonly Group[]): FetchShare[] {
  const groupsOf = new Map<string, number[]>();
  for (const [group, { channels }] of groups.entries()) {
    for (const channel of channels) {
      groupsOf.set(channel, [...(groupsOf.get(channel) ?? []), group]);
    }
  }
  return [...groupsOf].flatMap(([channel, sharing]) =>
    sharing.map((group, shareIndex) => {
      const terms = groups[group]?.terms?.get(channel);
      const share = { channel, group, shareIndex, shareCount: sharing.length };
      return terms === undefined ? share : { ...share, terms };
    }),
  );
}
