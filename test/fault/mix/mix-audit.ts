/** Is each order where its journal says, and did each thing that anybody was told of happen, and happen once? */
import assert from 'node:assert/strict';
import type { TestDatabase } from '../../support/database.ts';
import { instancesOf } from '../../support/retry-audit.ts';
import type { RetryLoadClient } from '../../support/retry-load-client.ts';
import type { MixLoad } from './mix-load.ts';
import type { MixOperators } from './mix-operators.ts';
import { BOOKS } from './mix-package.ts';
import type { MixPeer } from './mix-peer.ts';
import { MixReplay, type SeenWait } from './mix-replay.ts';
import type { Entry } from './mix-turn.ts';

interface SeenInstance {
  readonly id: string;
  readonly status: string;
  readonly turn: number;
  readonly deploymentId: string;
  readonly failure: { readonly code: string; readonly elementId: string } | null;
  readonly variables: Readonly<Record<string, unknown>> & { readonly order: { readonly n: number } };
  readonly tokens: readonly { readonly elementId: string; readonly state: string }[];
  readonly waits: readonly {
    readonly kind: string;
    readonly elementId: string;
    readonly purpose?: string;
    readonly attempt?: number;
    readonly dueAt?: string;
    readonly idempotencyKey?: string;
  }[];
  readonly openTasks: readonly (Request & { readonly deploymentId: string })[];
  readonly deliveries: readonly Request[];
}

interface Request {
  readonly elementId: string;
  readonly idempotencyKey: string;
}

/** Instances that are read at a time. */
const READERS = 8;
const VARIABLES = { pick: 'picked', ship: 'shipped', pack: 'packed' };

export class MixAudit {
  /** How often an order that had not ended was looked at. */
  openOrders = 0;
  readonly #client: RetryLoadClient;
  readonly #operators: MixOperators;

  constructor(client: RetryLoadClient, operators: MixOperators) {
    this.#client = client;
    this.#operators = operators;
  }

  /** Some orders as they are now, in the midst of it; those that go on while they are read are left out. */
  async sample(count: number): Promise<void> {
    const ids = [...this.#operators.begunIn.keys()].slice(-count);
    await this.#readAll(ids, async (id) => {
      const read = await this.#explained(id);
      if (read !== null && (read.status === 'running' || read.status === 'failed')) this.openOrders += 1;
    });
  }

  /** Every order when all have come to rest. */
  async all(): Promise<ReadonlyMap<string, MixReplay>> {
    const known = [...this.#operators.begunIn.keys()];
    assert.deepEqual(
      (await instancesOf(this.#client, '')).sort(),
      known.sort(),
      'the instances are the orders',
    );
    const replays = new Map<string, MixReplay>();
    await this.#readAll(known, async (id) => {
      const replay = await this.#explained(id);
      assert.ok(replay !== null, `the journal of ${id} has every turn`);
      replays.set(id, replay);
    });
    return replays;
  }

  async books(replays: ReadonlyMap<string, MixReplay>, load: MixLoad): Promise<void> {
    for (let key = 0; key < BOOKS; key += 1) {
      const orders = [...load.orders.instances]
        .filter(([n]) => n % BOOKS === key)
        .flatMap(([, ids]) => [...ids]);
      const sold = orders.reduce((sum, id) => sum + (replays.get(id)?.books ?? 0), 0);
      const record = await this.#client.get(`/admin/data-stores/books/records/${String(key)}?tenant=test`);
      assert.deepEqual(record['value'], { count: sold }, `the book ${String(key)} counts each sale once`);
    }
  }

  async #readAll(ids: readonly string[], read: (id: string) => Promise<void>): Promise<void> {
    const left = ids.values();
    const reader = async (): Promise<void> => {
      for (const id of left) await read(id);
    };
    await Promise.all(Array.from({ length: READERS }, reader));
  }

  /** Null: it went on between the two reads. */
  async #explained(id: string): Promise<MixReplay | null> {
    const deploymentId = this.#operators.begunIn.get(id);
    assert.ok(deploymentId !== undefined);
    const instance = (await this.#client.get(`/sutra/instances/${id}`)) as unknown as SeenInstance;
    const history = await this.#client.get(`/sutra/instances/${id}/history`);
    assert.equal(history['nextCursor'], null, 'an order has no more turns than a page');
    const entries = history['entries'] as readonly Entry[];
    const turns = new Set(entries.flatMap(({ turn }) => (turn === null ? [] : [turn])));
    if (turns.size !== instance.turn) {
      assert.ok(turns.size > instance.turn, `the journal of ${id} has each turn`);
      return null;
    }
    const versionOf = (deployment: string): ReturnType<MixOperators['versionOf']> =>
      this.#operators.versionOf(deployment);
    const replay = new MixReplay({ id, n: instance.variables.order.n, deploymentId, versionOf });
    replay.follow(entries);
    compare(instance, replay);
    return replay;
  }
}

function compare(instance: SeenInstance, replay: MixReplay): void {
  const { id, status, deploymentId, failure, variables, tokens, waits } = instance;
  const state = status === 'failed' ? 'failed' : 'waiting';
  assert.deepEqual(
    {
      status,
      deploymentId,
      failureCode: failure?.code ?? null,
      tokens: tokens.map((token) => [token.elementId, token.state]),
      waits: waits.map(seen).sort(),
      nudges: variables['nudges'] ?? 0,
      patches: Object.keys(variables)
        .filter((name) => name === 'weight' || name.startsWith('patch'))
        .sort(),
      answers: Object.entries(VARIABLES).map(([call, variable]) => [call, keyIn(variables[variable])]),
    },
    {
      status: replay.status,
      deploymentId: replay.deploymentId,
      failureCode: replay.failureCode,
      tokens: replay.at === null ? [] : [[replay.at, state]],
      waits: replay.waits.toSorted(),
      nudges: replay.nudges,
      patches: [...replay.written].sort(),
      answers: Object.keys(VARIABLES).map((call) => [call, replay.answers.get(call)]),
    },
    `${id} is what its journal says`,
  );
  compareRequests(instance, replay);
}

/** What is out for a worker is the call that is waited for, as the version has it that the order goes by now. */
function compareRequests({ id, openTasks, deliveries }: SeenInstance, replay: MixReplay): void {
  const { at, deploymentId, openKey: key } = replay;
  // It may be on its way from the outbox to the tasks, and be seen in neither or in both.
  for (const { elementId, idempotencyKey, deploymentId: deployment } of openTasks) {
    assert.deepEqual([elementId, idempotencyKey, deployment], [at, key, deploymentId], `a task of ${id}`);
  }
  const calls = deliveries.filter(({ idempotencyKey }) => idempotencyKey.includes(':call-'));
  for (const { elementId, idempotencyKey } of calls) {
    assert.deepEqual([elementId, idempotencyKey], [at, key], `a request of ${id} that has not left`);
  }
}

function seen({
  kind,
  elementId,
  purpose,
  attempt,
  dueAt,
  idempotencyKey,
}: SeenInstance['waits'][number]): SeenWait {
  return [kind, elementId, purpose ?? attempt ?? '', dueAt ?? idempotencyKey ?? ''];
}

function keyIn(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'key' in value ? value.key : undefined;
}

/** Why a command is refused: the order has gone on, or has no place in the other version. */
const REFUSALS: ReadonlySet<unknown> = new Set([
  'SUTRA.CORE.INSTANCE_ENDED',
  'SUTRA.CORE.NOT_FAILED',
  'SUTRA.CORE.MOVE_TOKEN_MISSING',
  'SUTRA.CORE.MOVE_TARGET_UNKNOWN',
  'SUTRA.CORE.MIGRATION_REFUSED',
  'SUTRA.DEPLOYMENT.TARGET_INVALID',
]);

/** What operators did is in the journals as often as they were told, or may have done it unheard; and no more. */
export function auditCommands({ commands }: MixOperators, replays: ReadonlyMap<string, MixReplay>): void {
  const told = new Map<string, { done: number; unheard: number }>();
  for (const { instanceId, deed, status, code, lost } of commands) {
    assert.ok(status === 200 || REFUSALS.has(code), `${deed}: ${String(status)} ${String(code)}`);
    const known = told.get(`${instanceId} ${deed}`) ?? { done: 0, unheard: 0 };
    told.set(`${instanceId} ${deed}`, {
      done: known.done + (status === 200 ? 1 : 0),
      unheard: known.unheard + lost,
    });
  }
  for (const [id, { deeds }] of replays) {
    for (const deed of deeds.keys()) assert.ok(told.has(`${id} ${deed}`), `somebody did ${deed} to ${id}`);
  }
  for (const [what, { done, unheard }] of told) {
    const [id = '', deed = ''] = what.split(' ');
    const times = replays.get(id)?.deeds.get(deed) ?? 0;
    assert.ok(
      done <= times && times <= done + unheard,
      `${deed} was done to ${id} ${String(times)} times, but told ${String(done)} times and lost ${String(unheard)} times`,
    );
  }
}

/** A result was taken exactly if its worker was told so. */
export function auditAnswers({ workers }: MixLoad, replays: ReadonlyMap<string, MixReplay>): void {
  const accepted = workers.accepted.map(({ key }) => key).sort();
  const taken = [...replays.values()].flatMap(({ answeredKeys }) => answeredKeys).sort();
  assert.deepEqual(accepted, taken, 'what was accepted is what was taken, each once');
}

/**
 * Each notice that a journal names has reached the peer or is still in the outbox, as when its dial was killed, under its
 * key and always the same; and no other. A cancelled order has nothing in the outbox: what had not left is not sent.
 */
export async function auditNotices(
  store: TestDatabase,
  { notices }: MixPeer,
  replays: ReadonlyMap<string, MixReplay>,
): Promise<void> {
  const known = new Map([...notices].map(([key, texts]) => [key, new Set(texts)]));
  const left = await outboxOf(store);
  for (const { key, body } of left) {
    known.set(key, (known.get(key) ?? new Set()).add(JSON.stringify(JSON.parse(body))));
  }
  const sent = [...replays.values()].flatMap((replay) =>
    [...replay.notices].filter(([key]) => known.has(key) || replay.status !== 'terminated'),
  );
  assert.deepEqual(
    [...known].map(([key, texts]) => `${key} ${[...texts].join(' or ')}`).sort(),
    sent.map(([key, notice]) => `${key} ${notice}`).sort(),
    'what the peer got, or will get, is what was sent',
  );
  const cancelled = left.filter(({ instanceId }) => replays.get(instanceId)?.status === 'terminated');
  assert.deepEqual(cancelled, [], 'nothing is sent after a cancel');
}

interface Unsent {
  readonly instanceId: string;
  readonly key: string;
  readonly body: string;
}

async function outboxOf(store: TestDatabase): Promise<readonly Unsent[]> {
  const text = `
SELECT instance_id::text AS "instanceId", idempotency_key AS key, convert_from(body, 'UTF8') AS body
FROM outbox`;
  const database = await store.open();
  return database.run<Unsent>({ name: '', text }, []).finally(() => database.close());
}
