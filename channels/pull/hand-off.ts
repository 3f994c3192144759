/**
 * Tasks that a turn parks while fetches wait for them: they are born locked, in the turn's own commit, and handed over
 * as soon as it is durable. So an idle worker has its task one commit after the message came, and nobody has to claim it.
 *
 * H1 Only a fetch that waits idle gets a task so: what was fetchable before, it would have had.
 * H2 Fetches get tasks in the order in which they came, one each and then one more each, tasks of high priority first;
 *    a fetch gets no more than it asked for, of that channel and altogether.
 * H3 A task of an instance that has failed in the same commit is held, and not handed to anybody.
 * H4 When the commit is not made, the fetch looks for itself, and hears of everything that it missed meanwhile. So does
 *    one whose task is not born locked, because its deadline had passed.
 */
import { randomBytes } from 'node:crypto';
import type { Meter } from '../../engine/observe.ts';
import { insertTasks, type BornLocked, type NewTask } from '../../engine/store/external-tasks.ts';
import type { OutgoingRow, Parking, StatementRunner } from '../../engine/transport.ts';
import { hashToken, TOKEN_BYTES, type LockedTask } from './claim-plan.ts';
import { lockDurationOn, roomOn } from './channel-terms.ts';
import type { FetchDesk, OpenFetch } from './fetch-desk.ts';

export interface HandOffOptions {
  readonly desk: Pick<FetchDesk, 'reserve' | 'handOver' | 'giveUp' | 'parked'>;
  readonly defaultLockDurationMs: number;
  readonly meter: Meter;
}

interface Deal {
  readonly fetch: OpenFetch;
  readonly token: string;
  readonly tokenHash: Uint8Array;
}

/** By the id of the task. */
type Deals = ReadonlyMap<string, Deal>;

export class HandOff {
  readonly #options: HandOffOptions;

  constructor(options: HandOffOptions) {
    this.#options = options;
  }

  /** As `TransactionalSink.park`. */
  park(runner: StatementRunner, rows: readonly OutgoingRow[], failedInstances: ReadonlySet<string>): Parking {
    const { desk, defaultLockDurationMs, meter } = this.#options;
    const fetchable = rows.filter((row) => !failedInstances.has(row.instanceId));
    const deals = this.#deal(fetchable);
    const tasks = rows.map((row) => newTask(row, deals.get(row.id)));
    let born: readonly BornLocked[] = [];
    const written = insertTasks(runner, tasks, defaultLockDurationMs).then((answer) => {
      born = answer;
    });
    return {
      written,
      settled: (isCommitted) => {
        if (isCommitted) {
          meter.add('sutra_outbox_delivered_total', rows.length, { transport: 'pull' });
          this.#handOver(fetchable, deals, born);
        } else desk.giveUp(fetchesOf(deals));
      },
    };
  }

  #deal(rows: readonly OutgoingRow[]): Deals {
    const deals = new Map<string, Deal>();
    // One draw for all: a draw costs more than its bytes.
    const random = randomBytes(TOKEN_BYTES * rows.length);
    for (const [channel, parked] of byChannel(rows)) {
      const inTurn = [...this.#options.desk.reserve(channel, parked.length)];
      const counts = new Map<OpenFetch, number>();
      for (const { id } of [...parked].sort((left, right) => right.priority - left.priority)) {
        const fetch = inTurn.shift();
        if (fetch === undefined) break;
        const start = TOKEN_BYTES * deals.size;
        const token = random.toString('base64url', start, start + TOKEN_BYTES);
        deals.set(id, { fetch, token, tokenHash: hashToken(token) });
        const count = (counts.get(fetch) ?? 0) + 1;
        counts.set(fetch, count);
        if (count < roomOn(channel, fetch)) inTurn.push(fetch);
      }
    }
    return deals;
  }

  #handOver(rows: readonly OutgoingRow[], deals: Deals, born: readonly BornLocked[]): void {
    const { desk, meter } = this.#options;
    const locks = new Map(born.map((lock) => [lock.id, lock]));
    const handed = new Map<OpenFetch, LockedTask[]>();
    const free = new Map<string, number>();
    for (const row of rows) {
      const deal = deals.get(row.id);
      const lock = locks.get(row.id);
      if (deal === undefined || lock === undefined) {
        free.set(row.channel, (free.get(row.channel) ?? 0) + 1);
        continue;
      }
      const tasks = handed.get(deal.fetch) ?? [];
      handed.set(deal.fetch, tasks);
      tasks.push(lockedTask(row, deal, lock));
    }
    if (born.length > 0) meter.add('sutra_fetch_tasks_total', born.length);
    for (const [fetch, tasks] of handed) desk.handOver(fetch, tasks);
    if (born.length < deals.size) desk.giveUp(fetchesOf(deals).filter((fetch) => !handed.has(fetch)));
    desk.parked(free);
  }
}

function fetchesOf(deals: Deals): readonly OpenFetch[] {
  return [...new Set([...deals.values()].map(({ fetch }) => fetch))];
}

function byChannel(rows: readonly OutgoingRow[]): ReadonlyMap<string, readonly OutgoingRow[]> {
  const groups = new Map<string, OutgoingRow[]>();
  for (const row of rows) {
    const group = groups.get(row.channel);
    if (group === undefined) groups.set(row.channel, [row]);
    else group.push(row);
  }
  return groups;
}

function newTask(row: OutgoingRow, deal: Deal | undefined): NewTask {
  if (deal === undefined) return { ...row, lock: null };
  const { fetch, tokenHash } = deal;
  const lockDurationMs = lockDurationOn(row.channel, fetch);
  return { ...row, lock: { workerId: fetch.workerId, tokenHash, lockDurationMs } };
}

/** Field by field: a spread would take along what no worker is told, and cost more. */
function lockedTask(row: OutgoingRow, { token, tokenHash }: Deal, lock: BornLocked): LockedTask {
  return {
    group: 0,
    position: 1,
    id: row.id,
    channel: row.channel,
    tenant: row.tenant,
    module: row.module,
    version: row.version,
    deploymentId: row.deploymentId,
    processId: row.processId,
    elementId: row.elementId,
    instanceId: row.instanceId,
    idempotencyKey: row.idempotencyKey,
    headers: row.headers,
    contentType: row.contentType,
    body: row.body,
    generation: 1,
    retries: row.retries,
    priority: row.priority,
    lockExpiresAt: lock.lockExpiresAt,
    lockMs: lock.lockExpiresAt.getTime() - lock.createdAt.getTime(),
    createdAt: lock.createdAt,
    deadline: lock.deadline,
    lockToken: token,
    tokenHash,
  };
}
