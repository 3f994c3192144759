/** A migration and a completion of the same instance at the same moment: whichever comes first, both end well. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Database } from '../../engine/store/database.ts';
import { testDatabases } from '../support/database.ts';
import { TestEngine, type Answer, type TaskAnswer } from '../support/engine.ts';
import { call, flows, packageFiles } from '../support/packages.ts';
import { parked, rowsOf } from './stored-rows.ts';

/** The answer must have the field; the call's element is named for it. */
const version = (number: string, field: string): Record<string, string> =>
  packageFiles({
    version: number,
    channels: '  - { name: work, transport: pull, codec: "urn:result" }',
    files: { 'schemas/result/default.json': JSON.stringify({ type: 'object', required: [field] }) },
    processes: {
      order: `<startEvent id="start"/>${call(field, 'work')}<userTask id="read"/>${flows(`start -> ${field}`, `${field} -> read`)}`,
      bystander:
        '<startEvent id="start"/><endEvent id="end"/><sequenceFlow id="f" sourceRef="start" targetRef="end"/>',
    },
  });
const old = version('1.0.0', 'score');
const renewed = version('2.0.0', 'rate');
const either = { score: 1, rate: 1 };

for (const target of testDatabases()) {
  describe(`a migration beside a completion on ${target.name}`, { timeout: 120_000 }, () => {
    let engine: TestEngine;
    let database: Database;
    let from = '';
    let to = '';
    before(async () => {
      database = await target.open();
      engine = await TestEngine.start({ database });
      from = await engine.deploy(old);
      to = await engine.deploy(renewed);
      // The old one starts instances again.
      assert.equal(await engine.deploy(old), from);
    });
    after(() => engine.stop());

    /** An instance whose task a worker has. */
    const begin = async (): Promise<TaskAnswer> => {
      const { body } = await engine.post('/sutra/processes/order/start', {});
      await parked(database, body.instanceId, 1);
      const task = await engine.fetchTask('work');
      assert.equal(task.instanceId, body.instanceId);
      return task;
    };
    const migrate = ({ instanceId }: TaskAnswer): Promise<Answer> =>
      engine.post(`/admin/instances/${instanceId}/migrate`, {
        deploymentId: to,
        elements: { score: 'rate' },
      });
    const endedWell = async (
      { instanceId }: TaskAnswer,
      migrated: Answer,
      completed: Answer,
    ): Promise<void> => {
      assert.equal(migrated.status, 200, JSON.stringify(migrated.body));
      assert.equal(completed.body.outcome, 'ACCEPTED', JSON.stringify(completed.body));
      const { tokens, deploymentId } = await engine.instance(instanceId);
      assert.deepEqual([tokens.map(({ elementId }) => elementId), deploymentId], [['read'], to]);
      assert.deepEqual(await rowsOf(database, 'external_task', { instance_id: instanceId }), []);
    };

    it('ends well, many times over and in either order', async () => {
      const tasks: TaskAnswer[] = [];
      for (let number = 0; number < 24; number += 1) tasks.push(await begin());
      const answers = tasks.map((task, index) => {
        const [migrated, completed] =
          index % 2 === 0
            ? [migrate(task), engine.complete(task, either)]
            : [engine.complete(task, either), migrate(task)].reverse();
        return [task, migrated, completed] as const;
      });
      for (const [task, migrated, completed] of answers) {
        assert.ok(migrated !== undefined && completed !== undefined);
        await endedWell(task, await migrated, await completed);
      }
    });

    // There one commit is under way at a time, so what comes meanwhile is in the next one together.
    if (target.name === 'embedded') {
      const inFlight = async (count: number): Promise<void> => {
        const wanted = new RegExp(`^sutra_turns_in_flight ${String(count)}$`, 'm');
        const deadline = performance.now() + 20_000;
        for (;;) {
          const metrics = (await engine.get('/metrics')).body as unknown as string;
          if (wanted.test(metrics)) return;
          assert.ok(performance.now() < deadline, `${String(count)} turns are under way`);
        }
      };
      /** Sends one after the other while a commit is under way. */
      const inOneCommit = async (
        ...sends: readonly (() => Promise<Answer>)[]
      ): Promise<readonly Answer[]> => {
        const sent: Promise<Answer>[] = [];
        await database.transaction(async () => {
          const first = engine.post('/sutra/processes/bystander/start', {});
          for (const send of [() => first, ...sends]) {
            sent.push(send());
            await inFlight(sent.length);
          }
        });
        const [, ...answers] = await Promise.all(sent);
        return answers;
      };

      it('in one commit: the new model judges what is completed after the migration', async () => {
        const task = await begin();
        const answers = await inOneCommit(
          () => migrate(task),
          () => engine.complete(task, { rate: 1 }),
        );
        const [migrated, completed] = answers;
        assert.ok(migrated !== undefined && completed !== undefined);
        await endedWell(task, migrated, completed);
      });

      it('in one commit: the old model judges what is completed before it', async () => {
        const task = await begin();
        const answers = await inOneCommit(
          () => engine.complete(task, { score: 1 }),
          () => migrate(task),
        );
        const [completed, migrated] = answers;
        assert.ok(migrated !== undefined && completed !== undefined);
        await endedWell(task, migrated, completed);
      });

      it('in one commit: what is started, or sent, and migrated belongs to the new model', async () => {
        const task = await begin();
        const { instanceId } = task;
        const back = { deploymentId: from, elements: { rate: 'score' } };
        const answers = await inOneCommit(
          () => migrate(task),
          () => engine.post(`/admin/instances/${instanceId}/move`, { moves: [{ from: 'rate', to: 'rate' }] }),
          () => engine.post(`/admin/instances/${instanceId}/migrate`, back),
        );
        for (const { status, body } of answers) assert.equal(status, 200, JSON.stringify(body));
        const [row] = await parked(database, instanceId, 1);
        assert.deepEqual(
          [row?.['deployment_id'], row?.['element_id'], row?.['version']],
          [from, 'score', '1.0.0'],
        );
        assert.notEqual(row?.['id'], task.id);
      });
    } else {
      it('waits for a completion that has the task, and is done then', async () => {
        const task = await begin();
        const migrated = await database.transaction(async (connection) => {
          await connection.run(
            { name: 'test_hold_task', text: 'SELECT id FROM external_task WHERE id = $1::uuid FOR UPDATE' },
            [task.id],
          );
          const answer = migrate(task);
          const blocked = `SELECT count(*)::integer AS count FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'`;
          const waits = { name: 'test_blocked', text: blocked };
          while ((await database.run<{ count: number }>(waits, []))[0]?.count !== 1);
          return { answer };
        });
        await endedWell(task, await migrated.answer, await engine.complete(task, { rate: 1 }));
      });
    }
  });
}
