/**
 * After the kills: does the engine hold exactly what it told its clients, and does each journal say how? Read over the
 * operate routes while it runs, and from the tables when it has stopped.
 */
import assert from 'node:assert/strict';
import type { TestDatabase } from './database.ts';
import { pause } from './fault-load.ts';
import { readStory, type Entry, type Story } from './retry-audit-story.ts';
import type { RetryLoad } from './retry-load.ts';
import type { RetryLoadClient } from './retry-load-client.ts';
import type { RetryLoadPeer } from './retry-load-peer.ts';

interface Instance {
  readonly id: string;
  readonly status: string;
  readonly turn: number;
  readonly failure: { readonly code: string; readonly elementId: string } | null;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly tokens: readonly { readonly elementId: string; readonly state: string }[];
  readonly waits: readonly unknown[];
  readonly aliases: readonly unknown[];
  readonly openTasks: readonly unknown[];
  readonly deliveries: readonly unknown[];
}

export interface Told {
  readonly instance: Instance;
  readonly story: Story;
}

const VARIABLE_OF: Readonly<Record<string, string>> = { ask: 'asked', quote: 'quoted', check: 'checked' };
const CALL_OF_CHANNEL: Readonly<Record<string, string>> = { asks: 'ask', checks: 'check' };
/** Histories that are read at a time. */
const READERS = 8;

/** Waits until no instance is running, or fails with one that is. */
export async function settled(client: RetryLoadClient, patienceMs: number): Promise<void> {
  for (const until = performance.now() + patienceMs; ;) {
    const [running] = await instancesOf(client, '&status=running');
    if (running === undefined) return;
    if (performance.now() > until) {
      const history = await client.get(`/sutra/instances/${running}/history`);
      assert.fail(`the instance ${running} does not settle: ${JSON.stringify(history['entries'])}`);
    }
    await pause(250);
  }
}

/** Every order has one instance; what each is, its journal says, and so do those who had an answer. */
export async function auditStories(
  client: RetryLoadClient,
  load: RetryLoad,
  peer: RetryLoadPeer,
): Promise<ReadonlyMap<string, Told>> {
  for (const [n, ids] of load.orders.instances)
    assert.equal(ids.size, 1, `order ${String(n)} has one instance`);
  const known = [...load.orders.instances.values()].flatMap((ids) => [...ids]).sort();
  assert.deepEqual((await instancesOf(client, '')).sort(), known, 'the instances are those of the orders');
  const told = new Map<string, Told>();
  const left = known.values();
  const read = async (): Promise<void> => {
    for (const id of left) told.set(id, await auditInstance(client, id));
  };
  await Promise.all(Array.from({ length: READERS }, read));
  for (const [n, ids] of load.orders.instances) {
    for (const id of ids) assert.deepEqual(told.get(id)?.instance.variables['order'], { n });
  }
  auditAccepted(load, peer, told);
  auditCancels(load, told);
  assert.deepEqual(
    load.staleHandouts,
    [],
    'no worker got a task of an attempt before one that was under way',
  );
  assertEverythingHappened(load, peer, told);
  return told;
}

async function auditInstance(client: RetryLoadClient, id: string): Promise<Told> {
  const instance = (await client.get(`/sutra/instances/${id}`)) as unknown as Instance;
  const history = await client.get(`/sutra/instances/${id}/history`);
  const entries = history['entries'] as readonly Entry[];
  const turns = [...new Set(entries.flatMap(({ turn }) => (turn === null ? [] : [turn])))];
  const counted = Array.from({ length: instance.turn }, (_, index) => index + 1);
  assert.deepEqual(turns, counted, `the journal of ${id} has each turn, in order`);
  const story = readStory(entries);
  assert.equal(instance.status, story.status, `the status of ${id} is the end of its journal`);
  assert.equal(instance.failure?.code ?? null, story.failureCode, `the failure of ${id}`);
  const isFailed = story.status === 'failed';
  assert.deepEqual(
    instance.tokens.map(({ elementId, state }) => [elementId, state]),
    isFailed ? [[story.failedAt, 'failed']] : [],
    `the tokens of ${id}`,
  );
  const { waits, openTasks, deliveries } = instance;
  assert.deepEqual([waits, openTasks, deliveries], [[], [], []], `nothing of ${id} is left that could act`);
  // A failed one can be repaired, and is still who it was.
  assert.equal(instance.aliases.length, isFailed ? 1 : 0, `aliases of ${id}`);
  for (const [call, variable] of Object.entries(VARIABLE_OF)) {
    const value = instance.variables[variable];
    const key = story.answeredKeys.get(call);
    assert.equal(keyIn(value), key, `${variable} of ${id} is the answer that its journal names`);
  }
  return { instance, story };
}

/** Whoever was told that his result was taken finds it in the instance. */
function auditAccepted(load: RetryLoad, peer: RetryLoadPeer, told: ReadonlyMap<string, Told>): void {
  const seen = new Set<string>();
  for (const { instanceId, channel, key, mark } of load.workers.accepted) {
    const call = CALL_OF_CHANNEL[channel] ?? channel;
    assert.ok(!seen.has(`${instanceId}/${call}`), `${instanceId}/${call} was accepted once`);
    seen.add(`${instanceId}/${call}`);
    const value = told.get(instanceId)?.instance.variables[VARIABLE_OF[call] ?? call];
    assert.deepEqual(value, { key, mark }, `the accepted result of ${instanceId}/${call} is the instance's`);
  }
  for (const { key, status } of peer.answers) {
    const instanceId = key.slice(0, key.indexOf(':'));
    const taken = told.get(instanceId)?.story.answeredKeys.get('quote');
    assert.equal(taken === key, status === 202, `the peer was told ${String(status)} for ${key}`);
  }
}

function auditCancels(load: RetryLoad, told: ReadonlyMap<string, Told>): void {
  const byInstance = new Map(load.cancels.map((cancel) => [cancel.instanceId, cancel]));
  for (const [id, { story }] of told) {
    const cancel = byInstance.get(id);
    if (cancel === undefined) assert.notEqual(story.status, 'terminated', `nobody cancelled ${id}`);
    else if (cancel.status === 200) assert.equal(story.status, 'terminated', `${id} was cancelled`);
    else {
      assert.equal(cancel.status, 409, `the cancel of ${id} is answered`);
      assert.ok(
        story.status === 'completed' || (story.status === 'terminated' && cancel.lost > 0),
        `${id} had ended before its cancel, or by one whose answer was lost`,
      );
    }
  }
}

/** A load under which something never happened has shown nothing about it. */
function assertEverythingHappened(
  load: RetryLoad,
  peer: RetryLoadPeer,
  told: ReadonlyMap<string, Told>,
): void {
  const stories = [...told.values()].map(({ story }) => story);
  const keys = stories.flatMap(({ answeredKeys }) => [...answeredKeys]);
  const happened = {
    completed: stories.some(({ status }) => status === 'completed'),
    cancelled: stories.some(({ status }) => status === 'terminated'),
    timedOut: stories.some(({ failureCode }) => failureCode === 'SUTRA.CALL.TIMEOUT'),
    refused: stories.some(({ failureCode }) => failureCode === 'SUTRA.CALL.FAILED'),
    givenUp: stories.some(({ status, answeredKeys: { size } }) => status === 'completed' && size === 2),
    askedAgain: keys.some(([call, key]) => call === 'ask' && key.endsWith('.2')),
    quotedAgain: keys.some(([call, key]) => call === 'quote' && key.endsWith('.2')),
    lateWork: load.workers.refusals.has('SUTRA.EXTERNAL_TASK.WITHDRAWN'),
    lateAnswer: peer.answers.some(({ code }) => code === 'SUTRA.DISPATCH.CHANNEL_CALL.RETRY_PENDING'),
  };
  const missing = Object.entries(happened).filter(([, has]) => !has);
  assert.deepEqual(missing, [], `not everything happened in ${String(told.size)} orders`);
}

/** What was only sent may still be on its way: a dial that was killed is repeated after a while. */
const ACTING_TABLES = [
  'external_task',
  'timer',
  'signal_wait',
  'signal_delivery',
  'outbox WHERE expects_answer',
];

/** Nothing is left behind that could still act, and what waits for a person is what failed. */
export async function auditRows(store: TestDatabase, failed: readonly string[]): Promise<void> {
  const database = await store.open();
  try {
    const rowsOf = async (what: string): Promise<readonly string[]> => {
      const text = `SELECT instance_id::text AS id FROM ${what} ORDER BY 1`;
      return (await database.run<{ id: string }>({ name: '', text }, [])).map(({ id }) => id);
    };
    for (const table of ACTING_TABLES) {
      assert.deepEqual(await rowsOf(table), [], `no row is left in ${table}`);
    }
    const sorted = failed.toSorted();
    assert.deepEqual(await rowsOf('alias'), sorted, 'only what can still be repaired has aliases');
    assert.deepEqual(await rowsOf('incident WHERE resolved_at IS NULL'), sorted, 'one incident for each');
    const other = "incident WHERE resolved_at IS NULL AND kind <> 'instance-failed'";
    assert.deepEqual(await rowsOf(other), []);
  } finally {
    await database.close();
  }
}

/** Over all pages. */
export async function instancesOf(client: RetryLoadClient, filter: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ''; ;) {
    const page = await client.get(`/sutra/instances?limit=100${filter}${cursor}`);
    ids.push(...(page['instances'] as readonly Instance[]).map(({ id }) => id));
    const { nextCursor } = page;
    if (typeof nextCursor !== 'string') return ids;
    cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
  }
}

function keyIn(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'key' in value ? value.key : undefined;
}
