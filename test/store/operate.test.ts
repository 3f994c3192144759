import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { EngineError } from '../../config/engine-error.ts';
import type { Database } from '../../engine/store/database.ts';
import {
  listDeployments,
  probeDatabase,
  readDeployment,
  readDeploymentLoad,
} from '../../engine/store/operate-deployments.ts';
import { listDeliveries, readDeliveryState } from '../../engine/store/operate-deliveries.ts';
import { countOpenIncidents, listOpenIncidents } from '../../engine/store/operate-incidents.ts';
import {
  listInstances,
  readHistory,
  readHistoryBack,
  readInstance,
  readInstanceAliases,
  readInstanceDeliveries,
  type InstanceFilter,
} from '../../engine/store/operate-instances.ts';
import {
  decodeCursor,
  encodeCursor,
  UUID_PART,
  type Page,
  type PageRequest,
} from '../../engine/store/operate-list.ts';
import {
  listExternalTasks,
  readExternalTask,
  readInstanceTasks,
  type TaskFilter,
} from '../../engine/store/operate-tasks.ts';
import { testDatabases } from '../support/database.ts';
import {
  deliveryId,
  deploymentId,
  incidentId,
  instanceId,
  seedAlias,
  seedDeployment,
  seedHistory,
  seedIncident,
  seedInstance,
  seedOutbox,
  seedTask,
  taskId,
} from './operate-seed.ts';

const anyInstance: InstanceFilter = {
  status: null,
  processId: null,
  deploymentId: null,
  tenant: null,
  module: null,
  createdAfter: null,
  createdBefore: null,
  alias: null,
  failureCode: null,
  failureElement: null,
};
const anyTask: TaskFilter = {
  channel: null,
  state: null,
  instanceId: null,
  deploymentId: null,
  processId: null,
  elementId: null,
  locked: null,
};
const first: PageRequest = { limit: 200, cursor: null };

/** Every page of a list, row ids in order. */
async function walk<Row extends { readonly id: string }>(
  limit: number,
  list: (page: PageRequest) => Promise<Page<Row>>,
): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Row> = await list({ limit, cursor });
    pages.push(page.rows.map((row) => row.id));
    cursor = page.nextCursor;
  } while (cursor !== null && pages.length < 50);
  return pages;
}

for (const target of testDatabases()) {
  describe(`operators' queries on ${target.name}`, () => {
    let database: Database;
    before(async () => {
      database = await target.open();
      for (const number of [1, 2, 3, 4, 5]) {
        await seedInstance(database, {
          number,
          status: number === 3 ? 'failed' : number === 5 ? 'completed' : 'running',
          tenant: number === 4 ? 'other' : 'acme',
          deployment: number % 2,
          processId: number === 2 ? 'refund' : 'order',
          createdAt: `2026-03-0${String(number)}T10:00:00.000Z`,
        });
      }
      await seedAlias(database, { instance: 1, name: 'orderId', value: 'A-1' });
      await seedAlias(database, { instance: 2, name: 'orderId', value: 'A-1' });
      await seedAlias(database, { instance: 3, name: 'orderId', value: 'A-3' });
      await seedTask(database, { number: 1 });
      await seedTask(database, { number: 2, lockSeconds: 60 });
      await seedTask(database, { number: 3, lockSeconds: -60, channel: 'mail' });
      await seedTask(database, { number: 4, state: 'failed', instance: 2, deployment: 2 });
      await seedIncident(database, { number: 1 });
      await seedIncident(database, { number: 2, kind: 'task-terminal', instance: 2 });
      await seedIncident(database, { number: 3, isResolved: true });
      await seedOutbox(database, { number: 1, instance: 1, state: 'poisoned' });
      for (const turn of [1, 2, 3]) {
        const at = `2026-03-01T10:00:0${String(turn)}.000Z`;
        await seedHistory(database, {
          turn,
          at,
          entries: [{ event: 'entered', elementId: 'e', detail: {} }],
        });
      }
      // Two deployed in one transaction, one a microsecond later: what a Date cannot tell apart.
      await seedDeployment(database, {
        number: 1,
        state: 'active',
        deployedAt: '2026-03-01T10:00:00.000001Z',
      });
      await seedDeployment(database, { number: 2, deployedAt: '2026-03-01T10:00:00.000001Z' });
      await seedDeployment(database, { number: 3, deployedAt: '2026-03-01T10:00:00.000002Z' });
      await seedDeployment(database, {
        number: 4,
        state: 'retired',
        module: 'mail',
        deployedAt: '2026-02-01T10:00:00Z',
      });
    });
    after(() => database.close());

    const filters: readonly [title: string, filter: Partial<InstanceFilter>, numbers: readonly number[]][] = [
      ['nothing', {}, [5, 4, 3, 2, 1]],
      ['status', { status: 'running' }, [4, 2, 1]],
      ['status failed', { status: 'failed' }, [3]],
      ['process', { processId: 'refund' }, [2]],
      ['deployment', { deploymentId: deploymentId(1) }, [5, 3, 1]],
      ['tenant', { tenant: 'other' }, [4]],
      ['module', { module: 'nothing' }, []],
      [
        'creation',
        { createdAfter: new Date('2026-03-01T10:00:00Z'), createdBefore: new Date('2026-03-04T10:00:00Z') },
        [3, 2],
      ],
      ['alias', { alias: { name: 'orderId', value: 'A-1' } }, [2, 1]],
      ['alias of another tenant', { tenant: 'other', alias: { name: 'orderId', value: 'A-1' } }, []],
      ['failure code', { failureCode: 'SUTRA.FEEL.EVALUATION_FAILED' }, [3]],
      ['failure code that none has', { failureCode: 'OTHER' }, []],
      ['failed element', { failureElement: 'score' }, [3]],
      ['failed element, of what runs', { failureElement: 'score', status: 'running' }, []],
      ['several at once', { status: 'running', tenant: 'acme', processId: 'order' }, [1]],
    ];
    for (const [title, filter, numbers] of filters) {
      it(`lists instances by ${title}, newest first`, async () => {
        const page = await listInstances(database, { ...anyInstance, ...filter }, first);
        assert.deepEqual(
          page.rows.map((row) => row.id),
          numbers.map(instanceId),
        );
        assert.equal(page.nextCursor, null);
      });
    }

    for (const limit of [1, 2, 3, 5, 6]) {
      it(`pages instances by ${String(limit)} without losing or repeating one`, async () => {
        const pages = await walk(limit, (page) => listInstances(database, anyInstance, page));
        assert.deepEqual(pages.flat(), [5, 4, 3, 2, 1].map(instanceId));
        assert.equal(pages.length, Math.ceil(5 / limit));
      });
    }

    it('keeps its place when rows come and go between pages', async () => {
      const { nextCursor } = await listInstances(database, anyInstance, { limit: 2, cursor: null });
      await seedInstance(database, { number: 9 });
      const next = await listInstances(database, anyInstance, { limit: 2, cursor: nextCursor });
      assert.deepEqual(
        next.rows.map((row) => row.id),
        [3, 2].map(instanceId),
      );
      await database.run({ name: 'test_forget', text: 'DELETE FROM instance WHERE id = $1::uuid' }, [
        instanceId(9),
      ]);
    });

    it('gives instances with dates as dates and the failure as it was', async () => {
      const row = await readInstance(database, instanceId(3));
      assert.equal(row?.failureCode, 'SUTRA.FEEL.EVALUATION_FAILED');
      assert.equal(row.createdAt.toISOString(), '2026-03-03T10:00:00.000Z');
      assert.equal(row.endedAt, null);
      assert.match(row.snapshot, /"formatVersion":1/);
      assert.equal(await readInstance(database, instanceId(77)), null);
    });

    it('reads aliases, deliveries and history of an instance', async () => {
      assert.deepEqual(await readInstanceAliases(database, instanceId(1)), [
        { name: 'orderId', value: 'A-1', isUnique: false },
      ]);
      const [delivery] = await readInstanceDeliveries(database, instanceId(1));
      assert.equal(delivery?.state, 'poisoned');
      assert.equal(delivery.attempts, 2);
      const turns = await readHistory(database, instanceId(1), 1, 10);
      assert.deepEqual(
        turns.map((row) => row.turn),
        [2, 3],
      );
      assert.deepEqual(JSON.parse(turns[0]?.entries ?? ''), [
        { event: 'entered', elementId: 'e', detail: {} },
      ]);
      assert.equal((await readHistory(database, instanceId(1), 0, 2)).length, 2);
      const back = await readHistoryBack(database, instanceId(1), 3, 10);
      assert.deepEqual(
        back.map((row) => row.turn),
        [2, 1],
      );
    });

    const taskFilters: readonly [title: string, filter: Partial<TaskFilter>, numbers: readonly number[]][] = [
      ['nothing', {}, [1, 2, 3, 4]],
      ['channel', { channel: 'mail' }, [3]],
      ['state', { state: 'failed' }, [4]],
      ['instance', { instanceId: instanceId(2) }, [4]],
      ['deployment', { deploymentId: deploymentId(1) }, [1, 2, 3]],
      ['process', { processId: 'nothing' }, []],
      ['element', { elementId: 'score' }, [1, 2, 3, 4]],
      ['another element', { elementId: 'mail' }, []],
      ['an unexpired lock', { locked: true }, [2]],
      ['no unexpired lock', { locked: false }, [1, 3, 4]],
    ];
    for (const [title, filter, numbers] of taskFilters) {
      it(`lists external tasks by ${title}, oldest first`, async () => {
        const page = await listExternalTasks(database, { ...anyTask, ...filter }, first);
        assert.deepEqual(
          page.rows.map((row) => row.id),
          numbers.map(taskId),
        );
      });
    }

    it('pages external tasks', async () => {
      const pages = await walk(3, (page) => listExternalTasks(database, anyTask, page));
      assert.deepEqual(pages, [[1, 2, 3].map(taskId), [taskId(4)]]);
    });

    it('shows the holder of a lock only while the lock holds, and never a token or a body', async () => {
      const { rows } = await listExternalTasks(database, anyTask, first);
      assert.deepEqual(
        rows.map((row) => row.lockOwner),
        [null, 'worker-1', null, null],
      );
      assert.ok(rows[1]?.lockExpiresAt instanceof Date);
      assert.equal(rows[2]?.lockExpiresAt, null);
      for (const row of rows) {
        assert.deepEqual(
          Object.keys(row).filter((key) => /token|hash|body/i.test(key)),
          [],
        );
      }
      const detail = await readExternalTask(database, taskId(2));
      assert.equal(detail?.body.toString(), '{"amount":1}');
      assert.deepEqual(detail.headers, { 'x-trace': '1' });
      assert.deepEqual(
        Object.keys(detail).filter((key) => /token|hash/i.test(key)),
        [],
      );
      assert.equal(await readExternalTask(database, taskId(77)), null);
      assert.equal((await readInstanceTasks(database, instanceId(1))).length, 3);
    });

    it('lists deliveries by state, channel and instance, oldest first, without what they carry', async () => {
      await seedOutbox(database, { number: 2, instance: 2, channel: 'mail' });
      await seedOutbox(database, { number: 3, instance: 2, state: 'poisoned' });
      const none = { state: null, channel: null, instanceId: null, elementId: null };
      const list = async (filter: Partial<typeof none> | Record<string, string>): Promise<string[]> => {
        const { rows } = await listDeliveries(database, { ...none, ...filter }, first);
        return rows.map((row) => row.id);
      };
      assert.deepEqual(await list({}), [1, 2, 3].map(deliveryId));
      assert.deepEqual(await list({ state: 'poisoned' }), [1, 3].map(deliveryId));
      assert.deepEqual(await list({ state: 'open' }), [deliveryId(2)]);
      assert.deepEqual(await list({ channel: 'mail' }), [deliveryId(2)]);
      assert.deepEqual(await list({ elementId: 'send' }), [1, 2, 3].map(deliveryId));
      assert.deepEqual(await list({ elementId: 'other' }), []);
      assert.deepEqual(await list({ instanceId: instanceId(2), state: 'poisoned' }), [deliveryId(3)]);
      const pages = await walk(2, (page) => listDeliveries(database, none, page));
      assert.deepEqual(pages, [[1, 2].map(deliveryId), [deliveryId(3)]]);
      const { rows } = await listDeliveries(database, none, first);
      assert.deepEqual(
        Object.keys(rows[0] ?? {}).filter((key) => /body|header|policy/i.test(key)),
        [],
      );
      assert.equal(await readDeliveryState(database, deliveryId(2)), 'open');
      assert.equal(await readDeliveryState(database, deliveryId(77)), null);
      await database.knex('outbox').whereIn('id', [2, 3].map(deliveryId)).delete();
    });

    it('lists open incidents alone, and counts them by kind', async () => {
      const none = {
        ...{ kind: null, tenant: null, module: null, instanceId: null, code: null },
        ...{ processId: null, elementId: null, createdAfter: null, createdBefore: null },
      };
      const all = await walk(1, (page) => listOpenIncidents(database, none, page));
      assert.deepEqual(all, [[incidentId(1)], [incidentId(2)]]);
      const terminal = await listOpenIncidents(database, { ...none, kind: 'task-terminal' }, first);
      assert.deepEqual(
        terminal.rows.map((row) => row.instanceId),
        [instanceId(2)],
      );
      const counts = await countOpenIncidents(database);
      assert.deepEqual(
        [...counts].sort((left, right) => left.kind.localeCompare(right.kind)),
        [
          { kind: 'instance-failed', count: 1 },
          { kind: 'task-terminal', count: 1 },
        ],
      );
    });

    it('pages deployments that differ by a microsecond or not at all', async () => {
      const none = { state: null, tenant: null, module: null };
      for (const limit of [1, 2, 3]) {
        const pages = await walk(limit, (page) => listDeployments(database, none, page));
        assert.deepEqual(pages.flat(), [3, 2, 1, 4].map(deploymentId), `by ${String(limit)}`);
      }
      const active = await listDeployments(database, { ...none, state: 'active' }, first);
      assert.deepEqual(
        active.rows.map((row) => row.id),
        [deploymentId(1)],
      );
      assert.deepEqual(Object.keys(active.rows[0] ?? {}).sort(), [
        'deployedAt',
        'drainedAt',
        'id',
        'module',
        'retiredAt',
        'state',
        'tenant',
        'version',
      ]);
      assert.equal((await readDeployment(database, deploymentId(4)))?.state, 'retired');
      assert.equal(await readDeployment(database, deploymentId(77)), null);
    });

    it('counts what keeps a deployment', async () => {
      assert.deepEqual(await readDeploymentLoad(database, deploymentId(1)), {
        liveInstances: 2,
        callingInstances: 0,
        openTasks: 3,
        outboxRows: 1,
      });
    });

    it('answers the probe', async () => {
      await probeDatabase(database);
    });

    it('refuses the cursor of another list before asking the database', async () => {
      const foreign = encodeCursor('list_instances', [instanceId(1)]);
      await assert.rejects(async () => listExternalTasks(database, anyTask, { limit: 1, cursor: foreign }), {
        code: 'SUTRA.OPERATE.CURSOR_INVALID',
      });
    });
  });
}

describe('a cursor', () => {
  it('gives back the key it was made of', () => {
    const cursor = encodeCursor('a_list', [instanceId(1)]);
    assert.match(cursor, /^[A-Za-z0-9_-]+$/);
    assert.deepEqual(decodeCursor('a_list', cursor, [UUID_PART]), [instanceId(1)]);
  });

  const forged = [
    '',
    '!',
    'AAAA',
    Buffer.from('{}').toString('base64url'),
    Buffer.from('["a_list"]').toString('base64url'),
    Buffer.from('["a_list", 1]').toString('base64url'),
    encodeCursor('a_list', ["'; DROP TABLE instance"]),
    encodeCursor('b_list', [instanceId(1)]),
    encodeCursor('a_list', [instanceId(1), 'more']),
    'A'.repeat(2_000),
  ];
  for (const cursor of forged) {
    it(`is refused when it is ${JSON.stringify(cursor.slice(0, 30))}`, () => {
      assert.throws(
        () => decodeCursor('a_list', cursor, [UUID_PART]),
        (error) => error instanceof EngineError && error.code === 'SUTRA.OPERATE.CURSOR_INVALID',
      );
    });
  }
});
