/** Tasks in the situations that a verdict can depend on, and what the engine keeps of them afterwards. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { TaskAnswer, TestEngine } from '../../support/engine.ts';
import { call, flows, packageFiles, start } from '../../support/packages.ts';
import { query } from './parked-tasks.ts';

const WORKER = 'worker-1';

/** `some` ends as soon as two of its calls are answered, and withdraws the others. */
export const situationFiles = packageFiles({
  channels: ['orders', 'strict', 'some']
    .map(
      (name) =>
        `  - { name: ${name}, transport: http, bind: "POST /channels/${name}", ack-mode: on-persist }`,
    )
    .concat(
      '  - { name: work, transport: pull }',
      '  - { name: checked, transport: pull, codec: "urn:result" }',
      '  - { name: parts, transport: pull }',
    )
    .join('\n'),
  files: {
    'schemas/result/default.json': JSON.stringify({
      type: 'object',
      required: ['ok'],
      properties: { ok: { type: 'boolean' } },
    }),
  },
  processes: {
    order: `${start('orders')}${call('ask', 'work')}<endEvent id="end"/>${flows('start -> ask', 'ask -> end')}`,
    strict: `${start('strict')}${call('check', 'checked')}<endEvent id="end"/>${flows('start -> check', 'check -> end')}`,
    some: `${start('some')}${call('part', 'parts', '<q:param name="item" expression="item"/>').replace(
      '</serviceTask>',
      `<multiInstanceLoopCharacteristics><extensionElements><q:loop collection="=payload.items" item="item"/></extensionElements>
         <completionCondition>numberOfCompletedInstances &gt;= payload.enough</completionCondition></multiInstanceLoopCharacteristics></serviceTask>`,
    )}<endEvent id="end"/>${flows('start -> part', 'part -> end')}`,
  },
});

export type Fields = Readonly<Record<string, unknown>>;

/** One task of a request, with what names it in every run. */
export interface Entry {
  readonly id: string;
  readonly instanceId: string;
  readonly fields: Fields;
}

export type Situation = (engine: TestEngine) => Promise<readonly Entry[]>;

/** Held from then on: whatever becomes of its lock, no later situation fetches it. */
async function oneTask(engine: TestEngine, order = 'orders', channel = 'work'): Promise<TaskAnswer> {
  const { body } = await engine.post(`/channels/${order}`, {});
  const task = await engine.fetchTask(channel);
  assert.equal(task.instanceId, body.instanceId);
  await change('held = true')(engine, task);
  return task;
}

/** An entry for the task of an order, after `prepare` has done something to it. */
function order(
  fields: (task: TaskAnswer) => Fields,
  prepare: (engine: TestEngine, task: TaskAnswer) => Promise<unknown> = () => Promise.resolve(),
): Situation {
  return async (engine) => {
    const task = await oneTask(engine);
    await prepare(engine, task);
    return [{ id: task.id, instanceId: task.instanceId, fields: fields(task) }];
  };
}

const change =
  (assignment: string) =>
  (engine: TestEngine, task: TaskAnswer): Promise<unknown> =>
    query(engine.engine.database, `UPDATE external_task SET ${assignment} WHERE id = $1::uuid`, [task.id]);

const cancel = (engine: TestEngine, task: TaskAnswer): Promise<unknown> =>
  engine.post(`/sutra/instances/${task.instanceId}/cancel`, { reason: 'test' });

const failWith =
  (fields: Fields) =>
  (engine: TestEngine, task: TaskAnswer): Promise<unknown> =>
    engine.post(`/sutra/external-tasks/${task.id}/failure`, {
      workerId: WORKER,
      errorMessage: 'no',
      ...fields,
    });

const completeWith =
  (result: unknown, more: Fields = {}) =>
  (engine: TestEngine, task: TaskAnswer): Promise<unknown> =>
    engine.complete(task, result, more);

/** What does not depend on what the worker says: the verdict is the same for a completion and a failure. */
const lockSituations = (said: Fields): Readonly<Record<string, Situation>> => ({
  LOCK_LOST: order(() => said, change(`visible_at = now() - interval '1 second'`)),
  LOCK_HELD: order(() => said, change(`lock_owner = 'other'`)),
  LOCK_HELD_BY_TOKEN: order(() => ({ ...said, lockToken: 'of an earlier lock' })),
  WITHDRAWN: order(() => said, cancel),
  TERMINAL: order(() => said, failWith({ retries: 0 })),
  NOT_FOUND: () => Promise.resolve([{ id: randomUUID(), instanceId: randomUUID(), fields: said }]),
  REQUEST_INVALID: order(() => ({ ...said, lockToken: null })),
});

const result = { result: { n: 1 } };

export const completions: Readonly<Record<string, Situation>> = {
  ...lockSituations(result),
  ACCEPTED: order(({ lockToken }) => ({ ...result, lockToken })),
  ACCEPTED_AS_IT_WAS: order(() => ({})),
  ACCEPTED_AS_BYTES: order(() => ({ resultBase64: 'e30=', contentType: 'application/json' })),
  ACCEPTED_AGAIN: order(
    () => ({ ...result, completionId: 'c' }),
    completeWith({ n: 1 }, { completionId: 'c' }),
  ),
  DUPLICATE: order(() => result, completeWith({ n: 1 })),
  COMPLETION_CONFLICT: order(
    () => ({ ...result, completionId: 'c' }),
    completeWith({ n: 2 }, { completionId: 'c' }),
  ),
  COMPLETION_REJECTED: async (engine) => {
    const task = await oneTask(engine, 'strict', 'checked');
    return [{ id: task.id, instanceId: task.instanceId, fields: { result: { ok: 'no' } } }];
  },
  /** Two that end their instance, and one that comes too late for it. */
  ACCEPTED_TWICE_THEN_WITHDRAWN: async (engine) => {
    await engine.post('/channels/some', { items: [1, 2, 3], enough: 2 });
    const entries: Entry[] = [];
    while (entries.length < 3) {
      const tasks = await engine.fetchTasks('parts');
      entries.push(...tasks.map(({ id, instanceId }) => ({ id, instanceId, fields: result })));
    }
    return entries;
  },
};

const failed = { errorMessage: 'downstream 500' };

export const failures: Readonly<Record<string, Situation>> = {
  ...lockSituations(failed),
  PENDING: order(({ lockToken }) => ({ ...failed, lockToken })),
  PENDING_WITH_RETRIES: order(() => ({ ...failed, retries: 7, retryTimeout: 'PT0S' })),
  PENDING_CUT: order(() => ({ errorMessage: 'x'.repeat(5_000), errorDetails: 'y', retryTimeout: 'PT1H' })),
  BECOMES_TERMINAL: order(() => ({ ...failed, retries: 0 })),
  BECOMES_TERMINAL_BY_ITSELF: order(() => failed, change('retries = 1')),
};

/** What a verdict says: its outcome, its status or its code's last part. */
export function verdictOf(answer: Fields): string {
  const { error, outcome, status } = answer as {
    error?: { code: string };
    outcome?: string;
    status?: string;
  };
  return error?.code.split('.').at(-1) ?? outcome ?? String(status);
}

const TABLES = [
  `SELECT id, instance_id, state, retries, lock_owner, generation, last_error, last_error_details, lost_locks,
     visible_at > now() AS later, visible_at > now() + interval '1 minute' AS much_later
   FROM external_task WHERE instance_id = ANY ($1::uuid[])`,
  `SELECT task_id, generation, completion_id, outcome, lock_owner, encode(body_hash, 'hex') AS hash, channel, instance_id
   FROM receipt WHERE instance_id = ANY ($1::uuid[])`,
  'SELECT id, status, turn FROM instance WHERE id = ANY ($1::uuid[])',
  `SELECT kind, instance_id, subject_id, code, message, resolved_at IS NULL AS is_open
   FROM incident WHERE instance_id = ANY ($1::uuid[])`,
  `SELECT instance_id, turn, jsonb_path_query_array(entries, '$[*].event') AS events
   FROM history WHERE instance_id = ANY ($1::uuid[])`,
  'SELECT channel, instance_id FROM inbox WHERE instance_id = ANY ($1::uuid[])',
];

/** All that the database holds of the entries' instances, row by row. */
export async function stateOf(engine: TestEngine, entries: readonly Entry[]): Promise<readonly string[]> {
  const rows: string[] = [];
  for (const text of TABLES) {
    const found = await query<Fields>(engine.engine.database, text, [
      entries.map(({ instanceId }) => instanceId),
    ]);
    rows.push(...found.map((row) => JSON.stringify(row)));
  }
  return named(rows, entries).sort();
}

/** The texts with the entries' ids replaced by their places, so that two runs can be compared. */
export function named(texts: readonly string[], entries: readonly Entry[]): string[] {
  const places = new Map<string, string>();
  for (const [index, { id, instanceId }] of entries.entries()) {
    places.set(id, `task-${index}`);
    if (!places.has(instanceId)) places.set(instanceId, `instance-${index}`);
  }
  return texts.map((text) =>
    text.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => places.get(id) ?? 'another'),
  );
}
